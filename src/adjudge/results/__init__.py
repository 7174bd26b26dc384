"""Reads a run directory: queries, exports, comparisons of two runs, leaderboards. It returns data; `reports` shows it.

It never changes the run's files. A run in progress is read as far as it has come.
"""
