"""Reports on a comparison."""
