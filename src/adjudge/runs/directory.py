"""A run's directory: its files, the lines in them, and the lock that keeps two processes from executing it at once.

run.json        what the run is, and its limits
cases.jsonl     its cases, one per line, in the order of the input
journal.db      replies, verdicts and outcomes (unless another journal was named)
verdicts.jsonl  the verdicts, and
failures.jsonl  the cases without one, and why: written from the journal, which alone says what is done
summary.json    the totals
batches         what was submitted to a batch API, one file per batch
in_flight       the cases being judged; a process that ends normally removes it, a killed one leaves it
"""

from __future__ import annotations

import hashlib
import mmap
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from ..engine import case_json
from ..errors import InputError, plain_reason
from ..files import TEMPORARY, open_handle, open_private, replacing, try_lock, user_path
from ..inputs.rows import BadRow, Row, Scalar
from ..models.base import exact_number
from ..models.common import Failure, total_cost
from ..results.run import CASES, CONFIG, FAILURES, FORMAT, SUMMARY, VERDICT_FIELD, VERDICTS, read_config
from .plan import Plan

OWN_JOURNAL = "journal.db"


class RunDirectory:
    """The files of one run."""

    def __init__(self, path: str | Path) -> None:
        self.path = path = user_path(path)
        self.config_file = path / CONFIG
        self.cases = path / CASES
        self.verdicts = path / VERDICTS
        self.failures = path / FAILURES
        self.summary = path / SUMMARY
        self.batches = path / "batches"
        self.in_flight = path / "in_flight"
        self.deaths = path / "deaths.json"

    @property
    def exists(self) -> bool:
        """Whether a run was created here."""
        return self.config_file.exists()

    def read(self) -> dict[str, Any]:
        """Read the run's configuration. Raise InputError if there is none or it cannot be read."""
        return read_config(self.path, str(self.path))

    def plan(self) -> Plan:
        """Read the run's plan."""
        config = self.read()
        return Plan(config["run_id"], config["protocol"], config["settings"], config["rubric"])

    def journal(self, config: Mapping[str, Any]) -> str:
        """Return the path or database address of the run's journal."""
        named = str(config["journal"])
        return named if "://" in named else str(self.path / named)

    def write(self, config: Mapping[str, Any]) -> None:
        """Write the configuration atomically, so that a run either exists or does not."""
        write_whole(self.config_file, orjson.dumps({"format": FORMAT, **config}, option=orjson.OPT_INDENT_2))

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the run's lock, which the system releases when its holder dies. Raise InputError if it is already held.

        If the block creates a run and fails before the first request was sent, its files are removed.
        """
        made = [folder for folder in (self.path, *self.path.parents) if not folder.exists()]
        created = not self.exists
        before = frozenset(self.path.iterdir() if self.path.is_dir() else ())
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle = open_handle(self.path / "lock", os.O_RDWR | os.O_CREAT)
        except OSError as error:
            found = f"cannot be used: {plain_reason(error)}"
            raise InputError(str(self.path), found, "a writable folder is needed") from None
        try:
            if not try_lock(handle):
                raise InputError(str(self.path), "another process is executing this run", "wait for it, or stop it")
            for left in self.path.glob(f"{TEMPORARY}*"):
                left.unlink()
            try:
                yield
            except BaseException:
                if created and not (self.exists and self.read().get("begun")):
                    self._remove(before, made)
                raise
        finally:
            os.close(handle)

    def _remove(self, before: Collection[Path], made: Sequence[Path]) -> None:
        """Remove the files that were not there before, and the folders made for them."""
        with suppress(OSError):
            for file in self.path.iterdir():
                if file not in before:
                    file.unlink()
            for folder in made:
                folder.rmdir()


def write_whole(path: Path, content: bytes) -> None:
    """Replace a file atomically. Raise InputError if it cannot be written."""
    try:
        with replacing(path) as file:
            file.write(content)
    except OSError as error:
        raise InputError(str(path), f"cannot be written: {plain_reason(error)}", "") from None


def read_whole(path: Path) -> dict[str, Any]:
    """Read the JSON object in a file; return an empty one if there is no readable one."""
    try:
        known = orjson.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}


# -- cases in flight --------------------------------------------------------------------------------------------------


class InFlight:
    """The positions being judged, in a memory-mapped file whose content survives a kill of this process."""

    def __init__(self, directory: RunDirectory, slots: int) -> None:
        self._directory = directory
        with open_private(directory.in_flight, "w+b") as file:
            file.write(bytes(8 * slots))
            file.flush()
            self._map = mmap.mmap(file.fileno(), 0)
        self._slots = memoryview(self._map).cast("q")

    def mark(self, slot: int, position: int | None) -> None:
        """Record which case this slot is judging; None if it judges none."""
        self._slots[slot] = 0 if position is None else position + 1

    def close(self) -> None:
        """Delete the record of cases in flight and of deaths, because the process ends normally."""
        self._slots.release()
        self._map.close()
        self._directory.in_flight.unlink(missing_ok=True)
        self._directory.deaths.unlink(missing_ok=True)


def count_deaths(directory: RunDirectory) -> dict[int, int]:
    """Return, by position, how often in a row the process died while judging it. A normal end resets the count."""
    deaths = {int(position): count for position, count in read_whole(directory.deaths).items()}
    if directory.in_flight.exists():
        content = directory.in_flight.read_bytes()
        slots = memoryview(content[: len(content) // 8 * 8]).cast("q")
        deaths = {value - 1: deaths.get(value - 1, 0) + 1 for value in slots if value}
        write_whole(directory.deaths, orjson.dumps({str(position): count for position, count in deaths.items()}))
        directory.in_flight.unlink()
    return deaths


# -- lines ------------------------------------------------------------------------------------------------------------


class CaseLine(NamedTuple):
    """A line of `cases.jsonl`. If the case cannot be judged, `bad` says why and `input` is None."""

    position: int
    case_id: str
    place: str
    label: str | None
    systems: tuple[str, str] | None
    extra: Mapping[str, Scalar]
    input: Mapping[str, Any] | None
    bad: str | None = None


def write_case(position: int, row: Row | BadRow) -> bytes:
    """Build a row's line of `cases.jsonl`."""
    known: dict[str, Any] = {"position": position, "case": row.case_id, "place": row.place}
    if isinstance(row, BadRow):
        known |= {"label": None, "systems": None, "extra": {}, "input": None, "bad": row.message}
    else:
        known |= {"label": row.label, "systems": row.systems, "extra": row.extra, "input": case_json(row.case)}
    return orjson.dumps(known) + b"\n"


