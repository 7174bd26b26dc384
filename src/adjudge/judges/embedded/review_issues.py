"""What the measures of two responses say about the dimensions of a review: minor issues, each with words and a place.

Only measures that are hardly ever wrong; and yet none is certain, or it would be a fact and bind by rule.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ...verdicts import Fact, Label
from .check import Check
from .measurement import Measurement
from .measures import Measured

_INSTRUCTIONS, _TRUTH, VERBOSITY = "instruction_following", "truthfulness", "verbosity"
_MINOR = 2
_OFTEN = 0.5  # of the sentences are said again
_REFRAINS = frozenset(("creative", "code"))  # kinds of task in which saying the same again may be wanted
_EDGES = " \t\r\n.,:;!?\"'()"
_MAY_BE_MEANT = frozenset(
    ("none", "no", "n/a", "na", "null", "nan", "undefined", "not applicable", "empty", "no results")
)
# An unsure guess at a language, at an unfinished sentence or at a refusal is wrong too often to count.
_WHAT_HINTS_SAY = {
    "too_long": ((_INSTRUCTIONS, _MINOR), (VERBOSITY, 1)),
    "too_short": ((_INSTRUCTIONS, _MINOR), (VERBOSITY, -1)),
    "items": ((_INSTRUCTIONS, _MINOR),),
    "format": ((_INSTRUCTIONS, _MINOR),),
    "code": ((_TRUTH, _MINOR),),
}


class Issue(NamedTuple):
    """A rating on the contract's own scales; why, and where it shows."""

    key: str
    value: int
    says: str
    place: tuple[int, int] | None = None


def find_issues(text: str, label: Label, measured: Measured, facts: tuple[Fact, ...]) -> dict[str, Issue]:
    """The first issue of each dimension that code has found in the response `text`."""
    own = [fact for fact in facts if fact.where == label]
    one = measured.a if label == "A" else measured.b
    checks = measured.checks_a if label == "A" else measured.checks_b
    found: dict[str, Issue] = {}
    for issue in (*_no_answer(text, one), *_from_hints(own), *_from_checks(checks), *_from_flaws(one, measured.kinds)):
        found.setdefault(issue.key, issue)
    return found


def _no_answer(text: str, one: Mapping[str, Measurement]) -> Iterator[Issue]:
    """`<no output>` and the like; a word such as None may be the answer."""
    if one["no_answer"].value and text.strip(_EDGES).lower() not in _MAY_BE_MEANT:
        yield Issue(_INSTRUCTIONS, _MINOR, f"There is no answer: {one['no_answer'].says}", (0, len(text)))


def _from_hints(facts: list[Fact]) -> Iterator[Issue]:
    for fact in facts:
        for key, value in _WHAT_HINTS_SAY.get(fact.name, ()) if not fact.certain else ():
            yield Issue(key, value, f"Possibly the response {fact.found.rstrip('.')}", (fact.start, fact.end))


def _from_checks(checks: tuple[Check, ...]) -> Iterator[Issue]:
    """A word that the prompt does not want."""
    for check in checks:
        if check.asked.startswith("not to use ") and not check.kept:
            yield Issue(_INSTRUCTIONS, _MINOR, f"The prompt asks {check.asked}, and it is there", check.place)


def _from_flaws(one: Mapping[str, Measurement], kinds: frozenset[str]) -> Iterator[Issue]:
    if (again := one["repetition"]).value >= _OFTEN and not kinds & _REFRAINS:
        yield Issue(VERBOSITY, 1, f"The response {again.says.removeprefix('it ')}", again.place)
    if (again := one["repeated_items"]).value:
        yield Issue(VERBOSITY, 1, f"The response repeats itself: {again.says}", again.place)
    if (sums := one["wrong_sums"]).value:
        yield Issue(_TRUTH, _MINOR, f"The response {sums.says.removeprefix('it ')}", sums.place)
