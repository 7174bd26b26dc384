"""How precise the text detectors are: precision and recall over labelled samples, all facts and the certain ones.

    python bench/text_detectors.py [--wrong] [--data DIR]

The samples stand in bench/samples, one file a detector, written for this bench. --wrong lists what came out wrong.
DIR (or the variable ADJUDGE_PAIRS) holds pairs of answers (*.jsonl: task, response_a, response_b); over them the bench
counts how often each detector speaks, since nobody has labelled them.
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

from scoring import HEADER, Counts, count

from adjudge.facts.code import find_broken_code
from adjudge.facts.human_claims import find_human_claims
from adjudge.facts.injection import find_injection
from adjudge.facts.markers import find_system_markers
from adjudge.facts.pleasantries import find_pleasantries
from adjudge.facts.refusal import find_refusal
from adjudge.facts.repetition import find_repetition
from adjudge.facts.spots import Spot
from adjudge.facts.truncation import find_truncation

SAMPLES = Path(__file__).parent / "samples"
Detector = Callable[[str, str], Sequence[Spot]]


def _one(spot: Spot | None) -> Sequence[Spot]:
    return () if spot is None else (spot,)


DETECTORS: dict[str, Detector] = {
    "code": find_broken_code,
    "pleasantries": lambda text, asked: find_pleasantries(text),
    "refusal": lambda text, asked: _one(find_refusal(text)),
    "human_claims": find_human_claims,
    "truncation": lambda text, asked: _one(find_truncation(text)),
    "repetition": lambda text, asked: find_repetition(text),
    "markers": lambda text, asked: find_system_markers(text),
    "injection": find_injection,
}


@dataclass(frozen=True)
class Outcome:
    """A labelled sample and what a detector found in it."""

    sample: dict[str, Any]
    spots: Sequence[Spot]

    @property
    def present(self) -> bool:
        return bool(self.sample["present"])

    def reported(self, certain: bool) -> bool:
        # A task that asks for another voice makes a claim a hint: what must not be there is a certain fact.
        voiced = bool(self.sample.get("voiced"))
        return any(spot.certain for spot in self.spots) if certain or voiced else bool(self.spots)


def outcomes(name: str) -> list[Outcome]:
    """Every sample of a detector with what it found."""
    lines = (SAMPLES / f"{name}.jsonl").read_text("utf-8").splitlines()
    samples = [json.loads(line) for line in lines]
    return [Outcome(sample, DETECTORS[name](sample["text"], sample.get("asked", ""))) for sample in samples]


def counted(results: Iterable[Outcome], certain: bool) -> Counts:
    return count((result.present, result.reported(certain)) for result in results)


def rows(name: str, results: Sequence[Outcome]) -> Iterator[str]:
    yield counted(results, False).row(name)
    yield counted(results, True).row(f"{name}, certain")
    if name == "code":
        for language in dict.fromkeys(result.sample["language"] for result in results):
            part = [result for result in results if result.sample["language"] == language]
            yield counted(part, False).row(f"  {language}")
            yield counted(part, True).row(f"  {language}, certain")
    if name == "pleasantries":
        for severity in ("minor", "major"):
            yield count(
                (result.sample.get("severity") == severity, any(spot.severity == severity for spot in result.spots))
                for result in results
            ).row(f"  {severity}")


def answers(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Name, task and text of every different answer."""
    for file in sorted(folder.glob("*.jsonl")):
        seen: set[str] = set()
        for line in file.read_text("utf-8").splitlines():
            pair = json.loads(line)
            for side in ("response_a", "response_b"):
                text = str(pair[side])
                if text not in seen:
                    seen.add(text)
                    yield file.stem, str(pair["task"]), text


def frequencies(folder: Path) -> Iterator[str]:
    total = 0
    tally: Counter[tuple[str, bool]] = Counter()
    for _, task, text in answers(folder):
        total += 1
        for name in ("code", "pleasantries", "refusal", "truncation"):
            spots = DETECTORS[name](text, task)
            tally[name, False] += bool(spots)
            tally[name, True] += any(spot.certain for spot in spots)
    yield f"{'detector':<28} {'answers':>7} {'with':>7} {'certain':>9}"
    for name in ("code", "pleasantries", "refusal", "truncation"):
        yield f"{name:<28} {total:>7} {tally[name, False]:>7} {tally[name, True]:>9}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wrong", action="store_true", help="list the samples that came out wrong")
    parser.add_argument(
        "--data", type=Path, default=os.environ.get("ADJUDGE_PAIRS"), help="folder with pairs of answers"
    )
    options = parser.parse_args()
    print(HEADER)
    for name in DETECTORS:
        results = outcomes(name)
        for row in rows(name, results):
            print(row)
        if options.wrong:
            for result in results:
                if result.reported(False) != result.present or (result.reported(True) and not result.present):
                    kind = "missed" if result.present else "false alarm"
                    print(f"    {kind}: {result.sample['language']}: {result.sample['text'][:160]!r}")
    if options.data:
        print()
        for row in frequencies(Path(options.data)):
            print(row)


if __name__ == "__main__":
    main()
