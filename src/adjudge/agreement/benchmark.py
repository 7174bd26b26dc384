"""Measures how far judges agree with people on labelled sets, compared with simple rules. Each judge has a run per set.

Every labelled case counts, an undecided one with the judge's best guess, so that judges and rules, which always decide,
face the same cases; decided cases are also reported separately. A tie is a class of its own. Intervals are drawn by
task, or by a column `group`, because pairs of one task are not independent. We claim nothing about a set that was used
to build the judge.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice
from pathlib import Path
from statistics import fmean
from typing import Literal, NamedTuple

from ..errors import InputError
from ..inputs.rows import Row, open_rows
from ..judges.embedded.model import seen_sets
from ..judges.specs import single_judges
from ..models.base import Exact, Frozen
from ..models.cases import Case
from ..models.figures import Figure
from ..protocols.base import names, protocol_of
from ..protocols.rubrics import shipped
from ..results.run import Reader, Run
from ..statistics.agreement import Value, spearman
from ..statistics.people import (
    Panel,
    agreement_with_others,
    agreement_with_person,
    ranks_with_others,
    ranks_with_person,
)
from ..statistics.ratings import base_rates, baselines, consensus, longer_of
from ..statistics.resampling import mean_by_unit, with_interval
from ..text.words import count_words
from .labels.sources import OWN_COLUMN, load_labels
from .report.joining import JudgedRow, join_labels, number_of

_SUFFIXES = {".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet", ".pq", ".txt"}
_LOOKED_AT = 1_000  # rows; if none of the first ones has a label, the file counts as one without labels


@dataclass(frozen=True, slots=True)
class LabelledSet:
    """A file of cases that people labelled."""

    name: str
    path: Path
    protocol: str


class JudgeOnSet(Frozen):
    """One judge on one set. `agreement` counts undecided cases with the best guess, `decided` leaves them out, and
    `longest_there` is how often the rule "longest answer" agrees with people on the cases that the judge decided.
    `with_person` is its agreement with one person, where several people labelled a case.

    `ahead` is how much more often the judge agrees with people than the longest answer does. It is None without two
    answers, and if the judge was fitted or tuned with these sets (`took_part`).
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
    with_person: Figure | None
    took_part: tuple[str, ...]
    cost: Exact
    unpriced: int


class SetResult(Frozen):
    """The figures of one set: its labelled cases, simple rules that read nothing, one person against another (as in
    statistics/people.py), and the judges. Classes are measured by the share of agreement, numbers by Spearman's rank
    correlation.

    `skipped` counts rows that could not be judged, such as those with an empty answer.
    """

    name: str
    protocol: str
    measure: Literal["agreement", "spearman"]
    cases: int
    skipped: int
    base_rates: dict[str, float]
    rules: dict[str, Figure]
    people: Figure | None
    judges: tuple[JudgeOnSet, ...]


class Benchmark(Frozen):
    """The results of all sets, and the files that were left out, with the reason."""

    sets: tuple[SetResult, ...]
    left_out: dict[str, str]


class _Case(NamedTuple):
    """A labelled case with an outcome: people's joint label (None if they tie), each one's vote, the judge's verdict
    (None if it failed), and the lengths of its two answers or of the whole."""

    row: JudgedRow
    text: str
    human: Value | None
    votes: Mapping[str, Value]
    verdict: Value | None
    sizes: Sequence[float]


def find_sets(folder: Path) -> tuple[list[LabelledSet], dict[str, str]]:
    """Return the files of a folder whose cases have labels, and why the other files are left out."""
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


def _protocol_of(path: Path) -> tuple[str | None, str]:
    """Return the protocol of a file's cases. Return None and the reason if it has no readable cases or no labels."""
    why = ""
    for protocol in names():
        sets = protocol_of(protocol).measured.sets
        if sets is None or (path.suffix == ".txt" and not sets.plain_text):
            continue
        try:
            rows = open_rows(str(path), protocol, shipped(protocol))
            labelled = any(isinstance(row, Row) and row.label is not None for row in islice(rows, _LOOKED_AT))
            return (protocol, "") if labelled else (None, "no labels")
        except InputError as error:
            why = why or error.found
    return None, why


def has_column(labelled: LabelledSet, column: str) -> bool:
    """Return whether the first cases of a set have this column, which no judge sees."""
    rows = open_rows(str(labelled.path), labelled.protocol, shipped(labelled.protocol))
    return any(isinstance(row, Row) and column in row.extra for row in islice(rows, _LOOKED_AT))


def text_of(case: Case) -> str:
    """Return the text by which a set is recognised: the task, or the whole conversation."""
    sets = protocol_of(case.protocol).measured.sets
    return sets.text(case) if sets else ""


