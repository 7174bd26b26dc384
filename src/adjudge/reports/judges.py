"""Reports measurements of judges: their agreement with labelled sets, and the results of `adjudge calibrate` (also as
data for programs)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ..protocols.base import Protocol, protocol_of
from ..rendering.document import Document, Grid, Section, cautious, non_empty
from ..rendering.wording import interval, listed, many, percent, points, rounded

if TYPE_CHECKING:
    from ..agreement.benchmark import Benchmark, JudgeOnSet, SetResult
    from ..agreement.report.remedies import CalibrationReport
    from ..models.figures import Figure

# -- labelled sets ----------------------------------------------------------------------------------------------------

_NOTHING, _UNJUDGED = "no difference is shown", "judged nothing"
_RULES = {"longest": "Longest answer", "first position": "First position", "constant": "Constant"}


def benchmark_document(benchmark: Benchmark) -> Document:
    """Build the report on judges and labelled sets."""
    judges = list(dict.fromkeys(each.judge for one in benchmark.sets for each in one.judges))
    cases = sum(one.cases for one in benchmark.sets)
    lead = f"{many(len(judges), 'judge')} on {many(len(benchmark.sets), 'set')}, {many(cases, 'labelled case')}."
    sections = []
    for name in dict.fromkeys(sorted(one.protocol for one in benchmark.sets)):
        protocol, sets = protocol_of(name), [one for one in benchmark.sets if one.protocol == name]
        sections += _ranked(protocol, sets, judges) if protocol.measured.numeric else _compared(protocol, sets, judges)
    return Document("Judges on labelled sets", (lead,), non_empty(*sections, cautious(list(_notes(benchmark, judges)))))


def _compared(protocol: Protocol, sets: Sequence[SetResult], judges: Sequence[str]) -> list[Section]:
    """Build the tables of sets whose labels are classes."""
    two_sides, about = protocol.table.two_sides, "" if protocol.table.two_sides else f"{_plural(protocol)}: "
    rules = _RULES if two_sides else {"constant": _RULES["constant"]}
    head = ("Set", "Cases", *judges, *rules.values())
    rows, decided = [], []
    for one in sets:
        cells = [_marked(each, _share(each.agreement)) for each in one.judges]
        rows.append((one.name, f"{one.cases:,}", *cells, *(_share(one.rules[name]) for name in rules)))
        for each in one.judges:
            count = f"{each.judged - each.undecided:,} of {each.judged:,}"
            there = (_marked(each, _share(each.decided)), *([_share(each.longest_there)] if two_sides else ()))
            decided.append((one.name, each.judge, count, *there, f"{each.failed:,}", _cost(each)))
    explained = (
        "The share of labelled cases in which judge and people agree, with its 95 % interval by task. An undecided "
        f"case counts with the judge’s best guess{', and a tie is an answer of its own' if two_sides else ''}. "
        "The constant is the most frequent label."
    )
    compared = dict.fromkeys(each.judge for one in sets for each in one.judges)
    longest = ("Longest answer there",) if two_sides else ()
    beside = ("Set", "Judge", "Decided", "Agreement there", *longest, "Failed", "Cost")
    claims = [_claim(judge, sets) for judge in compared] if two_sides else []
    return [
        Section(f"{about}Agreement with people", [explained], [Grid(head, rows)]),
        _with_person(f"{about}Agreement with one person", sets, judges, _share),
        Section(f"{about}Where the judge decides", (), [Grid(beside, decided, names=2)]),
        Section("Against the longest answer", claims),
    ]


def _with_person(
    title: str, sets: Sequence[SetResult], judges: Sequence[str], show: Callable[[Figure | None], str]
) -> Section:
    """Build the table of judges and people, both against one person, of the sets that several people labelled."""
    rows = []
    for one in sets:
        if one.people is not None:
            cells = (_marked(each, show(each.with_person)) for each in one.judges)
            rows.append((one.name, f"{one.people.cases:,}", show(one.people), *cells))
    explained = (
        "Where several people labelled a case: the judge, and another person, against one person at random. What "
        "another person reaches is what a judge can be expected to reach."
    )
    return Section(title, [explained] if rows else [], [Grid(("Set", "Cases", "Another person", *judges), rows)])


def _claim(judge: str, sets: Sequence[SetResult]) -> str:
    """Say where a judge agrees more or less often than the longest answer, except on sets it was fitted to or judged
    nothing of."""
    more, less = "agrees with people more often", "agrees less often"
    named: dict[str, list[str]] = {more: [], less: [], _NOTHING: [], _UNJUDGED: []}
    for name, each in ((one.name, each) for one in sets for each in one.judges):
        if each.judge == judge and not each.judged:
            named[_UNJUDGED].append(name)
        elif each.judge == judge and each.ahead is not None:
            low, high = each.ahead.interval or (0.0, 0.0)
            words = more if low > 0 else less if high < 0 else _NOTHING
            shown = f" ({points(each.ahead.value)} points, {interval((low, high), points)})"
            named[words].append(name if words == _NOTHING else name + shown)
    parts = [f"{words} on {listed(names, 20)}" for words, names in named.items() if names]
    return f"{judge}: {'; '.join(parts) or 'nothing is claimed, because it was fitted with every set'}."


def _ranked(protocol: Protocol, sets: Sequence[SetResult], judges: Sequence[str]) -> list[Section]:
    """Build the tables of sets whose labels are numbers."""
    many_of, rules = _plural(protocol), list(dict.fromkeys(rule for one in sets for rule in one.rules))
    head = ("Set", many_of, *judges, *(rule.capitalize() for rule in rules), "Failed", "Cost")
    rows = []
    for one in sets:
        cells = [_marked(each, _rho(each.agreement)) for each in one.judges]
        others = (*(_rho(one.rules[rule]) for rule in rules), f"{sum(it.failed for it in one.judges):,}")
        rows.append((one.name, f"{one.cases:,}", *cells, *others, " + ".join(map(_cost, one.judges))))
    explained = (
        f"Spearman’s rank correlation of {protocol.measured.order} with the mean of people’s ratings, with its 95 % "
        "interval. A constant ranks nothing and has no correlation."
    )
    return [
        Section(f"{many_of}: rank agreement with people", [explained], [Grid(head, rows)]),
        _with_person(f"{many_of}: rank agreement with one person", sets, judges, _rho),
    ]


def _plural(protocol: Protocol) -> str:
    return f"{protocol.noun.capitalize()}s"


def _notes(benchmark: Benchmark, judges: Sequence[str]) -> Iterator[str]:
    pairs = [(one, each) for one in benchmark.sets for each in one.judges]
    for judge in judges:
        if part := [one.name for one, each in pairs if each.judge == judge and each.took_part]:
            yield (
                f"† took part in fitting: {judge} was fitted to {listed(part, 20)}, or tuned by looking at them, or "
                "they share tasks with such a set. These figures are too high, and nothing is claimed for them."
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


# -- calibration -------------------------------------------------------------------------------------------------------

_MAPS = {
    "unchanged": "the judge’s own verdict",
    "mean": "one number for all cases",
    "isotonic": "isotonic map",
    "ordinal": "ordinal map (proportional odds)",
}
_SHOWN = 11  # about this many points of a curve are listed


def calibration_document(report: CalibrationReport) -> Document:
    """Build the report on a calibration: the errors, the map chosen by them, and the weights."""
    counted = (
        f"{many(report.labels, 'label')} of {many(report.cases, 'case')} by {many(report.people, 'person', 'people')}"
    )
    lead = [f"Judge {report.judge}, rubric {report.rubric}. {counted}, from {report.source}."]
    if report.picked:
        were = "case that was" if report.picked == 1 else "cases that were"
        lead.append(f"{report.picked:,} labelled {were} picked as doubtful do not count: only a random sample is fair.")
    if report.unjudged:
        lead.append(f"{many(report.unjudged, 'labelled case')} left out for lack of a verdict.")
    found = report.calibration
    if found.chosen is None:
        lead.append(f"No map: {found.reason}.")
    else:
        now, then = (rounded(found.errors[kind], 3) for kind in ("unchanged", found.chosen.kind))
        lead.append(f"An {_MAPS[found.chosen.kind]} errs by {then} on held-out cases, {_MAPS['unchanged']} by {now}.")
    return Document(f"Calibration of {report.run}", tuple(lead), tuple(_calibration_sections(report)))


def calibration_json(report: CalibrationReport) -> dict[str, Any]:
    """Return the calibration report as data for programs. `calibration` is the part that a rubric stores."""
    saved, weights = report.saved(), report.weights
    return {
        "run": report.run,
        "judge": report.judge,
        "rubric": report.rubric,
        "what": report.what,
        "labels_from": report.source,
        "cases": report.cases,
        "labels": report.labels,
        "people": report.people,
        "picked_for_doubts": report.picked,
        "without_verdict": report.unjudged,
        "errors": dict(report.calibration.errors),
        "calibration": None if saved is None else saved.model_dump(),
        "reason": report.calibration.reason or None,
        "weights": None
        if weights is None
        else {
            "default": dict(weights.defaults),
            "learned": None if weights.weights is None else dict(weights.weights),
            "default_loss": weights.default_loss,
            "learned_loss": weights.loss,
            "better": weights.better,
            "reason": weights.reason or None,
        },
    }


def _calibration_sections(report: CalibrationReport) -> list[Section]:
    found, sections = report.calibration, []
    if found.errors:
        rows = [(_MAPS[kind], rounded(error, 3)) for kind, error in found.errors.items()]
        explained = f"Root mean square error against {report.words.people}, on cases that took no part in the fit."
        sections.append(Section("Error", [explained], [Grid(("What is compared with people", "Error"), rows)]))
    if (chosen := found.chosen) is not None:
        if chosen.kind == "isotonic":
            scores = [x for x, _ in chosen.points]
        else:
            middles = [cut / chosen.slope for cut in chosen.cuts] if chosen.slope else [0.0]
            reach = 4 / chosen.slope if chosen.slope else 1.0
            scores = [middles[0] - reach, *middles, middles[-1] + reach]
        shown = [*scores[: -1 : -(-len(scores) // _SHOWN)], scores[-1]]
        rows = [(rounded(score), rounded(chosen.apply(score))) for score in shown]
        sections.append(Section("The map", (), [Grid((report.words.judge, report.words.people), rows, names=0)]))
    if (weights := report.weights) is not None:
        if weights.weights is None:
            return [*sections, Section("Weights", [f"None learned: {weights.reason}."])]
        result = (
            "The learned ones predict held-out cases better"
            if weights.better
            else "The learned ones do not predict held-out cases clearly better than the defaults"
        )
        sentence = (
            f"{result} ({rounded(weights.loss, 3)} against {rounded(weights.default_loss, 3)}). Totals are computed "
            "with the rubric’s own weights; to use others, write them into a new version of it."
        )
        names = ("Criterion", "Default", "Learned")
        grid = [(key, rounded(default), rounded(weights.weights[key])) for key, default in weights.defaults.items()]
        sections.append(Section("Weights", [sentence], [Grid(names, grid)]))
    return sections
