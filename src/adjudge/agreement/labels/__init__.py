"""Human labels of cases: label files, the choice of cases to label, and labels from other sources."""
