"""Who gives opinions: the embedded model, an LLM, a jury or a cascade of several. Judges know no rule."""
