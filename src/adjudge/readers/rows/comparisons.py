"""Records → comparisons: the columns are settled once, and then each row is read by them.

An answer may be a whole conversation (Chatbot Arena, MT-bench) or a list of turns (its Kaggle files): then the task is
what the user said in it and the answer what the assistant did, and several turns are numbered `[1]`, `[2]`, ….
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import orjson

from ...cases import Comparison, check_weights
from ...errors import InputError
from ...rubric import Rubric
from ..json import kind_of
from ..weights import weights_from
from . import known
from .base import BadRow, Row
from .labels import winner_from, winner_of_three
from .mapping import Found, ambiguous_pair, check_said, first, missing, one, pair, three_of
from .records import MISSING, Record, beside, look_up

FIELDS = ("task", "a", "b", "context", "weights", "id", "label", "system_a", "system_b")
_NEEDED = ("task", "a", "b")
_SAID_BY = {"task": ("user", "human"), "a": ("assistant",), "b": ("assistant",)}


@dataclass(frozen=True)
class ComparisonRows:
    """Reads rows whose columns are settled."""

    mapping: Mapping[str, str]
    rubric: Rubric
    # promptfoo names the systems in its header.
    systems: tuple[str, str] | None = None

    def read(self, record: Record) -> Row | BadRow:
        """The case in a record."""
        case_id = _id(self._value(record, "id"), record)
        try:
            systems = self._systems(record) or self.systems
            return Row(
                record.place,
                case_id,
                self._case(record),
                self._label(record, systems),
                systems,
                beside(record.values, self._used()),
            )
        except InputError as error:
            return BadRow(record.place, case_id, str(error.renamed(self.mapping)))

    def _case(self, record: Record) -> Comparison:
        texts = {name: self._value(record, name) for name in _NEEDED}
        for name, value in texts.items():
            if value is MISSING:
                raise InputError(name, "missing", "a non-empty string is needed")
        turns = _turns(texts)
        if turns is None:
            texts = {name: _text(name, value) for name, value in texts.items()}
        else:
            texts = {name: _numbered(said) for name, said in turns.items()}
        if self.systems:
            texts = {name: text if name == "task" else known.output_of(text) for name, text in texts.items()}
        weights = check_weights(weights_from(_given(self._value(record, "weights"))), self.rubric.weights)
        return Comparison(**texts, context=_context(_given(self._value(record, "context"))), weights=weights)

    def _label(self, record: Record, systems: tuple[str, str] | None) -> str | None:
        column = self.mapping.get("label")
        if column is None:
            return None
        value = look_up(record.values, column)
        if value is MISSING and (three := three_of(column)):
            return winner_of_three([_given(look_up(record.values, name)) for name in three])
        return winner_from(_given(value), systems)

    def _systems(self, record: Record) -> tuple[str, str] | None:
        names = [_given(self._value(record, name)) for name in ("system_a", "system_b")]
        a, b = ("" if name is None else str(name).strip() for name in names)
        return (a, b) if a and b else None

    def _value(self, record: Record, name: str) -> Any:
        column = self.mapping.get(name)
        return MISSING if column is None else look_up(record.values, column)

    def _used(self) -> list[str]:
        used = list(self.mapping.values())
        label = self.mapping.get("label")
        return used + list(three_of(label) or ()) if label else used


def settle(found: Found, rubric: Rubric) -> ComparisonRows:
    """The columns of comparisons."""
    check_said(found, FIELDS)
    systems = None
    a, b = _answers(found)
    if (a is None or b is None) and (outputs := known.providers(found.columns)):
        a, b = _outputs(found, list(outputs), a, b)
    task = one(found, "task", known.TASKS)
    settled = {"task": task, "a": a, "b": b}
    if lacking := [name for name in _NEEDED if settled[name] is None]:
        raise missing(found, lacking, list(settled.values()))
    system_a, system_b = pair(found, ("system_a", "system_b"), known.SYSTEMS)
    if (system_a is None) != (system_b is None) and not {"system_a", "system_b"} <= set(found.said):
        raise missing(found, ["system_a" if system_a is None else "system_b"], [*settled.values(), system_a, system_b])
    if system_a is None and (named := known.providers([str(a), str(b)])) and len(named) == 2:
        systems = named[str(a)], named[str(b)]
    settled |= {
        "context": _context_column(found, task),
        "weights": one(found, "weights", known.WEIGHTS),
        "id": first(found, "id", known.IDS),
        "label": _label_column(found),
        "system_a": system_a,
        "system_b": system_b,
    }
    return ComparisonRows({name: column for name, column in settled.items() if column}, rubric, systems)


def _answers(found: Found) -> tuple[str | None, str | None]:
    return pair(found, ("a", "b"), known.ANSWERS)


def _outputs(found: Found, outputs: list[str], a: str | None, b: str | None) -> tuple[str | None, str | None]:
    """promptfoo's two columns of outputs; of more than two somebody has to choose."""
    left = [column for column in outputs if column not in (a, b)]
    lacking = (a is None) + (b is None)
    if len(left) == lacking:
        return a or left.pop(0), b or left.pop(0)
    if len(left) > lacking:
        raise ambiguous_pair(found, ("a", "b"), list(pairwise(outputs)))
    return a, b


