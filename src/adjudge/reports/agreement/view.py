"""How far a judge agrees with people, in words: what was found, what to know before trusting it, and the sections in
reading order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ...agreement.figures import Figure
from ...agreement.report.build import AgreementReport
from ...agreement.report.measures import HEADLINES, ONE_PERSON, BestGuesses
from ...rubric import Rubric
from ..document import Document, Grid, Section
from ..origin import judge_note
from ..wording import listed, many, percent, rounded, rounded_percent
from .charts import constant_of
from .figures import ENDINGS, RULES, value_of, who, with_bounds
from .remedies import against_section, calibration_section, corrected_section, over_time_section, weights_section
from .sections import (
    agreement_section,
    bias_section,
    bias_sentence,
    consistency_section,
    disputed_section,
    reading_section,
)

_FEW = 30  # labelled cases: fewer say little
_MOSTLY_DECIDED = 0.9


def agreement_document(report: AgreementReport, rubric: Rubric) -> Document:
    """The report in words; the rubric names the criteria."""
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
    """Those that have something to say, in reading order, each with its place on a page and what leads there."""
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
    """Whether a table says anything: a dash is no figure, and how many cases there are is none of the judge's."""
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
        # A judge that leaves most cases open may be right in nearly all the others: both belong in one line.
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
        said += f"it says what people say in {with_bounds(first, main)}; kappa is {_known(second, beside)}"
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
        f"With its best guess where it did not decide, over {many(guesses.cases, 'case')}, it says what people say in "
        f"{with_bounds('accuracy', same)}; kappa is {_known('kappa', kappa)}, where always saying "
        f"{constant_of(report, guesses)} would be right in {rate}."
    )


def _known(name: str, figure: Figure) -> str:
    """The figure; why there is none stands below the tables, once for all figures."""
    return "not defined" if figure.value is None else with_bounds(name, figure)


def _left(report: AgreementReport) -> str:
    return ", ".join(f"{count:,} {ENDINGS.get(why, why)}" for why, count in report.left_out.items())


def _cautions(report: AgreementReport) -> Iterable[str]:
    main = HEADLINES[report.protocol][0]
    if report.counted < _FEW and report.counted:
        yield f"Only {many(report.counted, 'labelled case')} can be counted: the intervals say how little that is."
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
        yield "The labelled cases are taken for a random sample of the run: nobody recorded how they were chosen."
    elif labels.cases > labels.at_random:
        yield (
            f"Figures rest on the {many(labels.at_random, 'case')} drawn at random. The other "
            f"{labels.cases - labels.at_random:,} were picked because the judge was unsure: they show where it fails, "
            "and are in no figure."
        )
    if report.sampled:
        yield "The run is large: what is said of all its cases rests on a random sample of them."
    yield from (f"{note[0].upper()}{note[1:]}." for note in labels.notes if note)
    yield from filter(None, [judge_note(report.judge)])
