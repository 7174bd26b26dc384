"""How far the embedded judge agrees with people about whole conversations, beside baselines and what people reach.

    python bench/dialogue_agreement.py --data DIR [--set NAME ...]

DIR (or the variable ADJUDGE_DIALOGUES) holds one transcript file a set (*.txt: SPEAKER, utterance, act and ratings
between tabs; a blank line between conversations; the humans' overall ratings in a last line USER OVERALL).
The judge's weights are simple fractions, set by hand with CCPE and MWOZ in view; ReDial and SGD were not looked at.
The plainest baseline is the share of SYSTEM's turns that neither apologise nor decline.
Rank agreement is Spearman's rho with the mean of the human ratings. Agreement on the five steps is Krippendorff's alpha
(ordinal) with that mean rounded. The ceiling holds each annotator against the mean of the others. Intervals are
95 % bootstrap percentiles over conversations from a fixed seed.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import krippendorff
import numpy as np
from scipy.stats import rankdata, spearmanr  # type: ignore[import-untyped]

from adjudge.inputs.transcript import read_dialogues
from adjudge.judges.embedded import EmbeddedJudge
from adjudge.judges.embedded.conversation import read_conversation
from adjudge.models import Failure
from adjudge.models.cases import Dialogue
from adjudge.protocols.dialogue import dialogue
from adjudge.rubric import shipped

RESAMPLES = 1000
STEPS = (1, 2, 3, 4, 5)
CONSTANT = 3

Pairs = tuple[Sequence[float], Sequence[float]]


@dataclass(frozen=True)
class Judged:
    """One conversation: what people said of it, what the judge said, how long it is, and how often it declined."""

    ratings: tuple[int, ...]
    average: float
    overall: int
    turns: int
    not_declined: float

    @property
    def human(self) -> float:
        return sum(self.ratings) / len(self.ratings)


async def judge_all(cases: Sequence[Dialogue]) -> tuple[list[Judged], int, int]:
    """Every conversation judged; how many failed, and how many carry no human rating to compare with."""
    judge, rubric = EmbeddedJudge(), shipped("dialogue")
    judged: list[Judged] = []
    failed = unrated = 0
    for case in cases:
        verdict = await dialogue(case, judge, judge, rubric)
        if isinstance(verdict, Failure):
            failed += 1
        elif not case.overall_ratings:
            unrated += 1
        else:
            overall = int(verdict.overall_experience) // 20
            average = float(verdict.final_average)
            judged.append(Judged(case.overall_ratings, average, overall, len(case.turns), not_declined(case)))
    return judged, failed, unrated


def not_declined(case: Dialogue) -> float:
    talk = read_conversation(case)
    return 1 - len(talk.declined) / len(talk.system)


def rounded(value: float) -> int:
    """Half goes up, as people round."""
    return int(value + 0.5)


def fifths(values: Sequence[float]) -> list[int]:
    """A length as a step from 1 to 5: which fifth of all lengths it belongs to."""
    ranks = rankdata(values) / len(values)
    return [max(1, min(5, int(np.ceil(rank * 5)))) for rank in ranks]


def left_out(rows: Sequence[Judged]) -> Pairs:
    """Each annotator beside the mean of the others."""
    single: list[float] = []
    others: list[float] = []
    for row in rows:
        if len(row.ratings) > 1:
            for rating in row.ratings:
                single.append(rating)
                others.append((sum(row.ratings) - rating) / (len(row.ratings) - 1))
    return single, others


def rho(pairs: Pairs) -> float | None:
    first, second = pairs
    if len(set(first)) < 2 or len(set(second)) < 2:
        return None  # without variation there is no rank to agree on
    return float(spearmanr(first, second).statistic)


def alpha(pairs: Pairs) -> float | None:
    if len({*pairs[0], *pairs[1]}) < 2:
        return None
    data = np.array([pairs[0], [rounded(value) for value in pairs[1]]], dtype=float)
    return float(krippendorff.alpha(reliability_data=data, level_of_measurement="ordinal", value_domain=STEPS))


def beside_humans(first: Callable[[Sequence[Judged]], Sequence[float]]) -> Callable[[Sequence[Judged]], Pairs]:
    return lambda rows: (first(rows), [row.human for row in rows])


MEASURES: tuple[tuple[str, Callable[[Sequence[Judged]], float | None]], ...] = (
    ("judge ρ", lambda rows: rho(beside_humans(lambda r: [row.average for row in r])(rows))),
    ("not declined ρ", lambda rows: rho(beside_humans(lambda r: [row.not_declined for row in r])(rows))),
    ("constant ρ", lambda rows: rho(beside_humans(lambda r: [CONSTANT for _ in r])(rows))),
    ("length ρ", lambda rows: rho(beside_humans(lambda r: [row.turns for row in r])(rows))),
    ("length ρ, sign aside", lambda rows: abs(rho(beside_humans(lambda r: [row.turns for row in r])(rows)) or 0.0)),
    ("one human ρ", lambda rows: rho(left_out(rows))),
    ("judge α", lambda rows: alpha(beside_humans(lambda r: [row.overall for row in r])(rows))),
    ("constant α", lambda rows: alpha(beside_humans(lambda r: [CONSTANT for _ in r])(rows))),
    ("length α", lambda rows: alpha(beside_humans(lambda r: fifths([row.turns for row in r]))(rows))),
    ("one human α", lambda rows: alpha(left_out(rows))),
)


def with_interval(rows: Sequence[Judged], measure: Callable[[Sequence[Judged]], float | None]) -> str:
    value = measure(rows) if rows else None
    if value is None:
        return "–"
    rng = np.random.default_rng(0)
    drawn = (measure([rows[index] for index in rng.integers(0, len(rows), len(rows))]) for _ in range(RESAMPLES))
    low, high = np.percentile([found for found in drawn if found is not None], (2.5, 97.5))
    return f"{value:.2f} ({low:.2f} to {high:.2f})"


def report(name: str, rows: Sequence[Judged], failed: int, unrated: int, cost: str) -> str:
    cells = [name, str(len(rows)), str(failed), str(unrated)]
    cells += [with_interval(rows, measure) for _, measure in MEASURES]
    return "| " + " | ".join([*cells, cost]) + " |"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", type=Path, default=os.environ.get("ADJUDGE_DIALOGUES"), help="folder of transcripts")
    parser.add_argument("--set", action="append", default=[], help="only these files, by name without .txt")
    options = parser.parse_args(arguments)
    if options.data is None:
        parser.error("--data DIR or the variable ADJUDGE_DIALOGUES is needed")
    files = [path for path in sorted(Path(options.data).glob("*.txt")) if not options.set or path.stem in options.set]
    # A note about where the files come from may lie beside them.
    files = [path for path in files if b"OVERALL" in path.read_bytes()]
    if not files:
        parser.error(f"{options.data}: no such transcripts with OVERALL lines")
    header = ["set", "n", "failed", "unrated", *(name for name, _ in MEASURES), "CPU ms a conversation"]
    print("| " + " | ".join(header) + " |")
    print("|" + " --- |" * len(header))
    pooled: list[Judged] = []
    all_failed = all_unrated = 0
    for path in files:
        cases = read_dialogues(path.read_bytes(), path.name)
        start = time.process_time()
        rows, failed, unrated = asyncio.run(judge_all(cases))
        spent = (time.process_time() - start) / len(cases) * 1000
        print(report(path.stem, rows, failed, unrated, f"{spent:.2f}"))
        sys.stdout.flush()
        pooled += rows
        all_failed, all_unrated = all_failed + failed, all_unrated + unrated
    print(report("all", pooled, all_failed, all_unrated, ""))


if __name__ == "__main__":
    main()
