"""Builds the sections of an agreement report on the measurements: the judge against itself, the judge and people,
and disagreements. All of it is plain data."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from types import SimpleNamespace

from ...agreement.report import AgreementReport
from ...agreement.report.disagreements import DisputedCase
from ...agreement.report.measures import HEADLINES, NEAR, BestGuesses
from ...models.figures import Figure
from ...rubric import Rubric
from ..document import Grid, Section
from ..escaping import shorten
from ..wording import criterion_names, many, percent, rounded, rounded_percent
from .charts import (
    METRICS,
    SHORT,
    beside_bars,
    both,
    confusion_matrix,
    constant_of,
    grouped_reasons,
    side,
    who,
    with_bounds,
)

_LONG = 240
_FIRST_LOOK = "The cause is often something that the rubric does not say: read the first few before blaming the judge."


def consistency_section(report: AgreementReport) -> Section:
    """Build the section on how far the judge agrees with itself."""
    found = report.consistency
    jury = "rate the dialogue alike" if report.protocol == "dialogue" else "prefer the same answer"
    told = {
        "The same winner in both orders": found.orders,
        f"All members of the jury {jury}": found.jurors,
        "The Critic objects to nothing": found.critic,
    }
    for run in report.earlier:
        if run.same_judge:
            told[f"The same verdict as in {run.run}, by the same judge and rubric"] = run.same_verdicts
    said = []
    for what, it in told.items():
        if it is not None:
            value, bounds = both("accuracy", it)
            said.append(f"{what}: {value} of {many(it.cases, 'case')} ({bounds}).")
    nothing = (
        "This run judged every case once. Both orders, a jury, or an earlier run of the same judge (--earlier) would "
        "show how far the judge agrees with itself."
    )
    return Section("Consistency: the judge against itself", said or [nothing])


def agreement_section(report: AgreementReport) -> Section:
    """Build the section that compares the judge with people and with simple rules."""
    said, guesses = [], report.best_guesses
    if report.base_rates:
        rates = (f"{side(value, report.protocol)} in {percent(rate)}" for value, rate in report.base_rates.items())
        said.append(f"Base rates of people’s labels: {', '.join(rates)}.")
    if report.people_alpha is not None:
        said.append(f"People among themselves have an alpha of {with_bounds('alpha', report.people_alpha)}.")
    if guesses is not None:
        said.append(
            "Where the judge did not decide, its best guess counts in the tables that say so; the confusion matrix "
            "and biases by length, lists, bold type or own answers leave these cases out."
            if report.counted
            else "The judge decided no labelled case: all figures here use its best guesses."
        )
    each: list[AgreementReport | BestGuesses] = [report, *([guesses] if guesses else [])]
    main, grids = {name: SHORT[name] for name in HEADLINES[report.protocol]}, []
    for figures in each:
        constant, guessed = constant_of(report, figures), figures is not report
        lines = [(who(row.name, constant, guessed=guessed), row.figures) for row in figures.beside]
        grids += [_lines("Who", lines, main, main), _metrics_grid(figures, guessed=guessed)]
    grids.append(_lines("Person against the others", report.people.items(), main, ()))
    rated = [(row.name, row.figures) for row in report.by_criterion]
    columns = {"mae": "Mean distance", "alpha_interval": "Alpha, interval", "spearman": "Spearman"}
    grids.append(_lines("Criterion", rated, columns, ["alpha_interval"]))
    # If nothing was decided, every figure is missing for that one reason, which is said above.
    counted = [figures for figures in each if figures is not report or report.counted]
    reasons = grouped_reasons(
        (METRICS[name] if figures is report else f"{METRICS[name]}, with best guesses", it.reason)
        for figures in counted
        for name, it in figures.metrics.items()
    )
    bars = [beside_bars(report, figures) for figures in counted]
    return Section(
        "Agreement: the judge and people",
        said,
        grids,
        pictures=[*bars, *confusion_matrix(report)],
        after=reasons,
    )


def _lines(
    what: str, lines: Iterable[tuple[str, Mapping[str, Figure]]], columns: Mapping[str, str], bounded: Collection[str]
) -> Grid:
    """Build a table with a row per name: a figure per column, an interval if it is in `bounded`, and the cases."""
    head, rows = [what], []
    for name, heading in columns.items():
        head += [heading, "95 % interval"] if name in bounded else [heading]
    for label, figures in lines:
        cells = (cell for name in columns for cell in both(name, figures[name])[: 2 if name in bounded else 1])
        rows.append((label, *cells, f"{figures[next(iter(bounded or columns))].cases:,}"))
    return Grid((*head, "Cases"), rows)


def _metrics_grid(figures: AgreementReport | BestGuesses, *, guessed: bool) -> Grid:
    """Build the table of the measures that have a value."""
    rows = []
    for name, figure in figures.metrics.items():
        if figure.value is not None:
            more = figures.more_labels.get(name)
            wanted = "–" if more is None else f"{more:,}" if more else "enough"
            rows.append((METRICS[name], *both(name, figure), f"{figure.cases:,}", wanted))
    measure = "Measure, with its best guesses" if guessed else "Measure"
    return Grid((measure, "Value", "95 % interval", "Cases", f"More labels for ±{100 * NEAR:g} points"), rows)


# -- where judge and people differ -----------------------------------------------------------------------------------


def disputed_section(report: AgreementReport, rubric: Rubric) -> Section | None:
    """Build the section of disagreements: counts, and a card for each case."""
    found, title = report.disputed, "Where they differ"
    if not found.labelled:
        return None
    labelled = many(found.labelled, "labelled and decided case")
    if not found.total:
        return Section(title, [f"Judge and people agree on all {labelled}."])
    names = criterion_names([group.name for group in found.by_criterion], rubric)
    first = "most confident" if report.protocol == "compare" else "farthest apart"
    said = f"{found.total:,} of {labelled}, {first} first."
    if report.labels.at_random is not None:
        said += " They include cases picked because the judge was unsure, so these counts are not rates of the run."
    kinds = [(kind, f"{count:,}") for kind, count in found.by_kind.items()]
    moved = [(names[it.name], f"{it.differ:,}", f"{it.cases:,}") for it in found.by_criterion if it.differ]
    head = ("Criterion that moved the verdict", "They differ", "Labelled cases it moved")
    rest = found.total - len(found.cases)
    return Section(
        title,
        [said, _FIRST_LOOK],
        [Grid(("Kind", "Cases"), kinds), Grid(head, moved)],
        cards=[_card(report, each, rubric) for each in found.cases],
        after=[f"{many(rest, 'more is', 'more are')} not listed: --limit shows more."] if rest else [],
    )


def _card(report: AgreementReport, found: DisputedCase, rubric: Rubric) -> SimpleNamespace:
    """Build the card of a disagreement. Text and Markdown use its `sentences`; a page uses the other fields."""
    votes = [f"{name} {side(vote, report.protocol)}" for name, vote in found.votes.items()]
    about = list(found.kinds)
    if found.confidence is not None:
        about.append(f"{rounded_percent(found.confidence)} sure")
    if found.margin is not None and report.protocol != "review":
        about.append(f"{rounded(found.margin)} apart")
    if found.stratum is not None:
        about.append("drawn at random" if found.stratum == "random" else "picked as doubtful")
    criterion = "" if found.criterion is None else criterion_names([found.criterion], rubric)[found.criterion]
    reason, told = shorten(found.reason, _LONG), ", ".join(about)
    sentences = [f"{found.opening} ({told})", criterion and f"Moved by {criterion}.", reason and f"The judge: {reason}"]
    return SimpleNamespace(
        found=found,
        judge=f"judge {side(found.judge, report.protocol)}",
        people=f"people {side(found.human, report.protocol)}" + (f" ({', '.join(votes)})" if len(votes) > 1 else ""),
        about=told,
        criterion=criterion,
        reason=reason,
        sentences=[*filter(None, sentences), *(f"{source}: “{quote}”" for source, quote in found.quotes)],
    )
