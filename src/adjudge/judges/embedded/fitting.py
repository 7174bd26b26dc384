"""Fit a model to labelled pairs: the weights by Davidson's paired comparison with ties, the rest from held-out labels.

The problem is convex and only the folds are random, so the same rows and seed give the same model. Fitting needs SciPy;
judging does not, so the judge does not import this module.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize  # type: ignore[import-untyped]

from ...errors import InputError
from ...models.common import Winner
from ...statistics.calibration import FOLDS, calibration_error, confidence_bins, folds
from ...statistics.strengths import outcome_odds
from ...text.decoding import decode
from .measures import COUNTS, MEASURES, Measured, measure_pair
from .model import NEAR, NEVER, TASK_LENGTH, Model, Prediction, nearly_same, predict

SEED = 1
_PAIR = "each line has task, response_a, response_b and human (A, B or tie)"
_FEW = 30  # pairs; fewer are not enough for a fit
_SETS = 3  # with at least this many sets, hold out whole sets, since the model will be used on new ones
_RIGHT_WHEN_DECIDED = 0.92
_NEVER_DECIDE = 1.01
_RARE = 0.005  # share of the labels at either end that is left out of the range
_RIDGE, _RIDGE_TIE = 3.0, 3.0
_DIGITS = 4
# The least that these flaws cost, by common sense: labelled pairs hold too few of them to fit it.
_LEAST = {"empty": 2.0, "cut_off": 0.4, "steers": 0.4, "broken": 0.8}
_LEAST_ALIKE = 2.0  # one word more or less must not make a winner


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """One pair that people judged. `source` names the set it comes from."""

    task: str
    a: str
    b: str
    human: Winner
    source: str = ""

    @property
    def group(self) -> str:
        """The task, with its white space normalized. Rows with the same task are never split between folds."""
        return " ".join(self.task.split())


@dataclass(frozen=True, slots=True)
class Sample:
    """A row with its measures."""

    row: LabelledPair
    measured: Measured


@dataclass(frozen=True, slots=True)
class Agreement:
    """How a model did on pairs that it was not fitted to, as shares from 0 to 1."""

    pairs: int
    three_classes: float
    without_ties: float
    longest: float
    calibration_error: float
    decided: float
    right_when_decided: float


def read_rows(path: Path) -> list[LabelledPair]:
    """Read the rows of a JSONL file: task, response_a, response_b, human."""
    rows = []
    for number, line in enumerate(decode(path.read_bytes(), path.name).split("\n"), 1):
        if not line.strip():
            continue
        place = f"{path.name}:{number}"
        try:
            data = json.loads(line)
            task, a, b = (str(data[key]) for key in ("task", "response_a", "response_b"))
            human = data["human"]
        except KeyError as error:
            raise InputError(place, f"{error.args[0]} is missing", _PAIR) from None
        except (ValueError, TypeError):
            raise InputError(place, "not a JSON object", _PAIR) from None
        if human not in ("A", "B", "tie"):
            raise InputError(place, f"human is {json.dumps(human)}", "one of A, B, tie")
        rows.append(LabelledPair(task, a, b, human, str(data.get("source") or path.stem)))
    return rows


def measure_rows(rows: Iterable[LabelledPair]) -> list[Sample]:
    """Measure every row. This is the slow part, so do it once for many fits."""
    return [Sample(row, measure_pair(row.task, row.a, row.b)) for row in rows]


def fit_samples(samples: Sequence[Sample], seed: int = SEED, about: Mapping[str, Any] | None = None) -> Model:
    """Fit the weights to all samples, and the sharpness and decision threshold to held-out samples."""
    if len(samples) < _FEW:
        raise InputError("labels", f"{len(samples)} pairs", f"at least {_FEW} are needed for a fit")
    model = _fit_weights(samples)
    several = len({sample.row.source for sample in samples}) >= _SETS
    held: list[tuple[Model, Sample]] = []
    for train, rest in _folds(samples, seed, by_set=several):
        held += zip(repeat(_fit_weights(train)), rest)
    sharpness = _sharpness([(predict(part, sample.measured).score, sample.row.human) for part, sample in held])
    # How often people call a tie differs from set to set, so use the estimate from all sets together.
    update = {"sharpness": sharpness, "tie": model.tie}
    decide = _threshold([(sample, predict(part.model_copy(update=update), sample.measured)) for part, sample in held])
    return model.model_copy(update={"sharpness": sharpness, "decide": decide, "about": dict(about or {})})


def cross_validate_samples(samples: Sequence[Sample], seed: int = SEED) -> Agreement:
    """Estimate how well a model fitted to these rows would do on tasks it has not seen."""
    judged: list[tuple[Sample, Prediction]] = []
    for train, held in _folds(samples, seed):
        model = fit_samples(train, seed)
        judged += [(sample, predict(model, sample.measured)) for sample in held]
    clear = [(sample, guess) for sample, guess in judged if sample.row.human != "tie"]
    right = [is_right(sample, guess, may_tie=len(clear) < len(judged)) for sample, guess in judged]
    sure = [guess.confidence if len(clear) < len(judged) else guess.preference_confidence for _, guess in judged]
    decided = [hit for hit, (_, guess) in zip(right, judged, strict=True) if guess.decided]
    return Agreement(
        pairs=len(judged),
        three_classes=_mean([guess.winner == sample.row.human for sample, guess in judged]),
        without_ties=_mean([guess.preference == sample.row.human for sample, guess in clear]),
        longest=_mean([longest(sample) == sample.row.human for sample, _ in clear]),
        calibration_error=calibration_error(confidence_bins(zip(sure, right, strict=True))) or 0.0,
        decided=len(decided) / len(judged),
        right_when_decided=_mean(decided),
    )


def is_right(sample: Sample, guess: Prediction, *, may_tie: bool) -> bool:
    """Return whether a prediction is what people said. If they could not say tie, compare the preference."""
    return (guess.winner if may_tie else guess.preference) == sample.row.human


def longest(sample: Sample) -> Winner:
    """Return the answer with more words."""
    a, b = sample.measured.words
    return "A" if a > b else "B" if b > a else "tie"


def _folds(
    samples: Sequence[Sample], seed: int, *, by_set: bool = False
) -> Iterator[tuple[list[Sample], list[Sample]]]:
    """Yield training and held-out samples, split by task or by set. No task is in both."""
    groups = [sample.row.group for sample in samples]
    if (tasks := len(set(groups))) < FOLDS:
        raise InputError("labels", f"{tasks} different tasks", f"at least {FOLDS} are needed")
    for train, held in folds(groups, seed, [sample.row.source for sample in samples] if by_set else None):
        yield [samples[at] for at in train], [samples[at] for at in held]


def _sharpness(scored: Sequence[tuple[float, Winner]]) -> float:
    """Return the factor that calibrates the score on the pairs where people named a winner."""
    toward = [score if human == "A" else -score for score, human in scored if human != "tie"]
    grid = [round(0.1 + 0.05 * step, 2) for step in range(60)]
    return min(grid, key=lambda value: sum(math.log1p(math.exp(-2 * value * score)) for score in toward))


def _threshold(judged: Sequence[tuple[Sample, Prediction]]) -> float:
    """Return the lowest confidence above which enough of the held-out predictions agree with people."""
    with_ties = {sample.row.source for sample, _ in judged if sample.row.human == "tie"}
    decided = [
        (guess.confidence, is_right(sample, guess, may_tie=sample.row.source in with_ties))
        for sample, guess in judged
        if guess.decided and guess.votes
    ]
    for step in range(40, 100):
        kept = [hit for confidence, hit in decided if confidence >= step / 100]
        if kept and _mean(kept) >= _RIGHT_WHEN_DECIDED:
            return step / 100
    return _NEVER_DECIDE


def _mean(hits: Sequence[bool]) -> float:
    return sum(hits) / len(hits) if hits else math.nan


def _fit_weights(samples: Sequence[Sample]) -> Model:
    """Fit the weights with ridge penalties (the convex part). A measure with a sign keeps its weight on that side."""
    names = list(MEASURES)
    values = np.array([[[side[name].value for name in names] for side in sample.measured[:2]] for sample in samples])
    difference = values[:, 0] - values[:, 1]
    usual = np.sqrt((difference**2).mean(0))
    scales = np.round(np.where(usual > 0, usual, 1.0), _DIGITS)
    x = np.tanh(difference / scales / NEAR)
    with_ties = {sample.row.source for sample in samples if sample.row.human == "tie"}
    may_tie = np.array([sample.row.source in with_ties for sample in samples])
    z = np.array([[1.0, nearly_same(sample.measured)] for sample in samples])
    human = np.array([{"A": 1, "tie": 0, "B": -1}[sample.row.human] for sample in samples])
    # Pairs of the same task say much the same, so nine of them count as three.
    pairs = Counter((sample.row.source, sample.row.group) for sample in samples)
    counts = np.array([pairs[sample.row.source, sample.row.group] ** -0.5 for sample in samples])
    least = [MEASURES[name].sign * _LEAST.get(name, 0.0) for name in names]
    bounds = [
        ((low, None), (None, None), (None, low))[1 - MEASURES[name].sign]
        for name, low in zip(names, least, strict=True)
    ]
    # The ridge draws weights towards zero, or towards their least value.
    start = np.array([*least, 0.0, _LEAST_ALIKE])
    ridge = np.array([_RIDGE] * len(names) + [0.01, _RIDGE_TIE])

    def loss(parameters: Any) -> tuple[float, Any]:
        score = x @ parameters[:-2]
        level = np.where(may_tie, z @ parameters[-2:], NEVER)
        (first, second, tie), total, _ = outcome_odds(score, level)
        chosen = np.where(human > 0, first, np.where(human < 0, second, tie)) / total
        slope = x.T @ ((human - (first - second) / total) * counts)
        slope_tie = z.T @ (((human == 0) - tie / total) * may_tie * counts)
        apart = parameters - start
        penalty = 0.5 * float((ridge * apart**2).sum())
        error = penalty - float((counts * np.log(chosen + 1e-300)).sum())
        return error, ridge * apart - np.concatenate([slope, slope_tie])

    limits = [*bounds, (None, None), (_LEAST_ALIKE, None)]
    options = {"maxiter": 2000, "ftol": 1e-12, "gtol": 1e-7}
    solved = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=limits, options=options)
    found = [round(float(value), _DIGITS) + 0.0 for value in solved.x]  # adding 0.0 turns -0.0 into 0.0
    # Shares and flaws have no range: more of a flaw than the labels hold is still a flaw.
    seen = {name: values[:, :, names.index(name)] for name in COUNTS}
    seen[TASK_LENGTH] = np.array([sample.measured.task for sample in samples])
    return Model(
        weights=dict(zip(names, found, strict=False)),
        scales={name: float(scale) for name, scale in zip(names, scales, strict=True)},
        ranges={
            name: (_floor(np.quantile(part, _RARE)), -_floor(-np.quantile(part, 1 - _RARE)))
            for name, part in seen.items()
        },
        tie={"always": found[-2], "alike": found[-1]} if with_ties else {"alike": found[-1]},
    )


def _floor(value: float) -> float:
    """Round down, so that a range holds its own ends."""
    return math.floor(value * 10.0**_DIGITS) / 10.0**_DIGITS
