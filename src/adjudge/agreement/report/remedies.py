"""What labels teach about the judge: a map from its scores to people's, and weights of criteria.

Results are shown beside the judge's own, never instead of them; with too few labels they are missing, with a reason. If
it is known how cases were chosen, only those drawn at random count: cases picked for their doubts would teach the map
about hard cases only. Every label counts separately. Every comparison and preference counts from both sides, because it
must not matter which answer is called A.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from ...errors import InputError
from ...models.base import Frozen
from ...models.calibration import SavedCalibration, SavedWeights
from ...models.figures import Figure
from ...protocols.measured import CalibrationWords
from ...results.run import Run
from ...statistics.calibration import FEW_CASES, Calibration, LearnedWeights, calibrate, learn_weights
from ...statistics.ratings import FEW_IN_PART, parts_of
from ...statistics.resampling import mean_by_unit
from ..labels.files import now
from ..labels.sources import LabelSet
from .joining import LabelledCase, join_labels, number_of

_PLACES = 9


class ScoreBin(Frozen):
    """Cases with similar judge scores: the judge's mean, people's mean, and what the chosen map makes of the judge's
    mean, if there is a map."""

    cases: int
    judge: float
    people: float
    mapped: float | None = None


class MarginBin(Frozen):
    """Comparisons whose totals are between `low` and `high` apart, and how often the judge is right on them."""

    low: float
    high: float
    right: Figure


@dataclass(frozen=True, slots=True)
class CalibrationReport:
    """What was learned from labels about a run's judge: a map with its held-out errors, and weights with the defaults.

    `words` say what the map maps. `weights` is None if weights do not make up the verdict. `picked` labelled cases do
    not count, because they were chosen for their doubts; `unjudged` ones have no verdict to compare with.
    """

    run: str
    judge: str
    rubric: str
    what: str
    words: CalibrationWords
    source: str
    cases: int
    labels: int
    people: int
    picked: int
    unjudged: int
    calibration: Calibration
    weights: LearnedWeights | None

    def saved(self, date: str = "") -> SavedCalibration | None:
        """Return what a rubric stores of the calibration; None if no map was chosen."""
        if self.calibration.chosen is None:
            return None
        learned, weights = self.weights, None
        if learned and learned.weights and learned.loss is not None and learned.default_loss is not None:
            weights = SavedWeights(
                weights={key: round(value, 3) for key, value in learned.weights.items()},
                loss=round(learned.loss, 6),
                default_loss=round(learned.default_loss, 6),
            )
        return SavedCalibration(
            what=self.what,
            judge=self.judge,
            rubric=self.rubric,
            date=date or now()[:10],
            cases=self.cases,
            labels=self.labels,
            people=self.people,
            errors={kind: round(error, 6) for kind, error in self.calibration.errors.items()},
            map=self.calibration.chosen,
            learned_weights=weights,
        )


# -- what labels teach ------------------------------------------------------------------------------------------------


def calibrate_run(run: Run, labels: LabelSet, group: str | None = None) -> CalibrationReport:
    """Calibrate a run's judge under its rubric. The labelled cases must have verdicts, all of one judge. Cases of one
    `group` (a column), else of one task, are held out together."""
    if run.protocol.measured.number is None and not run.protocol.measured.of_numbers:
        raise InputError(str(run.folder), f"a {run.protocol.name} run", "its verdicts have no number to calibrate")
    joined = join_labels(run, labels, others=0, group=group)
    joined.check_columns("--group", [group] if group else [])
    sample = joined.of_sample
    known = _with_numbers(sample)
    judges = sorted({case.row.judge for case in known})
    if not judges:
        allowed = f"continue: adjudge run --resume {run.folder}"
        raise InputError(str(run.folder), "no labelled case has a verdict", allowed)
    if len(judges) > 1:
        found = f"{len(judges)} judges: {', '.join(judges)}"
        raise InputError(str(run.folder), found, "the labelled cases must be judged by one judge")
    return CalibrationReport(
        run=run.name,
        judge=judges[0],
        rubric=run.rubric.reference,
        what=run.protocol.rubric.calibrated,
        words=run.protocol.measured.calibration,
        source=labels.source,
        cases=len(known),
        labels=sum(len(case.votes) for case in known),
        people=len({person for case in known for person in case.votes}),
        picked=len(labels.by_case) - len(sample),
        unjudged=len(sample) - len(known),
        calibration=learned_map(run, known),
        weights=weights_of(run, known),
    )


def learned_map(run: Run, sample: Sequence[LabelledCase]) -> Calibration:
    """Learn the cross-validated map from the judge's numbers to people's. Cases of one task are held out together."""
    known, measured, two_sides = _with_numbers(sample), run.protocol.measured, run.protocol.table.two_sides
    if len(known) < FEW_CASES:
        reason = f"too few labelled cases for a map: {len(known)}, at least {FEW_CASES}"
        return Calibration(None, {}, len(known), reason)
    rows = []
    # With A and B exchanged, a lead is mirrored about 0 and its worth about ½, a preference about its middle.
    about, ends = (0.0, 1.0) if measured.middle is None else (2.0 * measured.middle,) * 2
    for case in known:
        # Leads are sums of decimal numbers, so round them: scores that differ in the last bit are the same score.
        score, group = round(number_of(case.row) or 0.0, _PLACES), case.row.unit
        unchanged = measured.worth_of(case.row.value) if isinstance(case.row.value, str) else score
        for vote in map(measured.worth_of, case.votes.values()):
            rows.append((score, vote, group, unchanged))
            if two_sides:
                rows.append((about - score, ends - vote, group, ends - unchanged))
    scores, human, groups, raw = (list(column) for column in zip(*rows, strict=True))
    return replace(calibrate(scores, human, groups, raw), cases=len(known))


def weights_of(run: Run, sample: Sequence[LabelledCase]) -> LearnedWeights | None:
    """Learn criterion weights from labelled cases; None if the weights do not make up the number behind a verdict."""
    measured = run.protocol.measured
    if not measured.weighted:
        return None
    defaults = {criterion.key: float(criterion.weight) for criterion in run.rubric.criteria}
    rated = [(case.row, vote) for case in _with_numbers(sample) for vote in case.votes.values()]
    human, groups = [measured.worth_of(vote) for _, vote in rated], [row.unit for row, _ in rated]
    if not run.protocol.table.two_sides:
        scores = [{key: row.scores[key][0] for key in defaults} for row, _ in rated]
        return learn_weights(scores, human, defaults, groups)
    both = [{key: row.scores[key] for key in defaults} for row, _ in rated]
    apart = [{key: 0.0 if a is None or b is None else a - b for key, (a, b) in each.items()} for each in both]
    return learn_weights(apart, [worth - 0.5 for worth in human], defaults, groups, of_two=True)


def _with_numbers(sample: Sequence[LabelledCase]) -> list[LabelledCase]:
    endings = ("verdict", "undecided")
    return [case for case in sample if case.votes and case.row.ending in endings and number_of(case.row) is not None]


# -- curves -----------------------------------------------------------------------------------------------------------


def margin_curve(counted: Sequence[LabelledCase]) -> tuple[MarginBin, ...]:
    """Return how often the judge is right, by how far apart its totals are, in four parts of equal size."""
    scored = [(case.row, case.human) for case in counted if case.row.score is not None]
    known = sorted((abs(row.score or 0.0), (row.value == human, row.unit)) for row, human in scored)
    return tuple(
        MarginBin(low=part[0][0], high=part[-1][0], right=mean_by_unit(hit for _, hit in part))
        for part in (parts_of(known, 4) if len(known) >= 2 * FEW_IN_PART else ())
    )


def score_curve(counted: Sequence[LabelledCase], found: Calibration | None) -> tuple[ScoreBin, ...]:
    """Return people's mean and the value of the chosen map, by the judge's number."""
    known = sorted((number_of(case.row) or 0.0, case.human) for case in counted if isinstance(case.human, float))
    bins = []
    for part in parts_of(known, 8) if known else ():
        judge = fmean(score for score, _ in part)
        mapped = None if found is None or found.chosen is None else found.chosen.apply(judge)
        bins.append(ScoreBin(cases=len(part), judge=judge, people=fmean(human for _, human in part), mapped=mapped))
    return tuple(bins)
