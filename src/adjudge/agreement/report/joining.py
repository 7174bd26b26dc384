"""A run and its labels as plain records, one a case: what the judge said, what people said, how the case was chosen.

Every labelled case is here, also one that failed or was not decided: what is left out of a figure is counted there. Of
the cases without labels a large run gives a random sample, which is enough for what is said of the judge itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

import orjson

from ...models.cases import Comparison, Review
from ...models.comparison import Winner
from ...models.rows import NO_PREFERENCE, own_columns
from ...results.database import Database, opened
from ...results.run import Reader, Run
from ...text.structure import read_structure
from ..labels.sources import LabelSet
from ..statistics.bias import JudgedPair
from ..statistics.metrics import Value, consensus

MOST_ROWS = 5_000  # cases without labels; a share of so many is known to 1.4 points
Ending = Literal["verdict", "undecided", "invalid", "failure", "skipped", "unfinished"]
_BOLD = re.compile(r"\*\*[^*\n]+\*\*|__[^_\n]+__|<(?:b|strong)>", re.IGNORECASE)
_CELLS = {
    "compare": "r.winner, r.decided, r.confidence, r.order_consistent, r.normalized_a - r.normalized_b",
    "dialogue": "r.overall_experience, r.average, r.objections",
    "review": "r.winner, r.likert",
}


@dataclass(frozen=True, slots=True)
class JudgedRow:
    """What came of a case. `value` is the verdict as labels have it: a winner, an overall score, a preference from 1 to
    7; of an undecided comparison the best guess. `score` is the number behind it: how far A is ahead of B, or a
    dialogue's weighted average. `scores` are those of a criterion, of both answers where there are two.
    """

    position: int
    case: str
    key: int
    content: int
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


def join_labels(run: Run, labels: LabelSet) -> JoinedRun:
    """All that is known of the labelled cases, and of the others."""
    with opened(run) as database:
        rows, sampled = _rows(database, sorted(labels.by_case))
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
    human = {case.row.position: _winner(case.human) for case in joined.of_sample}
    # Labelled cases that were picked for their doubts are no sample of anything.
    doubtful = {case.row.position for case in joined.labelled if not case.at_random}
    pairs = []
    with Reader(run) as reader:
        for row in joined.rows.values():
            if row.winner is None or row.position in doubtful:
                continue
            given = reader.given(row.position)
            assert isinstance(given, Comparison | Review)
            a_first, b_first = _by_order(row, reader) if run.protocol == "compare" else (None, None)
            pairs.append(
                JudgedPair(
                    case=row.case,
                    winner=row.winner if row.ending == "verdict" else None,
                    a_first=a_first,
                    b_first=b_first,
                    margin=None if row.score is None else abs(row.score),
                    confidence=row.confidence,
                    lengths=None if row.words is None else (float(row.words[0]), float(row.words[1])),
                    list_items=(_items(given.a), _items(given.b)),
                    bold=(_bold(given.a), _bold(given.b)),
                    sources=row.systems,
                    human=human.get(row.position),
                )
            )
    return pairs


def jurors_agree(joined: JoinedRun) -> list[bool]:
    """Of every comparison that a jury judged: whether all members preferred the same answer in every order."""
    found = []
    with Reader(joined.run) as reader:
        for row in joined.rows.values():
            if "jury" in row.judge and row.winner is not None:
                verdict = orjson.loads(reader.verdict_json(row.position))
                said = [{each["preference"] for each in one.get("members", ())} for one in verdict.get("opinions", ())]
                if any(said):
                    found.append(all(len(preferred) <= 1 for preferred in said))
    return found


def side_of(value: Value | None) -> Winner | None:
    """The side that a winner or a preference from 1 to 7 speaks for."""
    if value is None or isinstance(value, str):
        return _winner(value)
    return "A" if value < NO_PREFERENCE else "B" if value > NO_PREFERENCE else "tie"


def _rows(database: Database, wanted: Sequence[int], others: int = MOST_ROWS) -> tuple[dict[int, JudgedRow], bool]:
    """These rows, and some others that are drawn at random if there are too many."""
    protocol = database.run.protocol
    columns = _criterion_columns(database)
    beside = "" if protocol == "dialogue" else ", r.words_a, r.words_b, r.system_a, r.system_b"
    scored = "".join(f', r."{name}"' for names in columns.values() for name in names)
    database.query("create temp table wanted as select unnest($1::BIGINT[]) as position", list(wanted))
    unwanted = "position not in (select position from wanted)"
    ((left,),) = database.query(f"select count(*) from cases where {unwanted}")
    database.query(
        f"""insert into wanted select position from cases where {unwanted}
        order by hash(position), position limit {others}"""
    )
    answer = database.query(
        f"""select c.position, c."case", c.key, c.content, coalesce(c.opening, ''), r.status, r.cost, r.judge,
        {_CELLS[protocol]}{beside}{scored} from cases as c join wanted using (position)
        left join results as r using (position) order by c.position"""
    )
    return {row.position: row for row in _read(protocol, columns, answer)}, left > others


def _criterion_columns(database: Database) -> dict[str, tuple[str, ...]]:
    """The columns of a criterion's scores: of A and B, or one."""
    protocol = database.run.protocol
    fixed = len(own_columns(protocol, {}))
    found = {}
    for criterion in database.run.rubric.criteria:
        own = own_columns(protocol, {criterion.key: criterion.name})[fixed:]
        found[criterion.key] = tuple(column.name.replace('"', '""') for column in own if column.score)
    return found


def _read(
    protocol: str, columns: Mapping[str, tuple[str, ...]], answer: Iterable[Sequence[Any]]
) -> Iterator[JudgedRow]:
    for position, case, key, content, opening, status, cost, judge, *cells in answer:
        about: dict[str, Any] = {"cost": cost, "judge": judge or ""}
        ending: Ending = status or "unfinished"
        if protocol == "compare":
            about["winner"], decided, about["confidence"], about["consistent"], about["score"] = cells[:5]
            about["value"], cells = about["winner"], cells[5:]
            ending = "undecided" if status == "verdict" and decided is False else ending
        elif protocol == "dialogue":
            (about["value"], about["score"], about["objections"]), cells = cells[:3], cells[3:]
        else:
            (about["winner"], likert), cells = cells[:2], cells[2:]
            about["value"] = None if likert is None else float(likert)
            ending = "invalid" if status == "verdict" and likert is None else ending
        if protocol != "dialogue":
            (*words, one, other), cells = cells[:4], cells[4:]
            about["words"] = None if None in words else tuple(words)
            about["systems"] = None if one is None or other is None else (one, other)
        each = iter(cells)
        about["scores"] = {key: tuple(next(each) for _ in names) for key, names in columns.items()}
        yield JudgedRow(position, case, key, content, opening, ending, **about)


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


def _winner(value: Value | None) -> Winner | None:
    if isinstance(value, str):
        return "A" if value == "A" else "B" if value == "B" else "tie"
    return None if value is None else side_of(value)
