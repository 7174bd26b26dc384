"""Report cards of annotators."""
