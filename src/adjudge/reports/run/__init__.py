"""Reports on whole runs: what came of one, what changed between two, which system is strongest.

`results` has the numbers; here they become text, Markdown and HTML.
"""
