"""What the Rater and the Explainer of a review are asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ...judges.base import Question
from ...models.common import Fact, Label
from ...rubric import Rubric
from .case import Review
from .verdict import Explanation, Favours, ReviewOpinion


@dataclass(frozen=True, slots=True)
class RateQuestion(Question[ReviewOpinion]):
    """How good is each response, criterion by criterion? The case is blind: nothing a person entered is in it."""

    case: Review
    rubric: Rubric
    facts: tuple[Fact, ...] = ()


class Candidate(NamedTuple):
    """A person's justification that may be kept, with what it is about and the final rating it would appear beside.

    That of the preference has its `sentences`: the judge says what each is about, and which response it favours.
    """

    key: str
    about: str
    rating: int
    words: str
    sentences: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ExplainQuestion(Question[Explanation]):
    """Which of a person's justifications can be kept, and why do these final tables favour one side?

    The case is blind. `tables` hold the final ratings with our own words. `verdict` is the sentence the rules produce.
    `favoured` is the better response in each assessed dimension and `overall`, by the tables; the judge is not told.
    """

    case: Review
    rubric: Rubric
    tables: Mapping[Label, Mapping[str, tuple[int, str]]]
    verdict: str
    favoured: Mapping[str, Favours]
    candidates: tuple[Candidate, ...] = ()
