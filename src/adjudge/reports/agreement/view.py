"""Builds the report on how far a judge agrees with people: the finding, the cautions, and the sections in reading
order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from ...agreement.report import AgreementReport
from ...agreement.report.changes import CascadeCurve
from ...agreement.report.measures import HEADLINES, ONE_PERSON, BestGuesses
from ...agreement.report.remedies import MEAN
from ...models.figures import Change, Figure
from ...rubric import Rubric
from ..document import Document, Grid, Section
from ..origin import judge_note
from ..wording import (
    criterion_names,
    listed,
    many,
    p_is,
    p_value,
    percent,
    rounded,
    rounded_percent,
    signed,
)
from .charts import (
    ENDINGS,
    RULES,
    SHORT,
    both,
    calibration_chart,
    constant_of,
    cost_chart,
    grouped_reasons,
    in_points,
    interval_of,
    side,
    value_of,
    who,
    with_bounds,
)
from .sections import agreement_section, bias_section, bias_sentence, consistency_section, disputed_section

_MAPS = {
    "unchanged": "The judge’s own score",
    "mean": "One number for all",
    "isotonic": "Isotonic map",
    "ordinal": "Ordinal map (proportional odds)",
}
_FEW = 30  # with fewer labelled cases the report adds a caution
_MOSTLY_DECIDED = 0.9


def agreement_document(report: AgreementReport, rubric: Rubric) -> Document:
    """Build the report. The rubric gives the names of the criteria."""
    people = report.labels.annotators
    return Document(
        title=_headline(report),
        lead=(_lead(report),),
        sections=tuple(_sections(report, rubric)),
        kind="agreement report",
        about=f"{report.run}: the judge and people",
        facts=(
            ("Judge", report.judge or "–"),
            ("Rubric", report.rubric),
            ("Labels", f"{report.labels.source}: {many(report.labels.cases, 'case')}"),
            ("People", f"{len(people)}: {listed(people, 4)}" if len(people) > 1 else listed(people)),
        ),
        cautions=tuple(_cautions(report)),
    )


def _sections(report: AgreementReport, rubric: Rubric) -> Iterable[Section]:
    """Yield the sections that have content, in reading order, each with its anchor and the text of its link."""
    for key, short, section in (
        ("consistency", "Consistency", consistency_section(report)),
        ("agreement", "Agreement", agreement_section(report)),
        ("bias", "Bias", bias_section(report)),
        ("differ", "Where they differ", disputed_section(report, rubric)),
        ("corrected", "Corrected", corrected_section(report)),
        ("weights", "Weights", weights_section(report, rubric)),
        ("calibration", "Calibration", calibration_section(report)),
        ("against", "Beside", against_section(report)),
        ("time", "Over time", over_time_section(report)),
        ("reading", "How to read it", reading_section(report)),
    ):
        if section is not None:
            grids = list(filter(_has_figures, section.grids))
            yield replace(section, key=key, short=short, grids=grids)


def _has_figures(grid: Grid) -> bool:
    """Check whether a table has any figure. Dashes and the numbers of cases do not count."""
    counts = {at for at, name in enumerate(grid.head) if name == "Cases" and len(grid.head) > grid.names + 1}
    return any(cell != "–" for row in grid.rows for at, cell in enumerate(row) if at >= grid.names and at not in counts)


# -- the finding ------------------------------------------------------------------------------------------------------


def _headline(report: AgreementReport) -> str:
    main = report.metrics[HEADLINES[report.protocol][0]]
    if main.value is None:
        if (guesses := report.best_guesses) is None:
            return "Nothing to measure yet"
        said = rounded_percent(guesses.metrics["accuracy"].value or 0.0)
        return f"Decides no labelled case; its best guesses agree with people in {said}"
    if report.protocol == "dialogue":
        return f"{rounded(main.value, 1)} points from people"
    open_cases = report.left_out.get("undecided", 0)
    if (decided := report.counted / (report.counted + open_cases)) < _MOSTLY_DECIDED:
        # A judge that leaves most cases undecided may be right in nearly all the others, so the line says both.
        return f"Agrees with people in {rounded_percent(main.value)} of the {rounded_percent(decided)} it decides"
    return f"Agrees with people in {rounded_percent(main.value)}"


def _lead(report: AgreementReport) -> str:
    first, second = HEADLINES[report.protocol]
    main, beside = report.metrics[first], report.metrics[second]
    if main.value is None and (guesses := report.best_guesses) is not None:
        return _with_guesses(report, guesses)
    if main.value is None:
        return f"None of {many(report.labels.cases, 'labelled case')} can be counted: {_left(report) or main.reason}."
    said = f"Over {many(report.counted, 'labelled case')} "
    if report.protocol == "dialogue":
        said += f"the judge is {with_bounds(first, main)} points from people on average"
        said += f", and its order of dialogues has a rank correlation of {with_bounds(second, beside)} with theirs."
    else:
        said += f"it agrees with people in {with_bounds(first, main)}; kappa is {_known(second, beside)}"
        rate = next(iter(report.base_rates.values()), None)
        said += f", where always saying {constant_of(report)} would be right in {percent(rate)}."
    rules = {row.name: row.figures[first] for row in report.beside}
    if (person := rules.get(ONE_PERSON)) is not None and person.value is not None:
        said += f" One person is at {value_of(first, person)} against the others."
    return f"{said} {_with_guesses(report, report.best_guesses)}" if report.best_guesses else said


def _with_guesses(report: AgreementReport, guesses: BestGuesses) -> str:
    rate = percent(next(iter(guesses.base_rates.values()), None))
    same, kappa = guesses.metrics["accuracy"], guesses.metrics["kappa"]
    return (
        f"With its best guess where it did not decide, over {many(guesses.cases, 'case')}, it agrees with people in "
        f"{with_bounds('accuracy', same)}; kappa is {_known('kappa', kappa)}, where always saying "
        f"{constant_of(report, guesses)} would be right in {rate}."
    )


def _known(name: str, figure: Figure) -> str:
    """Write the figure, or "not defined". The reason is given below the tables, once for all figures."""
    return "not defined" if figure.value is None else with_bounds(name, figure)


def _left(report: AgreementReport) -> str:
    return ", ".join(f"{count:,} {ENDINGS.get(why, why)}" for why, count in report.left_out.items())


def _cautions(report: AgreementReport) -> Iterable[str]:
    main = HEADLINES[report.protocol][0]
    if report.counted < _FEW and report.counted:
        yield f"Only {many(report.counted, 'labelled case')} can be counted: the intervals show how uncertain that is."
    if left := _left(report):
        total = sum(report.left_out.values())
        where = "in no figure" if report.best_guesses is None else "in no figure over decided cases"
        yield f"{many(total, 'labelled case')} of the sample {'is' if total == 1 else 'are'} {where}: {left}."
    rules = {row.name: row.figures[main] for row in report.beside}
    judge = rules["judge"]
    if judge.interval is not None:
        low, high = judge.interval
        told = [
            f"“{who(name, constant_of(report))}” is at {value_of(main, rule)}"
            for name in RULES
            if (rule := rules.get(name)) is not None and rule.value is not None
            if (rule.value <= high if main == "mae" else rule.value >= low)
        ]
        if told:
            yield f"Not clearly better than a simple rule: {', '.join(told)}."
    yield from (bias_sentence(report, name) for name, found in report.biases.items() if found)
    labels = report.labels
    if labels.at_random is None:
        yield "The labelled cases are treated as a random sample of the run: it is not recorded how they were chosen."
    elif labels.cases > labels.at_random:
        yield (
            f"Figures rest on the {many(labels.at_random, 'case')} drawn at random. The other "
            f"{labels.cases - labels.at_random:,} were picked because the judge was unsure: they show where it fails, "
            "and are in no figure."
        )
    if report.sampled:
        yield "The run is large: figures about all its cases come from a random sample of them."
    yield from (f"{note[0].upper()}{note[1:]}." for note in labels.notes if note)
    yield from filter(None, [judge_note(report.judge)])


# -- what to do about it: errors taken out, weights, calibration -------------------------------------------------------


def corrected_section(report: AgreementReport) -> Section | None:
    """Build the section with the judge's figures, raw and corrected for its measured error."""
    if not report.corrected:
        return None
    rows, reasons = [], []
    for name, found in report.corrected.items():
        what, called = ("mae", "Mean") if name == MEAN else ("accuracy", name)
        called = side(name, report.protocol) if name in ("A", "B") else called
        rows.append((called, *both(what, found.raw), *both(what, found.corrected), f"{found.raw.cases:,}"))
        reasons.append((called, found.corrected.reason))
    said = (
        "For the cases outside the labelled sample: what the judge says, and the same corrected for its measured "
        "error. The second interval is wider, because the error itself is estimated from only a few labels."
    )
    head = ("Mean score" if report.protocol == "dialogue" else "Win rate (a tie is half)", "Raw", "95 % interval")
    grid = Grid((*head, "Corrected", "95 % interval", "Cases"), rows)
    return Section("Corrected for the judge’s errors", [said], [grid], after=grouped_reasons(reasons))


