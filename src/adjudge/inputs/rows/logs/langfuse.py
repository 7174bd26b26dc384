"""Reads Langfuse's rows: traces and observations, as its tables and its API export them.

Items of a dataset have no output yet, and scores have no texts: both are refused with what to do instead.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ....errors import InputError
from ....protocols.reading import BadRow, LoggedAnswer
from .texts import answered_in, asked_in, column_of, has_tools, messages_in, short, unfit, unpacked

# Columns that tell Langfuse's rows from others: all of one of these groups.
_ROWS = (
    ("input", "output", "traceId", "type"),  # observations
    ("input", "output", "traceId", "model"),
    ("input", "output", "sessionId", "timestamp"),  # traces
    ("input", "output", "userId", "tags"),
)
_ITEMS = (("input", "expectedOutput", "sourceTraceId"), ("input", "expectedOutput", "datasetId"))
SCORES = ("traceId", "name", "value", "dataType")
_MODELS = ("model", "providedModelName", "internalModel", "modelId")
_ASIDE = ("id", "input", "output", "expectedOutput", "metadata")


def is_langfuse(names: Iterable[str]) -> bool:
    """Tell by the names of columns whether rows are Langfuse's."""
    found = set(names)
    return any(found.issuperset(known) for known in (*_ROWS, *_ITEMS, SCORES))


def read_rows(items: Iterable[tuple[str, Any]], name: str) -> Iterator[LoggedAnswer | BadRow]:
    """Yield the answers of rows. Observations other than generations, such as spans, are steps and no answers."""
    for number, (place, row) in enumerate(items, 1):
        if not isinstance(row, Mapping):
            yield BadRow(place, str(number), unfit(row, "a row"))
            continue
        if "output" not in row and {"dataType", "value"} <= row.keys():
            allowed = "`adjudge agree` reads them as labels"
            raise InputError(name, "scores of Langfuse, which have no texts", allowed)
        if "output" not in row and "expectedOutput" in row:
            allowed = "export the traces of a dataset run, which have both"
            raise InputError(name, "items of a Langfuse dataset, which have no output", allowed)
        if str(row.get("type") or "GENERATION").upper() in ("GENERATION", "TRACE", "AGENT"):
            yield _answer(row, place, number)


def _answer(row: Mapping[str, Any], place: str, number: int) -> LoggedAnswer:
    given, written = (unpacked(row.get(key), key) for key in ("input", "output"))
    asked = messages_in(given, "input")
    answered = messages_in(written, "output") or (
        [written] if isinstance(written, Mapping) and written.get("role") is not None else None
    )
    answer = answered_in(written, "output") if written not in (None, "") else None
    if answered is None and isinstance(answer, str):
        answered = [{"role": "assistant", "content": answer}]
    system = next((str(row[key]) for key in _MODELS if row.get(key)), "") or str(row.get("name") or "system")
    version = row.get("version") or row.get("promptName")
    system = f"{system} {version}" if version else system
    # Of an agent, the calls are in the input of its last generation.
    after = asked[_last_user(asked) + 1 :] if asked else []
    extra = {key: value for key, value in row.items() if key not in _ASIDE and value not in (None, "", [])}
    metadata = unpacked(row.get("metadata"), "metadata")
    extra |= {f"metadata.{key}": value for key, value in metadata.items()} if isinstance(metadata, Mapping) else {}
    # What is beside the text that was taken is kept, too.
    extra |= {key: of for key, of in (("input", given), ("output", written)) if isinstance(of, Mapping) and len(of) > 1}
    own = str(row.get("id") or number)
    task = asked_in(given, "input")
    # Rows with the same input are answers to one task.
    task_id = hashlib.blake2b(str(task).encode("utf-8", "replace"), digest_size=8).hexdigest()
    return LoggedAnswer(
        place, task_id, own, system, column_of(system), task, answer,
        [*asked, *answered] if asked and answered else None, has_steps=has_tools([*after, *(answered or ())]),
        reference=answered_in(row.get("expectedOutput"), "expectedOutput"),
        problem=short(row.get("statusMessage") or "no output") if answer is None else "",
        extra={f"langfuse.{key}": value for key, value in extra.items()},
    )  # fmt: skip


def _last_user(messages: list[Any]) -> int:
    return max((at for at, one in enumerate(messages) if one.get("role") == "user"), default=-1)
