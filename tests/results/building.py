"""Run directories for tests: the files of a real run, made of real verdicts by the embedded judge."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, astuple, dataclass, field
from pathlib import Path
from typing import Any

import orjson
from adjudge.render.dialogue_json import dialogue_json, dialogue_record_json
from adjudge.render.json import comparison_json
from adjudge.render.review_json import review_json

from adjudge.cases import Comparison, Dialogue, Review
from adjudge.engine import CompareSettings, DialogueSettings, ReviewSettings, open_engine, run_sync
from adjudge.rubric import Rubric, shipped
from adjudge.verdicts import Failure, total_cost, total_usage
from adjudge.words import count_words

PROTOCOL = {Comparison: "compare", Dialogue: "dialogue", Review: "review"}


@dataclass(frozen=True)
class Given:
    """A row of a run's input, and what is to become of it."""

    name: str
    case: Comparison | Dialogue | Review
    label: str | None = None
    systems: tuple[str, str] | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    fate: str = "verdict"  # or failure, bad, unfinished


def write_run(
    folder: Path, rows: Iterable[Given], *, rubric: Rubric | None = None, bare_dialogues: bool = False, **settings: Any
) -> Path:
    """The run directory after these rows were judged."""
    given = list(rows)
    protocol = PROTOCOL[type(given[0].case)]
    rubric = rubric or shipped(protocol)
    made = {"compare": CompareSettings, "dialogue": DialogueSettings, "review": ReviewSettings}[protocol](
        rubric=rubric, **settings
    )
    folder.mkdir(parents=True)

    async def judged() -> list[tuple[Given, Any]]:
        async with open_engine(folder / "journal.db") as engine:
            judge = getattr(engine, protocol)
            return [(row, await judge(row.case, made) if row.fate == "verdict" else None) for row in given]

    cases, verdicts, failures = [], [], []
    for position, (row, verdict) in enumerate(run_sync(judged)):
        about = {"position": position, "case": row.name}
        beside = {"label": row.label, "systems": row.systems, "extra": dict(row.extra)}
        place = f"pairs.jsonl, line {position + 1}"
        bad = {"bad": "task: empty; at least one character is needed"} if row.fate == "bad" else {}
        cases.append({**about, "place": place, **beside, **bad, "input": None if bad else input_of(row.case)})
        if verdict is not None:
            assert not isinstance(verdict, Failure)
            usage = total_usage(verdict.calls)
            head = {
                **about,
                "verdict_id": verdict.verdict_id,
                **beside,
                "words": words_of(row.case),
                "calls": len(verdict.calls),
                "input_tokens": usage.input_tokens,
                "output_tokens": usage.output_tokens,
                "cost": str(total_cost(verdict.calls)),
            }
            shown = shown_as_json(verdict, row.case, rubric, bare_dialogues)
            verdicts.append(orjson.dumps(head)[:-1] + b',"verdict":' + shown.strip() + b"}")
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


def write_lines(path: Path, lines: Iterable[Any]) -> None:
    path.write_bytes(b"".join((line if isinstance(line, bytes) else orjson.dumps(line)) + b"\n" for line in lines))


def input_of(case: Comparison | Dialogue | Review) -> dict[str, Any]:
    if isinstance(case, Comparison):
        weights = {key: str(weight) for key, weight in case.weights.items()}
        return {"task": case.task, "a": case.a, "b": case.b, "context": case.context, "weights": weights}
    if isinstance(case, Dialogue):
        turns = [astuple(turn) for turn in case.turns]
        return {"dialogue_id": case.dialogue_id, "turns": turns, "overall_ratings": case.overall_ratings}
    return asdict(case)


def words_of(case: Comparison | Dialogue | Review) -> list[int] | None:
    return None if isinstance(case, Dialogue) else [count_words(case.a), count_words(case.b)]


def shown_as_json(verdict: Any, case: Any, rubric: Rubric, bare_dialogues: bool) -> bytes:
    if isinstance(case, Comparison):
        # The file's lines are one line each; the numbers keep their digits all the same.
        return compact(comparison_json(verdict, case))
    if isinstance(case, Dialogue):
        return (dialogue_json if bare_dialogues else dialogue_record_json)(verdict, case, indent=False)
    return review_json(verdict, case, rubric)


def compact(document: bytes) -> bytes:
    return b"".join(line.strip() for line in document.splitlines())
