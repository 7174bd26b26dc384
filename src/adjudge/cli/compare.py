"""`adjudge compare`: two answers to one task."""

from __future__ import annotations

import argparse
import shutil
import sys
from typing import TYPE_CHECKING, Any

from .asking import add_asking_arguments, add_output_arguments, asking_of, say, say_failure
from .inputs import read_bytes, read_text
from .outputs import choose_format, write_out

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
    parser: argparse.ArgumentParser = commands.add_parser(
        "compare",
        help="compare two answers to one task",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("case", nargs="?", metavar="CASE.json", help="a case file, or - for standard input")
    texts = parser.add_argument_group("the case in pieces")
    texts.add_argument("--task", metavar="TEXT", help="what was asked")
    texts.add_argument("--a", metavar="TEXT", help="answer A")
    texts.add_argument("--b", metavar="TEXT", help="answer B")
    texts.add_argument("--context", metavar="TEXT", help="what the answers should be read against")
    texts.add_argument(
        "--weights", metavar="W", help='JSON, @FILE, or "criterion=number,…"; the rest keep their default'
    )
    judging = parser.add_argument_group("judging")
    judging.add_argument(
        "--judge", default="embedded", metavar="JUDGE", help="see `adjudge judges` (default: embedded)"
    )
    judging.add_argument("--one-order", action="store_true", help="judge once instead of in both orders: half the cost")
    add_asking_arguments(judging, "compare")
    judging.add_argument("--search", metavar="SERVICE", help="look facts up: searxng:http://HOST:PORT or brave")
    add_output_arguments(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Judge, print, say what failed."""
    from ..engine import CompareSettings, open_engine, run_sync
    from ..models import Failure
    from ..models.base import to_json
    from ..reports import error_report, render
    from ..rubric import load, shipped

    rubric = load(args.rubric, "compare") if args.rubric else shipped("compare")
    case = _read_case(args, rubric)
    settings = CompareSettings(
        judge=args.judge,
        rubric=rubric,
        one_order=args.one_order,
        search=args.search,
        **asking_of(args),
    )

    async def work() -> Any:
        async with open_engine(args.journal) as engine:
            return await engine.compare(case, settings)

    outcome = run_sync(work)
    chosen = choose_format(args.format, args.output)
    if isinstance(outcome, Failure):
        if chosen == "json":
            write_out(to_json(error_report(outcome), indent=True).decode(), args.output)
        say_failure(outcome)
        return 1
    to_terminal = sys.stdout.isatty() and not args.output
    width = min(shutil.get_terminal_size((100, 24)).columns, 120)
    write_out(render(outcome, chosen, colour=to_terminal, width=width), args.output)
    if args.output and args.output != "-":
        named = "winner" if outcome.decided else "undecided; best guess"
        print(f"{args.output}: {named} {outcome.winner}, verdict {outcome.verdict_id}", file=sys.stderr)
    if not outcome.decided:
        say(f"undecided; a judge that reads the answers would settle it: {_who_would_settle_it()}")
    return 0


def _who_would_settle_it() -> str:
    """The judges that can be asked right now, as options; or how to get one."""
    from ..llm.providers import PROVIDERS

    ready = [f"--judge {name}:{provider.example}" for name, provider in PROVIDERS.items() if provider.missing is None]
    return " or ".join(ready[:2]) or "set a provider's key (`adjudge judges` names them) or name a server by its URL"


def _read_case(args: argparse.Namespace, rubric: Rubric) -> Comparison:
    from ..errors import InputError
    from ..inputs.comparison import WANTED, comparison_from, weights_from
    from ..inputs.json import parse_object
    from ..models.cases import Comparison, check_weights

    pieces = {name: getattr(args, name) for name in ("task", "a", "b", "context", "weights")}
    given = [name for name, value in pieces.items() if value is not None]
    if args.case is not None:
        if given:
            raise InputError(f"--{given[0]}", "stands beside a case file", "give the file or the pieces")
        place = "standard input" if args.case == "-" else args.case
        try:
            return comparison_from(parse_object(read_bytes(args.case, "CASE"), place, WANTED), rubric)
        except InputError as error:
            if error.place in (place, "CASE"):
                raise
            raise type(error)(f"{place}: {error.place}", error.found, error.allowed) from None
    for name in ("task", "a", "b"):
        if pieces[name] is None:
            raise InputError(f"--{name}", "missing", "give a case file, or all of --task, --a and --b")
    if [value for value in pieces.values() if value == "-"][1:]:
        raise InputError("-", "standard input is asked for twice", "once is allowed")
    texts = {name: read_text(value, f"--{name}") for name, value in pieces.items() if value is not None}
    try:
        weights = check_weights(weights_from(texts.pop("weights", None)), rubric.weights)
        return Comparison(**texts, weights=weights)
    except InputError as error:
        raise error.renamed({name: f"--{name}" for name in pieces}) from None
