"""Judges on labelled sets as a report: one table of agreement, what each judge decides, and what can be said of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ..agreement.benchmark import Benchmark, JudgeOnSet, SetResult
from ..agreement.figures import Figure
from .document import Document, Grid, Section, cautious, telling
from .wording import interval, listed, many, percent, points, rounded

_NOTHING = "no difference is shown"
_RULES = {"longest": "Longest answer", "first position": "First position", "constant": "Constant"}


def benchmark_document(benchmark: Benchmark) -> Document:
    """The whole report."""
    judges = list(dict.fromkeys(each.judge for one in benchmark.sets for each in one.judges))
    cases = sum(one.cases for one in benchmark.sets)
    lead = f"{many(len(judges), 'judge')} on {many(len(benchmark.sets), 'set')}, {many(cases, 'labelled case')}."
    compared = [one for one in benchmark.sets if one.protocol == "compare"]
    talked = [one for one in benchmark.sets if one.protocol == "dialogue"]
    sections = [*(_compared(compared, judges) if compared else ()), _talked(talked, judges) if talked else None]
    return Document("Judges on labelled sets", (lead,), telling(*sections, cautious(list(_notes(benchmark, judges)))))


def _compared(sets: Sequence[SetResult], judges: Sequence[str]) -> list[Section]:
    people = any(one.people for one in sets)
    head = ("Set", "Cases", *judges, *_RULES.values(), *(["One person"] if people else []))
    rows, decided = [], []
    for one in sets:
        cells = [_marked(each, _share(each.agreement)) for each in one.judges]
        rules = [_share(one.rules[name]) for name in _RULES]
        rows.append((one.name, f"{one.cases:,}", *cells, *rules, *([_share(one.people)] if people else [])))
        for each in one.judges:
            count = f"{each.judged - each.undecided:,} of {each.judged:,}"
            there = (_marked(each, _share(each.decided)), _share(each.longest_there))
            decided.append((one.name, each.judge, count, *there, f"{each.failed:,}", _cost(each)))
    explained = (
        "The share of labelled cases in which people say the same, with its 95 % interval by task. An undecided case "
        "counts with the judge’s best guess, and a tie is an answer of its own. "
        "The constant is the most frequent label."
    )
    if people:
        explained += " One person is each person against what the others say together."
    compared = dict.fromkeys(each.judge for one in sets for each in one.judges)
    beside = ("Set", "Judge", "Decided", "Agreement there", "Longest answer there", "Failed", "Cost")
    return [
        Section("Agreement with people", [explained], [Grid(head, rows)]),
        Section("Where the judge decides", (), [Grid(beside, decided, names=2)]),
        Section("Against the longest answer", [_claim(judge, sets) for judge in compared]),
    ]


def _claim(judge: str, sets: Sequence[SetResult]) -> str:
    """What the intervals let one say of a judge; nothing of sets that took part in making it."""
    more, less = "agrees with people more often", "agrees less often"
    named: dict[str, list[str]] = {more: [], less: [], _NOTHING: []}
    for name, each in ((one.name, each) for one in sets for each in one.judges):
        if each.judge == judge and each.ahead is not None:
            low, high = each.ahead.interval or (0.0, 0.0)
            words = more if low > 0 else less if high < 0 else _NOTHING
            shown = f" ({points(each.ahead.value)} points, {interval((low, high), points)})"
            named[words].append(name if words == _NOTHING else name + shown)
    parts = [f"{words} on {listed(names, 20)}" for words, names in named.items() if names]
    return f"{judge}: {'; '.join(parts) or 'no set is left of which anything is claimed'}."


def _talked(sets: Sequence[SetResult], judges: Sequence[str]) -> Section:
    head = ("Set", "Dialogues", *judges, "Number of turns", "One person", "Failed", "Cost")
    rows = []
    for one in sets:
        cells = [_marked(each, _rho(each.agreement)) for each in one.judges]
        others = (_rho(one.rules["number of turns"]), _rho(one.people), f"{sum(it.failed for it in one.judges):,}")
        rows.append((one.name, f"{one.cases:,}", *cells, *others, " + ".join(map(_cost, one.judges))))
    explained = (
        "Spearman’s rank correlation of the final average with the mean of people’s ratings, with its 95 % interval. "
        "One person is each person against the mean of the others: what a judge can be expected to reach, not 1. "
        "A constant ranks nothing and has no correlation."
    )
    return Section("Dialogues: rank agreement with people", [explained], [Grid(head, rows)])


def _notes(benchmark: Benchmark, judges: Sequence[str]) -> Iterator[str]:
    pairs = [(one, each) for one in benchmark.sets for each in one.judges]
    for judge in judges:
        if part := [one.name for one, each in pairs if each.judge == judge and each.took_part]:
            yield (
                f"† took part in fitting: {judge} was fitted to {listed(part, 20)}, or tuned with them in view, or "
                "shares tasks with a set that was. These figures flatter it, and nothing is claimed for them."
            )
    for one, each in pairs:
        if each.failed:
            yield f"{each.judge} on {one.name}: {many(each.failed, 'case')} failed and left out of its agreement."
    for one in benchmark.sets:
        if one.skipped:
            yield f"{one.name}: {many(one.skipped, 'row')} cannot be judged, such as those with an empty answer."
    yield from (f"{name} is left out: {why}." for name, why in benchmark.left_out.items())


def _share(figure: Figure | None) -> str:
    return _bounded(figure, percent, lambda end: rounded(100 * end, 0))


def _rho(figure: Figure | None) -> str:
    return _bounded(figure, rounded, rounded)


def _bounded(figure: Figure | None, show: Callable[[float], str], show_end: Callable[[float], str]) -> str:
    if figure is None or figure.value is None:
        return "–"
    return show(figure.value) + (f" ({interval(figure.interval, show_end)})" if figure.interval else "")


def _marked(each: JudgeOnSet, text: str) -> str:
    return f"{text} †" if each.took_part and text != "–" else text


def _cost(each: JudgeOnSet) -> str:
    known = f"${each.cost:,.4f}" if each.cost else "" if each.unpriced else "$0"
    return f"{known} + {each.unpriced:,} without a price".removeprefix(" + ") if each.unpriced else known
