"""`adjudge dialogue`: customer-service conversations, one or many in a file."""

from __future__ import annotations

import argparse
import asyncio
import re
import shutil
import sys
from typing import TYPE_CHECKING, Any

from .asking import add_asking_arguments, add_output_arguments, asking_of, say_failure
from .inputs import read_bytes
from .outputs import Format, choose_format, write_out

if TYPE_CHECKING:
    from ..engine import DialogueSettings
    from ..models import DialogueVerdict, Failure
    from ..models.cases import Dialogue

_DESCRIPTION = """\
Judge conversations between SYSTEM (the assistant) and USER (the customer): an Evaluator scores six criteria, a Critic
challenges the scores with quotes, and a Referee, which is code, settles them and writes an audit.
FILE is a transcript (SPEAKER <tab> utterance, blank lines between dialogues), "User: …" text, JSON or JSONL with
role and content, or CSV; - is standard input. One dialogue gives one result; several give one line of JSON each.
"""
_AT_A_TIME = 16


def register(commands: Any) -> None:
    """Add the command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "dialogue",
        help="judge customer-service conversations",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", metavar="FILE", help="a file with one or many dialogues, or - for standard input")
    parser.add_argument("--id", metavar="ID", help="the dialogue's id, if the file has one dialogue without its own")
    judging = parser.add_argument_group("judging")
    judging.add_argument("--judge", default="embedded", metavar="JUDGE", help="does both parts (default: embedded)")
    judging.add_argument("--evaluator", metavar="JUDGE", help="scores; default: --judge")
    judging.add_argument("--critic", metavar="JUDGE", help="challenges the scores; default: --judge")
    add_asking_arguments(judging, "dialogue")
    add_output_arguments(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Judge, print in the file's order, say what failed."""
    from ..engine import DialogueSettings, run_sync
    from ..errors import InputError
    from ..inputs.transcript import read_dialogues
    from ..models import DialogueVerdict, Failure
    from ..rubric import load, shipped

    settings = DialogueSettings(
        evaluator=args.evaluator or args.judge,
        critic=args.critic or args.judge,
        rubric=load(args.rubric, "dialogue") if args.rubric else shipped("dialogue"),
        **asking_of(args),
    )
    place = "standard input" if args.file == "-" else args.file
    # A number only if it is written like one: 007 is a name.
    number = args.id is not None and re.fullmatch(r"0|[1-9][0-9]{0,17}", args.id) is not None
    given = int(args.id) if number else args.id
    cases = read_dialogues(read_bytes(args.file, "FILE"), place, first_id=given)
    if args.id is not None and len(cases) > 1:
        raise InputError("--id", f"{place} has {len(cases)} dialogues", "an id is allowed with one")
    chosen = choose_format(args.format, args.output)
    if chosen == "html" and len(cases) > 1:
        raise InputError("--format", f"html with {len(cases)} dialogues", "html shows one dialogue; use json, text, …")
    outcomes = run_sync(lambda: _judge_all(cases, settings, args.journal))
    pieces = []
    failed = 0
    for case, outcome in zip(cases, outcomes, strict=True):
        shown = _shown(case, outcome, chosen, alone=len(cases) == 1, colour=_colour(args))
        if shown:
            pieces.append(shown)
        if isinstance(outcome, Failure):
            failed += 1
            say_failure(outcome, f"dialogue {case.dialogue_id}")
    if pieces:
        write_out("".join(pieces), args.output)
    if args.output and args.output != "-":
        print(f"{args.output}: {len(cases) - failed} judged, {failed} failed", file=sys.stderr)
    elif chosen == "json" and isinstance(outcome, DialogueVerdict) and len(cases) == 1:
        print(f"adjudge: verdict {outcome.verdict_id}", file=sys.stderr)
    return 1 if failed else 0


async def _judge_all(
    cases: list[Dialogue], settings: DialogueSettings, journal: str | None
) -> list[DialogueVerdict | Failure]:
    from ..engine import open_engine

    limit = asyncio.Semaphore(_AT_A_TIME)
    async with open_engine(journal) as engine:

        async def judge(case: Dialogue) -> DialogueVerdict | Failure:
            async with limit:
                return await engine.dialogue(case, settings)

        return list(await asyncio.gather(*map(judge, cases)))


def _shown(
    case: Dialogue,
    outcome: DialogueVerdict | Failure,
    chosen: Format,
    *,
    alone: bool,
    colour: bool,
) -> str:
    from ..models import Failure
    from ..models.base import to_json
    from ..reports import error_report, render

    if isinstance(outcome, Failure):
        failed = {"dialogue_id": case.dialogue_id, **error_report(outcome).model_dump()}
        return to_json(failed, indent=alone).decode() if chosen == "json" else ""
    if chosen == "json":
        return to_json(outcome.output, indent=alone).decode()
    shown = render(outcome, chosen, colour=colour, width=min(shutil.get_terminal_size((100, 24)).columns, 120))
    return shown if alone else shown.rstrip("\n") + "\n\n"


def _colour(args: argparse.Namespace) -> bool:
    return sys.stdout.isatty() and not args.output
