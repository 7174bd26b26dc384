"""The way to a model and back: one provider format a file, the bytes sent exactly ours."""
