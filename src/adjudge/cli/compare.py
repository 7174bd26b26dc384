"""`adjudge compare`: two answers to one task."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from .asking import (
    add_asking_arguments,
    add_command,
    add_judging_group,
    add_output_arguments,
    check_folders,
    read_cases,
    read_text,
    say,
    say_failure,
    settings_from,
)
from .outputs import choose_format, rendered, write_out

if TYPE_CHECKING:
    from ..models.cases import Comparison
    from ..rubric import Rubric

_DESCRIPTION = """\
Compare two answers to one task: seven weighted criteria, quotes checked against the answers, a winner or a tie.
Give a case file (JSON with userTask, responseA, responseB, and optionally context and weights), or the texts
themselves. A text is taken as it is, from a file with @FILE, or from standard input with -.
"""


def register(commands: Any) -> None:
    """Add the command."""
    parser = add_command(commands, "compare", run, "compare two answers to one task", _DESCRIPTION)
    parser.add_argument("case", nargs="?", metavar="CASE.json", help="a case file, or - for standard input")
    texts = parser.add_argument_group("the case in pieces; a piece wins over the case file's")
    texts.add_argument("--task", metavar="TEXT", help="what was asked")
    texts.add_argument("--a", metavar="TEXT", help="answer A")
    texts.add_argument("--b", metavar="TEXT", help="answer B")
    texts.add_argument("--context", metavar="TEXT", help="background the answers should be judged against")
    texts.add_argument(
        "--weights", metavar="W", help='JSON, @FILE, or "criterion=number,…"; criteria not named keep their default'
    )
    judging = add_judging_group(parser)
    judging.add_argument("--one-order", action="store_true", help="judge once instead of in both orders: half the cost")
    add_asking_arguments(judging, "compare")
    judging.add_argument("--search", metavar="SERVICE", help="look facts up: searxng:http://HOST:PORT or brave")
    add_output_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Judge, print, say what failed."""
    from ..engine import CompareSettings
    from ..models import Failure
    from ..models.base import to_json
    from ..reports import error_report
    from ..text.findings import ATTEMPTS
    from .judging import judge_cases

    check_folders(args)
    settings = settings_from(CompareSettings, args, judge=args.judge, one_order=args.one_order, search=args.search)
    case = _read_case(args, settings.rubric)
    chosen = choose_format(args.format, args.output)
    (outcome,) = judge_cases([case], settings, args.journal, lambda engine, one: engine.compare(one, settings))
    if isinstance(outcome, Failure):
        if chosen == "json":
            write_out(to_json(error_report(outcome), indent=True).decode(), args.output)
        say_failure(outcome)
        return 1
    write_out(rendered(outcome, chosen, args.output), args.output)
    if args.output and args.output != "-":
        result = f"winner {outcome.winner}" if outcome.decided else f"undecided, best guess {outcome.winner}"
        print(f"{args.output}: {result}, verdict {outcome.verdict_id}", file=sys.stderr)
    if outcome.recheck and outcome.recheck.changed:
        say(f"undecided: without the passages that try to steer the judge the outcome is {outcome.recheck.outcome}")
    elif not outcome.decided:
        steered = any(fact.name in ATTEMPTS for fact in outcome.facts)
        why = "a text tries to steer the judge" if steered else "this judge is not sure enough"
        say(f"undecided: {why}; one that reads the answers can decide: {_who_can_decide()}")
    return 0


def _who_can_decide() -> str:
    """The judges that can be asked right now, as options; or how to get one."""
    from ..llm.providers import PROVIDERS

    ready = [f"--judge {name}:{provider.example}" for name, provider in PROVIDERS.items() if provider.missing is None]
    return " or ".join(ready[:2]) or "set a provider's key (`adjudge judges` names them) or name a server by its URL"


def _read_case(args: argparse.Namespace, rubric: Rubric) -> Comparison:
    """The case in the file, with the pieces given as options in place of the file's."""
    from ..errors import InputError
    from ..inputs.comparison import FIELDS, WANTED, comparison_from, weights_from
    from ..inputs.json import parse_object

    given = {name: value for name in FIELDS if (value := getattr(args, name)) is not None}
    if args.case is None:
        if not given:
            raise InputError("CASE", "missing", "a case file, - for standard input, or all of --task, --a and --b")
        for name in ("task", "a", "b"):
            if name not in given:
                raise InputError(f"--{name}", "missing", "give a case file, or all of --task, --a and --b")
    if [value for value in (args.case, *given.values()) if value == "-"][1:]:
        raise InputError("-", "standard input is named twice", "once is allowed")
    data, file = {}, ""
    if args.case is not None:
        wanted = f"one JSON object with {WANTED} is needed"
        raw, file = read_cases(args.case, wanted)
        data = parse_object(raw, file, wanted)
    for name, value in given.items():
        for field in FIELDS[name]:
            data.pop(field, None)
        data[FIELDS[name][0]] = read_text(value, f"--{name}")
    try:
        if "weights" in given:
            data["weights"] = weights_from(data["weights"])
        return comparison_from(data, rubric)
    except InputError as error:
        options = {FIELDS[name][0]: f"--{name}" for name in given}
        if error.place.partition(".")[0] in options:
            raise error.renamed(options) from None
        raise type(error)(f"{file}: {error.place}", error.found, error.allowed) from None
