"""Win rates and means with the judge's measured error taken out, beside the raw ones and never instead of them.

The difference estimator (prediction-powered inference, Angelopoulos and others 2023): the judge's mean on the cases
without labels plus the mean of human − judge on the labelled ones. A win rate is the mean of what verdicts are worth.
The interval carries the uncertainty of the labelled sample, which must be a random one of the cases the judge met:
cases that were picked because the judge was unsure show too many errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean, variance

from scipy import stats  # type: ignore[import-untyped]

from ..results.statistics import CONFIDENCE, mean_interval
from .figures import Figure, share

FEW_LABELS = 5


@dataclass(frozen=True, slots=True)
class Corrected:
    """A share or mean as the judge gives it, and with its error taken out."""

    raw: Figure
    corrected: Figure


def corrected_rate(unlabelled: Sequence[float], labelled: Sequence[tuple[float, float]]) -> Corrected:
    """The win rate by people: what verdicts are worth from 0 to 1, of the judge alone and of the judge and people."""
    # An error of each kind is added, so that none among a few labels is not taken for none at all.
    found = corrected_mean(unlabelled, labelled, unseen=(1.0, -1.0))
    raw = share(round(sum(unlabelled)), len(unlabelled)) if set(unlabelled) <= {0.0, 1.0} else _in_shares(found.raw)
    return Corrected(raw, _in_shares(found.corrected))


def corrected_mean(
    unlabelled: Sequence[float], labelled: Sequence[tuple[float, float]], unseen: tuple[float, ...] = ()
) -> Corrected:
    """The mean people would give: `unlabelled` are scores of the judge, `labelled` pairs of its score and the human
    one. `unseen` are errors that count for the interval alone."""
    cases = len(unlabelled)
    if not cases:
        nothing = Figure(None, 0, "no cases without labels")
        return Corrected(nothing, nothing)
    mean = fmean(unlabelled)
    spread = variance(unlabelled) if cases > 1 else 0.0
    raw = Figure(mean, cases, "", mean_interval(mean, spread**0.5, cases))
    if len(labelled) < FEW_LABELS:
        reason = f"too few labelled cases: {len(labelled)}, at least {FEW_LABELS} are needed"
        return Corrected(raw, Figure(None, cases, reason))
    errors = [human - judge for judge, human in labelled]
    value, held = mean + fmean(errors), [*errors, *unseen]
    # Student's t with the freedom of the labelled sample, which is the smaller one and so on the careful side.
    reach = float(stats.t.ppf((1 + CONFIDENCE) / 2, len(held) - 1))
    reach *= (spread / cases + variance(held) / len(held)) ** 0.5
    return Corrected(raw, Figure(value, cases, "", (value - reach, value + reach)))


def _in_shares(figure: Figure) -> Figure:
    """The figure with nothing of it below 0 or above 1."""

    def held(number: float) -> float:
        return min(max(number, 0.0), 1.0)

    ends = None if figure.interval is None else (held(figure.interval[0]), held(figure.interval[1]))
    return replace(figure, value=None if figure.value is None else held(figure.value), interval=ends)
