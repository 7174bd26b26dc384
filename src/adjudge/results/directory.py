"""A run directory, read: its configuration, and for every case what came of it, in the order of the cases.

Only places in the files are held in memory, 16 bytes a case; the lines themselves pass through one at a time.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Literal

import orjson

from ..errors import InputError
from ..rubric import Rubric, parse
from .lines import parsed, position_of, split_verdict, whole_lines

Protocol = Literal["compare", "dialogue", "review"]
Status = Literal["verdict", "failure", "skipped"]
PROTOCOLS: tuple[Protocol, ...] = ("compare", "dialogue", "review")
FORMAT = 1
_NOWHERE = -1


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
    """An opened run directory. `cases` have been read in, `unfinished` of them have no outcome yet."""

    folder: Path
    config: Mapping[str, Any]
    protocol: Protocol
    rubric: Rubric
    cases: int
    expected: int
    _verdicts: array[int] = field(repr=False)
    _failures: array[int] = field(repr=False)

    @property
    def name(self) -> str:
        return self.folder.name or str(self.folder)

    def outcomes(self, wanted: Callable[[int], bool] | None = None) -> Iterator[Outcome]:
        """What came of each case, in the order of the input; unfinished cases are left out."""
        with _Lines(self.folder / "verdicts.jsonl") as verdicts, _Lines(self.folder / "failures.jsonl") as failures:
            for _, raw in whole_lines(self.folder / "cases.jsonl"):
                position = position_of(raw)
                if position is None or (wanted is not None and not wanted(position)):
                    continue
                outcome = self._outcome(position, raw, verdicts, failures)
                if outcome is not None:
                    yield outcome

    def case_lines(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Every case as it was read in, also the unfinished ones, with its position."""
        for _, raw in whole_lines(self.folder / "cases.jsonl"):
            case = parsed(raw)
            if case is not None and isinstance(case.get("position"), int):
                yield case["position"], case

    def _outcome(self, position: int, raw: bytes, verdicts: _Lines, failures: _Lines) -> Outcome | None:
        case = parsed(raw)
        if case is None:
            return None
        at = _at(self._verdicts, position)
        if at != _NOWHERE and (split := split_verdict(verdicts.line(at))) is not None:
            return Outcome("verdict", case, *split)
        at = _at(self._failures, position)
        if at != _NOWHERE and (line := parsed(failures.line(at))) is not None:
            return Outcome("failure", case, line)
        return Outcome("skipped", case, {"message": case["bad"]}) if case.get("bad") else None


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
    cases, room = 0, 0
    for _, raw in whole_lines(folder / "cases.jsonl"):
        position = position_of(raw)
        if position is not None:
            cases, room = cases + 1, max(room, position + 1)
    expected = (config.get("input") or {}).get("cases")
    return Run(
        folder=folder,
        config=config,
        protocol=protocol,
        rubric=rubric,
        cases=cases,
        expected=max(expected, cases) if isinstance(expected, int) else cases,
        # Nothing replaces a verdict, so the first counts; of failures the last.
        _verdicts=_places(folder / "verdicts.jsonl", room, first=True),
        _failures=_places(folder / "failures.jsonl", room, first=False),
    )


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
        raise InputError(str(folder / "run.json"), "not a JSON object", "the run's own file is needed as it was written")
    return config


def _places(path: Path, room: int, *, first: bool) -> array[int]:
    places = array("q", [_NOWHERE]) * room
    for at, raw in whole_lines(path):
        position = position_of(raw)
        if position is not None and position < room and not (first and places[position] != _NOWHERE):
            places[position] = at
    return places


def _at(places: array[int], position: int) -> int:
    return places[position] if position < len(places) else _NOWHERE


class _Lines:
    """A file whose lines are read where they begin; one that is not there has none."""

    def __init__(self, path: Path) -> None:
        self._file: BinaryIO | None = path.open("rb") if path.exists() else None

    def line(self, at: int) -> bytes:
        assert self._file is not None
        self._file.seek(at)
        return self._file.readline()

    def __enter__(self) -> _Lines:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()
