"""Reads an uploaded file of cases into a run: at once, or to look at it first, while the file is kept with the run."""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any

from ..errors import InputError, TooLargeError
from ..inputs.rows import BadRow, Row, open_rows
from ..inputs.rows.columns import MISSING, Columns, beside, look_up
from ..protocols.base import protocol_of
from .create import create
from .directory import RunDirectory, read_case
from .estimate import Estimate
from .hosted_run import HostedRun
from .plan import RunOptions, Settings

MAX_UPLOADED_ROWS = 20_000  # all are read and checked before the answer
_MOST_COLUMNS = 100  # shown; any number is read
_ROWS_SHOWN = 5
_REASONS_SHOWN = 5
_LONGEST_CELL = 160
_LACKING = "no column for "
_UNFIT = re.compile(r"--[a-z]|`adjudge ")


@dataclass(frozen=True, slots=True)
class NewRun:
    """A request for a run: an uploaded file of cases (its content, or its path) with its name, and settings and options
    as for `adjudge run`. `created` dates a shipped run; all others are dated now."""

    cases: bytes | Path
    source: str
    settings: Settings[Any]
    options: RunOptions = field(default_factory=RunOptions)
    name: str = ""
    mapping: Mapping[str, str] = field(default_factory=dict)
    format: str | None = None
    skip_bad: bool = False
    shuffle: int | None = None
    created: datetime | None = None


@dataclass(frozen=True, slots=True)
class UploadFindings:
    """What was found in an uploaded file: its columns (`more` are not listed) and its first rows, or, in a file without
    columns, the ids and openings of its first cases (`texts`); the column that each field is read from; and why rows
    cannot be judged: how many, the reason, and the first of them.

    `wrong` is what keeps the run from being started: the place, the words, and whether something is too large.
    """

    columns: tuple[str, ...] = ()
    more: int = 0
    rows: tuple[tuple[str, ...], ...] = ()
    texts: tuple[tuple[str, str], ...] = ()
    mapping: Mapping[str, str] = field(default_factory=dict)
    bad: int = 0
    skipped: tuple[tuple[int, str, str], ...] = ()
    wrong: tuple[str, str, bool] | None = None


def create_run(run: HostedRun, new: NewRun, journal: str) -> None:
    """Create the run. Errors use the sender's name of the file and the API's names of options."""
    suffix = "".join(Path(new.source).suffixes[-2:])
    with tempfile.TemporaryDirectory(dir=run.directory.path) as folder:
        path = Path(folder) / ("upload" + (suffix if re.fullmatch(r"(\.[A-Za-z0-9]{1,10}){0,2}", suffix) else ""))
        assert isinstance(new.cases, bytes)
        path.write_bytes(new.cases)
        try:
            _create(run, new, path, journal, [])
        except InputError as error:
            raise _in_senders_words(error, path, new.source or "file") from None


def look_into(run: HostedRun, new: NewRun, journal: str) -> UploadFindings:
    """Create the run from the file that is kept with it, and return what was found; `wrong` if it cannot be created."""
    path, seen = new.cases, list[Columns]()
    assert isinstance(path, Path)
    try:
        mapping = _create(run, new, path, journal, seen)
    except InputError as error:
        run.forget_cases()
        if run.run_id in _renamed(str(error), path, new.source):
            raise  # about a file of ours, not about the upload
        return replace(_columns_of(seen, {}), wrong=_in_words_of_the_page(error, path, new, bool(seen)))
    bad, reasons = _bad_rows(run.directory)
    texts = () if seen else tuple(_texts_of(run.directory))
    return replace(_columns_of(seen, mapping), texts=texts, mapping=mapping, bad=bad, skipped=reasons)


def _create(run: HostedRun, new: NewRun, path: Path, journal: str, seen: list[Columns]) -> Mapping[str, str]:
    protocol = new.settings.protocol
    rows = open_rows(str(path), protocol, new.settings.rubric, new.mapping, format=new.format, look=seen.append)
    return create(
        run.directory, new.settings, replace(rows, rows=_bounded(rows.rows, protocol)), source=new.source or "upload",
        journal=journal, shuffle=new.shuffle, skip_bad=new.skip_bad, options=new.options, run_id=run.run_id,
        created=new.created,
    ).mapping  # fmt: skip


def _bounded(rows: Iterator[Row | BadRow], protocol: str) -> Iterator[Row | BadRow]:
    for number, row in enumerate(rows):
        if number == MAX_UPLOADED_ROWS:
            allowed = f"for more, run `adjudge run {protocol} FILE` where the file is"
            raise TooLargeError("file", f"more than {MAX_UPLOADED_ROWS:,} rows", allowed)
        yield row


