"""Report cards of annotators, told."""
