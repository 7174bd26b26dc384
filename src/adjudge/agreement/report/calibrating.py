"""A run and its labels → a calibration that its rubric can keep, and criterion weights learned from the same labels.

Only cases drawn at random count where that is known: those picked for their doubts would teach a map what judges say of
hard cases. Which answer is called A means nothing, so every comparison and preference counts from both sides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ...errors import InputError
from ...models.calibration import CalibratedKind, SavedCalibration, SavedWeights
from ...models.rows import own_columns
from ...results.columns import name
from ...results.database import Database, opened
from ...results.run import Run
from ...rubric import CALIBRATED, LIKERT
from ..labels.files import now
from ..labels.sources import LabelSet
from ..statistics.calibration import (
    FEW_CASES,
    Calibration,
    LearnedWeights,
    calibrate,
    learn_score_weights,
    learn_weights,
)

# The number a calibration maps (models/rows.py, score_of), the same without a map on the human scale, and what a
# label says on it.
_SCORES = {"compare": "r.normalized_a - r.normalized_b", "dialogue": "r.average", "review": "r.likert"}
_UNCHANGED = {
    "compare": "case r.winner when 'A' then 1.0 when 'B' then 0.0 else 0.5 end",
    "dialogue": "r.average",
    "review": "r.likert",
}
_WORTH = {"A": 1.0, "tie": 0.5, "B": 0.0}
_PLACES = 9


@dataclass(frozen=True, slots=True)
class CalibrationReport:
    """What labels teach about a run's judge: the map with its held-out errors, the weights beside the defaults.

    `weights` is None for a review, whose weights only break ties. `picked` cases have labels and do not count, because
    they were chosen for their doubts; `unjudged` ones have no verdict to compare with.
    """

    run: str
    judge: str
    rubric: str
    what: CalibratedKind
    source: str
    cases: int
    labels: int
    people: int
    picked: int
    unjudged: int
    calibration: Calibration
    weights: LearnedWeights | None

    def saved(self, date: str = "") -> SavedCalibration | None:
        """What a rubric keeps of it; None where no map was chosen."""
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


@dataclass(frozen=True, slots=True)
class _OneLabel:
    """One person's label of one judged case, on the human scale."""

    group: int
    score: float
    unchanged: float
    human: float
    value: Any
    scores: Sequence[float | None]


def calibrate_run(run: Run, labels: LabelSet) -> CalibrationReport:
    """The calibration of a run's judge under its rubric."""
    chosen = sorted(labels.by_case if labels.at_random is None else labels.at_random)
    with opened(run) as database:
        rows = _rows(database, chosen)
    judges = sorted({judge for _, judge, *_ in rows.values()})
    if not judges:
        raise InputError(
            str(run.folder), "no labelled case has a verdict", f"continue: adjudge run --resume {run.folder}"
        )
    if len(judges) > 1:
        found = f"{len(judges)} judges: {', '.join(judges)}"
        raise InputError(str(run.folder), found, "the labelled cases must be judged by one judge")
    said = []
    for position, (group, _, score, unchanged, *scores) in rows.items():
        for label in labels.by_case[position].values():
            human = _WORTH[label.value] if isinstance(label.value, str) else float(label.value or 0)
            said.append(_OneLabel(group, float(score), float(unchanged), human, label.value, scores))
    return CalibrationReport(
        run=run.name,
        judge=judges[0],
        rubric=run.rubric.reference,
        what=CALIBRATED[run.protocol],
        source=labels.source,
        cases=len(rows),
        labels=len(said),
        people=len({annotator for position in rows for annotator in labels.by_case[position]}),
        picked=len(labels.by_case) - len(chosen),
        unjudged=len(chosen) - len(rows),
        calibration=_map(run.protocol, said, len(rows)),
        weights=_weights(run, said),
    )


def _rows(database: Database, positions: Sequence[int]) -> dict[int, tuple[Any, ...]]:
    """Of the cases that have a number: the group that is held out together, judge, score, and scores of criteria."""
    run = database.run
    group = "c.task" if run.protocol == "compare" else "c.content"
    criteria = ", ".join(f"r.{name(column)}" for pair in _criterion_columns(run) for column in pair)
    asked = f"""select r.position, {group}, r.judge, {_SCORES[run.protocol]} as score, {_UNCHANGED[run.protocol]}
        {", " if criteria else ""}{criteria} from results as r join cases as c using (position)
        where r.status = 'verdict' and score is not null and list_contains(?, r.position) order by r.position"""
    return {position: tuple(row) for position, *row in database.query(asked, list(positions))}


def _criterion_columns(run: Run) -> list[tuple[str, ...]]:
    """The columns of each criterion's scores: of both answers, or of a dialogue; none for a review."""
    if run.protocol == "review":
        return []
    ends = ("_a", "_b") if run.protocol == "compare" else ("",)
    found = []
    for criterion in run.rubric.criteria:
        own = {column.name for column in own_columns(run.protocol, {criterion.key: ""})}
        stem = next(stem for stem in (f"criterion_{criterion.key}", criterion.key) if f"{stem}{ends[0]}" in own)
        found.append(tuple(f"{stem}{end}" for end in ends))
    return found


def _map(protocol: Literal["compare", "dialogue", "review"], said: Sequence[_OneLabel], cases: int) -> Calibration:
    scores, human, groups, unchanged = (
        [getattr(each, part) for each in said] for part in ("score", "human", "group", "unchanged")
    )
    if cases < FEW_CASES:
        reason = f"too few labelled cases for a map: {cases}, at least {FEW_CASES}"
        return Calibration(None, {}, cases, reason)
    if protocol != "dialogue":
        # The same from the other side: the mirror image of a lead is about 0, of a preference about 4.
        about = 0.0 if protocol == "compare" else float(LIKERT.low + LIKERT.high)
        ends = 1.0 if protocol == "compare" else about
        scores += [about - score for score in scores]
        human += [ends - value for value in human]
        unchanged += [ends - value for value in unchanged]
        groups += groups
    # Leads are sums of decimal numbers: what differs in the last bit is one score.
    return calibrate([round(score, _PLACES) for score in scores], human, groups, unchanged)


def _weights(run: Run, said: Sequence[_OneLabel]) -> LearnedWeights | None:
    defaults = {criterion.key: float(criterion.weight) for criterion in run.rubric.criteria}
    groups = [each.group for each in said]
    if run.protocol == "compare":
        differences = [
            {
                key: a - b
                for key, a, b in zip(defaults, each.scores[::2], each.scores[1::2], strict=True)
                if a is not None and b is not None
            }
            for each in said
        ]
        return learn_weights(differences, [each.value for each in said], defaults, groups)
    if run.protocol == "dialogue":
        scores = [dict(zip(defaults, each.scores, strict=True)) for each in said]
        return learn_score_weights(scores, [each.human for each in said], defaults, groups)
    return None