def _context_column(found: Found, task: str | None) -> str | None:
    column = one(found, "context", known.CONTEXTS)
    if column is None and "context" not in found.said and task is not None:
        name = known.CONTEXT_BESIDE.get(known.folded(task))
        column = next(iter(found.named(name)), None) if name else None
    return column


def _label_column(found: Found) -> str | None:
    column = one(found, "label", known.LABELS)
    if column is None and "label" not in found.said:
        three = [found.named(name) for name in known.WINNER_OF_THREE]
        if all(three):
            column = "/".join(names[0] for names in three)
    return column


def _given(value: Any) -> Any:
    return None if value is MISSING else value


def _id(value: Any, record: Record) -> str:
    written = "" if value is MISSING or value is None else str(value).strip()
    return written or record.name or str(record.number)


def _text(name: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    # An answer "42" or "true" has often lost its quotes on its way through a table.
    if name != "task" and isinstance(value, bool | int | float):
        return orjson.dumps(value).decode()
    raise InputError(name, f"expected text, found {kind_of(value)}", "a string is allowed")


def _context(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return "\n\n".join(value)
    if isinstance(value, str):
        return value
    raise InputError("context", f"expected text, found {kind_of(value)}", "a string, or a list of them, is allowed")


def _turns(texts: Mapping[str, Any]) -> dict[str, list[str]] | None:
    """What was said in each turn, where the three fields are conversations; None where they are texts."""
    values = {name: _listed(value) for name, value in texts.items()}
    if values["task"] is not None:
        for name, value in texts.items():
            if values[name] is None and isinstance(value, str) and value.startswith('["'):
                raise InputError(name, "a list of turns that is not JSON", "a JSON list of texts is allowed")
    if any(value is None for value in values.values()):
        # A task may stand as text beside conversations: then it is the answers' turns that are read.
        answers = {name: values[name] for name in ("a", "b")}
        if not isinstance(texts["task"], str) or not all(_is_talk(value) for value in answers.values()):
            return None
        return {"task": [texts["task"]], **{name: _said(name, value or []) for name, value in answers.items()}}
    turns = {name: _said(name, value or []) for name, value in values.items()}
    if any(isinstance(value, str) for value in texts.values()) and len({len(said) for said in turns.values()}) > 1:
        # Three texts that happen to be JSON lists are texts.
        return None
    return turns


def _listed(value: Any) -> list[Any] | None:
    """A list of messages or of texts; in CSV it stands as JSON in its cell."""
    if isinstance(value, str) and value.startswith("[") and value.rstrip().endswith("]"):
        try:
            value = orjson.loads(value)
        except ValueError:
            return None
    if not isinstance(value, list) or not value:
        return None
    plain = all(part is None or isinstance(part, str) for part in value)
    return value if plain or _is_talk(value) else None


def _is_talk(value: Any) -> bool:
    return bool(value) and all(isinstance(part, Mapping) and "role" in part and "content" in part for part in value)


def _said(name: str, parts: Sequence[Any]) -> list[str]:
    if not _is_talk(parts):
        return [part or "" for part in parts]
    return [_content(part["content"]) for part in parts if str(part["role"]).lower() in _SAID_BY[name]]


def _content(content: Any) -> str:
    if isinstance(content, list):
        texts = [part.get("text") if isinstance(part, Mapping) else part for part in content]
        return "\n".join(text for text in texts if isinstance(text, str))
    return content if isinstance(content, str) else ""


def _numbered(said: Sequence[str]) -> str:
    if len(said) < 2 or not any(text.strip() for text in said):
        return "".join(said)
    return "\n\n".join(f"[{number}] {text}" for number, text in enumerate(said, 1))
