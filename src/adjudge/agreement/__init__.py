"""Judges against people: how far they agree, how sure that is, what is biased, and what corrects it."""
