"""A protocol for tests only: is a text polite? A case is one text, a verdict is yes or no, with one quote."""

SUMMARY = "say whether a text is polite"
