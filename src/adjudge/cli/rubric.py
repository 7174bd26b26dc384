"""`adjudge rubric`: print a shipped rubric to start your own from, or check yours."""

from __future__ import annotations

import argparse
from typing import Any


def register(commands: Any) -> None:
    """Add the command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "rubric",
        help="print a rubric to start from, or check your own",
        description="Print the rubric of a protocol, or check a file of yours and show what was read.",
    )
    parser.add_argument("name", metavar="compare|dialogue|FILE", help="a protocol's name, or a YAML file")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print or check."""
    from ..rubric import PROTOCOLS, load, shipped

    if args.name in PROTOCOLS:
        print(shipped(args.name).source, end="")
        return 0
    rubric = load(args.name)
    scale = rubric.scale
    print(f"{rubric.reference}: {len(rubric.criteria)} criteria, scale {scale.low} to {scale.high} by {scale.step}")
    for criterion in rubric.criteria:
        print(f"  {criterion.weight!s:>6}  {criterion.key}")
    return 0
