"""Reports on how far a judge agrees with people."""
