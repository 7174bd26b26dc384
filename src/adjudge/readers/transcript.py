"""Bytes → Dialogues, in every form people keep them: transcript columns, `User: …` text, JSON, JSONL, CSV and TSV.

The form is recognised by how the file begins. Annotators' acts and ratings are kept beside the turns, never in them.
"""

from __future__ import annotations

from dataclasses import replace

from ..cases import Dialogue
from ..errors import InputError
from .transcript_csv import header_delimiter, read_csv
from .transcript_entries import Record, build, shorten
from .transcript_json import is_json, read_json
from .transcript_lines import is_column_line, is_label_line, read_columns, read_labels

FORMS = "SPEAKER <tab> utterance, User: …, JSON messages, or CSV with speaker and text columns are allowed"


def read_dialogues(raw: bytes, place: str, *, first_id: int | str | None = None) -> list[Dialogue]:
    """The dialogues in some bytes, at least one; `place` is what errors call the file.

    A dialogue has the id given for it, `first_id`, if it is the only one; else its record's own, else its position.
    """
    records = read_records(raw, place)
    only_id = first_id if len(records) == 1 else None
    if only_id is not None:
        records = [replace(records[0], own_id=only_id)]
    return [build(record, position, place, position) for position, record in enumerate(records, 1)]


def read_records(raw: bytes, place: str) -> list[Record]:
    """The dialogues in some bytes before any is built, so that one that cannot be leaves the others."""
    records = _records(_decode(raw, place), place)
    if not records:
        raise InputError(place, "no dialogue", FORMS)
    return records


def _decode(raw: bytes, place: str) -> str:
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        found = f"invalid UTF-8 at byte {error.start} (0x{raw[error.start]:02x})"
        raise InputError(f"{place}:{line}", found, "UTF-8 text is needed") from None
    return text.removeprefix("\ufeff").replace("\r\n", "\n")


def _records(text: str, place: str) -> list[Record]:
    # Not splitlines: U+2028 and its like are characters somebody typed.
    lines = text.split("\n")
    first = next((number for number, line in enumerate(lines, 1) if line.strip()), None)
    if first is None:
        return []
    opening = lines[first - 1]
    if is_json(text):
        return read_json(text, place)
    if delimiter := header_delimiter(opening):
        return read_csv(lines, delimiter)
    if is_column_line(opening):
        return read_columns(lines)
    if is_label_line(opening):
        return read_labels(lines)
    raise InputError(f"{place}:{first}", f"cannot read {shorten(opening)}", FORMS)
