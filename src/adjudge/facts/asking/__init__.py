"""How eleven languages ask for a length, a number of things or a format: one lexicon a language, as data."""
