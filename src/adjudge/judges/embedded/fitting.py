"""From labelled pairs to a model: weights by regression, how sure to be and when to decide from held-out tasks.

Needs NumPy and SciPy (the extra `fit`); judging needs neither. Convex and without chance but for the folds, so that
the same rows and the same seed give the same model.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...errors import InputError
from ...verdicts import Winner
from .labels import Row, Sample, measure_rows, read_rows
from .measures import Measured
from .model import (
    NEVER,
    SUPERFICIAL,
    Model,
    Part,
    Prediction,
    cast_votes,
    chances_of,
    is_superficial,
    keenness,
    predict,
    tie_level,
)
from .regression import fit_weights

__all__ = [
    "SEED", "Agreement", "Row", "Sample", "agreement", "calibration_error", "cross_validate", "cross_validate_samples",
    "fit", "fit_samples", "measure_rows", "read_rows",
]  # fmt: skip

SEED = 1
FOLDS = 5
_FEW = 30  # pairs, fewer cannot carry a fit
_RIGHT_WHEN_DECIDED = 0.82
_SETS = 3  # from so many sets on, what is held out is a set
TIE_RATE = 0.15  # the share of ties that people call: a tenth in some sets, a quarter in others


@dataclass(frozen=True, slots=True)
class Agreement:
    """How a model did on pairs it was not fitted to; shares from 0 to 1."""

    pairs: int
    three_classes: float
    without_ties: float
    longest: float
    calibration_error: float
    decided: float
    right_when_decided: float


def fit(
    rows: Iterable[Row], seed: int = SEED, harmless: Iterable[Row] = (), about: Mapping[str, Any] | None = None
) -> Model:
    """A model from labelled rows; with rows about harmful requests it has a part for these too."""
    return fit_samples(measure_rows(rows), seed, measure_rows(harmless), about)


def fit_samples(
    samples: Sequence[Sample], seed: int = SEED, harmless: Sequence[Sample] = (), about: Mapping[str, Any] | None = None
) -> Model:
    """The same from rows already measured."""
    if len(samples) < _FEW:
        raise InputError("labels", f"{len(samples)} pairs", f"at least {_FEW} are needed for a fit")
    helpful, decide = _fit_part(samples, seed, signed=True)
    parts = {"helpful": helpful}
    if len(harmless) >= _FEW:
        parts["harmless"] = _fit_part(harmless, seed, signed=False)[0]
    return Model(parts, decide, dict(about or {}))


def cross_validate(rows: Iterable[Row], seed: int = SEED, folds: int = FOLDS) -> Agreement:
    """How well a model of these rows would do on tasks it has not seen."""
    return cross_validate_samples(measure_rows(rows), seed, folds)


def cross_validate_samples(
    samples: Sequence[Sample], seed: int = SEED, folds: int = FOLDS, *, signed: bool = True
) -> Agreement:
    """The same from rows already measured."""
    judged = []
    for train, held in _folds(samples, seed, folds):
        part, decide = _fit_part(train, seed, signed=signed)
        model = Model({"helpful": part}, decide)
        judged += [(sample, predict(model, sample.measured)) for sample in held]
    return agreement(judged)


def agreement(judged: Sequence[tuple[Sample, Prediction]]) -> Agreement:
    """Figures of predictions beside people's labels."""
    clear = [(sample, guess) for sample, guess in judged if sample.row.human != "tie"]
    has_ties = len(clear) < len(judged)
    sure = [guess.confidence if has_ties else guess.preference_confidence for _, guess in judged]
    right = [(guess.winner if has_ties else guess.preference) == sample.row.human for sample, guess in judged]
    decided = [is_right for is_right, (_, guess) in zip(right, judged, strict=True) if guess.decided]
    return Agreement(
        pairs=len(judged),
        three_classes=_mean([guess.winner == sample.row.human for sample, guess in judged]),
        without_ties=_mean([guess.preference == sample.row.human for sample, guess in clear]),
        longest=_mean([_longest(sample.measured) == sample.row.human for sample, _ in clear]),
        calibration_error=calibration_error(sure, right),
        decided=len(decided) / max(1, len(judged)),
        right_when_decided=_mean(decided),
    )


def calibration_error(sure: Sequence[float], right: Sequence[bool], bins: int = 10) -> float:
    """The expected calibration error: how far confidence and the share of right ones lie apart, bin by bin."""
    error = 0.0
    for index in range(bins):
        inside = [
            (confidence, hit)
            for confidence, hit in zip(sure, right, strict=True)
            if min(bins - 1, int(confidence * bins)) == index
        ]
        if inside:
            gap = sum(confidence for confidence, _ in inside) - sum(hit for _, hit in inside)
            error += abs(gap) / max(1, len(sure))
    return error


