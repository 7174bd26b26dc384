"""Sections on other judges, and the same one at other times."""

from __future__ import annotations

from ...agreement.figures import Difference
from ...agreement.report.build import AgreementReport
from ..run.document import Grid
from ..run.pictures import Picture
from ..run.wording import many, p_is, rounded_percent, signed
from .charts import (
    Chart,
    Matrix,
    cost_chart,
    time_chart,
)
from .parts import AgreementSection
from .wording import (
    SHORT,
    interval_of,
    point_bounds,
    points,
    value_of,
)


def against_section(report: AgreementReport) -> AgreementSection | None:
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
    said += [_change_sentence(SHORT[name], name, change) for name, change in other.metrics.items()]
    grids = [_changes_grid(report.run, other.run, other.metrics)]
    pictures: list[Picture | Chart | Matrix] = []
    curve = other.cascade
    if curve is not None and curve.reason:
        said.append(f"No cost–agreement curve: {curve.reason}.")
    elif curve is not None and curve.points:
        rows = tuple(
            (
                f"{curve.dear} alone"
                if it.threshold is None
                else f"{curve.cheap} alone"
                if it.threshold == 0
                else f"below {it.threshold:.2g}",
                rounded_percent(it.passed_on) if it.passed_on else "0 %",
                f"${1000 * it.cost:.2f}",
                value_of("accuracy", it.agreement),
                interval_of("accuracy", it.agreement),
            )
            for it in curve.points
            if it.efficient
        )
        head = (f"{curve.dear} asked if {curve.by} is", "Asked", "A thousand cases", "Accuracy", "95 % interval")
        grids.append(Grid(head, rows))
        said.append("A threshold chosen by these labels will agree a little less on new cases.")
        if (chart := cost_chart(curve)) is not None:
            pictures.append(chart)
    return AgreementSection("against", "Beside", f"Beside {other.run}", tuple(said), tuple(grids), tuple(pictures))


def _changes_grid(before: str, after: str, metrics: dict[str, Difference]) -> Grid:
    rows = []
    for name, found in metrics.items():
        share = name == "accuracy"
        change = points(found.change) if share else signed(found.change.value, 1 if name == "mae" else 2)
        bounds = point_bounds(found.change) if share else interval_of(name, found.change)
        p = "–" if found.p is None else p_is(found.p).removeprefix("= ")
        rows.append((SHORT[name], value_of(name, found.first), value_of(name, found.second), change, bounds, p))
    return Grid(("Measure", before, after, "Change", "95 % interval", "p"), tuple(rows))


def _change_sentence(said: str, name: str, found: Difference) -> str:
    if found.p is None:
        return f"{said}: no test ({found.change.reason})."
    shown = (
        f"{points(found.change)} points"
        if name == "accuracy"
        else signed(found.change.value, 1 if name == "mae" else 2)
    )
    verdict = "more than chance would bring" if found.real else "chance alone may explain it"
    if found.change.value == 0:
        return f"{said}: no change."
    return f"{said}: {shown}, {verdict} (p {p_is(found.p)}, {found.test})."


def over_time_section(report: AgreementReport) -> AgreementSection | None:
    """Earlier runs."""
    if not report.earlier:
        return None
    said, grids = [], []
    for run in report.earlier:
        whose = "the same" if run.paired else "other, its own"
        start = f"{run.run}, {run.created[:10] or 'undated'}, {whose} {many(run.cases, 'labelled case')}"
        if not run.same_judge:
            said.append(f"{start}: another judge or rubric ({run.judge}, {run.rubric}), so that no change is drift.")
        said += [f"{start}: {_change_sentence(SHORT[name], name, it)}" for name, it in run.metrics.items()]
        grids.append(_changes_grid(run.run, report.run, run.metrics))
    chart = time_chart(report)
    return AgreementSection("time", "Over time", "Over time", tuple(said), tuple(grids), (chart,) if chart else ())
