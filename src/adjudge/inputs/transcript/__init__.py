"""Bytes → Dialogues, in every form people keep them: transcript columns, `User: …` text, JSON, JSONL, CSV and TSV.

The form is recognised by how the file begins. Annotators' acts and ratings are kept beside the turns, never in them.
"""

from __future__ import annotations

from dataclasses import replace

from ...errors import InputError
from ...models.cases import Dialogue
from ..text import decode, quote
from .lines import is_column_line, is_label_line, read_columns, read_labels
from .messages import is_json, is_table_header, read_json, read_table_rows
from .turns import RawDialogue, build

FORMS = "SPEAKER <tab> utterance, User: …, JSON messages, or CSV with speaker and text columns are allowed"


def read_dialogues(raw: bytes, place: str, *, first_id: int | str | None = None) -> list[Dialogue]:
    """The dialogues in some bytes, at least one; `place` is what errors call the file.

    A dialogue has the id given for it, `first_id`, if it is the only one; else its own, else its position.
    """
    dialogues = split_dialogues(raw, place)
    if first_id is not None and len(dialogues) == 1:
        dialogues = [replace(dialogues[0], own_id=first_id)]
    return [build(one, position, place, position) for position, one in enumerate(dialogues, 1)]


def split_dialogues(raw: bytes, place: str) -> list[RawDialogue]:
    """The dialogues in some bytes before they are built, so that one that cannot be read leaves the others."""
    text = decode(raw, place).replace("\r\n", "\n")
    # Not splitlines: U+2028 and others like it are characters somebody typed.
    lines = text.split("\n")
    number, opening = next(((number, line) for number, line in enumerate(lines, 1) if line.strip()), (0, ""))
    if is_json(text):
        dialogues = read_json(text)
    elif is_table_header(opening):
        dialogues = read_table_rows(lines)
    elif is_column_line(opening):
        dialogues = read_columns(lines)
    elif is_label_line(opening):
        dialogues = read_labels(lines)
    elif opening:
        raise InputError(f"{place}:{number}", f"cannot read {quote(opening)}", FORMS)
    else:
        dialogues = []
    if not dialogues:
        raise InputError(place, "no dialogue", FORMS)
    return dialogues
