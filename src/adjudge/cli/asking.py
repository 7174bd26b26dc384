"""The options that every judging command has: how the judge is asked, and where the result goes."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from .inputs import add_journal_argument
from .outputs import FORMATS

if TYPE_CHECKING:
    from ..models import Failure


def add_asking_arguments(group: Any, protocol: str) -> None:
    """How the judge is asked."""
    group.add_argument(
        "--rubric", metavar="FILE", help=f"your own criteria (YAML); start from `adjudge rubric {protocol}`"
    )
    group.add_argument("--seed", type=int, default=0, metavar="N", help="for whatever is drawn or sampled (default: 0)")
    group.add_argument("--sample", type=int, default=0, metavar="N", help="ask anew although the journal has a reply")
    group.add_argument("--temperature", type=float, default=0.0, metavar="T", help="default: 0")
    group.add_argument("--max-tokens", type=int, default=8192, metavar="N", help="longest reply (default: 8192)")


def asking_of(args: argparse.Namespace) -> dict[str, Any]:
    """The same options as settings."""
    return {
        "seed": args.seed,
        "sample": args.sample,
        "temperature": args.temperature,
        "max_tokens": args.max_tokens,
    }


def add_output_arguments(parser: argparse.ArgumentParser) -> None:
    """Where the result goes."""
    output = parser.add_argument_group("output")
    output.add_argument(
        "--format", choices=FORMATS, help="default: text on a terminal, json when piped, or by -o's suffix"
    )
    output.add_argument("-o", "--output", metavar="FILE", help="write here instead of printing")
    add_journal_argument(output)


def say(message: str) -> None:
    """One line on standard error; it may hold what a provider or a file said, so a terminal must not obey it."""
    from ..reports.escaping import one_line

    print(f"adjudge: {one_line(message)}", file=sys.stderr)


def say_failure(failure: Failure, what: str = "the judgment") -> None:
    """A failure in a person's words."""
    say(f"{what} failed: {failure.reason}: {failure.message}")
    if failure.reason in ("malformed", "cut_off", "refused"):
        say("the reply is in the journal; ask for a new one with --sample 1")
