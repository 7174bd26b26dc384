"""Who gives opinions: the embedded model, an LLM, or a jury of several. Judges know no rule."""
