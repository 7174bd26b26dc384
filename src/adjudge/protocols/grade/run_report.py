"""What a run of gradings says in its report: the pass rate, what each item earned, and the systems' pass rates."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from ...arithmetic import plain
from ...errors import InputError
from ...rendering.document import Picture, PictureRow, bar
from ...rendering.wording import interval, many, percent, rounded, rounded_percent
from ...reports.run.pictures import RunFigures, labels, numbers, outcomes
from ...reports.run.report import Headline, ReportPart, RunReport, within
from ...results.database import Database
from .leaderboard import PassRates, leaderboard_of
from .leaderboard_view import leaderboard_sections, rate_cells
from .rubric import items_of, pass_at
from .verdict import FAIL, PASS

_MOST_ROWS = 12
_MOSTLY = 0.5


def _board(database: Database) -> PassRates | None:
    with suppress(InputError):  # no systems are named, or nothing was decided
        return leaderboard_of(database)
    return None


def _finding(figures: RunFigures) -> Headline:
    """Say how many passed, of how many that were decided."""
    summary = figures.summary
    passed, failed, undecided = summary.outcomes[PASS], summary.outcomes[FAIL], summary.undecided
    decided = passed + failed
    rest = (
        f" {many(undecided, 'answer is', 'answers are')} undecided, because items were not assessed."
        if undecided
        else ""
    )
    if not decided:
        return Headline("Undecided", f"Nobody assessed what it takes to decide any of {many(undecided, 'answer')}.")
    rate = summary.decided_shares.get(PASS) or summary.share(passed, decided)
    sentence = f"{passed:,} of {many(decided, 'decided answer')} passed ({interval(rate.interval, percent)})."
    if (mean := summary.means.get("score")) is not None:
        whose = ", undecided answers included," if undecided else ""
        needed = f"{plain(100 * pass_at(figures.run.rubric))} is needed"
        sentence += f" The mean score{whose} is {rounded(mean.value, 1)}{within(mean)}; {needed}."
    title = f"{rounded_percent(passed / decided)} passed"
    if undecided >= _MOSTLY * summary.verdicts:
        title = "Mostly undecided"
    return Headline(title, f"{sentence}{rest}", "" if undecided >= _MOSTLY * summary.verdicts else "A")


def _scores(figures: RunFigures) -> Picture | None:
    """Draw the histogram of scores, in the tones of those that reach the pass mark and those that do not."""
    drawn, number = numbers(figures), figures.table.number
    if drawn is None or number is None or number.scale is None:
        return None
    mark, (low, _), reach = float(100 * pass_at(figures.run.rubric)), number.scale, number.step / 2
    rows = []
    for at, row in enumerate(drawn.rows):
        middle = low + at * number.step
        # A step with scores on both sides of the pass mark has no tone.
        rows.append(replace(row, tone="A" if middle - reach >= mark else "B" if middle + reach <= mark else ""))
    needed = f"{plain(100 * pass_at(figures.run.rubric))} is needed to pass"
    lead = f"Scores from 0 to 100, rounded to {number.step:g}; {needed}."
    return replace(drawn, lead=lead, rows=rows, legend=(("A", "above the pass mark"), ("B", "below it")))


def _items(figures: RunFigures) -> Picture:
    """Draw what each item earned on average, as a share of its points; of a fault, how often it was found."""
    items, rows = items_of(figures.run.rubric), []
    keys = {item.key for item in items}
    for item in items:
        # A key that is also the name of another column has a longer one, which may be the key of another item.
        stems = [stem for stem in (f"criterion_{item.key}", item.key) if stem == item.key or stem not in keys]
        column = next((stem for stem in stems if stem in figures.summary.means), None)
        if column is None:
            rows.append(PictureRow(item.name, "not assessed"))
            continue
        mean = figures.summary.means[column]
        low, high = float(item.scale.low), float(item.scale.high)
        shares = [(end - low) / (high - low) for end in (mean.value or 0.0, *(mean.interval or ()))]
        ends = (max(shares[1], 0.0), min(shares[2], 1.0)) if mean.interval else None
        shown = f"found in {percent(shares[0])}" if item.is_fault else percent(shares[0])
        of = many(mean.cases, "answer")
        rows.append(bar(item.name, shown, shares[0], ends, "B" if item.is_fault else "A", of))
    lead = "Mean share of the points that an item earned where it was assessed, with 95 % intervals."
    if any(item.is_fault for item in items):
        lead += " Of a fault: how often it was found."
    return Picture("bars", "Points by item", lead, rows, wide=True)


def _rates(figures: RunFigures) -> Picture | None:
    if (board := figures.own) is None or len(board.standings) < 2:
        return None
    rows = []
    for at, each in enumerate(board.standings[:_MOST_ROWS]):
        rate, ends = rate_cells(each.pass_rate)
        rows.append(bar(each.system, rate, each.pass_rate.value, each.pass_rate.interval, "" if at else "A", ends))
    lead = "Share of each system’s decided answers that passed, with 95 % intervals."
    if len(board.standings) > len(rows):
        lead += f" The first {len(rows)} of {len(board.standings)}."
    return Picture("points", "Pass rates", lead, rows)


def _parts(figures: RunFigures) -> tuple[ReportPart, ...]:
    board: PassRates | None = figures.own
    if board is None or len(board.standings) < 2:
        return ()
    return (ReportPart("board", "Leaderboard", leaderboard_sections(board)),)


RUN_REPORT = RunReport(
    own=_board,
    finding=_finding,
    pictures=(_rates, outcomes, _scores, labels, _items),
    parts=_parts,
    systems=lambda it: {each.system: (each.passed, 0, each.failed) for each in (it.own.standings if it.own else ())},
)