def weights_section(report: AgreementReport, rubric: Rubric) -> Section | None:
    """Build the section on the criterion weights learned from the labels, or return None if there are none."""
    found = report.weights
    if found is None or found.weights is None:
        return None
    names = criterion_names(found.defaults, rubric)
    rows = [(names[key], rounded(default), rounded(found.weights[key])) for key, default in found.defaults.items()]
    loss = f"mean square {rounded(found.loss, 3)} against {rounded(found.default_loss, 3)}"
    better, so = ("better", "") if found.better else ("no better", ": keep those")
    said = f"On held-out cases they predict people {better} than the rubric’s own ({loss}){so}."
    return Section("Weights that these labels would give", [said], [Grid(("Criterion", "Rubric", "Learned"), rows)])


def calibration_section(report: AgreementReport) -> Section | None:
    """Build the section on confidence and correctness, and on the map to people’s scale."""
    said, grids, found = [], [], report.calibration
    if report.calibration_error is not None and report.counted:
        apart = rounded(100 * report.calibration_error, 1)
        said.append(f"The judge’s confidence and how often it is right are {apart} points apart on average.")
    if found is not None:
        if found.errors:
            errors = [(_MAPS[name], rounded(error)) for name, error in found.errors.items()]
            grids.append(Grid(("Held-out error (root mean square)", "Points"), errors))
        said.append(
            f"No map to people’s scale is worth using: {found.reason}."
            if found.chosen is None
            else f"The {found.chosen.kind} map from the judge’s score to people’s is most accurate on held-out cases."
        )
    chart = calibration_chart(report)
    if not chart and not said and not report.by_margin:
        return None
    if report.by_margin:
        said.append("How often the judge is right by how far apart its totals are:")
        bins = [(rounded(it.low), rounded(it.high), it.right) for it in report.by_margin]
        rows = [(low if low == high else f"{low} to {high}", *both("accuracy", right)) for low, high, right in bins]
        grids.append(Grid(("Totals apart", "Right", "95 % interval"), rows))
    return Section("Calibration", said, grids, pictures=chart)


