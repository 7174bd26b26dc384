"""A run's directory: its files, the lines in them, and the lock that keeps two processes from executing it at once.

run.json        what the run is, and its limits
cases.jsonl     its cases, one a line, in the order of the input
journal.db      replies, verdicts and outcomes (unless another journal was named)
verdicts.jsonl  verdicts in the order in which they came
failures.jsonl  cases without one, and why
summary.json    the sums
batches         what was submitted to a batch API, a file for each batch
in_flight       the cases being judged; a process that ends by itself removes it, one that is killed leaves it
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
from ..models import Failure, total_cost
from ..models.base import exact_number
from .plan import Plan

FORMAT = 1
OWN_JOURNAL = "journal.db"
_VERDICT = b',"verdict":{'


class RunDirectory:
    """The files of one run."""

    def __init__(self, path: str | Path) -> None:
        self.path = path = user_path(path)
        self.config = path / "run.json"
        self.cases = path / "cases.jsonl"
        self.verdicts = path / "verdicts.jsonl"
        self.failures = path / "failures.jsonl"
        self.summary = path / "summary.json"
        self.batches = path / "batches"
        self.in_flight = path / "in_flight"
        self.deaths = path / "deaths.json"

    @property
    def exists(self) -> bool:
        """Whether a run was created here."""
        return self.config.exists()

    def read(self) -> dict[str, Any]:
        """The configuration."""
        try:
            known: dict[str, Any] = orjson.loads(self.config.read_bytes())
            found = known["format"]
        except FileNotFoundError:
            raise InputError(str(self.path), "no run is here", "a folder that `adjudge run … --run` made") from None
        except (orjson.JSONDecodeError, KeyError, TypeError, OSError) as error:
            raise InputError(str(self.config), f"cannot be read: {error}", "a file that adjudge wrote") from None
        if found != FORMAT:
            raise InputError(str(self.config), f"format {found}", f"this version reads {FORMAT}")
        return known

    def plan(self) -> Plan:
        """What is to be judged how."""
        known = self.read()
        return Plan(known["run_id"], known["protocol"], known["settings"], known["rubric"])

    def journal(self, known: Mapping[str, Any]) -> str:
        """Where the run's replies are: a path, or a database's address."""
        named = str(known["journal"])
        return named if "://" in named else str(self.path / named)

    def write(self, known: Mapping[str, Any]) -> None:
        """Put the configuration in place in one step: a run either is there or is not."""
        write_whole(self.config, orjson.dumps({"format": FORMAT, **known}, option=orjson.OPT_INDENT_2))

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Be the only process that executes this run; the system takes the lock back when its holder dies.

        If the block fails before anything was asked of a run that was created in it, nothing is left of it.
        """
        made = [folder for folder in (self.path, *self.path.parents) if not folder.exists()]
        created = not self.exists
        before = frozenset(self.path.iterdir() if self.path.is_dir() else ())
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle = open_handle(self.path / "lock", os.O_RDWR | os.O_CREAT)
        except OSError as error:
            found = f"cannot be used: {plain_reason(error)}"
            raise InputError(str(self.path), found, "a folder that can be written") from None
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
        """Remove the files that were not there before, and the folders that were made for them."""
        with suppress(OSError):
            for file in self.path.iterdir():
                if file not in before:
                    file.unlink()
            for folder in made:
                folder.rmdir()


def write_whole(path: Path, content: bytes) -> None:
    """A file in one step."""
    try:
        with replacing(path) as file:
            file.write(content)
    except OSError as error:
        raise InputError(str(path), f"cannot be written: {plain_reason(error)}", "") from None


def read_whole(path: Path) -> dict[str, Any]:
    """The JSON object in such a file; an empty one if there is none that can be read."""
    try:
        known = orjson.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}


# -- cases in flight --------------------------------------------------------------------------------------------------


class InFlight:
    """The positions being judged, in a mapped file: what was written there survives a kill of this process."""

    def __init__(self, directory: RunDirectory, slots: int) -> None:
        self._directory = directory
        with open_private(directory.in_flight, "w+b") as file:
            file.write(bytes(8 * slots))
            file.flush()
            self._map = mmap.mmap(file.fileno(), 0)
        self._slots = memoryview(self._map).cast("q")

    def note(self, slot: int, position: int | None) -> None:
        """This case is being judged; or none is."""
        self._slots[slot] = 0 if position is None else position + 1

    def close(self) -> None:
        """The process ends by itself."""
        self._slots.release()
        self._map.close()
        self._directory.in_flight.unlink(missing_ok=True)
        self._directory.deaths.unlink(missing_ok=True)


