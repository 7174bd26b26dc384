"""Identical responses: what is found of one is found of the other, whichever the judge or the person named it for.

Observations, facts and ratings are shared. Where two ratings of one dimension differ, both responses get the more
severe one; of a too short and a too long of the same severity, the too short one. The texts may differ in Unicode form,
line ends and trailing white space, so a passage is moved to its own place in the other text.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping
from functools import cached_property
from itertools import accumulate

from ...models.common import LABELS, Fact, Label
from ...models.constraints import Observation
from ...rubric import Criterion, Rubric
from ...text.control_tokens import without_end_markers
from ...text.identical import are_identical as are_identical_texts
from .case import Original, Review
from .consistency import badness
from .correcting import read_rating
from .verdict import Passage, RatedResponse, Rating

_OTHER: Mapping[Label, Label] = {"A": "B", "B": "A"}
_OF_ONE_TEXT = "system_marker"  # an end marker is no part of the response


def are_identical(case: Review) -> bool:
    """Check whether both responses are the same text, end markers aside."""
    return are_identical_texts(without_end_markers(case.a), without_end_markers(case.b))


class Twins:
    """Two identical responses."""

    def __init__(self, case: Review) -> None:
        self._texts: dict[Label, str] = {label: case.answer(label) for label in LABELS}

    # -- places ---------------------------------------------------------------------------------------------------

    @cached_property
    def _counts(self) -> dict[Label, list[int]]:
        """For each character, how many decomposed characters but white space there are up to its end."""
        return {label: list(accumulate(map(_parts, text))) for label, text in self._texts.items()}

    def moved(self, to: Label, start: int, end: int) -> tuple[int, int]:
        """Return the place in one response that corresponds to a place in the other."""
        if self._texts["A"] == self._texts["B"]:
            return start, end
        here, there = self._counts[_OTHER[to]], self._counts[to]
        before, until = (here[at - 1] if at else 0 for at in (start, end))
        first = min(bisect_right(there, before), len(there))
        return first, max(first, min(bisect_left(there, until) + 1, len(there)))

    def _quotes(self, to: Label, quotes: Iterable[Passage]) -> tuple[Passage, ...]:
        places = [self.moved(to, quote.start, quote.end) for quote in quotes]
        return tuple(
            Passage(quote=self._texts[to][start:end], start=start, end=end) for start, end in places if start < end
        )

    # -- what was found -------------------------------------------------------------------------------------------

    def observations(self, seen: Iterable[Observation]) -> tuple[Observation, ...]:
        """Return what was seen in either response as seen in both."""
        both: dict[tuple[object, ...], Observation] = {}
        given = sorted(seen, key=lambda one: not one.certain)  # what is certain of one is certain of the other
        for one in given:
            start, end = self.moved(_OTHER[one.response], one.start, one.end)
            quote = self._texts[_OTHER[one.response]][start:end]
            twin = one.updated(response=_OTHER[one.response], start=start, end=end, quote=quote)
            for found in (one, twin):
                both.setdefault((found.response, found.kind, found.start, found.end), found)
        # A judge that calls the same refusal right and wrong does not say which it is.
        answers = {one.harmful for one in given if one.kind == "declines"}
        missing = any(one.part_missing for one in given)
        mild = all(one.mild for one in given if one.kind == "human_claim")
        agreed: dict[str, dict[str, bool | None]] = {
            "declines": {"harmful": next(iter(answers)) if len(answers) == 1 else None},
            "cut_off": {"part_missing": missing},
            "human_claim": {"mild": mild},
        }
        return tuple(one.updated(**agreed.get(one.kind, {})) for one in both.values())

    def facts(self, facts: Iterable[Fact]) -> tuple[Fact, ...]:
        """Return the facts about either response as facts about both, in the order of the responses."""
        known = list(facts)
        present = {(fact.where, fact.name, fact.found, fact.certain) for fact in known}
        for fact in tuple(known):
            if fact.where not in LABELS or fact.name == _OF_ONE_TEXT:
                continue
            other = _OTHER[fact.where]
            if (other, fact.name, fact.found, fact.certain) not in present:
                start, end = self.moved(other, fact.start, fact.end)
                known.append(fact.updated(where=other, start=start, end=end))
        return tuple(sorted(known, key=lambda fact: {"A": 1, "B": 2}.get(fact.where, 0)))

    # -- ratings --------------------------------------------------------------------------------------------------

    def rated(self, rubric: Rubric, responses: Mapping[Label, RatedResponse]) -> RatedResponse:
        """Return the ratings of both responses, with quotes from Response 1."""
        ratings = {}
        for criterion in rubric.criteria:
            given = {label: responses[label].ratings[criterion.key] for label in LABELS}
            # A rating that the judge assessed comes first, then the more severe one, then one that a rule set.
            a, b = ((not one.assessed, *_mildness(criterion, one.value), not one.rule) for one in given.values())
            moved = given["B"].updated(quotes=self._quotes("A", given["B"].quotes))
            ratings[criterion.key] = moved if b < a else given["A"]
        return RatedResponse(
            ratings=ratings,
            unusable=any(rated.unusable for rated in responses.values()),
            still_good=next((rated.still_good for rated in responses.values() if rated.still_good), ""),
        )

    def second(self, rated: RatedResponse) -> RatedResponse:
        """Return these ratings with quotes from Response 2."""
        ratings: dict[str, Rating] = {
            key: rating.updated(quotes=self._quotes("B", rating.quotes)) for key, rating in rated.ratings.items()
        }
        return rated.updated(ratings=ratings)


def shared_entries(case: Review, rubric: Rubric) -> dict[str, int]:
    """Return the ratings that a person entered for either response; of two that differ, the more severe one."""
    entered: dict[str, int] = {}
    for criterion in rubric.criteria:
        given = [case.originals(label).get(criterion.key, Original()).rating for label in LABELS]
        values = [value for words in given if isinstance(value := read_rating(words, criterion.scale), int)]
        if values:
            entered[criterion.key] = min(values, key=lambda value: _mildness(criterion, value))
    return entered


def _mildness(criterion: Criterion, value: int) -> tuple[int, int]:
    return -badness(criterion, value), value


def _parts(char: str) -> int:
    return 0 if char.isspace() else len(unicodedata.normalize("NFD", char))
