"""A run from its beginning, or from wherever it was left, to its end.

begin      read the input, check it, make the directory; nothing is asked yet
look       take stock: what is done, what is open, and what the rest would cost
carry_out  judge what is open, until it is done or somebody says halt
"""

from __future__ import annotations

import asyncio
import secrets
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from ..engine import open_engine
from ..errors import InputError, JournalError, SetupError
from ..inputs.rows import Rows
from ..journal import masked, open_journal
from ..judges.budget import LocalBudget
from ..version import __version__
from .directory import RunDirectory, write_whole
from .estimating import Estimate, estimate
from .judging import TRANSIENT, Judging, Outcome
from .ledger import Done, Ledger, Tally, take_stock
from .plan import Manner, Plan, Settings
from .progress import Progress
from .spooling import Spooled, in_order, spool
from .workers import Halt, Workers, position_of

OWN_JOURNAL = "journal.db"
_LOOK_EVERY = 0.25  # seconds between two looks at the sums


@dataclass(frozen=True, slots=True)
class Stand:
    """Where a run stands: what it is, what is done, and how many of the wanted cases are open."""

    known: Mapping[str, Any]
    plan: Plan
    journal: str
    tally: Tally
    done: Done
    wanted: int
    open: int


@dataclass(frozen=True, slots=True)
class Ended:
    """How a session of work ended: `why` is empty if everything wanted has an outcome."""

    tally: Tally
    why: str


def begin(
    directory: RunDirectory, protocol: str, settings: Settings, rows: Rows, *, source: str,
    journal: str | None = None, shuffle: int | None = None, skip_bad: bool = False,
) -> Spooled:  # fmt: skip
    """Make the run, or find that it is already there: the same cases, judged the same way."""
    aside = directory.path / ".cases.new"
    try:
        spooled = spool(rows, aside, skip_bad=skip_bad)
        wanted = {
            "protocol": protocol,
            "settings": settings.stored(),
            "rubric": settings.rubric.source,
            "digest": spooled.digest,
            "shuffle": shuffle,
        }
        known = directory.read() if directory.exists else None
        if known is not None and known.get("begun"):
            _refuse_another(directory, known, orjson.loads(orjson.dumps(wanted)))
            return spooled
        # A run of which nothing was asked yet (a dry run, a missing key) binds nobody.
        for leftover in (
            () if known is not None else (directory.verdicts, directory.failures, directory.path / OWN_JOURNAL)
        ):
            if leftover.exists():
                raise InputError(str(leftover), "is in the way of a new run", "an empty folder")
        aside.replace(directory.cases)
    finally:
        with suppress(OSError):
            aside.unlink()
    directory.write(
        {
            "run_id": "r" + secrets.token_hex(6),
            "software": __version__,
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
            "journal": _named(journal),
            "begun": False,
            **wanted,
            "input": {
                "source": source,
                "mapping": dict(spooled.mapping),
                "cases": spooled.cases,
                "bad": spooled.bad,
                "labelled": spooled.labelled,
            },
        }
    )
    return spooled


def look(
    directory: RunDirectory, *, limit: int | None = None, retry: bool = False, journal_at: str | None = None
) -> Stand:
    """Take stock of a run; its files are made whole on the way."""
    known = directory.read()
    if journal_at is not None and _named(journal_at) != known["journal"]:
        raise InputError("--journal", f"the run keeps its replies in {known['journal']}", "no other, or another run")
    if not directory.cases.exists():
        raise InputError(str(directory.cases), "is gone", "the file as the run wrote it")
    plan, where, cases = directory.plan(), journal_at or directory.journal(known), known["input"]["cases"]
    journal = open_journal(where)
    try:
        tally, done = take_stock(directory, journal, plan.run_id, cases, retry=retry)
    except OSError as error:
        path = error.filename or directory.path
        raise JournalError(f"{path}: the run cannot be made whole: {(error.strerror or str(error)).lower()}") from None
    finally:
        journal.close()
    wanted = cases if limit is None else min(limit, cases)
    finished = sum(position_of(line) in done for line in _wanted(directory, known, limit)) if wanted < cases else None
    left = tally.open if finished is None else wanted - finished
    return Stand(known, plan, where, tally, done, wanted, left)


async def estimated(directory: RunDirectory, stand: Stand) -> Estimate:
    """What the open cases would ask and cost; the journal learns of the run on the way."""
    async with open_engine(stand.journal) as engine:
        await engine.journal.put_run(stand.plan.run_id, directory.config.read_bytes())
        return await estimate(stand.plan, engine, directory.cases, stand.open, stand.done)


