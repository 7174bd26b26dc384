"""Simulates gates on runs whose true pass rate is known: how often they pass, fail, or are too close to call.

    python bench/gates.py [--simulations 500] [--seed 0]

The condition is `pass_rate < 0.9` or, against a baseline, `pass_rate < baseline - 0.02`. Everything from the cases'
numbers to the answer is the package's own code. A call is wrong if the gate passes although the condition is true of
the planted rates, or fails although it is not. The last column is the share of wrong calls if the bare number decided
(undecided cases left out, as is usual). Clusters: the answers to one task have their own pass rate, drawn from a beta
distribution, so that two answers to a task correlate by 0.3.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from adjudge.agreement.gates.conditions import GateCondition, read_conditions
from adjudge.agreement.gates.deciding import FAILS, PASSES, TOO_CLOSE, CaseNumber, CaseNumbers, decide
from adjudge.protocols.base import protocol_of
from adjudge.protocols.rubrics import shipped

RATES = (0.95, 0.80, 0.89, 0.90)
CORRELATION = 0.3
LIMIT, MARGIN = "pass_rate < 0.9", "pass_rate < baseline - 0.02"


class Line(NamedTuple):
    """The calls in one situation, and the shares of wrong ones: of the gate, and of the bare number."""

    situation: str
    planted: str
    calls: Counter[str]
    wrong: float
    bare: float

    def markdown(self) -> str:
        total = self.calls.total()
        shares = (self.calls[answer] / total for answer in (PASSES, FAILS, TOO_CLOSE))
        cells = (self.situation, self.planted, *(f"{100 * share:.1f} %" for share in (*shares, self.wrong, self.bare)))
        return f"| {' | '.join(cells)} |"


HEAD = (
    "| situation | planted | passes | fails | too close | wrong calls | wrong by the bare number |\n"
    "| --- | --- | ---: | ---: | ---: | ---: | ---: |"
)


def graded(drawn: Any, rate: float, cases: int, a_task: int = 1, undecided: float = 0.0) -> CaseNumbers:
    """Draw the numbers of graded answers: 1 if passed, 0 if not, both if undecided."""
    tasks = cases // a_task
    odds = 1 / CORRELATION - 1
    rates = np.full(tasks, rate) if a_task == 1 else drawn.beta(rate * odds, (1 - rate) * odds, tasks)
    passed = (drawn.random((tasks, a_task)) < rates[:, None]).ravel().astype(float)
    unknown = drawn.random(cases) < undecided
    numbers = zip(np.where(unknown, 0.0, passed), np.where(unknown, 1.0, passed), strict=True)
    return CaseNumbers([CaseNumber(float(low), float(high), at // a_task) for at, (low, high) in enumerate(numbers)])


def paired(drawn: Any, gained: float, lost: float, cases: int) -> CaseNumbers:
    """Draw differences to a baseline: cases that failed and now pass, and the reverse."""
    at = drawn.random(cases)
    numbers = (at < gained).astype(float) - ((at >= gained) & (at < gained + lost))
    return CaseNumbers([CaseNumber(float(one), float(one), unit) for unit, one in enumerate(numbers)], differences=True)


def simulate(
    condition: GateCondition, truth: float, draw: Callable[[Any], CaseNumbers], simulations: int, seed: int
) -> tuple[Counter[str], float, float]:
    """Decide the condition on drawn cases; return the calls, and the shares of wrong ones."""
    drawn = np.random.default_rng(seed)
    calls: Counter[str] = Counter()
    bare = 0
    is_true = truth < condition.limit - 1e-12
    for _ in range(simulations):
        measured = draw(drawn).measured()
        calls[decide(condition, measured).answer] += 1
        assert measured.figure.value is not None
        bare += (measured.figure.value < condition.limit - 1e-12) != is_true
    return calls, calls[PASSES if is_true else FAILS] / simulations, bare / simulations


def lines(simulations: int = 500, seed: int = 0) -> Iterator[Line]:
    """Simulate all situations."""
    protocol, rubric = protocol_of("grade"), shipped("grade")
    (alone,) = read_conditions([LIMIT], protocol, rubric)
    (relative,) = read_conditions([MARGIN], protocol, rubric, against=True)
    for situation, given in (
        ("200 cases", {"cases": 200}),
        ("200 cases, 5 to a task", {"cases": 200, "a_task": 5}),
        ("200 cases, 10 % undecided", {"cases": 200, "undecided": 0.1}),
        ("20 cases", {"cases": 20}),
        ("1,000 cases", {"cases": 1000}),
    ):
        for rate in RATES:

            def draw(drawn: Any, rate: float = rate, given: Any = given) -> CaseNumbers:
                return graded(drawn, rate, **given)

            yield Line(situation, f"{rate:.2f}", *simulate(alone, rate, draw, simulations, seed))
    # Failures that are rare and come in clusters, near a limit that is high.
    (high,) = read_conditions(["pass_rate < 0.97"], protocol, rubric)
    for rate in (0.96, 0.97):

        def rare(drawn: Any, rate: float = rate) -> CaseNumbers:
            return graded(drawn, rate, 200, a_task=5)

        yield Line("200 cases, 5 to a task, limit 0.97", f"{rate:.2f}", *simulate(high, rate, rare, simulations, seed))
    for cases, gained, lost in (
        (200, 0.02, 0.02),
        (200, 0.0, 0.02),
        (200, 0.05, 0.07),
        (200, 0.02, 0.12),
        (20, 0.0, 0.02),
    ):

        def pairs(drawn: Any, gained: float = gained, lost: float = lost, cases: int = cases) -> CaseNumbers:
            return paired(drawn, gained, lost, cases)

        found = simulate(relative, gained - lost, pairs, simulations, seed)
        yield Line(f"{cases} pairs", f"{100 * gained:.0f} % gained, {100 * lost:.0f} % lost", *found)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--simulations", type=int, default=500, help="simulations per line")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print(HEAD)
    for line in lines(options.simulations, options.seed):
        print(line.markdown(), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
