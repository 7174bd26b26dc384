"""From labelled pairs to a model: penalised regression over the measures, and how sure to be from held-out tasks.

Needs NumPy and SciPy (the extra `fit`); judging needs neither. Convex and without chance but for the folds, so that
the same rows and the same seed give the same model.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import InputError, SetupError
from ...verdicts import Winner
from .kinds import KINDS
from .measures import MEASURES, Measured, measure_pair
from .model import FAR, NEAR, SUPERFICIAL, Model, Part, brevity, cast_votes, chances_of, is_superficial, predict, tie_level

SEED = 1
FOLDS = 5
_RIDGE, _RIDGE_KIND, _RIDGE_TIE = 10.0, 100.0, 3.0
_DIGITS = 4
_FEW = 30  # pairs, fewer cannot carry a fit
# Measures whose worth depends on the kind of task; length is asked for every kind.
_BY_KIND = {
    "length": (*KINDS, "long"),
    "items": ("list",),
    "lines": ("list",),
    "copied": ("edit", "summary"),
    "coverage": ("factual",),
    "code_blocks": ("code",),
    "paragraphs": ("creative",),
    "numbers": ("math",),
    "sentences": ("yes_no",),
    "focus": ("edit",),
    "missing_words": ("classify",),
}
_TIE = {"alike": 1.0, "same_wording": 1.0, "shorter": 3.0, "longer": 3.0, "ratio": 3.0, "task_words": 3.0, "identical": 0.2}
_RIGHT_WHEN_DECIDED = 0.75


@dataclass(frozen=True, slots=True)
class Row:
    """One pair that people judged; `source` names the set it came from, if it came from one."""

    task: str
    a: str
    b: str
    human: Winner
    context: str = ""
    source: str = ""

    @property
    def group(self) -> str:
        """Rows with the same task text are never split between fitting and checking."""
        return " ".join(self.task.split())


@dataclass(frozen=True, slots=True)
class Sample:
    """A row with its measures."""

    row: Row
    measured: Measured


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


def read_rows(path: Path) -> list[Row]:
    """Rows of a JSONL file: task, response_a, response_b, human, and optionally context."""
    rows = []
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            place = f"{path.name}:{number}"
            try:
                data = json.loads(line)
                values = [str(data[key]) for key in ("task", "response_a", "response_b")]
                human = data["human"]
            except (ValueError, KeyError, TypeError) as error:
                raise InputError(place, "no labelled pair", "JSON with task, response_a, response_b, human") from error
            if human not in ("A", "B", "tie"):
                raise InputError(place, f"human is {human!r}", "one of A, B, tie")
            context = str(data.get("context") or "")
            rows.append(Row(values[0], values[1], values[2], human, context, str(data.get("source") or path.stem)))
    return rows


def measure_rows(rows: Iterable[Row]) -> list[Sample]:
    """Every row measured; the slow part, done once for many fits."""
    return [Sample(row, measure_pair(row.task, row.a, row.b, row.context)) for row in rows]


def fit(rows: Iterable[Row], seed: int = SEED, harmless: Iterable[Row] = (), about: Mapping[str, Any] | None = None) -> Model:
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


def cross_validate_samples(samples: Sequence[Sample], seed: int = SEED, folds: int = FOLDS, *, signed: bool = True) -> Agreement:
    """The same from rows already measured."""
    judged = []
    for train, held in _folds(samples, seed, folds):
        part, decide = _fit_part(train, seed, signed=signed)
        model = Model({"helpful": part}, decide)
        judged += [(sample, predict(model, sample.measured)) for sample in held]
    return agreement(judged)


def agreement(judged: Sequence[tuple[Sample, Any]]) -> Agreement:
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
    """Weights from all samples, sharpness and the threshold of deciding from held-out folds."""
    whole = _fit_weights(samples, signed=signed)
    held: list[tuple[Part, Sample]] = []
    for train, rest in _folds(samples, seed, FOLDS):
        part = _fit_weights(train, signed=signed)
        held += [(part, sample) for sample in rest]
    views = [_view(part, sample) for part, sample in held]
    grid = [round(0.3 + 0.05 * step, 2) for step in range(55)]
    sharpness = max(grid, key=lambda value: sum(view.log_chance(value) for view in views))
    return Part(whole.scales, whole.weights, whole.by_kind, whole.tie, sharpness), _threshold(views, sharpness)


@dataclass(frozen=True, slots=True)
class _View:
    """A held-out pair as the folds' models see it."""

    score: float
    level: float
    most: float
    human: Winner
    may_tie: bool

    def chances(self, sharpness: float) -> Mapping[Winner, float]:
        return chances_of(sharpness * self.score, self.level if self.may_tie else -60.0, self.most)

    def log_chance(self, sharpness: float) -> float:
        return math.log(max(1e-9, self.chances(sharpness)[self.human]))


