"""Judges on labelled sets, one run for each judge and set: how far each agrees with people, beside simple rules.

Every labelled case counts, an undecided one with the judge's best guess, so that a judge and a rule that always decides
face the same cases; what it decides is told apart. A tie is a class of its own. Intervals are drawn by task, because
pairs of one task are not independent. Of a set that the judge was made with nothing is claimed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from statistics import fmean
from typing import Any, Literal

from ...judges.embedded.seen_sets import seen_sets
from ...judges.specs import single_judges
from ...models.base import Exact, Frozen
from ...models.cases import Comparison, Dialogue, Review
from ...results.database import opened
from ...results.run import Reader, Run
from ...text.words import count_words
from ..labels.sources import OWN_COLUMN, load_labels
from ..statistics.intervals import share, with_interval
from ..statistics.metrics import Figure, Value, base_rates, baselines, consensus, longer_of, spearman
from .finding import LabelledSet, SetProtocol

_RANK_DRAWS = 999  # a rank correlation of thousands of ratings takes a millisecond
_CELLS = {
    "compare": "r.winner, r.decided, r.words_a, r.words_b",
    "dialogue": "r.average, true, null, null",
}


class JudgeOnSet(Frozen):
    """One judge on one set. `agreement` counts undecided cases with the best guess, `decided` leaves them out, and
    `longest_there` is the longest answer on the cases that the judge decided.

    `ahead` is by how much it agrees more often than the longest answer; None where nothing is claimed, because these
    sets took part when the judge was fitted or tuned (`took_part`), and for dialogues.
    """

    judge: str
    run: str
    judged: int
    failed: int
    undecided: int
    agreement: Figure
    decided: Figure | None
    longest_there: Figure | None
    ahead: Figure | None
    took_part: tuple[str, ...]
    cost: Exact
    unpriced: int


class SetResult(Frozen):
    """A set: how many labelled cases there are, what rules that read nothing reach, one person against the others, and
    the judges. Comparisons are measured by the share of agreement, dialogues by Spearman's rank correlation.

    `skipped` are rows that could not be judged, such as those with an empty answer.
    """

    name: str
    protocol: SetProtocol
    measure: Literal["agreement", "spearman"]
    cases: int
    skipped: int
    base_rates: dict[str, float]
    rules: dict[str, Figure]
    people: Figure | None
    judges: tuple[JudgeOnSet, ...]


class Benchmark(Frozen):
    """All sets, and the files that are none, with the reason."""

    sets: tuple[SetResult, ...]
    left_out: dict[str, str]


@dataclass(frozen=True, slots=True)
class _Case:
    """A labelled case with an outcome: people's word, each one's, and the judge's (None: it failed)."""

    task: int
    text: str
    human: Value
    votes: tuple[Value, ...]
    said: Value | None
    decided: bool
    sizes: tuple[float, float]
    cost: Decimal | None
    calls: int


def text_of(case: Comparison | Dialogue | Review) -> str:
    """By what a set is recognised: the task, or the whole conversation."""
    if isinstance(case, Dialogue):
        return "\n".join(turn.text for turn in case.turns)
    return case.task if isinstance(case, Comparison) else case.prompt


def measure_set(labelled: LabelledSet, runs: Mapping[str, Run], votes: str) -> SetResult:
    """A set and its runs, by judge. `votes` is the column of comparisons with several people's labels, if there is."""
    by_judge = {judge: _read(run, votes) for judge, run in runs.items()}
    skipped = max(int(run.config["input"].get("bad", 0)) for run in runs.values())
    measure = _agreement if labelled.protocol == "compare" else _rank
    # A rule is measured on all cases that any judge was asked about.
    cases = {position: case for read in by_judge.values() for position, case in read.items()}
    every = list(cases.values())
    human = [case.human for case in every]
    compare = labelled.protocol == "compare"
    sizes = [case.sizes for case in every]
    # A constant ranks nothing, so that conversations have no such rule.
    rules = baselines(human, sizes) if compare else {"number of turns": [turns for turns, _ in sizes]}
    people = [(own, rest, case.task) for case in every for own, rest in _left_out(case.votes)]
    return SetResult(
        name=labelled.name,
        protocol=labelled.protocol,
        measure="agreement" if compare else "spearman",
        cases=len(every),
        skipped=skipped,
        base_rates={str(value): rate for value, rate in base_rates(human).items()} if compare else {},
        rules={name: measure(_items(every, said)) for name, said in rules.items()},
        people=measure(people) if people else None,
        judges=tuple(_on_set(labelled, judge, runs[judge], list(by_judge[judge].values()), measure) for judge in runs),
    )


_Item = tuple[Value, Value, int]
_Measure = Callable[[Sequence[_Item]], Figure]


