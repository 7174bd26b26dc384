"""Words the figures of an agreement report (names, numbers with intervals, reasons why one is missing) and builds its
pictures: comparison bars, the confusion matrix, and curves."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from ...agreement.report import AgreementReport
from ...agreement.report.changes import CascadeCurve
from ...agreement.report.people import JUDGE, MAJORITY, ONE_PERSON, SAME_PEOPLE, BestGuesses
from ...models.figures import Figure
from ...rendering.document import Chart, ChartPoint, ChartSeries, Matrix, Picture, bar
from ...rendering.wording import interval, many, percent, points, rounded, rounded_percent, signed

Figures = AgreementReport | BestGuesses  # over the cases that the judge decided, or with its best guesses
METRICS = {
    "accuracy": "Accuracy",
    "kappa": "Cohen’s kappa",
    "ac1": "Gwet’s AC1 (kappa for skewed classes)",
    "quadratic_kappa": "Kappa, quadratic",
    "alpha_nominal": "Krippendorff’s alpha, nominal",
    "alpha_ordinal": "Krippendorff’s alpha, ordinal",
    "alpha_interval": "Krippendorff’s alpha, interval",
    "spearman": "Spearman’s rank correlation",
    "kendall": "Kendall’s tau",
    "mae": "Mean distance",
    "mae_average": "Mean distance, before rounding",
}
SHORT = {"accuracy": "Accuracy", "kappa": "Kappa", "mae": "Mean distance", "spearman": "Spearman"}
RULES = ("constant", "longest", "first position")
ENDINGS = {
    "undecided": "the judge did not decide",
    "failure": "no verdict: the judgment failed",
    "skipped": "could not be judged",
    "unfinished": "not judged yet",
    "invalid": "the task cannot be rated",
    "no vote on the whole": "only criteria were rated",
}
HABITS = {
    "length": "The longer answer",
    "lists": "The answer with more list items",
    "bold": "The answer with more bold type",
    "self-preference": "The judge’s own answer",
}


def _shower(name: str) -> Callable[[float | None], str]:
    return percent if name == "accuracy" else partial(rounded, decimals=1 if name.startswith("mae") else 2)


def value_of(name: str, figure: Figure | None) -> str:
    """Write a figure without its interval, or a dash for None."""
    return "–" if figure is None else _shower(name)(figure.value)


def interval_of(name: str, figure: Figure | None) -> str:
    """Write the 95 % interval of a figure, or a dash if there is none."""
    return interval(None if figure is None else figure.interval, _shower(name)).replace(" %", "", 1)


def with_bounds(name: str, figure: Figure) -> str:
    """Write a figure with its interval, `0.86 (0.75 to 0.96)`, or say why there is none."""
    if figure.value is None:
        return f"not known ({figure.reason})"
    bounds = f" ({interval_of(name, figure)})" if figure.interval else ""
    return f"{value_of(name, figure)}{bounds}"


def both(name: str, figure: Figure | None) -> tuple[str, str]:
    """Return two cells: the figure, and its interval."""
    return value_of(name, figure), interval_of(name, figure)


def in_points(figure: Figure | None) -> tuple[str, str]:
    """Return two cells for a difference of shares in percentage points: the figure, and its interval."""
    return ("–", "–") if figure is None else (points(figure.value), interval(figure.interval, points))


def grouped_reasons(reasons: Iterable[tuple[str, str]]) -> list[str]:
    """Say why figures are missing, in one sentence per reason."""
    names: dict[str, list[str]] = {}
    for name, reason in reasons:
        if reason:
            names.setdefault(reason, []).append(name)
    return [f"{'; '.join(dict.fromkeys(several))}: {reason}." for reason, several in names.items()]


def row_of(figures: Figures, name: str) -> dict[str, Figure]:
    """Return the figures of the judge, of people or of a rule against one person; empty if there are none."""
    return next((row.figures for row in figures.beside if row.name == name), {})


def who(name: str, report: AgreementReport, figures: Figures | None = None) -> str:
    """Say whose figures a row holds."""
    joint = "people’s median" if report.measured.numeric else "the majority"
    tied = (figures or report).tied
    left = f" ({tied:,} {'tie' if tied == 1 else 'ties'} left out)" if tied else ""
    return {
        JUDGE: "The judge",
        ONE_PERSON: "Another person",
        SAME_PEOPLE: "The judge, where several labelled",
        MAJORITY: f"With {joint}{left}",
        "constant": f"Always {constant_of(report, figures)}",
        "longest": "The longer answer",
        "first position": "The answer shown first",
    }[name]


# -- pictures ---------------------------------------------------------------------------------------------------------


def beside_bars(report: AgreementReport, figures: Figures) -> Picture:
    """Draw agreement with its interval, for decided cases or with best guesses, beside simple rules and people."""
    name = report.measured.headline[0]
    rows = [(row.name, row.figures[name]) for row in figures.beside if row.figures[name].value is not None]
    top = 1.0 if name == "accuracy" else 1.04 * max((max(_ends(figure)) for _, figure in rows), default=1.0) or 1.0
    tones, bars = dict.fromkeys((JUDGE, SAME_PEOPLE, MAJORITY), "own"), []
    for row, it in rows:
        label, note = who(row, report, figures), interval_of(name, it) if it.interval else ""
        bars.append(bar(label, value_of(name, it), it.value, it.interval, tones.get(row, ""), note, (0.0, top)))
    one = "a person" if row_of(figures, ONE_PERSON) else "people"
    lead = f"How often each says the same as {one}, with 95 % intervals."
    if name == "mae":
        lead = f"How far each is from {one} on average, with 95 % intervals; shorter is better."
    title = "Where it decides" if report.best_guesses else "Beside simple rules and people"
    title = title if figures is report else "With its best guesses"
    return Picture("bars", title, lead, bars)


def constant_of(report: AgreementReport, figures: Figures | None = None) -> str:
    """Name the answer of the best constant rule."""
    if report.measured.numeric:
        return "people’s median"
    return report.measured.name_of(next(iter((figures or report).base_rates), report.measured.classes[0]))


def confusion_matrix(report: AgreementReport) -> list[Matrix]:
    """Build the confusion matrix, with rows for people and columns for the judge."""
    found = report.confusion
    if found is None:
        return []
    names = [report.measured.name_of(value) for value in found.classes]
    rows = []
    for at, (name, counts) in enumerate(zip(names, found.counts, strict=True)):
        of = sum(counts) or 1
        rows.append((name, [(f"{count:,}", count / of, at == place) for place, count in enumerate(counts)]))
    lead = "Rows are people’s label, columns the judge’s verdict. The diagonal is agreement."
    return [Matrix("Confusion", lead, names, rows)]


# -- curves -----------------------------------------------------------------------------------------------------------


class _Axis:
    """An axis with round ticks. Positions on it are shares of its length."""

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


def _ends(figure: Figure) -> tuple[float, float]:
    value = figure.value or 0.0
    return figure.interval or (value, value)


def length_chart(report: AgreementReport) -> list[Chart]:
    """Draw how often A wins by how much longer it is."""
    curve = report.length_curve
    if len(curve) < 2:
        return []
    axis = _Axis([point.difference for point in curve], lambda value: signed(value, 0))
    won: dict[str, list[ChartPoint]] = {"the judge": [], "people": []}
    for it in curve:
        for name, rate in (("the judge", it.judge), ("people", it.people)):
            if rate is not None:
                text = f"{signed(it.difference, 0)} words: A wins {percent(rate)} of {many(it.cases, 'case')}"
                won[name].append(ChartPoint(axis.at(it.difference), rate, text))
    series = [ChartSeries(name, "B" if name == "people" else "A", dots) for name, dots in won.items() if dots]
    lead = "How often A wins, by how many words longer it is. If length sways the judge, its line is steeper."
    return [Chart("Length and winning", lead, "words A is longer by", "A wins", axis.ticks, _SHARES.ticks, series)]


def calibration_chart(report: AgreementReport) -> list[Chart]:
    """Draw the judge's confidence against how often it is right, or else its scores against people's."""
    sure, curve = report.confidence_curve, report.score_curve
    if len(sure) > 1:
        dots = [
            ChartPoint(
                it.confidence,
                it.right,
                f"{rounded_percent(it.confidence)} sure, {percent(it.right)} right, {it.cases} cases",
            )
            for it in sure
        ]
        axis, names, series = _SHARES, ("confidence", "right verdicts"), [ChartSeries("the judge", "A", dots)]
        lead = (
            "How often the judge is right by how sure it says it is. On the dashed line it is as sure as it should be."
        )
    elif len(curve) > 1:
        axis = _Axis([value for it in curve for value in (it.judge, it.people, it.mapped) if value is not None])
        dots, mapped = [], []
        for it in curve:
            x, text = axis.at(it.judge), f"judge {it.judge:.3g}: people {it.people:.3g}, {it.cases} cases"
            dots.append(ChartPoint(x, axis.at(it.people), text))
            if it.mapped is not None:
                mapped.append(ChartPoint(x, axis.at(it.mapped), f"mapped to {it.mapped:.3g}"))
        names, series = ("the judge’s score", "people’s score"), [ChartSeries("people’s mean", "B", dots, line=False)]
        series += [ChartSeries("the chosen map", "A", mapped)] if mapped else []
        lead = "What people say by what the judge says, over parts of the cases. On the dashed line both say the same."
    else:
        return []
    return [Chart("Calibration", lead, *names, axis.ticks, axis.ticks, series, diagonal=True)]


def cost_chart(curve: CascadeCurve) -> list[Chart]:
    """Draw the cost–agreement frontier of a cascade."""
    if len(curve.points) < 2:
        return []
    axis = _Axis([0.0, *(1000 * float(point.cost) for point in curve.points)], "${:g}".format)
    dots: dict[bool, list[ChartPoint]] = {True: [], False: []}
    for point in curve.points:
        cost, value = 1000 * float(point.cost), point.agreement.value or 0.0
        at = "the expensive judge alone" if point.threshold is None else f"threshold {point.threshold:.2g}"
        text = f"{at}: ${cost:.2f} per thousand cases, {percent(value)}"
        dots[point.efficient].append(ChartPoint(axis.at(cost), value, text, *_ends(point.agreement)))
    series = [ChartSeries("nothing cheaper agrees as well", "A", sorted(dots[True], key=lambda dot: dot.x))]
    series += [ChartSeries("other thresholds", "", dots[False], line=False)] if dots[False] else []
    lead = f"{curve.cheap} judges first; {curve.dear} is asked only if the {curve.by} is below the threshold."
    names = ("dollars per thousand cases", "same as people")
    return [Chart("Cost and agreement", lead, *names, axis.ticks, _SHARES.ticks, series)]
