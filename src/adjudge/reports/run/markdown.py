"""A run as Markdown: the finding, the numbers, and the first cases as a table."""

from __future__ import annotations

from itertools import islice
from typing import BinaryIO

from ...results.database import Database
from ...results.leaderboard import has_games, leaderboard_of
from ...results.summary import Summary, summary_of
from .document import Document, Grid, as_markdown, grid_markdown, markdown_row
from .leaderboard import leaderboard_sections
from .summary import cautions, finding, summary_sections
from .view import condition
from .wording import headline, shown

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
    run, summary = database.run, summary_of(database)
    board = leaderboard_of(database) if has_games(database) else None
    found = finding(run, summary, board)
    notes = cautions(summary, chosen=database.where is not None, condition=condition(database))
    lead = (f"{found.title}. {found.sentence}", f"{headline(summary)}.", *(note.text for note in notes))
    sections = (*(leaderboard_sections(board) if board else ()), *summary_sections(run, summary))
    file.write(as_markdown(Document(f"Run {run.name}", lead, sections)).encode("utf-8", "replace"))
    columns = [name for name in _COLUMNS[run.protocol].split() if _said(name, summary)]
    columns.sort(key=lambda name: name not in _WORDS)
    words = sum(name in _WORDS for name in columns)
    cut = ""
    if summary.finished > MOST_ROWS:
        cut = f"The first {MOST_ROWS:,} of {summary.finished:,}. --where chooses others; CSV and Parquet have all.\n\n"
    file.write(f"\n## Cases\n\n{cut}{grid_markdown(Grid(tuple(columns), (), words))}\n".encode())
    for row in islice(database.rows(), MOST_ROWS):
        file.write((markdown_row([shown(row[name]) for name in columns]) + "\n").encode("utf-8", "replace"))


def _said(name: str, summary: Summary) -> bool:
    """Whether a column has anything to say in this run."""
    silent = {
        "reason": not summary.reasons,
        "label": not summary.labelled,
        "system_a": not summary.named_systems,
        "system_b": not summary.named_systems,
        "invalid": not summary.outcomes["invalid"],
        "confidence": not summary.confident,
        "decided": not summary.undecided,
    }
    return not silent.get(name)
