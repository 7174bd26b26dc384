"""Does a piece of code parse in its own language? One file a kind of parser; nothing here runs the code."""
