"""The command `adjudge compare`: a case file, the case in pieces, or both."""

from __future__ import annotations

from typing import Literal, get_args

from ...errors import InputError
from ...inputs.arguments import read_rest_of_case, read_text
from ...inputs.rows import case_in_object
from ...llm.providers import PROVIDERS
from ...text.findings import ATTEMPTS
from ..command import Command, CommandArgument, Given, GivenCase, Trial
from .case import Comparison
from .reading import FIELDS, WANTED, weights_from
from .verdict import ComparisonVerdict

_DESCRIPTION = """\
Compare two answers to one task: seven weighted criteria, quotes checked against the answers, a winner or a tie.
Give a case file (JSON with userTask, responseA, responseB, and optionally context and weights), or the texts
themselves. Give a text directly, from a file as @FILE, or from standard input as -.
"""
# How `adjudge probe` can change comparisons.
ProbeName = Literal["swap", "padding", "lists", "bold"]
PROBES: tuple[ProbeName, ...] = get_args(ProbeName)
_PIECES = "the case in pieces; each overrides the case file's"


def _read(given: Given) -> list[GivenCase]:
    """Read the case file and replace the pieces that were given as options."""
    case, rubric = given.options["case"], given.rubric
    pieces = {name: value for name in FIELDS if (value := given.options[name]) is not None}
    data, file = read_rest_of_case(case, pieces, FIELDS, ("task", "a", "b"), WANTED)
    for name, value in pieces.items():
        data[FIELDS[name][0]] = read_text(value, f"--{name}")
    try:
        if "weights" in pieces:
            data["weights"] = weights_from(data["weights"])
        return [GivenCase(case_in_object(data, file, "compare", rubric), "the judgment")]
    except InputError as error:
        options = {FIELDS[name][0]: f"--{name}" for name in pieces}
        if error.place.partition(".")[0] in options:
            raise error.renamed(options) from None
        raise type(error)(f"{file}: {error.place}", error.found, error.allowed) from None


def _advice(verdict: ComparisonVerdict) -> str:
    """Say what to do if the judge did not decide."""
    if verdict.recheck and verdict.recheck.changed:
        return f"undecided: without the passages that try to steer the judge the outcome is {verdict.recheck.outcome}"
    if verdict.decided:
        return ""
    steered = any(fact.name in ATTEMPTS for fact in verdict.facts)
    why = "a text tries to steer the judge" if steered else "this judge is not sure enough"
    ready = [f"--judge {name}:{each.example}" for name, each in PROVIDERS.items() if each.missing is None]
    how = " or ".join(ready[:2]) or "set a provider's key (`adjudge judges` names them) or name a server by its URL"
    return f"undecided: {why}; a judge that reads the answers can decide: {how}"


COMMAND = Command(
    description=_DESCRIPTION,
    arguments=(
        CommandArgument("case CASE.json", "a case file, or - for standard input"),
        CommandArgument("--task TEXT", "what was asked", _PIECES),
        CommandArgument("--a TEXT", "answer A", _PIECES),
        CommandArgument("--b TEXT", "answer B", _PIECES),
        CommandArgument("--context TEXT", "background the answers should be judged against", _PIECES),
        CommandArgument(
            "--weights W", 'JSON, @FILE, or "criterion=number,…"; criteria not named keep their default', _PIECES
        ),
    ),
    read=_read,
    examples=(
        "adjudge run compare pairs.jsonl --run out --judge openai:gpt-5.1 --budget 5",
        "adjudge run compare arena.csv --run out --map task=question a=output_1 b=output_2",
    ),
    result=lambda verdict: f"winner {verdict.winner}" if verdict.decided else f"undecided, best guess {verdict.winner}",
    advice=_advice,
)
TRIAL = Trial(
    case=Comparison(
        "Name one prime number above ten.",
        "Eleven is a prime number above ten.",
        "Twelve is a prime number above ten.",
    ),
    settings={"one_order": True},
    result=lambda verdict: f"winner {verdict.winner}",
)
