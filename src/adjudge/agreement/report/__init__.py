"""A run and its labels: joined, measured, explained and corrected."""
