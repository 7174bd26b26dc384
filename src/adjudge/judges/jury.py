"""A jury asks several judges the same question and combines their opinions, score by score, with a named vote rule.

median    the middle score; the default
mean      the mean
majority  the score that most members gave, or the median of those that tie. In a comparison, members vote with their
          totals, and the scores are the mean over the members of the winning side, so that they name the same side
weighted  the mean by the weights given in the jury's name

Preferences are decided by majority; without a majority the result is a tie. More than half of the members must give an
opinion, otherwise the jury fails: it never goes on as a smaller jury.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from statistics import multimode
from typing import Any, Literal, TypeVar, cast

from ..arithmetic import median, weighted_mean
from ..errors import NotJournalledError
from ..models.common import LABELS, NOT_SENT, Failure, Warning, Winner, all_quoted
from ..rubric import Scale
from ..text.reasons import rescored
from .base import ASKED, Judge, O, Question

T = TypeVar("T")
VoteRule = Literal["median", "mean", "majority", "weighted"]
# A member's score, mark or opinion, with the member's weight.
Vote = tuple[T, Fraction]
VOTE_RULES: dict[VoteRule, Callable[[Sequence[Vote[Fraction]]], Fraction]] = {
    "median": lambda votes: median(value for value, _ in votes),
    "mean": weighted_mean,  # all weights are 1
    "majority": lambda votes: median(multimode(value for value, _ in votes)),
    "weighted": weighted_mean,
}


@dataclass(frozen=True, slots=True)
class Jury:
    """Several judges that act as one. In a replay, `recorded` holds the failures of members without a stored reply."""

    name: str
    members: tuple[Judge, ...]
    rule: VoteRule = "median"
    weights: tuple[Fraction, ...] = ()
    recorded: tuple[tuple[str, Failure], ...] = ()

    async def opine(self, question: Question[O]) -> O | Failure:
        answers: list[Any] = await asyncio.gather(*(self._ask(member, question) for member in self.members))
        weights = self.weights or (Fraction(1),) * len(answers)
        votes = [vote for vote in zip(answers, weights, strict=True) if not isinstance(vote[0], Failure)]
        failures = tuple(answer for answer in answers if isinstance(answer, Failure))
        calls = tuple(call for answer in answers for call in answer.calls)
        unsent = next((failure for failure in failures if failure.reason in NOT_SENT), None)
        if unsent is not None:
            # The budget or the run ended in the middle of a case. The verdict must not depend on who was asked by then.
            return unsent.updated(calls=calls)
        reasons = [f"{failure.judge}: {failure.reason}: {failure.message}" for failure in failures]
        if 2 * len(votes) <= len(self.members):
            message = f"only {len(votes)} of {len(self.members)} members gave an opinion: {'; '.join(reasons)}"
            return Failure(reason="no_quorum", message=message, judge=self.name, calls=calls, members=failures)
        warnings = [warning for opinion, _ in votes for warning in opinion.warnings]
        warnings += [Warning(code="jury_member_failed", message=message) for message in reasons]
        settled = ASKED[type(question)].combine(self, votes, question)
        quoted = all_quoted(one for one, _ in votes)
        return cast(O, settled.updated(calls=calls, failures=failures, quoted=quoted, warnings=tuple(warnings)))

    async def _ask(self, member: Judge, question: Question[O]) -> O | Failure:
        try:
            return await member.opine(question)
        except NotJournalledError:
            # In a replay, a member that failed left no reply, so return its recorded failure. It may have failed at
            # one question and answered another.
            for asked, failure in self.recorded:
                if asked.endswith(question.which) and failure.judge == member.name:
                    return failure
            raise

    async def close(self) -> None:
        await asyncio.gather(*(member.close() for member in self.members))

    def vote(self, given: Sequence[Vote[Any]]) -> Fraction:
        """Combine numbers with the vote rule."""
        return VOTE_RULES[self.rule]([(Fraction(value), weight) for value, weight in given])

    def combined(self, given: list[Vote[Any]], scale: Scale, words: str) -> Any:
        """Combine the marks or ratings of the members who assessed it, with the words of the member closest to it."""
        assessed = assessed_by(given)
        value = on_scale(self.vote([(one.value, weight) for one, weight in assessed]), scale)
        nearest = min((one for one, _ in assessed), key=lambda one: abs(one.value - value))
        return nearest.updated(value=value, **{words: rescored(getattr(nearest, words), value)})


def assessed_by(given: list[Vote[Any]]) -> list[Vote[Any]]:
    """Return the votes of the members who assessed this, or all votes if no member did."""
    return [vote for vote in given if vote[0].assessed] or given


def values_of(given: Mapping[str, Any]) -> dict[str, Decimal | None]:
    """Return the values of marks or ratings; None for one that was not assessed."""
    return {key: Decimal(one.value) if one.assessed else None for key, one in given.items()}


def on_scale(value: Fraction, scale: Scale) -> Decimal:
    """Return the step of the scale nearest to a value; halfway between two, the lower."""
    return min(scale.values, key=lambda step: (abs(Fraction(step) - value), step))


def majority(votes: Sequence[Vote[Winner]]) -> Winner:
    """Return the side that more than half of the weight prefers, or "tie"."""
    whole = sum(weight for _, weight in votes)
    return next((side for side in LABELS if 2 * sum(w for given, w in votes if given == side) > whole), "tie")
