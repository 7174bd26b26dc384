"""Report cards of the people whose ratings were reviewed."""
