"""Reads promptfoo's results: its JSON and JSONL files, and the names of the columns in its tables.

A system is a provider; where a file has several prompts, each provider with each prompt is a system of its own, called
as promptfoo calls it: `[openai:gpt-4o] short`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ....errors import TooLargeError
from ....protocols.reading import BadRow, LoggedAnswer, Record
from ...delimited import MAX_COLUMNS
from ...messages import json_text
from ..columns import ASKED, fold_column
from .texts import answered_in, asked_in, messages_in, short, unfit

MAX_LOG_CHARACTERS = 64_000_000
_OUTPUT = re.compile(r"\[(?P<provider>[^\]]+)\] (?P<label>.*)", re.DOTALL)
_NUMBERED = re.compile(r" \(\d+\)\Z")
# Older versions begin a cell with the verdict and, if it failed, the reason.
_VERDICT = re.compile(r"\A\[(?:PASS\] |(?:FAIL|ERROR)\] (?:.*?\n---\n)?)", re.DOTALL)
_ABOUT_THE_ANSWER = {fold_column(name) for name in ("expected", "ideal", "reference", "target", "context", "contexts")}
_LABEL_LENGTH = 60


def systems_of(columns: Iterable[str]) -> dict[str, str]:
    """Map the columns of outputs, such as `[openai:gpt-4o] short`, to the systems that wrote them."""
    found = {name: match for name in columns if (match := _OUTPUT.fullmatch(name))}
    labels = dict.fromkeys(match["label"] for match in found.values())
    if len(labels) < 2:
        return {name: match["provider"] for name, match in found.items()}
    cut = {label: short(label, _LABEL_LENGTH) for label in labels}
    if len(set(cut.values())) < len(labels):
        cut = {label: short(label, len(label)) for label in labels}
    return {name: f"[{match['provider']}] {cut[match['label']]}" for name, match in found.items()}


def without_verdict(cell: str) -> str:
    """Return an output without the verdict that older versions of promptfoo put before it in a table."""
    return _VERDICT.sub("", cell)


def spread(record: Record, systems: Mapping[str, str]) -> Iterator[Record | BadRow]:
    """Yield a record for each output in a row of promptfoo's table, with the figures behind it and its system."""
    names = list(record.values)
    starts = [names.index(column) for column in systems]
    before = {name: record.values[name] for name in names[: starts[0]]}
    for at, (column, start, end) in enumerate(zip(systems, starts, [*starts[1:], len(names)], strict=True), 1):
        name = f"{record.number}.{at}" if len(systems) > 1 else str(record.number)
        figures = {_NUMBERED.sub("", figure): record.values[figure] for figure in names[start + 1 : end]}
        answer = record.values[column]
        if not answer and figures.get("Status") == "ERROR":
            yield BadRow(record.place, name, f"{column}: no output; promptfoo says ERROR")
            continue
        answer = without_verdict(answer) if isinstance(answer, str) else answer
        values = {**before, **figures, "answer": answer, "system": systems[column]}
        yield Record(record.place, record.number, values, name)


def read_results(items: Iterable[tuple[str, Any]], name: str) -> Iterator[LoggedAnswer | BadRow]:
    """Yield the answers of promptfoo's results, which come with their places, by test and prompt.

    Their order in a file is the order in which they were ready. All are in memory, because only the last one tells how
    many prompts there are.
    """
    read: list[tuple[int, int, str, Mapping[str, Any]]] = []
    bad: list[BadRow] = []
    size = 0
    for number, (place, value) in enumerate(items, 1):
        if not isinstance(value, Mapping):
            bad.append(BadRow(place, str(number), unfit(value, "a result")))
            continue
        kept = {key: value.get(key) for key in _KEPT if value.get(key) is not None}
        size += len(str(kept))
        if size > MAX_LOG_CHARACTERS:
            raise TooLargeError(name, f"more than {MAX_LOG_CHARACTERS:,} characters of results", "split the file")
        test, prompt = (at if isinstance(at := value.get(key), int) else number for key in ("testIdx", "promptIdx"))
        read.append((test, prompt, place, kept))
    read.sort(key=lambda each: each[:2])
    columns = _columns([(prompt, _column(value)) for _, prompt, _, value in read])
    if len(columns) > MAX_COLUMNS:
        raise TooLargeError(name, f"{len(columns):,} systems", f"at most {MAX_COLUMNS:,} are allowed")
    systems = systems_of(columns.values())
    yield from bad
    for test, prompt, place, value in read:
        column = columns[prompt, _column(value)]
        own = f"{test + 1}.{prompt + 1}" if len(systems) > 1 else str(test + 1)
        yield _answer(value, place, str(test + 1), own, systems[column], column)


