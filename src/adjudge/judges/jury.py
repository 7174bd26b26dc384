"""A jury: several judges asked the same question, settled score by score with a named vote rule.

median    the middle score; the default
mean      the mean
majority  the score that most members gave, or the median of those that tie. In a comparison members vote with their
          totals, and the scores are the mean of those whose side got most votes: so they name the side that won
weighted  the mean by the weights that stand in the jury's name

Preferences are settled by majority, and without one it is a tie. A jury needs more than half of its members: fewer
opinions are a failure, not a smaller jury.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from statistics import multimode
from typing import Any, Literal, TypeVar, cast

from ..arithmetic import mean, median, rounded, weighted_mean, weighted_total
from ..errors import NotJournalledError
from ..models import (
    LABELS,
    ComparisonOpinion,
    Critique,
    Evaluation,
    Explanation,
    Failure,
    JudgedWords,
    Label,
    Mark,
    MemberScores,
    Objection,
    RatedResponse,
    Rating,
    Research,
    ReviewOpinion,
    Score,
    Warning,
    Winner,
)
from ..models.cases import check_weights
from ..models.common import NOT_SENT
from ..models.constraints import Constraint, Observation
from ..rubric import LIKERT, Scale
from ..text.reasons import rescored
from .base import MAX_QUERIES, CompareQuestion, Judge, O, Question

T = TypeVar("T")
VoteRule = Literal["median", "mean", "majority", "weighted"]
# A member's score, mark or opinion, and the member's weight.
Vote = tuple[T, Fraction]
VOTE_RULES: dict[VoteRule, Callable[[Sequence[Vote[Decimal]]], Fraction]] = {
    "median": lambda votes: median(value for value, _ in votes),
    "mean": weighted_mean,  # all weights are 1
    "majority": lambda votes: median(multimode(value for value, _ in votes)),
    "weighted": weighted_mean,
}


@dataclass(frozen=True, slots=True)
class Jury:
    """Several judges that speak as one; `recorded` are the failures of members that a replay finds no reply of."""

    name: str
    members: tuple[Judge, ...]
    rule: VoteRule = "median"
    weights: tuple[Fraction, ...] = ()
    recorded: tuple[tuple[str, Failure], ...] = ()

    async def opine(self, question: Question[O]) -> O | Failure:
        answers: list[Any] = list(await asyncio.gather(*(self._ask(member, question) for member in self.members)))
        weights = self.weights or (Fraction(1),) * len(answers)
        votes = [vote for vote in zip(answers, weights, strict=True) if not isinstance(vote[0], Failure)]
        opinions = [opinion for opinion, _ in votes]
        failures = [answer for answer in answers if isinstance(answer, Failure)]
        calls = tuple(call for answer in answers for call in answer.calls)
        if unsent := next((failure for failure in failures if failure.reason in NOT_SENT), None):
            # The budget or the run ended in the middle of a case: what the jury says must not depend on where.
            return unsent.updated(calls=calls)
        if 2 * len(opinions) <= len(self.members):
            why = "; ".join(f"{failure.judge}: {failure.reason}: {failure.message}" for failure in failures)
            message = f"only {len(opinions)} of {len(self.members)} members gave an opinion: {why}"
            said = tuple(failures)
            return Failure(reason="no_quorum", message=message, judge=self.name, calls=calls, members=said)
        warnings = tuple(warning for opinion in opinions for warning in getattr(opinion, "warnings", ()))
        warnings += tuple(
            Warning(code="jury_member_failed", message=f"{failure.judge}: {failure.reason}: {failure.message}")
            for failure in failures
        )
        settled = _SETTLED_BY[type(opinions[0])](self, votes, question)
        told = {} if isinstance(settled, Research) else {"warnings": warnings}
        return cast(O, settled.updated(calls=calls, failures=tuple(failures), **told))

    async def _ask(self, member: Judge, question: Question[O]) -> O | Failure:
        try:
            return await member.opine(question)
        except NotJournalledError:
            # A replay: a member that failed then left no reply, and fails now as it did.
            for asked, failure in self.recorded:
                if asked.endswith(asked_of(question)) and failure.judge == member.name:
                    return failure
            raise

    def _research(self, votes: list[Vote[Research]], question: Any) -> Research:
        # Every member's first wish before anybody's second.
        longest = max(len(opinion.queries) for opinion, _ in votes)
        turns = [query for at in range(longest) for opinion, _ in votes for query in opinion.queries[at : at + 1]]
        return Research(judge=self.name, queries=tuple(dict.fromkeys(turns))[:MAX_QUERIES])

    def _evaluation(self, votes: list[Vote[Evaluation]], question: Any) -> Evaluation:
        """Every mark settled, on the scale, with the reason and the quotes of the member who came nearest."""
        marks: dict[str, Mark] = {}
        for key in votes[0][0].marks:
            given = _assessed([(opinion.marks[key], weight) for opinion, weight in votes])
            value = on_scale(self._settled(given), question.rubric.scale)
            nearest = min((mark for mark, _ in given), key=lambda mark: abs(mark.value - value))
            marks[key] = nearest.updated(value=value, reason=rescored(nearest.reason, value))
        members = tuple(MemberScores(judge=one.judge, scores=_values(one.marks)) for one, _ in votes)
        return Evaluation(judge=self.name, marks=marks, members=members)

    def _settled(self, given: Sequence[Vote[Any]]) -> Fraction:
        return VOTE_RULES[self.rule]([(Decimal(one.value), weight) for one, weight in given])

    def _critique(self, votes: list[Vote[Critique]], question: Any) -> Critique:
        """An objection stands if more than half (of the weight) object; its score is settled among those who do."""
        entries: dict[str, Objection] = {}
        whole = sum(weight for _, weight in votes)
        for key in votes[0][0].entries:
            given = [opinion.entries[key] for opinion, _ in votes]
            objecting = [entry for entry in given if _suggested(entry) is not None]
            pairs = [(_suggested(opinion.entries[key]), weight) for opinion, weight in votes]
            against = [(score, weight) for score, weight in pairs if score is not None]
            mark = question.evaluation.marks[key].value
            value = on_scale(VOTE_RULES[self.rule](against), question.rubric.scale) if against else mark
            if 2 * sum(weight for _, weight in against) <= whole or value == mark:
                agreeing = next((entry for entry in given if entry.agree), None)
                entries[key] = agreeing or Objection(
                    agree=True,
                    comment="The members do not agree on another score.",
                    suggested=None,
                    contradicts=False,
                    quotes=(),
                )
                continue
            # Words and quotes are one member's, and contradiction counts only where that member's own quote is real.
            contradicting = sum(entry.contradicts and bool(entry.quotes) for entry in objecting)
            voices = [entry for entry in objecting if entry.quotes] or objecting
            speaker = min(voices, key=lambda entry: abs((entry.suggested or value) - value))
            entries[key] = speaker.updated(
                comment=rescored(speaker.comment, value),
                suggested=value,
                contradicts=2 * contradicting > len(objecting),
            )
        members = tuple(
            MemberScores(judge=one.judge, scores={key: _suggested(entry) for key, entry in one.entries.items()})
            for one, _ in votes
        )
        return Critique(judge=self.name, entries=entries, members=members)

    def _review(self, votes: list[Vote[ReviewOpinion]], question: Any) -> ReviewOpinion:
        """Every rating settled among those who assess it, on its scale; yes and no by majority."""
        opinions = [opinion for opinion, _ in votes]
        scales = {criterion.key: criterion.scale for criterion in question.rubric.criteria}
        half = len(opinions) / 2
        responses: dict[Label, RatedResponse] = {}
        for label in LABELS:
            given = [opinion.responses[label] for opinion in opinions]
            responses[label] = RatedResponse(
                ratings={
                    key: self._rating(
                        [(one.responses[label].ratings[key], weight) for one, weight in votes], scales[key]
                    )
                    for key in scales
                },
                unusable=sum(rated.unusable for rated in given) > half,
                still_good=next((rated.still_good for rated in given if rated.still_good), "")
                if sum(bool(rated.still_good) for rated in given) > half
                else "",
            )
        invalid = [opinion.invalid for opinion in opinions if opinion.invalid]
        preferences = [(Decimal(opinion.preference), weight) for opinion, weight in votes]
        preference = int(on_scale(VOTE_RULES[self.rule](preferences), LIKERT))
        speaker = min(opinions, key=lambda opinion: (not opinion.reasons, abs(opinion.preference - preference)))
        return ReviewOpinion(
            judge=self.name,
            task_type=Counter(opinion.task_type for opinion in opinions).most_common(1)[0][0],
            invalid=invalid[0] if len(invalid) > half else "",
            response1=responses["A"],
            response2=responses["B"],
            preference=preference,
            reasons=speaker.reasons,
            constraints=_demanded(opinions),
            observations=_seen(opinions),
            members=tuple(map(_ratings, opinions)),
        )

    def _explanation(self, votes: list[Vote[Explanation]], question: Any) -> Explanation:
        """A person's words stand or not by the majority of those who judged them, and a draw keeps them."""
        opinions = [opinion for opinion, _ in votes]
        words: dict[str, JudgedWords] = {}
        for key in dict.fromkeys(key for opinion in opinions for key in opinion.words):
            given = [opinion.words[key] for opinion in opinions if key in opinion.words]
            against = [one for one in given if not one.stand]
            standing = [one for one in given if one.stand]
            words[key] = against[0] if len(against) > len(standing) else standing[0]
        reasons = next((opinion.reasons for opinion in opinions if opinion.reasons), "")
        return Explanation(judge=self.name, reasons=reasons, words=words)

    def _rating(self, given: list[Vote[Rating]], scale: Scale) -> Rating:
        given = _assessed(given)
        value = int(on_scale(self._settled(given), scale))
        nearest = min((rating for rating, _ in given), key=lambda rating: abs(rating.value - value))
        return nearest.updated(value=value, justification=rescored(nearest.justification, value))

    def _comparison(self, votes: list[Vote[ComparisonOpinion]], question: Any) -> ComparisonOpinion:
        opinions = [opinion for opinion, _ in votes]
        heard = _outvoting(votes, question) if self.rule == "majority" else votes
        preference = majority([(opinion.preference, weight) for opinion, weight in heard])
        speaker = next((opinion for opinion, _ in heard if opinion.preference == preference), None)
        return ComparisonOpinion(
            judge=self.name,
            order=opinions[0].order,
            scores={key: {label: self._score(key, label, heard) for label in LABELS} for key in opinions[0].scores},
            evidence=tuple(item for opinion in opinions for item in opinion.evidence),
            unquoted=tuple(dict.fromkeys(place for opinion in opinions for place in opinion.unquoted)),
            summaries=(speaker or heard[0][0]).summaries,
            preference=preference,
            # No member's reason for one side stands for a preference that no member has.
            rationale=speaker.rationale if speaker else "The members of the jury do not prefer the same response.",
            members=tuple(opinions),
            decided=2 * sum(weight for one, weight in votes if one.decided) > sum(weight for _, weight in votes),
        )

    def _score(self, criterion: str, label: Label, votes: list[Vote[ComparisonOpinion]]) -> Score:
        """The settled score, with the words of the member who came nearest to it."""
        given = [(opinion.scores[criterion][label], weight) for opinion, weight in votes]
        assessed = _assessed(given)
        # The mean of whole opinions names the side they name; without some of their scores it may not.
        exact = mean(score.value for score, _ in given) if self.rule == "majority" else self._settled(assessed)
        nearest = min((score for score, _ in assessed), key=lambda score: abs(Fraction(score.value) - exact))
        return Score(value=rounded(exact), justification=nearest.justification, assessed=nearest.assessed, exact=exact)

    async def close(self) -> None:
        await asyncio.gather(*(member.close() for member in self.members))


