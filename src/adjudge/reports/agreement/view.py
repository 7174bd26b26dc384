"""Builds the report on how far a judge agrees with people: the finding, the cautions, and the sections in reading
order; and the sections on what to do about it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from ...agreement.report import AgreementReport
from ...agreement.report.changes import CascadeCurve
from ...agreement.report.corrected import MEAN, CorrectionFacts
from ...agreement.report.people import FEW_CASES
from ...models.figures import Change
from ...rendering.document import Document, Grid, Section
from ...rendering.wording import criterion_names, listed, many, p_is, p_value, rounded, rounded_percent, signed
from ...rubric import Rubric
from .bias import bias_section
from .charts import (
    SHORT,
    both,
    calibration_chart,
    cost_chart,
    grouped_reasons,
    in_points,
    interval_of,
    value_of,
    with_bounds,
)
from .finding import cautions, headline, lead, picks_count, unfit
from .sections import agreement_section, consistency_section, disputed_section, measures_section, slices_section

_MAPS = {
    "unchanged": "The judge’s own score",
    "mean": "One number for all",
    "isotonic": "Isotonic map",
    "ordinal": "Ordinal map (proportional odds)",
}


def agreement_document(report: AgreementReport, rubric: Rubric) -> Document:
    """Build the report. The rubric gives the names of the criteria."""
    people, finding = report.labels.annotators, headline(report)
    named = f"{len(people)}: {listed(people, 4)}" if len(people) > 1 else listed(people)
    return Document(
        title=f"{finding}{unfit(report, finding)}",
        lead=lead(report),
        sections=tuple(_sections(report, rubric)),
        kind="agreement report",
        about=f"{report.run}: the judge and people",
        facts=(
            ("Judge", report.judge or "–"),
            ("Rubric", report.rubric),
            ("Labels", f"{report.labels.source}: {many(report.labels.cases, 'case')}"),
            *[("People", named)] * (report.labels.named or len(people) > 1),
        ),
        cautions=tuple(cautions(report)),
    )


def _sections(report: AgreementReport, rubric: Rubric) -> Iterable[Section]:
    """Yield the sections that have content, in reading order, each with its anchor and the text of its link."""
    for key, short, section in (
        ("agreement", "Agreement", agreement_section(report)),
        ("slices", "By slice", slices_section(report, rubric)),
        ("consistency", "Consistency", consistency_section(report)),
        ("bias", "Bias", bias_section(report)),
        ("differ", "Where they differ", disputed_section(report, rubric)),
        ("corrected", "Corrected", corrected_section(report)),
        ("weights", "Weights", weights_section(report, rubric)),
        ("calibration", "Calibration", calibration_section(report)),
        ("against", "Beside", against_section(report)),
        ("time", "Over time", over_time_section(report)),
        ("measures", "All measures", measures_section(report)),
        ("reading", "How to read it", reading_section(report)),
    ):
        if section is not None:
            grids = list(filter(_has_figures, section.grids))
            yield replace(section, key=key, short=short, grids=grids)


def _has_figures(grid: Grid) -> bool:
    """Check whether a table has any figure. Dashes and the numbers of cases do not count."""
    counts = {at for at, name in enumerate(grid.head) if name == "Cases" and len(grid.head) > grid.names + 1}
    return any(cell != "–" for row in grid.rows for at, cell in enumerate(row) if at >= grid.names and at not in counts)


# -- what to do about it: errors taken out, weights, calibration -------------------------------------------------------


def corrected_section(report: AgreementReport) -> Section | None:
    """Build the section on what people would say of the whole run, from the labels and the judge's verdicts."""
    facts = report.correction
    if facts is None:
        return None
    rows, reasons, sentences = [], [], list[str]()
    for name, found in report.corrected.items():
        what, called = ("mae", "Mean") if name == MEAN else ("accuracy", name)
        called = report.measured.name_of(name) if name in report.measured.classes else called
        three = (found.raw, found.labels, found.corrected)
        shown = ["–" if it.value is None else with_bounds(what, it) for it in three]
        gain = "–" if found.as_good_as is None else many(found.as_good_as, "label")
        rows.append((called, *shown, gain))
        reasons.append((called, found.alone or found.corrected.reason))
        if not sentences and found.corrected.value is not None and found.labels.cases >= FEW_CASES:
            of = "a mean of" if name == MEAN else f"{called} a {'win rate' if report.two_sides else 'share'} of"
            sentences.append(f"People would give {of} {shown[2]}; the judge gives {shown[0]}.")
            used = many(found.labels.cases, "label")
            sentences += (
                [f"With the judge’s verdicts, {used} are as good as {found.as_good_as:,}."] if found.as_good_as else []
            )
    half = "; a tie is half a win" if report.two_sides else ""
    sentences.append(
        f"“Corrected” is people’s number for {many(facts.cases, 'judged case')}, from their labels and from what the "
        f"judge says about the cases without one, as far as that helps{half}."
    )
    what = "Mean score" if report.measured.numeric else "Win rate" if report.two_sides else "Share"
    head = (what, "The judge’s own", "Labels only")
    after = [*_rests_on(report, facts), *grouped_reasons(reasons)]
    grid = Grid((*head, "Corrected", "As good as"), rows)
    return Section("Corrected: what people would say", sentences, [grid], after=after)


