"""Figures with their intervals, from plain numbers and classes: nothing here knows a run."""
