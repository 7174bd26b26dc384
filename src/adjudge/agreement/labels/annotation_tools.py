"""Reads what annotation tools export: Label Studio's JSON and JSON-MIN, Argilla's records, and Langfuse's scores.

Each becomes answers: what a person said about a case when asked a question. Which of the questions are about labels is
decided in `given.py`. The id of a case is a column of the data that was imported into the tool.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ...errors import InputError
from ...inputs.json import parse_cell
from ...inputs.rows import Record
from ...inputs.rows.columns import fold_column
from ...inputs.rows.logs.langfuse import SCORES
from ...inputs.text import kind_of

_KEEP = "keep the ids of the run's cases in a column called case when you import tasks"
_CHOSEN = {"choices": "choices", "rating": "rating", "number": "number", "selected": "selected"}
_RESPONSES = ".responses"
_PEOPLE = "ANNOTATION"
# Columns of Label Studio's JSON-MIN that are about the annotation.
_ABOUT_MIN = ("id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time")


class ToolAnswer(NamedTuple):
    """What a person said about a case when asked a question of an annotation tool; None if it was skipped."""

    place: str
    case: str
    annotator: str
    question: str
    words: Any


def answers_in(rows: Sequence[Record], ids: Sequence[str]) -> list[ToolAnswer] | None:
    """Return the answers in the export of a known tool, or None if the rows are no such export.

    `ids` are the names of columns that may hold the ids of cases.
    """
    columns = {column for row in rows for column in row.values}
    reader = None
    if {"data", "annotations"} <= columns:
        reader = _label_studio
    elif {"annotator", "annotation_id"} <= columns:
        reader = _label_studio_min
    elif {"fields", "responses"} <= columns:
        reader = _argilla
    elif any(column.endswith(_RESPONSES) for column in columns):
        reader = _argilla_flat
    elif columns.issuperset(SCORES):
        reader = _langfuse
    return None if reader is None else [answer for row in rows for answer in reader(row, ids)]


def person_id(name: str) -> str:
    """Return the id that stands for a person's name in Argilla's files, which hold UUIDs instead of names."""
    return str(uuid.uuid5(uuid.NAMESPACE_OID, name))


# -- Label Studio ------------------------------------------------------------------------------------------------------


def _label_studio(row: Record, ids: Sequence[str]) -> Iterator[ToolAnswer]:
    data, annotations = _cell(row, "data"), _cell(row, "annotations")
    if not isinstance(data, Mapping) or not isinstance(annotations, list):
        raise InputError(row.place, "a task without data and annotations", "a task of Label Studio is needed")
    for number, annotation in enumerate(annotations):
        place = f"{row.place}, annotations[{number}]"
        if not isinstance(annotation, Mapping):
            raise InputError(place, f"expected an annotation, found {kind_of(annotation)}", "an object is needed")
        if annotation.get("was_cancelled"):
            continue
        results = annotation.get("result")
        if not isinstance(results, list):
            raise InputError(f"{place}.result", f"expected a list, found {kind_of(results)}", "a list is needed")
        for at, result in enumerate(results):
            value = result.get("value") if isinstance(result, Mapping) else None
            if not isinstance(value, Mapping) or not isinstance(result.get("from_name"), str):
                continue  # a relation between two regions has neither
            words = _chosen(value)
            if words is not None:
                case = _case(data, ids, f"{row.place}, data")
                yield ToolAnswer(f"{place}.result[{at}]", case, _author(annotation, place), result["from_name"], words)


def _author(annotation: Mapping[str, Any], place: str) -> str:
    """Return who made an annotation: an id, or an object with the person's address, or a name as we write it."""
    by = annotation.get("completed_by")
    by = (by.get("email") or by.get("id")) if isinstance(by, Mapping) else by
    by = annotation.get("annotator") if by is None else by
    if by is None or not str(by).strip():
        raise InputError(f"{place}.completed_by", "missing", "the id or the email of a person is needed")
    return str(by).strip()


def _chosen(value: Mapping[str, Any]) -> Any:
    """Return what was chosen: a choice, a rating, a number or a side, or a list of several; None for a text or a
    region."""
    return _only(next((value[name] for name in _CHOSEN if name in value), None))


def _only(chosen: Any) -> Any:
    return chosen[0] if isinstance(chosen, list) and len(chosen) == 1 else chosen


