"""Joins a run and its labels into one record per case: the judge's verdict, people's labels, how the case was chosen.

Every labelled case is included, even one that failed or was not decided: each figure counts what it leaves out. Of the
cases without labels, a large run gives only a random sample, which is enough for figures about the judge itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from itertools import chain, islice
from typing import Any, Literal

import orjson

from ...errors import InputError
from ...results.columns import name, unit_sql
from ...results.database import Database, opened
from ...results.run import Reader, Run
from ...spelling import did_you_mean
from ...statistics.agreement import Value
from ...statistics.bias import JudgedPair
from ...statistics.ratings import consensus
from ...text.structure import count_list_items
from ..labels.files import overall_scale
from ..labels.given import find_column
from ..labels.sampling import jurors_agree
from ..labels.sources import LabelSet

MOST_ROWS = 5_000  # cases without labels; a share of this many is accurate to 1.4 points
Ending = Literal["verdict", "undecided", "invalid", "failure", "skipped", "unfinished"]
_BOLD = re.compile(r"\*\*[^*\n]+\*\*|__[^_\n]+__|<(?:b|strong)>", re.IGNORECASE)
# The answers of a case with two: how long they are, and who wrote them.
_OF_TWO = {
    "words": "case when r.words_a is not null and r.words_b is not null then [r.words_a, r.words_b] end",
    "systems": "case when r.system_a is not null and r.system_b is not null then [r.system_a, r.system_b] end",
}


@dataclass(frozen=True, slots=True)
class JudgedRow:
    """The outcome of a case. `value` is the verdict in the terms of labels, a class or a number; of an undecided one,
    the best guess. `winner` is its class: who wins, or pass or fail; None if verdicts are compared as numbers. `score`
    is the number behind it. `consistent` says whether both orders agree, `unopposed` whether the Critic objects to
    nothing. `scores` holds the scores of each criterion, for both answers if there are two. `key` is equal for the same
    id and texts in other runs, `content` for copies of a case, and `unit` for cases that are not independent (see
    `unit_sql`): intervals and held-out parts treat them as one.
    """

    position: int
    case: str
    key: int
    content: int
    unit: int
    opening: str
    ending: Ending
    value: Value | None = None
    winner: str | None = None
    score: float | None = None
    confidence: float | None = None
    consistent: bool | None = None
    unopposed: bool | None = None
    scores: Mapping[str, Sequence[float | None]] = field(default_factory=dict)
    words: Sequence[int] | None = None
    systems: Sequence[str] | None = None
    cost: Decimal | None = None
    calls: int = 0
    judge: str = ""

    @property
    def judged(self) -> bool:
        """Whether there is a verdict, if only as the judge's best guess."""
        return self.ending in ("verdict", "undecided") and self.value is not None

    @property
    def decided(self) -> Value | None:
        """The verdict, or None if the judge did not decide or the case has none."""
        return self.value if self.ending == "verdict" else None


@dataclass(frozen=True, slots=True)
class LabelledCase:
    """A labelled case: each person's vote, their joint label (None if they tie), and the joint ratings of criteria.
    `at_random` says whether the case may represent others."""

    row: JudgedRow
    votes: Mapping[str, Value]
    human: Value | None
    criteria: Mapping[str, float]
    at_random: bool