async def carry_out(
    directory: RunDirectory, stand: Stand, manner: Manner, progress: Progress, halt: Halt, *, limit: int | None = None
) -> Ended:
    """Judge what is open. Whatever happens, what is done stays done, and the summary says where the run stands."""
    if not stand.known.get("begun"):
        directory.write({**stand.known, "begun": True})
    ledger = Ledger(directory, stand.tally)
    unlucky = 0

    def hear(outcomes: Sequence[Outcome]) -> None:
        nonlocal unlucky
        for outcome in outcomes:
            ledger.write(outcome)
            passing = outcome.status == "failure" and outcome.answer in TRANSIENT
            unlucky = unlucky + 1 if passing else unlucky if outcome.status == "left" else 0
        if unlucky >= max(20, 2 * manner.concurrency):
            halt.ask("unreachable")

    lines = (line for line in _wanted(directory, stand.known, limit) if position_of(line) not in stand.done)
    budget = None if manner.budget is None else LocalBudget(manner.budget, stand.tally.paid)

    async def give_up(line: bytes, status: str) -> Outcome:
        async with open_engine(stand.journal) as engine:
            return await Judging(stand.plan, engine, 1).give_up(line, status)

    more = {"batches": str(directory.batches.resolve()), "poll": manner.poll} if manner.batch else {}
    engine = _engine(manner)(stand.plan, stand.journal, manner, lines, hear, halt, budget, stand.open, more, give_up)
    progress.begin(stand.tally, stand.tally.verdicts + stand.tally.failures + stand.open)
    watching = asyncio.create_task(_watch(ledger, progress))
    try:
        await engine.run()
        ledger.flush()
    except OSError as error:
        path = error.filename or directory.path
        raise JournalError(
            f"{path}: {(error.strerror or str(error)).lower()}; nothing that was judged is lost: when there is room, "
            f"go on with adjudge run --resume {shlex.quote(str(directory.path))}"
        ) from error
    finally:
        progress.end(stand.tally)
        watching.cancel()
        # What made the run stop is worth more than that the sums could not be written either.
        with suppress(OSError, InputError) if sys.exc_info()[1] is not None else nullcontext():
            ledger.close()
            write_summary(directory, stand, halt.why)
    return Ended(stand.tally, halt.why)


def _engine(manner: Manner) -> type[Workers]:
    """What carries a run out: this machine, or a cluster."""
    if manner.engine == "ray":
        from .ray_engine import RayWorkers

        return RayWorkers
    from .local_engine import LocalWorkers

    return LocalWorkers


def write_summary(directory: RunDirectory, stand: Stand, why: str) -> None:
    """The sums, for programs and for those who come back tomorrow."""
    told = {
        "run_id": stand.plan.run_id,
        "protocol": stand.plan.protocol,
        "judges": stand.plan.judges,
        "ended": datetime.now(UTC).isoformat(timespec="seconds"),
        "stopped_by": why or None,
        **stand.tally.as_json(),
    }
    write_whole(directory.summary, orjson.dumps(told, option=orjson.OPT_INDENT_2))


async def _watch(ledger: Ledger, progress: Progress) -> None:
    while True:
        await asyncio.sleep(_LOOK_EVERY)
        ledger.flush()
        progress.show(ledger.tally)


def _wanted(directory: RunDirectory, known: Mapping[str, Any], limit: int | None) -> Iterator[bytes]:
    return in_order(directory.cases, known["input"]["cases"], shuffle=known["shuffle"], limit=limit)


def _named(journal: str | None) -> str:
    """The journal as the run remembers it: in its own folder, elsewhere, or in a database, without the password."""
    if journal is None:
        return OWN_JOURNAL
    return masked(journal) if "://" in journal else str(Path(journal).expanduser().resolve())


def _refuse_another(directory: RunDirectory, known: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """A run stays what it is: other cases or another judge need another folder."""
    if known["digest"] != wanted["digest"]:
        raise InputError(str(directory.path), "holds a run over other cases", "another folder for these")
    for name in ("protocol", "rubric", "shuffle"):
        if known[name] != wanted[name]:
            raise InputError(str(directory.path), f"holds a run with another {name}", "another folder for this one")
    for key in {**known["settings"], **wanted["settings"]}:
        before, now = known["settings"].get(key), wanted["settings"].get(key)
        if before != now:
            found = f"holds a run with {key} = {before!r}, not {now!r}"
            raise InputError(str(directory.path), found, "another folder for this one")


def has_open_batches(directory: RunDirectory) -> bool:
    """Whether batches were submitted whose replies are not collected."""
    if not directory.batches.exists():
        return False
    from ..llm.batch.ledger import BatchLedger

    ledger = BatchLedger(directory.batches)
    try:
        return bool(ledger.unfinished())
    finally:
        ledger.close()


def check_can_be_asked(judged: Estimate, manner: Manner) -> None:
    """A judge needs its key, and a budget can be kept only where prices are known."""
    if judged.missing is not None:
        raise judged.missing
    if manner.budget is not None and judged.unpriced:
        raise SetupError(f"--budget: no price is published for {', '.join(judged.unpriced)}, so none can be kept")


def run_directory(path: str) -> RunDirectory:
    """The directory of this name."""
    return RunDirectory(Path(path).expanduser())
