"""Shows a leaderboard as a report for people, and as data for programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from ...models.figures import Figure
from ...rendering.document import Document, Grid, Section, cautious, non_empty
from ...rendering.wording import interval, listed, many, percent, rounded, signed
from ..base import Ranking
from .leaderboard import Leaderboard, leaderboard_of


def leaderboard_document(board: Leaderboard, name: str) -> Document:
    """Build the report: ranks, the number of comparisons, and how to read them."""
    counted = f"{many(board.games, 'decided comparison')} of {many(len(board.standings), 'system')}"
    lead = (f"{counted} on {many(board.tasks, 'task')}.",)
    return Document(f"Leaderboard of {name}", lead, leaderboard_sections(board))


def leaderboard_sections(board: Leaderboard) -> tuple[Section, ...]:
    """Build the table, the cautions, and the section on how to read it."""
    table = Section("Systems", (), [_grid(board)])
    return non_empty(table, cautious(list(_notes(board))), Section("How to read it", _explained(board)))


def leaderboard_json(board: Leaderboard, name: str) -> dict[str, Any]:
    """Return the leaderboard as data for programs."""
    return {
        "run": name,
        "comparisons": board.games,
        "tasks": board.tasks,
        "undecided": board.undecided,
        "without_verdict": board.without_verdict,
        "without_systems": board.without_systems,
        "against_itself": board.against_itself,
        "connected": board.groups == 1,
        "points_for_typical_extra_length": board.longer,
        "draws": board.draws,
        "systems": list(map(asdict, board.standings)),
        "notes": list(_notes(board)),
    }


def _grid(board: Leaderboard) -> Grid:
    controlled, rows = board.longer is not None, []
    lengths, words = (["Length-controlled", "95 % interval"], ["Words"]) if controlled else ([], [])
    head = ["#", "System", "Strength", "95 % interval", *lengths, "Won", "Tied", "Lost", "Share won", *words]
    for it in board.standings:
        place = f"{it.group + 1}.{it.rank}" if board.groups > 1 else str(it.rank)
        if controlled:
            lengths, words = [*strength_cells(it.length_controlled)], [rounded(it.mean_words, 0)]
        counts = (f"{it.wins:,}", f"{it.ties:,}", f"{it.losses:,}", percent(it.share_won))
        rows.append((place, it.system, *strength_cells(it.raw), *lengths, *counts, *words))
    return Grid(head, rows, names=2)


def strength_cells(strength: Figure | None) -> tuple[str, str]:
    """Return two cells: a strength in points, and its interval."""
    if strength is None:
        return "–", "–"
    return rounded(strength.value, 0), interval(strength.interval, lambda end: rounded(end, 0))


def _notes(board: Leaderboard) -> Iterator[str]:
    if board.groups > 1:
        yield (
            f"The systems fall into {board.groups} groups that never met, not even through others: strengths can be "
            "compared only within a group, and each group has its own 1,000."
        )
    for bound, far in (("never lost", "ahead"), ("never won", "behind")):
        # The strengths of these systems are finite only because of the penalty in the fit.
        if named := [standing.system for standing in board.standings if standing.note == bound]:
            unknown = f"how far {far} {'it is' if len(named) == 1 else 'they are'} cannot be told from the data"
            yield f"{listed(named)} {bound}: {unknown}; the strength shown is a cautious one."
    if board.undecided:
        of = f"{board.undecided:,} of {many(board.games + board.undecided, 'comparison')}"
        yield f"The judge did not decide {of}: they count neither as wins nor as ties."
    if board.without_verdict:
        yield f"{many(board.without_verdict, 'comparison')} without a verdict could not be counted."
    if board.without_systems:
        yield f"{many(board.without_systems, 'row')} did not name both systems."
    if board.against_itself:
        yield f"{many(board.against_itself, 'row')} compared a system with itself, which tells nothing."


def _explained(board: Leaderboard) -> list[str]:
    sentences = [
        "Strengths are Bradley–Terry strengths. 1,000 is the mean; 400 points more mean ten wins for every loss, 200 "
        "points about three, and equal points mean as many wins as losses.",
        "A tie is evidence that two systems are equally strong (Davidson’s model); in the share won it counts as half.",
        f"Intervals hold 95 % of {board.draws} draws of tasks with replacement, or more if there are few tasks.",
    ]
    if board.longer is not None:
        sentences.append(
            "Length-controlled strengths say who would win if both answers were equally long. Here a typical "
            f"difference in length alone was worth {signed(board.longer, 0)} points to the longer answer."
        )
    return sentences


RANKING = Ranking(rank=leaderboard_of, document=leaderboard_document, data=leaderboard_json)
