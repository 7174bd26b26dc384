"""What report cards of annotators show, as plain data: sentences, tables and bars, the same in every format.

It decides nothing: what counts as a pattern is said by `agreement/report_cards.py`. Names are still as others wrote
them: each way of showing makes them safe.
"""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

from ...agreement.annotators.report import PREFERENCE, AnnotatorReport
from ...agreement.annotators.report_cards import Lesson, ReportCard
from ..document import Document, Grid, Picture, Section, bar, telling
from ..origin import judge_note
from ..pages import environment
from ..wording import interval, many, p_is, percent, rounded, rounded_percent, words_of

_PREFERENCES = {"too high": "too far towards Response 2", "too low": "too far towards Response 1"}
_JUDGES = (
    "A correction is what the judge, the facts and the rules made of a rating: where the judge is wrong, so is the "
    "card."
)
_SHRUNK = (
    "Estimates draw a rate that rests on few ratings towards everybody’s. A direction, a confusion or a change is "
    "named only where it is beyond chance, allowing for how many people and dimensions were looked at. An Overall or a "
    "preference that follows from other corrections counts for neither a direction nor a lesson."
)
_ALPHA = (
    "Krippendorff’s ordinal alpha with the median of what others entered for the same responses: 1 is full agreement, "
    "0 is chance. Dimensions in which all say the same throughout are left out."
)
_SAME = "In what others rated too, all say the same throughout: nothing to agree beyond chance on."


def build(report: AnnotatorReport) -> SimpleNamespace:
    """The report as it is shown."""
    patterns = sum(card.has_pattern for card in report.cards)
    people = many(len(report.cards), "annotator")
    ratings = sum(card.ratings for card in report.cards)
    rates = [rate for card in report.cards for rate in card.dimensions]
    wrong = sum(sum(rate.ways.values()) for rate in rates)
    top = max(rate.shrunk.interval[1] for rate in rates if rate.shrunk.interval)
    verb = "shows" if patterns == 1 else "show"
    # Those with a pattern first, and among both kinds whoever is corrected most.
    telling_first = sorted(report.cards, key=lambda it: (not it.has_pattern, -(it.overall.value or 0.0), it.person))
    cards = [_card(at, card, report, top) for at, card in enumerate(telling_first, start=1)]
    rows = [(it.name, (it.findings or ["–"])[0], it.counted, it.rate, it.interval) for it in cards]
    return SimpleNamespace(
        headline=f"{patterns:,} of {people} {verb} a pattern" if patterns else "No annotator shows a pattern",
        lead=(
            f"{wrong:,} of {many(ratings, 'rating')} were corrected ({rounded_percent(wrong / ratings)}) "
            f"in {many(report.reviews, 'review')}.",
        ),
        facts=(
            ("Runs", ", ".join(report.runs)),
            ("Judge", ", ".join(report.judges)),
            ("Annotators", f"{len(report.cards):,}, from the column {report.column}"),
            ("Time", _span(report)),
        ),
        cautions=(_JUDGES, *dict.fromkeys(filter(None, map(judge_note, report.judges)))),
        notes=(_SHRUNK, *(f"{note}." for note in report.notes)),
        cards=cards,
        overview=Grid(("Annotator", "What stands out", "Reviews", "Corrected", "95 % interval"), rows, names=2),
    )


def annotators_document(report: AnnotatorReport) -> Document:
    """For a terminal and for Markdown."""
    view = build(report)
    facts = ". ".join(f"{name}: {said}" for name, said in view.facts)
    cards = [section for card in view.cards for section in _card_sections(card)]
    sections = telling(Section("Annotators", (), [view.overview]), *cards, Section("Good to know", view.notes))
    return Document(view.headline, (*view.lead, f"{facts}.", *view.cautions), sections)


def annotators_html(report: AnnotatorReport) -> str:
    """One self-contained page."""
    template = environment("html").get_template("annotators/html.j2")
    view = build(report)
    return template.render(frame="page.html.j2", view=view, headline=view.headline, home="") + "\n"


