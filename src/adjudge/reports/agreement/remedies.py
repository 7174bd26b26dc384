"""The sections of an agreement report on what to do about it: the judge's errors taken out, learned weights,
calibration; and the same labels under another judge, or at another time."""

from __future__ import annotations

from collections.abc import Mapping

from ...agreement.figures import Difference
from ...agreement.report.build import AgreementReport
from ...agreement.report.changes import CascadeCurve
from ...agreement.report.remedies import MEAN
from ...rubric import Rubric
from ..document import Grid, Section
from ..wording import criterion_names, many, p_is, p_value, rounded, rounded_percent, signed
from .charts import calibration_chart, cost_chart, time_chart
from .figures import SHORT, both, in_points, interval_of, side, told_once, value_of

_MAPS = {
    "unchanged": "The judge’s own score",
    "mean": "One number for all",
    "isotonic": "Isotonic map",
    "ordinal": "Ordinal map (proportional odds)",
}


def corrected_section(report: AgreementReport) -> Section | None:
    """What the judge says, and the same without its measured error."""
    if not report.corrected:
        return None
    rows, reasons = [], []
    for name, found in report.corrected.items():
        what, called = ("mae", "Mean") if name == MEAN else ("accuracy", name)
        called = side(name, report.protocol) if name in ("A", "B") else called
        rows.append((called, *both(what, found.raw), *both(what, found.corrected), f"{found.raw.cases:,}"))
        reasons.append((called, found.corrected.reason))
    said = (
        "Of the cases outside the labelled sample: what the judge says, and the same with its measured error taken "
        "out. The second interval is wider, because it carries that the error is known from a few labels only."
    )
    head = ("Mean score" if report.protocol == "dialogue" else "Win rate (a tie is half)", "Raw", "95 % interval")
    grid = Grid((*head, "Corrected", "95 % interval", "Cases"), rows)
    return Section("Corrected for the judge’s errors", [said], [grid], after=told_once(reasons))


def weights_section(report: AgreementReport, rubric: Rubric) -> Section | None:
    """Weights of criteria that the labels would give, if they give any."""
    found = report.weights
    if found is None or found.weights is None:
        return None
    names = criterion_names(found.defaults, rubric)
    rows = [(names[key], rounded(default), rounded(found.weights[key])) for key, default in found.defaults.items()]
    what = "log loss" if report.protocol == "compare" else "mean square"
    loss = f"{what} {rounded(found.loss, 3)} against {rounded(found.default_loss, 3)}"
    better, so = ("better", "") if found.better else ("no better", ": keep those")
    said = f"On held-out cases they predict people {better} than the rubric’s own ({loss}){so}."
    return Section("Weights that these labels would give", [said], [Grid(("Criterion", "Rubric", "Learned"), rows)])


def calibration_section(report: AgreementReport) -> Section | None:
    """How sure the judge is and how often right, and the map to people’s scale."""
    said, grids, found = [], [], report.calibration
    if report.calibration_error is not None and report.counted:
        apart = rounded(100 * report.calibration_error, 1)
        said.append(f"How sure it says it is, and how often it is right, are {apart} points apart on average.")
    if found is not None:
        if found.errors:
            errors = [(_MAPS[name], rounded(error)) for name, error in found.errors.items()]
            grids.append(Grid(("Held-out error (root mean square)", "Points"), errors))
        said.append(
            f"No map to people’s scale is worth using: {found.reason}."
            if found.chosen is None
            else f"The {found.chosen.kind} map from the judge’s score to people’s errs least on held-out cases."
        )
    chart = calibration_chart(report)
    if chart is None and not said:
        return None
    if report.by_margin:
        said.append("How often the judge is right by how far apart its totals are:")
        bins = [(rounded(it.low), rounded(it.high), it.right) for it in report.by_margin]
        rows = [(low if low == high else f"{low} to {high}", *both("accuracy", right)) for low, high, right in bins]
        grids.append(Grid(("Totals apart", "Right", "95 % interval"), rows))
    return Section("Calibration", said, grids, pictures=[chart] if chart else [])


