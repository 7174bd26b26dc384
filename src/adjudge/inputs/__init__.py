"""Reads cases from files and requests. Every error names the place, what was found and what is allowed."""
