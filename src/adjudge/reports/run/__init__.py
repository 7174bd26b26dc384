"""Reports on whole runs, from the numbers of `results`: one run, the difference of two runs, and leaderboards."""
