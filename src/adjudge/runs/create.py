"""INPUT becomes the run's own copy of its cases, all of them read and checked before the first call is paid.

So a run can be resumed although its input came through a pipe or has changed since, and a bad row is met now and not
after an hour.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from array import array
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from tempfile import mkstemp
from typing import Any

import orjson

from ..errors import InputError, plain_reason
from ..files import TEMPORARY, user_path
from ..inputs.rows import BadRow, Rows
from ..journal import masked
from ..version import __version__
from .directory import OWN_JOURNAL, RunDirectory, case_digest, write_case
from .plan import RunOptions, Settings
from .trust import remember

_SHOWN = 5
_SKETCH = 4096


@dataclass(frozen=True, slots=True)
class Spooled:
    """What was read: how many cases, how many differ, how many cannot be judged, and a digest of them all."""

    mapping: Mapping[str, str]
    cases: int
    distinct: int
    bad: int
    labelled: int
    digest: str


class _Distinct:
    """Counts different values: exactly up to 4,096 of them, beyond that within a few per cent, in little memory.

    It keeps those hashes that `every` divides, which is doubled whenever there are too many.
    """

    def __init__(self) -> None:
        self._kept: set[int] = set()
        self._every = 1

    def add(self, digest: int) -> None:
        """A 64-bit hash of one more value."""
        if digest % self._every == 0:
            self._kept.add(digest)
            if len(self._kept) > _SKETCH:
                self._every *= 2
                self._kept = {kept for kept in self._kept if kept % self._every == 0}

    def count(self, most: int) -> int:
        """How many different values there were; at most so many."""
        return min(most, len(self._kept) * self._every)


def spool(rows: Rows, path: Path, *, skip_bad: bool) -> Spooled:
    """Write the cases to `path`; bad rows are refused together, with what is wrong with the first of them."""
    cases = bad = labelled = 0
    shown: list[str] = []
    digest, distinct = hashlib.sha256(), _Distinct()
    try:
        with path.open("wb") as file:
            for row in rows:
                if isinstance(row, BadRow):
                    bad += 1
                    if len(shown) < _SHOWN:
                        shown.append(f"{row.place}: {row.message}")
                elif row.label is not None:
                    labelled += 1
                line = write_case(cases, row)
                digest.update(line)
                distinct.add(case_digest(line))
                file.write(line)
                cases += 1
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise InputError(str(path), f"cannot be written: {plain_reason(error)}", "") from None
    if bad and (not skip_bad or bad == cases):
        more = f" (and {bad - len(shown):,} more)" if bad > len(shown) else ""
        listed = "; ".join(shown) + more
        allowed = "correct them, or count them as failures with --skip-bad" if bad < cases else "no row can be judged"
        raise InputError("INPUT", f"{bad:,} of {cases:,} rows cannot be judged: {listed}", allowed)
    if not cases:
        raise InputError("INPUT", "no case in it", "at least one is needed")
    return Spooled(rows.mapping, cases, distinct.count(cases), bad, labelled, digest.hexdigest())


def in_order(path: Path, cases: int, *, shuffle: int | None = None, limit: int | None = None) -> Iterator[bytes]:
    """The lines of the spooled cases, as they stand or shuffled by a seed; at most `limit` of them."""
    wanted = cases if limit is None else min(limit, cases)
    with path.open("rb") as file:
        if shuffle is None:
            for _, line in zip(range(wanted), file, strict=False):
                yield line
            return
        # Eight bytes a case: where each line begins. The cases themselves stay on the disk.
        begins, at = array("Q"), 0
        for line in file:
            begins.append(at)
            at += len(line)
        Random(shuffle).shuffle(begins)
        for begin in begins[:wanted]:
            file.seek(begin)
            yield file.readline()


def create(
    directory: RunDirectory, protocol: str, settings: Settings, rows: Rows, *, source: str,
    journal: str | None = None, shuffle: int | None = None, skip_bad: bool = False,
    options: RunOptions = RunOptions(), given: Mapping[str, Any] | None = None, run_id: str | None = None,
) -> Spooled:  # fmt: skip
    """Make the run, or find that it is already there: the same cases, judged the same way.

    `given`: the options of the command that decide the verdicts, so that a resume can be compared with them.
    """
    handle, name = mkstemp(dir=directory.path, prefix=TEMPORARY)
    os.close(handle)
    aside = Path(name)
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
        # A run of which nothing was asked yet (a dry run, a missing key) may become another one.
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
            "run_id": run_id or "r" + secrets.token_hex(6),
            "software": __version__,
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
            "journal": journal_name(journal),
            "begun": False,
            **wanted,
            "input": {
                "source": source,
                "mapping": dict(spooled.mapping),
                **{name: getattr(spooled, name) for name in ("cases", "distinct", "bad", "labelled")},
            },
            "given": dict(given or {}),
            "options": options.stored(),
        }
    )
    remember(directory.read())
    return spooled


def journal_name(journal: str | None) -> str:
    """The journal as the run remembers it: in its own folder, elsewhere, or in a database, without the password."""
    if journal is None:
        return OWN_JOURNAL
    return masked(journal) if "://" in journal else str(user_path(journal).resolve())


def _refuse_another(directory: RunDirectory, known: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """A run stays what it is: other cases or another judge need another folder."""
    if known["digest"] != wanted["digest"]:
        raise InputError(str(directory.path), "holds a run over other cases", "give another folder with --run")
    for name in ("protocol", "rubric", "shuffle"):
        if known[name] != wanted[name]:
            raise InputError(str(directory.path), f"holds a run with another {name}", "give another folder with --run")
    for key in {**known["settings"], **wanted["settings"]}:
        before, now = known["settings"].get(key), wanted["settings"].get(key)
        if before != now:
            option = key.replace("_", " ")
            found = f"holds a run with {option} {json.dumps(before)}, not {json.dumps(now)}"
            raise InputError(str(directory.path), found, "give another folder with --run, or continue with --resume")
