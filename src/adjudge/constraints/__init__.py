"""What a task demands: reading demands in plain English, verifying a judge's list, and measuring responses."""