def annotators_json(report: AnnotatorReport) -> dict[str, Any]:
    """All figures, for programs."""
    return {
        "runs": list(report.runs),
        "judges": list(report.judges),
        "annotator_column": report.column,
        "time_column": report.time_column,
        "reviews": report.reviews,
        "dimensions": {
            key: {"name": report.names[key], "ratings": figure.cases, "correction_rate": figure.value}
            for key, figure in report.pool.items()
        },
        "annotators": [_card_json(card, report) for card in report.cards],
        "notes": list(report.notes),
    }


def _card_json(card: ReportCard, report: AnnotatorReport) -> dict[str, Any]:
    change = card.over_time
    return {
        "annotator": card.person,
        "reviews": card.reviews,
        "ratings": card.ratings,
        "left_blank": report.blank.get(card.person, 0),
        "off_scale": report.refused.get(card.person, 0),
        "correction_rate": asdict(card.overall),
        "has_pattern": card.has_pattern,
        "dimensions": {
            rate.dimension: {
                "counted": asdict(rate.counted),
                "estimate": asdict(rate.shrunk),
                "ways": dict(rate.ways),
                "direction": rate.direction or None,
                "p": rate.p,
            }
            for rate in card.dimensions
        },
        "confused_values": [
            {"dimension": dimension, "entered": entered, "final": final, "count": count}
            for dimension, entered, final, count in card.confused
        ],
        "confused_dimensions": [asdict(swap) for swap in card.swaps],
        "over_time": None
        if change is None
        else {
            "earlier": asdict(change.first),
            "later": asdict(change.second),
            "change": asdict(change.change),
            "p": change.p,
            "real": card.drifts,
        },
        "agreement_with_others": {key: asdict(figure) for key, figure in card.agreement.items()},
        "lessons": [asdict(lesson) for lesson in card.lessons],
    }


# -- a card -----------------------------------------------------------------------------------------------------------


def _card(at: int, card: ReportCard, report: AnnotatorReport, top: float) -> SimpleNamespace:
    """One person's card. `findings` is what stands out; `calm` is said if nothing does. A lesson is what it says in a
    few words, what it would save, and what the reviews say of it."""
    rate, bounds = percent(card.overall.value), interval(card.overall.interval, percent)
    known = [(key, figure) for key, figure in card.agreement.items() if figure.value is not None]
    together = any(figure.cases for figure in card.agreement.values())
    change, change_said = _change(card, report)
    dimensions, rates = _dimensions(card, report, top)
    return SimpleNamespace(
        anchor=f"card-{at}",
        name=card.person,
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
                (report.names[dimension], rounded(entered, 0), rounded(final, 0), f"{count:,}")
                for dimension, entered, final, count in card.confused
            ],
        ),
        change=change,
        change_said=change_said,
        agreement=Grid(
            ("Dimension", "Alpha", "95 % interval", "Rated together"),
            [
                (report.names[key], rounded(figure.value), interval(figure.interval, rounded), f"{figure.cases:,}")
                for key, figure in known
            ],
        ),
        agreement_said=_ALPHA if known else _SAME if together else "Nobody else rated the same responses.",
        asides=[
            f"{many(count, 'rating was', 'ratings were')} {what}."
            for what, counts in (("left blank", report.blank), ("not on the scale", report.refused))
            if (count := counts.get(card.person))
        ],
    )


def _findings(card: ReportCard, report: AnnotatorReport) -> list[str]:
    found = []
    for swap in card.swaps:
        blamed, meant = report.names[swap.blamed], report.names[swap.meant]
        responses = many(swap.responses, "response")
        found.append(f"Takes {meant} for {blamed}: in {responses} the issue entered under {blamed} belongs to {meant}.")
    for rate in sorted(card.dimensions, key=lambda rate: rate.p):
        if rate.direction:
            way = _way(rate.dimension, rate.direction)
            count, of = rate.ways[rate.direction], sum(rate.ways.values())
            name = report.names[rate.dimension]
            found.append(f"{way[0].upper()}{way[1:]} in {name}: {count:,} of {many(of, 'correction')} there.")
    if card.drifts and card.over_time is not None:
        now, then = card.over_time.second, card.over_time.first
        way = "more" if (now.value or 0) > (then.value or 0) else "less"
        shown = f"{percent(then.value)} of ratings in the earlier half, {percent(now.value)} in the later"
        found.append(f"Corrected {way} often over time: {shown}.")
    return found


