"""Builds the pictures of a run's report: who won, by how much, what people say, scores, all cases at a glance, cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

from ...models.figures import Figure
from ...rendering.document import Picture, PictureRow, bar, stack
from ...rendering.wording import dollars, duration, interval, many, percent, rounded, signed
from ...results.columns import criteria
from ...results.leaderboard import Leaderboard
from ...results.run import Run
from ...results.summary import ACTIONS, Band, Summary
from .leaderboard import strength_cells

_MOST_ROWS = 12
_FARTHEST = 4  # a cell of the grid is darkest from this difference of points on
OUTCOMES = {
    "compare": {"A": "A wins", "B": "B wins", "tie": "Tie", "undecided": "Undecided"},
    "review": {"A": "Response 1", "B": "Response 2", "tie": "Neither", "invalid": "Cannot be rated"},
}
_OUTCOMES_ARE = {
    "compare": ("Who won", "verdict", ""),
    "dialogue": ("Overall experience", "dialogue", " at each step"),
    "review": ("Which response is preferred", "verdict", ""),
}
_NAME = 40  # at most this many characters of a case's id are shown


def pictures(
    run: Run, summary: Summary, board: Leaderboard | None, grid: tuple[Sequence[str], Sequence[Band]]
) -> list[Picture]:
    """Build the pictures that have something to show."""
    if not summary.verdicts:
        return []
    if run.protocol.name == "dialogue":
        found = [_outcomes(run, summary), _means(run, summary), _labels(summary)]
    elif run.protocol.name == "review":
        found = [_corrections(run, summary), _numbers(run, summary), _outcomes(run, summary), _labels(summary)]
    else:
        strengths = [_strengths(board), _meetings(board)] if board else []
        found = [*strengths, _outcomes(run, summary, places=board is not None), _numbers(run, summary)]
        found += [_labels(summary), _means(run, summary)]
    found += [_grid(run, *grid), _spent(run, summary)]
    shown = [each for each in found if each.rows]
    # Small pictures are placed two in a row. If their number is odd, the last one takes the whole row.
    small = [each for each in shown if not each.wide]
    return [replace(each, wide=True) if len(small) % 2 and each is small[-1] else each for each in shown]


def _outcomes(run: Run, summary: Summary, *, places: bool = False) -> Picture:
    """Draw every outcome as its share of the verdicts, for dialogues from the best score down."""
    names = OUTCOMES.get(run.protocol.name) or {
        step: step for step in sorted(summary.outcomes, key=float, reverse=True)
    }
    rows = []
    for key, said in names.items():
        if (count := summary.outcomes[key]) or key in ("A", "B", "tie"):
            share = summary.share(count, summary.verdicts)
            rows.append(_share_bar(said, share, f"· {count:,}", key if key in "AB" else ""))
    title, what, where = _OUTCOMES_ARE[run.protocol.name]
    lead = f"Share of {many(summary.verdicts, what)}{where}, with 95 % intervals."
    if places:
        title, lead = "Wins of A and of B", f"{lead} A and B are columns of the input, not systems."
    return Picture("bars", title, lead, rows)


def _share_bar(label: str, share: Figure, behind: str, tone: str = "") -> PictureRow:
    note = interval(share.interval, percent)
    return bar(label, f"{percent(share.value)} {behind}", share.value, share.interval, tone, note)


def _strengths(board: Leaderboard) -> Picture:
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


def _meetings(board: Leaderboard) -> Picture:
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


def _numbers(run: Run, summary: Summary) -> Picture:
    """Draw a histogram of margins, or of preferences for reviews."""
    if run.protocol.name == "compare":
        title, what = "Margins", "case"
        lead = "A’s total minus B’s on the rubric’s scale: left of the middle B is ahead, right of it A."
        steps = [(at, "" if at % 2 else signed(at, 0), signed(at, 1), at) for at in (half / 2 for half in range(-8, 9))]
    else:
        title, what = "Preference", "review"
        lead = "Final preferences: 1 means response 1 is much better, 4 no preference, 7 response 2 is much better."
        steps = [(at, str(at), str(at), 4.0 - at) for at in range(1, 8)]
    top, rows = max(summary.numbers.values(), default=1), []
    for at, label, said, ahead in steps:
        count, end = summary.numbers.get(at, 0), " or more" if abs(ahead) == 4 else ""
        tone = "A" if ahead > 0 else "B" if ahead < 0 else ""
        rows.append(PictureRow(label, f"{said}{end}: {many(count, what)}", count / top, tone=tone))
    return Picture("steps", title, lead, rows)


def _labels(summary: Summary) -> Picture:
    """Draw how often the verdict agrees with people, and how many labelled cases were not decided."""
    labelled, undecided, told, rows = many(summary.labelled, "labelled case"), summary.labelled_undecided, [], []
    if undecided:
        told.append(f"Of {labelled} {undecided:,} were not decided.")
    if (found := summary.agreement) is not None:
        which, of = (f"Of the other {found.cases:,} the", "") if undecided else ("The", f" of {labelled}")
        said = f"{which} verdict says what the label says in {summary.agreeing:,}{of}"
        told.append(f"{said}: {percent(found.value)} (95 % interval {interval(found.interval, percent)}).")
        rows.append(_share_bar("Decided as labelled", found, f"of {found.cases:,}", "A"))
    if undecided:
        share = summary.share(undecided, summary.labelled)
        rows.append(_share_bar("Labelled, undecided", share, f"of {summary.labelled:,}"))
    return Picture("bars", "Agreement with people", " ".join(told), rows)


def _means(run: Run, summary: Summary) -> Picture:
    """Draw the mean of every criterion, for both answers or for the dialogues."""
    compare = run.protocol.name == "compare"
    if compare:
        stems = {"normalized": "Total", **criteria(run)}
        wanted = [(f"{stem}_{it.lower()}", f"{said}: {it}", it) for stem, said in stems.items() for it in "AB"]
    else:
        wanted = [("average", "Weighted average", "A"), *((key, name, "") for key, name in criteria(run).items())]
    axis = float(run.rubric.scale.low), float(run.rubric.scale.high)
    rows = []
    for column, label, tone in wanted:
        if (mean := summary.means.get(column)) is not None:
            low, high = mean.interval or (0.0, 0.0)
            note = f"{rounded(low, 1)} to {rounded(high, 1)}" if low < high else ""
            rows.append(bar(label, rounded(mean.value, 1), mean.value, mean.interval, tone, note, axis))
    whose = "both answers" if compare else "the final scores"
    lead = f"Means of {whose} from {rounded(axis[0], 0)} to {rounded(axis[1], 0)}, with 95 % intervals."
    legend = (("A", "A"), ("B", "B")) if compare else ()
    return Picture("bars", "Scores by criterion", lead, rows, legend, wide=compare)


def _corrections(run: Run, summary: Summary) -> Picture:
    names = criteria(run) | {"likert": "Preference"}
    tones = dict(zip(ACTIONS, ("A", "B", "tie", "bad"), strict=True))
    rows = []
    for key, counted in summary.corrections.items():
        if counted.total():
            said = ", ".join(f"{counted[action]:,} {action}" for action in ACTIONS if counted[action])
            parts = ((tones[it], counted[it], f"{counted[it]:,}") for it in ACTIONS)
            rows.append(stack(names.get(key, key), said, parts))
    lead = "What was done with the ratings of both responses, by dimension."
    legend = tuple((tone, action) for action, tone in tones.items())
    return Picture("stacks", "Corrections by dimension", lead, rows, legend)


# The grid of each protocol: the unit after a number, the legend, and the order of the cases.
_GRIDS: Mapping[str, tuple[str, tuple[tuple[str, str], ...], str]] = {
    "compare": ("", (("A", "A ahead"), ("B", "B ahead")), "A is farthest ahead on the left, B on the right"),
    "dialogue": ("", (("A", "high"), ("B", "low")), "the best on the left"),
    "review": (" corrected", (("B", "corrected"),), "the most corrected on the left"),
}


def _grid(run: Run, names: Iterable[str], bands: Sequence[Band]) -> Picture:
    """Draw every case and criterion in one grid. If there are many cases, a column is a band of several."""
    unit, legend, order = _GRIDS[run.protocol.name]
    show = signed if run.protocol.name == "compare" else rounded
    rows = []
    for at, name in enumerate(names):
        told = [(value, band.cases) for band in bands if (value := band.means[at]) is not None]
        if not told:
            continue
        mean = sum(value * cases for value, cases in told) / sum(cases for _, cases in told)
        cells = tuple(
            ("", 0.0, "") if value is None else (*_cell(run, value), f"{_cases(band)}: {show(value)}{unit}")
            for band in bands
            for value in [band.means[at]]
        )
        rows.append(PictureRow(name, f"{show(mean)} on average", parts=cells))
    single = all(band.cases == 1 for band in bands)
    each = "Each column is a case" if single else f"Each column is about {many(bands[0].cases, 'case')}"
    cases = tuple(band.position for band in bands) if single else ()
    return Picture("grid", "Cases by criterion", f"{each}; {order}.", rows, legend, True, cases)


def _cases(band: Band) -> str:
    name = band.case if len(band.case) <= _NAME else f"{band.case[:_NAME]}…"
    return name if band.cases == 1 else f"{name} and {many(band.cases - 1, 'other')}"


def _cell(run: Run, value: float) -> tuple[str, float]:
    """Return the tone of a grid cell, and its intensity from 0 to 1."""
    if run.protocol.name == "review":
        return "B" if value else "", min(value / 2, 1.0)
    if run.protocol.name == "compare":
        return "A" if value > 0 else "B" if value < 0 else "", min(abs(value) / _FARTHEST, 1.0)
    low, high = float(run.rubric.scale.low), float(run.rubric.scale.high)
    share = 2 * (value - low) / (high - low) - 1
    return "A" if share >= 0 else "B", min(abs(share), 1.0)


def _spent(run: Run, summary: Summary) -> Picture:
    """Show what the run cost, and how long it took."""
    told = [("Cost", "none", "no model was called")]
    if summary.calls:
        unknown = f"not counting {many(summary.unknown_cost, 'case')} of unknown price" if summary.unknown_cost else ""
        each = f"{dollars(Decimal(f'{summary.cost / summary.finished:.2g}'))} a case"
        told = [
            ("Cost", dollars(summary.cost), unknown or each),
            ("Calls", f"{summary.calls:,}", f"{rounded(summary.calls / summary.finished, 1)} a case"),
            ("Tokens", f"{summary.tokens:,}", f"{summary.tokens // summary.finished:,} a case"),
        ]
    if (seconds := run.seconds) is not None:
        rate = f"{rounded(summary.finished / seconds, 1)} cases a second" if seconds else "less than a second"
        told.append(("From start to end", duration(seconds), rate))
    rows = [PictureRow(label, text, note=note) for label, text, note in told]
    lead = "What it took to judge these cases, including replies reused from earlier runs."
    return Picture("amounts", "Cost and time", lead, rows, wide=True)
