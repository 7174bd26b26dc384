"""Figures with intervals and tests: numbers in, numbers out. Nothing here knows a run, a file or a page."""
