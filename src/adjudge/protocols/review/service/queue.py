"""The reviews of a run as a queue: which are decided, by whom, how much the judge changed, and what comes next.

Order, filters and neighbours are computed in SQL, over the run's cached table and the newest decision on each review.
Nothing is stored: the queue follows from the run and the audit log.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlencode

from pydantic import BaseModel, Field

from ....agreement.labels.given import ANNOTATORS, find_column
from ....errors import NotFoundError
from ....rendering.wording import number
from ....runs.hosted_run import HostedRun
from ....server.common import State, validated
from ....server.run_results import open_results
from ..view import entered_words
from .decisions import ACTIONS, choice_of

if TYPE_CHECKING:
    from ....results.database import Database

_AT_A_TIME = 50
_MOST_PEOPLE = 200
_SHOWN = {"undecided": "decision is null", "decided": "decision is not null", "all": "true"}
_ORDERS = {"position": "position", "changed": "corrected desc, moved desc, position"}
_SIDES = {"_a": "Response 1", "_b": "Response 2"}
_CORRECTED = ("replaced", "refused")


class QueueQuery(BaseModel):
    """Which reviews of the queue are shown, in which order, and on which page of the list."""

    show: Literal["undecided", "decided", "all"] = "undecided"
    sort: Literal["position", "changed"] = "position"
    annotator: str = Field("", max_length=200)
    page: int = Field(1, ge=1, le=1_000_000)

    def tail(self, **changes: Any) -> str:
        """Return the URL query for the same reviews with changes; it asks for the first page unless one is given."""
        given = {**self.model_dump(exclude={"page"}), **changes}
        usual = {name: field.default for name, field in QueueQuery.model_fields.items()}
        asked = {name: value for name, value in given.items() if value != usual.get(name)}
        return f"?{urlencode(asked)}" if asked else ""


def asked_for(query: Mapping[str, str]) -> QueueQuery:
    """Parse the URL's parameters. Empty and unknown ones are ignored."""
    known = QueueQuery.model_fields
    return validated(QueueQuery, {name: value for name, value in query.items() if name in known and value.strip()})


def progress(state: State, run: HostedRun) -> tuple[int, int]:
    """Return how many reviews of a run are decided, of how many."""
    ids = [verdict_id for _, verdict_id, _ in state.engine.journal.outcomes(run.run_id) if verdict_id is not None]
    known = state.audit.latest(ACTIONS, ids)
    return sum(verdict_id in known for verdict_id in ids), len(ids)


def progress_in_words(state: State, run: HostedRun) -> str:
    """Return the progress for the run's tab, such as `3 of 39`."""
    decided, of = progress(state, run)
    return f"{decided:,} of {of:,}" if of else ""


# -- the table --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Queue:
    """The table `queue` in a run's database, with the rank of each review in the chosen order. `ratings` are the names
    of the ratings by column: (`truthfulness_a`, `Response 1, Truthfulness`)."""

    database: Database
    asked: QueueQuery
    ratings: Mapping[str, str]
    has_annotators: bool

    @property
    def of_one(self) -> tuple[str, list[str]]:
        """The condition that a review is by the chosen annotator, if one is chosen."""
        return ("annotator = ?", [self.asked.annotator]) if self.asked.annotator else ("true", [])

    def rows(self, columns: str, rest: str, *given: Any) -> list[dict[str, Any]]:
        answer = self.database.connection.execute(f"select {columns} from queue {rest}", list(given))
        names = [about[0] for about in answer.description or ()]
        return [dict(zip(names, row, strict=True)) for row in answer.fetchall()]

    def undecided(self, condition: str = "true", *given: Any, order: str = "rank") -> int | None:
        """Return the position of the first undecided review of the chosen annotator that fits, or None."""
        mine, annotator = self.of_one
        rest = f"where {mine} and decision is null and {condition} order by {order} limit 1"
        found = self.rows("position", rest, *annotator, *given)
        return found[0]["position"] if found else None

    def beside(self, rank: int) -> tuple[int | None, int | None, int]:
        """Return the positions before and after a rank among the reviews shown, and how many of them are before it."""
        mine, annotator = self.of_one
        earlier, later = f"filter (rank < {rank})", f"filter (rank > {rank})"
        wanted = f"arg_max(position, rank) {earlier} as before, arg_min(position, rank) {later} as after"
        shown = f"where {mine} and {_SHOWN[self.asked.show]}"
        found = self.rows(f"{wanted}, count(*) {earlier} as place", shown, *annotator)[0]
        return found["before"], found["after"], found["place"]

    def decided_at(self, position: int | None) -> dict[str, Any] | None:
        """Return the review at this position, if it is decided."""
        found = self.rows(
            'position, verdict_id, "case", decision', "where position = ? and decision is not null", position
        )
        return found[0] if found else None

    def counted(self) -> dict[str, int]:
        """Return how many reviews there are of each kind that can be shown, all annotators together."""
        counts = ", ".join(f"count(*) filter ({condition}) as {name}" for name, condition in _SHOWN.items())
        return self.rows(counts, "")[0]