def _view(part: Part, sample: Sample) -> _View:
    votes = cast_votes(part, sample.measured)
    score = sum(vote.moved for vote in votes)
    most = SUPERFICIAL if is_superficial(sample.measured, votes, score) else 1.0
    return _View(score, tie_level(part, sample.measured), most, sample.row.human, "always" in part.tie)


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


def _fit_weights(samples: Sequence[Sample], *, signed: bool) -> Part:
    """Davidson's model of paired comparison with ties: a convex problem, solved with ridge penalties and signs."""
    np, minimize = _scipy()
    names = list(MEASURES)
    a = np.array([[sample.measured.a[name].value for name in names] for sample in samples])
    b = np.array([[sample.measured.b[name].value for name in names] for sample in samples])
    difference = a - b
    usual = np.round(np.sqrt((difference**2).mean(0)), _DIGITS)
    scales = np.where(usual > 0, usual, 1.0)
    kinds = {kind: np.array([float(kind in sample.measured.kinds) for sample in samples]) for kind in KINDS}
    kinds["long"] = np.array([brevity(sample.measured) for sample in samples])
    extra = [(name, kind) for name, listed in _BY_KIND.items() for kind in listed]
    far = np.tanh(difference / scales / FAR)
    columns = [np.tanh(difference / scales / NEAR) * math.sqrt(NEAR)]
    columns += [(far[:, names.index(name)] * kinds[kind])[:, None] for name, kind in extra]
    shared = np.array([[sample.measured.shared[name] / size for name, size in _TIE.items()] for sample in samples])
    with_ties = {sample.row.source for sample in samples if sample.row.human == "tie"}
    may_tie = np.array([sample.row.source in with_ties for sample in samples])
    human = np.array([{"A": 1, "tie": 0, "B": -1}[sample.row.human] for sample in samples])
    found, tie = _solve(
        np,
        minimize,
        np.concatenate(columns, 1),
        np.concatenate([np.ones((len(samples), 1)), shared], 1),
        human,
        may_tie,
        [MEASURES[name].sign if signed else 0 for name in names] + [0] * len(extra),
        np.array([_RIDGE] * len(names) + [_RIDGE_KIND] * len(extra)),
    )
    weights = {name: _rounded(found[i] * math.sqrt(NEAR)) for i, name in enumerate(names)}
    by_kind: dict[str, dict[str, float]] = {}
    for (name, kind), value in zip(extra, found[len(names) :], strict=True):
        if _rounded(value):
            by_kind.setdefault(name, {})[kind] = _rounded(value)
    levels = {"always": _rounded(tie[0])}
    levels |= {name: _rounded(value / size) for (name, size), value in zip(_TIE.items(), tie[1:], strict=True)}
    used = [name for name in names if weights[name] or name in by_kind]
    return Part(
        scales={name: _rounded(scales[names.index(name)]) for name in used},
        weights={name: weights[name] for name in used},
        by_kind=by_kind,
        tie=levels if with_ties else {},
        sharpness=1.0,
    )


def _solve(
    np: Any, minimize: Callable[..., Any], x: Any, z: Any, human: Any, may_tie: Any, signs: Sequence[int], ridge: Any
) -> tuple[Any, Any]:
    size = x.shape[1]
    ridge = np.concatenate([ridge, [0.01], np.full(z.shape[1] - 1, _RIDGE_TIE)])

    def loss(parameters: Any) -> tuple[float, Any]:
        score = x @ parameters[:size]
        level = np.where(may_tie, z @ parameters[size:], -60.0)
        top = np.maximum(np.abs(score), level)
        first, second, tie = np.exp(score - top), np.exp(-score - top), np.exp(level - top)
        total = first + second + tie
        chosen = np.where(human > 0, first, np.where(human < 0, second, tie)) / total
        toward = human - (first - second) / total
        toward_tie = ((human == 0) - tie / total) * may_tie
        slope = np.concatenate([x.T @ toward, z.T @ toward_tie])
        penalty = 0.5 * float((ridge * parameters**2).sum())
        return penalty - float(np.log(chosen + 1e-300).sum()), ridge * parameters - slope

    bounds = [(0, None) if sign > 0 else (None, 0) if sign < 0 else (None, None) for sign in signs]
    bounds += [(None, None)] * z.shape[1]
    start = np.zeros(size + z.shape[1])
    options = {"maxiter": 2000, "ftol": 1e-12, "gtol": 1e-7}
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options).x
    return found[:size], found[size:]


def _rounded(value: Any) -> float:
    return round(float(value), _DIGITS) + 0.0


def _scipy() -> tuple[Any, Callable[..., Any]]:
    try:
        import numpy as np
        from scipy.optimize import minimize
    except ImportError as error:
        raise SetupError("fitting needs SciPy: pip install 'adjudge[fit]'") from error
    return np, minimize
