"""A run as Markdown: the finding, the numbers, and the first cases as a table."""

from __future__ import annotations

from itertools import islice
from typing import BinaryIO

from ...results.database import Database
from ..document import Document, Grid, as_markdown, grid_markdown, markdown_row
from ..wording import shown
from .summary import summary_sections
from .view import telling, view_run

# More rows than anybody reads; a page that viewers of Markdown still open.
MOST_ROWS = 10_000
_COLUMNS = {
    "compare": "case winner decided confidence difference label system_a system_b reason",
    "dialogue": "case overall_experience average objections changed label reason",
    "review": "case winner likert kept replaced filled refused label invalid reason",
}
_WORDS = ("case", "winner", "decided", "system_a", "system_b", "label", "reason", "invalid")


def write_markdown(database: Database, file: BinaryIO) -> None:
    """The report; every word that others wrote is escaped."""
    run = database.run
    view, summary, _ = view_run(database)
    found = f"{view.finding.title}. {view.finding.sentence}"
    lead = (found, f"{view.counted}.", *(caution.text for caution in view.cautions))
    document = Document(f"Run {run.name}", lead, (*view.board, *summary_sections(run, summary)))
    file.write(as_markdown(document).encode("utf-8", "replace"))
    columns = sorted(telling(_COLUMNS[run.protocol].split(), summary), key=lambda name: name not in _WORDS)
    words = sum(name in _WORDS for name in columns)
    cut = ""
    if summary.finished > MOST_ROWS:
        cut = f"The first {MOST_ROWS:,} of {summary.finished:,}. --where chooses others; CSV and Parquet have all.\n\n"
    file.write(f"\n## Cases\n\n{cut}{grid_markdown(Grid(tuple(columns), (), words))}\n".encode())
    for row in islice(database.rows(), MOST_ROWS):
        file.write((markdown_row([shown(row[name]) for name in columns]) + "\n").encode("utf-8", "replace"))
