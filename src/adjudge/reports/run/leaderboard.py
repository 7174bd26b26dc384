"""A leaderboard as a report for people, and as data for programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from itertools import groupby
from typing import Any

from ...results.leaderboard import Leaderboard, Strength
from ..document import Document, Grid, Section, cautious, telling
from ..wording import interval, listed, many, percent, rounded, signed


def leaderboard_document(board: Leaderboard, name: str) -> Document:
    """Ranks, what they rest on, and how to read them."""
    counted = f"{many(board.games, 'decided comparison')} of {many(len(board.standings), 'system')}"
    lead = (f"{counted} on {many(board.tasks, 'task')}.",)
    return Document(f"Leaderboard of {name}", lead, leaderboard_sections(board))


def leaderboard_sections(board: Leaderboard) -> tuple[Section, ...]:
    """The table, what a reader must know before trusting it, and how it was made."""
    table = Section("Systems", (), [_grid(board)])
    return telling(table, cautious(list(_notes(board))), Section("How to read it", _explained(board)))


def leaderboard_json(board: Leaderboard, name: str) -> dict[str, Any]:
    """The same for programs."""
    ranks = _ranks(board)
    return {
        "run": name,
        "comparisons": board.games,
        "tasks": board.tasks,
        "undecided": board.undecided,
        "without_verdict": board.without_verdict,
        "without_systems": board.without_systems,
        "against_itself": board.against_itself,
        "connected": board.groups == 1,
        "points_for_typical_extra_length": _rounded(board.longer),
        "draws": board.draws,
        "systems": [
            {
                "rank": rank,
                "system": standing.system,
                "group": standing.group,
                "raw": _strength(standing.raw),
                "length_controlled": _strength(standing.length_controlled),
                "wins": standing.wins,
                "ties": standing.ties,
                "losses": standing.losses,
                "share_won": round(standing.share, 6),
                "mean_words": _rounded(standing.words),
                "note": standing.bound or None,
            }
            for rank, standing in zip(ranks, board.standings, strict=True)
        ],
        "notes": list(_notes(board)),
    }


def _ranks(board: Leaderboard) -> list[int]:
    """Ranks from 1, anew in each group of systems that met."""
    groups = groupby(board.standings, key=lambda standing: standing.group)
    return [rank for _, met in groups for rank, _ in enumerate(met, start=1)]


def _grid(board: Leaderboard) -> Grid:
    controlled, rows = board.longer is not None, []
    lengths, words = (["Length-controlled", "95 % interval"], ["Words"]) if controlled else ([], [])
    head = ["#", "System", "Strength", "95 % interval", *lengths, "Won", "Tied", "Lost", "Share won", *words]
    for rank, it in zip(_ranks(board), board.standings, strict=True):
        place = f"{it.group + 1}.{rank}" if board.groups > 1 else str(rank)
        if controlled:
            lengths, words = [*strength_cells(it.length_controlled)], [rounded(it.words, 0)]
        counts = (f"{it.wins:,}", f"{it.ties:,}", f"{it.losses:,}", percent(it.share))
        rows.append((place, it.system, *strength_cells(it.raw), *lengths, *counts, *words))
    return Grid(head, rows, names=2)


def strength_cells(strength: Strength | None) -> tuple[str, str]:
    """A strength in points, and its interval."""
    if strength is None:
        return "–", "–"
    return rounded(strength.points, 0), interval((strength.low, strength.high), lambda end: rounded(end, 0))


def _notes(board: Leaderboard) -> Iterator[str]:
    if board.groups > 1:
        yield (
            f"The systems fall into {board.groups} groups that never met, not even through others: strengths compare "
            "within a group only, and each group has its own 1,000."
        )
    for bound, far in (("never lost", "ahead"), ("never won", "behind")):
        # Only the penalty keeps their strengths finite.
        if named := [standing.system for standing in board.standings if standing.bound == bound]:
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
    said = [
        "Strengths are Bradley–Terry strengths. 1,000 is the mean; 400 points more mean ten wins for every loss, 200 "
        "points about three, none as many wins as losses.",
        "A tie is evidence that two systems are equally strong (Davidson’s model); in the share won it counts as half.",
        f"Intervals hold 95 % of {board.draws} draws of tasks with replacement.",
    ]
    if board.longer is not None:
        said.append(
            "Length-controlled strengths say who would win if both had written as much. Here an answer longer by a "
            f"typical difference was worth {signed(board.longer, 0)} points by its length alone."
        )
    return said


def _strength(strength: Strength | None) -> dict[str, float] | None:
    if strength is None:
        return None
    return {name: round(points, 2) for name, points in asdict(strength).items()}


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)
