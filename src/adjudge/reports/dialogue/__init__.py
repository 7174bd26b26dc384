"""Reports on a dialogue."""
