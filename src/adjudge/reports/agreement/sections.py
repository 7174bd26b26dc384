"""The sections of an agreement report in reading order: sentences, tables and pictures, all of them plain data."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...agreement.report.beside import BestGuesses
from ...agreement.report.build import AgreementReport
from ...agreement.report.disagreements import DisputedCase
from ...agreement.report.remedies import MEAN
from ...agreement.report.scoring import HEADLINES, NEAR
from ...agreement.statistics.intervals import Difference
from ...agreement.statistics.metrics import Figure
from ...models.rows import Protocol
from ...rubric import Rubric
from ..run.document import Grid
from ..run.pictures import Picture
from ..run.wording import many, number, p_is, percent, rounded_percent, signed
from ..wording import criterion_names
from .charts import (
    Chart,
    Matrix,
    beside_bars,
    calibration_chart,
    confusion_matrix,
    constant_of,
    cost_chart,
    length_chart,
    time_chart,
)
from .wording import HABITS, METRICS, SHORT, interval_of, points, side, told_once, value_of, who, with_bounds

_LONG = 240


@dataclass(frozen=True, slots=True)
class DisputedCard:
    """A disagreement as a reader sees it."""

    case: str
    opening: str
    judge: str
    people: str
    about: str
    criterion: str
    reason: str
    quotes: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class AgreementSection:
    """A heading, sentences, tables and pictures; `key` is its place on the page, `short` what leads there. `after`
    stands below the tables. With a reason in `why_bare` it is left out if it has neither a table nor a picture."""

    key: str
    short: str
    title: str
    sentences: tuple[str, ...]
    grids: tuple[Grid, ...] = ()
    pictures: tuple[Picture | Chart | Matrix, ...] = ()
    cards: tuple[DisputedCard, ...] = ()
    after: tuple[str, ...] = ()
    why_bare: str = ""


def sections_of(report: AgreementReport, rubric: Rubric) -> tuple[AgreementSection, ...]:
    """Those that have something to say."""
    sections = [_consistency(report), _agreement(report), _bias(report), _disputed(report, rubric)]
    sections += [_corrected(report), _weights(report, rubric), _calibration(report)]
    sections += [_against(report), _over_time(report), _how_to_read(report)]
    found = [replace(it, grids=tuple(filter(_has_figures, it.grids))) for it in sections if it is not None]
    bare = [it for it in found if it.why_bare and not (it.grids or it.pictures)]
    shown = [it for it in found if it not in bare]
    if bare:
        left = told_once((it.short, it.why_bare) for it in bare)
        shown[-1] = replace(
            shown[-1], sentences=(*shown[-1].sentences, f"Left out for lack of figures: {' '.join(left)}")
        )
    return tuple(shown)


def _has_figures(grid: Grid) -> bool:
    """Whether a table says anything: a dash is no figure, and how many cases there are is none of the judge's."""
    counts = {at for at, name in enumerate(grid.head) if name == "Cases" and len(grid.head) > grid.names + 1}
    return any(cell != "–" for row in grid.rows for at, cell in enumerate(row) if at >= grid.names and at not in counts)


# -- the judge against itself, and people -----------------------------------------------------------------------------


def _consistency(report: AgreementReport) -> AgreementSection:
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


def _agreement(report: AgreementReport) -> AgreementSection:
    protocol = report.protocol
    said = []
    if report.base_rates:
        rates = ", ".join(
            f"{side_name(value, protocol)} in {percent(rate)}" for value, rate in report.base_rates.items()
        )
        said.append(f"Base rates, what people say: {rates}.")
    if report.people_alpha is not None:
        said.append(f"People among themselves have an alpha of {with_bounds('alpha', report.people_alpha)}.")
    both = [report] if report.best_guesses is None else [report, report.best_guesses]
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


def _bias(report: AgreementReport) -> AgreementSection | None:
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
                *(points(_bounded(habit.followed)), _point_bounds(habit.followed)),
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


def _point_bounds(figure: Figure | None) -> str:
    if figure is None or figure.interval is None:
        return "–"
    return f"{signed(100 * figure.interval[0], 1)} to {signed(100 * figure.interval[1], 1)}"


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
        f"hundred verdicts {way} it ({_point_bounds(habit.followed)}); {wins}."
    )


