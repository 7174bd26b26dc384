"""How far raters agree. Plain sequences in, a `Figure` out: a number, or None and the reason why there is none.

A rating is a class ("A", "tie") or a number; None is a gap, and a case with a gap is left out of what needs both sides.
SciPy and krippendorff compute; kappa is put together from SciPy's expected frequencies, because scikit-learn's takes
2 ms a call, which two thousand bootstrap draws turn into seconds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any, Literal

import krippendorff
import numpy as np
from scipy import stats  # type: ignore[import-untyped]
from scipy.stats.contingency import crosstab, expected_freq  # type: ignore[import-untyped]

Value = str | float
Ratings = Sequence[Value | None]
Level = Literal["nominal", "ordinal", "interval"]
# The winners of a comparison on a line, for what needs numbers.
PREFERENCE = {"A": -1.0, "tie": 0.0, "B": 1.0}
_FEW = 2
_ALPHA_CELLS = 1_000_000  # krippendorff computes cases × values × values numbers, for every draw of a bootstrap


@dataclass(frozen=True, slots=True)
class Figure:
    """A number that rests on so many cases, and its 95 % interval.

    Where the number or its interval is None, `reason` says why; neither is ever replaced by 0 or "not a number".
    """

    value: float | None
    cases: int
    reason: str = ""
    interval: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Confusion:
    """How often the judge said what (columns) where people said what (rows)."""

    classes: tuple[Value, ...]
    counts: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Ceiling:
    """Each person against the others, and the mean weighted by cases: what a judge can be expected to reach.

    `judge` is the judge against those same others, so that both face the same consensus.
    """

    people: Mapping[str, Figure]
    mean: Figure
    judge: Figure | None = None


Metric = Callable[[Ratings, Ratings], Figure]


def accuracy(judge: Ratings, human: Ratings) -> Figure:
    """The share of cases in which both say the same."""
    pairs = _both(judge, human)
    return Figure(fmean(one == other for one, other in pairs), len(pairs)) if pairs else _none_in_common()


def cohen_kappa(judge: Ratings, human: Ratings) -> Figure:
    """Cohen's kappa: agreement beyond what the two base rates alone would give."""
    return weighted_kappa(judge, human, lambda one, other: (one[:, None] != other).astype(float))


def quadratic_kappa(judge: Ratings, human: Ratings) -> Figure:
    """Cohen's weighted kappa for numbers: a miss counts by the square of its distance.

    Distances are those of the numbers themselves, so that a step of the scale that nobody used changes nothing.
    """
    return weighted_kappa(judge, human, lambda one, other: (one[:, None] - other) ** 2)


def weighted_kappa(judge: Ratings, human: Ratings, distance: Callable[[Any, Any], Any]) -> Figure:
    """Cohen's weighted kappa: 1 − the distances observed ÷ the distances that the two base rates alone would give.

    `distance` takes the values of the judge and those of people as arrays and gives the matrix of their distances.
    """
    pairs = _both(judge, human)
    if not pairs:
        return _none_in_common()
    (one, other), observed = crosstab(*map(np.asarray, zip(*pairs, strict=True)))
    if len(one) == len(other) == 1 and one[0] == other[0]:
        return Figure(None, len(pairs), f"both sides always say {pairs[0][0]}: nothing to agree beyond chance on")
    weight = distance(one, other)
    return Figure(1 - float((weight * observed).sum() / (weight * expected_freq(observed)).sum()), len(pairs))


def krippendorff_alpha(rows: Iterable[Ratings], level: Level) -> Figure:
    """Krippendorff's alpha over cases: a row is one case with the ratings of any number of people.

    Cases with fewer than two ratings say nothing of agreement and are left out.
    """
    # Cases that were rated alike are counted once: thousands of draws of a bootstrap ask for this.
    alike = Counter(map(tuple, rows))
    pairable = [(row, times) for ratings, times in alike.items() if len(row := _given(ratings)) >= _FEW]
    cases = sum(times for _, times in pairable)
    if not cases:
        return Figure(None, 0, "no case has two ratings")
    values = sorted({value for row, _ in pairable for value in row}, key=_sort_key)
    if len(values) < _FEW:
        return Figure(None, cases, f"every rating is {values[0]}: nothing to agree beyond chance on")
    if cases * len(values) ** 2 > _ALPHA_CELLS:
        reason = f"{len(values)} different values in {cases} cases are too many for alpha: round the scores first"
        return Figure(None, cases, reason)
    domain = np.arange(len(values)) if level == "nominal" else np.asarray(values, float)
    counted = [[row.count(value) for value in values] for row, _ in pairable]
    counts = np.repeat(np.array(counted), [times for _, times in pairable], axis=0)
    found = krippendorff.alpha(value_counts=counts, value_domain=domain, level_of_measurement=level)
    return Figure(float(found), cases)