def count_deaths(directory: RunDirectory) -> dict[int, int]:
    """How often in a row the process died while it judged a position; forgotten when one ends by itself."""
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
    """A case as the run keeps it; `bad` says why it cannot be judged, and then it has no input."""

    position: int
    case_id: str
    place: str
    label: str | None
    systems: tuple[str, str] | None
    extra: Mapping[str, Scalar]
    input: Mapping[str, Any] | None
    bad: str | None = None


def write_case(position: int, row: Row | BadRow) -> bytes:
    """A row as a line of `cases.jsonl`."""
    known: dict[str, Any] = {"position": position, "case": row.case_id, "place": row.place}
    if isinstance(row, BadRow):
        known |= {"label": None, "systems": None, "extra": {}, "input": None, "bad": row.message}
    else:
        known |= {"label": row.label, "systems": row.systems, "extra": row.extra, "input": case_json(row.case)}
    return orjson.dumps(known) + b"\n"


def case_digest(line: bytes) -> int:
    """A 64-bit hash of what is judged in a case line: equal cases are paid once. The input stands last."""
    return int.from_bytes(hashlib.blake2b(line[line.index(b',"input":') :], digest_size=8).digest(), "big")


def read_case(line: bytes) -> CaseLine:
    """The line read back."""
    known = orjson.loads(line)
    systems = tuple(known.pop("systems") or ()) or None
    return CaseLine(case_id=known.pop("case"), systems=systems, **known)


def verdict_line(
    case: CaseLine, verdict_id: str, answer: str, verdict: bytes, spent: Mapping[str, Any], row: Mapping[str, Any]
) -> bytes:
    """A line of `verdicts.jsonl`; `answer` is the verdict in one word, `row` its cells in the flat table."""
    return orjson.dumps(
        {
            "position": case.position,
            "case": case.case_id,
            "verdict_id": verdict_id,
            "answer": answer,
            "label": case.label,
            "systems": case.systems,
            "extra": case.extra,
            "words": answer_words(case),
            **spent,
            "row": row,
            "verdict": orjson.Fragment(verdict[:-1]),
        },
        default=exact_number,
    )


def failure_line(case: CaseLine, failure: Failure, attempt: int = 0) -> bytes:
    """A line of `failures.jsonl`."""
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
    """Calls, tokens and dollars behind an outcome; dollars are None where no price is known.

    `paid` are the dollars of the calls that were made for it: a reply that was in the journal costs nothing again.
    """
    cost, paid = total_cost(calls), total_cost([call for call in calls if not call.found])
    return {
        "calls": len(calls),
        "input_tokens": sum(call.usage.input_tokens for call in calls),
        "output_tokens": sum(call.usage.output_tokens for call in calls),
        "cost": None if cost is None else format(cost, "f"),
        "paid": None if paid is None else format(paid, "f"),
    }


def answer_words(case: CaseLine) -> tuple[int, int] | None:
    """How many words the two answers have, for whoever wants to take length into account."""
    if case.input is None or "a" not in case.input:
        return None
    return len(case.input["a"].split()), len(case.input["b"].split())


def head_of(line: bytes) -> dict[str, Any]:
    """What a line of `verdicts.jsonl` says before the verdict itself, which is the last and by far the largest part.

    Nothing before it looks like its beginning: in a text a quotation mark has a backslash, and extras are no objects.
    """
    head: dict[str, Any] = orjson.loads(line[: line.index(_VERDICT)] + b"}")
    return head


def whole_lines(path: Path, *, cut: bool = False) -> Iterator[bytes]:
    """The lines of a file, without half a line that a kill left at its end; `cut`: that one is taken away."""
    if not path.exists():
        return
    with open_private(path, "rb+") if cut else path.open("rb") as file:
        for line in file:
            if line.endswith(b"\n"):
                yield line
            elif cut:
                file.truncate(file.tell() - len(line))


def position_of(line: bytes) -> int:
    """A case line's position without reading the rest: it stands first."""
    return int(line[len(b'{"position":') : line.index(b",")])
