"""Writes people's labels of a run in the formats of annotation tools: Label Studio's JSON and JSON-MIN, Argilla's JSON.

A task holds the texts that people saw and the id of its case, so that what is exported can be read as labels again. Of
a person's answers to a case the last one counts that was given before the verdict was seen.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import orjson

from ...errors import InputError
from ...models.base import as_number
from ...results.run import Reader, Run
from .annotation_tools import person_id
from .files import HumanLabel, read_label_file, shown_case
from .sampling import FOLDER

LabelFormat = Literal["label-studio", "label-studio-min", "argilla"]
_WHOLE = "label"
_NOTE = "note"
_FIRST_TEXT = "task"


class _LabelledCase(NamedTuple):
    """A case with its number in the file, the texts that people saw by name, and their labels."""

    number: int
    case: str
    texts: Mapping[str, str]
    labels: Sequence[HumanLabel]


def export_labels(run: Run, chosen: LabelFormat) -> bytes:
    """Return the labels of `adjudge label` in the format of another tool. Raise InputError if there are none."""
    by_case: dict[int, list[HumanLabel]] = {}
    for path in sorted((run.folder / FOLDER).glob("*.jsonl")):
        last = {label.position: label for label in read_label_file(path)[0] if not label.unblinded}
        for label in last.values():
            if label.value is not None or label.skipped:
                by_case.setdefault(label.position, []).append(label)
    if not by_case:
        raise InputError(str(run.folder), "no labels", f"label some: adjudge label {run.folder}")
    written: list[dict[str, Any]] = []
    with Reader(run) as reader:
        for number, position in enumerate(sorted(by_case), 1):
            labels = by_case[position]
            texts = _texts(shown_case(reader.given(position)))
            written += _WRITERS[chosen](_LabelledCase(number, labels[0].case, texts, labels))
    return orjson.dumps(written, default=as_number, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def _texts(shown: Any) -> dict[str, str]:
    """Return the texts of a case by names that a labelling interface can refer to, such as `task`, `a` and `b`."""
    texts = {re.sub(r"\W+", "_", title.strip().lower()).strip("_"): text for title, text in shown.before}
    return texts | (dict(zip("ab", shown.answers, strict=True)) if shown.answers else {})


def _answers(label: HumanLabel) -> Iterator[tuple[str, Any]]:
    yield _WHOLE, label.value
    yield from ((name, value) for name, value in label.criteria.items() if value is not None)


def _label_studio(case: _LabelledCase) -> Iterator[dict[str, Any]]:
    shown = _FIRST_TEXT if _FIRST_TEXT in case.texts else next(iter(case.texts), "case")
    annotations = []
    for label in case.labels:
        results = [_result(name, value, shown) for name, value in _answers(label) if value is not None]
        if label.note:
            results.append(_made(_NOTE, shown, "textarea", {"text": [label.note]}))
        # Label Studio knows people by their addresses, which we do not have: it ignores a name.
        annotations.append(
            {"result": results, "was_cancelled": label.skipped, "annotator": label.annotator, "created_at": label.time}
        )
    yield {"id": case.number, "data": {"case": case.case, **case.texts}, "annotations": annotations}


def _result(name: str, value: Any, shown: str) -> dict[str, Any]:
    if isinstance(value, str):
        return _made(name, shown, "choices", {"choices": [value]})
    return _made(name, shown, "number", {"number": value})


def _made(name: str, shown: str, kind: str, value: Mapping[str, Any]) -> dict[str, Any]:
    return {"from_name": name, "to_name": shown, "type": kind, "value": value}


def _label_studio_min(case: _LabelledCase) -> Iterator[dict[str, Any]]:
    for number, label in enumerate(case.labels, 1):
        if label.skipped:
            continue
        answers = {name: value if isinstance(value, str) else [{"number": value}] for name, value in _answers(label)}
        note = {_NOTE: label.note} if label.note else {}
        about = {
            "id": case.number, "annotator": label.annotator, "annotation_id": case.number * 1000 + number,
            "created_at": label.time,
        }  # fmt: skip
        yield {"case": case.case, **case.texts, **answers, **note, **about}


def _argilla(case: _LabelledCase) -> Iterator[dict[str, Any]]:
    responses: dict[str, list[dict[str, Any]]] = {}
    for label in case.labels:
        notes = [(_NOTE, label.note)] if label.note else []
        for name, value in (*_answers(label), *notes):
            if value is not None:
                responses.setdefault(name, []).append({"value": value, "user_id": person_id(label.annotator)})
    people = [label.annotator for label in case.labels]
    yield {
        "id": case.case, "fields": dict(case.texts), "metadata": {"case": case.case, "annotators": people},
        "suggestions": {}, "responses": responses, "vectors": {}, "status": "completed", "_server_id": None,
    }  # fmt: skip


_WRITERS: Mapping[str, Callable[[_LabelledCase], Iterator[dict[str, Any]]]] = {
    "label-studio": _label_studio,
    "label-studio-min": _label_studio_min,
    "argilla": _argilla,
}
