"""Reads gradings from JSON objects and from rows, under the names that DeepEval, ragas, promptfoo and inspect use.

An answer may be a text or a list of messages; the context a text or a list, also as JSON in a cell.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any

from ...arithmetic import to_decimal
from ...errors import InputError
from ...inputs.json import parse_cell, parse_list, parse_object
from ...inputs.messages import read_steps
from ...inputs.rows.columns import IDS, CaseReader, Columns, Tiers, beside, look_up
from ...inputs.rows.logs.promptfoo import spread, systems_of
from ...inputs.text import kind_of
from ...rubric import Rubric
from ...spelling import closest
from ..reading import BadRow, CaseReading, LoggedAnswer, Record, Row
from .case import AnswerStep, Grading, final_text
from .verdict import FAIL, PASS

WANTED = "task, answer, …"
# The names that a field may have in a JSON object. The first one is the API's name.
FIELDS = {
    "task": ("task", "question", "input", "prompt", "query", "user_input", "userTask", "instruction"),
    "answer": ("answer", "output", "response", "actual_output", "completion", "messages"),
    "reference": ("reference", "expected", "ideal", "expected_output", "ground_truth", "target", "gold"),
    "context": ("context", "contexts", "retrieval_context", "retrieved_contexts", "sources"),
}
_NEEDED = ("task", "answer")
_OPTIONS = ("judge", "seed", "rubric", "recheck_attempts", "steps")
_KNOWN = {*_OPTIONS, *(name for names in FIELDS.values() for name in names)}
# Of several that fit, the first tier with any decides: ragas has reference and reference_contexts, DeepEval input.
_TASKS: Tiers = (
    ("task", "question", "userTask", "user_input", "query", "instruction", "user_prompt"),
    ("input",),
    tuple(f"vars.{name}" for name in FIELDS["task"]),
    ("prompt.raw",),
    ("prompt",),
)
_ANSWERS: Tiers = (
    ("answer", "actual_output", "response", "model_response", "model_output", "generation", "prediction"),
    ("output", "completion"),
    ("messages", "trajectory"),
)
_REFERENCES: Tiers = (
    ("reference", "expected", "ideal", "expected_output", "ground_truth", "reference_answer", "gold"),
    ("target",),
    ("ground_truths",),
    tuple(f"vars.{name}" for name in FIELDS["reference"]),
)
_CONTEXTS: Tiers = (
    ("retrieval_context", "retrieved_contexts", "contexts"),
    ("context", "sources"),
    tuple(f"vars.{name}" for name in FIELDS["context"]),
)
_LABELS: Tiers = (("label", "passed", "human", "human_label", "correct", "is_correct", "success"),)
_COLUMNS = {
    "task": "task",
    "answer": "answer",
    "reference": "reference answer",
    "context": "sources",
    "id": "id of the case",
    "label": "people’s label",
}
# Where logs keep their cases: inspect's samples, promptfoo's results.
_LOGS = ("samples", "results.results", "results")
_LOOKED_AT = 100
# Where tools keep an answer inside an object: promptfoo's response, inspect's output.
_INSIDE = ("completion", "output", "text", "content")
_PASSES = {
    **dict.fromkeys(("pass", "passed", "yes", "true", "good", "correct", "ok", "c", "1"), PASS),
    **dict.fromkeys(("fail", "failed", "no", "false", "bad", "incorrect", "wrong", "i", "0"), FAIL),
}


def grading_from(data: Mapping[str, Any], _: Rubric) -> Grading:
    """Read a case from a JSON object under any of the known names. Other fields are metadata and are ignored, unless
    they look like a typo of a known field."""
    used = {field: [name for name in names if name in data] for field, names in FIELDS.items()}
    missing = [FIELDS[field][0] for field in _NEEDED if not used[field]]
    for name in data:
        near = [known for known in (*missing, *FIELDS) if abs(len(known) - len(name)) <= 1]
        if name not in _KNOWN and (close := closest(name, near, 0.85)):
            raise InputError(name, "unknown field", f"did you mean {close}?")
    for given in used.values():
        if len(given) > 1:
            raise InputError(given[1], f"cannot be combined with {given[0]}", "give one of the two")
    if missing:
        allowed = "a string is needed" if missing[0] == "task" else "a string, or a list of messages, is needed"
        raise InputError(missing[0], "missing", allowed)
    values = {field: data[given[0]] for field, given in used.items() if given}
    if data.get("steps"):  # as a stored case has them
        return Grading(**values, steps=data["steps"])
    try:
        return _case(values)
    except InputError as error:
        raise error.renamed({field: given[0] for field, given in used.items() if given}) from None


def _case(values: Mapping[str, Any]) -> Grading:
    task = _text("task", values["task"])
    answer = _answer(values["answer"])
    context = _context(values.get("context"))
    return Grading(task=task, **answer_fields(answer), reference=_reference(values.get("reference")), context=context)


def steps_of(messages: object, place: str = "answer") -> tuple[AnswerStep, ...]:
    """Read the messages of an answer as steps. A model's private thoughts are left out: nobody was told them."""
    return tuple(
        AnswerStep(kind=step.kind, text=step.text, name=step.name, failed=step.failed)
        for step in read_steps(messages, place)
        if step.kind != "thinking"
    )


