"""Builds the sections on the judge and people: one table of the judge, other people and simple rules, each person and
the judge in their place, and at the end all measures."""

from __future__ import annotations

from collections.abc import Mapping

from ...agreement.report import AgreementReport
from ...agreement.report.people import JUDGE, NEAR, ONE_PERSON
from ...models.figures import Figure
from ...rendering.document import Grid, Section
from ...rendering.wording import many, p_value, percent, rounded_percent
from .charts import (
    METRICS,
    SHORT,
    Figures,
    beside_bars,
    both,
    confusion_matrix,
    grouped_reasons,
    row_of,
    value_of,
    who,
    with_bounds,
)
from .finding import cases_of, headline_figures, mostly_guessed

_BIASES = "and biases by length, lists, bold type or own answers leave"


def agreement_section(report: AgreementReport) -> Section:
    """Build the section that compares the judge with people and with simple rules."""
    sentences, guesses = [], report.best_guesses
    leading = headline_figures(report)
    person, judge = row_of(leading, ONE_PERSON), row_of(leading, JUDGE)
    main = report.measured.headline[0]
    if leading.base_rates:
        rates = (f"{report.measured.name_of(value)} in {percent(rate)}" for value, rate in leading.base_rates.items())
        decided = " that the judge decided" if guesses is not None and leading is report else ""
        sentences.append(f"People’s labels are {', '.join(rates)} of {cases_of(leading)}{decided}.")
    if person and (single := judge[main].cases - person[main].cases):
        were = "was labelled by one person only: it counts" if single == 1 else "were labelled by one only: they count"
        sentences.append(f"{many(single, 'case')} {were} for the judge, but not for people among themselves.")
    if report.people_alpha is not None:
        sentences.append(
            f"Krippendorff’s alpha of people among themselves: {with_bounds('alpha', report.people_alpha)}."
        )
    if guesses is not None:
        sentences.append(
            "Where the judge did not decide, its best guess counts in the rows that say so; the confusion matrix "
            f"{_BIASES if report.two_sides else 'leaves'} these cases out."
            if report.counted
            else "The judge decided no labelled case: all figures here use its best guesses."
        )
    # If nothing was decided, every figure is missing for that one reason, which is given above.
    counted = [it for it in (report, guesses) if it is not None and (it is not report or report.counted)]
    reasons = (
        (f"{SHORT[name]}, {who(of, report).lower()}{'' if figures is report else ', with best guesses'}", it.reason)
        for figures in counted
        for of in (JUDGE, ONE_PERSON)
        for name, it in row_of(figures, of).items()
    )
    return Section(
        "Agreement: the judge and people",
        sentences,
        [_main_grid(report, counted), _people_grid(report), _criteria_grid(report)],
        pictures=[*(beside_bars(report, figures) for figures in counted), *confusion_matrix(report)],
        after=grouped_reasons(reasons),
    )


def _main_grid(report: AgreementReport, every: list[Figures]) -> Grid:
    """Build the table of the judge, other people and simple rules, all compared with one person."""
    first, second = report.measured.headline
    one = "a person" if row_of(report, ONE_PERSON) else "people"
    measure = f"Points from {one}" if first == "mae" else f"Same as {one}"
    head, rows = ("Who", measure, "95 % interval", SHORT[second], "95 % interval", "Cases"), []
    for figures in every:
        if report.best_guesses is not None:
            rows.append(("Where it decides" if figures is report else "With its best guesses", *[""] * (len(head) - 1)))
        for row in figures.beside:
            cells = (*both(first, row.figures[first]), *both(second, row.figures[second]))
            rows.append((who(row.name, report, figures), *cells, f"{row.figures[first].cases:,}"))
    return Grid(head, rows)


def _people_grid(report: AgreementReport) -> Grid:
    """Build the table of people: each of them, and the judge in their place, against the same other people."""
    name, rows, guesses = report.measured.headline[0], [], mostly_guessed(report)
    found = report.stand_in if guesses is None else guesses.stand_in
    tested = found.tested > 0
    for it in found.people:
        near = rounded_percent(it.advantage), rounded_percent(it.own_advantage)
        test = ("–", "–") if it.p is None else (p_value(it.p), "yes" if it.wins else "no")
        sides = (value_of(name, figure) for figure in (it.own, it.judge))
        rows.append((it.person, *sides, *near, *(test if tested else ()), f"{it.cases:,}"))
    measure = "Points from the others" if name == "mae" else "Same as the others"
    near = "Judge at least as near", "Person at least as near"
    head = (
        "Person" if guesses is None else "Person, with best guesses",
        measure,
        "Judge in their place",
        *near,
        *(("p", "Judge wins") if tested else ()),
        "Cases",
    )
    return Grid(head, rows)


def _criteria_grid(report: AgreementReport) -> Grid:
    rows = []
    for row in report.by_criterion:
        alpha, others = row.figures["alpha_interval"], [value_of(it, row.figures[it]) for it in ("mae", "spearman")]
        rows.append((row.name, others[0], *both("alpha_interval", alpha), others[1], f"{alpha.cases:,}"))
    return Grid(("Criterion", "Mean distance", "Alpha, interval", "95 % interval", "Spearman", "Cases"), rows)


def _with_wanted(name: str, figure: Figure, more_labels: Mapping[str, int | None]) -> tuple[str, ...]:
    """Return four cells: the figure, its interval, its cases, and how many more labels would narrow the interval."""
    more = more_labels.get(name)
    return *both(name, figure), f"{figure.cases:,}", "–" if more is None else f"{more:,}" if more else "enough"


def measures_section(report: AgreementReport) -> Section:
    """Build the table of all measures against people's joint label."""
    guesses, rows = report.best_guesses, []
    for name, figure in report.metrics.items():
        guess = None if guesses is None else guesses.metrics[name]
        if figure.value is None and (guess is None or guess.value is None):
            continue
        cells = _with_wanted(name, figure, report.more_labels)
        guessed = () if guesses is None else _with_wanted(name, guesses.metrics[name], guesses.more_labels)
        rows.append((METRICS[name], *cells, *guessed))
    rest = ("95 % interval", "Cases", f"More labels for ±{100 * NEAR:g} points")
    head = ("Measure", "Value", *rest, *(() if guesses is None else ("With best guesses", *rest)))
    several = bool(row_of(report, ONE_PERSON))
    joint = "the label that most people gave, or the median of numbers" if several else "people’s label"
    left = f" {many(report.tied, 'case')} without a majority {'is' if report.tied == 1 else 'are'} left out."
    reasons = grouped_reasons((METRICS[name], it.reason) for name, it in report.metrics.items())
    guess_reasons = grouped_reasons(
        (f"{METRICS[name]}, with best guesses", it.reason) for name, it in (guesses.metrics if guesses else {}).items()
    )
    return Section(
        "All measures",
        [f"The judge against {joint}.{left if report.tied else ''}"],
        [Grid(head, rows)],
        after=[*(reasons if report.counted else ()), *guess_reasons],
    )
