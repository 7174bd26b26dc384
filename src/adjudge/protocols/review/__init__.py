"""A review: the audit of a person's side-by-side ratings, re-rated blind, corrected, filled in and explained."""

SUMMARY = "audit a person's side-by-side ratings"
EXAMPLES = ("adjudge review ratings.txt",)
