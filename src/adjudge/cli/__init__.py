"""The command line: one file a command or two. A command imports what it needs when it runs: --help stays quick."""
