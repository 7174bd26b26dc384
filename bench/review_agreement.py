"""Compares the side that the embedded judge takes in a review without any ratings with what people preferred.

    python bench/review_agreement.py --data DIR

DIR (or the variable ADJUDGE_DATA) holds the pairs of bench/embedded_agreement.py. Every pair becomes a review in which
nothing was entered. Its tables are filled by facts alone, because the embedded judge assesses no dimension, and the
Likert follows from the tables. If the tables name a better side, it is compared with the people's choice, and so is the
longer of the two responses. No weights are fitted: the tables come from rules.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from labelled import labelled_pairs

from adjudge.judges.embedded import EmbeddedJudge
from adjudge.protocols.review.case import Review
from adjudge.protocols.review.rules import review
from adjudge.protocols.review.verdict import ReviewVerdict
from adjudge.protocols.rubrics import shipped
from adjudge.rubric import LIKERT

SETS = ("pandalm", "autoj", "llmbar-mt-bench", "llmbar-llmeval2", "llmbar-natural")
ADVERSARIAL = ("llmbar-neighbor", "llmbar-gptinst", "llmbar-gptout", "llmbar-manual")
EVEN = sum(map(int, (LIKERT.low, LIKERT.high))) // 2


@dataclass
class Counts:
    """Counts of the pairs of one set, by outcome."""

    pairs: int = 0
    invalid: int = 0
    sided: int = 0
    people_tie: int = 0
    right: int = 0
    longer_right: int = 0


async def counted(rows: Iterable[Mapping[str, Any]]) -> Counts:
    """Judge and count all pairs of one set."""
    judge, rubric, counts = EmbeddedJudge(), shipped("review"), Counts()
    for row in rows:
        a, b = str(row["response_a"]), str(row["response_b"])
        verdict = await review(Review(row["task"], a, b), judge, rubric)
        assert isinstance(verdict, ReviewVerdict), verdict
        counts.pairs += 1
        if verdict.likert is None:
            counts.invalid += 1
        elif verdict.likert.value != EVEN:
            counts.sided += 1
            counts.people_tie += row["human"] == "tie"
            counts.right += row["human"] == ("A" if verdict.likert.value < EVEN else "B")
            counts.longer_right += row["human"] == ("A" if len(a) > len(b) else "B")
    return counts


def main() -> None:
    data = labelled_pairs(__doc__)
    heads = (
        f"{'pairs':>7}{'invalid':>9}{'takes a side':>14}{'people: tie':>13}{'right of the rest':>19}{'longer one':>12}"
    )
    print(f"{'':18}{heads}")
    for name in (*SETS, *ADVERSARIAL):
        lines = (data / f"{name}.jsonl").read_text("utf-8").splitlines()
        found = asyncio.run(counted(map(json.loads, lines)))
        rest = found.sided - found.people_tie
        share = f"{found.right} of {rest}{f' ({found.right / rest:.0%})' if rest else ''}"
        longer = f"{found.longer_right / rest:.0%}" if rest else "–"
        side = f"{found.sided} ({found.sided / found.pairs:.0%})"
        print(f"{name:18}{found.pairs:7}{found.invalid:9}{side:>14}{found.people_tie:13}{share:>19}{longer:>12}")


if __name__ == "__main__":
    main()
