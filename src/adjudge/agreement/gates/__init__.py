"""Gates: whether a run is good enough, decided on the interval of a figure and not on the bare number.

`conditions` reads what is given on the command line, `deciding` is pure arithmetic, `gate` reads the runs and reports.
"""
