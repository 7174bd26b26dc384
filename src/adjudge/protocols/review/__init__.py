"""A review: the audit of a person's side-by-side ratings, re-rated blind, corrected, filled in and explained."""

SUMMARY = "audit a person's side-by-side ratings"
EXAMPLES = ("adjudge review ratings.txt",)
GATES = {"win_rate": "share of the valid reviews that prefer response 1; neither counts half"}