def case_digest(line: bytes) -> int:
    """Return a 64-bit hash of a case line's input, its last field. Cases with equal inputs are paid for once."""
    return int.from_bytes(hashlib.blake2b(line[line.index(b',"input":') :], digest_size=8).digest(), "big")


def read_case(line: bytes) -> CaseLine:
    """Parse a line of `cases.jsonl`."""
    known = orjson.loads(line)
    systems = tuple(known.pop("systems") or ()) or None
    return CaseLine(case_id=known.pop("case"), systems=systems, **known)


def verdict_line(
    case: CaseLine,
    verdict_id: str,
    answer: str,
    verdict: bytes,
    spent: Mapping[str, Any],
    row: Mapping[str, Any],
    words: tuple[int, int] | None = None,
) -> bytes:
    """Build a line of `verdicts.jsonl`; `answer` is the verdict in one word, `row` its cells in the flat table, `words`
    the lengths of the two answers, if two are compared."""
    line = orjson.dumps(
        {
            "position": case.position,
            "case": case.case_id,
            "verdict_id": verdict_id,
            "answer": answer,
            "label": case.label,
            "systems": case.systems,
            "extra": case.extra,
            "words": words,
            **spent,
            "row": row,
        },
        default=exact_number,
    )
    return with_verdict(line, verdict)


def failure_line(case: CaseLine, failure: Failure, attempt: int = 0) -> bytes:
    """Build a line of `failures.jsonl`."""
    return orjson.dumps(
        {
            "position": case.position,
            "case": case.case_id,
            "place": case.place,
            "label": case.label,
            "systems": case.systems,
            "extra": case.extra,
            **spent_by(failure.calls),
            "reason": failure.reason,
            "message": failure.message,
            "judge": failure.judge,
            "attempt": attempt,
        }
    )


def spent_by(calls: Any) -> dict[str, Any]:
    """Sum the calls, tokens and dollars behind an outcome; dollars are None where no price is known.

    `paid` counts only the calls that were made for this outcome: replies found in the journal cost nothing again.
    """
    cost, paid = total_cost(calls), total_cost([call for call in calls if not call.found])
    return {
        "calls": len(calls),
        "input_tokens": sum(call.usage.input_tokens for call in calls),
        "output_tokens": sum(call.usage.output_tokens for call in calls),
        "cost": None if cost is None else format(cost, "f"),
        "paid": None if paid is None else format(paid, "f"),
    }


def without_verdict(line: bytes) -> bytes:
    """Return a line of `verdicts.jsonl` without the verdict itself, which the journal stores under its id."""
    found = VERDICT_FIELD.search(line)
    return line if found is None else line[: found.start()] + b"}"


def with_verdict(line: bytes, verdict: bytes) -> bytes:
    """Put the verdict back into its line."""
    return b'%b,"verdict":%b}' % (line[:-1], verdict.rstrip())


def position_of(line: bytes) -> int:
    """Return a case line's position, its first field, without parsing the rest."""
    return int(line[len(b'{"position":') : line.index(b",")])
