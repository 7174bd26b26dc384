"""Sections on what corrects a judge: its errors taken out, learned weights, calibration."""

from __future__ import annotations

from ...agreement.report.build import AgreementReport
from ...agreement.report.remedies import MEAN
from ...rubric import Rubric
from ..run.document import Grid
from ..run.wording import number
from ..wording import criterion_names
from .charts import (
    calibration_chart,
)
from .parts import AgreementSection
from .wording import (
    interval_of,
    told_once,
    value_of,
)


def corrected_section(report: AgreementReport) -> AgreementSection | None:
    """What the judge says, and the same without its measured error."""
    if not report.corrected:
        return None
    rows, reasons = [], []
    for name, both in report.corrected.items():
        what = "mae" if name == MEAN else "accuracy"
        label = {"A": "A", "B": "B"} if report.protocol == "compare" else {"A": "Response 1", "B": "Response 2"}
        called = "Mean" if name == MEAN else label.get(name, name)
        cells = [cell for it in (both.raw, both.corrected) for cell in (value_of(what, it), interval_of(what, it))]
        rows.append((called, *cells, f"{both.raw.cases:,}"))
        if both.corrected.reason:
            reasons.append((called, both.corrected.reason))
    said = (
        "Of the cases outside the labelled sample: what the judge says, and the same with its measured error taken "
        "out. The second interval is wider, because it carries that the error is known from a few labels only."
    )
    head = ("Mean score" if report.protocol == "dialogue" else "Win rate (a tie is half)", "Raw", "95 % interval")
    grid = Grid((*head, "Corrected", "95 % interval", "Cases"), tuple(rows))
    return AgreementSection(
        "corrected", "Corrected", "Corrected for the judge’s errors", (said,), (grid,), after=tuple(told_once(reasons))
    )


def weights_section(report: AgreementReport, rubric: Rubric) -> AgreementSection | None:
    """Weights of criteria that the labels would give."""
    found = report.weights
    if found is None:
        return None
    title = "Weights that these labels would give"
    if found.weights is None:
        return AgreementSection("weights", "Weights", title, (), why_bare=found.reason)
    names = criterion_names(found.defaults, rubric)
    rows = tuple((names[key], number(found.defaults[key]), number(found.weights[key])) for key in found.defaults)
    loss = f"{number(found.loss, 3)} against {number(found.default_loss, 3)}"
    said = f"On held-out cases they predict people better than the rubric’s own (log loss {loss})."
    if not found.better:
        said = f"On held-out cases they predict people no better than the rubric’s own (log loss {loss}): keep those."
    return AgreementSection("weights", "Weights", title, (said,), (Grid(("Criterion", "Rubric", "Learned"), rows),))


def calibration_section(report: AgreementReport) -> AgreementSection | None:
    """How sure the judge is and how often right, and the map to people’s scale."""
    said = []
    if report.calibration_error is not None and report.counted:
        said.append(
            f"How sure it says it is, and how often it is right, are {points_apart(report)} points apart on average."
        )
    found = report.calibration
    grids: list[Grid] = []
    if found is not None:
        if found.errors:
            names = {"unchanged": "The judge’s own score", "mean": "One number for all"}
            names |= {"isotonic": "Isotonic map", "ordinal": "Ordinal map (proportional odds)"}
            errors = tuple((names.get(name, name), number(error)) for name, error in found.errors.items())
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
        rows = tuple(
            (
                number(it.low) if it.low == it.high else f"{number(it.low)} to {number(it.high)}",
                value_of("accuracy", it.right),
                interval_of("accuracy", it.right),
            )
            for it in report.by_margin
        )
        grids.append(Grid(("Totals apart", "Right", "95 % interval"), rows))
    return AgreementSection(
        "calibration", "Calibration", "Calibration", tuple(said), tuple(grids), (chart,) if chart else ()
    )


def points_apart(report: AgreementReport) -> str:
    """The expected calibration error in points."""
    return number(100 * (report.calibration_error or 0.0), 1)