_SETTLED_BY: dict[type, Callable[[Jury, Any, Any], Any]] = {
    Research: Jury._research,
    ComparisonOpinion: Jury._comparison,
    Evaluation: Jury._evaluation,
    Critique: Jury._critique,
    ReviewOpinion: Jury._review,
    Explanation: Jury._explanation,
}


def _assessed(given: list[Vote[Any]]) -> list[Vote[Any]]:
    """The votes of the members who can tell; all, if nobody can."""
    return [vote for vote in given if vote[0].assessed] or given


def _values(given: Mapping[str, Any]) -> dict[str, Decimal | None]:
    return {key: Decimal(one.value) if one.assessed else None for key, one in given.items()}


def _suggested(entry: Objection) -> Decimal | None:
    return None if entry.agree else entry.suggested


def _ratings(opinion: ReviewOpinion) -> MemberScores:
    both = zip(("response1", "response2"), LABELS, strict=True)
    scores = {
        f"{name}.{key}": value
        for name, label in both
        for key, value in _values(opinion.responses[label].ratings).items()
    }
    return MemberScores(judge=opinion.judge, scores={**scores, "likert": Decimal(opinion.preference)})


def _outvoting(votes: list[Vote[ComparisonOpinion]], question: CompareQuestion) -> list[Vote[ComparisonOpinion]]:
    """The votes for the side that most members' own totals name, or for neither; in a draw those of all who drew."""
    weights = check_weights(question.case.weights, question.rubric.weights)

    def side(opinion: ComparisonOpinion) -> int:
        a, b = (
            weighted_total({key: by[label].value for key, by in opinion.scores.items()}, weights) for label in LABELS
        )
        return (a > b) - (a < b)

    sides = [side(opinion) for opinion, _ in votes]
    return [vote for vote, named in zip(votes, sides, strict=True) if named in multimode(sides)]


