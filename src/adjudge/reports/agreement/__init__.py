"""How far a judge agrees with people, for a terminal, as Markdown and as a page with pictures."""
