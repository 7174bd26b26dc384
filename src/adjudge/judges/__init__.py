"""Judges give opinions: the embedded model, an LLM, a jury or a cascade of several. They know no rules."""
