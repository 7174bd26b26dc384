"""The report of a dialogue."""