def _columns_of(seen: list[Columns], mapping: Mapping[str, str]) -> UploadFindings:
    """Return the columns with their first values. Of many columns those that are used are listed in any case."""
    if not seen:
        return UploadFindings()
    found, used = seen[0], dict.fromkeys(mapping.values())
    every = list(dict.fromkeys([*found.names, *used]))
    listed = {*[column for column in every if column not in used][: max(0, _MOST_COLUMNS - len(used))], *used}
    columns = tuple(column for column in every if column in listed)
    rows = tuple(tuple(_cell(row, column) for column in columns) for row in found.rows[:_ROWS_SHOWN])
    return UploadFindings(columns, len(every) - len(columns), rows)


def _cell(row: Mapping[str, Any], column: str) -> str:
    """Return the beginning of a value as text."""
    value = look_up(row, column)
    if value is MISSING or value is None:
        return ""
    return _shortened(str(beside({column: value}, ())[column]))


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_CELL else f"{text[: _LONGEST_CELL - 1]}…"


def _texts_of(directory: RunDirectory) -> Iterator[tuple[str, str]]:
    """Yield the id and the opening of the first cases, as people see them who label them."""
    protocol = protocol_of(directory.plan().protocol)
    with directory.cases.open("rb") as lines:
        for known in map(read_case, islice(lines, _ROWS_SHOWN)):
            shown = None if known.input is None else protocol.labelling.show(protocol.case.model_validate(known.input))
            opening = " ".join(text for _, text in shown.before) if shown else known.bad or ""
            yield known.case_id, _shortened(" ".join(opening.split()))


def _bad_rows(directory: RunDirectory) -> tuple[int, tuple[tuple[int, str, str], ...]]:
    """Return how many rows cannot be judged, and the most frequent reasons, each with the place of its first row."""
    if not directory.read()["input"]["bad"]:
        return 0, ()
    counts, first = Counter[str](), dict[str, str]()
    with directory.cases.open("rb") as lines:
        for line in lines:
            known = read_case(line)
            if known.bad is not None:
                counts[known.bad] += 1
                first.setdefault(known.bad, known.place.rpartition(", ")[2])
    shown = tuple((count, reason, first[reason]) for reason, count in counts.most_common(_REASONS_SHOWN))
    return counts.total(), shown


def cannot_start(expected: Estimate, options: RunOptions) -> tuple[str, str, bool] | None:
    """Return what keeps a run from being started, at the field that can be changed; None if nothing does."""
    if expected.missing is not None:
        return "judge", "is not set up on this service; choose another one, or ask an admin to set it up", False
    if options.budget is not None and expected.unpriced:
        names = ", ".join(expected.unpriced)
        return "budget", f"no price is published for {names}, so spending cannot be limited; leave it empty", False
    return None


# -- words ------------------------------------------------------------------------------------------------------------


def _in_senders_words(error: InputError, path: Path, name: str) -> InputError:
    """Rewrite an error about an uploaded file: use the sender's file name and the API's option names."""

    def rewritten(text: str) -> str:
        return re.sub(r"--([a-z-]+)", lambda option: option[1].replace("-", "_"), _renamed(text, path, name))

    place = "file" if error.place == "INPUT" else rewritten(error.place)
    return type(error)(place, rewritten(error.found), rewritten(error.allowed))


def _renamed(text: str, path: Path, name: str) -> str:
    for place in (str(path), str(path.resolve()), path.name):
        text = text.replace(place, name)
    return text


def _in_words_of_the_page(error: InputError, path: Path, new: NewRun, has_columns: bool) -> tuple[str, str, bool]:
    """Return where an error is shown, its words, and whether something is too large. A page has neither a command nor
    its options: where a file has columns, they can be chosen, else the file can be replaced."""
    name, fields = new.source, fields_of(new.settings.protocol)
    found, listed, _ = _renamed(error.found, path, name).partition("; columns found:")
    if listed and found.startswith(_LACKING):
        *some, last = (fields.get(each, each) for each in found.removeprefix(_LACKING).split(" and "))
        found = f"{_LACKING}{' and '.join((', '.join(some), last)) if some else last}"
    pieces = re.split(r"; |, or (?=say )", _renamed(error.allowed, path, name))
    allowed = "; ".join(piece for piece in pieces if not _UNFIT.search(piece))
    place = _renamed(error.place, path, name).removeprefix("--map ")
    if place not in ("INPUT", "file", name):
        found = f"{place}: {found}"
    if has_columns and not isinstance(error, TooLargeError):
        return "columns", f"{found}; choose in the list of columns", False
    return "file", f"{found}; {allowed}" if allowed else found, isinstance(error, TooLargeError)


def fields_of(protocol: str) -> Mapping[str, str]:
    """Return the fields that a column may be taken for, with words for them."""
    return protocol_of(protocol).reading.fields
