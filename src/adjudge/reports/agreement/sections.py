"""Builds the sections of an agreement report on what was found: the judge and people, all measures, slices, the judge
against itself, and where judge and people differ."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...agreement.report import AgreementReport
from ...agreement.report.disagreements import DisputedCase
from ...agreement.report.people import JUDGE, NEAR, ONE_PERSON
from ...agreement.report.slices import CRITERION, LANGUAGE, Slice
from ...models.figures import Figure
from ...protocols.base import protocol_of
from ...rendering.document import CaseCard, Grid, Section
from ...rendering.escaping import shorten
from ...rendering.wording import criterion_names, many, p_is, p_value, percent, rounded, rounded_percent
from ...rubric import Rubric
from ...statistics.agreement import Value
from ...statistics.slices import LEAST
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
_MOST_SENTENCES, _MOST_ROWS, _MOST_PLACES = 3, 30, 40
_NAMES = {CRITERION: "deciding criterion"}
_READ = (
    "Each slice is compared with the other cases of which this is known. The adjusted p allows for the number of "
    "slices that were tested (Benjamini and Hochberg): of those below 0.05, one in twenty may be there by chance. An "
    "interval is of its slice alone; that of the worst of many slices is a little too low. “Somebody differs” counts "
    "the cases in which at least one person differs from the judge."
)
_LONG = 240
_MOST_LINKED = 400  # positions in one address
_FIRST_LOOK = "The cause is often something that the rubric does not say: read the first few before blaming the judge."


# -- the judge and people ---------------------------------------------------------------------------------------------


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


# -- slices -----------------------------------------------------------------------------------------------------------


def slices_section(report: AgreementReport, rubric: Rubric) -> Section | None:
    """Build the section, or return None if the cases differ in nothing."""
    found = report.slices
    if not found.slices:
        if not found.too_small and not found.alike:
            return None
        why = f"a slice and the cases outside it need {LEAST} each"
        few = (
            [f"No slice has enough independent cases: there are {found.units:,}, and {why}."] if found.too_small else []
        )
        return Section("By slice", [*few, *_left_out(report)])
    # The worst comes first; then those of which it is clearest.
    worse = [it for it in found.slices if it.better is False]
    worse[1:] = sorted(worse[1:], key=_clearest)
    better = sorted((it for it in found.slices if it.better), key=_clearest)
    if worse:
        sentences = [
            _sentence(report, it, rubric, "Worst on" if it is worse[0] else "Worse on")
            for it in worse[:_MOST_SENTENCES]
        ]
        if (more := len(worse) - _MOST_SENTENCES) > 0:
            sentences.append(f"{more:,} more are worse than the rest.")
    else:
        sentences = [f"No slice is worse than the rest beyond noise, of {many(len(found.slices), 'slice')} tested."]
    sentences += [_sentence(report, it, rubric, "Better on") for it in better[:1]]
    if found.guessed:
        sentences.append(f"The {many(found.guessed, 'undecided case')} count with the judge’s best guess.")
    heading = "Distance" if found.measure == "mae" else "Agreement"
    head = ("By", "Slice", heading, "95 % interval", "The rest", "Adjusted p", "Cases", "Somebody differs")
    rows = [
        (
            *_called(it, rubric),
            *both(found.measure, it.agreement),
            value_of(found.measure, Figure(it.rest, 0)),
            p_value(it.adjusted),
            f"{it.agreement.cases:,}",
            f"{it.differ:,}",
        )
        for it in found.slices[:_MOST_ROWS]
    ]
    return Section(
        "By slice",
        sentences,
        [Grid(head, rows, 2, [it.differing for it in found.slices[:_MOST_ROWS]])],
        after=[*_after(report), _READ],
    )


def _after(report: AgreementReport) -> Iterable[str]:
    found = report.slices
    if first := next((it for it in found.slices if it.better is False and it.differing), None):
        listed = first.differing[:_MOST_PLACES]
        show = f"adjudge show {report.run} --where 'position in ({', '.join(map(str, listed))})'"
        which = f", the first {len(listed)} of {first.differ:,}" if len(listed) < first.differ else ""
        yield f"Cases of the worst slice in which somebody differs from the judge{which}: {show}"
    yield from _left_out(report)
    if found.unknown and any(it.by == LANGUAGE for it in found.slices):
        yield f"The language of {many(found.unknown, 'case')} was not recognised."
    if len(found.slices) > _MOST_ROWS:
        yield f"{many(len(found.slices) - _MOST_ROWS, 'more slice is', 'more slices are')} in --format json."


def _left_out(report: AgreementReport) -> Iterable[str]:
    found = report.slices
    if found.too_small:
        counts = ", ".join(f"{count:,} by {_NAMES.get(by, by)}" for by, count in found.too_small.items())
        yield f"Slices with fewer than {LEAST} independent cases, or fewer outside, are left out: {counts}."
    if found.alike:
        yield f"No slices by {', '.join(found.alike)}: the labelled cases do not differ in that."


def _clearest(found: Slice) -> tuple[float, float]:
    return found.adjusted, found.p


def _called(found: Slice, rubric: Rubric) -> tuple[str, str]:
    name = criterion_names([found.name], rubric)[found.name] if found.by == CRITERION else found.name
    return _NAMES.get(found.by, found.by), name


def _sentence(report: AgreementReport, it: Slice, rubric: Rubric, start: str) -> str:
    measure = report.slices.measure
    rest = Figure(it.rest, 0)
    by, name = _called(it, rubric)
    of = " points from people in" if measure == "mae" else " of"
    return (
        f"{start} {by} {name}: {value_of(measure, it.agreement)}{of} {many(it.agreement.cases, 'case')} "
        f"(the rest {value_of(measure, rest)}, adjusted p {p_is(it.adjusted)})."
    )


# -- the judge against itself -----------------------------------------------------------------------------------------


def consistency_section(report: AgreementReport) -> Section:
    """Build the section on how far the judge agrees with itself."""
    found = report.consistency
    jury = "prefer the same answer" if report.two_sides else "say the same"
    jury = f"rate the {protocol_of(report.protocol).noun} alike" if report.measured.numeric else jury
    figures = {
        "The same winner in both orders": found.orders,
        f"All members of the jury {jury}": found.jurors,
        "The Critic objects to nothing": found.critic,
    }
    for run in report.earlier:
        if run.same_judge:
            figures[f"The same verdict as in {run.run}, by the same judge and rubric"] = run.same_verdicts
    sentences = []
    for what, it in figures.items():
        if it is not None:
            value, bounds = both("accuracy", it)
            sentences.append(f"{what}: {value} of {many(it.cases, 'case')} ({bounds}).")
    nothing = (
        "This run judged every case once. Both orders, a jury, or a second run of the same judge would show how far "
        "the judge agrees with itself."
    )
    return Section("Consistency: the judge against itself", sentences or [nothing])


# -- where judge and people differ ------------------------------------------------------------------------------------


def disputed_section(report: AgreementReport, rubric: Rubric) -> Section | None:
    """Build the section of disagreements: counts, and a card for each case."""
    found, title = report.disputed, "Where they differ"
    if not found.labelled:
        return None
    labelled = many(found.labelled, "labelled and decided case")
    if not found.total:
        return Section(title, [f"Judge and people agree on all {labelled}."])
    names = criterion_names([group.name for group in found.by_criterion], rubric)
    first = "farthest apart" if report.measured.of_numbers else "most confident"
    counts = f"{found.total:,} of {labelled}, {first} first."
    if report.labels.at_random is not None and report.labels.cases > report.labels.at_random:
        counts += " They include cases picked because the judge was unsure, so these counts are not rates of the run."
    kinds = [(kind, f"{count:,}") for kind, count in found.by_kind.items()]
    moved = [(names[it.name], f"{it.differ:,}", f"{it.cases:,}") for it in found.by_criterion if it.differ]
    head = ("Criterion that moved the verdict", "They differ", "Labelled cases it moved")
    rest = found.total - len(found.cases)
    return Section(
        title,
        [counts, _FIRST_LOOK],
        [Grid(("Kind", "Cases"), kinds), Grid(head, moved)],
        cards=[_card(report, each, rubric) for each in found.cases],
        cases=found.positions[:_MOST_LINKED],
        after=[f"{many(rest, 'more is', 'more are')} not listed: --limit shows more."] if rest else [],
    )


def _card(report: AgreementReport, found: DisputedCase, rubric: Rubric) -> CaseCard:
    votes = [f"{name} {report.measured.name_of(vote)}" for name, vote in found.votes.items()]
    about = list(found.kinds)
    if found.confidence is not None:
        about.append(f"{rounded_percent(found.confidence)} sure")
    if found.margin is not None and report.measured.middle is None:
        about.append(f"{rounded(found.margin)} apart")
    if found.stratum is not None:
        about.append("drawn at random" if found.stratum == "random" else "picked as doubtful")
    return CaseCard(
        case=found.case,
        opening=found.opening,
        judge=f"judge {report.measured.name_of(found.judge)}",
        people=f"people {report.measured.name_of(found.human)}" + (f" ({', '.join(votes)})" if len(votes) > 1 else ""),
        about=", ".join(about),
        criterion="" if found.criterion is None else criterion_names([found.criterion], rubric)[found.criterion],
        reason=shorten(found.reason, _LONG),
        quotes=found.quotes,
        tones=(_tone(report, found.judge), _tone(report, found.human)),
        position=found.position,
    )


def _tone(report: AgreementReport, value: Value) -> str:
    """Return the tone of an answer, whoever gave it."""
    outcome = protocol_of(report.protocol).table.outcome
    if report.measured.numeric or not outcome.classes:
        return ""
    key = report.measured.class_of(value)
    return outcome.tone(key) if any(each.key == key for each in outcome.classes) else ""
