"""`adjudge replay`: make a verdict again from the stored replies, and say whether it is the same."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from .inputs import add_journal_argument
from .outputs import write_out


def register(commands: Any) -> None:
    """Add the command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "replay",
        help="make a verdict again from stored replies",
        description="Make a verdict again from its replies, free and offline, and check that it is the same.",
    )
    parser.add_argument("verdict", metavar="VERDICT", help="a verdict's id (a unique beginning is enough)")
    parser.add_argument("-o", "--output", metavar="FILE", help="write the JSON here instead of printing it")
    add_journal_argument(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Replay and compare."""
    from ..engine import replay, run_sync

    kept, made, shown = run_sync(lambda: replay(args.verdict, journal=args.journal))
    write_out(shown.decode(), args.output)
    if kept != made:
        at = next((i for i, (x, y) in enumerate(zip(kept, made, strict=False)) if x != y), min(len(kept), len(made)))
        print(f"adjudge: the replay differs from the stored verdict from byte {at} on:", file=sys.stderr)
        print(
            f"  stored {kept[max(0, at - 30) : at + 40]!r}\n  now    {made[max(0, at - 30) : at + 40]!r}",
            file=sys.stderr,
        )
        return 1
    print("adjudge: the same, byte for byte", file=sys.stderr)
    return 0
