"""Judges on labelled sets and on changed cases, over runs made for it."""
