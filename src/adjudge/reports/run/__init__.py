"""Reports on whole runs, of the numbers of `results`: what came of one, what changed between two, who is strongest."""
