"""Opens a run directory: its configuration, and the stored case and verdict of any position.

Only the offsets of lines are kept in memory, 8 bytes per case; the lines themselves are read one at a time.
"""

from __future__ import annotations

import json
import os
import re
from array import array
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from ..errors import InputError, plain_reason
from ..files import user_path
from ..models.base import from_json
from ..models.cases import Case
from ..models.verdict import Verdict
from ..protocols.base import Protocol, names, protocol_of
from ..protocols.rubrics import parse
from ..rubric import Rubric

FORMAT = 1
CONFIG, CASES, VERDICTS, FAILURES, SUMMARY = (
    "run.json", "cases.jsonl", "verdicts.jsonl", "failures.jsonl", "summary.json",
)  # fmt: skip
# A run writes lines without spaces. Other programs may write them anew, with some or in another order.
_POSITION = re.compile(rb'\{\s*"position"\s*:\s*(\d{1,9})\s*,')
# Where the verdict begins, the last and by far largest field of its line. Nothing before it can look like this:
# quotation marks in texts are escaped, and extras are not objects.
VERDICT_FIELD = re.compile(rb',\s*"verdict"\s*:\s*(?=\{)')
_AS_WRITTEN = b'{"position":'
_NOWHERE = -1
_LAST = 999_999_999


@dataclass(frozen=True)
class Run:
    """An opened run directory. `as_shown` converts a stored verdict into what readers may see of it."""

    folder: Path
    config: Mapping[str, Any]
    protocol: Protocol
    rubric: Rubric
    as_shown: Callable[[bytes], bytes] = bytes

    @property
    def name(self) -> str:
        return self.folder.name or str(self.folder)

    @property
    def planned(self) -> int:
        """How many cases the run has according to its configuration."""
        planned = (self.config.get("input") or {}).get("cases")
        return planned if isinstance(planned, int) else 0

    @property
    def seconds(self) -> float | None:
        """The time from the run's creation to its last end, including pauses; None if it has not ended, or if it is a
        shipped one, which is dated earlier than it was judged."""
        if self.config.get("dated"):
            return None
        try:
            summary = orjson.loads((self.folder / SUMMARY).read_bytes())
            if summary.get("open") and not summary.get("stopped_by"):  # written while the run is in progress
                return None
            ended = datetime.fromisoformat(summary["ended"])
            return max((ended - datetime.fromisoformat(str(self.config["created"]))).total_seconds(), 0.0)
        except (OSError, ValueError, TypeError, LookupError, AttributeError):
            return None


class Reader(ExitStack):
    """The open files of a run: `with Reader(run) as reader`."""

    def __init__(self, run: Run) -> None:
        super().__init__()
        self._run = run
        self._files: dict[str, tuple[BinaryIO, array[int]]] = {}

    def verdict_json(self, position: int) -> bytes:
        """Return a case's verdict, byte for byte as stored or as `as_shown` returns it; empty if there is none."""
        line = self._line(VERDICTS, position)
        if not (found := VERDICT_FIELD.search(line)):
            return b""
        if line.startswith(_AS_WRITTEN):  # the verdict is the last field
            return self._run.as_shown(line[found.end() :].rstrip()[:-1])
        rest = line[found.end() :].decode()
        return self._run.as_shown(rest[: json.JSONDecoder().raw_decode(rest)[1]].encode())

    def case(self, position: int) -> dict[str, Any]:
        """Return the stored line of a case, with its input and extra columns; empty if there is none."""
        known: dict[str, Any] = orjson.loads(self._line(CASES, position) or b"{}")
        return known

    def given(self, position: int) -> Case:
        """Return the judged input of a case."""
        return self._run.protocol.case.model_validate(self.case(position)["input"])

    def verdict(self, position: int) -> Verdict:
        """Return a case's stored verdict with its case and rubric."""
        return from_json(
            self._run.protocol.verdict, self.verdict_json(position), case=self.given(position), rubric=self._run.rubric
        )

    def _line(self, name: str, position: int) -> bytes:
        if name not in self._files:
            path = self._run.folder / name
            file = self.enter_context(path.open("rb", buffering=2**16))
            about = os.fstat(file.fileno())
            self._files[name] = file, _places(path, about.st_ino, about.st_size, about.st_mtime_ns)
        file, places = self._files[name]
        if position >= len(places) or places[position] == _NOWHERE:
            return b""
        file.seek(places[position])
        return file.readline()


@lru_cache(maxsize=4)  # a report opens the same files several times
def _places(path: Path, *_state: int) -> array[int]:
    """Return the offset of each position's line. If a position has several lines, the first counts. `_state` is what
    changes when the file does."""
    places, at = array("q"), 0
    with path.open("rb", buffering=2**20) as file:
        for line in file:
            # A killed run may leave an incomplete line, which does not count.
            if line.endswith(b"\n") and (position := _position_of(line)) is not None:
                places.extend([_NOWHERE] * (position + 1 - len(places)))
                if places[position] == _NOWHERE:
                    places[position] = at
            at += len(line)
    return places


def _position_of(line: bytes) -> int | None:
    """Return the position of a line; None if it is not a line of a run."""
    if found := _POSITION.match(line):
        return int(found[1])
    try:
        position = orjson.loads(line)["position"]
    except (ValueError, TypeError, LookupError):
        return None
    return position if type(position) is int and 0 <= position <= _LAST else None


def open_run(path: str | Path, place: str = "DIR") -> Run:
    """Open the run in a directory. Raise InputError if it is not a run of this format."""
    folder = user_path(path)
    config = read_config(folder, place)
    if not (folder / CASES).is_file():
        raise InputError(place, f"{folder}: no {CASES} there", "restore the folder that the run wrote")
    rubric = parse(str(config.get("rubric", "")), f"{folder / CONFIG}, rubric")
    return Run(folder, config, protocol_of(config["protocol"]), rubric)


def read_config(folder: Path, place: str) -> dict[str, Any]:
    """Read a run's `run.json`. Raise InputError, which names `place`, if the folder holds no run of this format."""
    file, allowed = folder / CONFIG, "give a run directory made by `adjudge run … --run DIR`"
    try:
        config = orjson.loads(file.read_bytes())
    except FileNotFoundError:
        found = f"no {CONFIG} there" if folder.is_dir() else "folder not found"
        raise InputError(place, found if place == str(folder) else f"{folder}: {found}", allowed) from None
    except OSError as error:
        raise InputError(place, f"{folder}: {plain_reason(error)}", allowed) from None
    except orjson.JSONDecodeError:
        config = None
    if not isinstance(config, dict):
        raise InputError(str(file), "not a JSON object", "restore the file that the run wrote")
    if config.get("format") != FORMAT:
        raise InputError(str(file), f"format {config.get('format')!r}", f"this version reads format {FORMAT}")
    if (name := config.get("protocol")) not in names():
        raise InputError(f"{file}: protocol", repr(name), f"one of {', '.join(names())}")
    return config