@contextmanager
def _opened(state: State, run: HostedRun, asked: QueueQuery) -> Iterator[_Queue]:
    from ....results.cached_table import reading
    from ....results.columns import criteria, criterion_columns
    from ....results.columns import name as quoted

    opened = open_results(run)
    with reading(opened.run, opened.kept) as database:
        results = f"{database.chosen} where status = 'verdict'"
        ids = [verdict_id for (verdict_id,) in database.query(f"select distinct verdict_id from {results}")]
        found = [(one, choice_of(action), *rest) for one, (action, *rest) in state.audit.latest(ACTIONS, ids).items()]
        names = ("verdict_id", "decision", "person", "time")
        database.query(
            f"create table decided as select {', '.join(f'unnest(?::VARCHAR[]) as {name}' for name in names)}",
            *(list(column) for column in (zip(*found, strict=True) if found else ((),) * len(names))),
        )
        named = criteria(opened.run)
        ratings = {
            column: f"{_SIDES[side]}, {named[stem]}"
            for side in _SIDES
            for stem, (column,) in criterion_columns(opened.run, (side,)).items()
        } | {"likert": "Preference"}
        cells = [quoted(f"{column}{part}") for column in ratings for part in ("", "_entered", "_action")]
        moved = " + ".join(
            f"coalesce(abs({quoted(column)} - try_cast({quoted(f'{column}_entered')} as DOUBLE)), 0)"
            for column in ratings
        )
        # Columns of the input may have any name, so only those that are used are selected, under names of ours.
        who = find_column([each.name for each in database.columns if each.meaning == "from the input"], ANNOTATORS)
        annotator = "''" if who is None else f"coalesce(trim({quoted(who)}::VARCHAR), '')"
        database.query(
            f"""create table queue as select *, row_number() over (order by {_ORDERS[asked.sort]}) as rank from (
              select r.*, decision, person, time, c.opening
              from (select position, "case", label, system_a, system_b, verdict_id, invalid, {", ".join(cells)},
                {annotator} as annotator,
                coalesce(replaced + refused, 0) as corrected, {moved} as moved from {results}) as r
              left join decided using (verdict_id) left join {database.schema}.cases as c using (position)
            )"""
        )
        yield _Queue(database, asked, ratings, who is not None)


# -- the list ---------------------------------------------------------------------------------------------------------


