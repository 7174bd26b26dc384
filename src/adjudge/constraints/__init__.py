"""What a task demands: its kinds, how a response is measured against them, and a reader of plain English wording."""
