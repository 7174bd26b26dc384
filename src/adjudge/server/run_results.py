"""A run's results as the service reads them: from the table that is kept with the run, as the rows that are wanted.

What a provider said is in our own words there, also in the verdicts. A view of the whole run is kept beside the table,
and a glance at it, for lists, in a file of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import orjson
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from ..errors import InputError, SetupError
from ..files import replacing
from ..results import require_extra
from ..runs.hosted_run import HostedRun, for_the_log
from .common import FAILED_ONE, SAID, in_our_words

if TYPE_CHECKING:
    from ..reports.run.view import RunView
    from ..results.database import Database
    from ..results.kept import Kept
    from ..results.run import Run

_GLANCE = Path("kept", "glance.json")  # beside the table
_MOST_SYSTEMS = 100


class Filters(BaseModel):
    """Which rows are wanted; all conditions must hold."""

    winner: Literal["A", "B", "tie"] | None = None
    outcome: str | None = Field(
        None,
        max_length=20,
        description="What came of the case in a word: `A`, `B`, `tie`, `undecided`, `invalid`, a dialogue's step such "
        "as `80`, or `failed`.",
    )
    order_flipped: bool | None = Field(None, description="Whether the two orders name different winners.")
    failed: bool | None = Field(None, description="Whether there is no verdict.")
    undecided: bool | None = Field(None, description="Whether the judge was too unsure to decide.")
    differs: bool | None = Field(None, description="Whether the verdict differs from the human label.")
    q: str | None = Field(None, max_length=200, description="Words that the case's id or texts hold, in any case.")

    def condition(self, protocol: str, schema: str) -> tuple[str, list[Any]]:
        """In SQL over a row `r`, with what was asked for apart from it."""
        from ..results.summary import OUTCOME

        found: list[tuple[str, str, list[Any]]] = []
        if self.winner is not None:
            found.append(("winner", "r.winner = ?", [self.winner]))
        if self.outcome == "failed":
            found.append(("outcome", "r.status <> 'verdict'", []))
        elif self.outcome is not None:
            found.append(("outcome", f"r.status = 'verdict' and {OUTCOME[protocol]} = ?", [self.outcome]))
        for name, column, value in (
            ("order_flipped", "order_consistent", self.order_flipped),
            ("undecided", "decided", self.undecided),
            ("differs", "agrees", self.differs),
        ):
            if value is not None:
                found.append((name, f"r.{column} = ?", [not value]))
        if self.failed is not None:
            found.append(("failed", f"r.status {'<>' if self.failed else '='} 'verdict'", []))
        known = _FITTING[protocol]
        for name, _, _ in found:
            if name not in known:
                raise InputError(name, f"a {protocol} has none", f"one of {', '.join(known)}, q")
        if self.q is not None and self.q.strip():
            sought = f"r.position in (select position from {schema}.cases where contains(texts, lower(?)))"
            found.append(("q", sought, [self.q.strip()]))
        parts, given = [part for _, part, _ in found], [value for _, _, values in found for value in values]
        return " and ".join(parts) or "true", given

    def told(self) -> str:
        """The same for a reader."""
        asked = self.model_dump(include=set(Filters.model_fields), exclude_none=True)
        return ", ".join(f"{name} is {orjson.dumps(value).decode()}" for name, value in asked.items())


_FITTING = {
    "compare": ("winner", "outcome", "order_flipped", "failed", "undecided", "differs"),
    "dialogue": ("outcome", "failed", "differs"),
    "review": ("winner", "outcome", "failed", "differs"),
}


@dataclass(frozen=True, slots=True)
class OpenedRun:
    """A run, its kept table, and the view of it."""

    run: Run
    kept: Kept
    view: RunView


@dataclass(frozen=True, slots=True)
class Glance:
    """What a list says of a run: its finding, and the figures by which runs are compared over time.

    `agreement` is how many labelled cases were decided as labelled, of how many, and the interval of the share;
    `systems` what each one won, tied and lost of its decided comparisons, and the interval of the share it won.
    """

    title: str
    sentence: str
    tone: str
    agreement: tuple[int, int, float, float] | None
    systems: dict[str, tuple[int, int, int, float, float]]


def open_results(run: HostedRun) -> OpenedRun:
    """The results of a run as far as it is; of one that is going on, maybe some seconds old."""
    require_extra("a run's results")
    from ..results.kept import keep
    from ..results.run import open_run

    with for_the_log(run.run_id):
        opened = replace(open_run(run.directory.path), told=in_our_words)
        kept = keep(opened, _tell, going_on=run.marker.exists())
    return OpenedRun(opened, kept, _views().validate_json(kept.told))


@contextmanager
def wanted_rows(
    run: HostedRun, wanted: Filters, after: str | None = None, most: int | None = None
) -> Iterator[Database]:
    """The rows that are wanted as a database: those behind a position, and at most so many, if these are given."""
    from ..results.kept import chosen_rows, reading

    opened = open_results(run)
    with reading(opened.run, opened.kept) as database:
        where, given = wanted.condition(opened.run.protocol, database.schema)
        if after is not None:
            where, given = f"{where} and r.position > ?", [*given, int(after)]
        if where == "true" and most is None:
            yield database
        else:
            yield chosen_rows(database, where, given, wanted.told(), most)


def glance_at(run: HostedRun) -> Glance | None:
    """What is known of a run without reading it; None before its table was first made."""
    with suppress(OSError, ValidationError):
        return TypeAdapter(Glance).validate_json((run.directory.path / _GLANCE).read_bytes())
    return None


def prepare(run: HostedRun) -> None:
    """Make what pages and lists show of a run that has ended, if its parts are installed."""
    with suppress(SetupError):
        open_results(run)


@cache
def _views() -> TypeAdapter[RunView]:
    from ..reports.run.view import RunView

    return TypeAdapter(RunView)


def _tell(database: Database) -> bytes:
    from ..reports.run.view import view_run
    from ..results.columns import text

    said = " ".join(f"when {text(reason)} then {text(words)}" for reason, words in SAID.items())
    # Of a cascade a failure also says why earlier judges failed.
    who, why = (f"regexp_extract(message, {text(FAILED_ONE.pattern)}, {group}, 's')" for group in (1, 2))
    database.query(
        f"update {database.chosen} set message = "
        f"coalesce(case reason {said} end, {who} || ': ' || case {why} {said} end, message)"
    )
    view, summary, board = view_run(database)
    found = summary.agreement
    glance = Glance(
        view.finding.title,
        view.finding.sentence,
        view.finding.tone,
        None if found is None else (found.count, found.of, *found.interval),
        {
            each.system: (each.wins, each.ties, each.losses, *summary.share(each.wins, each.games).interval)
            for each in (board.standings[:_MOST_SYSTEMS] if board else ())
        },
    )
    with replacing(database.run.folder / _GLANCE) as file:
        file.write(orjson.dumps(glance))
    return orjson.dumps(view, default=str)
