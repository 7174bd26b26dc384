"""Records → comparisons: the columns are settled once, and then each row is read by them.

An answer may be a whole conversation (Chatbot Arena, MT-bench) or a list of turns (its Kaggle files): then the task is
what the user said in it and the answer what the assistant did, and several turns are numbered `[1]`, `[2]`, ….
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Any

from ...errors import InputError
from ...models.cases import Comparison, check_weights
from ...rubric import Rubric
from ..comparison import weights_from
from ..json import parse_cell
from ..text import kind_of
from ..transcript.messages import text_parts
from . import mapping as known
from .formats import BadRow, Record, Row
from .labels import winner_from, winner_of_three
from .mapping import MISSING, Columns, beside, fold_column, look_up, three_of

FIELDS = ("task", "a", "b", "context", "weights", "id", "label", "system_a", "system_b")
_NEEDED = ("task", "a", "b")
_SAID_BY = {"task": ("user", "human"), "a": ("assistant",), "b": ("assistant",)}
_PROMPTFOO = re.compile(r"\[(?P<provider>[^\]]+)\] .*", re.DOTALL)
_VERDICT = re.compile(r"\[(?:PASS|(?P<failed>FAIL|ERROR))\] ")


@dataclass(frozen=True)
class ComparisonReader:
    """Reads rows whose columns are settled."""

    mapping: Mapping[str, str]
    rubric: Rubric
    # promptfoo names the systems in its header.
    systems: tuple[str, str] | None = None

    def read(self, record: Record) -> Row | BadRow:
        """The case in a record."""
        case_id = record.name or str(record.number)
        try:
            case_id = _text_of(self._value(record, "id")) or case_id
            systems = self._systems(record) or self.systems
            label, used = self._label(record, systems)
            extra = beside(record.values, [*self.mapping.values(), *used])
            return Row(record.place, case_id, self._case(record), label, systems, extra)
        except InputError as error:
            return BadRow(record.place, case_id, str(error.renamed(self.mapping)))

    def _case(self, record: Record) -> Comparison:
        texts = {name: self._value(record, name, MISSING) for name in _NEEDED}
        for name, value in texts.items():
            if value is MISSING:
                raise InputError(name, "missing", "a non-empty string is needed")
        turns = _turns(texts)
        texts = {name: _numbered(turns[name]) if turns else _text(name, value) for name, value in texts.items()}
        if self.systems:
            texts |= {name: _output_of(texts[name]) for name in ("a", "b")}
        weights = check_weights(weights_from(self._value(record, "weights")), self.rubric.weights)
        return Comparison(**texts, context=_context(self._value(record, "context")), weights=weights)

    def _label(self, record: Record, systems: tuple[str, str] | None) -> tuple[str | None, Sequence[str]]:
        """Who won, and the columns that say it."""
        column = self.mapping.get("label", "")
        three = three_of(column)
        if three and look_up(record.values, column) is MISSING:
            said = [look_up(record.values, name) for name in three]
            return winner_of_three([None if value is MISSING else value for value in said]), three
        return winner_from(self._value(record, "label"), systems), ()

    def _systems(self, record: Record) -> tuple[str, str] | None:
        a, b = (_text_of(self._value(record, name)) for name in ("system_a", "system_b"))
        return (a, b) if a and b else None

    def _value(self, record: Record, name: str, missing: Any = None) -> Any:
        column = self.mapping.get(name)
        value = MISSING if column is None else look_up(record.values, column)
        return missing if value is MISSING else value


def comparison_columns(columns: Columns, rubric: Rubric) -> ComparisonReader:
    """Settle the columns of comparisons."""
    columns.check_given(FIELDS)
    a, b = columns.pair(("a", "b"), known.ANSWERS)
    if (a is None or b is None) and (outputs := _providers(columns.names)):
        a, b = _outputs(columns, list(outputs), a, b)
    task = columns.one("task", known.TASKS)
    settled = {"task": task, "a": a, "b": b}
    if lacking := [name for name in _NEEDED if settled[name] is None]:
        raise columns.missing(lacking, list(settled.values()))
    system_a, system_b = columns.pair(("system_a", "system_b"), known.SYSTEMS)
    if (system_a is None) != (system_b is None) and not {"system_a", "system_b"} <= set(columns.given):
        lacking = ["system_a" if system_a is None else "system_b"]
        raise columns.missing(lacking, [*settled.values(), system_a, system_b])
    named = _providers([str(a), str(b)])
    systems = (named[str(a)], named[str(b)]) if system_a is None and len(named) == 2 else None
    settled |= {
        "context": _context_column(columns, str(task)),
        "weights": columns.one("weights", known.WEIGHTS),
        "id": columns.first("id", known.IDS),
        "label": _label_column(columns),
        "system_a": system_a,
        "system_b": system_b,
    }
    return ComparisonReader({name: column for name, column in settled.items() if column}, rubric, systems)


def _providers(columns: Iterable[str]) -> dict[str, str]:
    """promptfoo's columns of outputs, `[openai:gpt-4o] label`, each with its provider."""
    return {name: found["provider"] for name in columns if (found := _PROMPTFOO.fullmatch(name))}


