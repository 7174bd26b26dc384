"""Builds cases from records. Each protocol chooses its columns once and then reads every row from them.

Dialogues and reviews use the readers of transcripts and slots. A response in a comparison may be a whole conversation
(Chatbot Arena, MT-bench) or a list of turns (its Kaggle files). Then the task is the user's side and the response the
assistant's side, and several turns are numbered `[1]`, `[2]`, ….
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Any

from ...errors import InputError
from ...models.cases import check_weights
from ...protocols.compare.case import Comparison
from ...protocols.compare.reading import weights_from
from ...protocols.dialogue.case import Dialogue
from ...protocols.dialogue.transcript import build, read_dialogues, split_dialogues, text_parts
from ...protocols.dialogue.transcript.lines import RawDialogue
from ...protocols.review.case import Review
from ...protocols.review.reading import NEEDED, REVIEW_ID, SLOTS, read_reviews, review_from
from ...protocols.review.reading.slots import IDS, folded
from ...rubric import ONE_TO_FIVE, Rubric
from ..json import parse_cell
from ..text import kind_of
from . import columns as known
from .columns import MISSING, Columns, beside, compact_json, fold_column, look_up, split_winner_columns
from .records import BadRow, Record, Row

TURNS = "turns"
_TEXTS = ("task", "a", "b")
_COMPARISON = (*_TEXTS, "context", "weights", "id", "label", "system_a", "system_b")
_DIALOGUE = ("transcript", TURNS, "id", "label")
_REVIEW = (*SLOTS, "id", "likert", "likert_justification")
_SAID_BY = {"task": ("user", "human"), "a": ("assistant",), "b": ("assistant",)}
_PROMPTFOO = re.compile(r"\[(?P<provider>[^\]]+)\] .*", re.DOTALL)
# Older versions of promptfoo begin a cell with the verdict and, if it failed, the reason.
_VERDICT = re.compile(r"\A\[(?:PASS\] |(?:FAIL|ERROR)\] (?:.*?\n---\n)?)", re.DOTALL)


@dataclass(frozen=True)
class CaseReader:
    """Reads cases from records. `mapping` says which column each field is read from."""

    mapping: Mapping[str, str]
    rubric: Rubric
    row: Callable[[CaseReader, Record, str], Row]
    # promptfoo names the systems in its header.
    systems: tuple[str, str] | None = None

    def read(self, record: Record) -> Row | BadRow:
        """Read the case in a record. A bad row keeps its own id if the id can be read."""
        case_id = record.name or str(record.number)
        try:
            own = self.value(record, "id")
            case_id = str("" if own is None else own).strip() or case_id
            return self.row(self, record, case_id)
        except InputError as error:
            return BadRow(record.place, case_id, str(error.renamed(self.mapping)))

    def value(self, record: Record, name: str, missing: Any = None) -> Any:
        """Return a record's value for a field, or `missing`."""
        column = self.mapping.get(name)
        value = MISSING if column is None else look_up(record.values, column)
        return missing if value is MISSING else value


def rows_in_text(
    raw: bytes, place: str, protocol: str, rubric: Rubric, name: str | None = None
) -> Iterator[Row | BadRow]:
    """Yield the cases of a file without columns. `name` is the name of the file in a folder.

    A dialogue that cannot be read becomes a bad row. A review that cannot be read raises InputError for the whole file.
    """
    found: list[Review | RawDialogue] = []
    found += read_reviews(raw, place, rubric) if protocol == "review" else split_dialogues(raw, place)
    for position, one in enumerate(found, 1):
        named = position if name is None else f"{name}:{position}" if len(found) > 1 else name
        if isinstance(one, Review):
            yield Row(place, str(named if one.review_id is None else one.review_id), one)
            continue
        case_id = str(named if one.own_id is None else one.own_id)
        here = f"{place}, line {one.line}"
        try:
            case = build(one, position, place, named)
            yield Row(here, case_id, case, _overall_label(case))
        except InputError as error:
            yield BadRow(here, case_id, str(error))


# Comparisons.


