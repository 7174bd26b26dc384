"""Records → dialogues: a transcript as text, or messages as JSON; both go through the reader of transcripts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from ...arithmetic import mean
from ...errors import InputError
from ...models.cases import Dialogue
from ...rubric import ONE_TO_FIVE, Rubric
from ..text import kind_of
from ..transcript import read_dialogues, split_dialogues
from ..transcript.turns import build
from . import mapping as known
from .formats import BadRow, Record, Row
from .labels import mean_label, ratings_from
from .mapping import MISSING, Columns, beside, compact_json, look_up

TURNS = "turns"
FIELDS = ("transcript", TURNS, "id", "label")
_LONGEST_ID = 200


@dataclass(frozen=True)
class DialogueReader:
    """Reads rows whose columns are settled."""

    mapping: Mapping[str, str]

    def read(self, record: Record) -> Row | BadRow:
        """The dialogue in a record."""
        own_id: int | str = record.name or record.number
        try:
            given = self._value(record, "id")
            is_whole = isinstance(given, int) and not isinstance(given, bool)
            own_id = given if is_whole else str(given or "").strip() or own_id
            case = self._case(record, own_id)
            ratings, label = ratings_from(self._value(record, "label"), ONE_TO_FIVE)
            if label is None:
                label = _label_of(case)
            elif not case.overall_ratings:
                case = case.updated(overall_ratings=ratings)
            return Row(record.place, str(own_id), case, label, None, beside(record.values, self.mapping.values()))
        except InputError as error:
            return BadRow(record.place, str(own_id), str(error.renamed(self.mapping)))

    def _case(self, record: Record, own_id: int | str) -> Dialogue:
        name = "transcript" if "transcript" in self.mapping else TURNS
        value = look_up(record.values, self.mapping[name])
        if not isinstance(value, str | list | Mapping):
            found = "missing" if value is MISSING else f"expected a dialogue, found {kind_of(value)}"
            raise InputError(name, found, "a transcript as text, or a list of messages, is needed")
        text = value if isinstance(value, str) else compact_json(value)
        dialogues = read_dialogues(text.encode("utf-8", "surrogatepass"), self.mapping[name], first_id=own_id)
        if len(dialogues) > 1:
            raise InputError(name, f"{len(dialogues)} dialogues in one row", "one a row is allowed")
        return dialogues[0]

    def _value(self, record: Record, name: str) -> Any:
        column = self.mapping.get(name)
        value = MISSING if column is None else look_up(record.values, column)
        return None if value is MISSING else value


def dialogue_columns(columns: Columns, rubric: Rubric) -> DialogueReader:
    """Settle the columns of dialogues: a transcript or turns, not both."""
    columns.check_given(FIELDS)
    given = [name for name in ("transcript", TURNS) if columns.given.get(name)]
    if len(given) > 1:
        raise InputError("--map turns", "given beside transcript", "one of the two is allowed")
    transcript = columns.one("transcript", known.TRANSCRIPTS) if given != [TURNS] else None
    turns = columns.one(TURNS, known.TURNS) if transcript is None else None
    if transcript is None and turns is None:
        raise columns.missing(["transcript"], [])
    settled = {
        "transcript": transcript,
        TURNS: turns,
        "id": columns.first("id", known.DIALOGUE_IDS),
        "label": columns.one("label", known.OVERALLS),
    }
    return DialogueReader({name: column for name, column in settled.items() if column})


def rows_in_transcripts(raw: bytes, place: str, number: int, name: str | None = None) -> Iterator[Row | BadRow]:
    """The dialogues of a transcript file; those that cannot be read leave the others. `name` is the file's in a folder.

    `number` is that of the first of them among all rows.
    """
    try:
        dialogues = split_dialogues(raw, place)
    except InputError as error:
        here = f"{place}{error.place.removeprefix(place).replace(':', ', line ')}"
        yield BadRow(here, name or str(number), f"{error.found}; {error.allowed}".removesuffix("; "))
        return
    for position, dialogue in enumerate(dialogues, 1):
        fallback: int | str = number + position - 1
        if name is not None and len(name) < _LONGEST_ID - 10:
            fallback = name if len(dialogues) == 1 else f"{name}:{position}"
        own_id = fallback if dialogue.own_id is None else dialogue.own_id
        here = f"{place}, line {dialogue.line}"
        try:
            case = build(dialogue, position, place, fallback)
            yield Row(here, str(own_id), case, _label_of(case))
        except InputError as error:
            yield BadRow(here, str(own_id), str(error))


def _label_of(case: Dialogue) -> str | None:
    """What people rated a dialogue overall, where its transcript says it."""
    if not case.overall_ratings:
        return None
    for rating in case.overall_ratings:
        if not ONE_TO_FIVE.low <= rating <= ONE_TO_FIVE.high:
            raise InputError("OVERALL", f"{rating} is not a rating", "a number from 1 to 5")
    return mean_label(mean(map(Decimal, case.overall_ratings)))
