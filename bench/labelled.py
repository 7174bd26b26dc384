"""Finds the labelled pairs, for the commands that need no other option."""

from __future__ import annotations

import argparse
import os
from pathlib import Path


def labelled_pairs(about: str | None) -> Path:
    """Return the folder given by --data or the environment variable; `about` is the help text of the command."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=os.environ.get("ADJUDGE_DATA"), help="folder of labelled pairs")
    args = parser.parse_args()
    if not args.data:
        parser.error("--data DIR is needed, or the variable ADJUDGE_DATA")
    return Path(args.data)
