"""How often the embedded judge agrees with people, and how often simply choosing the longer answer would.

    python bench/embedded_agreement.py --data DIR [--set NAME ...]

DIR (or the variable ADJUDGE_DATA) holds one JSONL file a set, with rows: id, task, response_a, response_b,
human (A, B or tie) and optionally context. Where people named a winner, a tie earns half a point, as a coin would;
beside it stands the figure with such ties counted as wrong. Intervals are bootstrap percentiles from a fixed seed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from adjudge.cases import Comparison
from adjudge.errors import InputError
from adjudge.judges.embedded import EmbeddedJudge
from adjudge.protocols.compare import CompareOptions, compare
from adjudge.rubric import shipped
from adjudge.verdicts import Failure, Winner
from adjudge.words import count_words

RESAMPLES = 1000


@dataclass(frozen=True)
class Judged:
    human: Winner
    verdict: Winner
    preference: Winner
    longest: Winner


async def judge_file(path: Path) -> tuple[list[Judged], int]:
    """Every row that makes a case, judged; and how many did not (an empty answer is none)."""
    judge, rubric = EmbeddedJudge(), shipped("compare")
    judged: list[Judged] = []
    skipped = 0
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            try:
                case = Comparison(row["task"], row["response_a"], row["response_b"], row.get("context") or "")
            except InputError:
                skipped += 1
                continue
            # The judge gives the same opinion in both orders, so one is enough.
            verdict = await compare(case, judge, rubric, CompareOptions(one_order=True))
            if isinstance(verdict, Failure):
                raise SystemExit(f"{row['id']}: {verdict.message}")
            judged.append(Judged(row["human"], verdict.winner, verdict.opinions[0].preference, longest(case)))
    return judged, skipped


def longest(case: Comparison) -> Winner:
    a, b = count_words(case.a), count_words(case.b)
    a, b = (a, b) if a != b else (len(case.a), len(case.b))
    return "tie" if a == b else "A" if a > b else "B"


def agreement(rows: Sequence[Judged], said: Callable[[Judged], Winner]) -> float:
    """The share of equal labels; where people named a winner, a tie earns half a point, as a coin would."""
    points = 0.0
    for row in rows:
        guess = said(row)
        points += 1.0 if guess == row.human else 0.5 if guess == "tie" else 0.0
    return points / len(rows)


def exact_agreement(rows: Sequence[Judged], said: Callable[[Judged], Winner]) -> float:
    return sum(said(row) == row.human for row in rows) / len(rows)


def with_interval(
    rows: Sequence[Judged], score: Callable[[Sequence[Judged], Callable[[Judged], Winner]], float],
    said: Callable[[Judged], Winner],
) -> str:  # fmt: skip
    if not rows:
        return "–"
    rng = random.Random(0)
    samples = sorted(score(rng.choices(rows, k=len(rows)), said) for _ in range(RESAMPLES))
    low, high = samples[round(RESAMPLES * 0.025)], samples[round(RESAMPLES * 0.975) - 1]
    return f"{score(rows, said) * 100:.1f} ({low * 100:.0f}–{high * 100:.0f})"


def report(name: str, rows: list[Judged], skipped: int, seconds: float) -> str:
    decided = [row for row in rows if row.human != "tie"]
    ties = sum(row.verdict == "tie" for row in rows) / max(1, len(rows))
    cells = [
        name,
        str(len(rows)),
        str(skipped),
        str(len(rows) - len(decided)),
        with_interval(decided, agreement, lambda row: row.verdict),
        with_interval(decided, exact_agreement, lambda row: row.verdict),
        with_interval(decided, agreement, lambda row: row.preference),
        with_interval(decided, agreement, lambda row: row.longest),
        with_interval(decided, exact_agreement, lambda row: row.longest),
        with_interval(rows, exact_agreement, lambda row: row.verdict),
        with_interval(rows, exact_agreement, lambda row: row.longest),
        f"{ties * 100:.0f} %",
        f"{seconds / max(1, len(rows)) * 1000:.2f}",
    ]
    return "| " + " | ".join(cells) + " |"


HEADER = (
    "| set | pairs | skipped | human ties | verdict, non-ties | same, its ties wrong | preference, non-ties "
    "| longest, non-ties | same, its ties wrong | verdict, 3 classes | longest, 3 classes | says tie | CPU ms a pair |"
)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", type=Path, default=os.environ.get("ADJUDGE_DATA"), help="folder of JSONL files")
    parser.add_argument("--set", action="append", default=[], help="only these files, by name without .jsonl")
    options = parser.parse_args(arguments)
    if options.data is None:
        parser.error("--data DIR or the variable ADJUDGE_DATA is needed")
    files = [path for path in sorted(Path(options.data).glob("*.jsonl")) if not options.set or path.stem in options.set]
    if not files:
        parser.error(f"{options.data}: no such JSONL files")
    print(HEADER)
    print("|" + " --- |" * HEADER.count(" | ") + " --- |")
    pooled: list[Judged] = []
    all_skipped = 0
    for path in files:
        start = time.process_time()
        rows, skipped = asyncio.run(judge_file(path))
        print(report(path.stem, rows, skipped, time.process_time() - start))
        sys.stdout.flush()
        pooled += rows
        all_skipped += skipped
    print(report("all", pooled, all_skipped, 0.0).rsplit("|", 2)[0] + "| |")


if __name__ == "__main__":
    main()
