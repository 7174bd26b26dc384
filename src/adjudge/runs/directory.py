"""A run's directory: its configuration, its cases, and the lock that keeps two processes from carrying it out at once.

run.json        what the run is
cases.jsonl     its cases, one a line, in the order of the input
journal.db      replies, verdicts and outcomes (unless another journal was named)
verdicts.jsonl  verdicts in the order in which they came
failures.jsonl  cases without one, and why
summary.json    the sums, when a session of work ends
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson

from ..errors import InputError
from .plan import Plan

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

FORMAT = 1


class RunDirectory:
    """The files of one run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.config = path / "run.json"
        self.cases = path / "cases.jsonl"
        self.verdicts = path / "verdicts.jsonl"
        self.failures = path / "failures.jsonl"
        self.summary = path / "summary.json"
        self.batches = path / "batches.db"

    @property
    def exists(self) -> bool:
        """Whether a run was begun here."""
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
        """Be the only process at work on this run; the system takes the lock back when its holder dies."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            handle = os.open(self.path / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            found = f"cannot be used: {(error.strerror or str(error)).lower()}"
            raise InputError(str(self.path), found, "a folder that can be written") from None
        try:
            if fcntl is not None:
                try:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    found = "another process is at work on this run"
                    raise InputError(str(self.path), found, "wait for it, or stop it") from None
            yield
        finally:
            os.close(handle)


def write_whole(path: Path, content: bytes) -> None:
    """A file in one step, on the disk before it has its name."""
    aside = path.with_name(f".{path.name}.new")
    try:
        with aside.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        aside.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            aside.unlink()
        raise InputError(str(path), f"cannot be written: {(error.strerror or str(error)).lower()}", "") from None
