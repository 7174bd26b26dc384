"""Gates: whether a run is good enough, decided on the interval of a figure and not on the bare number.

`conditions` reads what is given on the command line, `deciding` is pure arithmetic, `gate` reads the runs and reports.
"""

FAILED, UNDECIDED_SHARE, COST = "share_failed", "share_undecided", "cost"
# The figures that are not a protocol's own, in words. `share_undecided` needs a protocol with undecided verdicts.
COMMON_FIGURES = {
    FAILED: "share of the cases without a verdict",
    UNDECIDED_SHARE: "share of the verdicts that are undecided",
    COST: "dollars that the whole run cost",
}
