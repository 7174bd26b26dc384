"""The providers' batch APIs: many requests are submitted at once and answered within a day, at half the price."""
