"""What people do with a run: take its results elsewhere, ask questions of them, compare two runs, rank systems.

It reads the files of a run directory and changes none of them; a run that is still going is read as far as it is.
"""