def answer_fields(given: object) -> dict[str, Any]:
    """Return the fields `answer` and `steps` for an answer that is a text, or a list of messages."""
    if isinstance(given, list | tuple):
        steps = tuple(given) if given and all(isinstance(one, AnswerStep) for one in given) else steps_of(given)
        return {"answer": final_text(steps), "steps": steps}
    return {"answer": given}


def _text(name: str, value: Any) -> Any:
    """Return a text. Table tools often drop the quotes of an answer "42" or "true"."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float | Decimal):
        return str(value)
    if isinstance(value, list) and value and name == "task":
        # inspect keeps messages, of which the user's are the task.
        steps = answer_fields(value)["steps"]
        return "\n\n".join(step.text for step in steps if step.kind in ("user", "instructions"))
    return value


def _answer(value: Any) -> Any:
    if isinstance(value, str) and value.lstrip().startswith("[{"):
        parsed = parse_cell(value, "answer")
        return parsed if _is_messages(parsed) else value
    if isinstance(value, Mapping):
        found = next((value[name] for name in _INSIDE if isinstance(value.get(name), str | list)), None)
        if found is None:
            raise InputError("answer", "an object without a text", f"one of {', '.join(_INSIDE)} is needed in it")
        return found
    if value is None:
        raise InputError("answer", "missing", "a string, or a list of messages, is needed; it may be empty")
    return _text("answer", value)


def _is_messages(value: Any) -> bool:
    known = ("role", "type")
    return isinstance(value, list) and all(isinstance(one, Mapping) and any(n in one for n in known) for one in value)


def _reference(value: Any) -> Any:
    if isinstance(value, str):
        parsed = parse_list(value, "reference")
        value = parsed if isinstance(parsed, list) and all(isinstance(one, str) for one in parsed) else value
    if isinstance(value, list):
        if not all(isinstance(one, str) for one in value):
            raise InputError("reference", f"a list with {kind_of(value[0])}", "a text is allowed")
        if len(value) > 1:
            raise InputError("reference", f"{len(value)} texts", "one is allowed")
        value = "".join(value)
    return _text("reference", value)


def _context(value: Any) -> Any:
    parsed = parse_list(value, "context") if isinstance(value, str) else None
    return value if parsed is None else parsed


# -- rows --------------------------------------------------------------------------------------------------------------


def _choose(columns: Columns, rubric: Rubric) -> CaseReader:
    columns.check_given(_COLUMNS)
    chosen = {
        "task": columns.one("task", _TASKS),
        "answer": _answer_column(columns),
        "reference": columns.one("reference", _REFERENCES),
        "context": columns.one("context", _CONTEXTS),
        "id": columns.one("id", [(name,) for name in IDS]),
        "label": columns.one("label", _LABELS),
    }
    if lacking := [name for name in _NEEDED if chosen[name] is None]:
        raise columns.missing(lacking, list(chosen.values()), {"task": _TASKS[:2], "answer": _ANSWERS})
    return CaseReader.of(chosen, rubric, _row)


def _answer_column(columns: Columns) -> str | None:
    # inspect's samples have the whole conversation beside the output.
    if "answer" not in columns.given and columns.has("output.choices") and columns.has("messages.0.role"):
        return "messages"
    return columns.one("answer", _ANSWERS)


def _spread(items: Iterable[Record | BadRow], given: Mapping[str, str]) -> Iterator[Record | BadRow]:
    """Make a record of each output in promptfoo's tables, which have a column for each system."""
    systems: dict[str, str] | None = None
    for item in items:
        if isinstance(item, Record) and systems is None:
            systems = {} if "answer" in given else systems_of(item.values)
        if isinstance(item, Record) and systems and systems.keys() <= item.values.keys():
            yield from spread(item, systems)
        else:
            yield item


