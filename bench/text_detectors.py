"""Measures the precision and recall of the text detectors on labelled samples.

    python bench/text_detectors.py [--wrong] [--data DIR]

The samples are in bench/samples, one file per detector, written for this bench. --wrong lists the wrong outcomes.
DIR (or the variable ADJUDGE_PAIRS) holds unlabelled pairs of answers (*.jsonl: task, response_a, response_b), on which
the bench only counts how often each detector fires.
"""

from __future__ import annotations

import argparse
import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adjudge.text import Spot
from adjudge.text.control_tokens import find_system_markers
from adjudge.text.flaws import find_cut_off, find_repetition
from adjudge.text.injection import find_control_tokens, find_injection

SAMPLES = Path(__file__).parent / "samples"
HEADER = f"{'detector':<16} {'samples':>7} {'present':>7} {'precision':>9} {'recall':>7}"
Detector = Callable[[str, str], Sequence[Spot]]
LABELLED: dict[str, Detector] = {
    "injection": find_injection,
    "markers": lambda text, asked: find_system_markers(text),
    "repetition": lambda text, asked: find_repetition(text),
}
COUNTED: dict[str, Detector] = {
    **LABELLED,
    "control_tokens": lambda text, asked: find_control_tokens(text),
    "cut_off": lambda text, asked: [spot for spot in [find_cut_off(text, asked)] if spot is not None],
}


@dataclass(frozen=True)
class Outcome:
    """A labelled sample, and whether its detector fired."""

    sample: dict[str, Any]
    reported: bool

    @property
    def present(self) -> bool:
        return bool(self.sample["present"])


@dataclass(frozen=True)
class Counts:
    """How often a detector was right, and in which way it was wrong."""

    samples: int
    right: int
    false_alarms: int
    missed: int

    @property
    def precision(self) -> float:
        return self.right / (self.right + self.false_alarms)

    @property
    def recall(self) -> float:
        return self.right / (self.right + self.missed)

    def row(self, name: str) -> str:
        present = self.right + self.missed
        return f"{name:<16} {self.samples:>7} {present:>7} {self.precision:>9.3f} {self.recall:>7.3f}"


def outcomes(name: str) -> list[Outcome]:
    """Return every sample of a detector with its outcome."""
    samples = map(json.loads, (SAMPLES / f"{name}.jsonl").read_text("utf-8").splitlines())
    return [Outcome(sample, bool(LABELLED[name](sample["text"], sample.get("asked", "")))) for sample in samples]


def counted(results: Iterable[Outcome]) -> Counts:
    tally = Counter((result.present, result.reported) for result in results)
    return Counts(tally.total(), tally[True, True], tally[False, True], tally[True, False])


def frequencies(folder: Path) -> Iterator[str]:
    """Yield lines that say how often each detector fires on the distinct answers in a folder."""
    answers: dict[str, str] = {}
    for file in sorted(folder.glob("*.jsonl")):
        for line in file.read_text("utf-8").splitlines():
            pair = json.loads(line)
            answers |= {str(pair[side]): str(pair["task"]) for side in ("response_a", "response_b")}
    yield f"{'detector':<16} {'answers':>7} {'with':>7}"
    for name, detector in COUNTED.items():
        yield f"{name:<16} {len(answers):>7} {sum(bool(detector(text, task)) for text, task in answers.items()):>7}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wrong", action="store_true", help="list the samples with a wrong outcome")
    parser.add_argument(
        "--data", type=Path, default=os.environ.get("ADJUDGE_PAIRS"), help="folder with pairs of answers"
    )
    options = parser.parse_args()
    print(HEADER)
    for name in LABELLED:
        results = outcomes(name)
        print(counted(results).row(name))
        for result in results if options.wrong else ():
            if result.reported != result.present:
                kind = "missed" if result.present else "false alarm"
                print(f"    {kind}: {result.sample['language']}: {result.sample['text'][:160]!r}")
    if options.data:
        print()
        for row in frequencies(Path(options.data)):
            print(row)


if __name__ == "__main__":
    main()
