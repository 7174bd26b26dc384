"""Reports on a review."""
