"""A run directory, read: its configuration, and for every case what came of it, in the order of the cases.

Only places in the files are held in memory, 24 bytes a case, from when they are first needed; the lines themselves pass
through one at a time.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from io import FileIO
from pathlib import Path
from typing import Any, Literal

import orjson

from ..errors import InputError
from ..models.rows import Protocol as Protocol
from ..rubric import Rubric, parse
from .lines import before_input, parsed, position_of, split_verdict, whole_lines

Status = Literal["verdict", "failure", "skipped"]
PROTOCOLS: tuple[Protocol, ...] = ("compare", "dialogue", "review")
FORMAT = 1
_NOWHERE = -1
_MOST_CASES = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Outcome:
    """A case and what came of it: a verdict, a failure, or a row that could not be judged and was skipped."""

    status: Status
    case: Mapping[str, Any]
    line: Mapping[str, Any]
    verdict_json: bytes = b""

    @property
    def position(self) -> int:
        return int(self.case["position"])

    @property
    def name(self) -> str:
        return str(self.case["case"])

    @property
    def verdict(self) -> dict[str, Any]:
        """The verdict as a program reads it; numbers with many digits are rounded to floats."""
        return orjson.loads(self.verdict_json) if self.verdict_json else {}


@dataclass(frozen=True)
class Run:
    """An opened run directory."""

    folder: Path
    config: Mapping[str, Any]
    protocol: Protocol
    rubric: Rubric

    @cached_property
    def expected(self) -> int:
        """How many cases the run has, as far as is known."""
        read = sum(at != _NOWHERE for at in self._cases)
        planned = (self.config.get("input") or {}).get("cases")
        return max(planned, read) if isinstance(planned, int) else read

    @cached_property
    def _cases(self) -> array[int]:
        return _places(self.folder / "cases.jsonl")

    @cached_property
    def _verdicts(self) -> array[int]:
        # Nothing replaces a verdict, so the first counts; of failures the last.
        return _places(self.folder / "verdicts.jsonl")

    @cached_property
    def _failures(self) -> array[int]:
        return _places(self.folder / "failures.jsonl", last=True)

    @property
    def name(self) -> str:
        return self.folder.name or str(self.folder)

    def outcomes(self, wanted: Callable[[int], bool] | None = None) -> Iterator[Outcome]:
        """What came of each case, in the order of the input; unfinished cases are left out."""
        with self.reader() as reader:
            for position in range(len(self._cases)):
                if (wanted is None or wanted(position)) and (outcome := reader.outcome(position)) is not None:
                    yield outcome

    def case_lines(self, *, inputs: bool = True) -> Iterator[tuple[int, dict[str, Any]]]:
        """Every case as it was read in, also the unfinished ones, with its position; without the texts if so wanted."""
        for _, raw in whole_lines(self.folder / "cases.jsonl"):
            case = parsed(raw) if inputs else before_input(raw)
            if case is not None and isinstance(case.get("position"), int):
                yield case["position"], case

    def reader(self) -> Reader:
        """What came of any case, by its position; use it as `with run.reader() as reader`."""
        return Reader(self)


class Reader:
    """The open files of a run."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._opened: list[_Lines] = []

    def outcome(self, position: int) -> Outcome | None:
        """What came of a case; None if nothing yet."""
        case = parsed(self._cases.line(position))
        if case is None:
            return None
        if (split := split_verdict(self._verdicts.line(position))) is not None:
            return Outcome("verdict", case, *split)
        if (line := parsed(self._failures.line(position))) is not None:
            return Outcome("failure", case, line)
        return Outcome("skipped", case, {"message": case["bad"]}) if case.get("bad") else None

    def verdict_json(self, position: int) -> bytes:
        """A case's verdict, byte for byte as the run has it; empty if there is none."""
        split = split_verdict(self._verdicts.line(position))
        return b"" if split is None else split[1]

    def given(self, position: int) -> dict[str, Any]:
        """The texts of a case; none for one that could not be judged."""
        return (parsed(self._cases.line(position)) or {}).get("input") or {}

    # A file is looked through when it is first needed: who wants cases alone does not wait for verdicts.
    @cached_property
    def _cases(self) -> _Lines:
        return self._open("cases.jsonl", self._run._cases)

    @cached_property
    def _verdicts(self) -> _Lines:
        return self._open("verdicts.jsonl", self._run._verdicts)

    @cached_property
    def _failures(self) -> _Lines:
        return self._open("failures.jsonl", self._run._failures)

    def _open(self, name: str, places: array[int]) -> _Lines:
        self._opened.append(lines := _Lines(self._run.folder / name, places))
        return lines

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *_: object) -> None:
        for lines in self._opened:
            lines.close()


def open_run(path: str | Path, place: str = "DIR") -> Run:
    """The run in a directory, or what is wrong with it."""
    folder = Path(path).expanduser()
    config = _config(folder, place)
    protocol = config.get("protocol")
    if protocol not in PROTOCOLS:
        raise InputError(f"{folder / 'run.json'}: protocol", repr(protocol), f"one of {', '.join(PROTOCOLS)}")
    if config.get("format") != FORMAT:
        found = f"format {config.get('format')!r}"
        raise InputError(str(folder / "run.json"), found, f"this version reads format {FORMAT}")
    rubric = parse(str(config.get("rubric", "")), f"{folder / 'run.json'}, rubric")
    return Run(folder=folder, config=config, protocol=protocol, rubric=rubric)


def _config(folder: Path, place: str) -> dict[str, Any]:
    try:
        raw = (folder / "run.json").read_bytes()
    except FileNotFoundError:
        found = f"{folder}: no run.json there" if folder.is_dir() else f"{folder}: no such folder"
        raise InputError(place, found, "a run directory, as `adjudge run … --run DIR` makes it") from None
    except OSError as error:
        found = f"{folder}: {(error.strerror or str(error)).lower()}"
        raise InputError(place, found, "a run directory, as `adjudge run … --run DIR` makes it") from None
    config = parsed(raw)
    if config is None:
        raise InputError(str(folder / "run.json"), "not a JSON object", "the file as the run wrote it is needed")
    return config


def _places(path: Path, *, last: bool = False) -> array[int]:
    """Where the line of each position begins; of several the first, or the last."""
    places = array("q")
    for at, raw in whole_lines(path):
        position = position_of(raw)
        if position is None or position >= _MOST_CASES:
            continue
        if position >= len(places):
            places.extend([_NOWHERE] * (position + 1 - len(places)))
        if last or places[position] == _NOWHERE:
            places[position] = at
    return places


class _Lines:
    """A file whose lines are found by position; one that is not there has none."""

    def __init__(self, path: Path, places: array[int]) -> None:
        self._places = places
        # Lines are far apart: a buffer would be filled anew for each. A piece is as long as the longest line so far.
        self._file: FileIO | None = FileIO(path) if path.exists() else None
        self._piece = 2**14

    def line(self, position: int) -> bytes:
        at = self._places[position] if position < len(self._places) else _NOWHERE
        if at == _NOWHERE or self._file is None:
            return b""
        self._file.seek(at)
        found = self._file.read(self._piece)
        while (end := found.find(b"\n")) < 0 and (more := self._file.read(len(found))):
            found += more
        self._piece = max(self._piece, end + 1)
        return found[: end + 1] if end >= 0 else found

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
