"""What a grading says in words: what was counted for an item, why it passed or not, exact numbers, and titles."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction

from ...arithmetic import plain, rounded
from ...rendering.wording import MINUS, number
from ...rubric import Rubric
from .case import Grading
from .questions import ItemFinding
from .rubric import items_of, pass_at
from .score import ScoreOutcome, percent
from .verdict import ItemVerdict, Kind, Quote

_COUNTED: dict[Kind, tuple[str, str, str]] = {
    "claims": ("claim is", "claims are", "supported"),
    "covers": ("main point is", "main points are", "covered"),
    "constraints": ("demand is", "demands are", "met"),
}


def counted(kind: Kind, finding: ItemFinding) -> str:
    """Say how many of what was listed earn a share; empty if nothing was."""
    met, of = finding.counts
    if not of:
        return ""
    one, many, done = _COUNTED[kind]
    results = [*(claim.result for claim in finding.claims), *(point.result for point in finding.main_points)]
    words = f"{met} of {of} {one if of == 1 else many} {done}"
    for result in ("contradicted", "not_found", "missing"):
        if count := results.count(result):
            words += f", {count} {'is' if count == 1 else 'are'} {result.replace('_', ' ')}"
    return f"{words}."


def why(
    items: tuple[ItemVerdict, ...],
    rubric: Rubric,
    case: Grading,
    score: Fraction,
    passed: bool | None,
    ends: tuple[ScoreOutcome, ScoreOutcome],
) -> str:
    """Say in one sentence why an answer passed or not. `ends` are the outcomes at worst and at best."""
    if case.is_empty:
        return "Failed: the answer is empty."
    mark, names = pass_at(rubric), {item.key: item.name for item in items_of(rubric)}
    shown, needed = percent(score, mark), f"{plain(100 * mark)} is needed"
    if passed is None:
        low, high = (percent(end.score, mark) for end in ends)
        unknown = [item for item in items if item.applicable and not item.assessed]
        found = f"Undecided: nobody assessed {listed(names[item.key] for item in unknown)}"
        if required := [names[item.key] for item in unknown if item.required]:
            found += ", which is required" if len(unknown) == 1 else f" (required: {listed(required)})"
        return f"{found}; the score may be {low} to {high}, and {needed}."
    reached = f"the score is {shown}, and {needed}"
    if passed:
        if any(item.required and item.applicable for item in items):
            return f"Passed: the score is {shown}, {needed}, and every required item is met."
        return f"Passed: {reached}."
    unmet = [names[item.key] for item in items if item.met is False]
    if not unmet:
        return f"Failed: {reached}."
    missed = f"required and not met: {listed(unmet)}"
    return f"Failed: {missed}; {reached}." if score < Fraction(mark) else f"Failed: {missed}; the score is {shown}."


def listed(names: Iterable[str]) -> str:
    """Join names in quotation marks; empty if there are none."""
    *first, last = [f"“{name}”" for name in names] or [""]
    return f"{', '.join(first)} and {last}" if first else last


def exact(value: Fraction | Decimal) -> str:
    """Write a number with all its digits, or as a fraction if they are many."""
    whole = Fraction(value)
    near = rounded(whole)
    if Fraction(near) == whole:
        return number(plain(near))
    return f"{whole.numerator}/{whole.denominator}".replace("-", MINUS)


# -- how texts are called, in reports and to people who label ----------------------------------------------------------


def step_title(case: Grading, number: int) -> str:
    """Name a step by its number and what it is; the one that is the answer says so."""
    final = ", the final answer" if number == case.final_step else ""
    return f"Step {number}: {case.steps[number - 1].label}{final}"


def source_title(case: Grading, name: str) -> str:
    """Name a source by its id, if there are several."""
    return f"Source {name}" if len(case.context) > 1 or name != "1" else "Source"


def place_of(quote: Quote) -> str:
    """Name the text that a quote is from."""
    if quote.text == "step":
        return f"step {quote.step}"
    return f"source {quote.context}" if quote.text == "context" else quote.text
