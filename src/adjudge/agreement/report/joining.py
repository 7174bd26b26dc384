"""A run and its labels as plain records, one a case: what the judge said, what people said, how the case was chosen.

Every labelled case is here, also one that failed or was not decided: what is left out of a figure is counted there. Of
the cases without labels a large run gives a random sample, which is enough for what is said of the judge itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal

import orjson

from ...models.cases import Comparison, Review
from ...models.comparison import Winner
from ...models.rows import NO_PREFERENCE, own_columns
from ...results.columns import name, text
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
# What a verdict's row has of a `JudgedRow`, in SQL.
_OF_TWO = {
    "winner": "r.winner",
    "words": "case when r.words_a is not null and r.words_b is not null then [r.words_a, r.words_b] end",
    "systems": "case when r.system_a is not null and r.system_b is not null then [r.system_a, r.system_b] end",
}
_CELLS = {
    "compare": {
        **{"value": "r.winner", "score": "r.normalized_a - r.normalized_b", "confidence": "r.confidence"},
        **{"consistent": "r.order_consistent", **_OF_TWO},
    },
    "dialogue": {"value": "r.overall_experience", "score": "r.average", "objections": "r.objections"},
    "review": {"value": "r.likert::DOUBLE", **_OF_TWO},
}
_ENDINGS = {
    "compare": "case when r.decided is false then 'undecided' end",
    "dialogue": "null",
    "review": "case when r.status = 'verdict' and r.likert is null then 'invalid' end",
}


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
    scores: Mapping[str, Sequence[float | None]] = field(default_factory=dict)
    words: Sequence[int] | None = None
    systems: Sequence[str] | None = None
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
    drawn = f"""select unnest($1::BIGINT[]) union all (select position from cases
        where position not in (select unnest($1::BIGINT[])) order by hash(position), position limit {others})"""
    with opened(run) as database:
        rows = {row.position: row for row in _rows(database, drawn, sorted(labels.by_case))}
        ((cases,),) = database.query("select count(*) from cases")
    found = []
    for position, said in labels.by_case.items():
        votes = {name: _plain(label.value) for name, label in said.items() if label.value is not None}
        names = dict.fromkeys(name for label in said.values() for name in label.criteria)
        by_name = {name: [_plain(label.criteria.get(name)) for label in said.values()] for name in names}
        criteria = {name: float(rated) for name in names if (rated := consensus(by_name[name])) is not None}
        at_random = labels.at_random is None or position in labels.at_random
        found.append(LabelledCase(rows[position], votes, consensus(votes.values()), criteria, at_random))
    return JoinedRun(run, rows, tuple(found), database.expected, sampled=len(rows) < cases)


def read_rows(run: Run, keys: Iterable[int]) -> dict[int, JudgedRow]:
    """Another run's rows of these cases (the same id and the same texts), by their keys."""
    fitting = "select position from cases where key in (select unnest($1::UBIGINT[]))"
    with opened(run) as database:
        rows = _rows(database, fitting, list(keys))
    return {row.key: row for row in reversed(rows)}  # of copies the first


def read_pairs(joined: JoinedRun) -> list[JudgedPair]:
    """Comparisons of a run as bias is measured on them; people's word only where the case was drawn at random."""
    human = {case.row.position: side_of(case.human) for case in joined.of_sample}
    pairs = []
    with Reader(joined.run) as reader:
        for row in joined.whole:
            if row.winner is None:
                continue
            given = reader.given(row.position)
            assert isinstance(given, Comparison | Review)
            orders: tuple[Winner | None, Winner | None] = (row.winner, row.winner) if row.consistent else (None, None)
            if isinstance(given, Comparison) and not row.consistent:
                winners = orjson.loads(reader.verdict_json(row.position))["evaluation"]["order"]["winners"]
                orders = winners.get("ab"), winners.get("ba")
            winner = row.winner if row.ending == "verdict" else None
            items, bold = zip(_marks(given.a), _marks(given.b), strict=True)
            pairs.append(
                JudgedPair(row.content, winner, *orders, row.words, items, bold, row.systems, human.get(row.position))
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


def number_of(row: JudgedRow) -> float | None:
    """The number behind a verdict (models/rows.py, score_of): A's lead, a dialogue's average before it is rounded, a
    review's preference."""
    found = row.value if row.score is None else row.score
    return None if isinstance(found, str) else found


def _rows(database: Database, chosen: str, given: Sequence[int]) -> list[JudgedRow]:
    """The rows whose positions are chosen in SQL, in the order of the input."""
    protocol, fixed = database.run.protocol, len(own_columns(database.run.protocol, {}))
    keys, scores = [], []
    for criterion in database.run.rubric.criteria:
        own = own_columns(protocol, {criterion.key: ""})[fixed:]  # of A and B, or one
        keys.append(text(criterion.key))
        scores.append(f"[{', '.join(f'r.{name(column.name)}' for column in own if column.score)}]")
    cells = {
        **{it: f'c."{it}"' for it in ("position", "case", "key", "content", "task")},
        "opening": "coalesce(c.opening, '')",
        "ending": f"coalesce({_ENDINGS[protocol]}, r.status, 'unfinished')",
        "scores": f"map([{', '.join(keys)}], [{', '.join(scores)}])",
        **{"cost": "r.cost", "calls": "coalesce(r.calls, 0)", "judge": "coalesce(r.judge, '')"},
        **_CELLS[protocol],
    }
    found = database.query(
        f"""select {", ".join(cells.values())} from cases as c left join results as r using (position)
        where c.position in ({chosen}) order by c.position""",
        given,
    )
    return [JudgedRow(**dict(zip(cells, row, strict=True))) for row in found]


def _marks(answer: str) -> tuple[int, int]:
    """How many items of lists and how many words in bold an answer has."""
    listings = read_structure(answer).listings
    return sum(found.count for found in listings if found.style != "table"), len(_BOLD.findall(answer))


def _plain(value: Any) -> Any:
    return float(value) if isinstance(value, Decimal) else value
