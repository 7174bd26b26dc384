"""Reads comparisons from rows.

A response may be a whole conversation (Chatbot Arena, MT-bench) or a list of turns (its Kaggle files). Then the task is
the user's side and the response the assistant's side, and several turns are numbered `[1]`, `[2]`, ….
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import partial
from itertools import pairwise
from typing import Any

from ...arithmetic import to_decimal
from ...errors import InputError, TooLargeError
from ...inputs.json import parse_cell, text_parts
from ...inputs.rows.columns import (
    ANSWERS,
    IDS,
    LABELS,
    MISSING,
    TASKS,
    CaseReader,
    Columns,
    Pairs,
    Tiers,
    beside,
    fold_column,
    look_up,
    split_winner_columns,
    winner_from,
    winner_word,
)
from ...inputs.rows.logs.promptfoo import MAX_LOG_CHARACTERS, systems_of, without_verdict
from ...inputs.text import kind_of
from ...models.cases import check_weights
from ...rubric import Rubric
from ..reading import BadRow, CaseReading, LoggedAnswer, Record, Row
from .case import Comparison
from .reading import FIELDS, WANTED, comparison_from, weights_from

_TEXTS = ("task", "a", "b")
_FIELDS = {
    "task": "task",
    "a": "answer A",
    "b": "answer B",
    "context": "context of the task",
    "weights": "weights of the criteria",
    "id": "id of the case",
    "label": "people’s choice",
    "system_a": "system that wrote A",
    "system_b": "system that wrote B",
}
_SYSTEMS: Pairs = (
    tuple((f"{name}_{one}", f"{name}_{two}") for name in ("system", "model", "generator") for one, two in ("ab", "12")),
    (("contestants.0.name", "contestants.1.name"),),
)
# Names of columns that differ in nothing else say which answer it is, not who wrote it.
_SIDES = {"a", "b", "0", "1", "2", "one", "two", "first", "second", "left", "right", "chosen", "accepted", "rejected"}
_WORD = re.compile(r"v\d+|[A-Z]?[^\W\dA-Z_]+|[A-Z]+|\d+")
# Models whose number is a version (llama1, llama2). After any other name it only tells a side (answer1, text2).
_VERSIONED = re.compile(
    r"(?:claude|command|deepseek|falcon|gemini|gemma|glm|gpt|granite|grok|kimi|llama|mistral|nova|olmo|palm|phi|qwen|yi)\d+"
)
_USUAL: Mapping[str, Tiers] = {
    "task": TASKS[:2],
    **{name: [[pair[at] for pair in ANSWERS[0]]] for at, name in enumerate(("a", "b"))},
}
_CONTEXTS: Tiers = (("context",), ("retrieval_context",))
# Alpaca's own files keep the text that the instruction refers to in a separate field, `input`.
_CONTEXT_OF_INSTRUCTION: Tiers = (*_CONTEXTS, ("input",))
_SAID_BY = {"task": ("user", "human"), "a": ("assistant",), "b": ("assistant",)}
_ALONE = ("answer", "response", "output", "completion")
# DeepEval's test cases. The expected output is no competitor.
_ONE_ANSWER = ("actual_output", "expected_output")
_AS_TWO = "a=actual_output b=expected_output"


def _choose(columns: Columns, rubric: Rubric) -> CaseReader:
    columns.check_given(_FIELDS)
    written_by = systems_of(columns.names)
    a, b = columns.several(("a", "b"), (*ANSWERS, tuple(pairwise(written_by))))
    task = columns.one("task", TASKS)
    settled = {"task": task, "a": a, "b": b}
    if a is None and b is None and all(map(columns.named, _ONE_ANSWER)):
        found = f"{' and '.join(_ONE_ANSWER)} are one answer and what was expected of it, not two answers"
        raise InputError(columns.place, found, f"grade it: adjudge run grade; or say --map {_AS_TWO}")
    lacking = [name for name in _TEXTS if settled[name] is None]
    one = [name for name in columns.names if fold_column(name) in _ALONE]
    if lacking == ["a", "b"] and len(one) == 1 and not _other_texts(columns, (task, *one)):
        found = f"{one[0]} is one answer, and two are compared; columns found: {columns.shown()}"
        raise InputError(columns.place, found, "grade it: adjudge run grade; or name both, as --map a=COLUMN b=COLUMN")
    if lacking:
        raise columns.missing(lacking, list(settled.values()), _USUAL)
    system_a, system_b = columns.several(("system_a", "system_b"), _SYSTEMS)
    if (system_a is None) != (system_b is None) and not {"system_a", "system_b"} <= set(columns.given):
        lacking = ["system_a" if system_a is None else "system_b"]
        raise columns.missing(lacking, [*settled.values(), system_a, system_b])
    logged = a in written_by and b in written_by
    named = (written_by[str(a)], written_by[str(b)]) if logged else _named_after(columns, str(a), str(b))
    contexts = _CONTEXT_OF_INSTRUCTION if fold_column(str(task)) == "instruction" else _CONTEXTS
    settled |= {
        "context": columns.one("context", contexts),
        "weights": columns.one("weights", (("weights",),)),
        "id": columns.one("id", [(name,) for name in IDS]),
        "label": columns.one("label", LABELS),
        "system_a": system_a,
        "system_b": system_b,
    }
    return CaseReader.of(settled, rubric, partial(_row, named if system_a is None else None, logged))


def _other_texts(columns: Columns, used: Sequence[str | None]) -> list[str]:
    """Return the columns with texts that could be an answer."""
    aside = {*IDS, *(name for tier in _CONTEXTS for name in tier)}
    left = [name for name in columns.names if name not in used and fold_column(name) not in aside]
    return [name for name in left if columns.has_texts(name)]


def _named_after(columns: Columns, a: str, b: str) -> tuple[str, str] | None:
    """Return the columns of the answers as the names of the systems, unless they only tell a side, are paths, or could
    be a label for the other side (`model_b`)."""
    if {a, b} - set(columns.names) or a == b or any(winner_word(column) for column in (a, b)):
        return None
    words = set(_WORD.findall(a)) ^ set(_WORD.findall(b))
    versions = set(_VERSIONED.findall(a.casefold())) ^ set(_VERSIONED.findall(b.casefold()))
    only_sides = not versions and {word.casefold() for word in words} <= _SIDES
    return None if only_sides else (a, b)


def _row(named: tuple[str, str] | None, logged: bool, reader: CaseReader, record: Record, case_id: str) -> Row:
    """Read a comparison; `named` are the systems if the names of the columns say who wrote A and B, `logged` is true
    if the columns are those of promptfoo."""
    system_a, system_b = (str(reader.value(record, name) or "").strip() for name in ("system_a", "system_b"))
    systems = (system_a, system_b) if system_a and system_b else named
    three = split_winner_columns(reader.mapping.get("label", ""))
    if three and look_up(record.values, reader.mapping["label"]) is MISSING:
        cells = [look_up(record.values, name) for name in three]
        label = winner_of_three([None if value is MISSING else value for value in cells])
    else:
        three, label = (), winner_from(reader.value(record, "label"), systems)
    texts = {name: reader.value(record, name, MISSING) for name in _TEXTS}
    if missing := next((name for name, value in texts.items() if value is MISSING), None):
        raise InputError(missing, "missing", "a non-empty string is needed")
    turns = _turns(texts)
    texts = {name: _numbered(turns[name]) if turns else _text(name, value) for name, value in texts.items()}
    if logged:
        texts |= {name: without_verdict(texts[name]) for name in ("a", "b")}
    weights = check_weights(weights_from(reader.value(record, "weights")), reader.rubric.weights)
    case = Comparison(**texts, context=_context(reader.value(record, "context")), weights=weights)
    extra = beside(record.values, [*reader.mapping.values(), *three])
    return Row(record.place, case_id, case, label, systems, extra)


def winner_of_three(values: Sequence[Any]) -> str | None:
    """Return the winner from three columns that are 1 or 0 for A, B and tie, or None if all are empty."""
    numbers = [to_decimal(int(value) if isinstance(value, bool) else value) for value in values]
    if all(value is None or value == "" for value in values):
        return None
    if [number for number in numbers if number not in (0, 1)] or sum(number or 0 for number in numbers) != 1:
        found = ", ".join(f"{value!r:.20}" for value in values)
        raise InputError("label", f"{found} for A, B and tie", "one of the three must be 1 and the others 0")
    return ("A", "B", "tie")[numbers.index(Decimal(1))]


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
    return None if is_text and len({len(entries) for entries in turns.values()}) > 1 else turns


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
    contents: list[str] = []
    for content in (part["content"] for part in parts if str(part["role"]).lower() in _SAID_BY[name]):
        texts = text_parts(content)
        if texts is None:
            raise InputError(name, f"expected text in a message, found {kind_of(content)}", "a string is allowed")
        contents.append("\n".join(texts))
    return contents


def _numbered(turns: Sequence[str]) -> str:
    if len(turns) < 2 or not any(text.strip() for text in turns):
        return "".join(turns)
    return "\n\n".join(f"[{number}] {text}" for number, text in enumerate(turns, 1))


def _from_log(answers: Iterable[LoggedAnswer | BadRow], place: str) -> Iterator[Record | BadRow]:
    """Put the answers to one task beside each other, in a column for each system, as in promptfoo's tables.

    If a system answered a task several times, its second answer is beside the second ones of the others.
    """
    rounds: Counter[tuple[str, str]] = Counter()
    tasks: dict[tuple[str, int], dict[str, LoggedAnswer]] = {}
    size = 0
    for one in answers:
        if isinstance(one, BadRow):
            yield one
            continue
        rounds[one.task_id, one.column] += 1
        size += len(str(one.answer)) + len(str(one.extra))
        if size > MAX_LOG_CHARACTERS:
            raise TooLargeError(place, f"more than {MAX_LOG_CHARACTERS:,} characters of answers", "split the log")
        tasks.setdefault((one.task_id, rounds[one.task_id, one.column]), {})[one.column] = replace(one, messages=None)
    columns = {column for _, column in rounds}
    if len(columns) == 1:
        found = f"the answers of one system, {next(iter(next(iter(tasks.values())).values())).system}"
        raise InputError(place, found, "answers of two systems are needed; or grade them: adjudge run grade")
    for number, ((task_id, again), those) in enumerate(tasks.items(), 1):
        case_id = task_id if again == 1 else f"{task_id} ({again})"
        lacking = [f"{column}: {those[column].problem}" for column in those if those[column].problem]
        if len(those) == len(lacking):
            yield BadRow(next(iter(those.values())).place, case_id, f"no answer; {lacking[0]}")
            continue
        first, *others = those.values()
        same = {key: of for key, of in first.extra.items() if all(one.extra.get(key) == of for one in others)}
        task = {"task": first.task} if all(one.task == first.task for one in others) else {}
        written = {column: one.answer for column, one in those.items() if not one.problem}
        yield Record(first.place, number, {**task, **written, **same, "id": case_id})


READING = CaseReading(
    choose=_choose,
    from_object=comparison_from,
    wanted=WANTED,
    needed=tuple(FIELDS[name] for name in _TEXTS),
    fields=_FIELDS,
    from_log=_from_log,
)
