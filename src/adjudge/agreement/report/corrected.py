"""What people would say of the whole run: win rates, shares and means from labels of some cases and verdicts on all.

All cases with a verdict count; an undecided one counts with the judge's best guess, which costs nothing, because
the estimate is valid for any judge. If several people labelled a case, their mean counts, and a tie is half a win.
Cases that were picked for their doubts count by their share of the run, if the picks tell that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean

from ...models.base import Frozen
from ...models.common import LABELS
from ...protocols.measured import MeasureRules
from ...statistics.agreement import Value
from ...statistics.correction import Corrected, corrected_mean
from ..labels.files import overall_scale
from ..labels.sampling import candidates, doubtful_stratum
from ..labels.sources import LabelSet
from .joining import JoinedRun, JudgedRow, number_of

MOST_SYSTEMS = 12
MEAN = "mean"


class CorrectionFacts(Frozen):
    """What corrected figures rest on. `undecided` cases count with the judge's best guess; `unjudged` ones have no
    verdict and are left out. `picked` cases were labelled for their doubts; `picked_out` says why they do not count.
    """

    cases: int
    undecided: int
    unjudged: int
    picked: int = 0
    picked_out: str = ""


@dataclass(frozen=True, slots=True)
class _Population:
    """The judged rows, the labels of each, which of them were drawn at random or had to be picked, and how many cases
    each row represents."""

    rows: Sequence[JudgedRow]
    votes: Sequence[Sequence[Value]]
    drawn: Sequence[bool]
    doubtful: Sequence[bool] | None
    weights: Sequence[float]

    def mean(
        self,
        judge: Callable[[JudgedRow], float | None],
        person: Callable[[JudgedRow, Value], float],
        scale: tuple[float, float] = (0.0, 1.0),
    ) -> Corrected:
        """Correct the mean of the rows for which `judge` has a number; `person` is the number of a vote."""
        numbers = [judge(row) for row in self.rows]
        at = [place for place, number in enumerate(numbers) if number is not None]
        people = [[person(self.rows[place], vote) for vote in self.votes[place]] for place in at]
        return corrected_mean(
            [number for number in numbers if number is not None],
            [fmean(own) if own else None for own in people],
            [self.rows[place].unit for place in at],
            scale=scale,
            drawn=[self.drawn[place] for place in at],
            doubtful=self.doubtful and [self.doubtful[place] for place in at],
            weights=[self.weights[place] for place in at],
        )


def corrected_of(joined: JoinedRun, labels: LabelSet) -> tuple[dict[str, Corrected], CorrectionFacts | None]:
    """Return win rates (by system if the rows name several, else by side), shares of classes and means of the run, and
    what they rest on. There are none if every judged case is labelled, because then the labels say it all."""
    population, facts = _population(joined, labels)
    if all(population.votes):
        return {}, None
    found: dict[str, Corrected] = {}
    measured, scale = joined.run.protocol.measured, overall_scale(joined.run)
    if joined.run.protocol.table.two_sides:
        each = Counter(name for row in population.rows for name in row.systems or ())
        systems = [system for system, _ in each.most_common(MOST_SYSTEMS)]
        for name in systems if len(systems) > 1 else LABELS:
            found[name] = _win_rate(measured, population, name, by_system=len(systems) > 1)
    elif not measured.numeric:
        for name in measured.classes:
            found[name] = _share(population, name)
    if scale is not None:
        ends = float(scale.low), float(scale.high)
        found[MEAN] = population.mean(number_of, lambda _, vote: float(vote), ends)
    return found, facts


def _share(population: _Population, name: str) -> Corrected:
    """Return the share of a class."""
    return population.mean(lambda row: float(row.winner == name), lambda _, vote: float(vote == name))


def _win_rate(measured: MeasureRules, population: _Population, name: str, *, by_system: bool) -> Corrected:
    """Return how often a side wins, or a system that wrote one of the two answers; a tie counts half."""

    def worth(row: JudgedRow, vote: Value | None) -> float | None:
        names = row.systems or () if by_system else LABELS
        if names.count(name) != 1 or vote is None:
            return None
        worth = measured.worth_of(measured.class_of(vote))
        return worth if names.index(name) == 0 else 1 - worth

    return population.mean(lambda row: worth(row, row.winner), lambda row, vote: worth(row, vote) or 0.0)


def _population(joined: JoinedRun, labels: LabelSet) -> tuple[_Population, CorrectionFacts]:
    by_position = {case.row.position: case for case in joined.labelled}
    # Of a large run, only some of the cases without labels were read.
    others = len(joined.rows) - len(by_position)
    each = (joined.cases - len(by_position)) / others if joined.sampled and others else 1.0
    weights = {position: 1.0 if position in by_position else each for position in joined.rows}
    judged = [row for row in joined.rows.values() if row.judged]
    unjudged = weights.keys() - {row.position for row in judged}
    if labels.at_random is not None:
        # Of copies of a case only one is picked, which represents them all.
        judged.sort(key=lambda row: (row.position in by_position, -row.position))
        judged = list({row.content: row for row in judged}.values())
    known = {row.position: by_position[row.position] for row in judged if row.position in by_position}
    known = {position: case for position, case in known.items() if case.votes}
    picked = {position for position, case in known.items() if not case.at_random}
    stratum: frozenset[int] | str = (
        "how they were picked is not stored with these labels" if picked else frozenset[int]()
    )
    if picked and labels.selection is not None:
        stratum = doubtful_stratum(labels.selection, candidates(joined.run), known)
    left_out = stratum if isinstance(stratum, str) else ""
    voted = {position: tuple(case.votes.values()) for position, case in known.items() if case.at_random or not left_out}
    population = _Population(
        rows=judged,
        votes=[voted.get(row.position, ()) for row in judged],
        drawn=[row.position not in picked for row in judged],
        doubtful=[row.position in stratum for row in judged] if not isinstance(stratum, str) and stratum else None,
        weights=[weights[row.position] for row in judged],
    )
    facts = CorrectionFacts(
        cases=round(sum(population.weights)),
        undecided=round(sum(weights[row.position] for row in judged if row.ending == "undecided")),
        unjudged=round(sum(weights[position] for position in unjudged)),
        picked=len(picked),
        picked_out=left_out,
    )
    return population, facts
