"""What code can tell about one text: its sentences, lists, language and end, and whether it addresses its judge."""