@dataclass(frozen=True, slots=True)
class JoinedRun:
    """A run's rows by position (with `sampled`, a random part of those without labels), and the labelled cases.

    `columns` are the input's columns that no judge sees, and `group` is the one that says which cases belong together;
    None if cases of one task do.
    """

    run: Run
    rows: Mapping[int, JudgedRow]
    labelled: tuple[LabelledCase, ...]
    cases: int
    sampled: bool
    columns: tuple[str, ...]
    group: str | None

    def check_columns(self, option: str, named: Iterable[str]) -> None:
        """Raise InputError if the input does not have a column that this option names."""
        for column in named:
            if column not in self.columns:
                listed = f"{did_you_mean(column, self.columns)}one of {', '.join(self.columns)}"
                allowed = listed if self.columns else "its input has no further columns"
                raise InputError(option, f"{self.run.name}: no column {column!r:.60}", allowed)

    @property
    def of_sample(self) -> list[LabelledCase]:
        """The cases that figures are based on: a random sample, or all if it is unknown how cases were chosen."""
        return [case for case in self.labelled if case.at_random]

    @property
    def voted(self) -> list[LabelledCase]:
        """The cases of the sample that the judge decided and people labelled, also where people disagree."""
        return [case for case in self.of_sample if case.votes and case.row.decided is not None]

    @property
    def counted(self) -> list[LabelledCase]:
        """The cases of the sample that both the judge and people, by their joint label, decided."""
        return [case for case in self.of_sample if case.human is not None and case.row.decided is not None]

    @property
    def whole(self) -> list[JudgedRow]:
        """The rows that represent the whole run. If unlabelled cases are only a sample, cases that were labelled for
        their doubts are left out, because there would be too many of them."""
        doubtful = {case.row.position for case in self.labelled if not case.at_random} if self.sampled else set()
        return [row for row in self.rows.values() if row.position not in doubtful]


def join_labels(run: Run, labels: LabelSet, others: int = MOST_ROWS, group: str | None = None) -> JoinedRun:
    """Read the outcomes and labels of the labelled cases, and the outcomes of up to `others` other cases. `group`
    names the column that says which cases belong together (see `group_column`)."""
    drawn = f"""select unnest($1::BIGINT[]) union all (select position from cases
        where position not in (select unnest($1::BIGINT[])) order by hash(position), position limit {others})"""
    with opened(run, only=(drawn, sorted(labels.by_case))) as database:
        columns = columns_of_input(database)
        by = group_column(columns, group)
        rows = {row.position: row for row in _rows(database, by)}
        ((cases,),) = database.query("select count(*) from cases")
    found = []
    for position, own in labels.by_case.items():
        votes = {name: _plain(label.value) for name, label in own.items() if label.value is not None}
        names = dict.fromkeys(name for label in own.values() for name in label.criteria)
        by_name = {name: [_plain(label.criteria.get(name)) for label in own.values()] for name in names}
        criteria = {name: float(rated) for name in names if (rated := consensus(by_name[name])) is not None}
        at_random = labels.at_random is None or position in labels.at_random
        found.append(LabelledCase(rows[position], votes, consensus(votes.values()), criteria, at_random))
    return JoinedRun(run, rows, tuple(found), database.expected, len(rows) < cases, columns, by)


def read_rows(run: Run, keys: Iterable[int]) -> dict[int, JudgedRow]:
    """Read another run's rows of these cases (the same id and the same texts), by key."""
    fitting = "select position from cases where key in (select unnest($1::UBIGINT[]))"
    with opened(run, only=(fitting, list(keys))) as database:
        rows = _rows(database, None)
    return {row.key: row for row in reversed(rows)}  # of copies, keep the first


def read_pairs(joined: JoinedRun) -> list[JudgedPair]:
    """Return a run's comparisons for measuring bias. Labels are included only for cases drawn at random."""
    measured, table = joined.run.protocol.measured, joined.run.protocol.table
    votes = {
        case.row.position: {name: side for name, vote in case.votes.items() if (side := measured.class_of(vote))}
        for case in joined.of_sample
    }
    pairs = []
    with Reader(joined.run) as reader:
        for row in joined.whole:
            if row.winner is None:
                continue
            answers = table.answers(reader.case(row.position)["input"])
            orders: tuple[Any, Any] = (row.winner, row.winner) if row.consistent else (None, None)
            if measured.winners is not None and not row.consistent:
                winners = measured.winners(orjson.loads(reader.verdict_json(row.position)))
                orders = winners.get("ab"), winners.get("ba")
            winner: Any = row.winner if row.ending == "verdict" else None
            items, bold = zip(*map(_marks, answers), strict=True)
            pairs.append(
                JudgedPair(
                    *(row.unit, winner, *orders, row.words, items, bold, row.systems), votes=votes.get(row.position, {})
                )
            )
    return pairs


