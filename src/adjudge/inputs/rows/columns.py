"""Chooses the column for each field: the one given with `--map`, else one with a name that well-known tools use.

Names are normalized: `responseA`, `response_a` and `Response A` are equal. Known names come in tiers, and a tier is
tried only if the earlier ones find nothing. Two columns in one tier are ambiguous, except for ids, where the first name
wins. If a field has no clear column, the error lists the columns and suggests a `--map` option.
"""

from __future__ import annotations

import json
import math
import re
import shlex
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import chain, product
from typing import Any

from ...arithmetic import to_decimal
from ...errors import InputError
from ...protocols.reading import BadRow, Record, Row, Scalar
from ...rubric import Rubric
from ...spelling import did_you_mean, similar_name
from ..json import parse_cell
from ..text import kind_of

Tiers = Sequence[Sequence[str]]
Pairs = Sequence[Sequence[tuple[str, str]]]

# promptfoo, Arena and MT-bench write prompt; AlpacaEval instruction; DeepEval and LLMBar input; promptfoo vars.….
ASKED = ("userTask", "task", "prompt", "question", "query", "instruction", "user_prompt", "user_query")
TASKS: Tiers = (
    ASKED,
    ("input",),
    tuple(f"vars.{name}" for name in (*ASKED, "input")),
    ("conversation_a",),
    ("contestants.0.test_case.input", "contestants.0.testCase.input"),
)
_ANSWERS = ("response", "answer", "output", "completion", "assistant", "model_response", "model_output", "generation")
ANSWERS: Pairs = (
    (
        ("a", "b"),
        *((f"{name}_a", f"{name}_b") for name in _ANSWERS),
        *((f"{name}_1", f"{name}_2") for name in _ANSWERS),
        ("chosen", "rejected"),
    ),
    (("conversation_a", "conversation_b"),),
    (
        ("contestants.0.test_case.actual_output", "contestants.1.test_case.actual_output"),
        ("contestants.0.testCase.actualOutput", "contestants.1.testCase.actualOutput"),
    ),
)
LABELS: Tiers = (
    ("label", "winner", "human", "preference", "human_label", "human_preference", "preferred"),
    ("winner_model_a/winner_model_b/winner_tie",),  # Arena on Kaggle
)
IDS = ("id", "case_id", "question_id", "example_id", "uid", "uuid", "task_id", "prompt_id", "instruction_id")

MISSING = object()
_SHOWN = 40


def fold_column(name: str) -> str:
    """Normalize a column's name for comparison."""
    return re.sub(r"[\s_-]+", "", name).casefold()