def _longest(measured: Measured) -> Winner:
    difference = measured.a["length"].value - measured.b["length"].value
    return "A" if difference > 0 else "B" if difference < 0 else "tie"


def _mean(hits: Sequence[bool]) -> float:
    return sum(hits) / len(hits) if hits else math.nan


def _folds(samples: Sequence[Sample], seed: int, folds: int) -> list[tuple[list[Sample], list[Sample]]]:
    """Pairs of training and held-out samples; a task is in one fold only."""
    groups = sorted({sample.row.group for sample in samples})
    random.Random(seed).shuffle(groups)
    fold = {group: index % folds for index, group in enumerate(groups)}
    if len(groups) < folds:
        raise InputError("labels", f"{len(groups)} different tasks", f"at least {folds} are needed")
    return [
        (
            [sample for sample in samples if fold[sample.row.group] != index],
            [sample for sample in samples if fold[sample.row.group] == index],
        )
        for index in range(folds)
    ]


def _fit_part(samples: Sequence[Sample], seed: int, *, signed: bool) -> tuple[Part, float]:
    """Weights from all samples; sharpness, ties and the threshold of deciding from samples held out.

    Labels of several sets are held out a set at a time, for a new set is what the model will meet; and as how often
    people call a tie differs from set to set, a rate between theirs is taken.
    """
    whole = fit_weights(samples, signed=signed)
    several = len({sample.row.source for sample in samples}) >= _SETS
    views = []
    for train, rest in _by_source(samples) if several else _folds(samples, seed, FOLDS):
        part = fit_weights(train, signed=signed)
        views += [_view(part, whole, sample) for sample in rest]
    with_ties = {view.source for view in views if view.human == "tie"}
    # Where nobody could say tie, or how many did is a matter of the set, a winner's chance is the one given a winner.
    labelled = [
        view if view.source in with_ties and not several else replace(view, level=NEVER)
        for view in views
        if not several or view.human != "tie"
    ]
    grid = [round(0.3 + 0.05 * step, 2) for step in range(55)]
    sharpness = max(grid, key=lambda value: sum(view.log_chance(value) for view in labelled))
    tie = whole.tie
    if several and tie:
        shift = _shift(views, sharpness)
        tie = {**tie, "always": round(tie["always"] + shift, 4)}
        views = [replace(view, level=view.level + shift) for view in views]
    return replace(whole, tie=tie, sharpness=sharpness), _threshold(views, sharpness)


def _by_source(samples: Sequence[Sample]) -> list[tuple[list[Sample], list[Sample]]]:
    """Each set held out, and its tasks out of what is fitted."""
    folds = []
    for source in sorted({sample.row.source for sample in samples}):
        held = [sample for sample in samples if sample.row.source == source]
        tasks = {sample.row.group for sample in held}
        train = [sample for sample in samples if sample.row.source != source and sample.row.group not in tasks]
        if len(train) >= _FEW:
            folds.append((train, held))
    return folds


def _shift(views: Sequence[_View], sharpness: float) -> float:
    """What brings the mean chance of a tie to the rate that is expected."""
    low, high = -12.0, 12.0
    for _ in range(40):
        middle = (low + high) / 2
        chances = [chances_of(sharpness * view.score, view.level + middle)["tie"] for view in views]
        low, high = (low, middle) if sum(chances) > TIE_RATE * len(chances) else (middle, high)
    return round(low, 4)


@dataclass(frozen=True, slots=True)
class _View:
    """A held-out pair as the folds' models see it."""

    score: float
    level: float
    most: float
    human: Winner
    source: str

    def chances(self, sharpness: float) -> Mapping[Winner, float]:
        return chances_of(sharpness * self.score, self.level, self.most)

    def log_chance(self, sharpness: float) -> float:
        return math.log(max(1e-9, self.chances(sharpness)[self.human]))


def _view(part: Part, whole: Part, sample: Sample) -> _View:
    votes = cast_votes(part, sample.measured)
    score = sum(vote.moved for vote in votes)
    most = SUPERFICIAL if is_superficial(sample.measured, votes, score) else 1.0
    level = tie_level(whole, sample.measured)
    return _View(score * keenness(sample.measured), level, most, sample.row.human, sample.row.source)


def _threshold(views: Sequence[_View], sharpness: float) -> float:
    """The lowest confidence from which on enough of the held-out verdicts agree with people."""
    said = []
    for view in views:
        chances = view.chances(sharpness)
        winner: Winner = max(("A", "B", "tie"), key=lambda name: chances[name])
        said.append((chances[winner], winner == view.human))
    for step in range(40, 79):
        kept = [hit for confidence, hit in said if confidence >= step / 100]
        if kept and _mean(kept) >= _RIGHT_WHEN_DECIDED:
            return step / 100
    return SUPERFICIAL
