"""Shows the difference of two runs as a report for people, and as data for programs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any

from ...models.base import to_json
from ...models.figures import Change
from ...rendering.document import Document, Grid, Picture, Section, bar, non_empty, stack
from ...rendering.wording import interval, listed, many, p_is, p_value, percent, points, rounded, signed
from ...results.diff import CaseChange, Diff

_MOST_SCORES = 3


def diff_document(diff: Diff, limit: int) -> Document:
    """Build the report: what changed, whether it is real, and the cases that changed most."""
    sections = (_missing(diff), _verdicts(diff), _tests(diff), _criteria(diff), _failures(diff), _cases(diff, limit))
    return Document(f"{diff.names[0]} → {diff.names[1]}", _lead(diff), non_empty(*sections))


def diff_json(diff: Diff) -> Iterator[bytes]:
    """Yield the difference, with every case that changed, in pieces of one JSON document."""
    empty = b"[]\n}\n"
    yield to_json(_facts(diff) | {"changed": []}, indent=True).removesuffix(empty)
    separator, table = b"[\n    ", diff.protocol.table
    for change in diff.changes():
        changed = {
            "case": change.case,
            "before": table.outcome.data(change.before),
            "after": table.outcome.data(change.after),
            **({} if table.number is None else {table.number.column: change.change}),
            "scores": change.scores,
        }
        yield separator + to_json(changed, indent=True).rstrip().replace(b"\n", b"\n    ")
        separator = b",\n    "
    yield b"\n  ]\n}\n" if diff.changed else empty


def _facts(diff: Diff) -> dict[str, Any]:
    return {
        "protocol": diff.protocol.name,
        "runs": list(diff.names),
        "in_both": diff.in_both,
        "judged_in_both": diff.judged_in_both,
        "different_cases": diff.different,
        "undecided": list(diff.undecided),
        "unfinished": diff.unfinished,
        "only_in_first": diff.only_first,
        "only_in_second": diff.only_second,
        "same_id_other_texts": diff.other_texts,
        "failures": {"fixed": diff.fixed, "new": diff.broken, "in_both": diff.failed_in_both},
        "outcome": diff.protocol.table.outcome.column,
        "flipped": {
            "count": diff.flipped,
            "share": asdict(diff.flipped_share),
            "by": [{"from": was, "to": now, "count": count} for (was, now), count in diff.flips.most_common()],
        },
        "agreement": None if diff.agreement is None else asdict(diff.agreement),
        "means": {name: asdict(change) for name, change in diff.tests.items()},
        "criteria": {name: asdict(shift) for name, shift in diff.shifts.items()},
    }


def _name(diff: Diff, score: str) -> str:
    """Return the name of a tested score for the beginning of a sentence."""
    name = diff.protocol.table.tested[score]
    return name[0].upper() + name[1:]


def _lead(diff: Diff) -> tuple[str, ...]:
    if not diff.in_both:
        return ("The two runs have no case in common.",)
    sentences = [f"{many(diff.in_both, 'case')} in both runs, {diff.judged_in_both:,} with a verdict in both."]
    if diff.different < diff.judged_in_both:
        copies = many(diff.judged_in_both - diff.different, "case is a copy", "cases are copies")
        sentences.append(f"{copies} of another; tests and intervals count copies as one case.")
    if any(diff.undecided):
        sentences.append(f"Undecided: {diff.undecided[0]:,} before, {diff.undecided[1]:,} after.")
    if not diff.changed and diff.judged_in_both:
        sentences.append("All verdicts came out the same, score for score.")
    elif diff.agreement is not None:
        sentences.append(f"The share decided as labelled, of all labelled cases, {_moved(diff.agreement, percent)}")
    elif (number := diff.protocol.table.number) and (tested := diff.tests.get(number.column)) is not None:
        sentences.append(f"{_name(diff, number.column)} {_moved(tested)}")
    return tuple(sentences)


def _moved(change: Change, show: Callable[[float | None], str] = rounded) -> str:
    if not change.change.value:
        return f"is the same in both: {show(change.before.value)}."
    verdict = "more than chance would explain" if change.real else "no more than chance may explain"
    return f"went from {show(change.before.value)} to {show(change.after.value)}: {verdict} (p {p_is(change.p)})."


def _missing(diff: Diff) -> Section:
    sentences = [
        f"Only in {run}: {many(len(names), 'case')} ({listed(names)})."
        for names, run in zip((diff.only_first, diff.only_second), diff.names, strict=True)
        if names
    ]
    if diff.other_texts:
        count = many(len(diff.other_texts), "id")
        sentences.append(f"{count} of them are in both runs with different texts: {listed(diff.other_texts)}.")
    if diff.unfinished:
        sentences.append(f"{many(diff.unfinished, 'case')} not finished in one of the runs.")
    return Section("Not compared", sentences, warning=True)


def _verdicts(diff: Diff) -> Section:
    what, cases = diff.protocol.table.outcome.name, many(diff.judged_in_both, "case")
    if not diff.judged_in_both:
        return Section("Verdicts", ["No case was judged in both runs, so none can be compared."])
    if not diff.flipped:
        return Section("Verdicts", [f"The {what} is the same in all {cases}."])
    share = diff.flipped_share
    among = " of the different ones" if diff.different < diff.judged_in_both else ""
    bounds = interval(share.interval, percent)
    sentence = (
        f"The {what} changed in {diff.flipped:,} of {cases}: {percent(share.value)}{among} (95 % interval {bounds})."
    )
    rows = [(was, now, f"{count:,}") for (was, now), count in diff.flips.most_common()]
    return Section("Verdicts", [sentence], [Grid(("From", "To", "Cases"), rows, names=2)])


def _tests(diff: Diff) -> Section | None:
    tested: list[tuple[str, Change, Callable[[float | None], str], Callable[[float | None], str], str]] = [
        (_name(diff, name), change, rounded, signed, "") for name, change in diff.tests.items()
    ]
    if diff.agreement:
        tested.insert(0, ("As labelled, of all labelled", diff.agreement, percent, points, " points"))
    if not tested or not diff.changed:
        return None
    rows = []
    for name, it, show, show_change, unit in tested:
        moved = (f"{show_change(it.change.value)}{unit}", interval(it.change.interval, show_change))
        means = (f"{it.change.cases:,}", show(it.before.value), show(it.after.value))
        rows.append((name, *means, *moved, p_value(it.p), "yes" if it.real else "no"))
    used = " and ".join(sorted({it.test for _, it, *_ in tested}))
    sentence = (
        f"Intervals by task: Student's for means, Newcombe's for shares; p-values by {used}. “Real” is p below "
        "0.05 and an interval without 0; among several lines, one may be real by chance alone."
    )
    head = ("Mean of", "Cases", "Before", "After", "Change", "95 % interval", "p", "Real")
    return Section("Is the difference real?", [sentence], [Grid(head, rows)])


def _criteria(diff: Diff) -> Section:
    rows = []
    for name, it in diff.shifts.items():
        if it.moved and name not in diff.protocol.table.derived:
            means = (rounded(it.before), rounded(it.after), signed(it.after - it.before))
            rows.append((diff.titles[name], f"{it.moved:,} of {it.pairs:,}", *means))
    return Section("Scores that moved", (), [Grid(("Score", "Moved in", "Before", "After", "Change"), rows)])


def _failures(diff: Diff) -> Section:
    known = (("Now with a verdict", diff.fixed), ("Now without one", diff.broken))
    sentences = [f"{what}: {many(len(names), 'case')} ({listed(names)})." for what, names in known if names]
    if diff.failed_in_both:
        sentences.append(f"Without one in both: {many(diff.failed_in_both, 'case')}.")
    return Section("Failures", sentences)


def _cases(diff: Diff, limit: int) -> Section | None:
    rows = [
        (each.case, each.before, each.after, moved_scores(diff, each), signed(each.change))
        for each in diff.changes(limit)
    ]
    cut = [f"The first {len(rows):,} of {diff.changed:,}; --format json has all."] if diff.changed > len(rows) else []
    head = ("Case", "Before", "After", "Scores that moved most", measured(diff))
    return Section("Cases that changed", cut, [Grid(head, rows, names=4)]) if rows else None


def measured(diff: Diff) -> str:
    """Name the number that is shown for a changed case."""
    table = diff.protocol.table
    return "Change" if table.number is None else f"Change of {table.tested[table.number.column]}"


def diff_pictures(diff: Diff) -> list[Picture]:
    """Draw how outcomes changed and how far the numbers moved. Pictures without rows are left out."""
    outcome = diff.protocol.table.outcome
    was_any, now_any = (sorted({move[at] for move in diff.moves}, key=outcome.rank) for at in (0, 1))
    rows = []
    for was in was_any:
        of = sum(diff.moves[was, now] for now in now_any)
        text = f"{many(of, 'case')}, {percent(diff.moves[was, was] / of)} the same"
        counted = ((now, diff.moves[was, now]) for now in now_any)
        parts = ((outcome.tone(now), count, f"{now} {count:,}") for now, count in counted)
        rows.append(stack(f"Was {was}", text, parts))
    legend = tuple((outcome.tone(now), f"now {now}") for now in now_any)
    lead = f"Cases by their {outcome.name} in {diff.names[0]}, and where they ended up in {diff.names[1]}."
    found = [Picture("stacks", "Where verdicts went", lead, rows, legend)]
    moved = [(name, it, ends) for name, it in diff.tests.items() if (ends := it.change.interval) is not None]
    if moved and diff.changed:
        reach = 1.1 * max(abs(end) for *_, ends in moved for end in ends) or 1.0
        bars = []
        for name, it, ends in moved:
            change = it.change.value or 0.0
            text = f"{signed(change)}{' · real' if it.real else ''}"
            tone = ("A" if change > 0 else "B") if it.real else ""
            note = f"{interval(ends, signed)}, p {p_is(it.p)}"
            bars.append(bar(_name(diff, name), text, change, ends, tone, note, (-reach, reach)))
        lead = "Change of each mean with its 95 % interval; the line in the middle is no change."
        found.append(Picture("points", "How far numbers moved", lead, bars, middle=True))
    return [each for each in found if each.rows]


def moved_scores(diff: Diff, change: CaseChange) -> str:
    """List the scores of a case that moved most, but not the totals."""
    table = diff.protocol.table
    own = {name: pair for name, pair in change.scores.items() if name not in (*table.tested, *table.derived)}
    most = sorted(own.items(), key=lambda item: -abs(item[1][1] - item[1][0]))[:_MOST_SCORES]
    return ", ".join(f"{diff.titles[name]} {signed(new - old)}" for name, (old, new) in most)
