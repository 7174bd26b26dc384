"""Reads dialogues from rows with a transcript or a list of messages, from files without columns, and from one object.

The forms of transcripts are read in `transcript/`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ...arithmetic import mean, rounded, to_decimal
from ...errors import InputError
from ...inputs.delimited import id_in_cell
from ...inputs.messages import json_text
from ...inputs.rows.columns import IDS as GENERAL_IDS
from ...inputs.rows.columns import MISSING, CaseReader, Columns, Tiers, beside, compact_json
from ...inputs.text import kind_of
from ...rubric import ONE_TO_FIVE, Rubric
from ..reading import BadRow, CaseReading, LoggedAnswer, Record, Row
from .case import Dialogue
from .transcript import build, is_message_line, is_table_header, read_dialogues, split_dialogues
from .transcript.lines import COLUMN_LINE
from .transcript.speakers import read_label

IDS = ("dialogue_id", "conversation_id", *GENERAL_IDS)
LABELS: Tiers = (("label", "overall", "overall_rating", "overall_ratings", "human", "rating"),)
_TURNS = "turns"
_TURN_NAMES: Tiers = (("turns", "messages"), ("dialogue", "dialog", "conversation"))
_FIELDS = {
    "transcript": "transcript",
    _TURNS: "list of turns",
    "id": "id of the dialogue",
    "label": "people’s rating",
}


def _choose(columns: Columns, rubric: Rubric) -> CaseReader:
    """Choose the columns of dialogues, with either a transcript or turns, not both."""
    columns.check_given(_FIELDS)
    given = [name for name in ("transcript", _TURNS) if columns.given.get(name)]
    if len(given) > 1:
        raise InputError("--map turns", "cannot be combined with transcript", "give one of the two")
    transcript = columns.one("transcript", (("transcript",),)) if given != [_TURNS] else None
    turns = columns.one(_TURNS, _TURN_NAMES) if transcript is None else None
    if transcript is None and turns is None:
        raise columns.missing(["transcript"], [], {"transcript": _TURN_NAMES})
    settled = {
        "transcript": transcript,
        _TURNS: turns,
        "id": columns.one("id", [(name,) for name in IDS]),
        "label": columns.one("label", LABELS),
    }
    return CaseReader.of(settled, rubric, _row)


def _row(reader: CaseReader, record: Record, case_id: str) -> Row:
    own = reader.value(record, "id")
    if isinstance(own, bool) or not isinstance(own, int):
        own = case_id if own is not None and str(own).strip() else record.name or record.number
    name = "transcript" if "transcript" in reader.mapping else _TURNS
    value = reader.value(record, name, MISSING)
    if not isinstance(value, str | list | Mapping):
        found = "missing" if value is MISSING else f"expected a dialogue, found {kind_of(value)}"
        raise InputError(name, found, "a transcript as text, or a list of messages, is needed")
    text = value if isinstance(value, str) else compact_json(value)
    dialogues = read_dialogues(text.encode("utf-8", "surrogatepass"), reader.mapping[name], first_id=own)
    if len(dialogues) > 1:
        allowed = "one per row is allowed; an array of dialogues belongs in a .json file"
        raise InputError(name, f"{len(dialogues)} dialogues in one row", allowed)
    (case,) = dialogues
    ratings, label = _ratings_from(reader.value(record, "label"))
    if label is None:
        label = _overall_label(case)
    elif not case.overall_ratings:
        case = case.updated(overall_ratings=ratings)
    return Row(record.place, case_id, case, label, None, beside(record.values, reader.mapping.values()))


def _ratings_from(value: Any) -> tuple[tuple[int, ...], str | None]:
    """Return the ratings if all are whole numbers, else (), and their mean as text. Return `(), None` if empty."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return (), None
    parts = value.strip().strip("[]").split(",") if isinstance(value, str) else value
    numbers = [to_decimal(part) for part in (parts if isinstance(parts, list | tuple) else [parts])]
    given = [number for number in numbers if number is not None and ONE_TO_FIVE.low <= number <= ONE_TO_FIVE.high]
    if len(given) < len(numbers):
        allowed = f"a number from {ONE_TO_FIVE.low} to {ONE_TO_FIVE.high}, or several"
        raise InputError("label", f"{value!r:.60} is not a rating", allowed)
    whole = tuple(int(number) for number in given if number == int(number))
    return whole if len(whole) == len(given) else (), str(rounded(mean(given))) if given else None