# -- other judges, other times ----------------------------------------------------------------------------------------


def against_section(report: AgreementReport) -> Section | None:
    """The same labels under another judge or rubric."""
    other = report.against
    if other is None:
        return None
    said = [
        f"{other.run} (judge {other.judge}, rubric {other.rubric}) on the {many(other.cases, 'labelled case')} that "
        f"both decided: it agrees with people where this judge does not in {other.gained:,}, and the other way round "
        f"in {other.lost:,}."
    ]
    if other.only_here:
        said.append(f"{many(other.only_here, 'labelled case')} more: decided here only.")
    said += [_change_sentence(name, change) for name, change in other.metrics.items()]
    if other.jury:
        said.append(f"A jury of both, weighted by their measured agreement: --judge '{other.jury}'")
    grids, chart, curve = [_changes_grid(report.run, other.run, other.metrics)], None, other.cascade
    if curve is not None and curve.reason:
        said.append(f"No cost–agreement curve: {curve.reason}.")
    elif curve is not None:
        grids.append(_cascade_grid(curve))
        said.append("A threshold chosen by these labels will agree a little less on new cases.")
        chart = cost_chart(curve)
    return Section(f"Beside {other.run}", said, grids, pictures=[chart] if chart else [])


def _cascade_grid(curve: CascadeCurve) -> Grid:
    alone: dict[float | None, str] = {None: f"{curve.dear} alone", 0: f"{curve.cheap} alone"}
    rows = []
    for it in (point for point in curve.points if point.efficient):
        below = alone.get(it.threshold) or f"below {it.threshold:.2g}"
        cost = f"${1000 * it.cost:.2f}"
        rows.append((below, rounded_percent(it.passed_on), cost, *both("accuracy", it.agreement)))
    head = (f"{curve.dear} asked if {curve.by} is", "Asked", "A thousand cases", "Accuracy", "95 % interval")
    return Grid(head, rows)


def over_time_section(report: AgreementReport) -> Section | None:
    """Earlier runs."""
    if not report.earlier:
        return None
    said, grids = [], []
    for run in report.earlier:
        whose = "the same" if run.paired else "other, its own"
        start = f"{run.run}, {run.created[:10] or 'undated'}, {whose} {many(run.cases, 'labelled case')}"
        if not run.same_judge:
            said.append(f"{start}: another judge or rubric ({run.judge}, {run.rubric}), so that no change is drift.")
        said += [f"{start}: {_change_sentence(name, change)}" for name, change in run.metrics.items()]
        grids.append(_changes_grid(run.run, report.run, run.metrics))
    chart = time_chart(report)
    return Section("Over time", said, grids, pictures=[chart] if chart else [])


def _changes_grid(before: str, after: str, metrics: Mapping[str, Difference]) -> Grid:
    rows = []
    for name, found in metrics.items():
        p = "–" if found.p is None else p_value(found.p)
        sides = (value_of(name, it) for it in (found.first, found.second))
        rows.append((SHORT[name], *sides, *_change(name, found), p))
    return Grid(("Measure", before, after, "Change", "95 % interval", "p"), rows)


def _change(name: str, found: Difference) -> tuple[str, str]:
    """How much it changed, and the interval."""
    if name == "accuracy":
        return in_points(found.change)
    return signed(found.change.value, 1 if name == "mae" else 2), interval_of(name, found.change)


def _change_sentence(name: str, found: Difference) -> str:
    if found.p is None:
        return f"{SHORT[name]}: no test ({found.change.reason})."
    if found.change.value == 0:
        return f"{SHORT[name]}: no change."
    shown = f"{_change(name, found)[0]}{' points' if name == 'accuracy' else ''}"
    verdict = "more than chance would bring" if found.real else "chance alone may explain it"
    return f"{SHORT[name]}: {shown}, {verdict} (p {p_is(found.p)}, {found.test})."
