"""INPUT becomes the run's own copy of its cases, all of them read and checked before the first call is paid.

So a run can be resumed although its input came through a pipe or has changed since, and a bad row is met now and not
after an hour.
"""

from __future__ import annotations

import hashlib
import os
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from ..errors import InputError
from ..inputs.rows import BadRow, Rows
from .lines import write_case

_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Spooled:
    """What was read: how many cases, how many of them cannot be judged, and a digest of them all."""

    cases: int
    bad: int
    labelled: int
    digest: str
    mapping: Mapping[str, str] = field(default_factory=dict)


def spool(rows: Rows, path: Path, *, skip_bad: bool) -> Spooled:
    """Write the cases to `path`; bad rows are refused together, with what is wrong with the first of them."""
    cases = bad = labelled = 0
    shown: list[str] = []
    digest = hashlib.sha256()
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
                file.write(line)
                cases += 1
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise InputError(str(path), f"cannot be written: {(error.strerror or str(error)).lower()}", "") from None
    if bad and (not skip_bad or bad == cases):
        more = f" (and {bad - len(shown):,} more)" if bad > len(shown) else ""
        listed = "; ".join(shown) + more
        allowed = "mend them, or pass over them with --skip-bad" if bad < cases else "no row can be judged"
        raise InputError("INPUT", f"{bad:,} of {cases:,} rows cannot be judged: {listed}", allowed)
    if not cases:
        raise InputError("INPUT", "no case in it", "at least one is needed")
    return Spooled(cases, bad, labelled, digest.hexdigest(), rows.mapping)


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
