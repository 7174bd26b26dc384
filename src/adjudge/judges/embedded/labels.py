"""Labelled pairs: what people said of two answers, as rows of a file, and the same rows measured."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import InputError
from .measures import Measured, measure_pair

if TYPE_CHECKING:
    from ...verdicts import Winner


@dataclass(frozen=True, slots=True)
class Row:
    """One pair that people judged; `source` names the set it came from, if it came from one."""

    task: str
    a: str
    b: str
    human: Winner
    context: str = ""
    source: str = ""

    @property
    def group(self) -> str:
        """Rows with the same task text are never split between fitting and checking."""
        return " ".join(self.task.split())


@dataclass(frozen=True, slots=True)
class Sample:
    """A row with its measures."""

    row: Row
    measured: Measured


def read_rows(path: Path) -> list[Row]:
    """Rows of a JSONL file: task, response_a, response_b, human, and optionally context."""
    rows = []
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            place = f"{path.name}:{number}"
            try:
                data = json.loads(line)
                values = [str(data[key]) for key in ("task", "response_a", "response_b")]
                human = data["human"]
            except (ValueError, KeyError, TypeError) as error:
                raise InputError(place, "no labelled pair", "JSON with task, response_a, response_b, human") from error
            if human not in ("A", "B", "tie"):
                raise InputError(place, f"human is {human!r}", "one of A, B, tie")
            context = str(data.get("context") or "")
            rows.append(Row(values[0], values[1], values[2], human, context, str(data.get("source") or path.stem)))
    return rows


def measure_rows(rows: Iterable[Row]) -> list[Sample]:
    """Every row measured; the slow part, done once for many fits."""
    return [Sample(row, measure_pair(row.task, row.a, row.b, row.context)) for row in rows]
