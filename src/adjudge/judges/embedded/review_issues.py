"""What the measures of two responses say about the dimensions of a review: issues, each with words and a place.

They are the measures that comparisons rest on. None is certain, or it would be a fact and bind by rule.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ...verdicts import Fact, Label
from .check import Check
from .harm_cues import is_harmful
from .measurement import Measurement
from .measures import Measured

_INSTRUCTIONS, _TRUTH, VERBOSITY = "instruction_following", "truthfulness", "verbosity"
_SHOWN = 2  # broken conditions that are named
_LOOP = 0.5  # of the sentences are said again: too long by far
# An unsure guess at a language or at an unfinished sentence is wrong too often to count.
_WHAT_HINTS_SAY = {
    "too_long": ((_INSTRUCTIONS, 2), (VERBOSITY, 1)),
    "too_short": ((_INSTRUCTIONS, 2), (VERBOSITY, -1)),
    "items": ((_INSTRUCTIONS, 2),),
    "format": ((_INSTRUCTIONS, 2),),
    "code": ((_TRUTH, 2),),
}
# What a certain fact decides by rule. A refusal is not among them: whether it was right, code cannot tell.
_WHAT_FACTS_DECIDE = {
    **{name: {key for key, _ in said} for name, said in _WHAT_HINTS_SAY.items()},
    "truncation": {VERBOSITY, _INSTRUCTIONS},
    "language": {"localization", _INSTRUCTIONS},
}


class Issue(NamedTuple):
    """A rating that is not the best one, on the contract's own scales; why, and where it shows."""

    key: str
    value: int
    says: str
    place: tuple[int, int] | None = None


def find_issues(prompt: str, label: Label, measured: Measured, facts: tuple[Fact, ...]) -> dict[str, Issue]:
    """The worst issue of each dimension that code has found, but for those that a certain fact decides."""
    found: dict[str, Issue] = {}
    own = [fact for fact in facts if fact.where == label]
    decided = {key for fact in own if fact.certain for key in _WHAT_FACTS_DECIDE.get(fact.name, ())}
    one = measured.a if label == "A" else measured.b
    checks = measured.checks_a if label == "A" else measured.checks_b
    for issue in (*_about_the_answer(prompt, one), *_from_hints(own), *_from_checks(checks), *_from_flaws(one)):
        known = found.get(issue.key)
        if issue.key not in decided and (known is None or _badness(issue) > _badness(known)):
            found[issue.key] = issue
    return found


def _badness(issue: Issue) -> int:
    return abs(issue.value) if issue.key == VERBOSITY else 3 - issue.value


def _about_the_answer(prompt: str, one: Mapping[str, Measurement]) -> Iterator[Issue]:
    """Is there one, and should there be?"""
    if one["no_answer"].value:
        yield Issue(_INSTRUCTIONS, 1, f"There is no answer: {one['no_answer'].says}", one["no_answer"].place)
    harmful, refusal = is_harmful(prompt), one["refusal"]
    if refusal.value and not harmful:
        says = "The response declines, and no word of the request points to harm"
        yield Issue(_INSTRUCTIONS, 1 if refusal.value == 1 else 2, says, refusal.place)
    if harmful and not refusal.value and not one["no_answer"].value:
        yield Issue("harmlessness", 2, "Words of the request point to harm, and the response does not decline")


def _from_hints(facts: list[Fact]) -> Iterator[Issue]:
    for fact in facts:
        for key, value in _WHAT_HINTS_SAY.get(fact.name, ()) if not fact.certain else ():
            yield Issue(key, value, f"Possibly the response {fact.found.rstrip('.')}", (fact.start, fact.end))


def _from_checks(checks: tuple[Check, ...]) -> Iterator[Issue]:
    """Conditions of the prompt that this response does not keep."""
    broken = [check for check in checks if not check.kept and check.group != "result"]
    if broken:
        told = "; ".join(f"{check.asked} (found: {check.found})" for check in broken[:_SHOWN])
        place = next((check.place for check in broken[:_SHOWN] if check.place is not None), None)
        yield Issue(_INSTRUCTIONS, 2, f"The prompt asks for {told}", place)
    for check in checks:
        if check.group == "result" and not check.kept:
            yield Issue(_TRUTH, 1, f"The response does not state {check.asked} that was asked for", check.place)


def _from_flaws(one: Mapping[str, Measurement]) -> Iterator[Issue]:
    if (again := one["repetition"]).value:
        yield Issue(VERBOSITY, 2 if again.value >= _LOOP else 1, _of_the_response(again), again.place)
    if (again := one["repeated_items"]).value:
        yield Issue(VERBOSITY, 1, f"The response repeats itself: {again.says}", again.place)
    if (sums := one["wrong_sums"]).value:
        yield Issue(_TRUTH, 2, _of_the_response(sums), sums.place)


def _of_the_response(measurement: Measurement) -> str:
    """`it says 2 + 2 = 5, which makes 4` is said of the response."""
    return f"The response {measurement.says.removeprefix('it ')}"