def _outputs(columns: Columns, outputs: list[str], a: str | None, b: str | None) -> tuple[str | None, str | None]:
    """promptfoo's two columns of outputs; of more than two somebody has to choose."""
    left = [column for column in outputs if column not in (a, b)]
    lacking = (a is None) + (b is None)
    if len(left) > lacking:
        raise columns.ambiguous(("a", "b"), list(pairwise(outputs)))
    return (a or left.pop(0), b or left.pop(0)) if len(left) == lacking else (a, b)


def _output_of(cell: str) -> str:
    """The output in a cell of promptfoo's, which older versions begin with a verdict and why it failed."""
    verdict = _VERDICT.match(cell)
    if verdict is None:
        return cell
    rest = cell[verdict.end() :]
    return rest.partition("\n---\n")[2] or rest if verdict["failed"] else rest


def _context_column(columns: Columns, task: str) -> str | None:
    column = columns.one("context", known.CONTEXTS)
    beside_task = known.CONTEXT_BESIDE.get(fold_column(task))
    if column is None and "context" not in columns.given and beside_task:
        return next(iter(columns.named(beside_task)), None)
    return column


def _label_column(columns: Columns) -> str | None:
    column = columns.one("label", known.LABELS)
    three = [columns.named(name) for name in known.WINNER_OF_THREE]
    if column is None and "label" not in columns.given and all(three):
        return "/".join(names[0] for names in three)
    return column


def _text_of(value: Any) -> str:
    return "" if value is None else str(value).strip()


def _text(name: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    # An answer "42" or "true" has often lost its quotes on its way through a table.
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
    """What was said in each turn, where the three fields are conversations; None where they are texts."""
    values = {name: _listed(name, value) for name, value in texts.items()}
    if values["task"] is not None:
        for name, value in texts.items():
            if values[name] is None and isinstance(value, str) and value.startswith('["'):
                raise InputError(name, "a list of turns that is not JSON", "a JSON list of texts is allowed")
    elif isinstance(texts["task"], str) and _is_talk(values["a"]) and _is_talk(values["b"]):
        # A task may be text beside conversations: then only the answers' turns are read.
        values["task"] = [texts["task"]]
        texts = {**texts, "task": None}
    if any(value is None for value in values.values()):
        return None
    turns = {name: _said(name, value or []) for name, value in values.items()}
    # Three texts that happen to be JSON lists are texts.
    is_text = any(isinstance(value, str) for value in texts.values())
    return None if is_text and len({len(said) for said in turns.values()}) > 1 else turns


def _listed(name: str, value: Any) -> list[Any] | None:
    """A list of messages or of texts; in CSV it is JSON in a cell."""
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
    return [_content(part["content"]) for part in parts if str(part["role"]).lower() in _SAID_BY[name]]


def _content(content: Any) -> str:
    parts = text_parts(content)
    return "\n".join(parts) if parts is not None else content if isinstance(content, str) else ""


def _numbered(said: Sequence[str]) -> str:
    if len(said) < 2 or not any(text.strip() for text in said):
        return "".join(said)
    return "\n\n".join(f"[{number}] {text}" for number, text in enumerate(said, 1))
