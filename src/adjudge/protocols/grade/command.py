"""The command `adjudge grade`: a case file, the case in pieces, or both."""

from __future__ import annotations

from typing import Any

from ...errors import InputError
from ...inputs.arguments import read_rest_of_case, read_text
from ...inputs.json import parse_cell
from ...inputs.rows import case_in_object
from ..command import Command, CommandArgument, Given, GivenCase, StrictExit
from .reading import FIELDS, WANTED
from .verdict import GradeVerdict

_DESCRIPTION = """\
Grade one answer against a rubric: questions, claims against sources, the task's demands, and checks by code.
Give a case file (JSON with task, answer, and optionally reference and context), or the texts themselves. Give a text
directly, from a file as @FILE, or from standard input as -. An answer may be a JSON list of messages with tool calls.
"""
_PIECES = "the case in pieces; each overrides the case file's"


def _read(given: Given) -> list[GivenCase]:
    """Read the case file and replace the pieces that were given as options."""
    pieces = {name: value for name in FIELDS if (value := given.options[name])}
    data, file = read_rest_of_case(given.options["case"], pieces, FIELDS, ("task", "answer"), WANTED)
    for name, value in pieces.items():
        data[name] = _sources(value) if name == "context" else _piece(name, value)
    try:
        return [GivenCase(case_in_object(data, file, "grade", given.rubric), "the judgment")]
    except InputError as error:
        if error.place.partition(".")[0] in pieces:
            raise type(error)(f"--{error.place}", error.found, error.allowed) from None
        raise type(error)(f"{file}: {error.place}", error.found, error.allowed) from None


def _piece(name: str, value: str) -> Any:
    text = read_text(value, f"--{name}")
    if name == "answer" and text.lstrip().startswith("["):
        parsed = parse_cell(text, "--answer")
        return parsed if isinstance(parsed, list) and parsed and isinstance(parsed[0], dict) else text
    return text


def _sources(values: list[str]) -> list[dict[str, str]]:
    """Return the sources: one for each --context, called by its number, or by the name of its file."""
    names = [value[1:].rpartition("/")[2] if value.startswith("@") else "" for value in values]
    return [
        {"id": name if name and names.count(name) == 1 else str(number), "text": read_text(value, "--context")}
        for number, (name, value) in enumerate(zip(names, values, strict=True), start=1)
    ]


def _advice(verdict: GradeVerdict) -> str:
    """Say what to do if nobody knows whether it passes."""
    return "" if verdict.decided else f"{verdict.why[:1].lower()}{verdict.why[1:]} A judge that reads can decide."


COMMAND = Command(
    description=_DESCRIPTION,
    arguments=(
        CommandArgument("case CASE.json", "a case file, or - for standard input"),
        CommandArgument("--task TEXT", "what was asked", _PIECES),
        CommandArgument("--answer TEXT", "the answer, or a JSON list of messages", _PIECES),
        CommandArgument("--reference TEXT", "an answer known to be good", _PIECES),
        CommandArgument(
            "--context TEXT", "a source that the answer must rest on; may be given several times", _PIECES, several=True
        ),
    ),
    read=_read,
    examples=(
        "adjudge run grade answers.jsonl --run out --rubric support.yaml --judge openai:gpt-5.1",
        "adjudge run grade ragas.csv --run out --map context=retrieved_contexts",
    ),
    result=lambda verdict: f"{verdict.answer}, score {verdict.score}",
    advice=_advice,
    strict=StrictExit(
        "exit with 1 if the answer does not pass, and with 3 if that is undecided (else 0 whatever the grade)",
        lambda verdict: 3 if not verdict.decided else 0 if verdict.passed else 1,
    ),
)
