"""adjudge inside other people's tools: one module for each host, imported by that host alone."""
