"""Measures how often 95 % intervals contain the true value, and how often a test accuses a fair judge, in simulations
that know the truth. Everything uses the package's own code.

    python bench/agreement_coverage.py [SECTION ...] [--draws 1000] [--costly 200]

It prints a line for each situation, and at the end one for each figure. Every module of `bench/simulated` with a
function `lines` is a section; without a name, all of them run. A line that is significantly below 92 % (coverage) or
above 8 % (false alarms) is marked with "!", and then the exit code is 1.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path

from simulated.table import HEAD, summary

SECTIONS = sorted(file.stem for file in (Path(__file__).parent / "simulated").glob("*.py"))
SECTIONS = [name for name in SECTIONS if name not in ("__init__", "table")]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(SECTIONS))
    parser.add_argument("--draws", type=int, default=1000, help="simulations per line")
    parser.add_argument("--costly", type=int, default=200, help="simulations per line where one takes long")
    options = parser.parse_args()
    if unknown := set(options.sections) - set(SECTIONS):
        parser.error(f"{min(unknown)}: not one of {', '.join(SECTIONS)}")
    print(HEAD)
    found = []
    for name in options.sections or SECTIONS:
        for line in importlib.import_module(f"simulated.{name}").lines(options.draws, options.costly):
            found.append(line)
            print(line.markdown() + (" !" if line.wrong else ""), flush=True)
    print(f"\n{summary(found)}")
    return 1 if any(line.wrong for line in found) else 0


if __name__ == "__main__":
    sys.exit(main())