def list_queue(state: State, run: HostedRun, asked: QueueQuery, last: int | None = None) -> dict[str, Any]:
    """Return the requested page of a run's queue, with its filters and their counts; `last` was decided just before."""
    home = f"/runs/{run.run_id}/review"
    with _opened(state, run, asked) as queue:
        counts, (mine, given) = queue.counted(), queue.of_one
        fitting = f"where {mine} and {_SHOWN[asked.show]}"
        found = queue.rows("count(*) as found", fitting, *given)[0]["found"]
        pages = max(-(-found // _AT_A_TIME), 1)
        page = min(asked.page, pages)
        rest = f"{fitting} order by rank limit {_AT_A_TIME} offset {(page - 1) * _AT_A_TIME}"
        rows = queue.rows("*", rest, *given)
        decision, left = queue.decided_at(last), queue.undecided()
        people = queue.rows(
            f"annotator, count(*) as reviews, count(*) filter ({_SHOWN['undecided']}) as undecided",
            f"where annotator <> '' group by annotator order by annotator limit {_MOST_PEOPLE}",
        )
    tail = asked.tail()
    return {
        "run_id": run.run_id,
        "last": decision,
        "decided": counts["decided"],
        "of": counts["all"],
        "reviews": [
            {
                **{name: row[name] for name in ("position", "case", "verdict_id", "annotator", "opening", "corrected")},
                "changes": list(_changes(queue.ratings, row)),
                "invalid": row["invalid"],
                "decision": row["decision"],
                "person": row["person"],
                "time": row["time"],
                "link": f"{home}/{row['position']}{tail}",
            }
            for row in rows
        ],
        "next": "" if left is None else f"{home}/next{tail}",
        "shown": [
            {"name": name, "reviews": counts[name], "link": home + asked.tail(show=name), "on": asked.show == name}
            for name in _SHOWN
        ],
        "sorts": [{"name": name, "link": home + asked.tail(sort=name), "on": asked.sort == name} for name in _ORDERS],
        "annotators": people if queue.has_annotators else [],
        "asked": asked.model_dump(exclude={"page"}),
        "found": found,
        "page": page,
        "pages": pages,
        "before": home + asked.tail(page=page - 1) if page > 1 else "",
        "after": home + asked.tail(page=page + 1) if page < pages else "",
    }


def _changes(ratings: Mapping[str, str], row: Mapping[str, Any]) -> Iterable[str]:
    """Yield the ratings of a review that the judge corrected, such as `Response 1, Truthfulness: 3 → 2`."""
    for column, name in ratings.items():
        if row[f"{column}_action"] in _CORRECTED:
            yield f"{name}: {entered_words(row[f'{column}_entered'] or '')} → {number(row[column])}"


# -- one review -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class QueuePlace:
    """A review's place in the queue: its neighbours among those shown, the next one to decide, and how far all are.

    `before`, `after` and `following` (the next undecided one, from the beginning after the end) are addresses, or
    empty. `row` has the id of its case, its systems and its label. `last` is the review that was decided just before:
    its position, id, case and decision.
    """

    run_id: str
    position: int
    verdict_id: str
    decided: int
    of: int
    tail: str
    address: str
    home: str
    before: str
    after: str
    following: str
    row: dict[str, Any]
    last: Mapping[str, Any] | None = None


def find_place(
    state: State, run: HostedRun, asked: QueueQuery, position: int | None, last: int | None = None
) -> QueuePlace | None:
    """Return the place of the review at this position, or without one of the first undecided; None if all are."""
    address = f"/runs/{run.run_id}/review"
    with _opened(state, run, asked) as queue:
        counts = queue.counted()
        if position is None and (position := queue.undecided()) is None:
            return None
        found = queue.rows(
            'rank, verdict_id, "case", label, [system_a, system_b] as systems', "where position = ?", position
        )
        if not found:
            raise NotFoundError(f"{position}: no such review in {run.run_id}, or it has no verdict yet")
        rank, verdict_id = found[0]["rank"], found[0]["verdict_id"]
        before, after, place = queue.beside(rank)
        # Equal reviews have one verdict, which is decided once for all of them.
        following = queue.undecided("verdict_id <> ?", verdict_id, order=f"rank < {rank}, rank")
        decision = queue.decided_at(last)
    tail = asked.tail()

    def to(place: int | None) -> str:
        return "" if place is None else f"{address}/{place}{tail}"

    return QueuePlace(
        run_id=run.run_id,
        position=position,
        verdict_id=verdict_id,
        decided=counts["decided"],
        of=counts["all"],
        tail=tail,
        address=f"{address}/{position}{tail}",
        home=address + asked.tail(page=place // _AT_A_TIME + 1),
        before=to(before),
        after=to(after),
        following=to(following),
        row={**found[0], "systems": [name for name in found[0]["systems"] if name]},
        last=decision,
    )
