"""Judges on labelled sets as a report: one table of agreement, what each judge decides, and what can be said of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..agreement.benchmark import Benchmark, JudgeOnSet, SetResult
from ..agreement.figures import Figure
from .document import Document, Grid, Section
from .wording import interval, listed, many, percent, points, rounded

_MARK = " †"
_NOTHING = "no difference is shown"
_RULES = {"longest": "Longest answer", "first position": "First position", "constant": "Constant"}


def benchmark_document(benchmark: Benchmark) -> Document:
    """The whole report."""
    judges = list(dict.fromkeys(each.judge for one in benchmark.sets for each in one.judges))
    cases = sum(one.cases for one in benchmark.sets)
    lead = f"{many(len(judges), 'judge')} on {many(len(benchmark.sets), 'set')}, {many(cases, 'labelled case')}."
    compared = [one for one in benchmark.sets if one.protocol == "compare"]
    talked = [one for one in benchmark.sets if one.protocol == "dialogue"]
    sections = [*(_compared(compared, judges) if compared else ()), *(_talked(talked, judges) if talked else ())]
    if notes := _notes(benchmark):
        sections.append(Section("Before you trust it", tuple(notes), warning=True))
    return Document("Judges on labelled sets", (lead,), tuple(sections))


def _compared(sets: Sequence[SetResult], judges: Sequence[str]) -> list[Section]:
    people = any(one.people for one in sets)
    head = ("Set", "Cases", *judges, *_RULES.values(), *(["One person"] if people else []))
    rows = []
    for one in sets:
        cells = [_marked(each, _share(each.agreement)) for each in one.judges]
        rules = [_share(one.rules[name]) for name in _RULES]
        rows.append((one.name, f"{one.cases:,}", *cells, *rules, *([_share(one.people)] if people else [])))
    explained = (
        "The share of labelled cases in which people say the same, with its 95 % interval by task. An undecided case "
        "counts with the judge’s best guess, and a tie is an answer of its own. "
        "The constant is the most frequent label."
    )
    if people:
        explained += " One person is each person against what the others say together."
    return [
        Section("Agreement with people", (explained,), (Grid(head, tuple(rows)),)),
        Section("Where the judge decides", (), (_decided(sets),)),
        Section("Against the longest answer", tuple(_claims(sets))),
    ]


def _decided(sets: Sequence[SetResult]) -> Grid:
    head = ("Set", "Judge", "Decided", "Agreement there", "Longest answer there", "Failed", "Cost")
    rows = [
        (
            one.name,
            each.judge,
            f"{each.judged - each.undecided:,} of {each.judged:,}",
            _marked(each, _share(each.decided)),
            _share(each.longest_there),
            f"{each.failed:,}",
            _cost(each),
        )
        for one in sets
        for each in one.judges
    ]
    return Grid(head, tuple(rows), names=2)


def _claims(sets: Sequence[SetResult]) -> list[str]:
    """What the intervals let one say, judge by judge; nothing of sets that took part in making the judge."""
    said = []
    for judge in dict.fromkeys(each.judge for one in sets for each in one.judges):
        more, less = "agrees with people more often", "agrees less often"
        named: dict[str, list[str]] = {more: [], less: [], _NOTHING: []}
        for one in sets:
            for each in one.judges:
                if each.judge == judge and each.ahead is not None:
                    low, high = each.ahead.interval or (0.0, 0.0)
                    words = more if low > 0 else less if high < 0 else _NOTHING
                    shown = f" ({points(each.ahead.value)} points, {interval((low, high), points)})"
                    named[words].append(one.name if words == _NOTHING else one.name + shown)
        parts = [f"{words} on {listed(names, 20)}" for words, names in named.items() if names]
        said.append(
            f"{judge}: {'; '.join(parts)}." if parts else f"{judge}: no set is left of which anything is claimed."
        )
    return said


def _talked(sets: Sequence[SetResult], judges: Sequence[str]) -> list[Section]:
    head = ("Set", "Dialogues", *judges, "Number of turns", "One person", "Failed", "Cost")
    rows = [
        (
            one.name,
            f"{one.cases:,}",
            *(_marked(each, _rho(each.agreement)) for each in one.judges),
            _rho(one.rules["number of turns"]),
            _rho(one.people),
            f"{sum(each.failed for each in one.judges):,}",
            " + ".join(_cost(each) for each in one.judges),
        )
        for one in sets
    ]
    explained = (
        "Spearman’s rank correlation of the final average with the mean of people’s ratings, with its 95 % interval. "
        "One person is each person against the mean of the others: what a judge can be expected to reach, not 1. "
        "A constant ranks nothing and has no correlation."
    )
    return [Section("Dialogues: rank agreement with people", (explained,), (Grid(head, tuple(rows)),))]


def _notes(benchmark: Benchmark) -> list[str]:
    notes = []
    for judge in dict.fromkeys(each.judge for one in benchmark.sets for each in one.judges):
        part = [one.name for one in benchmark.sets for each in one.judges if each.judge == judge and each.took_part]
        if part:
            notes.append(
                f"† took part in fitting: {judge} was fitted to {listed(part, 20)}, or tuned with them in view, or "
                "shares tasks with a set that was. These figures flatter it, and nothing is claimed for them."
            )
    notes += [
        f"{each.judge} on {one.name}: {many(each.failed, 'case')} failed and left out of its agreement."
        for one in benchmark.sets
        for each in one.judges
        if each.failed
    ]
    notes += [
        f"{one.name}: {many(one.skipped, 'row')} cannot be judged, such as those with an empty answer."
        for one in benchmark.sets
        if one.skipped
    ]
    notes += [f"{name} is left out: {why}." for name, why in benchmark.left_out.items()]
    return notes


def _share(figure: Figure | None) -> str:
    return _bounded(figure, percent, lambda end: rounded(100 * end, 0))


def _rho(figure: Figure | None) -> str:
    return _bounded(figure, rounded, rounded)


def _bounded(figure: Figure | None, show: Callable[[float], str], show_end: Callable[[float], str]) -> str:
    if figure is None or figure.value is None:
        return "–"
    return show(figure.value) + (f" ({interval(figure.interval, show_end)})" if figure.interval else "")


def _marked(each: JudgeOnSet, text: str) -> str:
    return text + (_MARK if each.took_part and text != "–" else "")


def _cost(each: JudgeOnSet) -> str:
    known = f"${each.cost:,.4f}" if each.cost else "" if each.unpriced else "$0"
    return f"{known} + {each.unpriced:,} without a price".removeprefix(" + ") if each.unpriced else known