def _on_set(labelled: LabelledSet, judge: str, run: Run, cases: Sequence[_Case], measure: _Measure) -> JudgeOnSet:
    took_part = seen_sets(single_judges(judge), labelled.path.name, (case.text for case in cases))
    compare = labelled.protocol == "compare"
    sure = [case for case in cases if case.decided]
    return JudgeOnSet(
        judge=judge,
        run=str(run.folder),
        judged=sum(case.said is not None for case in cases),
        failed=sum(case.said is None for case in cases),
        undecided=sum(case.said is not None and not case.decided for case in cases),
        agreement=measure(_items(cases, [case.said for case in cases])),
        decided=measure(_items(sure, [case.said for case in sure])) if compare else None,
        longest_there=measure(_items(sure, _longest(sure))) if compare else None,
        ahead=_ahead(cases) if compare and not took_part else None,
        took_part=took_part,
        cost=sum((case.cost for case in cases if case.cost is not None), Decimal(0)),
        unpriced=sum(case.cost is None and case.calls > 0 for case in cases),
    )


# -- reading ----------------------------------------------------------------------------------------------------------


def _read(run: Run, votes: str) -> dict[int, _Case]:
    """The labelled cases of a run that have an outcome, by position."""
    labels = load_labels(run, OWN_COLUMN)
    with Reader(run) as reader, opened(run) as database:
        several = load_labels(run, votes) if votes in database.names and run.protocol == "compare" else labels
        answer = database.query(
            f"""select position, c.task, r.status, r.cost, r.calls, {_CELLS[run.protocol]} from cases as c
            join results as r using (position) where r.status <> 'skipped' order by position"""
        )
        found = {}
        for position, task, status, cost, calls, said, decided, *words in answer:
            own = _values(labels.by_case.get(position, {}))
            if (human := _together(own)) is None:
                continue
            given = reader.given(position)
            found[position] = _Case(
                task=position if isinstance(given, Dialogue) else task,
                text=text_of(given),
                human=human,
                votes=tuple(_values(several.by_case.get(position, {}))),
                said=said if status == "verdict" else None,
                decided=status == "verdict" and decided is not False,
                sizes=_sizes(given, words),
                cost=cost,
                calls=calls or 0,
            )
    return found


def _sizes(given: Comparison | Dialogue | Review, words: Sequence[int | None]) -> tuple[float, float]:
    """The words of both answers, which a failure does not carry, or the number of turns."""
    if isinstance(given, Dialogue):
        return len(given.turns), len(given.turns)
    a, b = (
        count_words(text) if known is None else known for text, known in zip((given.a, given.b), words, strict=True)
    )
    return a, b


def _values(labels: Mapping[str, Any]) -> list[Value]:
    values = (label.value for label in labels.values())
    return [value if isinstance(value, str) else float(value) for value in values if value is not None]


def _together(values: Sequence[Value]) -> Value | None:
    """What several people say together: the mean of numbers, the class of most, None where two classes draw."""
    numbers = [value for value in values if not isinstance(value, str)]
    return fmean(numbers) if numbers else consensus(values)


def _left_out(votes: Sequence[Value]) -> Iterator[tuple[Value, Value]]:
    """Each person beside what the others say together."""
    for at, own in enumerate(votes):
        if (rest := _together([*votes[:at], *votes[at + 1 :]])) is not None:
            yield own, rest


# -- figures ----------------------------------------------------------------------------------------------------------


def _items(cases: Sequence[_Case], said: Sequence[Value | None]) -> list[_Item]:
    return [(one, case.human, case.task) for case, one in zip(cases, said, strict=True) if one is not None]


def _longest(cases: Sequence[_Case]) -> list[Value | None]:
    return [longer_of(*case.sizes) for case in cases]


def _agreement(items: Sequence[_Item]) -> Figure:
    """The share of cases with the same answer, with an interval by task."""
    return mean_by_task([(float(one == other), task) for one, other, task in items])


def _ahead(cases: Sequence[_Case]) -> Figure:
    """How much more often the judge agrees than the longest answer, on the same cases."""
    return mean_by_task(
        [
            (float(case.said == case.human) - float(longest == case.human), case.task)
            for case, longest in zip(cases, _longest(cases), strict=True)
            if case.said is not None
        ]
    )


def mean_by_task(numbers: Sequence[tuple[float, int]]) -> Figure:
    """The mean of one number a case, each with its task, with an interval by task."""
    if not numbers:
        return Figure(None, 0, "no cases")
    by_task: dict[int, tuple[float, int]] = {}
    for number, task in numbers:
        total, count = by_task.get(task, (0.0, 0))
        by_task[task] = total + number, count + 1
    if len(by_task) == len(numbers) and {number for number, _ in numbers} <= {0.0, 1.0}:
        return share(round(sum(number for number, _ in numbers)), len(numbers))

    def mean(drawn: Sequence[tuple[float, int]]) -> Figure:
        totals, counts = zip(*drawn, strict=True)
        return Figure(sum(totals) / sum(counts), sum(counts))

    return replace(with_interval(mean, list(by_task.values())), cases=len(numbers))


def _rank(items: Sequence[_Item]) -> Figure:
    """Spearman's rank correlation, with an interval by conversation."""
    by_case: dict[int, list[_Item]] = {}
    for item in items:
        by_case.setdefault(item[2], []).append(item)

    def correlation(drawn: Sequence[Sequence[_Item]]) -> Figure:
        flat = [item for unit in drawn for item in unit]
        return spearman([item[0] for item in flat], [item[1] for item in flat])

    return replace(with_interval(correlation, list(by_case.values()), _RANK_DRAWS), cases=len(items))
