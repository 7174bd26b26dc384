"""Measures the CPU time of the embedded judge: for pairs of ordinary and of very long answers, and for start-up.

    python bench/embedded_speed.py --data DIR

DIR (or the variable ADJUDGE_DATA) holds the pairs of bench/embedded_agreement.py. A comparison is the whole protocol:
facts, both orders, the verdict. As a reference, the bench also measures one regular expression that finds the words of
both answers on the same machine; read the ratio. Start-up is the time of a process that imports adjudge and makes its
first verdict, minus that of an empty process; its reference is the import of pydantic alone.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from labelled import labelled_pairs

from adjudge.judges.embedded import EmbeddedJudge
from adjudge.protocols.compare.case import Comparison
from adjudge.protocols.compare.rules import compare
from adjudge.protocols.rubrics import shipped

ROUNDS = 5
LONG = 100_000  # characters
_WORD = re.compile(r"\w+")
_FIRST = "import adjudge; adjudge.compare_sync('Name two colours.', 'Red, blue.', 'I like music.', journal={!r})"


def pairs(folder: Path) -> list[Comparison]:
    """Return pairs of answers of about 500 words."""
    rows = [json.loads(line) for line in (folder / "autoj.jsonl").read_text("utf-8").splitlines()]
    usual = [row for row in rows if all(350 <= len(row[side].split()) <= 650 for side in ("response_a", "response_b"))]
    return [Comparison(row["task"], row["response_a"], row["response_b"]) for row in usual]


def long_pairs(folder: Path) -> list[Comparison]:
    """Return pairs of answers of 100,000 characters each, all different."""
    rows = [json.loads(line) for line in (folder / "autoj.jsonl").read_text("utf-8").splitlines()]
    a, b = (" ".join(row[side] for row in rows) for side in ("response_a", "response_b"))
    starts = range(0, min(len(a), len(b)) - LONG, LONG)
    return [Comparison("Explain it.", a[at : at + LONG], b[at : at + LONG]) for at in starts]


def least(work: Callable[[], object], times: int = ROUNDS) -> float:
    """Return the shortest of several runs, in milliseconds of CPU time of this process."""
    took = []
    for _ in range(times):
        began = time.process_time()
        work()
        took.append(time.process_time() - began)
    return min(took) * 1000


def judged(cases: Sequence[Comparison]) -> float:
    """Return the CPU milliseconds per comparison."""
    judge, rubric = EmbeddedJudge(), shipped("compare")

    async def all_of_them() -> None:
        for case in cases:
            await compare(case, judge, rubric)

    asyncio.run(all_of_them())
    return least(lambda: asyncio.run(all_of_them())) / len(cases)


def words_found(cases: Sequence[Comparison]) -> float:
    """Return the CPU milliseconds to find the words of a pair."""
    return least(lambda: [_WORD.findall(text) for case in cases for text in (case.a, case.b)]) / len(cases)


def started(code: str) -> float:
    """Return the CPU milliseconds of a process that runs this code, with its modules already compiled."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    took = []
    for _ in range(ROUNDS + 1):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", code], check=True, env=environment)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        took.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(took[1:]) * 1000


def main() -> None:
    data = labelled_pairs(__doc__)
    print(f"{'':38}{'ms of CPU':>10}{'beside it':>12}{'ratio':>8}")
    for name, cases in (
        ("two answers of about 500 words", pairs(data)),
        ("two answers of 100,000 characters", long_pairs(data)),
    ):
        took, beside = judged(cases), words_found(cases)
        print(f"{name:38}{took:10.1f}{beside:12.2f}{took / beside:8.1f}")
    with tempfile.TemporaryDirectory() as folder:
        bare = started("pass")
        first = started(_FIRST.format(str(Path(folder) / "journal.db"))) - bare
        ready = started("import adjudge.protocols.compare.embedded") - bare
    pydantic = started("import pydantic; pydantic.BaseModel") - bare
    print(f"{'the judge imported':38}{ready:10.0f}{pydantic:12.0f}{ready / pydantic:8.1f}")
    print(f"{'… and the first verdict, stored':38}{first:10.0f}{pydantic:12.0f}{first / pydantic:8.1f}")


if __name__ == "__main__":
    main()