_KEPT = (
    *("provider", "prompt", "vars", "testCase", "response", "providerResponse", "error", "success", "score"),
    *("gradingResult", "metadata", "latencyMs", "cost"),
)


def _columns(outputs: Iterable[tuple[int, str]]) -> dict[tuple[int, str], str]:
    """Name the column of each prompt's outputs. Equal names, of one provider with two settings, are numbered."""
    columns: dict[tuple[int, str], str] = {}
    times: Counter[str] = Counter()
    for prompt, column in outputs:
        if (prompt, column) not in columns:
            times[column] += 1
            columns[prompt, column] = f"{column} ({times[column]})" if times[column] > 1 else column
    return columns


def _answer(value: Mapping[str, Any], place: str, task_id: str, name: str, system: str, column: str) -> LoggedAnswer:
    test, given, grading = (_object(value.get(key)) for key in ("testCase", "vars", "gradingResult"))
    response = _object(value.get("response")) or _object(value.get("providerResponse"))
    given = given or _object(test.get("vars"))
    raw = _raw(value)
    output = response.get("output")
    answer = _said(output) if isinstance(output, list | Mapping) else output
    messages = next(
        (found for holder in (value, response) if (found := messages_in(_object(holder.get("metadata")), "metadata"))),
        None,
    )
    if messages is None and raw and answer is not None:
        asked = messages_in(raw, "prompt.raw") or [{"role": "user", "content": str(raw)}]
        messages = [*asked, {"role": "assistant", "content": str(answer)}]
    extra = {f"vars.{key}": one for key, one in given.items()}
    figures = {
        "description": test.get("description"), "promptfoo_success": value.get("success"),
        "promptfoo_score": value.get("score"), "promptfoo_reason": grading.get("reason"),
        "latency_ms": value.get("latencyMs"), "cost": value.get("cost"),
    }  # fmt: skip
    extra |= {key: one for key, one in figures.items() if one is not None}
    problem = short(value.get("error") or response.get("error") or "no output") if answer is None else ""
    return LoggedAnswer(
        place, task_id, name, system, column, _task(given, raw), answer, messages,
        label=_rated(grading), problem=problem and f"promptfoo says: {problem}", extra=extra,
    )  # fmt: skip


def _task(given: Mapping[str, Any], raw: Any) -> Any:
    """Return the variable with a usual name, else the only one, else the whole prompt."""
    folded = {fold_column(name): value for name, value in given.items()}
    if known := [folded[name] for name in map(fold_column, (*ASKED, "input")) if isinstance(folded.get(name), str)]:
        return known[0]
    others = [value for name, value in folded.items() if name not in _ABOUT_THE_ANSWER]
    return others[0] if len(others) == 1 and isinstance(others[0], str) else asked_in(raw, "prompt.raw")


def _rated(grading: Mapping[str, Any]) -> bool | None:
    """Return what a person said of an output in promptfoo's viewer."""
    parts = grading.get("componentResults")
    for part in parts if isinstance(parts, list) else ():
        if _object(_object(part).get("assertion")).get("type") == "human" and isinstance(part.get("pass"), bool):
            return bool(part["pass"])
    return None


def _column(value: Mapping[str, Any]) -> str:
    """Return the name that promptfoo's table gives to the outputs of a provider and a prompt."""
    provider, prompt = value.get("provider"), value.get("prompt")
    named = _object(provider).get("label") or _object(provider).get("id") or provider
    label = _object(prompt).get("label") or _object(prompt).get("display") or _raw(value)
    return f"[{str(named or 'provider').replace(']', ')')}] {label or 'prompt'}"


def _raw(value: Mapping[str, Any]) -> Any:
    prompt = value.get("prompt")
    return prompt.get("raw") if isinstance(prompt, Mapping) else prompt


def _said(output: Any) -> Any:
    """Return the last words of messages; other objects, which a prompt asked for, as JSON."""
    is_message = isinstance(output, Mapping) and "role" in output and "content" in output
    if is_message or messages_in(output, "response.output"):
        return answered_in(output, "response.output")
    return json_text(output, "response.output")


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
