"""Providers' batch APIs: many questions handed in at once, answered within a day, at half the price."""
