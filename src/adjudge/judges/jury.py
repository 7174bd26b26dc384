"""A jury: several judges asked the same question, settled score by score with a named vote rule.

`median` (the default) and `mean` settle scores; preferences are settled by majority, and without one it is a tie.
A jury needs more than half of its members: fewer opinions are a failure, not a smaller jury.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal, cast

from ..arithmetic import mean, median, rounded
from ..verdicts import LABELS, Call, ComparisonOpinion, Failure, Label, Research, Score, Warning, Winner
from .base import MAX_QUERIES, Judge, O, Question

VoteRule = Literal["median", "mean"]
VOTE_RULES: dict[VoteRule, Callable[[Iterable[Decimal]], Fraction]] = {"median": median, "mean": mean}
_SCORE_STEP = Decimal("0.01")


@dataclass(frozen=True, slots=True)
class Jury:
    """Several judges that speak as one."""

    name: str
    members: tuple[Judge, ...]
    rule: VoteRule = "median"

    async def opine(self, question: Question[O]) -> O | Failure:
        answers: list[Any] = list(await asyncio.gather(*(member.opine(question) for member in self.members)))
        opinions = [answer for answer in answers if not isinstance(answer, Failure)]
        failures = [answer for answer in answers if isinstance(answer, Failure)]
        calls = tuple(call for answer in answers for call in answer.calls)
        if 2 * len(opinions) <= len(self.members):
            said = "; ".join(f"{failure.judge}: {failure.reason}: {failure.message}" for failure in failures)
            message = f"only {len(opinions)} of {len(self.members)} members gave an opinion: {said}"
            return Failure(reason="no_quorum", message=message, judge=self.name, calls=calls)
        if isinstance(opinions[0], Research):
            return cast(O, self._research(opinions, calls))
        return cast(O, self._settle(opinions, failures, calls))

    def _research(self, opinions: list[Research], calls: tuple[Call, ...]) -> Research:
        # Every member's first wish before anybody's second.
        longest = max(len(opinion.queries) for opinion in opinions)
        turns = [q for at in range(longest) for opinion in opinions for q in opinion.queries[at : at + 1]]
        return Research(judge=self.name, queries=tuple(dict.fromkeys(turns))[:MAX_QUERIES], calls=calls)

    def _settle(
        self, opinions: list[ComparisonOpinion], failures: list[Failure], calls: tuple[Call, ...]
    ) -> ComparisonOpinion:
        warnings = [warning for opinion in opinions for warning in opinion.warnings]
        warnings += [
            Warning(code="jury_member_failed", message=f"{failure.judge}: {failure.reason}: {failure.message}")
            for failure in failures
        ]
        preference = majority([opinion.preference for opinion in opinions])
        speaker = next((opinion for opinion in opinions if opinion.preference == preference), opinions[0])
        return ComparisonOpinion(
            judge=self.name,
            order=opinions[0].order,
            scores={key: {label: self._score(key, label, opinions) for label in LABELS} for key in opinions[0].scores},
            evidence=tuple(item for opinion in opinions for item in opinion.evidence),
            summaries=speaker.summaries,
            preference=preference,
            rationale=speaker.rationale,
            calls=calls,
            warnings=tuple(warnings),
            members=tuple(opinions),
        )

    def _score(self, criterion: str, label: Label, opinions: list[ComparisonOpinion]) -> Score:
        """The settled score, with the words of the member who came nearest to it."""
        given = [opinion.scores[criterion][label] for opinion in opinions]
        value = rounded(VOTE_RULES[self.rule](score.value for score in given), _SCORE_STEP)
        nearest = min(given, key=lambda score: abs(score.value - value))
        return Score(value=value, justification=nearest.justification)

    async def close(self) -> None:
        await asyncio.gather(*(member.close() for member in self.members))


def majority(preferences: list[Winner]) -> Winner:
    """What more than half prefer; otherwise a tie."""
    preference, votes = Counter(preferences).most_common(1)[0]
    return preference if 2 * votes > len(preferences) else "tie"
