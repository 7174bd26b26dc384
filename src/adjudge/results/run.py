"""A run directory: its configuration, and the stored case and verdict of any position.

Only where lines begin is held in memory, 8 bytes a case; the lines themselves are read one at a time.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from io import FileIO
from pathlib import Path
from typing import Any

import orjson

from ..errors import InputError, plain_reason
from ..files import user_path
from ..models import ComparisonVerdict, DialogueVerdict, ReviewVerdict
from ..models.base import from_json
from ..models.cases import Comparison, Dialogue, Review
from ..models.rows import Protocol, Verdict
from ..rubric import Rubric, parse

FORMAT = 1
CASES, VERDICTS, FAILURES = "cases.jsonl", "verdicts.jsonl", "failures.jsonl"
_MODELS: dict[Protocol, tuple[type[Comparison | Dialogue | Review], type[Verdict]]] = {
    "compare": (Comparison, ComparisonVerdict),
    "dialogue": (Dialogue, DialogueVerdict),
    "review": (Review, ReviewVerdict),
}
_POSITION = re.compile(rb'\{"position":(\d{1,9}),')
# Nothing before the verdict looks like this: in a text a quotation mark has a backslash, and extras are no objects.
_VERDICT = b',"verdict":{'
_NOWHERE = -1


def _as_stored(verdict: bytes) -> bytes:
    return verdict


@dataclass(frozen=True)
class Run:
    """An opened run directory; `told`: what those who read it get to see of a stored verdict."""

    folder: Path
    config: Mapping[str, Any]
    protocol: Protocol
    rubric: Rubric
    told: Callable[[bytes], bytes] = _as_stored

    @property
    def name(self) -> str:
        return self.folder.name or str(self.folder)

    @property
    def planned(self) -> int:
        """How many cases the run has, as it says itself."""
        planned = (self.config.get("input") or {}).get("cases")
        return planned if isinstance(planned, int) else 0

    @property
    def seconds(self) -> float | None:
        """From its creation until it last ended, pauses included; None if it has not ended."""
        try:
            ended = datetime.fromisoformat(orjson.loads((self.folder / "summary.json").read_bytes())["ended"])
            return max((ended - datetime.fromisoformat(str(self.config["created"]))).total_seconds(), 0.0)
        except (OSError, ValueError, TypeError, LookupError):
            return None


class Reader:
    """The open files of a run: `with Reader(run) as reader`."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._open = ExitStack()

    def verdict_json(self, position: int) -> bytes:
        """A case's verdict, byte for byte as the run has it or tells it; empty if there is none."""
        line = self._verdicts.at(position)
        begin = line.find(_VERDICT)
        return b"" if begin < 0 else self._run.told(line[begin + len(_VERDICT) - 1 :].rstrip()[:-1])

    def case(self, position: int) -> dict[str, Any]:
        """A case as it was read in."""
        known: dict[str, Any] = orjson.loads(self._cases.at(position) or b"{}")
        return known

    def given(self, position: int) -> Comparison | Dialogue | Review:
        """What was judged in a case."""
        return _MODELS[self._run.protocol][0].model_validate(self.case(position)["input"])

    def verdict(self, position: int) -> Verdict:
        """A case's verdict as it was stored, with its case and rubric."""
        verdict = _MODELS[self._run.protocol][1]
        return from_json(verdict, self.verdict_json(position), case=self.given(position), rubric=self._run.rubric)

    @cached_property
    def _cases(self) -> _VerdictLines:
        return self._open.enter_context(_VerdictLines(self._run.folder / CASES))

    @cached_property
    def _verdicts(self) -> _VerdictLines:
        return self._open.enter_context(_VerdictLines(self._run.folder / VERDICTS))

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()


class _VerdictLines:
    """A file whose lines are found by position; of several lines of a position the first counts."""

    def __init__(self, path: Path) -> None:
        self._file = FileIO(path)
        self._places = array("q")
        for at, raw in _whole_lines(path):
            if not (found := _POSITION.match(raw)):
                continue
            if (position := int(found[1])) >= len(self._places):
                self._places.extend([_NOWHERE] * (position + 1 - len(self._places)))
            if self._places[position] == _NOWHERE:
                self._places[position] = at

    def at(self, position: int) -> bytes:
        if position >= len(self._places) or self._places[position] == _NOWHERE:
            return b""
        self._file.seek(self._places[position])
        found = bytearray()
        while b"\n" not in found[-(2**16) :] and (more := self._file.read(2**16)):
            found += more
        return bytes(found[: found.find(b"\n") + 1])

    def __enter__(self) -> _VerdictLines:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


def _whole_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Where each line begins, and its bytes. A run that was killed may leave half a line, which is not there yet."""
    with path.open("rb", buffering=2**20) as file:
        at = 0
        for raw in file:
            if raw.endswith(b"\n"):
                yield at, raw
            at += len(raw)


def case_at(run: Run, position: int) -> dict[str, Any]:
    """A single case as it was read in, without an index of all; empty if there is none."""
    begin = b'{"position":%d,' % position
    with (run.folder / CASES).open("rb", buffering=2**20) as file:
        found = next((line for line in file if line.startswith(begin)), b"{}")
    known: dict[str, Any] = orjson.loads(found)
    return known


def open_run(path: str | Path, place: str = "DIR") -> Run:
    """The run in a directory, or what is wrong with it."""
    folder = user_path(path)
    config = _config(folder, place)
    protocol = config.get("protocol")
    if protocol not in _MODELS:
        raise InputError(f"{folder / 'run.json'}: protocol", repr(protocol), f"one of {', '.join(_MODELS)}")
    if config.get("format") != FORMAT:
        found = f"format {config.get('format')!r}"
        raise InputError(str(folder / "run.json"), found, f"this version reads format {FORMAT}")
    if not (folder / CASES).is_file():
        raise InputError(place, f"{folder}: no {CASES} there", "the folder as the run wrote it is needed")
    rubric = parse(str(config.get("rubric", "")), f"{folder / 'run.json'}, rubric")
    return Run(folder=folder, config=config, protocol=protocol, rubric=rubric)


def _config(folder: Path, place: str) -> dict[str, Any]:
    allowed = "a run directory, as `adjudge run … --run DIR` makes it"
    try:
        config = orjson.loads((folder / "run.json").read_bytes())
    except FileNotFoundError:
        found = f"{folder}: no run.json there" if folder.is_dir() else f"{folder}: folder not found"
        raise InputError(place, found, allowed) from None
    except OSError as error:
        raise InputError(place, f"{folder}: {plain_reason(error)}", allowed) from None
    except orjson.JSONDecodeError:
        config = None
    if not isinstance(config, dict):
        raise InputError(str(folder / "run.json"), "not a JSON object", "the file as the run wrote it is needed")
    return config
