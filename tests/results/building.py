"""Run directories for tests: the files of a real run, made of real verdicts by the embedded judge."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from adjudge.engine import Engine, Judged, case_json, open_engine, run_sync
from adjudge.models.common import Failure
from adjudge.protocols.base import protocol_of, row_of
from adjudge.protocols.compare.case import Comparison
from adjudge.protocols.dialogue.case import Dialogue
from adjudge.protocols.grade.case import Grading
from adjudge.protocols.review.case import Review
from adjudge.protocols.rubrics import shipped
from adjudge.rubric import Rubric
from adjudge.runs.directory import CaseLine, spent_by, verdict_line

PROTOCOL = {Comparison: "compare", Dialogue: "dialogue", Grading: "grade", Review: "review"}


@dataclass(frozen=True)
class Given:
    """A row of a run's input, and what is to become of it."""

    name: str
    case: Comparison | Dialogue | Grading | Review
    label: str | None = None
    systems: tuple[str, str] | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    fate: str = "verdict"  # or failure, bad, unfinished
    cells: Mapping[str, Any] = field(default_factory=dict)  # cells of its row that another judge would have given


def write_run(folder: Path, rows: Iterable[Given], *, rubric: Rubric | None = None, **settings: Any) -> Path:
    """The run directory after these rows were judged."""
    given = list(rows)
    protocol = PROTOCOL[type(given[0].case)]
    rubric = rubric or shipped(protocol)
    made = protocol_of(protocol).settings(rubric=rubric, **settings)
    folder.mkdir(parents=True)

    async def judged() -> list[Judged[Any]]:
        async with open_engine(folder / "journal.db") as engine:
            return await asyncio.gather(*(_judged(engine, row.case, made) for row in given if row.fate == "verdict"))

    cases, verdicts, failures = [], [], []
    found = iter(run_sync(judged))
    for position, row in enumerate(given):
        about = {"position": position, "case": row.name}
        beside = {"label": row.label, "systems": row.systems, "extra": dict(row.extra)}
        place = f"pairs.jsonl, line {position + 1}"
        bad = {"bad": "task: empty; at least one character is needed"} if row.fate == "bad" else {}
        cases.append({**about, "place": place, **beside, **bad, "input": None if bad else case_json(row.case)})
        if row.fate == "verdict":
            verdict, _, written = next(found)
            line = CaseLine(position, row.name, place, row.label, row.systems, row.extra, input=case_json(row.case))
            spent, cells = spent_by(verdict.calls), {**row_of(verdict, row.label), **row.cells}
            words = protocol_of(verdict.protocol).table.answer_words(line.input)
            verdicts.append(verdict_line(line, verdict.verdict_id, verdict.answer, written, spent, cells, words))
        elif row.fate == "failure":
            line = {**about, "place": place, **beside, "calls": 1, "input_tokens": 900, "output_tokens": 12}
            failures.append(
                {**line, "cost": "0.0012", "reason": "timeout", "message": "first try", "judge": "openai:x"}
            )
            failures.append(
                {**line, "cost": "0.0012", "reason": "malformed", "message": "no JSON", "judge": "openai:x"}
            )
    # As they came, which is not the order of the input.
    write_lines(folder / "verdicts.jsonl", reversed(verdicts))
    write_lines(folder / "failures.jsonl", failures)
    write_lines(folder / "cases.jsonl", cases)
    config = {
        "format": 1,
        "run_id": "r0123456789ab",
        "protocol": protocol,
        "journal": "journal.db",
        "settings": made.stored(),
        "rubric": rubric.source,
        "software": "0.1",
        "input": {
            "source": "pairs.jsonl",
            "mapping": {},
            "cases": len(given),
            "digest": hashlib.sha256((folder / "cases.jsonl").read_bytes()).hexdigest(),
        },
        "created": "2026-01-02T03:04:05Z",
    }
    (folder / "run.json").write_bytes(orjson.dumps(config))
    return folder


_JUDGED: dict[str, Judged[Any]] = {}


async def _judged(engine: Engine, case: Any, settings: Any) -> Judged[Any]:
    """The embedded judge's verdict, which is stored, too. It is always the same, so only the first run asks for it."""
    key = repr((type(case), case_json(case), settings.rubric.source, settings.stored()))
    if key not in _JUDGED:
        judged = await engine.judge_case(protocol_of(settings.protocol).stored_case(case), settings)
        assert not isinstance(judged, Failure)
        _JUDGED[key] = judged
    found = _JUDGED[key]
    written = (found.verdict.verdict_id, found.inputs, found.written)
    await engine.journal.put_verdict(*written, rubric=settings.rubric.source)
    return found


def write_lines(path: Path, lines: Iterable[Any]) -> None:
    path.write_bytes(b"".join((line if isinstance(line, bytes) else orjson.dumps(line)) + b"\n" for line in lines))