@dataclass(frozen=True)
class Columns:
    """The first rows, whose columns and nested paths are searched, and the mapping that the user gave."""

    place: str
    rows: Sequence[Mapping[str, Any]]
    given: Mapping[str, str]

    @cached_property
    def names(self) -> list[str]:
        return list(dict.fromkeys(column for row in self.rows for column in row))

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for column in self.names:
            found.setdefault(fold_column(column), []).append(column)
        return found

    def named(self, name: str) -> list[str]:
        """Return the columns with a well-known name. The name may be a path, or three columns joined by slashes."""
        if "." in name:
            return [name] if self.has(name) else []
        if "/" in name and not self.has(name):
            parts = [self.named(part) for part in name.split("/")]
            return ["/".join(columns[0] for columns in parts)] if all(parts) else []
        return self._by_name.get(fold_column(name), [])

    def has(self, column: str) -> bool:
        return any(look_up(row, column) is not MISSING for row in self.rows)

    def shown(self) -> str:
        """Return the list of columns for an error message."""
        more = f", … ({len(self.names)} in all)" if len(self.names) > _SHOWN else ""
        return ", ".join(self.names[:_SHOWN]) + more

    def check_given(self, allowed: Collection[str]) -> None:
        """Raise InputError if the given mapping names an unknown field or a missing column."""
        for name, column in self.given.items():
            if name not in allowed:
                hint = did_you_mean(name, tuple(allowed))
                raise InputError(f"--map {name}", "unknown field", f"{hint}one of {', '.join(allowed)}")
            if column and not self.has(column) and not all(map(self.has, split_winner_columns(column) or ("\0",))):
                hint = did_you_mean(column, self.names)
                raise InputError(f"--map {name}={column}", "no such column", f"{hint}columns found: {self.shown()}")

    def one(self, name: str, tiers: Tiers) -> str | None:
        """Return a field's column: the given one (None if empty), else the only match in the first tier with any."""
        return self.several((name,), [[(known,) for known in tier] for tier in tiers])[0]

    def several(self, names: Sequence[str], tiers: Sequence[Sequence[Sequence[str]]]) -> Sequence[str | None]:
        """Return the columns of fields that belong together. If some are given, the others must be their partners."""
        given = [self.given.get(name) for name in names]
        left = [at for at, column in enumerate(given) if column is None]
        for tier in tiers if left else ():
            fitting = [
                columns
                for columns in dict.fromkeys(chain.from_iterable(product(*map(self.named, known)) for known in tier))
                if all(own in (None, column) for own, column in zip(given, columns, strict=True))
            ]
            if len(fitting) > 1:
                raise self.ambiguous([names[at] for at in left], [[columns[at] for at in left] for columns in fitting])
            if fitting:
                return fitting[0]
        return [column or None for column in given]

    def ambiguous(self, names: Sequence[str], candidates: Sequence[Sequence[str]]) -> InputError:
        """Build the error for several columns, or pairs of columns, that fit the same field or pair of fields."""
        could = " or ".join(", ".join(columns) for columns in candidates)
        choices = " or ".join(_option(names, columns) for columns in candidates)
        return InputError(self.place, f"{' and '.join(names)} could be {could}", f"say which: {choices}")

    def missing(
        self, wanted: Sequence[str], used: Sequence[str | None], known: Mapping[str, Tiers] | None = None
    ) -> InputError:
        """Build the error for fields without a column, with the option that names them.

        It proposes columns that no other field uses: those with a name like one that is `known` for the field, then
        those with texts, in their order.
        """
        ids = () if "id" in wanted else IDS
        left = [column for column in self.names if column not in used and fold_column(column) not in ids]
        chosen: dict[str, str] = {}
        usual = {name: name for name in wanted}
        usual |= {one: name for name in wanted for tier in (known or {}).get(name, ()) for one in tier}
        for column in tuple(left):
            near = similar_name(column, list(usual))
            if near and usual[near] not in chosen:
                chosen[usual[near]] = column
                left.remove(column)
        texts = [column for column in left if self.has_texts(column)]
        others = iter(texts if len(texts) >= len(wanted) - len(chosen) else left)
        chosen |= {name: next(others, "") for name in wanted if name not in chosen}
        example = [chosen[name] for name in wanted] if all(chosen.values()) else ["COLUMN"] * len(wanted)
        found = f"no column for {' and '.join(wanted)}; columns found: {self.shown()}"
        return InputError(
            self.place, found, f"name {'it' if len(wanted) == 1 else 'them'}, such as {_option(wanted, example)}"
        )

    def has_texts(self, column: str) -> bool:
        """Say whether the cells of a column are texts that are neither numbers nor empty."""
        cells = [row.get(column) for row in self.rows]
        return any(isinstance(cell, str) and cell.strip() and to_decimal(cell) is None for cell in cells)


def _option(names: Sequence[str], columns: Sequence[str]) -> str:
    return "--map " + " ".join(f"{name}={shlex.quote(column)}" for name, column in zip(names, columns, strict=True))


def split_winner_columns(column: str) -> tuple[str, ...] | None:
    """Split `winner_model_a/winner_model_b/winner_tie` into three columns. Return None if it is one column."""
    parts = tuple(column.split("/"))
    return parts if len(parts) == 3 else None


def look_up(values: Mapping[str, Any], column: str) -> Any:
    """Return the value of a column, or of a path such as `messages.0.content`, or MISSING if there is none."""
    if column in values:
        return values[column]
    value: Any = values
    for step in column.split("."):
        # In CSV, nested values are JSON in a cell.
        parts = parse_cell(value, column) if isinstance(value, str) else value
        is_index = isinstance(parts, list) and re.fullmatch(r"-?[0-9]{1,9}", step)
        if is_index and -len(parts) <= int(step) < len(parts):
            value = parts[int(step)]
        elif isinstance(parts, Mapping) and step in parts:
            value = parts[step]
        else:
            return MISSING
    return value


