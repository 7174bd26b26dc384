"""A review, told."""
