"""Probes of a judge of comparisons: does the verdict follow a change that adds nothing?

A verdict moves towards the changed answer (it lost or tied and now ties or wins) or away from it; a bias is that it
moves more often one way. Undecided verdicts count with the best guess. Exchanging the answers needs no call: every case
has both orders.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

import orjson

from ...models.base import Frozen
from ...results.database import opened
from ...results.run import Reader, Run
from ..statistics.intervals import FEW_CASES, share
from ..statistics.metrics import Figure
from .benchmark import mean_by_task
from .changed_cases import ORIGINAL, PLACE, PROBES, SIDE, ProbeName


class ProbeResult(Frozen):
    """What a probe moved. `toward` and `away` are shares of all cases with both verdicts; `net` is how much the changed
    answer gained on average, a win counting 1 and a tie ½. With swap, `toward` is the share of cases whose winner
    changed with the order, and `net` how far the first position wins more often than half.

    `cannot` are cases that the probe would not have changed. `found` is None where nothing tells.
    """

    probe: ProbeName
    cases: int
    cannot: int
    undecided: int
    toward: Figure
    away: Figure | None
    net: Figure
    found: bool | None


class _Verdict(NamedTuple):
    winner: str
    decided: bool
    side: str  # the answer that is changed
    task: int


def measure_probes(runs: Mapping[str, Run], drawn: int) -> list[ProbeResult]:
    """What moved from the run over the original cases to each other one; `drawn` is how many cases were drawn."""
    before = _winners(runs[ORIGINAL])
    return [
        _swapped(runs[ORIGINAL]) if probe == "swap" else _moved(probe, before, _winners(runs[probe]), drawn)
        for probe in PROBES
        if probe == "swap" or probe in runs
    ]


def _moved(probe: ProbeName, before: Mapping[int, _Verdict], after: Mapping[int, _Verdict], drawn: int) -> ProbeResult:
    pairs = [(before[at], verdict) for at, verdict in after.items() if at in before]
    gains = [_worth(new.winner, new.side) - _worth(old.winner, new.side) for old, new in pairs]
    net = _mean_gain([(gain, old.task) for gain, (old, _) in zip(gains, pairs, strict=True)])
    return ProbeResult(
        probe=probe,
        cases=len(pairs),
        cannot=drawn - len(after),
        undecided=sum(not new.decided for _, new in pairs),
        toward=share(sum(gain > 0 for gain in gains), len(gains)),
        away=share(sum(gain < 0 for gain in gains), len(gains)),
        net=net,
        found=_leaves_out_zero(net),
    )


def _swapped(run: Run) -> ProbeResult:
    """The two orders of every case: no further call is needed."""
    verdicts = _winners(run)
    with Reader(run) as reader:
        orders = [orjson.loads(reader.verdict_json(at))["evaluation"]["order"]["winners"] for at in verdicts]
    both = [winners for winners in orders if len(winners) > 1]
    firsts = {"ab": "A", "ba": "B"}
    gains = [fmean(_worth(said, firsts[order]) for order, said in each.items()) - 0.5 for each in orders]
    net = _mean_gain([(gain, verdict.task) for gain, verdict in zip(gains, verdicts.values(), strict=True)])
    return ProbeResult(
        probe="swap",
        cases=len(orders),
        cannot=0,
        undecided=sum(not verdict.decided for verdict in verdicts.values()),
        toward=share(sum(each["ab"] != each["ba"] for each in both), len(both)),
        away=None,
        net=net,
        found=_leaves_out_zero(net),
    )


def _mean_gain(gains: Sequence[tuple[float, int]]) -> Figure:
    """The mean gain, each with its case's task."""
    tasks = len({task for _, task in gains})
    if len({gain for gain, _ in gains}) != 1 or tasks < FEW_CASES:
        return mean_by_task(gains)
    # All cases moved alike: a bootstrap has no width then, but Wilson's interval bounds how many others might not have.
    gain, bound = gains[0][0], share(tasks, tasks).interval or (0.0, 1.0)
    ends = sorted((gain, gain * bound[0])) if gain else (bound[0] - 1, 1 - bound[0])
    return Figure(gain, len(gains), "", (ends[0], ends[1]))


def _winners(run: Run) -> dict[int, _Verdict]:
    """The verdicts of a run by the place of the case among those drawn."""
    with opened(run) as database:
        found = database.query(
            f"""select {PLACE}, winner, decided is not false, {SIDE}, c.task from results
            join cases as c using (position) where status = 'verdict'"""
        )
    return {int(at): _Verdict(*verdict) for at, *verdict in found}


def _worth(winner: str, side: str) -> float:
    return 0.5 if winner == "tie" else float(winner == side)


def _leaves_out_zero(figure: Figure) -> bool | None:
    return None if figure.interval is None else not figure.interval[0] <= 0 <= figure.interval[1]
