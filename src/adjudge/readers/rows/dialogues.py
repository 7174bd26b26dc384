"""Records → dialogues: a transcript as text, or messages as JSON; both go through the reader of transcripts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import orjson

from ...arithmetic import mean
from ...cases import Dialogue
from ...errors import InputError
from ...rubric import ONE_TO_FIVE, Rubric
from ..json import kind_of
from ..transcript import read_dialogues, read_records
from ..transcript_entries import build
from . import known
from .base import BadRow, Row
from .labels import rated, ratings_from
from .mapping import Found, check_said, first, missing, one
from .records import MISSING, Record, beside, look_up

FIELDS = ("transcript", "turns", "id", "label")
TURNS = "turns"
_LONGEST_ID = 200


@dataclass(frozen=True)
class DialogueRows:
    """Reads rows whose columns are settled."""

    mapping: Mapping[str, str]
    rubric: Rubric

    def read(self, record: Record) -> Row | BadRow:
        """The dialogue in a record."""
        own_id = _id(self._value(record, "id"), record)
        try:
            case = self._case(record, own_id)
            ratings, label = ratings_from(self._value(record, "label"), ONE_TO_FIVE)
            if label is None:
                label = label_of(case)
            elif not case.overall_ratings:
                case = case.updated(overall_ratings=ratings)
            return Row(record.place, str(own_id), case, label, None, beside(record.values, self.mapping.values()))
        except InputError as error:
            return BadRow(record.place, str(own_id), str(error.renamed(self.mapping)))

    def _case(self, record: Record, own_id: int | str) -> Dialogue:
        name = "transcript" if "transcript" in self.mapping else TURNS
        value = look_up(record.values, self.mapping[name])
        if isinstance(value, str):
            raw = value.encode("utf-8", "surrogatepass")
        elif isinstance(value, list | Mapping):
            raw = orjson.dumps(value, default=str)
        else:
            found = "missing" if value is MISSING else f"expected a dialogue, found {kind_of(value)}"
            raise InputError(name, found, "a transcript as text, or a list of messages, is needed")
        dialogues = read_dialogues(raw, self.mapping[name], first_id=own_id)
        if len(dialogues) > 1:
            raise InputError(name, f"{len(dialogues)} dialogues in one row", "one a row is allowed")
        return dialogues[0]

    def _value(self, record: Record, name: str) -> Any:
        column = self.mapping.get(name)
        value = MISSING if column is None else look_up(record.values, column)
        return None if value is MISSING else value


def settle(found: Found, rubric: Rubric) -> DialogueRows:
    """The columns of dialogues: a transcript or turns, not both."""
    check_said(found, FIELDS)
    said = [name for name in ("transcript", TURNS) if found.said.get(name)]
    if len(said) > 1:
        raise InputError("--map turns", "stands beside transcript", "one of the two is allowed")
    transcript = one(found, "transcript", known.TRANSCRIPTS) if said != [TURNS] else None
    turns = one(found, TURNS, known.TURNS) if transcript is None else None
    if transcript is None and turns is None:
        raise missing(found, ["transcript"], [])
    settled = {
        "transcript": transcript,
        TURNS: turns,
        "id": first(found, "id", known.DIALOGUE_IDS),
        "label": one(found, "label", known.OVERALLS),
    }
    return DialogueRows({name: column for name, column in settled.items() if column}, rubric)


def rows_in_transcripts(
    raw: bytes, place: str, rubric: Rubric, number: int, name: str | None = None
) -> Iterator[Row | BadRow]:
    """The dialogues of a transcript file; those that cannot be read leave the others. `name` is the file's in a folder.

    `number` is that of the first of them among all rows.
    """
    try:
        records = read_records(raw, place)
    except InputError as error:
        yield BadRow(
            error.place.replace(":", ", line ") if error.place != place else place, name or str(number), _said(error)
        )
        return
    for position, record in enumerate(records, 1):
        fallback: int | str = number + position - 1
        if name is not None and len(name) < _LONGEST_ID - 10:
            fallback = name if len(records) == 1 else f"{name}:{position}"
        own_id = fallback if record.own_id is None else record.own_id
        here = f"{place}, line {record.line}"
        try:
            case = build(record, position, place, fallback)
            yield Row(here, str(own_id), case, label_of(case))
        except InputError as error:
            yield BadRow(here, str(own_id), str(error))


def label_of(case: Dialogue) -> str | None:
    """What people rated a dialogue overall, where its transcript says it."""
    if not case.overall_ratings:
        return None
    for rating in case.overall_ratings:
        if not ONE_TO_FIVE.low <= rating <= ONE_TO_FIVE.high:
            raise InputError("OVERALL", f"{rating} is no rating", "a number from 1 to 5")
    return rated(mean(map(Decimal, case.overall_ratings)))


def _id(value: Any, record: Record) -> int | str:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    written = "" if value is None else str(value).strip()
    return written or record.name or record.number


def _said(error: InputError) -> str:
    return f"{error.found}; {error.allowed}" if error.allowed else error.found
