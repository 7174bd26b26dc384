"""The pictures of an agreement report: what stands beside what, the confusion matrix, and curves."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from ...agreement.figures import Figure
from ...agreement.report.build import AgreementReport
from ...agreement.report.changes import CascadeCurve
from ...agreement.report.measures import HEADLINES, ONE_PERSON, SAME_PEOPLE, BestGuesses
from ..document import Chart, ChartPoint, ChartSeries, Matrix, Picture, bar
from ..wording import many, percent, rounded, rounded_percent, signed
from .figures import interval_of, side, value_of, who


def beside_bars(report: AgreementReport, figures: AgreementReport | BestGuesses) -> Picture:
    """Agreement with its interval beside simple rules and the ceiling, where the judge decided or with its guesses."""
    name = HEADLINES[report.protocol][0]
    rows = [(row.name, row.figures[name]) for row in figures.beside if row.figures[name].value is not None]
    top = 1.0 if name == "accuracy" else 1.04 * max((max(_ends(figure)) for _, figure in rows), default=1.0) or 1.0
    constant, guessed = constant_of(report, figures), figures is not report
    tones, bars = {"judge": "A", SAME_PEOPLE: "A", ONE_PERSON: "B"}, []
    for row, it in rows:
        label, note = who(row, constant, guessed=guessed), interval_of(name, it) if it.interval else ""
        bars.append(bar(label, value_of(name, it), it.value, it.interval, tones.get(row, ""), note, (0.0, top)))
    lead = "Share of cases in which each says what people say, with 95 % intervals."
    if name == "mae":
        lead = "How far each is from people on average, with 95 % intervals; shorter is better."
    title = "With its best guesses, beside simple rules" if guessed else "Beside simple rules and people"
    return Picture("bars", title, lead, bars)


def constant_of(report: AgreementReport, figures: AgreementReport | BestGuesses | None = None) -> str:
    """What the best constant says."""
    if report.protocol == "dialogue":
        return "people’s median"
    return side(next(iter((figures or report).base_rates), "A"), report.protocol)


def confusion_matrix(report: AgreementReport) -> Matrix | None:
    """What the judge says where people say what."""
    found = report.confusion
    if found is None:
        return None
    names = [side(value, report.protocol) for value in found.classes]
    rows = []
    for at, (name, counts) in enumerate(zip(names, found.counts, strict=True)):
        of = sum(counts) or 1
        rows.append((name, [(f"{count:,}", count / of, at == place) for place, count in enumerate(counts)]))
    lead = "Rows are what people say, columns what the judge says. The diagonal is agreement."
    return Matrix("Confusion", lead, names, rows)


# -- curves -----------------------------------------------------------------------------------------------------------


class _Axis:
    """An axis with round ticks: where a value stands on it, as a share of its length."""

    def __init__(self, values: Sequence[float], show: Callable[[float], str] = "{:g}".format) -> None:
        low, high = min(values), max(values)
        rough = (high - low) / 4 or 1.0
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= rough)
        self._low = math.floor(low / step) * step
        steps = max(math.ceil((high - self._low) / step - 1e-9), 1)
        self._high = self._low + step * steps
        places = (self._low + step * at for at in range(steps + 1))
        self.ticks = tuple((self.at(place), show(round(place, 9))) for place in places)

    def at(self, value: float) -> float:
        return (value - self._low) / (self._high - self._low)


_SHARES = _Axis([0.0, 1.0], lambda share: f"{100 * share:.0f} %")
_DAYS = 5  # that have room below a chart


def _ends(figure: Figure) -> tuple[float, float]:
    value = figure.value or 0.0
    return figure.interval or (value, value)


def length_chart(report: AgreementReport) -> Chart | None:
    """How often A wins by how much longer it is."""
    curve = report.length_curve
    if len(curve) < 2:
        return None
    axis = _Axis([point.difference for point in curve], lambda value: signed(value, 0))
    won: dict[str, list[ChartPoint]] = {"the judge": [], "people": []}
    for it in curve:
        for name, rate in (("the judge", it.judge), ("people", it.people)):
            if rate is not None:
                said = f"{signed(it.difference, 0)} words: A wins {percent(rate)} of {many(it.cases, 'case')}"
                won[name].append(ChartPoint(axis.at(it.difference), rate, said))
    series = [ChartSeries(name, "B" if name == "people" else "A", dots) for name, dots in won.items() if dots]
    lead = "How often A wins by how many words longer it is; a judge that follows length rises steeper than people do."
    return Chart("Length and winning", lead, "words that A has more", "A wins", axis.ticks, _SHARES.ticks, series)


def calibration_chart(report: AgreementReport) -> Chart | None:
    """How sure the judge is against how often it is right; or its scores against people's."""
    if report.protocol == "compare":
        return _right_chart(report)
    curve = report.score_curve
    if len(curve) < 2:
        return None
    axis = _Axis([value for it in curve for value in (it.judge, it.people, it.mapped) if value is not None])
    dots, mapped = [], []
    for it in curve:
        x, said = axis.at(it.judge), f"judge {it.judge:.3g}: people {it.people:.3g}, {it.cases} cases"
        dots.append(ChartPoint(x, axis.at(it.people), said))
        if it.mapped is not None:
            mapped.append(ChartPoint(x, axis.at(it.mapped), f"mapped to {it.mapped:.3g}"))
    series = [ChartSeries("people’s mean", "B", dots, line=False)]
    series += [ChartSeries("the chosen map", "A", mapped)] if mapped else []
    lead = "What people say by what the judge says, over parts of the cases. On the dashed line both say the same."
    names = ("the judge’s score", "people’s score")
    return Chart("Calibration", lead, *names, axis.ticks, axis.ticks, series, diagonal=True)