def _label_studio_min(row: Record, ids: Sequence[str]) -> Iterator[ToolAnswer]:
    author = row.values.get("annotator")
    if author is None or not str(author).strip():
        raise InputError(f"{row.place}, annotator", "empty", "name the person who gave this label")
    data = {name: value for name, value in row.values.items() if name not in _ABOUT_MIN}
    names = [name for name in ids if name != "id"]
    case = _case(data, names, row.place)
    for question in data:
        if fold_column(question) in map(fold_column, names):
            continue
        value = _cell(row, question)
        value = value[0] if isinstance(value, list) and len(value) == 1 and isinstance(value[0], Mapping) else value
        words = _chosen(value) if isinstance(value, Mapping) else value
        if words is not None and str(words).strip():
            yield ToolAnswer(f"{row.place}, {question}", case, str(author).strip(), question, words)


# -- Argilla -----------------------------------------------------------------------------------------------------------


def _argilla(row: Record, ids: Sequence[str]) -> Iterator[ToolAnswer]:
    responses, metadata = _cell(row, "responses"), _cell(row, "metadata")
    metadata = metadata if isinstance(metadata, Mapping) else {}
    case = _case({**metadata, "id": row.values.get("id")}, ids, row.place)
    names = metadata.get("annotators")
    people = {person_id(name): name for name in names if isinstance(name, str)} if isinstance(names, list) else {}
    for question, number, response in _responses(responses, row.place):
        place = f"{row.place}, responses.{question}[{number}]"
        if not isinstance(response, Mapping):
            raise InputError(place, f"expected a response, found {kind_of(response)}", "an object is needed")
        if response.get("status") not in ("discarded", "draft"):
            by = str(response.get("user_id") or "")
            yield from _answered(place, case, people.get(by, by), question, response.get("value"))


def _responses(responses: Any, place: str) -> Iterator[tuple[str, int, Any]]:
    """Yield the responses with their questions. Argilla 1 has a list with all questions of a person in each."""
    if isinstance(responses, Mapping):
        for question, given in responses.items():
            yield from ((question, at, one) for at, one in enumerate(given if isinstance(given, list) else [given]))
    elif isinstance(responses, list):
        for at, given in enumerate(responses):
            values = given.get("values") if isinstance(given, Mapping) else None
            for question, value in values.items() if isinstance(values, Mapping) else ():
                yield question, at, {**given, **value} if isinstance(value, Mapping) else value
    elif responses is not None:
        raise InputError(f"{place}, responses", f"expected an object, found {kind_of(responses)}", "by question")


def _argilla_flat(row: Record, ids: Sequence[str]) -> Iterator[ToolAnswer]:
    for column in row.values:
        if not column.endswith(_RESPONSES):
            continue
        given, users, states = (_cell(row, column + suffix) for suffix in ("", ".users", ".status"))
        if given is not None and given != "" and not isinstance(given, list | tuple):
            raise InputError(f"{row.place}, {column}", f"expected a list, found {kind_of(given)}", "a list is needed")
        for number, value in enumerate(given or ()):
            place = f"{row.place}, {column}[{number}]"
            by = users[number] if isinstance(users, list) and number < len(users) else ""
            state = states[number] if isinstance(states, list) and number < len(states) else None
            if state not in ("discarded", "draft"):
                case = _case(row.values, ids, row.place)
                yield from _answered(place, case, str(by), column.removesuffix(_RESPONSES), value)


def _answered(place: str, case: str, author: str, question: str, value: Any) -> Iterator[ToolAnswer]:
    if not author:
        raise InputError(place, "no user_id", "name the person who gave this label")
    if value is not None:
        yield ToolAnswer(place, case, author, question, _only(value))


# -- Langfuse ----------------------------------------------------------------------------------------------------------


def _langfuse(row: Record, ids: Sequence[str]) -> Iterator[ToolAnswer]:
    """Yield the score of a person. Those of programs (API, EVAL) are no labels."""
    values = row.values
    if str(values.get("source") or "").upper() != _PEOPLE:
        return
    case = str(values.get("observationId") or values.get("traceId") or "")
    author = str(values.get("authorUserName") or values.get("authorUserId") or _PEOPLE.lower())
    words = values.get("stringValue") if values.get("dataType") == "CATEGORICAL" else values.get("value")
    yield ToolAnswer(row.place, case, author, str(values.get("name")), words)


# -- cells -------------------------------------------------------------------------------------------------------------


def _cell(row: Record, column: str) -> Any:
    """Return a value, unpacked if it is JSON in a cell of a table."""
    value = row.values.get(column)
    parsed = parse_cell(value, f"{row.place}, {column}") if isinstance(value, str) else None
    return value if parsed is None else parsed


def _case(data: Mapping[str, Any], ids: Sequence[str], place: str) -> str:
    folded = {fold_column(name): value for name, value in reversed(list(data.items()))}
    found = next((folded[name] for name in map(fold_column, ids) if folded.get(name) is not None), None)
    if found is None or not str(found).strip():
        raise InputError(place, f"no id of a case; found {', '.join(map(str, data)) or 'nothing'}", _KEEP)
    return str(found).strip()