def measure_set(labelled: LabelledSet, runs: Mapping[str, Run], votes: str, group: str | None = None) -> SetResult:
    """Measure the judges' runs over a set. `votes` names a column with several people's labels of each comparison,
    `group` one that says which cases belong together; a set without it is grouped by task."""
    protocol = protocol_of(labelled.protocol)
    numeric, two_sides = protocol.measured.numeric, protocol.table.two_sides

    def figure(pairs: Iterable[tuple[Value | None, _Case]]) -> Figure:
        known = [(one, case) for one, case in pairs if one is not None]
        return _figure([(one, case.human, case.row.unit) for one, case in known if case.human is not None], numeric)

    by_judge = {judge: list(_read(run, votes, group).values()) for judge, run in runs.items()}
    # People and rules are measured on all cases that any judge was asked about.
    asked = list({case.row.position: case for cases in by_judge.values() for case in cases}.values())
    every = [case for case in asked if case.human is not None]
    human, sizes = [case.human for case in every], [case.sizes for case in every]
    rules: dict[str, Sequence[Value | None]] = {}
    if two_sides:
        rules |= baselines(human, sizes)
    elif not numeric:
        rules["constant"] = [next(iter(base_rates(human)), None)] * len(every)
    elif protocol.measured.length is not None:
        # A constant ranks nothing, so it is no rule for numbers.
        rules[f"number of {protocol.measured.unit}"] = [size for size, *_ in sizes]
    judges = []
    for judge, run in runs.items():
        cases = [case for case in by_judge[judge] if case.human is not None]
        known = [(case.verdict, case) for case in cases if case.verdict is not None]
        judged = [(verdict, longer_of(*case.sizes) if two_sides else None, case) for verdict, case in known]
        sure = [(verdict, longest, case) for verdict, longest, case in judged if case.row.ending == "verdict"]
        ahead = ((float(one == it.human) - float(longest == it.human), it.row.unit) for one, longest, it in judged)
        took_part = seen_sets(single_judges(judge), labelled.path.name, (case.text for case in cases))
        made = JudgeOnSet(
            judge=judge,
            run=str(run.folder),
            judged=len(judged),
            failed=len(cases) - len(judged),
            undecided=len(judged) - len(sure),
            agreement=figure((verdict, case) for verdict, _, case in judged),
            decided=None if numeric else figure((verdict, case) for verdict, _, case in sure),
            longest_there=figure((longest, case) for _, longest, case in sure) if two_sides else None,
            ahead=mean_by_unit(ahead, is_share=False) if two_sides and not took_part else None,
            with_person=_one_person(
                [case for case in by_judge[judge] if case.verdict is not None], numeric, judged=True
            ),
            took_part=took_part,
            cost=sum((case.row.cost for case in cases if case.row.cost is not None), Decimal(0)),
            unpriced=sum(case.row.cost is None and case.row.calls > 0 for case in cases),
        )
        judges.append(made)
    return SetResult(
        name=labelled.name,
        protocol=labelled.protocol,
        measure="spearman" if numeric else "agreement",
        cases=len(every),
        skipped=max(int(run.config["input"].get("bad", 0)) for run in runs.values()),
        base_rates={str(value): rate for value, rate in base_rates(human).items()} if not numeric else {},
        rules={name: figure(zip(verdicts, every, strict=True)) for name, verdicts in rules.items()},
        people=_one_person(asked, numeric),
        judges=tuple(judges),
    )


def _one_person(cases: Sequence[_Case], numeric: bool, *, judged: bool = False) -> Figure | None:
    """Return how far people, or a judge, agree with one person where several labelled a case; None if nowhere."""
    several = [case for case in cases if len(case.votes) > 1]
    if not several:
        return None
    panel = Panel([case.votes for case in several], [case.row.unit for case in several], numeric=numeric)
    verdicts = panel.coded(case.verdict for case in several)
    if not numeric:
        return agreement_with_person(panel, verdicts) if judged else agreement_with_others(panel)
    ranks = ranks_with_person(panel, verdicts) if judged else ranks_with_others(panel)
    return with_interval(ranks, panel.units)


def _figure(pairs: Sequence[tuple[Value, Value, int]], numeric: bool) -> Figure:
    """Return the share of cases on which both agree, or Spearman's rank correlation, with an interval by unit."""
    if not numeric:
        return mean_by_unit((verdict == human, unit) for verdict, human, unit in pairs)
    verdicts, human, units = zip(*pairs, strict=True) if pairs else ((), (), ())
    return with_interval(spearman(verdicts, human), units)


def _read(run: Run, votes: str, group: str | None) -> dict[int, _Case]:
    """Return the labelled cases of a run that have an outcome, by position."""
    found, measured = {}, run.protocol.measured
    with Reader(run) as reader:
        labelled = join_labels(run, load_labels(run, OWN_COLUMN), others=0, group=group).labelled
        several = {case.row.position: case.votes for case in labelled}
        if not measured.numeric and any(votes in reader.case(at)["extra"] for at in several):
            several = {case.row.position: case.votes for case in join_labels(run, load_labels(run, votes), 0).labelled}
        for case in labelled:
            row, human = case.row, _together(case.votes.values())
            if not case.votes or row.ending in ("skipped", "unfinished"):
                continue
            given, own = reader.given(row.position), several.get(row.position, {})
            line, sizes = reader.case(row.position)["input"], row.words or ()
            if measured.length is not None:
                sizes = (measured.length(line),)
            elif not sizes and run.protocol.table.two_sides:
                sizes = list(map(count_words, run.protocol.table.answers(line)))
            verdict = None if row.ending == "failure" else number_of(row) if measured.numeric else row.value
            found[row.position] = _Case(row, text_of(given), human, own, verdict, sizes)
    return found


def _together(values: Iterable[Value]) -> Value | None:
    """Return people's joint label: the mean of numbers, or the most frequent class; None if two classes tie."""
    given = list(values)
    numbers = [value for value in given if not isinstance(value, str)]
    return fmean(numbers) if numbers else consensus(given)
