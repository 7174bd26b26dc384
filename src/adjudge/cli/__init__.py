"""The command line: one file a command group. Nothing heavy is imported before a command needs it."""