def _comparison_columns(columns: Columns, rubric: Rubric) -> CaseReader:
    columns.check_given(_COMPARISON)
    a, b = columns.several(("a", "b"), (*known.ANSWERS, tuple(pairwise(_providers(columns.names)))))
    task = columns.one("task", known.TASKS)
    settled = {"task": task, "a": a, "b": b}
    if lacking := [name for name in _TEXTS if settled[name] is None]:
        raise columns.missing(lacking, list(settled.values()))
    system_a, system_b = columns.several(("system_a", "system_b"), known.SYSTEMS)
    if (system_a is None) != (system_b is None) and not {"system_a", "system_b"} <= set(columns.given):
        lacking = ["system_a" if system_a is None else "system_b"]
        raise columns.missing(lacking, [*settled.values(), system_a, system_b])
    named = _providers([str(a), str(b)])
    systems = (named[str(a)], named[str(b)]) if system_a is None and len(named) == 2 else None
    contexts = known.CONTEXT_OF_INSTRUCTION if fold_column(str(task)) == "instruction" else known.CONTEXTS
    settled |= {
        "context": columns.one("context", contexts),
        "weights": columns.one("weights", known.WEIGHTS),
        "id": columns.one("id", [(name,) for name in known.IDS]),
        "label": columns.one("label", known.LABELS),
        "system_a": system_a,
        "system_b": system_b,
    }
    return CaseReader(_filled(settled), rubric, _comparison_row, systems)


def _filled(settled: Mapping[str, str | None]) -> dict[str, str]:
    return {name: column for name, column in settled.items() if column}


def _providers(columns: Iterable[str]) -> dict[str, str]:
    """Map promptfoo's output columns, such as `[openai:gpt-4o] label`, to their provider."""
    return {name: found["provider"] for name in columns if (found := _PROMPTFOO.fullmatch(name))}


def _comparison_row(reader: CaseReader, record: Record, case_id: str) -> Row:
    system_a, system_b = (str(reader.value(record, name) or "").strip() for name in ("system_a", "system_b"))
    systems = (system_a, system_b) if system_a and system_b else reader.systems
    three = split_winner_columns(reader.mapping.get("label", ""))
    if three and look_up(record.values, reader.mapping["label"]) is MISSING:
        said = [look_up(record.values, name) for name in three]
        label = known.winner_of_three([None if value is MISSING else value for value in said])
    else:
        three, label = (), known.winner_from(reader.value(record, "label"), systems)
    texts = {name: reader.value(record, name, MISSING) for name in _TEXTS}
    if missing := next((name for name, value in texts.items() if value is MISSING), None):
        raise InputError(missing, "missing", "a non-empty string is needed")
    turns = _turns(texts)
    texts = {name: _numbered(turns[name]) if turns else _text(name, value) for name, value in texts.items()}
    if reader.systems:
        texts |= {name: _VERDICT.sub("", texts[name]) for name in ("a", "b")}
    weights = check_weights(weights_from(reader.value(record, "weights")), reader.rubric.weights)
    case = Comparison(**texts, context=_context(reader.value(record, "context")), weights=weights)
    extra = beside(record.values, [*reader.mapping.values(), *three])
    return Row(record.place, case_id, case, label, systems, extra)