def _rests_on(report: AgreementReport, facts: CorrectionFacts) -> Iterable[str]:
    if facts.undecided:
        yield f"Undecided cases, which count here with the judge’s best guess: {facts.undecided:,}."
    if facts.unjudged:
        yield f"Cases without a verdict, which are left out: {facts.unjudged:,}."
    if facts.picked:
        what = f"Labelled cases that were picked because the judge was unsure: {facts.picked:,}"
        why = facts.picked_out or "too few of the other labels differ"
        counts = "they count here by the share that such cases have in the run"
        yield f"{what}; {counts if picks_count(report) else f'left out, because {why}'}."


def weights_section(report: AgreementReport, rubric: Rubric) -> Section | None:
    """Build the section on the criterion weights learned from the labels, or return None if there are none."""
    found = report.weights
    if found is None or found.weights is None:
        return None
    names = criterion_names(found.defaults, rubric)
    rows = [(names[key], rounded(default), rounded(found.weights[key])) for key, default in found.defaults.items()]
    loss = f"mean square {rounded(found.loss, 3)} against {rounded(found.default_loss, 3)}"
    better, so = ("better", "") if found.better else ("no clearly better", ": keep those")
    sentence = f"On held-out cases they predict people {better} than the rubric’s own ({loss}){so}."
    return Section("Weights that these labels would give", [sentence], [Grid(("Criterion", "Rubric", "Learned"), rows)])


def calibration_section(report: AgreementReport) -> Section | None:
    """Build the section on confidence and correctness, and on the map to people’s scale."""
    sentences, grids, found = [], [], report.calibration
    if report.calibration_error is not None and report.counted:
        apart = rounded(100 * report.calibration_error, 1)
        sentences.append(f"The judge’s confidence and how often it is right are {apart} points apart on average.")
    if found is not None:
        if found.errors:
            errors = [(_MAPS[name], rounded(error)) for name, error in found.errors.items()]
            grids.append(Grid(("Held-out error (root mean square)", "Points"), errors))
        sentences.append(
            f"No map to people’s scale is worth using: {found.reason}."
            if found.chosen is None
            else f"The {found.chosen.kind} map from the judge’s score to people’s is most accurate on held-out cases."
        )
    chart = calibration_chart(report)
    if not chart and not sentences and not report.by_margin:
        return None
    if report.by_margin:
        sentences.append("How often the judge is right by how far apart its totals are:")
        bins = [(rounded(it.low), rounded(it.high), it.right) for it in report.by_margin]
        rows = [(low if low == high else f"{low} to {high}", *both("accuracy", right)) for low, high, right in bins]
        grids.append(Grid(("Totals apart", "Right", "95 % interval"), rows))
    return Section("Calibration", sentences, grids, pictures=chart)


# -- other judges, other times ----------------------------------------------------------------------------------------


