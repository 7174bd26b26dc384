"""Files and requests → cases. Every error names the place, what was found and what is allowed."""
