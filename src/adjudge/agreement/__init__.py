"""Compares judges with people: agreement, its uncertainty, biases of the judge, and corrections for its errors."""
