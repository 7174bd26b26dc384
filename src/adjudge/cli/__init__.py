"""The command line, with one file per command or two. Commands import what they need when run, so --help is quick."""
