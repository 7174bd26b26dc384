"""A run and its labels as plain records, one a case: what the judge said, what people said, how the case was chosen.

Every labelled case is here, also one that failed or was not decided: what is left out of a figure is counted there. Of
the cases without labels a large run gives a random sample, which is enough for what is said of the judge itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

import orjson

from ...models.cases import Comparison, Review
from ...models.comparison import Winner
from ...models.rows import NO_PREFERENCE, own_columns
from ...results.columns import name
from ...results.database import Database, opened
from ...results.run import Reader, Run
from ...text.structure import read_structure
from ..bias import JudgedPair
from ..figures import Value, consensus
from ..labels.sampling import jurors_agree
from ..labels.sources import LabelSet

MOST_ROWS = 5_000  # cases without labels; a share of so many is known to 1.4 points
Ending = Literal["verdict", "undecided", "invalid", "failure", "skipped", "unfinished"]
_BOLD = re.compile(r"\*\*[^*\n]+\*\*|__[^_\n]+__|<(?:b|strong)>", re.IGNORECASE)
# Of each protocol: value, score, confidence, consistent, decided, objections; then what only two answers have.
_CELLS = {
    "compare": "r.winner, r.normalized_a - r.normalized_b, r.confidence, r.order_consistent, r.decided, null",
    "dialogue": "r.overall_experience, r.average, null, null, null, r.objections",
    "review": "r.likert::DOUBLE, null, null, null, r.likert is not null, null",
}
_OF_TWO = "r.winner, r.words_a, r.words_b, r.system_a, r.system_b"


@dataclass(frozen=True, slots=True)
class JudgedRow:
    """What came of a case. `value` is the verdict as labels have it: a winner, an overall score, a preference from 1 to
    7; of an undecided comparison the best guess. `score` is the number behind it: how far A is ahead of B, or a
    dialogue's weighted average. `scores` are those of a criterion, of both answers where there are two. `key` is the
    same for the same id and texts in other runs, `content` for copies of a case, `task` for cases of one task.
    """

    position: int
    case: str
    key: int
    content: int
    task: int
    opening: str
    ending: Ending
    value: Value | None = None
    winner: Winner | None = None
    score: float | None = None
    confidence: float | None = None
    consistent: bool | None = None
    objections: int | None = None
    scores: Mapping[str, tuple[float | None, ...]] | None = None
    words: tuple[int, int] | None = None
    systems: tuple[str, str] | None = None
    cost: Decimal | None = None
    calls: int = 0
    judge: str = ""

    @property
    def decided(self) -> Value | None:
        """The verdict, if there is one that the judge stands by."""
        return self.value if self.ending == "verdict" else None


@dataclass(frozen=True, slots=True)
class LabelledCase:
    """A case that people labelled: each one's vote, what they say together (None where they draw), and the same for
    criteria. `at_random`: the case may stand for others."""

    row: JudgedRow
    votes: Mapping[str, Value]
    human: Value | None
    criteria: Mapping[str, float]
    at_random: bool


@dataclass(frozen=True, slots=True)
class JoinedRun:
    """A run's rows by position (with `sampled`, a random part of those without labels), and the labelled cases."""

    run: Run
    rows: Mapping[int, JudgedRow]
    labelled: tuple[LabelledCase, ...]
    cases: int
    sampled: bool

    @property
    def of_sample(self) -> list[LabelledCase]:
        """The cases that honest figures come from."""
        return [case for case in self.labelled if case.at_random]

    @property
    def counted(self) -> list[LabelledCase]:
        """Those of them that the judge decided, and people too."""
        return [case for case in self.of_sample if case.human is not None and case.row.decided is not None]

    @property
    def whole(self) -> list[JudgedRow]:
        """Rows that stand for the whole run: all of them. Where the others are a sample, cases that were labelled for
        their doubts would be too many in it."""
        doubtful = {case.row.position for case in self.labelled if not case.at_random} if self.sampled else set()
        return [row for row in self.rows.values() if row.position not in doubtful]


def join_labels(run: Run, labels: LabelSet, others: int = MOST_ROWS) -> JoinedRun:
    """All that is known of the labelled cases, and of so many others."""
    with opened(run) as database:
        rows, sampled = _rows(database, sorted(labels.by_case), others)
    found = []
    for position, said in labels.by_case.items():
        votes = {name: _plain(label.value) for name, label in said.items() if label.value is not None}
        names = dict.fromkeys(name for label in said.values() for name in label.criteria)
        by_name = {name: [_plain(label.criteria.get(name)) for label in said.values()] for name in names}
        criteria = {name: float(rated) for name in names if (rated := consensus(by_name[name])) is not None}
        at_random = labels.at_random is None or position in labels.at_random
        found.append(LabelledCase(rows[position], votes, consensus(votes.values()), criteria, at_random))
    return JoinedRun(run, rows, tuple(found), database.expected, sampled)


