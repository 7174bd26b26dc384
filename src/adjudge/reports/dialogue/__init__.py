"""A dialogue, told."""
