"""A comparison, told."""
