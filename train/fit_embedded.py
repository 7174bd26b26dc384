"""Fit the embedded judge's model from labelled pairs.

    python train/fit_embedded.py --data DIR -o src/adjudge/judges/embedded/model.json

DIR holds one JSONL file a set, with rows: task, response_a, response_b, human (A, B or tie) and optionally context.
The same files and the same seed give the same bytes. Adversarial sets are never fitted to: a model that sees them
beside the others learns to recognise the set instead of the better answer.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from adjudge.judges.embedded.fitting import SEED, cross_validate_samples, fit_samples, measure_rows, read_rows
from adjudge.judges.embedded.model import write_model

HELPFUL = ("pandalm", "autoj", "llmbar-mt-bench", "llmbar-llmeval2", "llmbar-natural")
HARMLESS = ("hh-harmless",)


def main(arguments: Sequence[str] | None = None) -> None:
    """Read, fit, say how it did on held-out tasks, write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of JSONL files")
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args(arguments)
    helpful = measure_rows(row for name in HELPFUL for row in read_rows(options.data / f"{name}.jsonl"))
    harmless = measure_rows(row for name in HARMLESS for row in read_rows(options.data / f"{name}.jsonl"))
    about = {
        "helpful": {"pairs": len(helpful), "sets": list(HELPFUL)},
        "harmless": {"pairs": len(harmless), "sets": list(HARMLESS)},
        "seed": options.seed,
    }
    model = fit_samples(helpful, options.seed, harmless, about)
    options.output.write_text(write_model(model), encoding="utf-8")
    for name, samples, signed in (("helpful", helpful, True), ("harmless", harmless, False)):
        figures = cross_validate_samples(samples, options.seed, signed=signed)
        print(f"{name}, held-out tasks: {figures}", file=sys.stderr)


if __name__ == "__main__":
    main()