def against_section(report: AgreementReport) -> Section | None:
    """Build the section that compares with another judge or rubric on the same labels."""
    other = report.against
    if other is None:
        return None
    sentences = [
        f"{other.run} (judge {other.judge}, rubric {other.rubric}) on the {many(other.cases, 'labelled case')} that "
        f"both decided: it agrees with people where this judge does not in {other.gained:,}, and the other way round "
        f"in {other.lost:,}."
    ]
    if other.only_here:
        sentences.append(f"{many(other.only_here, 'labelled case')} more: decided here only.")
    sentences += [_change_sentence(name, change) for name, change in other.metrics.items()]
    if other.jury:
        sentences.append(f"A jury of both, weighted by their measured agreement: --judge '{other.jury}'")
    grids, curve = [_changes_grid(report.run, other.run, other.metrics)], other.cascade
    if curve is not None and curve.reason:
        sentences.append(f"No cost–agreement curve: {curve.reason}.")
    elif curve is not None:
        grids.append(_cascade_grid(curve))
        sentences.append("A threshold chosen by these labels will agree a little less on new cases.")
    return Section(f"Beside {other.run}", sentences, grids, pictures=cost_chart(curve) if curve else [])


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
    """Build the section that compares with earlier runs."""
    if not report.earlier:
        return None
    sentences, grids = [], []
    for run in report.earlier:
        whose = "the same" if run.paired else "other, its own"
        start = f"{run.run}, {run.created[:10] or 'undated'}, {whose} {many(run.cases, 'labelled case')}"
        if not run.same_judge:
            sentences.append(f"{start}: another judge or rubric ({run.judge}, {run.rubric}), so a change is not drift.")
        sentences += [f"{start}: {_change_sentence(name, change)}" for name, change in run.metrics.items()]
        grids.append(_changes_grid(run.run, report.run, run.metrics))
    return Section("Over time", sentences, grids)


def _changes_grid(before: str, after: str, metrics: Mapping[str, Change]) -> Grid:
    rows = []
    for name, found in metrics.items():
        p = "–" if found.p is None else p_value(found.p)
        sides = (value_of(name, it) for it in (found.before, found.after))
        rows.append((SHORT[name], *sides, *_change(name, found), p))
    return Grid(("Measure", before, after, "Change", "95 % interval", "p"), rows)


def _change(name: str, found: Change) -> tuple[str, str]:
    """Return two cells: the change, and its interval."""
    if name == "accuracy":
        return in_points(found.change)
    return signed(found.change.value, 1 if name == "mae" else 2), interval_of(name, found.change)


def _change_sentence(name: str, found: Change) -> str:
    if found.p is None:
        return f"{SHORT[name]}: no test ({found.change.reason})."
    if found.change.value == 0:
        return f"{SHORT[name]}: no change."
    shown = f"{_change(name, found)[0]}{' points' if name == 'accuracy' else ''}"
    verdict = "more than chance would explain" if found.real else "chance alone may explain it"
    return f"{SHORT[name]}: {shown}, {verdict} (p {p_is(found.p)}, {found.test})."


def reading_section(report: AgreementReport) -> Section:
    """Build the section that explains the terms of the report."""
    sentences = [
        "Kappa is agreement beyond what the two base rates alone would give: 0 is none, 1 is all. Read it beside the "
        "base rate: where nearly all labels are the same, it is low even for a good judge.",
        "Intervals are 95 % intervals. Cases of one task are not independent, and count together.",
        "Every labelled case counts once, whatever people said: the judge, simple rules and other people are each "
        "compared with one person at random among those who labelled it, so two people or five make no difference. "
        "People’s joint label is the label most of them gave, or the median of numbers; figures that use it leave out "
        "cases in which votes are tied.",
    ]
    if report.stand_in.tested:
        sentences.append(
            "The alternative annotator test (Calderon and others, 2025) leaves out each person in turn, and asks "
            "whether the judge is at least as near to the others as that person, allowing for the margin. p is the "
            "chance of these labels if it were not, and the tests of several people are corrected for (Benjamini and "
            "Yekutieli, 5 %). The winning rate is the share of people against whom the judge wins, the advantage how "
            "often it is at least as near."
        )
    sentences += [report.measured.reading] if report.measured.reading else []
    if report.weights is not None and report.weights.weights is None:
        sentences.append(f"Left out for lack of figures: Weights: {report.weights.reason}.")
    return Section("How to read it", sentences)
