"""Sections on what was measured: the judge against itself, the judge and people, bias."""

from __future__ import annotations

from ...agreement.figures import Figure
from ...agreement.report.build import AgreementReport
from ...agreement.report.measures import HEADLINES, NEAR, BestGuesses
from ...models.rows import Protocol
from ..run.document import Grid
from ..run.pictures import Picture
from ..run.wording import many, percent
from .charts import (
    Chart,
    Matrix,
    beside_bars,
    confusion_matrix,
    constant_of,
    length_chart,
)
from .parts import AgreementSection
from .wording import (
    HABITS,
    METRICS,
    SHORT,
    interval_of,
    point_bounds,
    points,
    side,
    told_once,
    value_of,
    who,
    with_bounds,
)


def consistency_section(report: AgreementReport) -> AgreementSection:
    """The judge against itself."""
    found, said = report.consistency, []
    if found.orders is not None:
        said.append(f"The same winner in both orders: {_share(found.orders)}.")
    if found.jurors is not None:
        said.append(f"All members of the jury prefer the same answer: {_share(found.jurors)}.")
    if found.critic is not None:
        said.append(f"The Critic objects to nothing: {_share(found.critic)}.")
    said += [
        f"The same verdict as in {run.run}, by the same judge and rubric: {_share(run.same_verdicts)}."
        for run in report.earlier
        if run.same_judge and run.same_verdicts is not None
    ]
    if not said:
        said.append(
            "This run judged every case once. Both orders, a jury, or an earlier run of the same judge (--earlier) "
            "would say how far the judge agrees with itself."
        )
    return AgreementSection("consistency", "Consistency", "Consistency: the judge against itself", tuple(said))


def _share(figure: Figure) -> str:
    return f"{value_of('accuracy', figure)} of {many(figure.cases, 'case')} ({interval_of('accuracy', figure)})"


def agreement_section(report: AgreementReport) -> AgreementSection:
    """The judge and people, beside simple rules."""
    protocol = report.protocol
    said = []
    if report.base_rates:
        rates = ", ".join(
            f"{side_name(value, protocol)} in {percent(rate)}" for value, rate in report.base_rates.items()
        )
        said.append(f"Base rates, what people say: {rates}.")
    if report.people_alpha is not None:
        said.append(f"People among themselves have an alpha of {with_bounds('alpha', report.people_alpha)}.")
    both: list[AgreementReport | BestGuesses] = [report]
    if report.best_guesses is not None:
        both.append(report.best_guesses)
    if not report.counted and report.best_guesses is not None:
        said.append("The judge decided no labelled case: all figures here take its best guesses.")
    grids = [grid(report, figures) for figures in both for grid in (_beside_grid, _metrics_grid)]
    if report.people:
        grids.append(_people_grid(report))
    if report.by_criterion:
        head = ("Criterion", "Mean distance", "Alpha, interval", "95 % interval", "Spearman", "Cases")
        rows = []
        for row in report.by_criterion:
            alpha = row.figures["alpha_interval"]
            rows.append(
                (
                    *(row.name, value_of("mae", row.figures["mae"]), value_of("alpha", alpha)),
                    *(interval_of("alpha", alpha), value_of("spearman", row.figures["spearman"]), f"{alpha.cases:,}"),
                )
            )
        grids.append(Grid(head, tuple(rows)))
    # Where nothing was decided, that is the only reason, and it is said already.
    counted = [figures for figures in both if figures is not report or report.counted]
    reasons = told_once(
        (METRICS[name] if figures is report else f"{METRICS[name]}, with best guesses", it.reason)
        for figures in counted
        for name, it in figures.metrics.items()
    )
    pictures: list[Picture | Chart | Matrix] = [beside_bars(report, figures) for figures in counted]
    if (matrix := confusion_matrix(report)) is not None:
        pictures.append(matrix)
    return AgreementSection(
        "agreement",
        "Agreement",
        "Agreement: the judge and people",
        tuple(said),
        tuple(grids),
        tuple(pictures),
        after=tuple(reasons),
    )


def side_name(value: str, protocol: Protocol) -> str:
    """A base rate's class; those of a dialogue are numbers already."""
    return value if protocol == "dialogue" else side(value, protocol)


def _beside_grid(report: AgreementReport, figures: AgreementReport | BestGuesses) -> Grid:
    names = HEADLINES[report.protocol]
    head = ("Who", *(cell for name in names for cell in (SHORT[name], "95 % interval")), "Cases")
    rows = []
    for row in figures.beside:
        cells = [
            cell for name in names for cell in (value_of(name, row.figures[name]), interval_of(name, row.figures[name]))
        ]
        name = who(row.name, constant_of(report, figures), guessed=figures is not report)
        rows.append((name, *cells, f"{row.figures[names[0]].cases:,}"))
    return Grid(head, tuple(rows))