def _text(name: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    # Table tools often drop the quotes of a response "42" or "true".
    if name != "task" and isinstance(value, bool | int | float | Decimal):
        return str(value).lower() if isinstance(value, bool) else str(value)
    raise InputError(name, f"expected text, found {kind_of(value)}", "a string is allowed")


def _context(value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return "\n\n".join(value)
    raise InputError("context", f"expected text, found {kind_of(value)}", "a string, or a list of them, is allowed")


def _turns(texts: Mapping[str, Any]) -> dict[str, list[str]] | None:
    """Return the text of each turn if the three fields are conversations, or None if they are plain texts."""
    values = {name: _listed(name, value) for name, value in texts.items()}
    if values["task"] is not None:
        for name, value in texts.items():
            if values[name] is None and isinstance(value, str) and value.startswith('["'):
                raise InputError(name, "the list of turns is not valid JSON", "a JSON list of strings is needed")
    elif isinstance(texts["task"], str) and _is_talk(values["a"]) and _is_talk(values["b"]):
        # The task may be plain text while the responses are conversations.
        values["task"] = [texts["task"]]
        texts = {**texts, "task": None}
    if any(value is None for value in values.values()):
        return None
    turns = {name: _said(name, value or []) for name, value in values.items()}
    # JSON lists in strings count as turns only if all have the same length. Otherwise they are plain texts.
    is_text = any(isinstance(value, str) for value in texts.values())
    return None if is_text and len({len(said) for said in turns.values()}) > 1 else turns


def _listed(name: str, value: Any) -> list[Any] | None:
    """Return a list of messages or of texts, parsed from JSON if it is a CSV cell, or None if it is neither."""
    if isinstance(value, str):
        value = parse_cell(value, name) if value.startswith("[") else None
    if not isinstance(value, list) or not value:
        return None
    plain = all(part is None or isinstance(part, str) for part in value)
    return value if plain or _is_talk(value) else None


def _is_talk(value: Any) -> bool:
    return bool(value) and all(isinstance(part, Mapping) and "role" in part and "content" in part for part in value)


def _said(name: str, parts: Sequence[Any]) -> list[str]:
    if not _is_talk(parts):
        return [part or "" for part in parts]
    said: list[str] = []
    for content in (part["content"] for part in parts if str(part["role"]).lower() in _SAID_BY[name]):
        texts = text_parts(content)
        if texts is None:
            raise InputError(name, f"expected text in a message, found {kind_of(content)}", "a string is allowed")
        said.append("\n".join(texts))
    return said


def _numbered(said: Sequence[str]) -> str:
    if len(said) < 2 or not any(text.strip() for text in said):
        return "".join(said)
    return "\n\n".join(f"[{number}] {text}" for number, text in enumerate(said, 1))


# Dialogues.


def _dialogue_columns(columns: Columns, rubric: Rubric) -> CaseReader:
    """Choose the columns of dialogues, with either a transcript or turns, not both."""
    columns.check_given(_DIALOGUE)
    given = [name for name in ("transcript", TURNS) if columns.given.get(name)]
    if len(given) > 1:
        raise InputError("--map turns", "cannot be combined with transcript", "give one of the two")
    transcript = columns.one("transcript", known.TRANSCRIPTS) if given != [TURNS] else None
    turns = columns.one(TURNS, known.TURNS) if transcript is None else None
    if transcript is None and turns is None:
        raise columns.missing(["transcript"], [])
    settled = {
        "transcript": transcript,
        TURNS: turns,
        "id": columns.one("id", [(name,) for name in known.DIALOGUE_IDS]),
        "label": columns.one("label", known.OVERALLS),
    }
    return CaseReader(_filled(settled), rubric, _dialogue_row)


def _dialogue_row(reader: CaseReader, record: Record, case_id: str) -> Row:
    own = reader.value(record, "id")
    if isinstance(own, bool) or not isinstance(own, int):
        own = case_id if own is not None and str(own).strip() else record.name or record.number
    name = "transcript" if "transcript" in reader.mapping else TURNS
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
    ratings, label = known.ratings_from(reader.value(record, "label"), ONE_TO_FIVE)
    if label is None:
        label = _overall_label(case)
    elif not case.overall_ratings:
        case = case.updated(overall_ratings=ratings)
    return Row(record.place, case_id, case, label, None, beside(record.values, reader.mapping.values()))


def _overall_label(case: Dialogue) -> str | None:
    """Return the mean of the overall ratings in a dialogue's transcript, or None if it has none."""
    try:
        return known.ratings_from(case.overall_ratings, ONE_TO_FIVE)[1]
    except InputError as error:
        raise error.renamed({"label": "OVERALL"}) from None


# Reviews.


def _review_columns(columns: Columns, rubric: Rubric) -> CaseReader:
    """Choose the columns of reviews. A column with the name of a slot is used without `--map`."""
    columns.check_given(_REVIEW)
    settled: dict[str, str | None] = {slot: column for column in columns.names if (slot := folded(column)) in SLOTS}
    settled |= {name: column or None for name, column in columns.given.items()}
    if settled.get("prompt") is None:
        settled["prompt"] = columns.one("prompt", known.TASKS[:2])
    if settled.get("response1") is None and settled.get("response2") is None:
        settled["response1"], settled["response2"] = columns.several(("response1", "response2"), known.ANSWERS[:1])
    if not any(settled.get(name) for name in NEEDED):
        raise columns.missing(NEEDED, [])
    settled["id"] = columns.one("id", [(name,) for name in IDS])
    return CaseReader(_filled(settled), rubric, _review_row)


def _review_row(reader: CaseReader, record: Record, case_id: str) -> Row:
    renamed = {column: name for name, column in reader.mapping.items() if name != "id"}
    # If `--map` gives another column for a slot, the column with the slot's name is only metadata.
    values = {
        renamed.get(column, column): value
        for column, value in record.values.items()
        if column in renamed or folded(column) not in SLOTS
    }
    for column, name in renamed.items():
        if column not in record.values and (value := look_up(record.values, column)) is not MISSING:
            values[name] = value
    own = reader.value(record, "id")
    if own not in (None, ""):
        values = {name: value for name, value in values.items() if folded(name) not in IDS} | {REVIEW_ID: own}
    review = review_from(values, reader.rubric)
    # `review_from` also reads columns with single ratings, so they are not kept as extra columns.
    rated = [name for name in record.values if folded(name).startswith(("response1_", "response2_", "likert"))]
    return Row(record.place, case_id, review, extra=beside(record.values, [*reader.mapping.values(), *rated]))


SETTLE = {"compare": _comparison_columns, "dialogue": _dialogue_columns, "review": _review_columns}