def spearman(judge: Ratings, human: Ratings) -> Figure:
    """Spearman's rank correlation."""
    return _correlation(judge, human, stats.spearmanr)


def kendall(judge: Ratings, human: Ratings) -> Figure:
    """Kendall's tau-b, which allows for ties."""
    return _correlation(judge, human, stats.kendalltau)


def confusion(judge: Ratings, human: Ratings, classes: Sequence[Value] | None = None) -> Confusion:
    """The confusion matrix; without classes, those that occur."""
    pairs = Counter((said, meant) for said, meant in _both(judge, human))
    known = tuple(classes or sorted({value for pair in pairs for value in pair}, key=_sort_key))
    if strange := {value for pair in pairs for value in pair} - set(known):
        raise ValueError(f"{sorted(strange, key=_sort_key)[0]}: not one of {', '.join(map(str, known))}")
    return Confusion(known, tuple(tuple(pairs[said, meant] for said in known) for meant in known))


def base_rates(human: Ratings) -> dict[Value, float]:
    """The share of each class, the most frequent first: that one is the accuracy of a judge who always says it."""
    counts = Counter(value for value in human if value is not None)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], _sort_key(item[0])))
    return {value: count / counts.total() for value, count in ordered}


def consensus(ratings: Iterable[Value | None]) -> Value | None:
    """What several people say together: the median of numbers, the class of most; None where two classes draw."""
    given = [value for value in ratings if value is not None]
    if not given:
        return None
    if not any(isinstance(value, str) for value in given):
        return median(float(value) for value in given)
    (first, most), *others = Counter(given).most_common(2)
    return None if others and others[0][1] == most else first


def one_against_others(
    people: Sequence[Mapping[str, Value]], metric: Metric, judge: Ratings | None = None
) -> Ceiling | None:
    """Each person against the consensus of the others, case by case; None where no case has two people's ratings."""
    figures, judged = {}, []
    for name in sorted({name for row in people for name in row}):
        others = [
            consensus(value for own, value in row.items() if own != name) if name in row else None for row in people
        ]
        own = metric([row.get(name) for row in people], others)
        if own.cases:
            figures[name] = own
            if judge is not None:
                judged.append(metric(judge, others))
    return Ceiling(figures, _mean(figures.values()), _mean(judged) if judged else None) if figures else None


def baselines(human: Ratings, lengths: Sequence[tuple[float, float]] | None = None) -> dict[str, list[Value | None]]:
    """What three simple judges would say: the most frequent class, the longer answer, the one that stands first.

    The last two are for comparisons: `lengths` are those of A and B, and A stands first. The constant knows the labels
    it is measured on, which is the most a constant can do.
    """
    rates = base_rates(human)
    said: dict[str, list[Value | None]] = {"constant": [next(iter(rates), None)] * len(human)}
    if lengths is not None:
        said["longest"] = [longer_of(*pair) for pair in lengths]
        said["first position"] = ["A"] * len(human)
    return said


def longer_of(a: float, b: float) -> Value:
    """Which of two answers is longer; "tie" if neither is."""
    return "A" if a > b else "B" if b > a else "tie"


def _given(ratings: Ratings) -> list[Value]:
    return [value for value in ratings if value is not None]


def _both(judge: Ratings, human: Ratings) -> list[tuple[Value, Value]]:
    """The cases that both sides rated."""
    return [(one, other) for one, other in zip(judge, human, strict=True) if one is not None and other is not None]


def _none_in_common() -> Figure:
    return Figure(None, 0, "no case was rated by both sides")


def _correlation(judge: Ratings, human: Ratings, of: Callable[[Any, Any], Any]) -> Figure:
    pairs = _both(judge, human)
    if len(pairs) < _FEW:
        return Figure(None, len(pairs), f"too few cases for a correlation: {len(pairs)}")
    for side, who in zip(zip(*pairs, strict=True), ("the judge always says", "people always say"), strict=True):
        if len(set(side)) < _FEW:
            return Figure(None, len(pairs), f"{who} {side[0]}: nothing to correlate")
    return Figure(float(of(*np.asarray(pairs, float).T).statistic), len(pairs))


def _mean(figures: Iterable[Figure]) -> Figure:
    known = [(figure.value, figure.cases) for figure in figures if figure.value is not None]
    if not known:
        return Figure(None, 0, "no person has a defined figure against the others")
    values, cases = zip(*known, strict=True)
    return Figure(fmean(values, cases), sum(cases))


def _sort_key(value: Value) -> tuple[bool, Any]:
    """Numbers by size, then classes by name."""
    return isinstance(value, str), value
