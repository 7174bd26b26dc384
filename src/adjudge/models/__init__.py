"""The shapes that flow through adjudge, each defined once."""