def juries_agree(joined: JoinedRun) -> list[tuple[bool, int]]:
    """Return, for every case that a jury judged, whether all its members agreed, and the case's unit."""
    with Reader(joined.run) as reader:
        judged = [row for row in joined.whole if "jury" in row.judge and row.value is not None]
        found = [(jurors_agree(reader.verdict(row.position)), row.unit) for row in judged]
    return [(agree, unit) for agree, unit in found if agree is not None]


def number_of(row: JudgedRow) -> float | None:
    """Return the number behind a verdict, or else the verdict itself if it is a number."""
    found = row.value if row.score is None else row.score
    return None if isinstance(found, str) else found


def group_column(columns: Sequence[str], group: str | None) -> str | None:
    """Return the column that says which cases belong together: the named one, or else the one called group; None if the
    input does not have it, or if the name is empty."""
    return find_column(columns, ("group",)) if group is None else group if group in columns else None


def columns_of_input(database: Database) -> tuple[str, ...]:
    """Return the names of the input's columns that no judge sees."""
    return tuple(key for (key,) in database.query("select distinct unnest(json_keys(extra)) from cases order by 1"))


def _rows(database: Database, group: str | None) -> list[JudgedRow]:
    """Read the rows of the cases that the database was opened for, in the order of the input."""
    measured, table = database.run.protocol.measured, database.run.protocol.table
    fixed = len(table.all_columns({}))
    scores: dict[str, list[str]] = {}
    for criterion in database.run.rubric.criteria:
        own = table.all_columns({criterion.key: ""})[fixed:]  # of A and B, or one
        scores[criterion.key] = [f"r.{name(column.name)}::DOUBLE" for column in own if column.score]
    cells = {
        **{it: f'c."{it}"' for it in ("position", "case", "key", "content")},
        "unit": unit_sql(group),
        "opening": "coalesce(c.opening, '')",
        "ending": f"coalesce({measured.ending or 'null'}, r.status, 'unfinished')",
        **{"cost": "r.cost", "calls": "coalesce(r.calls, 0)", "judge": "coalesce(r.judge, '')"},
        **{"value": measured.value, "score": measured.number or "null", "confidence": measured.confidence or "null"},
        **{"consistent": measured.orders or "null", "unopposed": measured.critic or "null"},
        **(_OF_TWO if table.two_sides else {}),
    }
    # A plain column for each score: DuckDB takes long to build maps for Python.
    found = database.query(
        f"""select {", ".join((*cells.values(), *chain.from_iterable(scores.values())))}
        from cases as c left join results as r using (position)
        where c.position in (from wanted) order by c.position"""
    )
    rows = []
    for values in found:
        numbers = iter(values[len(cells) :])
        own_scores = {key: list(islice(numbers, len(columns))) for key, columns in scores.items()}
        row = JudgedRow(**dict(zip(cells, values, strict=False)), scores=own_scores)
        rows.append(row if measured.numeric else replace(row, winner=measured.class_of(row.value)))
    scale = overall_scale(database.run)
    allowed = tuple(sorted(measured.classes)) if scale is None else tuple(map(float, scale.values))
    for row in rows:
        # The table is read from the run's files, which somebody may have edited.
        if row.value is not None and row.value not in allowed:
            place = f"{database.run.folder / 'verdicts.jsonl'}, case {row.case}"
            raise InputError(place, f"{row.value} is no verdict of this run", f"one of {', '.join(map(str, allowed))}")
    return rows


def _marks(answer: str) -> tuple[int, int]:
    """Return how many list items and how many bold passages an answer has."""
    return count_list_items(answer), len(_BOLD.findall(answer))


def _plain(value: Any) -> Any:
    return float(value) if isinstance(value, Decimal) else value
