"""Corrects win rates and means for the judge's measured error. Raw values are always shown beside them.

Classes: Rogan and Gladen 1978 for any number of classes. The judge's shares on the unlabelled cases are q = Mᵀπ, where
π are the true shares, and row i of M holds the shares of the judge's answers on cases that people call i; M comes from
the labelled cases. Scores: the difference estimator (prediction-powered inference, Angelopoulos and others 2023), the
judge's mean on the unlabelled cases plus the mean of human − judge on the labelled ones. It is also used if the judge
never uses a class that people use, such as tie: then π has more unknowns than q has equations. Both intervals include
the uncertainty of the labelled sample. The labelled cases must be a random sample of the cases judged: cases picked
because the judge was unsure show too many errors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, variance
from typing import Any

import numpy as np
from scipy import stats  # type: ignore[import-untyped]

from ..models.figures import Figure
from .figures import Confusion
from .intervals import CONFIDENCE, mean_interval, share_interval

FEW_LABELS = 5  # of a class; fewer are too few to estimate how often the judge mistakes it
_Z = float(stats.norm.ppf((1 + CONFIDENCE) / 2))
_BLIND = 0.1  # if M's smallest singular value is below this, we do not correct; it is 0 for a judge that only guesses


@dataclass(frozen=True, slots=True)
class Corrected:
    """A share or mean as the judge gives it, and corrected for the judge's error."""

    raw: Figure
    corrected: Figure


def corrected_rate(labelled: Confusion, said: Mapping[Any, int], worth: Mapping[Any, float]) -> Corrected:
    """Correct a weighted sum of class shares, such as a win rate in which a tie counts half: {"A": 1, "tie": 0.5}."""
    if strange := set(said) - set(labelled.classes):
        raise ValueError(f"{min(map(str, strange))}: not one of {', '.join(map(str, labelled.classes))}")
    counts, calls = np.array(labelled.counts, float), np.array([said.get(it, 0) for it in labelled.classes], float)
    scores = np.array([worth.get(value, 0.0) for value in labelled.classes])
    total = int(calls.sum())
    if not total:
        nothing = Figure(None, 0, "no cases without labels")
        return Corrected(nothing, nothing)
    used, heard = counts.sum(axis=1) > 0, counts.sum(axis=0) + calls > 0
    rows, drawn, value_of = counts[used][:, heard], calls[heard], scores[used]
    matrix = rows / rows.sum(axis=1, keepdims=True)
    names = [value for value, is_used in zip(labelled.classes, used, strict=True) if is_used]
    few = [(name, n) for name, n in zip(names, rows.sum(axis=1), strict=True) if n < FEW_LABELS]
    reason = ""
    if few:
        seen = f"too few labelled cases that people call {few[0][0]}: {few[0][1]:g}"
        reason = f"{seen}, at least {FEW_LABELS} are needed"
    elif len(names) < 2 or not value_of.any():
        reason = "the labelled cases have too few different labels to measure the judge's error"
    elif heard.sum() >= len(names) and np.linalg.svd(matrix, compute_uv=False).min() < _BLIND:
        reason = "the judge's answers hardly depend on people's labels: its error cannot be corrected"
    raw = _raw(scores, calls)
    if reason:
        return Corrected(raw, Figure(None, total, reason))
    if heard.sum() < len(names):
        return Corrected(raw, _by_difference(scores[heard], drawn, value_of, rows))
    estimate = float(value_of @ _on_the_simplex(np.linalg.pinv(matrix.T) @ (drawn / total)))
    # For the interval, add a little to the counts, as in Lang and Reiczigel 2014. Otherwise a class with few labels and
    # no observed error would count as free of error.
    rows = rows + 1 / rows.shape[1]
    sizes = rows.sum(axis=1)
    matrix, q = rows / sizes[:, None], drawn / total
    inverse = np.linalg.pinv(matrix.T)
    centre = inverse @ q
    inner = _covariance(q) / total
    for share, row, size in zip(_on_the_simplex(centre), matrix, sizes, strict=True):
        inner += share**2 * _covariance(row) / size
    weights = value_of @ inverse
    reach = _Z * float(np.sqrt(weights @ inner @ weights))
    low, high = np.clip(value_of @ centre + np.array([-reach, reach]), value_of.min(), value_of.max()).tolist()
    return Corrected(raw, Figure(estimate, total, "", (min(low, estimate), max(high, estimate))))


def corrected_mean(judge_unlabelled: Sequence[float], labelled: Sequence[tuple[float, float]]) -> Corrected:
    """Estimate the mean that people would give. `labelled` are pairs of the judge's score and the human one."""
    cases = len(judge_unlabelled)
    if not cases:
        nothing = Figure(None, 0, "no cases without labels")
        return Corrected(nothing, nothing)
    mean = fmean(judge_unlabelled)
    spread = variance(judge_unlabelled) if cases > 1 else 0.0
    raw = Figure(mean, cases, "", mean_interval(mean, spread**0.5, cases))
    if len(labelled) < FEW_LABELS:
        reason = f"too few labelled cases: {len(labelled)}, at least {FEW_LABELS} are needed"
        return Corrected(raw, Figure(None, cases, reason))
    errors = [human - judge for judge, human in labelled]
    value = mean + fmean(errors)
    # Student's t with the degrees of freedom of the labelled sample: usually the smaller sample, so a cautious choice.
    reach = float(stats.t.ppf((1 + CONFIDENCE) / 2, len(errors) - 1))
    reach *= (spread / cases + variance(errors) / len(errors)) ** 0.5
    return Corrected(raw, Figure(value, cases, "", (value - reach, value + reach)))


def _by_difference(judge: Any, calls: Any, human: Any, counts: Any) -> Figure:
    """Estimate the mean value of people's labels. `judge` and `human` are the values of the classes each side uses, and
    `counts` is the confusion matrix of the labelled cases, with the judge in columns and people in rows."""
    times = counts.astype(int).ravel()
    both = [np.repeat(side.ravel(), times).tolist() for side in np.meshgrid(judge, human)]
    found = corrected_mean(np.repeat(judge, calls.astype(int)).tolist(), list(zip(*both, strict=True))).corrected
    ends = (float(human.min()), float(human.max()))
    value, low, high = np.clip([found.value or 0.0, *(found.interval or ends)], *ends).tolist()
    return replace(found, value=value, interval=(low, high))


def _raw(value_of: Any, calls: Any) -> Figure:
    total = int(calls.sum())
    if set(value_of) <= {0.0, 1.0}:
        hits = int(calls[value_of == 1].sum())
        return Figure(hits / total, total, "", share_interval(hits, total))
    shares = calls / total
    mean = float(value_of @ shares)
    deviation = float(np.sqrt(value_of @ _covariance(shares) @ value_of * total / max(total - 1, 1)))
    if (interval := mean_interval(mean, deviation, total)) is not None:
        low, high = np.clip(interval, value_of.min(), value_of.max()).tolist()
        interval = low, high
    return Figure(mean, total, "", interval)


def _covariance(shares: Any) -> Any:
    """Return the covariance matrix of one draw from these shares."""
    return np.diag(shares) - np.outer(shares, shares)


def _on_the_simplex(shares: Any) -> Any:
    """Clip negative shares to 0 and rescale all to a sum of 1."""
    clipped = np.clip(shares, 0, None)
    return clipped / clipped.sum()
