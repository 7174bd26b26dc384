"""`adjudge completion`: prints a script that completes commands, options and files in a shell, made from the parser."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

import shtab

from .outputs import write_out

# What an argument takes is written in its help: these words are paths.
_FILES = ("FILE", "CASE.json", "INPUT", "LABELS", "FILE|URL", "WHERE", "FILE|COLUMN", "RUBRIC.yaml", "PATH")
_FOLDERS = ("DIR", "RUN", "RUN1", "RUN2")


def run_completion(args: argparse.Namespace) -> int:
    """Print the script for a shell."""
    from .main import build_parser

    parser = build_parser()
    for action in _actions(parser):
        written: Any = action.metavar
        if written in _FILES or str(written).endswith("|FILE"):
            action.complete = shtab.FILE  # type: ignore[attr-defined]
        elif written in _FOLDERS:
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
    write_out(shtab.complete(parser, args.shell), None)
    return 0


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Yield the arguments of a parser and of all its commands."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name in action.choices:
                yield from _actions(action.choices[name])  # which fills in a parser that was not needed so far
        else:
            yield action
