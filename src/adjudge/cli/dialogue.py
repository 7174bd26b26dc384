"""`adjudge dialogue`: customer-service conversations, one or many in a file."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from .asking import (
    Warnings,
    add_asking_arguments,
    add_command,
    add_judging_group,
    add_output_arguments,
    check_folders,
    read_cases,
    say_failure,
    settings_from,
)
from .outputs import choose_format, rendered, write_out

_DESCRIPTION = """\
Judge conversations between SYSTEM (the assistant) and USER (the customer): an Evaluator scores six criteria, a Critic
challenges the scores with quotes, and a Referee, which is code, settles them and writes an audit.
FILE is a transcript (SPEAKER <tab> utterance, blank lines between dialogues), "User: …" text, JSON or JSONL with
role and content, or CSV; - is standard input. One dialogue gives one result; several give one line of JSON each.
"""


def register(commands: Any) -> None:
    """Add the command."""
    parser = add_command(commands, "dialogue", run, "judge customer-service conversations", _DESCRIPTION)
    parser.add_argument("file", metavar="FILE", help="a file with one or many dialogues, or - for standard input")
    parser.add_argument("--id", metavar="ID", help="the dialogue's id, if the file has one dialogue without its own")
    judging = add_judging_group(parser)
    judging.add_argument("--evaluator", metavar="JUDGE", help="who scores (default: --judge)")
    judging.add_argument("--critic", metavar="JUDGE", help="who challenges the scores (default: --judge)")
    add_asking_arguments(judging, "dialogue")
    add_output_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Judge, print in the file's order, say what failed."""
    from ..engine import DialogueSettings
    from ..errors import InputError
    from ..inputs.delimited import id_in_cell
    from ..inputs.transcript import read_dialogues
    from ..models import Failure
    from ..models.base import to_json
    from ..reports import error_report
    from .judging import judge_cases

    check_folders(args)
    settings = settings_from(
        DialogueSettings, args, evaluator=args.evaluator or args.judge, critic=args.critic or args.judge
    )
    # An empty one is refused like any other that cannot be an id.
    given_id = id_in_cell(args.id) if args.id else args.id
    raw, place = read_cases(args.file, "a dialogue is needed")
    with Warnings():
        cases = read_dialogues(raw, place, first_id=given_id)
    alone = len(cases) == 1
    if args.id is not None and not alone:
        raise InputError("--id", f"{place} has {len(cases)} dialogues", "an id is allowed for a file with one")
    chosen = choose_format(args.format, args.output)
    if chosen == "html" and not alone:
        raise InputError("--format", f"html for {len(cases)} dialogues", "html shows one; json, text or markdown do")
    outcomes = judge_cases(cases, settings, args.journal, lambda engine, one: engine.dialogue(one, settings))
    pieces, failed = [], 0
    for case, outcome in zip(cases, outcomes, strict=True):
        if isinstance(outcome, Failure):
            failed += 1
            say_failure(outcome, f"dialogue {case.dialogue_id}")
            if chosen == "json":
                report = {"dialogue_id": case.dialogue_id, **error_report(outcome).model_dump()}
                pieces.append(to_json(report, indent=alone).decode())
        elif chosen == "json":
            pieces.append(to_json(outcome.output, indent=alone).decode())
        else:
            shown = rendered(outcome, chosen, args.output)
            pieces.append(shown if alone else shown.rstrip("\n") + "\n\n")
    if pieces:
        write_out("".join(pieces), args.output)
    if args.output and args.output != "-":
        print(f"{args.output}: {len(cases) - failed} judged, {failed} failed", file=sys.stderr)
    elif chosen == "json" and alone and not isinstance(outcomes[0], Failure):
        print(f"adjudge: verdict {outcomes[0].verdict_id}", file=sys.stderr)
    return 1 if failed else 0
