"""Builds the plain data that report cards of annotators show: sentences, tables and bars, the same in every format.

It makes no decisions: `report_cards.py` defines what counts as a pattern. Names are not escaped here; each
output format escapes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...rendering.document import Document, Grid, Picture, Section, bar, non_empty
from ...rendering.pages import environment
from ...rendering.wording import interval, many, p_is, percent, rounded, rounded_percent, words_of
from ..base import Cards
from ..origin import judge_note
from .annotators import PREFERENCE, AnnotatorReport, annotator_report
from .report_cards import Lesson, ReportCard

_PREFERENCES = {"too high": "too far towards Response 2", "too low": "too far towards Response 1"}
_JUDGES = "Corrections come from the judge, the facts and the rules: where the judge is wrong, so is the card."
_SHRUNK = (
    "An estimate from few ratings is pulled towards the rate of all annotators. A direction, a confusion or a change "
    "is named only where it is beyond chance, allowing for how many people and dimensions were looked at. An Overall "
    "or a preference that follows from other corrections counts towards neither a direction nor a lesson."
)
_ALPHA = (
    "Krippendorff’s ordinal alpha with the median of what others entered for the same responses: 1 is full agreement, "
    "0 is chance. Dimensions in which all ratings are the same, or fewer than 10 were rated together, are left out."
)
_FEWEST_TOGETHER = 10
_FEW = "Fewer than 10 ratings of a dimension were given together with others: too few to measure agreement."
_TIMELESS = "not known: no column says when a case was rated"
_SAME = "Where others rated too, all ratings are the same, so agreement beyond chance cannot be measured."


@dataclass(frozen=True, kw_only=True)
class CardView:
    """One person's card. `findings` are the patterns; `calm` is shown if there are none. A lesson has a short title,
    the corrections it would save, and what the reviews say about it."""

    anchor: str
    name: str
    counted: str
    rate: str
    interval: str
    summary: str
    calm: str
    findings: Sequence[str]
    lessons: Sequence[tuple[str, str, str]]
    rates: Picture
    dimensions: Grid
    corrections: Grid
    change: Picture | None
    change_said: str
    agreement: Grid
    agreement_said: str
    asides: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class AnnotatorsView:
    """What all formats of the report show."""

    headline: str
    lead: Sequence[str]
    facts: Sequence[tuple[str, str]]
    cautions: Sequence[str]
    notes: Sequence[str]
    cards: Sequence[CardView]
    overview: Grid


def build(report: AnnotatorReport) -> AnnotatorsView:
    """Build the data that all formats of the report show."""
    patterns = sum(card.has_pattern for card in report.annotators)
    people = many(len(report.annotators), "annotator")
    ratings = sum(card.ratings for card in report.annotators)
    rates = [rate for card in report.annotators for rate in card.dimensions.values()]
    wrong = sum(sum(rate.ways.values()) for rate in rates)
    top = max(rate.estimate.interval[1] for rate in rates if rate.estimate.interval)
    verb = "shows" if patterns == 1 else "show"
    # Annotators with a pattern come first, then those without; within each group, the most corrected come first.
    telling_first = sorted(
        report.annotators, key=lambda it: (not it.has_pattern, -(it.correction_rate.value or 0.0), it.annotator)
    )
    cards = [_card(at, card, report, top) for at, card in enumerate(telling_first, start=1)]
    rows = [(it.name, (it.findings or ["–"])[0], it.counted, it.rate, it.interval) for it in cards]
    return AnnotatorsView(
        headline=f"{patterns:,} of {people} {verb} a pattern" if patterns else "No annotator shows a pattern",
        lead=(
            f"{wrong:,} of {many(ratings, 'rating')} were corrected ({rounded_percent(wrong / ratings)}) "
            f"in {many(report.reviews, 'review')}.",
        ),
        facts=(
            ("Runs", ", ".join(report.runs)),
            ("Judge", ", ".join(report.judges)),
            ("Annotators", f"{len(report.annotators):,}, from the column {report.annotator_column}"),
            ("Time", f"by the column {report.time_column}" if report.time_column else _TIMELESS),
        ),
        cautions=(_JUDGES, *dict.fromkeys(filter(None, map(judge_note, report.judges)))),
        notes=(_SHRUNK, *(f"{note}." for note in report.notes)),
        cards=cards,
        overview=Grid(("Annotator", "What stands out", "Reviews", "Corrected", "95 % interval"), rows, names=2),
    )


def annotators_document(report: AnnotatorReport) -> Document:
    """Build the report for a terminal and for Markdown."""
    view = build(report)
    facts = ". ".join(f"{name}: {value}" for name, value in view.facts)
    cards = [section for card in view.cards for section in _card_sections(card)]
    sections = non_empty(Section("Annotators", (), [view.overview]), *cards, Section("Good to know", view.notes))
    return Document(view.headline, (*view.lead, f"{facts}.", *view.cautions), sections)


def annotators_html(report: AnnotatorReport) -> str:
    """Render the report as one self-contained HTML page."""
    template = environment("html", __package__).get_template("annotators.html.j2")
    view = build(report)
    return template.render(frame="page.html.j2", view=view, headline=view.headline, home="") + "\n"


# -- a card -----------------------------------------------------------------------------------------------------------


def _card(at: int, card: ReportCard, report: AnnotatorReport, top: float) -> CardView:
    rate, bounds = percent(card.correction_rate.value), interval(card.correction_rate.interval, percent)
    alphas, called = card.agreement_with_others, {key: it.name for key, it in report.dimensions.items()}
    enough = {key: figure for key, figure in alphas.items() if figure.cases >= _FEWEST_TOGETHER}
    known = [(key, figure) for key, figure in enough.items() if figure.value is not None]
    together = any(figure.cases for figure in alphas.values())
    unknown = _SAME if enough else _FEW if together else "Nobody else rated the same responses."
    change, change_said = _change(card, report)
    dimensions, rates = _dimensions(card, report, top)
    return CardView(
        anchor=f"card-{at}",
        name=card.annotator,
        counted=f"{card.reviews:,}",
        rate=rate,
        interval=bounds,
        summary=f"{many(card.reviews, 'review')}; {rate} of ratings corrected (95 % interval {bounds}).",
        calm="Nothing stands out beyond chance.",
        findings=_findings(card, report),
        lessons=[_lesson(lesson, report) for lesson in card.lessons],
        rates=rates,
        dimensions=dimensions,
        corrections=Grid(
            ("Dimension", "Entered", "Final", "Times"),
            [
                (called[it.dimension], rounded(it.entered, 0), rounded(it.final, 0), f"{it.count:,}")
                for it in card.confused_values
            ],
        ),
        change=change,
        change_said=change_said,
        agreement=Grid(
            ("Dimension", "Alpha", "95 % interval", "Rated together"),
            [
                (
                    report.dimensions[key].name,
                    rounded(figure.value),
                    interval(figure.interval, rounded),
                    f"{figure.cases:,}",
                )
                for key, figure in known
            ],
        ),
        agreement_said=_ALPHA if known else unknown,
        asides=[
            f"{many(count, 'rating was', 'ratings were')} {what}."
            for what, count in (("left blank", card.left_blank), ("not on the scale", card.off_scale))
            if count
        ],
    )


def _findings(card: ReportCard, report: AnnotatorReport) -> list[str]:
    found = []
    for swap in card.confused_dimensions:
        blamed, meant = (report.dimensions[key].name for key in (swap.blamed, swap.meant))
        responses = many(swap.responses, "response")
        found.append(f"Confuses {meant} with {blamed}: in {responses} the issue under {blamed} belongs to {meant}.")
    for key, rate in sorted(card.dimensions.items(), key=lambda item: item[1].p):
        if rate.direction:
            way = _way(key, rate.direction)
            count, of = rate.ways[rate.direction], many(sum(rate.ways.values()), "correction")
            found.append(f"{way[0].upper()}{way[1:]} in {report.dimensions[key].name}: {count:,} of {of} there.")
    if (change := card.over_time) is not None and change.real:
        way = "more" if (change.after.value or 0) > (change.before.value or 0) else "less"
        shown = f"{percent(change.before.value)} of ratings in the earlier half, {percent(change.after.value)} in the"
        found.append(f"Corrected {way} often over time: {shown} later.")
    return found


def _way(dimension: str, way: str) -> str:
    return _PREFERENCES.get(way, way) if dimension == PREFERENCE else way


def _dimensions(card: ReportCard, report: AnnotatorReport, top: float) -> tuple[Grid, Picture]:
    """Show how often each dimension was corrected, as a table, and as bars on an axis that all cards share."""
    rows, bars = [], []
    for key, rate in card.dimensions.items():
        name, everybody = report.dimensions[key].name, percent(report.dimensions[key].correction_rate)
        value, ends = rate.estimate.value, rate.estimate.interval
        wrong, direction = f"{sum(rate.ways.values()):,} of {rate.counted.cases:,}", _way(key, rate.direction or "")
        fallen = ", ".join(f"{count:,} {_way(key, way)}" for way, count in rate.ways.items())
        shares = (percent(rate.counted.value), percent(value), interval(ends, percent))
        rows.append((name, direction or fallen, wrong, *shares, everybody))
        swapped = any(key in (swap.blamed, swap.meant) for swap in card.confused_dimensions)
        why = direction or ("confused" if swapped else "")
        note, tone = (f"{why}; estimated {percent(value)}", "B") if why else (f"estimated {percent(value)}", "")
        bars.append(bar(name, wrong, value, ends, tone, note, (0.0, top)))
    head = ("Dimension", "Mostly", "Corrected", "Rate", "Estimate", "95 % interval", "Everybody")
    lead = (
        f"Corrected of rated. Bars are estimates with 95 % intervals; all on this page end at {rounded_percent(top)}."
    )
    return Grid(head, rows, names=2), Picture("bars", "Corrected, by dimension", lead, bars)


def _change(card: ReportCard, report: AnnotatorReport) -> tuple[Picture | None, str]:
    change = card.over_time
    if change is None or change.p is None:
        if report.time_column is None:
            return None, "The input has no column that says when a case was rated."
        return None, "Too few reviews with a time to compare an earlier half with a later one."
    halves = (("Earlier half", change.before), ("Later half", change.after))
    top = max((figure.interval or (0.0, figure.value or 0.0))[1] for _, figure in halves) or 1.0
    tone = "B" if change.real else ""
    rows = [
        bar(name, percent(it.value), it.value, it.interval, tone, many(it.cases, "review"), (0.0, top))
        for name, it in halves
    ]
    verdict = "More than chance would explain" if change.real else "No more than chance may explain"
    return Picture("bars", "Over time", "", rows), f"{verdict} (p {p_is(change.p)})."


def _lesson(lesson: Lesson, report: AnnotatorReport) -> tuple[str, str, str]:
    if lesson.meant:
        blamed, meant = (report.dimensions[key].name for key in (lesson.dimension, lesson.meant))
        title = f"Enter under {meant} what belongs there, and not under {blamed}"
    elif lesson.rule:
        title = f"Check each response for: {words_of(lesson.rule).lower()}"
    elif lesson.dimension == PREFERENCE:
        title = "Set the preference last, from what was rated"
    else:
        milder = {"too lenient": "Be stricter in", "too harsh": "Be milder in"}.get(lesson.direction)
        name = report.dimensions[lesson.dimension].name
        title = f"{milder} {name}" if milder else f"Check the direction of {name}"
    saves = f"would save {lesson.corrections:,} of {many(round(lesson.corrections / lesson.share), 'correction')}"
    return title, saves, lesson.said


def _card_sections(card: CardView) -> list[Section]:
    lessons = [
        f"{at}. {title}: {saves}." + (f" Reviews say: “{words}”" if words else "")
        for at, (title, saves, words) in enumerate(card.lessons, start=1)
    ]
    halves = card.change.rows if card.change else ()
    change = [f"{half.label}: {half.text} of ratings corrected." for half in halves]
    return [
        Section(card.name, [card.summary, *(card.findings or [card.calm]), *card.asides], [card.dimensions]),
        Section(f"{card.name}: lessons", lessons),
        Section(f"{card.name}: most frequent corrections", (), [card.corrections]),
        Section(f"{card.name}: over time", [*change, card.change_said]),
        Section(f"{card.name}: agreement with others", [card.agreement_said], [card.agreement]),
    ]


CARDS = Cards(report=annotator_report, document=annotators_document, html=annotators_html)
