"""Judges on labelled sets, one run for each judge and set: how far each agrees with people, beside simple rules.

Every labelled case counts, an undecided one with the judge's best guess, so that a judge and a rule that always decides
face the same cases; what it decides is told apart. A tie is a class of its own. Intervals are drawn by task, because
pairs of one task are not independent. Of a set that the judge was made with nothing is claimed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice
from pathlib import Path
from statistics import fmean
from typing import Literal, NamedTuple

from ..errors import InputError
from ..inputs.rows import Row, open_rows
from ..judges.embedded.seen_sets import seen_sets
from ..judges.specs import single_judges
from ..models.base import Exact, Frozen
from ..models.cases import Comparison, Dialogue, Review
from ..results.run import Reader, Run
from ..rubric import shipped
from ..text.words import count_words
from .figures import (
    Figure,
    Value,
    against_others,
    base_rates,
    baselines,
    consensus,
    grouped,
    longer_of,
    mean_by_unit,
    spearman,
)
from .labels.sources import OWN_COLUMN, load_labels
from .report.joining import JudgedRow, join_labels

SetProtocol = Literal["compare", "dialogue"]
_SUFFIXES = {".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet", ".pq", ".txt"}
_LOOKED_AT = 1_000  # rows without a label, after which a file counts as one without labels


@dataclass(frozen=True, slots=True)
class LabelledSet:
    """A file of cases that people labelled."""

    name: str
    path: Path
    protocol: SetProtocol


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


class _Case(NamedTuple):
    """A labelled case with an outcome: people's word, each one's, and the judge's (None: it failed)."""

    row: JudgedRow
    task: int
    text: str
    human: Value
    votes: Mapping[str, Value]
    said: Value | None
    sizes: tuple[float, float]

    @property
    def decided(self) -> bool:
        return self.row.ending == "verdict"


class _Pair(NamedTuple):
    """What somebody says of a case, what people say, and the task that the case belongs to."""

    said: Value
    human: Value
    task: int


def find_sets(folder: Path) -> tuple[list[LabelledSet], dict[str, str]]:
    """The files of a folder whose cases carry labels, and why the others are left out."""
    paths = sorted(path for path in folder.iterdir() if path.is_file() and _SUFFIXES.intersection(path.suffixes))
    found, left_out = [], {}
    stems = [path.name.partition(".")[0] for path in paths]
    for path, stem in zip(paths, stems, strict=True):
        protocol, why = _protocol_of(path)
        if protocol is None:
            left_out[path.name] = why
        else:
            found.append(LabelledSet(stem if stems.count(stem) == 1 else path.name, path, protocol))
    if not found:
        why = "".join(f"; {name}: {reason}" for name, reason in islice(left_out.items(), 3))
        raise InputError("DIR", f"{folder}: no file with labelled cases{why}", f"{', '.join(sorted(_SUFFIXES))}")
    return found, left_out


def _protocol_of(path: Path) -> tuple[SetProtocol | None, str]:
    """What the cases of a file are; None and the reason if they are none, or carry no label."""
    why = ""
    protocols: tuple[SetProtocol, ...] = ("dialogue",) if path.suffix == ".txt" else ("compare", "dialogue")
    for protocol in protocols:
        try:
            rows = open_rows(str(path), protocol, shipped(protocol))
            if any(isinstance(row, Row) and row.label is not None for row in islice(rows, _LOOKED_AT)):
                return protocol, ""
            return None, "no labels"
        except InputError as error:
            why = why or error.found
    return None, why


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
    people = [_Pair(own, rest, case.task) for case in every for _, own, rest in against_others(case.votes, _together)]
    return SetResult(
        name=labelled.name,
        protocol=labelled.protocol,
        measure="agreement" if compare else "spearman",
        cases=len(every),
        skipped=skipped,
        base_rates={str(value): rate for value, rate in base_rates(human).items()} if compare else {},
        rules={name: measure(_pairs(every, said)) for name, said in rules.items()},
        people=measure(people) if people else None,
        judges=tuple(_on_set(labelled, judge, runs[judge], list(by_judge[judge].values()), measure) for judge in runs),
    )


def _on_set(
    labelled: LabelledSet, judge: str, run: Run, cases: Sequence[_Case], measure: Callable[[Sequence[_Pair]], Figure]
) -> JudgeOnSet:
    took_part = seen_sets(single_judges(judge), labelled.path.name, (case.text for case in cases))
    compare = labelled.protocol == "compare"
    sure = [case for case in cases if case.decided]
    judged = [case for case in cases if case.said is not None]
    ahead = [(float(case.said == case.human) - float(_longer(case) == case.human), case.task) for case in judged]
    return JudgeOnSet(
        judge=judge,
        run=str(run.folder),
        judged=len(judged),
        failed=len(cases) - len(judged),
        undecided=len(judged) - len(sure),
        agreement=measure(_pairs(cases, [case.said for case in cases])),
        decided=measure(_pairs(sure, [case.said for case in sure])) if compare else None,
        longest_there=measure(_pairs(sure, list(map(_longer, sure)))) if compare else None,
        ahead=mean_by_unit(ahead) if compare and not took_part else None,
        took_part=took_part,
        cost=sum((case.row.cost for case in cases if case.row.cost is not None), Decimal(0)),
        unpriced=sum(case.row.cost is None and case.row.calls > 0 for case in cases),
    )


def _read(run: Run, votes: str) -> dict[int, _Case]:
    """The labelled cases of a run that have an outcome, by position."""
    joined = join_labels(run, load_labels(run, OWN_COLUMN), others=0)
    with Reader(run) as reader:
        several = {case.row.position: case.votes for case in joined.labelled}
        if run.protocol == "compare" and any(votes in reader.case(at)["extra"] for at in several):
            several = {case.row.position: case.votes for case in join_labels(run, load_labels(run, votes), 0).labelled}
        found = {}
        for case in joined.labelled:
            row, human = case.row, _together(case.votes.values())
            if human is None or row.ending in ("skipped", "unfinished"):
                continue
            given = reader.given(row.position)
            dialogue = run.protocol == "dialogue"
            if isinstance(given, Dialogue):
                sizes = len(given.turns), len(given.turns)
            else:
                sizes = row.words or (count_words(given.a), count_words(given.b))
            said = None if row.ending == "failure" else row.score if dialogue else row.winner
            task = row.position if dialogue else row.task
            own = several.get(row.position, {})
            found[row.position] = _Case(row, task, text_of(given), human, own, said, sizes)
    return found


def _together(values: Iterable[Value]) -> Value | None:
    """What several people say together: the mean of numbers, the class of most, None where two classes draw."""
    given = list(values)
    numbers = [value for value in given if not isinstance(value, str)]
    return fmean(numbers) if numbers else consensus(given)


# -- figures ----------------------------------------------------------------------------------------------------------


def _pairs(cases: Sequence[_Case], said: Sequence[Value | None]) -> list[_Pair]:
    return [_Pair(one, case.human, case.task) for case, one in zip(cases, said, strict=True) if one is not None]


def _longer(case: _Case) -> Value:
    return longer_of(*case.sizes)


def _agreement(pairs: Sequence[_Pair]) -> Figure:
    """The share of cases with the same answer, with an interval by task."""
    return mean_by_unit((pair.said == pair.human, pair.task) for pair in pairs)


def _rank(pairs: Sequence[_Pair]) -> Figure:
    """Spearman's rank correlation, with an interval by conversation."""

    def correlation(drawn: Sequence[_Pair]) -> Figure:
        return spearman([pair.said for pair in drawn], [pair.human for pair in drawn])

    return grouped(correlation, pairs, lambda pair: pair.task)