def _right_chart(report: AgreementReport) -> Chart | None:
    """How often the judge is right, by how sure it is or else by how far apart its totals are."""
    sure, bins, dots = report.confidence_curve, report.by_margin, []
    if len(sure) > 1:
        for it in sure:
            said = f"{rounded_percent(it.confidence)} sure, {percent(it.right)} right, {it.cases} cases"
            dots.append(ChartPoint(it.confidence, it.right, said))
        axis, by = _SHARES, "confidence"
        lead = "how sure it says it is. On the dashed line it is as sure as it should be."
    elif len(bins) > 1:
        axis, by = _Axis([0.0, *((it.low + it.high) / 2 for it in bins)]), "how far apart the totals are"
        lead = "how far apart its totals are: it names no confidence of its own."
        for each in bins:
            right, apart = each.right, f"{rounded(each.low)} to {rounded(each.high)} apart"
            said = f"{apart}: {percent(right.value)} right, {right.cases} cases"
            dots.append(ChartPoint(axis.at((each.low + each.high) / 2), right.value or 0.0, said, *_ends(right)))
    else:
        return None
    lead, names = f"How often the judge is right by {lead}", (by, "right verdicts")
    series = [ChartSeries("the judge", "A", dots)]
    return Chart("Calibration", lead, *names, axis.ticks, _SHARES.ticks, series, diagonal=len(sure) > 1)


def cost_chart(curve: CascadeCurve) -> Chart | None:
    """The cost–agreement frontier of a cascade."""
    if len(curve.points) < 2:
        return None
    axis = _Axis([0.0, *(1000 * float(point.cost) for point in curve.points)], "${:g}".format)
    dots: dict[bool, list[ChartPoint]] = {True: [], False: []}
    for point in curve.points:
        cost, value = 1000 * float(point.cost), point.agreement.value or 0.0
        at = "the dear judge alone" if point.threshold is None else f"threshold {point.threshold:.2g}"
        said = f"{at}: ${cost:.2f} a thousand cases, {percent(value)}"
        dots[point.efficient].append(ChartPoint(axis.at(cost), value, said, *_ends(point.agreement)))
    series = [ChartSeries("nothing cheaper agrees as well", "A", sorted(dots[True], key=lambda dot: dot.x))]
    series += [ChartSeries("other thresholds", "", dots[False], line=False)] if dots[False] else []
    lead = f"{curve.cheap} first, {curve.dear} only where that is unsure by its {curve.by}, threshold by threshold."
    names = ("dollars for a thousand cases", "same as people")
    return Chart("Cost and agreement", lead, *names, axis.ticks, _SHARES.ticks, series)


def time_chart(report: AgreementReport) -> Chart | None:
    """The headline figure run by run."""
    name = HEADLINES[report.protocol][0]
    same = [run for run in report.earlier if run.same_judge and run.metrics[name].first.value is not None]
    figures = [(run.created[:10], run.run, run.metrics[name].first) for run in same]
    figures.append((report.created[:10], report.run, report.metrics[name]))
    if len(figures) < 2 or report.metrics[name].value is None or name != "accuracy":
        return None
    dots, days = [], []
    for at, (day, run, figure) in enumerate(figures):
        x = (at + 0.5) / len(figures)
        dots.append(ChartPoint(x, figure.value or 0.0, f"{run}: {value_of(name, figure)}", *_ends(figure)))
        days.append((x, day))
    lead = "The same judge and rubric in earlier runs, with 95 % intervals."
    ticks, series = days[:: -(-len(days) // _DAYS)], [ChartSeries("the judge", "A", dots)]
    return Chart("Over time", lead, "", "same as people", ticks, _SHARES.ticks, series)
