"""A comparison: two answers to one task are scored on weighted criteria in both orders, and one wins, or neither."""
