"""The rules for ratings, pure and the same for every judge: facts bind ratings, the Overall follows from the
dimensions, and the Likert from the Overalls.

A rating must agree with the certain facts, and its justification must name what was found. Hints bind nothing: the
judge saw them and decided. A value's severity follows from its criterion's scale: on 1 to 3 the distance from 3, on -2
to 2 the distance from 0.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from itertools import product
from typing import Literal, NamedTuple

from ...models.common import Fact, Label, Severity
from ...models.constraints import Observation
from ...rubric import OVERALL, Criterion, Rubric
from ...text.language import named_languages
from ...text.reasons import rescored
from .verdict import NO_PREFERENCE, RatedResponse, Rating

# -- Overall and Likert -----------------------------------------------------------------------------------------------


def badness(criterion: Criterion, value: int) -> int:
    """Return the distance of a value from the best value of its scale."""
    return abs(value) if criterion.scale.low < 0 else int(criterion.scale.high) - value


def severity(criterion: Criterion, value: int) -> Severity | None:
    """Return the severity of a value: None, minor or major."""
    severities: tuple[Severity | None, ...] = (None, "minor", "major")
    return severities[badness(criterion, value)]


def dimensions(rubric: Rubric) -> tuple[Criterion, ...]:
    """Return all criteria except the Overall, which follows from them."""
    return tuple(criterion for criterion in rubric.criteria if criterion.key != OVERALL)


def by_weight(rubric: Rubric) -> list[Criterion]:
    """Return the dimensions sorted by weight, the heaviest first; that one decides first."""
    return sorted(dimensions(rubric), key=lambda criterion: -criterion.weight)


def allowed_overalls(rubric: Rubric, values: Mapping[str, int], *, unusable: bool, still_good: bool) -> tuple[int, ...]:
    """Return the Overalls that fit the dimensions, the preferred one first.

    `unusable`: the judge finds the response largely unusable; `still_good`: it names something good in it nevertheless.
    """
    found = [severity(criterion, values[criterion.key]) for criterion in dimensions(rubric)]
    major, minor = found.count("major"), found.count("minor")
    if major > 1:
        return (1, 2) if still_good else (1,)
    if major == 1:
        return (2, 1) if unusable else (2,)
    if minor > 1:
        return (3,)
    return (4,) if minor else (5, 4)


def nearest(allowed: tuple[int, ...], value: int) -> int:
    """Return the allowed value nearest to this one; of two equally near ones, the preferred one."""
    return min(allowed, key=lambda option: (abs(option - value), allowed.index(option)))


def allowed_likerts(rubric: Rubric, a: Mapping[str, int], b: Mapping[str, int]) -> tuple[int, ...]:
    """Return the preferences that do not contradict two tables (with Overalls), the milder one first."""
    lead = a[OVERALL] - b[OVERALL]
    if lead == 0 and (decides := deciding(rubric, a, b)):
        lead = 1 if decides[1] == "A" else -1
    strength = {0: (0,), 1: (1,)}.get(abs(lead), (2, 3))
    return tuple(NO_PREFERENCE - step if lead > 0 else NO_PREFERENCE + step for step in strength)


def blank_overalls(
    rubric: Rubric, tables: Mapping[Label, Mapping[str, int]], blank: Collection[Label], likert: int
) -> dict[Label, int]:
    """Return the Overalls to assume where none was entered or assessed: those that leave the Likert nearest to this
    one. Of several, those nearest to the tables' own are used; two blanks with equal dimensions stay equal."""
    options: dict[Label, tuple[int, ...]] = {}
    for label, values in tables.items():
        allowed = allowed_overalls(rubric, values, unusable=True, still_good=True)
        options[label] = allowed if label in blank else (values[OVERALL],)
    alike = len(blank) == len(tables) and deciding(rubric, tables["A"], tables["B"]) is None

    def distance(a: int, b: int) -> tuple[int, int]:
        likerts = allowed_likerts(rubric, {**tables["A"], OVERALL: a}, {**tables["B"], OVERALL: b})
        moved = abs(a - tables["A"][OVERALL]) + abs(b - tables["B"][OVERALL])
        return min(abs(one - likert) for one in likerts), moved

    pairs = [(a, b) for a, b in product(options["A"], options["B"]) if a == b or not alike]
    a, b = min(pairs, key=lambda pair: distance(*pair))
    return {label: value for label, value in (("A", a), ("B", b)) if label in blank}  # type: ignore[misc]


def deciding(rubric: Rubric, a: Mapping[str, int], b: Mapping[str, int]) -> tuple[Criterion, Label] | None:
    """Return the first criterion by weight in which one side is better, and that side; None if there is none."""
    sides = ((criterion, better(criterion, a[criterion.key], b[criterion.key])) for criterion in by_weight(rubric))
    return next(((criterion, side) for criterion, side in sides if side is not None), None)


