"""Writes the hashes by which `adjudge bench` recognises sets that the embedded judge was fitted to or developed with.

    python bench/seen_sets.py --data DIR --dialogues DIR

The first DIR (or the variable ADJUDGE_DATA) holds the labelled pairs, the second (ADJUDGE_DIALOGUES) the transcripts.
All pairs were used to choose measures, penalties and thresholds; of the dialogues, only those named here were.
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

from adjudge.agreement.benchmark import text_of
from adjudge.inputs.rows import Row, open_rows
from adjudge.judges.embedded.model import SEEN_SETS, sketch
from adjudge.protocols.rubrics import shipped

DIALOGUES = ("CCPE", "MWOZ")


def texts_of(path: Path, protocol: str) -> list[str]:
    rows = open_rows(str(path), protocol, shipped(protocol))
    return [text_of(row.case) for row in rows if isinstance(row, Row)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=os.environ.get("ADJUDGE_DATA"), required=False)
    parser.add_argument("--dialogues", type=Path, default=os.environ.get("ADJUDGE_DIALOGUES"), required=False)
    options = parser.parse_args()
    if options.data is None or options.dialogues is None:
        parser.error("--data DIR and --dialogues DIR are needed")
    found = {path.stem: texts_of(path, "compare") for path in sorted(Path(options.data).glob("*.jsonl"))}
    found |= {name: texts_of(Path(options.dialogues) / f"{name}.txt", "dialogue") for name in DIALOGUES}
    sketches = {name: sketch(texts) for name, texts in found.items()}
    lines = ",\n".join(f" {json.dumps(name)}: {json.dumps(kept)}" for name, kept in sketches.items())
    SEEN_SETS.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
    print(f"{SEEN_SETS}: {len(sketches)} sets")


if __name__ == "__main__":
    main()
