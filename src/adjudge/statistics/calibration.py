"""Fits maps from judge scores to the human scale, and criterion weights, chosen by cross-validation.

A whole group (a case, a task) is held out, never a single rating. What is learned counts as better only if its loss on
held-out groups is smaller by more than 1.645 standard errors of the difference: of the maps fitted to scores that have
nothing to do with the labels, every fourth has a smaller loss by chance.
The likelihood of proportional odds with a slope that cannot be negative is written here, because no light library has
it. SciPy maximises it, and does the isotonic regression and the least squares.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np
import scipy  # type: ignore[import-untyped]

from ..models.calibration import CalibrationMap, MapKind
from .intervals import SEED

FOLDS = 5
FEW_CASES = 20  # labelled cases; with fewer, no map is fitted
_RIDGE = 0.01
_RIDGES = (0.3, 3.0, 30.0)  # strengths of the penalty that pulls weights to the defaults; cross-validation chooses one
_TINY = 1e-12
_ERRORS_APART = 1.645  # standard errors by which a held-out loss must be smaller: chance alone does it once in twenty
_SIMPLER = {"unchanged": "the judge's own score", "mean": "one number for all cases"}


@dataclass(frozen=True, slots=True)
class Calibration:
    """The map with the smaller held-out error, and the errors (root mean square) it was chosen by.

    `errors` also has "unchanged" (the judge's own score) and "mean" (one number for all). If no map beats both by more
    than chance would explain, `chosen` is None and `reason` says why.
    """

    chosen: CalibrationMap | None
    errors: Mapping[str, float]
    cases: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class LearnedWeights:
    """Criterion weights learned from labels, and the default weights; both have the same sum.

    `loss` and `default_loss` are losses per case on held-out cases; `better` says whether learning lowered the loss by
    more than chance would explain.
    """

    weights: Mapping[str, float] | None
    defaults: Mapping[str, float]
    cases: int
    loss: float | None = None
    default_loss: float | None = None
    reason: str = ""
    better: bool = False


@dataclass(frozen=True, slots=True)
class ConfidenceBin:
    """Cases whose confidence is in the same tenth: the judge's mean confidence, and how often it was right."""

    cases: int
    confidence: float
    right: float


def fit_isotonic(scores: Sequence[float], human: Sequence[float]) -> CalibrationMap:
    """Fit the rising map with the least squared error."""
    x, group, counts = np.unique(np.asarray(scores, float), return_inverse=True, return_counts=True)
    means = np.bincount(group, np.asarray(human, float)) / counts
    fitted = scipy.optimize.isotonic_regression(means, weights=counts).x
    # Of several points on one level, only the first and the last are needed.
    inner = np.zeros(len(x), bool)
    inner[1:-1] = (fitted[1:-1] == fitted[:-2]) & (fitted[1:-1] == fitted[2:])
    points = zip(x[~inner].tolist(), fitted[~inner].tolist(), strict=True)
    return CalibrationMap(kind="isotonic", points=tuple(points))


def fit_ordinal(scores: Sequence[float], human: Sequence[float]) -> CalibrationMap:
    """Fit proportional odds (McCullagh 1980) to the ordered human levels, with one slope that is not negative."""
    levels, place = np.unique(np.asarray(human, float), return_inverse=True)
    x = np.asarray(scores, float)
    middle, scale = x.mean(), x.std() or 1.0
    if len(levels) == 1:
        return CalibrationMap(kind="ordinal", levels=(float(levels[0]),), slope=0.0)
    z = (x - middle) / scale
    shares = np.cumsum(np.bincount(place))[:-1] / len(place)
    start_cuts = scipy.special.logit(shares)
    start = np.concatenate([[0.5], start_cuts[:1], np.log(np.maximum(np.diff(start_cuts), 0.01))])

    def cuts_of(at: Any) -> Any:
        """Return rising cuts, given the first one and the logarithms of the steps."""
        return at[1] + np.concatenate([[0.0], np.cumsum(np.exp(at[2:]))])

    def loss(at: Any) -> float:
        """Return the negative log likelihood plus a small penalty that keeps the slope finite."""
        below = np.zeros((len(z), len(levels) + 1))
        below[:, 1:-1], below[:, -1] = scipy.special.expit(cuts_of(at)[None, :] - at[0] * z[:, None]), 1.0
        chances = np.diff(below, axis=1)[np.arange(len(z)), place]
        return _RIDGE * float(at[0] ** 2) - float(np.log(np.maximum(chances, _TINY)).sum())

    bounds, options = [(0, None)] + [(None, None)] * len(shares), {"ftol": 1e-9, "maxiter": 500}
    found = scipy.optimize.minimize(loss, start, method="SLSQP", bounds=bounds, options=options).x
    slope = float(found[0] / scale)
    cuts = cuts_of(found) + slope * middle
    return CalibrationMap(kind="ordinal", levels=tuple(levels.tolist()), slope=slope, cuts=tuple(cuts.tolist()))


def calibrate(
    scores: Sequence[float],
    human: Sequence[float],
    groups: Sequence[Hashable] | None = None,
    unchanged: Sequence[float] | None = None,
) -> Calibration:
    """Choose the map from judge scores to human ones with the least error on held-out groups, and fit it to all cases.

    `unchanged` is the judge's value on the human scale without a map, for judge scores that are on another scale.
    """
    groups = range(len(scores)) if groups is None else groups
    if len(scores) < FEW_CASES or len(set(groups)) < FOLDS:
        return Calibration(
            None, {}, len(scores), f"too few labelled cases for a map: {len(scores)}, at least {FEW_CASES}"
        )
    fits: dict[MapKind, Callable[..., CalibrationMap]] = {"isotonic": fit_isotonic, "ordinal": fit_ordinal}
    x, y = np.asarray(scores, float), np.asarray(human, float)
    raw = x if unchanged is None else np.asarray(unchanged, float)
    predicted = {"unchanged": raw, **{kind: np.empty(len(x)) for kind in ("mean", *fits)}}
    for train, held in folds(groups):
        predicted["mean"][held] = y[train].mean()
        for kind, fit in fits.items():
            predicted[kind][held] = list(map(fit(x[train], y[train]).apply, x[held].tolist()))
    losses = {kind: (values - y) ** 2 for kind, values in predicted.items()}
    errors = {kind: float(loss.mean() ** 0.5) for kind, loss in losses.items()}
    best = min(fits, key=lambda kind: errors[kind])
    for simple in sorted(_SIMPLER, key=lambda kind: errors[kind]):
        if not _clearly_less(losses[best], losses[simple], groups):
            reason = f"no map has a clearly smaller error on held-out cases than {_SIMPLER[simple]}"
            return Calibration(None, errors, len(x), reason)
    return Calibration(fits[best](x, y), errors, len(x))


def confidence_bins(judged: Iterable[tuple[float, bool]]) -> tuple[ConfidenceBin, ...]:
    """Compare the judge's confidence with how often it is right, by tenths; tenths without a case are left out."""
    bins: dict[int, list[tuple[float, bool]]] = {}
    for sure, right in judged:
        bins.setdefault(min(int(sure * 10), 9), []).append((sure, right))
    tenths = [(part, [sure for sure, _ in part], [right for _, right in part]) for _, part in sorted(bins.items())]
    return tuple(ConfidenceBin(len(part), fmean(sure), fmean(right)) for part, sure, right in tenths)


def calibration_error(bins: Sequence[ConfidenceBin]) -> float | None:
    """Return the mean distance between confidence and accuracy over the bins; None without a case."""
    total = sum(part.cases for part in bins)
    return sum(part.cases * abs(part.confidence - part.right) for part in bins) / total if total else None


def learn_weights(
    scores: Sequence[Mapping[str, float | None]],
    human: Sequence[float],
    defaults: Mapping[str, float],
    groups: Sequence[Hashable] | None = None,
    *,
    of_two: bool = False,
) -> LearnedWeights:
    """Learn criterion weights from labelled cases by least squares with weights of at least 0. A penalty pulls them to
    the defaults, so that few labels change little; its strength is the one with the least error on held-out groups.

    A constant shift allows for people who are kinder or stricter than the judge on average. With `of_two`, a score is
    A's minus B's and a label above 0 prefers A; there is no shift, because it must not matter which answer is called A.
    Losses are mean squared errors. A criterion without a score counts as the mean of the others.
    """
    cases = len(human)
    groups = range(cases) if groups is None else groups
    if cases < FEW_CASES or len(set(groups)) < FOLDS:
        reason = f"too few labels for weights: {cases}, at least {FEW_CASES}"
        return LearnedWeights(None, defaults, cases, reason=reason)
    design = np.array([[np.nan if row[key] is None else row[key] for key in defaults] for row in scores], float)
    design = np.where(np.isnan(design), np.nan_to_num(np.nanmean(design, axis=1, keepdims=True)), design)
    y, total = np.asarray(human, float), sum(defaults.values())
    prior, spread = np.array(list(defaults.values()), float) / total, float(design.var(axis=0).mean()) or 1.0

    def fit(at: Any, ridge: float) -> tuple[Any, float]:
        """Fit the weights and the constant shift. An infinite ridge only rescales the defaults."""
        x, off = (side if of_two else side - side.mean(axis=0) for side in (design[at], y[at]))
        weights = prior * max(float((x @ prior) @ off / ((x @ prior) @ (x @ prior) or 1.0)), 0.0)
        if np.isfinite(ridge):
            firm = np.sqrt(ridge * spread) * np.eye(len(prior))
            weights = scipy.optimize.nnls(np.vstack([x, firm]), np.concatenate([off, firm @ weights]))[0]
        return weights, 0.0 if of_two else float((y[at] - design[at] @ weights).mean())

    losses = {ridge: np.empty(cases) for ridge in (*_RIDGES, np.inf)}
    for train, held in folds(groups):
        for ridge in losses:
            weights, shift = fit(train, ridge)
            losses[ridge][held] = (y[held] - design[held] @ weights - shift) ** 2
    default = losses.pop(np.inf)
    best = min(losses, key=lambda ridge: losses[ridge].mean())
    loss, default_loss = float(losses[best].mean()), float(default.mean())
    weights, _ = fit(np.arange(cases), best)
    if not weights.sum() > 0:
        reason = "no criterion predicts what people say"
        return LearnedWeights(None, defaults, cases, loss, default_loss, reason)
    learned = dict(zip(defaults, (weights / weights.sum() * total).tolist(), strict=True))
    better = _clearly_less(losses[best], default, groups)
    return LearnedWeights(learned, defaults, cases, loss, default_loss, better=better)


def folds(groups: Sequence[Hashable], seed: int = SEED, sets: Sequence[str] | None = None) -> Iterator[tuple[Any, Any]]:
    """Yield the places of the cases to fit to and of those held out, for each fold; no group is in both.

    A fold is a fifth of the groups, dealt at random, or, with `sets`, one of these. The split does not depend on the
    order of the cases.
    """
    distinct = sorted(set(groups), key=str)
    random.Random(seed).shuffle(distinct)
    fold = {group: str(at % FOLDS) for at, group in enumerate(distinct)}
    own = [fold[group] for group in groups] if sets is None else sets
    for part in sorted(set(own)):
        held = {group for group, mine in zip(groups, own, strict=True) if mine == part}
        to_fit = np.array([group not in held for group in groups])
        yield np.flatnonzero(to_fit), np.flatnonzero([mine == part for mine in own])


def _clearly_less(loss: Any, other: Any, groups: Sequence[Hashable]) -> bool:
    """Return whether one loss is less than the other by more than chance would explain, over independent groups."""
    gain = other - loss
    _, group = np.unique([str(each) for each in groups], return_inverse=True)
    apart = np.bincount(group, gain - gain.mean())
    error = np.sqrt((apart**2).sum() * len(apart) / (len(apart) - 1)) / len(gain)
    return bool(gain.mean() > _ERRORS_APART * error)