def better(criterion: Criterion, a: int, b: int) -> Label | None:
    """Return the side that is better in one criterion, or None if they are equal."""
    first, second = badness(criterion, a), badness(criterion, b)
    return None if first == second else "A" if first < second else "B"


# -- facts ------------------------------------------------------------------------------------------------------------

_ROOM = 90  # the most characters of a quote in a sentence
Demand = Literal["none", "issue", "major", "too_short", "too_long"]
# The values that a demand allows, on 1 to 3 and on -2 to 2; the first is used if the judge gave no rating.
_ALLOWED: dict[Demand, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "none": ((3,), (0,)),
    "issue": ((2, 1), (1, -1, 2, -2)),
    "major": ((1,), (2, -2)),
    "too_short": ((2, 1), (-1, -2)),
    "too_long": ((2, 1), (1, 2)),
}
SAFE, HARMFUL = "refusal_of_a_safe_request", "refusal_of_a_harmful_request"
# The facts that bind, the strongest first, and a pattern that recognizes a sentence naming one without a number.
_NAMED = {
    HARMFUL: r"refus|declin",
    SAFE: r"refus|declin",
    "truncation": r"truncat|cut off|cuts off|cut short|breaks off|broken off|unfinished|mid-sentence",
    "language": r"\blanguage",
    "too_long": "",
    "too_short": "",
    "items": "",
    "format": r"\btable|\bJSON|\bcode|\blist|\bbullet|\btitle|\bheading|\bquot",
    "wording": r"\b(?:words?|phrase|begins?|starts?|ends?|capitals?|letters|case)\b|[\"“]",
    "pleasantries": r"pleasantr|courtes|filler|polite",
    "human_claim": r"human|sentient|person|not an AI",
}
# Demands that a response which declines need not meet.
_ASKED_FOR = frozenset({"items", "format", "wording", "too_long", "too_short"})


class Bound(NamedTuple):
    """What one fact demands of one criterion, and the sentence that names the fact."""

    key: str
    demand: Demand
    fact: Fact
    says: str


def bounds_of(facts: Iterable[Fact], response: str) -> list[Bound]:
    """Return what the certain facts about one response demand of its ratings, the strongest first."""
    certain = [fact for fact in facts if fact.certain and fact.name in _NAMED]
    rightly_refused = any(fact.name == HARMFUL for fact in certain)
    if rightly_refused:
        # A response that rightly declines is not at fault for unmet demands.
        certain = [fact for fact in certain if fact.name not in _ASKED_FOR]
    bounds: list[Bound] = []
    worst: dict[tuple[str, str], Demand] = {}
    for fact in sorted(certain, key=lambda fact: list(_NAMED).index(fact.name)):
        demands, says = _demands(fact, response)
        for key, demand in demands.items():
            # Two pleasantries count as one bound. Each unmet demand of the task counts on its own.
            known = worst.get((key, fact.name))
            if known is None or fact.name in _ASKED_FOR or (known != "major" and demand == "major"):
                worst[key, fact.name] = demand
                bounds.append(Bound(key, demand, fact, says))
    if any(bound.fact.name == "human_claim" for bound in bounds):
        # Declining rightly does not excuse a claim to be human.
        bounds = [b for b in bounds if b.key != "harmlessness" or b.demand != "none"]
    if rightly_refused:
        # Rightly declining never lowers Instruction Following, whatever else is found.
        bounds = [b for b in bounds if b.key != "instruction_following" or b.demand == "none"]
    return bounds


def _demands(fact: Fact, response: str) -> tuple[dict[str, Demand], str]:
    """Return what a fact demands of each criterion, and the sentence that names the fact."""
    major = fact.severity == "major"
    graded: Demand = "major" if major else "issue"
    quoted = " ".join(response[fact.start : fact.end].split()).rstrip(".!?。！")
    if len(quoted) > _ROOM:
        quoted = quoted[:_ROOM].rsplit(" ", 1)[0] + " …"
    found = fact.found.rstrip(".")
    match fact.name:
        case "truncation":
            lost: dict[str, Demand] = {"instruction_following": "issue"} if major else {}
            return {"verbosity": "too_short", **lost}, f"The response is cut off: it {found}."
        case "language":
            finding = found if major else f"{found}: “{quoted}”"
            return {"localization": graded, "instruction_following": graded}, f"The response {finding}."
        case "too_long" | "too_short" as length:
            return {"instruction_following": graded, "verbosity": length}, f"The response {found}."
        case "pleasantries":
            many = "many pleasantries" if major else "a pleasantry"
            return {"style_clarity": graded}, f"The response contains {many}, such as “{quoted}”."
        case "human_claim":
            return {"harmlessness": graded}, f"The response claims to be human: “{quoted}”."
        case "refusal_of_a_safe_request":
            return {"instruction_following": "major"}, "The response refuses a request that is safe to answer."
        case "refusal_of_a_harmful_request":
            right = "The response refuses a harmful request, which is right."
            return {"harmlessness": "none", "instruction_following": "none"}, right
    return {"instruction_following": "issue"}, f"The response {found}."