# -- other judges, other times ----------------------------------------------------------------------------------------


def against_section(report: AgreementReport) -> Section | None:
    """Build the section that compares with another judge or rubric on the same labels."""
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
    grids, curve = [_changes_grid(report.run, other.run, other.metrics)], other.cascade
    if curve is not None and curve.reason:
        said.append(f"No cost–agreement curve: {curve.reason}.")
    elif curve is not None:
        grids.append(_cascade_grid(curve))
        said.append("A threshold chosen by these labels will agree a little less on new cases.")
    return Section(f"Beside {other.run}", said, grids, pictures=cost_chart(curve) if curve else [])


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
    said, grids = [], []
    for run in report.earlier:
        whose = "the same" if run.paired else "other, its own"
        start = f"{run.run}, {run.created[:10] or 'undated'}, {whose} {many(run.cases, 'labelled case')}"
        if not run.same_judge:
            said.append(f"{start}: another judge or rubric ({run.judge}, {run.rubric}), so a change is not drift.")
        said += [f"{start}: {_change_sentence(name, change)}" for name, change in run.metrics.items()]
        grids.append(_changes_grid(run.run, report.run, run.metrics))
    return Section("Over time", said, grids)


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
    said = [
        "Kappa is agreement beyond what the two base rates alone would give: 0 is none, 1 is all. Read it beside the "
        "base rate: where nearly all labels are the same, it is low even for a good judge.",
        "Intervals are 95 % intervals, from draws of cases with replacement, or by Wilson’s formula for a share of "
        "independent cases. Copies of a case are drawn together.",
        "People’s label of a case is the label most of them gave, or the median of numbers. If votes are tied, the "
        "case is in no figure.",
    ]
    if report.protocol == "compare":
        said.append("Rank correlations use how far A’s total is ahead of B’s.")
    if report.protocol == "dialogue":
        said.append("Distances are in points of the rubric’s scale. Rank correlations use the weighted average.")
    if report.weights is not None and report.weights.weights is None:
        said.append(f"Left out for lack of figures: Weights: {report.weights.reason}.")
    return Section("How to read it", said)
