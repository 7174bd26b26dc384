"""What a comparison run's report says: who beats whom, the leaderboard of the systems, and how they met."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import astuple, replace

from ...errors import InputError
from ...models.figures import SIGNIFICANT
from ...rendering.document import Picture, bar, stack
from ...rendering.wording import many, p_is
from ...reports.run.pictures import RunFigures, labels, means, numbers, outcomes
from ...reports.run.report import FoundPart, Headline, ReportPart, RunReport, by_outcome
from ...results.database import Database
from ...results.summary import Summary
from ...statistics.changes import same_chance
from ..figures import UNDECIDED
from .leaderboard import Leaderboard, leaderboard_of
from .leaderboard_view import leaderboard_sections, strength_cells

_MOST_ROWS = 12
_MOSTLY = 0.5


def _board(database: Database) -> Leaderboard | None:
    with suppress(InputError):  # no systems are named, or nothing was decided
        return leaderboard_of(database)
    return None


def _finding(figures: RunFigures) -> Headline:
    """Say which side or system is better, if the difference is significant."""
    summary, board = figures.summary, figures.own
    decided = summary.verdicts - summary.undecided
    if summary.undecided >= _MOSTLY * summary.verdicts:
        won = f"A won {summary.outcomes['A']:,}, B {summary.outcomes['B']:,}"
        counted = f" Of these {won}, and {_ties(summary.outcomes['tie'])}." if decided else ""
        sentence = f"The judge decided {decided:,} of {many(summary.verdicts, 'comparison')}.{counted}"
        return Headline("Mostly undecided" if decided else "Undecided", sentence)
    if board is None:
        return _pair_finding(summary, "A", "B", *(summary.outcomes[name] for name in ("A", "tie", "B")))
    if len(board.standings) == 2:
        return _pair_finding(summary, *astuple(board.meetings[0]))
    first, second, *_ = board.standings
    shown = ["{} {} ({})".format(each.system, *strength_cells(each.raw)) for each in (first, second)]
    if board.groups > 1:
        return Headline(f"{first.system} leads its group", f"{' and '.join(shown)}; not all systems met.")
    ends = first.raw.interval, second.raw.interval
    if ends[0] and ends[1] and ends[0][0] > ends[1][1]:
        return Headline(f"{first.system} leads", f"Its interval lies above all others: {', '.join(shown)}.", "A")
    return Headline("No clear leader", f"The intervals of the strongest two overlap: {' and '.join(shown)} points.")


def _found(figures: RunFigures) -> tuple[FoundPart, ...]:
    """Return who won how often: the two systems, if all comparisons are between two, or else the two sides."""
    summary, board = figures.summary, figures.own
    if board is None or len(board.standings) != 2:
        return by_outcome(figures)
    first, second, wins, ties, losses = astuple(board.meetings[0])
    if wins + ties + losses + summary.undecided != summary.verdicts:
        return by_outcome(figures)
    parts = (
        FoundPart(f"{first} won", wins, "A", {"won_by": first}),
        FoundPart("tie", ties, "tie", {"outcome": "tie"}),
        FoundPart(f"{second} won", losses, "B", {"won_by": second}),
        FoundPart(UNDECIDED, summary.undecided, UNDECIDED, {"outcome": UNDECIDED}),
    )
    return tuple(part for part in parts if part.cases)


def _ties(count: int) -> str:
    return many(count, "was a tie", "were ties")


def _pair_finding(summary: Summary, first: str, second: str, wins: int, ties: int, losses: int) -> Headline:
    """Say who beats whom, if the difference is significant. Copies of a case count as one."""
    distinct = summary.different / summary.verdicts
    p = same_chance(round(wins * distinct), round(losses * distinct))
    of = many(wins + ties + losses, "decided comparison")
    counted = f"{first} won {wins:,} of {of}, {second} {losses:,}; {_ties(ties)} (p {p_is(p)})."
    if p >= SIGNIFICANT:
        return Headline("Too close to call", counted)
    title = f"{first} beats {second}" if wins > losses else f"{second} beats {first}"
    return Headline(title, counted, "A" if wins > losses else "B")


def _strengths(figures: RunFigures) -> Picture | None:
    if (board := figures.own) is None:
        return None
    shown = board.standings[:_MOST_ROWS]
    ends = [end for each in shown for end in each.raw.interval or ()]
    least, most = min(ends), max(ends)
    room = (most - least) * 0.06 or 1.0
    rows = []
    for at, each in enumerate(shown):
        points, bounds = strength_cells(each.raw)
        axis = (least - room, most + room)
        rows.append(bar(each.system, points, each.raw.value, each.raw.interval, "" if at else "A", bounds, axis))
    lead = "Strength from who beat whom, with 95 % intervals; 1,000 is the mean, 400 points more are ten wins to one."
    if len(board.standings) > len(shown):
        lead += f" The first {len(shown)} of {len(board.standings)}."
    return Picture("points", "Strength", lead, rows)


def _meetings(figures: RunFigures) -> Picture | None:
    if (board := figures.own) is None:
        return None
    rows = []
    for met in board.meetings[:_MOST_ROWS]:
        text = f"{met.wins:,} won, {met.ties:,} tied, {met.losses:,} lost"
        counts = (("A", met.wins), ("tie", met.ties), ("B", met.losses))
        parts = ((tone, count, f"{count:,}") for tone, count in counts)
        rows.append(stack(f"{met.first} against {met.second}", text, parts))
    lead = "Decided comparisons of each pair, from the side of the one named first."
    if len(board.meetings) > len(rows):
        lead += f" The {len(rows)} pairs that met most often of {len(board.meetings)}."
    return Picture("stacks", "Head to head", lead, rows, (("A", "won"), ("tie", "tied"), ("B", "lost")))


def _sides(figures: RunFigures) -> Picture:
    """Draw how often A and B won. Where systems are named, say that A and B are none."""
    drawn = outcomes(figures)
    if figures.own is None:
        return drawn
    lead = f"{drawn.lead} A and B are columns of the input, not systems."
    return replace(drawn, title="Wins of A and of B", lead=lead)


RUN_REPORT = RunReport(
    own=_board,
    finding=_finding,
    found=_found,
    pictures=(_strengths, _meetings, _sides, numbers, labels, means),
    parts=lambda it: (ReportPart("board", "Leaderboard", leaderboard_sections(it.own)),) if it.own else (),
    systems=lambda it: (
        {each.system: (each.wins, each.ties, each.losses) for each in it.own.standings} if it.own else {}
    ),
)