# -- where they differ ------------------------------------------------------------------------------------------------


def _disputed(report: AgreementReport, rubric: Rubric) -> AgreementSection | None:
    found = report.disputed
    if not found.labelled:
        return None
    if not found.total:
        said = f"Judge and people say the same of all {many(found.labelled, 'labelled and decided case')}."
        return AgreementSection("differ", "Where they differ", "Where they differ", (said,))
    names = criterion_names([group.name for group in found.by_criterion], rubric)
    first = "most confident" if report.protocol == "compare" else "farthest apart"
    said = f"{found.total:,} of {many(found.labelled, 'labelled and decided case')}, {first} first."
    if report.labels.at_random is not None:
        said += " Cases picked for their doubts are among them: these counts are no rates of the run."
    grids = []
    if found.by_kind:
        grids.append(Grid(("Kind", "Cases"), tuple((kind, f"{count:,}") for kind, count in found.by_kind.items())))
    if groups := [group for group in found.by_criterion if group.differ]:
        rows = tuple((names[group.name], f"{group.differ:,}", f"{group.cases:,}") for group in groups)
        grids.append(Grid(("Criterion that moved the verdict", "They differ", "Labelled cases it moved"), rows))
    cards = tuple(_card(report, each, rubric) for each in found.cases)
    rest = found.total - len(cards)
    after = (f"{many(rest, 'more is', 'more are')} not listed: --limit shows more.",) if rest else ()
    hint = "A first look mostly finds something the rubric does not say: read the first few before blaming the judge."
    return AgreementSection(
        "differ", "Where they differ", "Where they differ", (said, hint), tuple(grids), cards=cards, after=after
    )


def _card(report: AgreementReport, found: DisputedCase, rubric: Rubric) -> DisputedCard:
    votes = ""
    if len(found.votes) > 1:
        votes = f" ({', '.join(f'{name} {side(vote, report.protocol)}' for name, vote in found.votes.items())})"
    about = list(found.kinds)
    if found.confidence is not None:
        about.append(f"{rounded_percent(found.confidence)} sure")
    if found.margin is not None and report.protocol != "review":
        about.append(f"{number(found.margin)} apart")
    if found.stratum is not None:
        about.append("drawn at random" if found.stratum == "random" else "picked for its doubts")
    criterion = "" if found.criterion is None else criterion_names([found.criterion], rubric)[found.criterion]
    return DisputedCard(
        case=found.case,
        opening=found.opening,
        judge=f"judge {side(found.judge, report.protocol)}",
        people=f"people {side(found.human, report.protocol)}{votes}",
        about=", ".join(about),
        criterion=criterion,
        reason=found.reason if len(found.reason) <= _LONG else f"{found.reason[: _LONG - 1].rstrip()}…",
        quotes=found.quotes,
    )


# -- what corrects it -------------------------------------------------------------------------------------------------


def _corrected(report: AgreementReport) -> AgreementSection | None:
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


def _weights(report: AgreementReport, rubric: Rubric) -> AgreementSection | None:
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


def _calibration(report: AgreementReport) -> AgreementSection | None:
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


# -- other judges, other times ----------------------------------------------------------------------------------------


def _against(report: AgreementReport) -> AgreementSection | None:
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
        bounds = _point_bounds(found.change) if share else interval_of(name, found.change)
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


def _over_time(report: AgreementReport) -> AgreementSection | None:
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


def _how_to_read(report: AgreementReport) -> AgreementSection:
    said = [
        "Kappa is agreement beyond what the two base rates alone would give: 0 is none, 1 is all. Read it beside the "
        "base rate: where nearly all labels are the same, it is low however good the judge.",
        "Intervals hold 95 %: of draws of cases with replacement, or by Wilson’s formula for a share of independent "
        "cases. Copies of a case are drawn together.",
        "People’s word on a case is the label of most of them, or the median of numbers. Where votes draw, the case is "
        "in no figure.",
    ]
    if report.protocol == "compare":
        said.append("Rank correlations take how far A’s total is ahead of B’s.")
    if report.protocol == "dialogue":
        said.append("Distances are in points of the rubric’s scale. Rank correlations take the weighted average.")
    return AgreementSection("reading", "How to read it", "How to read it", tuple(said))
