"""The pictures of a run's report: who won, by how much, what people say, scores, all cases at a glance, cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import partial

from ...results.leaderboard import Leaderboard
from ...results.run import Run
from ...results.summary import ACTIONS, Band, Mean, Share, Summary
from ..pictures import Amount, Bar, Picture, Stack, Step, Strip
from ..wording import dollars, duration, interval, many, percent, rounded, signed
from .leaderboard import strength_cells
from .summary import OUTCOMES_ARE, SIDES, agreement_sentence, criteria, outcome_shares

_MOST_ROWS = 12
_FARTHEST = 4  # points between two answers from which on a cell of the grid is as dark as it gets
_NAME = 40  # letters of a case's id


def pictures(
    run: Run, summary: Summary, board: Leaderboard | None, grid: tuple[Sequence[str], Sequence[Band]]
) -> list[Picture]:
    """Those that have something to show."""
    if not summary.verdicts:
        return []
    if run.protocol == "dialogue":
        found = [_outcomes(run, summary), _dialogue_means(run, summary), _labels(summary)]
    elif run.protocol == "review":
        found = [_corrections(run, summary), _preference(summary), _outcomes(run, summary)]
        found += [_labels(summary), _by_label(run, summary)]
    else:
        strengths = [_strengths(board), _meetings(board)] if board else []
        found = [*strengths, _outcomes(run, summary, places=board is not None), _margins(summary)]
        found += [_labels(summary), _by_label(run, summary), _compare_means(run, summary)]
    found += [_grid(run, *grid), _spent(run, summary)]
    shown = [each for each in found if each is not None and each.rows]
    # Two stand side by side: of an odd number, the last is as wide as two.
    small = [each for each in shown if not each.wide]
    return [replace(each, wide=True) if len(small) % 2 and each is small[-1] else each for each in shown]


def _outcomes(run: Run, summary: Summary, *, places: bool = False) -> Picture:
    rows = [
        _share_bar(said, share, f"· {share.count:,}", key if key in "AB" else "")
        for key, said, share in outcome_shares(run, summary)
    ]
    title = OUTCOMES_ARE[run.protocol]
    lead = f"Share of {many(summary.verdicts, 'verdict')}, with 95 % intervals."
    if run.protocol == "dialogue":
        lead = f"Share of {many(summary.verdicts, 'dialogue')} at each step, with 95 % intervals."
    if places:
        title, lead = "Wins of A and of B", f"{lead} A and B are columns of the input, not systems."
    return Picture("bars", title, lead, rows)


def _share_bar(label: str, share: Share, behind: str, tone: str = "") -> Bar:
    note = interval(share.interval, percent)
    return Bar(label, f"{percent(share.share)} {behind}", share.share, *share.interval, tone, note)


def _strengths(board: Leaderboard) -> Picture | None:
    if len(board.standings) < 2:
        return None
    shown = board.standings[:_MOST_ROWS]
    along = _axis([end for each in shown for end in (each.raw.low, each.raw.high)])
    rows = []
    for at, each in enumerate(shown):
        points, bounds = strength_cells(each.raw)
        ends = along(each.raw.points), along(each.raw.low), along(each.raw.high)
        rows.append(Bar(each.system, points, *ends, "A" if at == 0 else "", bounds))
    lead = "Strength from who beat whom, with 95 % intervals; 1,000 is the mean, 400 points more are ten wins to one."
    if len(board.standings) > len(shown):
        lead += f" The first {len(shown)} of {len(board.standings)}."
    return Picture("points", "Strength", lead, rows)


def _meetings(board: Leaderboard) -> Picture | None:
    rows = []
    for met in board.meetings[:_MOST_ROWS]:
        of = met.wins + met.ties + met.losses
        counts = (("A", met.wins), ("tie", met.ties), ("B", met.losses))
        parts = tuple((tone, count / of, f"{count:,}") for tone, count in counts if count)
        rows.append(
            Stack(
                f"{met.first} against {met.second}", f"{met.wins:,} won, {met.ties:,} tied, {met.losses:,} lost", parts
            )
        )
    lead = "Decided comparisons of each pair, from the side of the one named first."
    if len(board.meetings) > len(rows):
        lead += f" The {len(rows)} pairs that met most often of {len(board.meetings)}."
    return Picture("stacks", "Head to head", lead, rows, (("A", "won"), ("tie", "tied"), ("B", "lost")))


def _margins(summary: Summary) -> Picture:
    middles = [step / 2 for step in range(-8, 9)]
    top = max(summary.numbers.values(), default=1)
    rows = []
    for middle in middles:
        count = summary.numbers.get(middle, 0)
        text = f"{signed(middle, 1)}{' or more' if abs(middle) == middles[-1] else ''}: {many(count, 'case')}"
        tone = "A" if middle > 0 else "B" if middle < 0 else ""
        rows.append(Step(signed(middle, 0) if middle % 2 == 0 else "", text, count / top, tone))
    lead = "A’s total less B’s on the rubric’s scale: left of the middle B is ahead, right of it A."
    return Picture("steps", "Margins", lead, rows)


def _labels(summary: Summary) -> Picture | None:
    if not summary.labelled:
        return None
    rows = []
    if (found := summary.agreement) is not None:
        rows.append(_share_bar("Decided as labelled", found, f"of {found.of:,}", "A"))
    if summary.labelled_undecided:
        share = summary.share(summary.labelled_undecided, summary.labelled)
        rows.append(_share_bar("Labelled, undecided", share, f"of {summary.labelled:,}"))
    return Picture("bars", "Agreement with people", agreement_sentence(summary), rows)


def _by_label(run: Run, summary: Summary) -> Picture | None:
    """What the verdicts say of the cases that people gave the same label."""
    names = {"A": SIDES[run.protocol][0], "B": SIDES[run.protocol][1], "tie": "tie", "undecided": "undecided"}
    rows = []
    for label in ("A", "B", "tie"):
        counts = {said: summary.confusion[label, said] for said in names if summary.confusion[label, said]}
        if of := sum(counts.values()):
            parts = tuple((said, count / of, f"{names[said]} {count:,}") for said, count in counts.items())
            rows.append(Stack(f"Labelled {names[label]}", ", ".join(said for *_, said in parts), parts))
    legend = tuple(
        (said, name) for said, name in names.items() if any(part[0] == said for row in rows for part in row.parts)
    )
    return Picture("stacks", "Verdicts by label", "What the judge says of cases that people labelled.", rows, legend)


def _compare_means(run: Run, summary: Summary) -> Picture:
    low, high = float(run.rubric.scale.low), float(run.rubric.scale.high)
    rows = []
    for stem, said in {"normalized": "Total", **criteria(run)}.items():
        for side, label in zip("ab", SIDES["compare"], strict=True):
            if (mean := summary.means.get(f"{stem}_{side}")) is not None:
                rows.append(_mean_bar(f"{said}: {label}", mean, low, high, label))
    lead = f"Means of both answers from {rounded(low, 0)} to {rounded(high, 0)}, with 95 % intervals."
    return Picture("bars", "Scores by criterion", lead, rows, (("A", "A"), ("B", "B")), wide=True)


def _dialogue_means(run: Run, summary: Summary) -> Picture:
    low, high = float(run.rubric.scale.low), float(run.rubric.scale.high)
    names = {"average": "Weighted average", **criteria(run)}
    rows = [
        _mean_bar(said, summary.means[name], low, high, "A" if name == "average" else "")
        for name, said in names.items()
        if name in summary.means
    ]
    lead = f"Means of the final scores from {rounded(low, 0)} to {rounded(high, 0)}, with 95 % intervals."
    return Picture("bars", "Scores by criterion", lead, rows)


def _mean_bar(label: str, mean: Mean, low: float, high: float, tone: str) -> Bar:
    def along(value: float) -> float:
        return min(max((value - low) / (high - low), 0.0), 1.0)

    ends = mean.interval or (mean.mean, mean.mean)
    note = f"{rounded(ends[0], 1)} to {rounded(ends[1], 1)}" if ends[0] < ends[1] else ""
    return Bar(label, rounded(mean.mean, 1), along(mean.mean), along(ends[0]), along(ends[1]), tone, note)


def _preference(summary: Summary) -> Picture:
    top = max(summary.numbers.values(), default=1)
    rows = [
        Step(
            str(value), f"{value}: {many(count, 'review')}", count / top, "A" if value < 4 else "B" if value > 4 else ""
        )
        for value in range(1, 8)
        for count in [summary.numbers.get(float(value), 0)]
    ]
    lead = "Final preferences: 1 response 1 is much better, 4 none, 7 response 2 is much better."
    return Picture("steps", "Preference", lead, rows)


def _corrections(run: Run, summary: Summary) -> Picture:
    names = criteria(run) | {"likert": "Preference"}
    tones = dict(zip(ACTIONS, ("A", "B", "tie", "bad"), strict=True))
    rows = []
    for key, counted in summary.corrections.items():
        if of := sum(counted.values()):
            parts = tuple((tones[it], counted[it] / of, f"{counted[it]:,}") for it in ACTIONS if counted[it])
            rows.append(Stack(names.get(key, key), _said(counted), parts))
    lead = "What became of the ratings of both responses, by dimension."
    legend = tuple((tone, action) for action, tone in tones.items())
    return Picture("stacks", "Corrections by dimension", lead, rows, legend)


def _grid(run: Run, names: Sequence[str], bands: Sequence[Band]) -> Picture | None:
    """Every case and criterion at a glance; many cases stand together in bands."""
    cells_of: dict[str, Callable[[float], tuple[str, float]]] = {
        "compare": _ahead,
        "dialogue": partial(_scored, run),
        "review": _corrected,
    }
    cell = cells_of[run.protocol]
    said = {
        "compare": ("", (("A", "A ahead"), ("B", "B ahead"))),
        "dialogue": ("", (("A", "high"), ("B", "low"))),
        "review": (" corrected", (("B", "corrected"),)),
    }
    unit, legend = said[run.protocol]
    rows = []
    for at, name in enumerate(names):
        told = [(band, value) for band in bands if (value := band.means[at]) is not None]
        if not told:
            continue
        mean = sum(value * band.cases for band, value in told) / sum(band.cases for band, _ in told)
        show = signed if run.protocol == "compare" else rounded
        cells = tuple(
            ("", 0.0, "") if value is None else (*cell(value), f"{_cases(band)}: {show(value)}{unit}")
            for band in bands
            for value in [band.means[at]]
        )
        rows.append(Strip(name, f"{show(mean)} on average", cells))
    single = all(band.cases == 1 for band in bands)
    each = "Each column is a case" if single else f"Each column is about {many(bands[0].cases, 'case')}"
    order = {
        "compare": "A is farthest ahead on the left, B on the right",
        "dialogue": "the best on the left",
        "review": "the most corrected on the left",
    }
    cases = tuple(band.position for band in bands) if single else ()
    return Picture("grid", "Cases by criterion", f"{each}; {order[run.protocol]}.", rows, legend, True, cases)


def _cases(band: Band) -> str:
    name = band.case if len(band.case) <= _NAME else f"{band.case[:_NAME]}…"
    return name if band.cases == 1 else f"{name} and {many(band.cases - 1, 'other')}"


def _ahead(value: float) -> tuple[str, float]:
    return "A" if value > 0 else "B" if value < 0 else "", min(abs(value) / _FARTHEST, 1.0)


def _scored(run: Run, value: float) -> tuple[str, float]:
    low, high = float(run.rubric.scale.low), float(run.rubric.scale.high)
    share = 2 * (value - low) / (high - low) - 1
    return "A" if share >= 0 else "B", min(abs(share), 1.0)


def _corrected(value: float) -> tuple[str, float]:
    return "B" if value else "", min(value / 2, 1.0)


def _spent(run: Run, summary: Summary) -> Picture:
    """What the run cost, and how long it took."""
    rows = []
    if summary.calls:
        unknown = f"not counting {many(summary.unknown_cost, 'case')} of unknown price" if summary.unknown_cost else ""
        each = f"{dollars(Decimal(f'{summary.cost / summary.finished:.2g}'))} a case"
        rows.append(Amount("Cost", dollars(summary.cost), unknown or each))
        rows.append(Amount("Calls", f"{summary.calls:,}", f"{rounded(summary.calls / summary.finished, 1)} a case"))
        rows.append(Amount("Tokens", f"{summary.tokens:,}", f"{summary.tokens // summary.finished:,} a case"))
    else:
        rows.append(Amount("Cost", "none", "no model was called"))
    if (seconds := run.seconds) is not None:
        rate = f"{rounded(summary.finished / seconds, 1)} cases a second" if seconds else "less than a second"
        rows.append(Amount("From start to end", duration(seconds), rate))
    lead = "What the outcomes rest on, replies of earlier runs included."
    return Picture("amounts", "Cost and time", lead, rows, wide=True)


def _said(counted: Mapping[str, int]) -> str:
    return ", ".join(f"{counted[action]:,} {action}" for action in ACTIONS if counted[action])


def _axis(values: Iterable[float]) -> Callable[[float], float]:
    """Places of values between the least and the greatest, with a little room at both ends."""
    found = list(values)
    room = (max(found) - min(found)) * 0.06 or 1.0
    low, high = min(found) - room, max(found) + room
    return lambda value: (value - low) / (high - low)