def beside(values: Mapping[str, Any], used: Iterable[str]) -> dict[str, Scalar]:
    """Return the columns not in `used`, nested values as compact JSON. A column used only in part is kept whole."""
    taken = set(used)
    return {column: _scalar(value) for column, value in values.items() if column not in taken}


def _scalar(value: Any) -> Scalar:
    """Convert a value for storage with a case: keep numbers, texts and booleans, and write all else as text."""
    if isinstance(value, Mapping | list | tuple):
        return compact_json(value)
    if isinstance(value, float | Decimal):
        if not math.isfinite(value):
            return str(value)
        value = float(value) if isinstance(value, float) or value != int(value) else int(value)
    if isinstance(value, int) and abs(value) >= 2**63:
        return str(value)
    if isinstance(value, str | bool | int | float | None):
        return value
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def compact_json(value: Any) -> str:
    """Write a nested value as JSON on one line. Keys that JSON cannot hold, which Parquet allows, are skipped."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_scalar, skipkeys=True)


@dataclass(frozen=True)
class CaseReader:
    """Reads cases from records. `mapping` says which column each field is read from; `row` builds the row's case."""

    mapping: Mapping[str, str]
    rubric: Rubric
    row: Callable[[CaseReader, Record, str], Row]

    @classmethod
    def of(
        cls, chosen: Mapping[str, str | None], rubric: Rubric, row: Callable[[CaseReader, Record, str], Row]
    ) -> CaseReader:
        """Build the reader for the chosen columns; a field without a column is left out."""
        return cls({name: column for name, column in chosen.items() if column}, rubric, row)

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


# -- people's labels in the words of many tools: A, B or tie -----------------------------------------------------------

# Maps normalized labels (lower case, without spaces, `_` and `-`) to ours. Arenas use "left" and "right".
WINNERS = {
    **dict.fromkeys(("a", "modela", "responsea", "answera", "outputa", "assistanta", "[[a]]", "a>b", "left"), "A"),
    **dict.fromkeys(("model1", "response1", "answer1", "output1", "first"), "A"),
    **dict.fromkeys(("b", "modelb", "responseb", "answerb", "outputb", "assistantb", "[[b]]", "b>a", "right"), "B"),
    **dict.fromkeys(("model2", "response2", "answer2", "output2", "second"), "B"),
    **dict.fromkeys(("tie", "tie(bothbad)", "bothbad", "bothgood", "both", "neither", "[[c]]", "c"), "tie"),
    **dict.fromkeys(("draw", "equal", "same", "a=b"), "tie"),
}
ALLOWED = "A, B or tie; model_a, model_b; 1, 2 (0.5 or 1.5 for a tie); or the name of one of the two systems"
_HALF = Decimal("0.5")


def winner_word(text: str) -> str | None:
    """Return the winner that a word such as `model_b` names, whatever the systems are called."""
    return WINNERS.get(re.sub(r"[ _\t-]", "", text.lower()))


def winner_from(value: Any, systems: tuple[str, str] | None) -> str | None:
    """Read a label as `A`, `B` or `tie`. Return None if it is empty.

    A number between 1 and 2 is a preference for the nearer end, as in AlpacaEval. 0 is refused, because it means a tie
    in some tools and B in others.
    """
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    if isinstance(value, bool) or not isinstance(value, str | int | float | Decimal):
        raise InputError("label", f"expected a winner, found {kind_of(value)}", ALLOWED)
    written = str(value).strip()
    if systems and systems[0] != systems[1] and written in systems:
        return "AB"[systems.index(written)]
    number = None if written[0].isalpha() else to_decimal(written)
    if number is None:
        found = winner_word(written)
    elif number in (_HALF, 1 + _HALF):
        found = "tie"
    else:
        found = ("A" if number < 1 + _HALF else "B") if 1 <= number <= 2 else None
    if found is None:
        why = "means a tie in some tools and B in others" if number == 0 else "is not a winner"
        raise InputError("label", f"{written!r:.60} {why}", ALLOWED)
    return found
