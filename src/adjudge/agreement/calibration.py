"""From judge scores to the human scale: maps and criterion weights learned from labels, chosen by cross-validation.

What is held out is a group (a case, a task), never a single rating. Applied values stand beside the judge's own. Two
likelihoods are written here because no light library has them: proportional odds with a slope that cannot turn round,
and weights that cannot be negative. SciPy maximises both, and does the isotonic regression.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import optimize, special  # type: ignore[import-untyped]

from ..models.calibration import CalibrationMap, MapKind
from ..results.statistics import SEED
from .figures import Value

FOLDS = 5
FEW_CASES = 20  # labelled cases, fewer cannot carry a map
_RIDGE = 0.01
_RIDGES = (0.3, 3.0, 30.0)  # how firmly learned weights are held to the defaults; cross-validation chooses
_TINY = 1e-12


@dataclass(frozen=True, slots=True)
class Calibration:
    """The map with the smaller held-out error, and the errors (root mean square) it was chosen by.

    `errors` also has "unchanged" (the judge's own score) and "mean" (one number for all). `chosen` is None where no map
    beats both, with the reason.
    """

    chosen: CalibrationMap | None
    errors: Mapping[str, float]
    cases: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class LearnedWeights:
    """Weights of criteria learned from labels beside the defaults, both with the same sum.

    `loss` and `default_loss` are losses a case on held-out cases; `better` says whether learning paid.
    """

    weights: Mapping[str, float] | None
    defaults: Mapping[str, float]
    cases: int
    loss: float | None = None
    default_loss: float | None = None
    reason: str = ""

    @property
    def better(self) -> bool:
        return self.loss is not None and self.default_loss is not None and self.loss < self.default_loss


@dataclass(frozen=True, slots=True)
class ConfidenceBin:
    """Cases whose confidence lies in a tenth: how sure the judge was on average, and how often it was right."""

    cases: int
    confidence: float
    right: float


def fit_isotonic(scores: Sequence[float], human: Sequence[float]) -> CalibrationMap:
    """The rising map with the least squared error."""
    x, group, counts = np.unique(np.asarray(scores, float), return_inverse=True, return_counts=True)
    means = np.bincount(group, np.asarray(human, float)) / counts
    fitted = optimize.isotonic_regression(means, weights=counts).x
    # Of points on one level the first and the last say it all.
    inner = np.zeros(len(x), bool)
    inner[1:-1] = (fitted[1:-1] == fitted[:-2]) & (fitted[1:-1] == fitted[2:])
    points = zip(x[~inner].tolist(), fitted[~inner].tolist(), strict=True)
    return CalibrationMap(kind="isotonic", points=tuple(points))


def fit_ordinal(scores: Sequence[float], human: Sequence[float]) -> CalibrationMap:
    """Proportional odds (McCullagh 1980): the human levels in order, with one slope that is not negative."""
    levels, place = np.unique(np.asarray(human, float), return_inverse=True)
    x = np.asarray(scores, float)
    middle, scale = x.mean(), x.std() or 1.0
    if len(levels) == 1:
        return CalibrationMap(kind="ordinal", levels=(float(levels[0]),), slope=0.0)
    z = (x - middle) / scale
    shares = np.cumsum(np.bincount(place))[:-1] / len(place)
    start_cuts = special.logit(shares)
    start = np.concatenate([[0.5], start_cuts[:1], np.log(np.maximum(np.diff(start_cuts), 0.01))])

    def loss(at: Any) -> float:
        return _loss(at[0] * z, _cuts(at[1:]), place) + _RIDGE * float(at[0] ** 2)

    found = _minimum(loss, start, [(0, None)] + [(None, None)] * len(shares))
    slope = float(found[0] / scale)
    cuts = _cuts(found[1:]) + slope * middle
    return CalibrationMap(kind="ordinal", levels=tuple(levels.tolist()), slope=slope, cuts=tuple(cuts.tolist()))


def calibrate(
    scores: Sequence[float],
    human: Sequence[float],
    groups: Sequence[Hashable] | None = None,
    unchanged: Sequence[float] | None = None,
) -> Calibration:
    """The map from judge scores to human ones that errs least on held-out groups, fitted to all.

    `unchanged` is what the judge says on the human scale without a map, where its scores are on another one.
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
    for train, held in _folds(groups):
        predicted["mean"][held] = y[train].mean()
        for kind, fit in fits.items():
            predicted[kind][held] = list(map(fit(x[train], y[train]).apply, x[held].tolist()))
    errors = {kind: float(((said - y) ** 2).mean() ** 0.5) for kind, said in predicted.items()}
    best = min(fits, key=lambda kind: errors[kind])
    if errors[best] >= min(errors["unchanged"], errors["mean"]):
        simpler = "the judge's own score" if errors["unchanged"] <= errors["mean"] else "one number for all cases"
        return Calibration(None, errors, len(x), f"no map errs less on held-out cases than {simpler}")
    return Calibration(fits[best](x, y), errors, len(x))


def confidence_bins(confidences: Sequence[float], right: Sequence[bool]) -> tuple[ConfidenceBin, ...]:
    """Confidence against truth in tenths, for the curve; tenths without a case are left out."""
    bins: dict[int, list[tuple[float, bool]]] = {}
    for sure, hit in zip(confidences, right, strict=True):
        bins.setdefault(min(int(sure * 10), 9), []).append((sure, hit))
    means = {at: np.mean(np.array(part, float), axis=0) for at, part in sorted(bins.items())}
    return tuple(ConfidenceBin(len(bins[at]), float(sure), float(hit)) for at, (sure, hit) in means.items())


def expected_calibration_error(bins: Sequence[ConfidenceBin]) -> float | None:
    """The mean distance of confidence and truth over the bins; None without a case."""
    total = sum(part.cases for part in bins)
    return sum(part.cases * abs(part.confidence - part.right) for part in bins) / total if total else None


def learn_weights(
    differences: Sequence[Mapping[str, float]],
    winners: Sequence[Value],
    defaults: Mapping[str, float],
    groups: Sequence[Hashable] | None = None,
) -> LearnedWeights:
    """Weights of criteria from labelled comparisons; a difference is A's score less B's, by criterion.

    Logistic regression without an intercept, so that it makes no difference which answer is called A, and with a band
    for ties where people called any. Weights are not negative and are held to the defaults, as firmly as errs least on
    held-out groups: few labels change little.
    """
    design = np.array([[row.get(key, 0.0) for key in defaults] for row in differences], float)
    place = np.array([{"B": 0, "tie": 1, "A": 2}[str(winner)] for winner in winners])

    def fit(at: Any, prior: Any, ridge: float) -> tuple[Any, float]:
        x, said, free = design[at], place[at], bool(np.isfinite(ridge))
        ties = bool((said == 1).any())

        def weights_at(found: Any) -> Any:
            return found[2:] if free else found[0] * prior

        def loss(found: Any) -> float:
            apart = weights_at(found) - found[0] * prior
            held = ridge * float(apart @ apart) if free else 0.0
            return _loss(x @ weights_at(found), np.array([-1.0, 1.0]) * found[1] * ties, said) + held

        # The scale of the defaults, the half width of the band for ties, and the weights.
        bounds = [(0.0, 50.0), (0.01, 20.0), *([(0.0, 50.0)] * len(prior) if free else [])]
        found = _minimum(loss, [1.0, 0.5, *(prior if free else [])], bounds)
        return weights_at(found), float(found[1]) * ties

    def loss_of(weights: Any, band: float, at: Any) -> float:
        return _loss(design[at] @ weights, np.array([-band, band]), place[at])

    return _learned(defaults, len(winners), groups, fit, loss_of, "no criterion tells who wins")


def learn_score_weights(
    scores: Sequence[Mapping[str, float | None]],
    human: Sequence[float],
    defaults: Mapping[str, float],
    groups: Sequence[Hashable] | None = None,
) -> LearnedWeights:
    """The same from ratings of single cases: least squares, not negative, held to the defaults.

    Losses are mean squares of what is left when people are taken to be so much kinder or stricter as the judge is off
    on average. A criterion without a score counts as the mean of the others.
    """
    design = np.array([[np.nan if row[key] is None else row[key] for key in defaults] for row in scores], float)
    if len(design):
        design = np.where(np.isnan(design), np.nan_to_num(np.nanmean(design, axis=1, keepdims=True)), design)
    y = np.asarray(human, float)
    spread = float(design.var(axis=0).mean()) if len(design) else 1.0

    def fit(at: Any, prior: Any, ridge: float) -> tuple[Any, float]:
        x, off = design[at] - design[at].mean(axis=0), y[at] - y[at].mean()
        weights = prior * max(float((x @ prior) @ off / ((x @ prior) @ (x @ prior) or 1.0)), 0.0)
        if np.isfinite(ridge):
            firm = np.sqrt(ridge * (spread or 1.0)) * np.eye(len(prior))
            weights = optimize.nnls(np.vstack([x, firm]), np.concatenate([off, firm @ weights]))[0]
        return weights, float((y[at] - design[at] @ weights).mean())

    def loss_of(weights: Any, shift: float, at: Any) -> float:
        return float(((y[at] - design[at] @ weights - shift) ** 2).sum())

    return _learned(defaults, len(y), groups, fit, loss_of, "no criterion tells what people say")


def _learned(
    defaults: Mapping[str, float],
    cases: int,
    groups: Sequence[Hashable] | None,
    fit: Callable[[Any, Any, float], tuple[Any, float]],
    loss_of: Callable[[Any, float, Any], float],
    nothing: str,
) -> LearnedWeights:
    """Weights held to the defaults as firmly as errs least on held-out groups; an infinite ridge leaves them."""
    groups = range(cases) if groups is None else groups
    if cases < FEW_CASES or len(set(groups)) < FOLDS:
        reason = f"too few labels for weights: {cases}, at least {FEW_CASES}"
        return LearnedWeights(None, defaults, cases, reason=reason)
    total = sum(defaults.values())
    prior = np.array(list(defaults.values()), float) / total
    losses = dict.fromkeys((*_RIDGES, np.inf), 0.0)
    for train, held in _folds(groups):
        for ridge in losses:
            losses[ridge] += loss_of(*fit(train, prior, ridge), held) / cases
    default_loss = losses.pop(np.inf)
    best = min(losses, key=lambda ridge: losses[ridge])
    weights, _ = fit(np.arange(cases), prior, best)
    if not weights.sum() > 0:
        return LearnedWeights(None, defaults, cases, losses[best], default_loss, nothing)
    learned = dict(zip(defaults, (weights / weights.sum() * total).tolist(), strict=True))
    return LearnedWeights(learned, defaults, cases, losses[best], default_loss)


def _minimum(loss: Callable[[Any], float], start: Any, bounds: Any) -> Any:
    return optimize.minimize(loss, start, method="SLSQP", bounds=bounds, options={"ftol": 1e-9, "maxiter": 500}).x


def _cuts(parameters: Any) -> Any:
    """Rising cuts from a first one and the logarithms of the steps."""
    return parameters[0] + np.concatenate([[0.0], np.cumsum(np.exp(parameters[1:]))])


def _loss(eta: Any, cuts: Any, place: Any) -> float:
    """The negative log likelihood of levels under proportional odds, whose places on the line are η."""
    below = np.zeros((len(eta), len(cuts) + 2))
    below[:, 1:-1], below[:, -1] = special.expit(cuts[None, :] - eta[:, None]), 1.0
    chances = np.diff(below, axis=1)
    return -float(np.log(np.maximum(chances[np.arange(len(place)), place], _TINY)).sum())


def _folds(groups: Sequence[Hashable]) -> Iterator[tuple[Any, Any]]:
    """Places to fit to and places held out, so that no group is in both."""
    distinct = list(dict.fromkeys(groups))
    shuffled = np.random.default_rng(SEED).permutation(len(distinct))
    fold = {group: int(at) % FOLDS for group, at in zip(distinct, shuffled, strict=True)}
    own = np.array([fold[group] for group in groups])
    for part in range(FOLDS):
        yield np.flatnonzero(own != part), np.flatnonzero(own == part)