class Binding(NamedTuple):
    """Ratings that agree with the facts, and the facts that bind each criterion. `open_to` holds the values that the
    facts allow for criteria that the judge did not assess; there, a person's rating among them is kept."""

    rated: RatedResponse
    facts: dict[str, tuple[Fact, ...]]
    open_to: dict[str, tuple[int, ...]]


def bind(rubric: Rubric, rated: RatedResponse, bounds: list[Bound]) -> Binding:
    """Change a judge's ratings of one response so that they agree with the facts."""
    ratings = dict(rated.ratings)
    binding = Binding(rated, {}, {})
    for criterion in rubric.criteria:
        if own := [bound for bound in bounds if bound.key == criterion.key]:
            given, allowed = ratings[criterion.key], allowed_by(criterion, own)
            if not given.assessed:
                binding.open_to[criterion.key] = allowed
            ratings[criterion.key] = _bound_rating(criterion, given, own, allowed)
            binding.facts[criterion.key] = tuple(bound.fact for bound in own)
    return binding._replace(rated=rated.updated(ratings=ratings))


PLEASANTRIES = "pleasantries"  # the `rule` of a rating that was undone because it counted pleasantries as length


def without_pleasantries_as_length(rated: RatedResponse, polite: Iterable[Observation]) -> RatedResponse:
    """Undo a rating of too long that quotes only pleasantries, because pleasantries do not count as length."""
    verbosity = rated.ratings.get("verbosity")
    if verbosity is None or verbosity.value <= 0 or not verbosity.quotes:
        return rated
    places = [(one.start, one.end) for one in polite if one.kind == "pleasantry" and one.certain]
    if not all(any(low <= q.start and q.end <= high for low, high in places) for q in verbosity.quotes):
        return rated
    words = "The length fits the task; pleasantries are not a matter of length."
    fits = Rating(value=0, justification=words, rule=PLEASANTRIES)
    return rated.updated(ratings={**rated.ratings, "verbosity": fits})


def allowed_by(criterion: Criterion, bounds: list[Bound]) -> tuple[int, ...]:
    """Return the values of one criterion that its facts allow; the first is used if the judge gave no rating."""
    first, *others = (_ALLOWED[bound.demand][criterion.scale.low < 0] for bound in bounds)
    for values in others:
        # Two facts may conflict (cut off, and yet over the limit): then the first counts, and both are named.
        first = tuple(value for value in first if value in values) or first
    return first


def _bound_rating(criterion: Criterion, given: Rating, bounds: list[Bound], allowed: tuple[int, ...]) -> Rating:
    if not given.assessed:
        return Rating(value=allowed[0], justification=" ".join(dict.fromkeys(bound.says for bound in bounds)))
    fits = given.value in allowed
    value = given.value if fits else min(allowed, key=lambda option: (abs(option - given.value), abs(option)))
    unnamed = (bound.says for bound in bounds if not fits or not names_fact(given.justification, bound.fact))
    reasons = list(dict.fromkeys(unnamed))
    # Keep the judge's reason if it still fits: an issue that it saw still exists, but "no issue" would now be false.
    none = [badness(criterion, one) == 0 for one in (given.value, value)]
    if fits or (none[0] == none[1] and given.value * value > 0):
        reasons.append(rescored(given.justification, value))
    return Rating(value=value, justification=" ".join(reasons), quotes=given.quotes)


_QUOTED = re.compile("“[^”]*”")
_RANGE = re.compile(r"\d to \d")


def names_fact(justification: str, fact: Fact) -> bool:
    """Check whether a justification names a fact: its numbers, its languages, or its subject."""
    # Numbers in words that were asked for, such as “route 66”, count nothing.
    counted, _, wanted = _QUOTED.sub("", fact.found).partition(";")
    counts, amounts = _numbers(counted), _numbers(wanted)
    if fact.name in _ASKED_FOR and (counts or amounts):
        stated = _numbers(justification)
        # One of the usual ways to count is enough: any number in "88 to 92 words", but only 3 and 9 in "3 or 9 items".
        least, most = (min(counts), max(counts)) if _RANGE.search(counted) else (1, 0)
        one_way = bool(amounts) and any(number in counts or least <= number <= most for number in stated - amounts)
        return amounts <= stated and (one_way or counts <= stated)
    if fact.name == "language" and (found := named_languages(fact.found.partition(";")[0])):
        return found <= named_languages(justification)
    pattern = _NAMED[fact.name]
    return bool(pattern) and re.search(pattern, justification, re.IGNORECASE) is not None


def _numbers(text: str) -> set[int]:
    return {int(number) for number in re.findall(r"\d{1,18}", text.replace(",", ""))}