def read_rows(run: Run, keys: Iterable[int]) -> dict[int, JudgedRow]:
    """Another run's rows of these cases (the same id and the same texts), by their keys."""
    with opened(run) as database:
        marks = ", ".join(map(str, keys)) or "null"
        wanted = [at for (at,) in database.query(f"select position from cases where key in ({marks})")]
        rows, _ = _rows(database, wanted, others=0)
    found: dict[int, JudgedRow] = {}
    for row in rows.values():
        found.setdefault(row.key, row)
    return found


def read_pairs(joined: JoinedRun) -> list[JudgedPair]:
    """Comparisons of a run as bias is measured on them; people's word only where the case was drawn at random."""
    run = joined.run
    human = {case.row.position: side_of(case.human) for case in joined.of_sample}
    pairs = []
    with Reader(run) as reader:
        for row in joined.whole:
            if row.winner is None:
                continue
            given = reader.given(row.position)
            assert isinstance(given, Comparison | Review)
            a_first, b_first = _by_order(row, reader) if run.protocol == "compare" else (None, None)
            pairs.append(
                JudgedPair(
                    content=row.content,
                    winner=row.winner if row.ending == "verdict" else None,
                    a_first=a_first,
                    b_first=b_first,
                    lengths=None if row.words is None else (float(row.words[0]), float(row.words[1])),
                    list_items=(_items(given.a), _items(given.b)),
                    bold=(_bold(given.a), _bold(given.b)),
                    sources=row.systems,
                    human=human.get(row.position),
                )
            )
    return pairs


def juries_agree(joined: JoinedRun) -> list[tuple[bool, int]]:
    """Of every case that a jury judged: whether all of its members came to the same, and the case's content."""
    with Reader(joined.run) as reader:
        asked = [row for row in joined.whole if "jury" in row.judge and row.value is not None]
        said = [(jurors_agree(reader.verdict(row.position)), row.content) for row in asked]
    return [(agree, content) for agree, content in said if agree is not None]


def side_of(value: Value | None) -> Winner | None:
    """The side that a winner or a preference from 1 to 7 speaks for."""
    if value is None or isinstance(value, str):
        return value  # type: ignore[return-value]
    return "A" if value < NO_PREFERENCE else "B" if value > NO_PREFERENCE else "tie"


def _rows(database: Database, wanted: Sequence[int], others: int) -> tuple[dict[int, JudgedRow], bool]:
    """These rows, and some others that are drawn at random if there are too many."""
    protocol, fixed = database.run.protocol, len(own_columns(database.run.protocol, {}))
    columns = {  # of A and B, or one
        criterion.key: [
            name(column.name) for column in own_columns(protocol, {criterion.key: ""})[fixed:] if column.score
        ]
        for criterion in database.run.rubric.criteria
    }
    cells = [_CELLS[protocol], "null, null, null, null, null" if protocol == "dialogue" else _OF_TWO]
    cells += [f"r.{each}" for names in columns.values() for each in names]
    database.query("create temp table wanted as select unnest($1::BIGINT[]) as position", list(wanted))
    unwanted = "position not in (select position from wanted)"
    ((left,),) = database.query(f"select count(*) from cases where {unwanted}")
    database.query(
        f"""insert into wanted select position from cases where {unwanted}
        order by hash(position), position limit {others}"""
    )
    answer = database.query(
        f"""select c.position, c."case", c.key, c.content, c.task, coalesce(c.opening, ''), r.status, r.cost, r.calls,
        r.judge, {", ".join(cells)} from cases as c join wanted using (position)
        left join results as r using (position) order by c.position"""
    )
    return {cells[0]: _row(columns, cells) for cells in answer}, left > others


def _row(columns: Mapping[str, Sequence[str]], read: Sequence[Any]) -> JudgedRow:
    position, case, key, content, task, opening, status, cost, calls, judge, *cells = read
    value, score, confidence, consistent, decided, objections, winner, *words, one, other = cells[:11]
    ending: Ending = status or "unfinished"
    if status == "verdict" and decided is False:
        ending = "undecided" if winner is not None else "invalid"
    scores = iter(cells[11:])
    return JudgedRow(
        position=position,
        case=case,
        key=key,
        content=content,
        task=task,
        opening=opening,
        ending=ending,
        value=value,
        winner=winner,
        score=score,
        confidence=confidence,
        consistent=consistent,
        objections=objections,
        scores={key: tuple(next(scores) for _ in names) for key, names in columns.items()},
        words=None if None in words else (words[0], words[1]),
        systems=None if one is None or other is None else (one, other),
        cost=cost,
        calls=calls or 0,
        judge=judge or "",
    )


def _by_order(row: JudgedRow, reader: Reader) -> tuple[Winner | None, Winner | None]:
    """The winners named with A first and with B first."""
    if row.consistent:
        return row.winner, row.winner
    winners = orjson.loads(reader.verdict_json(row.position))["evaluation"]["order"]["winners"]
    return winners.get("ab"), winners.get("ba")


def _items(text: str) -> float:
    return float(sum(found.count for found in read_structure(text).listings if found.style != "table"))


def _bold(text: str) -> float:
    return float(len(_BOLD.findall(text)))


def _plain(value: Any) -> Any:
    return float(value) if isinstance(value, Decimal) else value