def _demanded(opinions: list[ReviewOpinion]) -> tuple[Constraint, ...]:
    """Every constraint that a member lists; certain if more than half of the members do, else a hint."""
    listed: dict[tuple[object, ...], list[Constraint]] = {}
    for opinion in opinions:
        for constraint in opinion.constraints:
            listed.setdefault(constraint.demand, []).append(constraint)
    return tuple(
        _by_majority(same, len(opinions), strict=2 * sum(one.strict for one in same) > len(same))
        for same in listed.values()
    )


def _seen(opinions: list[ReviewOpinion]) -> tuple[Observation, ...]:
    """What members saw, by response and kind: certain if more than half of them saw it, else a hint.

    The quotes are those of the member with the median number of them; what they carry is settled by majority.
    """
    reports: dict[tuple[str, str], list[tuple[Observation, ...]]] = {}
    for opinion in opinions:
        for place in dict.fromkeys((seen.response, seen.kind) for seen in opinion.observations):
            own = tuple(seen for seen in opinion.observations if (seen.response, seen.kind) == place)
            reports.setdefault(place, []).append(own)
    settled: list[Observation] = []
    for given in reports.values():
        certain = 2 * sum(own[0].certain for own in given) > len(opinions)
        told = [own[0].harmful for own in given]
        carries = {
            "certain": certain,
            # Which it is binds, so one voice beside others that do not say is not enough.
            "harmful": next((value for value in (True, False) if 2 * told.count(value) > len(told)), None),
            "part_missing": 2 * sum(own[0].part_missing for own in given) > len(given),
            "mild": 2 * sum(own[0].mild for own in given) > len(given),
        }
        middle = sorted(given, key=len)[(len(given) - 1) // 2]
        settled += [one.model_copy(update=carries) for one in middle]
    return tuple(settled)


def _by_majority(same: list[Constraint], members: int, *, strict: bool) -> Constraint:
    certain = 2 * sum(one.certain for one in same) > members
    return same[0].model_copy(update={"certain": certain, "strict": strict})


def asked_of(question: Question[Any]) -> str:
    """Which question it was: a member may fail at one and answer the other."""
    return f"{type(question).__name__} {getattr(question, 'order', '')}".strip()


def on_scale(value: Fraction, scale: Scale) -> Decimal:
    """The step of the scale nearest to a settled value; between two, the lower."""
    return min(scale.values, key=lambda step: (abs(Fraction(step) - value), step))


def majority(votes: Sequence[Vote[Winner]]) -> Winner:
    """What more than half of the weight prefers; otherwise a tie."""
    whole = sum(weight for _, weight in votes)
    return next((side for side in LABELS if 2 * sum(w for given, w in votes if given == side) > whole), "tie")