def _from_log(answers: Iterable[LoggedAnswer | BadRow], _: str) -> Iterator[Record | BadRow]:
    """Make a record of each answer in a log of another tool."""
    names: set[str] = set()
    for number, one in enumerate(answers, 1):
        if isinstance(one, BadRow):
            yield one
            continue
        # Two logs may hold the same samples, answered by two models.
        name = f"{one.name} {one.system}" if one.name in names else one.name
        names.add(name)
        if one.problem:
            yield BadRow(one.place, name, f"answer: missing; {one.problem}")
            continue
        answer = one.messages if one.has_steps and one.messages else one.answer
        values = {"id": name, "task": one.task, "answer": answer, "system": one.system}
        others = {"reference": one.reference, "label": one.label}
        values |= {key: value for key, value in others.items() if value is not None}
        yield Record(one.place, number, {**one.extra, **values})


def _split(raw: bytes, place: str, rubric: Rubric, name: str | None) -> Iterator[Row | BadRow]:
    """Yield the cases of one JSON object: a log of inspect or promptfoo, which holds many, or a single case."""
    data = parse_object(raw, place, f"one JSON object with {WANTED}, or a log of inspect or promptfoo, is needed")
    listed = next((found for path in _LOGS if isinstance(found := look_up(data, path), list)), None)
    values = [one for one in listed if isinstance(one, Mapping)] if listed else [data]
    reader = _choose(Columns(place, values[:_LOOKED_AT], {}), rubric)
    for number, one in enumerate(values, start=1):
        where = f"{place}, case {number}" if listed else place
        yield reader.read(Record(where, number, one, name if len(values) == 1 else None))


def _row(reader: CaseReader, record: Record, case_id: str) -> Row:
    values = {name: reader.value(record, name) for name in FIELDS if name in reader.mapping}
    label = label_from(reader.value(record, "label"))
    extra = beside(record.values, reader.mapping.values())
    return Row(record.place, case_id, _case(values), label, extra=extra)


def label_from(value: Any, _: Any = None) -> str | None:
    """Read a label as `pass` or `fail`. Return None if it is empty."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    number = None if isinstance(value, bool) else to_decimal(value)
    word = str(int(number)) if number in (0, 1) else str(value).strip().lower()
    if word not in _PASSES:
        raise InputError("label", f"{str(value)[:60]!r} is neither pass nor fail", "pass or fail, yes or no, 1 or 0")
    return _PASSES[word]


READING = CaseReading(
    choose=_choose,
    from_object=grading_from,
    wanted=WANTED,
    needed=tuple(FIELDS[name] for name in _NEEDED),
    split=_split,
    is_whole=lambda kind, first_line: kind == "json" and first_line.lstrip().startswith("{"),
    suffixes=(".json", ".txt", ".eval"),
    spread=_spread,
    from_log=_from_log,
    fields=_COLUMNS,
)
