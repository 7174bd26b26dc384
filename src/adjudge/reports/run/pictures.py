"""Draws a run: its outcomes, its numbers, what people say, scores, all cases at a glance, cost. A protocol chooses the
pictures, and may add some of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from ...models.figures import Figure
from ...protocols.figures import CriterionGrid, OutcomeClass
from ...protocols.table import Table
from ...rendering.document import Picture, PictureRow, bar
from ...rendering.wording import dollars, duration, interval, many, percent, rounded, signed
from ...results.columns import criteria
from ...results.run import Run
from ...results.summary import Band, Summary
from ...rubric import Scale

_NAME = 40  # at most this many characters of a case's id are shown


@dataclass(frozen=True, slots=True)
class RunFigures:
    """What a report of a run is made of. `own` is what the protocol itself computed, see `RunReport`."""

    run: Run
    summary: Summary
    grid: tuple[Sequence[str], Sequence[Band]]
    own: Any

    @property
    def table(self) -> Table:
        return self.run.protocol.table


def arranged(drawn: Iterable[Picture | None]) -> tuple[Picture, ...]:
    """Return the pictures that have something to show. Small ones are placed two in a row; if their number is odd, the
    last one takes the whole row."""
    shown = [each for each in drawn if each is not None and each.rows]
    small = [each for each in shown if not each.wide]
    return tuple(replace(each, wide=True) if len(small) % 2 and each is small[-1] else each for each in shown)


def outcomes(figures: RunFigures) -> Picture:
    """Draw every outcome as its share of the verdicts, numbers from the best down."""
    summary, known = figures.summary, figures.table.outcome
    classes = known.classes or [OutcomeClass(key, key, "") for key in sorted(summary.outcomes, key=float, reverse=True)]
    rows = []
    for each in classes:
        if (count := summary.outcomes[each.key]) or each.always:
            share = summary.shares.get(each.key) or summary.share(count, summary.verdicts)
            rows.append(
                _share_bar(
                    each.name,
                    share,
                    f"· {count:,} of {summary.verdicts:,}",
                    each.tone if each.tone in ("A", "B") else "",
                )
            )
    lead = f"Share of {many(summary.verdicts, known.noun)}{known.where}, with 95 % intervals."
    return Picture("bars", known.title, lead, rows)


def _share_bar(label: str, share: Figure, behind: str, tone: str = "") -> PictureRow:
    note = interval(share.interval, percent)
    return bar(label, f"{percent(share.value)} {behind}", share.value, share.interval, tone, note)


def numbers(figures: RunFigures) -> Picture | None:
    """Draw a histogram of the main number, if it has a scale."""
    summary, number = figures.summary, figures.table.number
    if number is None or number.scale is None:
        return None
    low, high = number.scale
    top, rows = max(summary.numbers.values(), default=1), []
    for step in range(round((high - low) / number.step) + 1):
        at = low + step * number.step
        count, end = summary.numbers.get(at, 0), " or more" if number.open_ends and at in number.scale else ""
        label, text = (signed(at, 0), signed(at, 1)) if number.signed else (f"{at:g}", f"{at:g}")
        tone = "" if at == number.middle else number.tones[at > number.middle]
        title = f"{text}{end}: {many(count, number.noun)}"
        note = f"{count:,}" if count else ""
        rows.append(PictureRow("" if at % number.tick else label, title, count / top, tone=tone, note=note))
    return Picture("steps", number.title, number.lead, rows)


def labels(figures: RunFigures) -> Picture:
    """Draw how often the verdict agrees with people, and how many labelled cases were not decided."""
    summary = figures.summary
    labelled, undecided, sentences, rows = many(summary.labelled, "labelled case"), summary.labelled_undecided, [], []
    if undecided:
        sentences.append(f"Of {labelled} {undecided:,} {'was' if undecided == 1 else 'were'} not decided.")
    if (found := summary.agreement) is not None:
        which, of = (f"Of the other {found.cases:,} the", "") if undecided else ("The", f" of {labelled}")
        sentence = f"{which} verdict says what the label says in {summary.agreeing:,}{of}"
        sentences.append(f"{sentence}: {percent(found.value)} (95 % interval {interval(found.interval, percent)}).")
        rows.append(_share_bar("As labelled, of those decided", found, f"· {summary.agreeing:,} of {found.cases:,}"))
    if undecided:
        share = summary.share(undecided, summary.labelled)
        rows.append(_share_bar("Labelled, undecided", share, f"· {undecided:,} of {summary.labelled:,}"))
    return Picture("bars", "Agreement with people", " ".join(sentences), rows)


def means(figures: RunFigures) -> Picture | None:
    """Draw the mean of every criterion."""
    if (look := figures.table.means) is None:
        return None
    scale = figures.run.rubric.scale
    axis = float(scale.low), float(scale.high)
    columns = list(look.totals)
    for stem, name in criteria(figures.run).items():
        columns += [(f"{stem}{suffix}", f"{name}{more}", tone) for suffix, more, tone in look.columns]
    rows = []
    for column, label, tone in columns:
        if (mean := figures.summary.means.get(column)) is not None:
            low, high = (min(max(end, axis[0]), axis[1]) for end in mean.interval or (0.0, 0.0))
            note = f"{rounded(low, 1)} to {rounded(high, 1)}" if low < high else ""
            rows.append(bar(label, rounded(mean.value, 1), mean.value, mean.interval and (low, high), tone, note, axis))
    lead = f"Means of {look.whose} from {rounded(axis[0], 0)} to {rounded(axis[1], 0)}, with 95 % intervals."
    return Picture("bars", "Scores by criterion", lead, rows, look.legend, wide=look.wide)


def grid(figures: RunFigures) -> Picture | None:
    """Draw every case and criterion in one grid. If there are many cases, a column is a band of several."""
    (names, bands), look = figures.grid, figures.table.grid
    if look is None or not bands:
        return None
    show, rows = signed if look.signed else rounded, []
    for at, name in enumerate(names):
        known = [(value, band.cases) for band in bands if (value := band.means[at]) is not None]
        if not known:
            continue
        mean = sum(value * cases for value, cases in known) / sum(cases for _, cases in known)
        cells = tuple(
            ("", 0.0, "")
            if value is None
            else (*_cell(look, figures.run.rubric.scale, value), f"{_cases(band)}: {show(value)}{look.unit}")
            for band in bands
            for value in [band.means[at]]
        )
        rows.append(PictureRow(name, f"{show(mean)} on average", parts=cells))
    single = all(band.cases == 1 for band in bands)
    each = "Each column is a case" if single else f"Each column is about {many(bands[0].cases, 'case')}"
    cases = tuple(band.position for band in bands) if single else ()
    return Picture("grid", "Cases by criterion", f"{each}; {look.lead}.", rows, look.legend, True, cases)


def _cases(band: Band) -> str:
    name = band.case if len(band.case) <= _NAME else f"{band.case[:_NAME]}…"
    return name if band.cases == 1 else f"{name} and {many(band.cases - 1, 'other')}"


def _cell(look: CriterionGrid, scale: Scale, value: float) -> tuple[str, float]:
    """Return the tone of a grid cell, and its intensity from 0 to 1."""
    if look.reach is None:
        low, high = float(scale.low), float(scale.high)
        share = 2 * (value - low) / (high - low) - 1
    else:
        share = value / look.reach
    below, level, above = look.tones
    return above if share > 0 else below if share < 0 else level, min(abs(share), 1.0)


def spent(figures: RunFigures) -> Picture:
    """Show what the run cost, and how long it took."""
    run, summary = figures.run, figures.summary
    amounts = [("Cost", "none", "no model was called")]
    if summary.calls:
        unknown = f"not counting {many(summary.unknown_cost, 'case')} of unknown price" if summary.unknown_cost else ""
        each = f"{dollars(Decimal(f'{summary.cost / summary.finished:.2g}'))} a case"
        amounts = [
            ("Cost", dollars(summary.cost), unknown or each),
            ("Calls", f"{summary.calls:,}", f"{rounded(summary.calls / summary.finished, 1)} a case"),
            ("Tokens", f"{summary.tokens:,}", f"{summary.tokens // summary.finished:,} a case"),
        ]
    if (seconds := run.seconds) is not None:
        rate = f"{rounded(summary.finished / seconds, 1)} cases a second" if seconds else "less than a second"
        amounts.append(("From start to end", duration(seconds), rate))
    rows = [PictureRow(label, text, note=note) for label, text, note in amounts]
    lead = "What it took to judge these cases, including replies reused from earlier runs."
    return Picture("amounts", "Cost and time", lead, rows, wide=True)
