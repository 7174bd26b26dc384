"""Figures of an agreement report as people read them: names, numbers with their intervals, why one is missing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from ...agreement.figures import Figure, Value
from ...agreement.report.measures import ONE_PERSON, SAME_PEOPLE
from ...models.rows import Protocol
from ..wording import interval, percent, points, rounded

METRICS = {
    "accuracy": "Accuracy (same as people)",
    "kappa": "Cohen’s kappa",
    "quadratic_kappa": "Kappa, quadratic",
    "alpha_nominal": "Krippendorff’s alpha, nominal",
    "alpha_ordinal": "Krippendorff’s alpha, ordinal",
    "alpha_interval": "Krippendorff’s alpha, interval",
    "spearman": "Spearman’s rank correlation",
    "kendall": "Kendall’s tau",
    "mae": "Mean distance",
    "mae_average": "Mean distance, before rounding",
}
SHORT = {"accuracy": "Accuracy", "kappa": "Kappa", "mae": "Mean distance", "spearman": "Spearman"}
RULES = ("constant", "longest", "first position")
ENDINGS = {
    "undecided": "the judge did not decide",
    "failure": "no verdict: the judgment failed",
    "skipped": "could not be judged",
    "unfinished": "not judged yet",
    "invalid": "the task cannot be rated",
    "people draw": "people’s votes draw",
    "no vote on the whole": "only criteria were rated",
}
HABITS = {
    "length": "The longer answer",
    "lists": "The answer with more list items",
    "bold": "The answer with more bold type",
    "self-preference": "The judge’s own answer",
}
GUESSING = "The judge, with its best guesses"


def _shower(name: str) -> Callable[[float | None], str]:
    return percent if name == "accuracy" else partial(rounded, decimals=1 if name.startswith("mae") else 2)


def value_of(name: str, figure: Figure | None) -> str:
    """A figure without its interval; a dash for none."""
    return "–" if figure is None else _shower(name)(figure.value)


def interval_of(name: str, figure: Figure | None) -> str:
    """Its 95 % interval; a dash for none."""
    return interval(None if figure is None else figure.interval, _shower(name)).replace(" %", "", 1)


def with_bounds(name: str, figure: Figure) -> str:
    """Both: `0.86 (0.75 to 0.96)`; or why there is none."""
    if figure.value is None:
        return f"not known ({figure.reason})"
    bounds = f" ({interval_of(name, figure)})" if figure.interval else ""
    return f"{value_of(name, figure)}{bounds}"


def both(name: str, figure: Figure | None) -> tuple[str, str]:
    """Two cells: the figure, and its interval."""
    return value_of(name, figure), interval_of(name, figure)


def in_points(figure: Figure | None) -> tuple[str, str]:
    """The same of a difference of shares, in points."""
    return ("–", "–") if figure is None else (points(figure.value), interval(figure.interval, points))


def told_once(reasons: Iterable[tuple[str, str]]) -> list[str]:
    """Why figures are missing, by name: those that miss for one reason in one sentence."""
    names: dict[str, list[str]] = {}
    for name, reason in reasons:
        if reason:
            names.setdefault(reason, []).append(name)
    return [f"{'; '.join(dict.fromkeys(several))}: {reason}." for reason, several in names.items()]


def side(value: Value, protocol: Protocol) -> str:
    """A winner, a preferred side, or a number."""
    if not isinstance(value, str):
        return f"{value:g}"
    if protocol == "review":
        return {"A": "Response 1", "B": "Response 2", "tie": "neither"}[value]
    return value


def who(name: str, constant: str, *, guessed: bool = False) -> str:
    """Whose figures a row holds."""
    return {
        "judge": GUESSING if guessed else "The judge",
        "constant": f"Always {constant}",
        "longest": "The longer answer",
        "first position": "Whatever stands first",
        ONE_PERSON: "One person against the others",
        SAME_PEOPLE: "The judge against the same others",
    }[name]