def _way(dimension: str, way: str) -> str:
    return _PREFERENCES.get(way, way) if dimension == PREFERENCE else way


def _dimensions(card: ReportCard, report: AnnotatorReport, top: float) -> tuple[Grid, Picture]:
    """How often each dimension was corrected, as a table, and as bars along an axis that all cards share."""
    rows, bars = [], []
    for rate in card.dimensions:
        name, value, ends = report.names[rate.dimension], rate.shrunk.value, rate.shrunk.interval
        wrong, direction = (
            f"{sum(rate.ways.values()):,} of {rate.counted.cases:,}",
            _way(rate.dimension, rate.direction),
        )
        fallen = ", ".join(f"{count:,} {_way(rate.dimension, way)}" for way, count in rate.ways.items())
        shares = (percent(rate.counted.value), percent(value), interval(ends, percent))
        rows.append((name, direction or fallen, wrong, *shares, percent(report.pool[rate.dimension].value)))
        swapped = any(rate.dimension in (swap.blamed, swap.meant) for swap in card.swaps)
        why = direction or ("confused" if swapped else "")
        note, tone = (f"{wrong}, {why}", "B") if why else (wrong, "")
        bars.append(bar(name, percent(value), value, ends, tone, note, (0.0, top)))
    head = ("Dimension", "Mostly", "Corrected", "Rate", "Estimate", "95 % interval", "Everybody")
    lead = f"Estimates with 95 % intervals; all bars of this page end at {rounded_percent(top)}."
    return Grid(head, rows, names=2), Picture("bars", "Corrected, by dimension", lead, bars)


def _change(card: ReportCard, report: AnnotatorReport) -> tuple[Picture | None, str]:
    change = card.over_time
    if change is None or change.p is None:
        if report.time_column is None:
            return None, "The input has no column that says when a case was rated."
        return None, "Too few reviews with a time to compare an earlier half with a later one."
    halves = (("Earlier half", change.first), ("Later half", change.second))
    top = max((figure.interval or (0.0, figure.value or 0.0))[1] for _, figure in halves) or 1.0
    tone = "B" if card.drifts else ""
    rows = [
        bar(name, percent(it.value), it.value, it.interval, tone, many(it.cases, "review"), (0.0, top))
        for name, it in halves
    ]
    said = "More than chance would explain" if card.drifts else "No more than chance may explain"
    return Picture("bars", "Over time", "", rows), f"{said} (p {p_is(change.p)})."


def _lesson(lesson: Lesson, report: AnnotatorReport) -> tuple[str, str, str]:
    if lesson.meant:
        blamed, meant = report.names[lesson.dimension], report.names[lesson.meant]
        title = f"Enter under {meant} what belongs there, and not under {blamed}"
    elif lesson.rule:
        title = f"Check each response for: {words_of(lesson.rule).lower()}"
    elif lesson.dimension == PREFERENCE:
        title = "Set the preference last, from what was rated"
    else:
        milder = {"too lenient": "Be stricter in", "too harsh": "Be milder in"}.get(lesson.direction)
        name = report.names[lesson.dimension]
        title = f"{milder} {name}" if milder else f"Mind the sign of {name}"
    saves = f"would save {lesson.corrections:,} of {many(round(lesson.corrections / lesson.share), 'correction')}"
    return title, saves, lesson.said


def _card_sections(card: SimpleNamespace) -> list[Section]:
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


def _span(report: AnnotatorReport) -> str:
    if report.span is None or report.time_column is None:
        return "not known: no column says when a case was rated"
    said = f"by the column {report.time_column}"
    try:
        first, last = (datetime.fromtimestamp(end, UTC).date() for end in report.span)
    except (OverflowError, OSError, ValueError):
        return said
    return f"{first} to {last}, {said}" if first.year >= 2000 else said  # a sequence number is no date
