"""The weights of the model from measured labels: Davidson's paired comparison with ties, with ridge penalties.

Convex, and bounded where common sense knows which way a measure counts. Needs NumPy and SciPy (the extra `fit`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...errors import SetupError
from .kinds import KINDS
from .labels import Sample
from .measurement import Info
from .measures import MEASURES
from .model import FAR, NEAR, NEVER, Part, brevity

_RIDGE, _RIDGE_KIND, _RIDGE_TIE = 30.0, 100.0, 3.0
_DIGITS = 4
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
    "missing_words": ("classify",),
}
# That two answers are nearly the same, or as long, carries over from one set of labels to another; how much they have
# in common short of that, and how long tied answers are, does not.
_TIE = {"nearly_same": 1.0, "same_words": 1.0, "same_length": 1.0, "identical": 0.2}
_LEAST_TIE = {"nearly_same": 1.0, "same_words": 1.0}  # a word more or less makes no winner

# What a flaw that code is certain of costs at the least, and what a condition kept counts. Labelled pairs hold too few
# of them to say, and none in which an answer is compared with itself but for the flaw; this is what anybody would say.
LEAST: Mapping[str, float] = {
    "no_answer": 2.0,
    "plain_flaws": 0.8,
    "broken_code": 0.4,
    "wrong_sums": 0.4,
    "repeated_items": 0.3,
    "wishes_broken": 0.5,
    **dict.fromkeys(("asked_count", "asked_format", "asked_language", "asked_words", "asked_result"), 0.2),
}


def fit_weights(samples: Sequence[Sample], *, signed: bool) -> Part:
    """Weights for helpfulness (`signed`) or for harmlessness, which has its own ways and no signs known beforehand.

    Davidson's model of paired comparison with ties: a convex problem, solved with ridge penalties and signs.
    """
    np, minimize = _scipy()
    names = [name for name, info in MEASURES.items() if signed or not _says_nothing_of_harm(name, info)]
    a = np.array([[sample.measured.a[name].value for name in names] for sample in samples])
    b = np.array([[sample.measured.b[name].value for name in names] for sample in samples])
    difference = a - b
    usual = np.round(np.sqrt((difference**2).mean(0)), _DIGITS)
    scales = np.where(usual > 0, usual, 1.0)
    kinds = {kind: np.array([float(kind in sample.measured.kinds) for sample in samples]) for kind in KINDS}
    kinds["long"] = np.array([brevity(sample.measured) for sample in samples])
    extra = [(name, kind) for name, listed in _BY_KIND.items() if name in names for kind in listed]
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
        [_bounds(name) if signed else _FREE for name in names] + [_FREE] * len(extra),
        np.array([_RIDGE] * len(names) + [_RIDGE_KIND] * len(extra)),
        _task_weights(np, samples),
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


_FREE = (-math.inf, math.inf)


def _bounds(name: str) -> tuple[float, float]:
    """Between which values a weight is looked for: on its side of zero, and not nearer to it than its least."""
    least = LEAST.get(name, 0.0) / math.sqrt(NEAR)
    sign = MEASURES[name].sign
    return (least, math.inf) if sign > 0 else (-math.inf, -least) if sign < 0 else _FREE


def _task_weights(np: Any, samples: Sequence[Sample]) -> Any:
    """Pairs of one task tell much the same: nine of them count as three."""
    pairs = Counter((sample.row.source, sample.row.group) for sample in samples)
    return np.array([pairs[sample.row.source, sample.row.group] ** -0.5 for sample in samples])


def _says_nothing_of_harm(name: str, info: Info) -> bool:
    """Conditions of the task are no matter where it should not be done; how an answer ends is a habit of one set."""
    return info.theme in ("check", "flaw") and name not in ("refusal", "repetition")


def _solve(
    np: Any,
    minimize: Callable[..., Any],
    x: Any,
    z: Any,
    human: Any,
    may_tie: Any,
    bounds: Sequence[tuple[float, float]],
    ridge: Any,
    counts: Any,
) -> tuple[Any, Any]:
    size = x.shape[1]
    ridge = np.concatenate([ridge, [0.01], np.full(z.shape[1] - 1, _RIDGE_TIE)])
    # Weights are drawn towards zero, or towards the least they may be.
    least = [0.0, *(_LEAST_TIE.get(name, 0.0) for name in _TIE)]
    start = np.array([min(max(0.0, low), high) for low, high in bounds] + least)

    def loss(parameters: Any) -> tuple[float, Any]:
        score = x @ parameters[:size]
        level = np.where(may_tie, z @ parameters[size:], NEVER)
        top = np.maximum(np.abs(score), level)
        first, second, tie = np.exp(score - top), np.exp(-score - top), np.exp(level - top)
        total = first + second + tie
        chosen = np.where(human > 0, first, np.where(human < 0, second, tie)) / total
        toward = (human - (first - second) / total) * counts
        toward_tie = ((human == 0) - tie / total) * may_tie * counts
        slope = np.concatenate([x.T @ toward, z.T @ toward_tie])
        apart = parameters - start
        penalty = 0.5 * float((ridge * apart**2).sum())
        return penalty - float((counts * np.log(chosen + 1e-300)).sum()), ridge * apart - slope

    allowed = [(low if low > -math.inf else None, high if high < math.inf else None) for low, high in bounds]
    allowed += [(low or None, None) for low in least]
    options = {"maxiter": 2000, "ftol": 1e-12, "gtol": 1e-7}
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=allowed, options=options).x
    return found[:size], found[size:]


def _rounded(value: Any) -> float:
    return round(float(value), _DIGITS) + 0.0


def _scipy() -> tuple[Any, Callable[..., Any]]:
    try:
        import numpy as np
        from scipy.optimize import minimize  # type: ignore[import-untyped]
    except ImportError as error:
        raise SetupError("fitting needs SciPy: pip install 'adjudge[fit]'") from error
    return np, minimize
