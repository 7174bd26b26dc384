"""One line a case, one line an outcome: how a run's files are written and read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from ..engine import case_json
from ..inputs.rows import BadRow, Row, Scalar
from ..models import Failure, total_cost, total_usage
from ..models.base import exact_number

_VERDICT = b',"verdict":{'


class CaseLine(NamedTuple):
    """A case as the run keeps it; `bad` says why it cannot be judged, and then it has no input."""

    position: int
    case_id: str
    place: str
    label: str | None
    systems: tuple[str, str] | None
    extra: Mapping[str, Scalar]
    input: Mapping[str, Any] | None
    bad: str | None = None


def write_case(position: int, row: Row | BadRow) -> bytes:
    """A row as a line of `cases.jsonl`."""
    known: dict[str, Any] = {"position": position, "case": row.case_id, "place": row.place}
    if isinstance(row, BadRow):
        known |= {"label": None, "systems": None, "extra": {}, "input": None, "bad": row.message}
    else:
        known |= {"label": row.label, "systems": row.systems, "extra": row.extra, "input": case_json(row.case)}
    return orjson.dumps(known) + b"\n"


def read_case(line: bytes) -> CaseLine:
    """The line read back."""
    known = orjson.loads(line)
    systems = known["systems"]
    return CaseLine(
        known["position"],
        known["case"],
        known["place"],
        known["label"],
        (systems[0], systems[1]) if systems else None,
        known["extra"],
        known["input"],
        known.get("bad"),
    )


def verdict_line(
    case: CaseLine, verdict_id: str, answer: str, verdict: bytes, spent: Mapping[str, Any], row: Mapping[str, Any]
) -> bytes:
    """A line of `verdicts.jsonl`; `answer` is the verdict in one word, `row` its cells in the flat table."""
    return orjson.dumps(
        {
            "position": case.position,
            "case": case.case_id,
            "verdict_id": verdict_id,
            "answer": answer,
            "label": case.label,
            "systems": case.systems,
            "extra": case.extra,
            "words": answer_words(case),
            **spent,
            "row": row,
            "verdict": orjson.Fragment(verdict[:-1]),
        },
        default=exact_number,
    )


def failure_line(case: CaseLine, failure: Failure) -> bytes:
    """A line of `failures.jsonl`."""
    return orjson.dumps(
        {
            "position": case.position,
            "case": case.case_id,
            "place": case.place,
            "label": case.label,
            "systems": case.systems,
            "extra": case.extra,
            **spent_by(failure.calls),
            "reason": failure.reason,
            "message": failure.message,
            "judge": failure.judge,
        }
    )


def spent_by(calls: Any) -> dict[str, Any]:
    """Calls, tokens and dollars behind an outcome; dollars are None where no price is known.

    `paid` are the dollars of the calls that were made for it: a reply that was in the journal costs nothing again.
    """
    usage, cost = total_usage(calls), total_cost(calls)
    paid = total_cost([call for call in calls if not call.found])
    return {
        "calls": len(calls),
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cost": None if cost is None else format(cost, "f"),
        "paid": None if paid is None else format(paid, "f"),
    }


def answer_words(case: CaseLine) -> tuple[int, int] | None:
    """How many words the two answers have, for whoever wants to take length into account."""
    if case.input is None or "a" not in case.input:
        return None
    return len(case.input["a"].split()), len(case.input["b"].split())


def head_of(line: bytes) -> dict[str, Any]:
    """What a line of `verdicts.jsonl` says before the verdict itself, which is the last and by far the largest part.

    Nothing before it looks like its beginning: in a text a quotation mark has a backslash, and extras are no objects.
    """
    head: dict[str, Any] = orjson.loads(line[: line.index(_VERDICT)] + b"}")
    return head


def whole_lines(path: Path) -> Iterator[bytes]:
    """The lines of a file, without one that was cut off at its end by a kill."""
    if not path.exists():
        return
    with path.open("rb") as file:
        for line in file:
            if line.endswith(b"\n"):
                yield line


def cut_unfinished(path: Path) -> None:
    """Take away what follows the last line end: half a line that a kill left."""
    if not path.exists():
        return
    with path.open("rb+") as file:
        size = end = file.seek(0, 2)
        while end > 0:
            start = max(0, end - 65536)
            file.seek(start)
            found = file.read(end - start).rfind(b"\n")
            if found >= 0:
                end = start + found + 1
                break
            end = start
        if end < size:
            file.truncate(end)