def _metrics_grid(report: AgreementReport, figures: AgreementReport | BestGuesses) -> Grid:
    """The measures that have a value."""
    rows = []
    for name, figure in figures.metrics.items():
        if figure.value is None:
            continue
        more = figures.more_labels.get(name)
        wanted = "–" if more is None else "enough" if more == 0 else f"{more:,}"
        rows.append((METRICS[name], value_of(name, figure), interval_of(name, figure), f"{figure.cases:,}", wanted))
    near = f"More labels for ±{100 * NEAR:g} points"
    measure = "Measure" if figures is report else "Measure, with its best guesses"
    return Grid((measure, "Value", "95 % interval", "Cases", near), tuple(rows))


def _people_grid(report: AgreementReport) -> Grid:
    names = HEADLINES[report.protocol]
    rows = [
        (person, *(value_of(name, figures.get(name)) for name in names), f"{figures[names[0]].cases:,}")
        for person, figures in report.people.items()
        if names[0] in figures
    ]
    return Grid(("Person against the others", *(SHORT[name] for name in names), "Cases"), tuple(rows))


# -- bias -------------------------------------------------------------------------------------------------------------


def bias_section(report: AgreementReport) -> AgreementSection | None:
    """What moves the judge besides quality."""
    bias = report.bias
    if bias is None or not report.biases:
        return None
    said = [bias_sentence(report, name) for name in report.biases]
    grids = []
    if bias.habits:
        head = (
            "What may move it",
            "Judge",
            "People",
            "Decided by it",
            "95 % interval",
            "Agreement, controlled",
            "Cases",
        )
        rows = [
            (
                *(HABITS[habit.name], value_of("accuracy", habit.more_wins), value_of("accuracy", habit.people)),
                *(points(_bounded(habit.followed)), point_bounds(habit.followed)),
                *(value_of("accuracy", _bounded(habit.balanced_agreement)), f"{habit.more_wins.cases:,}"),
            )
            for habit in bias.habits
        ]
        grids.append(Grid(head, tuple(rows)))
    after = (
        "Judge and People: how often the answer with more of it wins. Decided by it: in how many of a hundred verdicts "
        "it decides, beyond what people themselves prefer; 0 is fair. Controlled: agreement where people prefer the "
        "answer with more and where they prefer the one with less, both counted equally.",
    )
    chart = length_chart(report)
    return AgreementSection(
        *(
            "bias",
            "Bias",
            "Bias: what moves the judge besides quality",
            tuple(said),
            tuple(grids),
            (chart,) if chart else (),
        ),
        after=after if bias.habits else (),
    )


def _bounded(figure: Figure | None) -> Figure | None:
    """The figure if it has an interval: what rests on a case or two on one side would mislead without."""
    return figure if figure is not None and figure.interval is not None else None


def bias_sentence(report: AgreementReport, name: str) -> str:
    """Whether a bias was found, and the figures that say so."""
    bias, found = report.bias, report.biases[name]
    assert bias is not None
    if name == "order":
        first = bias.order.first_wins
        at = f"the answer shown first wins {with_bounds('accuracy', first)} of {many(first.cases, 'case')}"
        flips = bias.order.flips
        turned = f"; the winner changes with the order in {value_of('accuracy', flips)}" if flips.cases else ""
        if found is None and first.value == 0.5 and not flips.value:
            return f"No order bias: {at}{turned}."
        start = {True: "Order bias", False: "No order bias found", None: "Order, too few cases to tell"}[found]
        return f"{start}: {at}{turned}."
    habit = next(each for each in bias.habits if each.name == name)
    what = HABITS[name].lower()
    wins = f"{what} wins {value_of('accuracy', habit.more_wins)} with the judge"
    if habit.people is not None:
        wins += f" and {value_of('accuracy', habit.people)} with people"
    title = {"self-preference": "self-preference"}.get(name, f"bias by {name}")
    if found is None:
        reason = habit.followed.reason if habit.followed is not None else "no labels to tell by"
        return f"{title.capitalize()}, not known: {wins} ({reason})."
    if not found:
        return f"No {title} found: {wins}."
    assert habit.followed is not None
    way = "goes to" if (habit.followed.value or 0) > 0 else "goes against"
    return (
        f"{title.capitalize()}: beyond people’s own preference, {points(habit.followed, sign=False).lstrip('−')} in a "
        f"hundred verdicts {way} it ({point_bounds(habit.followed)}); {wins}."
    )
