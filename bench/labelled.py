"""Where the labelled pairs are, for the commands that only need to know that."""

from __future__ import annotations

import argparse
import os
from pathlib import Path


def labelled_pairs(about: str | None) -> Path:
    """The folder that the command was given, by --data or by the variable; `about` is its help."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=os.environ.get("ADJUDGE_DATA"), help="folder of labelled pairs")
    args = parser.parse_args()
    if not args.data:
        parser.error("--data DIR is needed, or the variable ADJUDGE_DATA")
    return Path(args.data)