def _overall_label(case: Dialogue) -> str | None:
    """Return the mean of the overall ratings in a dialogue's transcript, or None if it has none."""
    try:
        return _ratings_from(case.overall_ratings)[1]
    except InputError as error:
        raise error.renamed({"label": "OVERALL"}) from None


def _split(raw: bytes, place: str, rubric: Rubric, name: str | None) -> Iterator[Row | BadRow]:
    """Yield the dialogues of a file. One that cannot be read becomes a bad row."""
    found = split_dialogues(raw, place)
    for position, one in enumerate(found, 1):
        named = position if name is None else f"{name}:{position}" if len(found) > 1 else name
        case_id = str(named if one.own_id is None else one.own_id)
        here = f"{place}, line {one.line}"
        try:
            case = build(one, position, place, named)
            yield Row(here, case_id, case, _overall_label(case))
        except InputError as error:
            yield BadRow(here, case_id, str(error))


def _is_whole(chosen: str, line: str) -> bool:
    """Tell whether a file is read as a whole: JSON, and a table or JSONL with one message per row."""
    if chosen == "jsonl":
        return is_message_line(line)
    return chosen == "json" or (chosen in ("csv", "tsv") and is_table_header(line))


def _from_log(answers: Iterable[LoggedAnswer | BadRow], place: str) -> Iterator[Record | BadRow]:
    """Make a record of each conversation in a log of another tool."""
    talks, number = 0, 0
    for number, one in enumerate(answers, 1):
        if isinstance(one, BadRow):
            yield one
        elif one.problem or one.messages is None:
            yield BadRow(one.place, one.name, f"messages: missing; {one.problem or 'the log has none of this answer'}")
        else:
            talks += 1
            # The id of a conversation may be a number, which a dialogue keeps as one.
            values = {**one.extra, "id": id_in_cell(one.name), _TURNS: one.messages, "system": one.system}
            yield Record(one.place, number, values)
    if number and not talks:
        raise InputError(place, "no messages in this log", "prompts or outputs with role and content are needed")


def one_dialogue(
    transcript: str | Sequence[Mapping[str, Any]] | Mapping[str, Any] | Dialogue, dialogue_id: int | str | None = None
) -> Dialogue:
    """Read a transcript that must hold exactly one dialogue."""
    if isinstance(transcript, Dialogue):
        return transcript if dialogue_id is None else transcript.updated(dialogue_id=dialogue_id)
    if isinstance(transcript, str):
        place, raw = "transcript", transcript.encode("utf-8", "surrogatepass")
    else:
        place = "messages"
        # Half of a surrogate pair, which UTF-8 cannot hold, becomes its escape in JSON.
        text = json_text(transcript if isinstance(transcript, Mapping) else list(transcript), place)
        raw = text.encode("utf-8", "backslashreplace")
    found = read_dialogues(raw, place, first_id=dialogue_id)
    if len(found) != 1:
        raise InputError(place, f"{len(found)} dialogues found", "give one; `adjudge dialogue` takes many")
    return found[0]


def dialogue_from(data: Mapping[str, Any], _: Rubric) -> Dialogue:
    """Read a dialogue from an object with `messages` or a `transcript`, and maybe its `dialogue_id`."""
    messages: Any = data.get("messages")
    transcript: Any = data.get("transcript")
    if (messages is None) == (transcript is None):
        found = "missing" if messages is None else "given together with transcript"
        raise InputError("messages", found, "either messages or transcript is needed")
    return one_dialogue(transcript if messages is None else messages, data.get("dialogue_id"))


READING = CaseReading(
    choose=_choose,
    from_object=dialogue_from,
    wanted="messages or transcript, and optionally dialogue_id",
    from_text=lambda raw, place, _: read_dialogues(raw, place),
    suffixes=(".txt", ".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".eval"),
    split=_split,
    begins_text=lambda line: not is_table_header(line) and bool(COLUMN_LINE.match(line) or read_label(line)),
    is_whole=_is_whole,
    lists=_TURNS,
    from_log=_from_log,
    fields=_FIELDS,
)
