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
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import zip_longest
from statistics import multimode
from typing import Any, Literal, TypeVar, cast

from ..arithmetic import mean, median, weighted_mean
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
    MemberScores,
    Objection,
    RatedResponse,
    Research,
    ReviewOpinion,
    Score,
    Totals,
    Warning,
    Winner,
)
from ..models.cases import check_weights
from ..models.common import NOT_SENT, all_quoted
from ..models.constraints import Constraint, Observation
from ..rubric import LIKERT, Scale
from ..text.reasons import rescored
from .base import MAX_QUERIES, CompareQuestion, CriticizeQuestion, EvaluateQuestion, Judge, O, Question, RateQuestion

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
        if unsent := next((failure for failure in failures if failure.reason in NOT_SENT), None):
            # The budget or the run ended in the middle of a case. The verdict must not depend on who was asked by then.
            return unsent.updated(calls=calls)
        told = [f"{failure.judge}: {failure.reason}: {failure.message}" for failure in failures]
        if 2 * len(votes) <= len(self.members):
            message = f"only {len(votes)} of {len(self.members)} members gave an opinion: {'; '.join(told)}"
            return Failure(reason="no_quorum", message=message, judge=self.name, calls=calls, members=failures)
        warnings = [warning for opinion, _ in votes for warning in getattr(opinion, "warnings", ())]
        warnings += [Warning(code="jury_member_failed", message=message) for message in told]
        settled = _SETTLED_BY[type(votes[0][0])](self, votes, question)
        more = {} if isinstance(settled, Research) else {"warnings": tuple(warnings)}
        return cast(
            O, settled.updated(calls=calls, failures=failures, quoted=all_quoted(one for one, _ in votes), **more)
        )

    async def _ask(self, member: Judge, question: Question[O]) -> O | Failure:
        try:
            return await member.opine(question)
        except NotJournalledError:
            # In a replay, a member that failed left no reply, so return its recorded failure. It may have failed at
            # one question and answered another.
            which = f"{type(question).__name__} {getattr(question, 'order', '')}".strip()
            for asked, failure in self.recorded:
                if asked.endswith(which) and failure.judge == member.name:
                    return failure
            raise

    async def close(self) -> None:
        await asyncio.gather(*(member.close() for member in self.members))

    def _vote(self, given: Sequence[Vote[Any]]) -> Fraction:
        return VOTE_RULES[self.rule]([(Fraction(value), weight) for value, weight in given])

    def _settled(self, given: list[Vote[Any]], scale: Scale, words: str) -> Any:
        """Combine the marks or ratings of the members who assessed it, with the words of the member closest to it."""
        assessed = _assessed(given)
        value = on_scale(self._vote([(one.value, weight) for one, weight in assessed]), scale)
        nearest = min((one for one, _ in assessed), key=lambda one: abs(one.value - value))
        return nearest.updated(value=value, **{words: rescored(getattr(nearest, words), value)})

    def _research(self, votes: list[Vote[Research]], question: Any) -> Research:
        # Take every member's first query before any member's second.
        turns = zip_longest(*(opinion.queries for opinion, _ in votes))
        queries = dict.fromkeys(query for turn in turns for query in turn if query is not None)
        return Research(judge=self.name, queries=tuple(queries)[:MAX_QUERIES])

    def _evaluation(self, votes: list[Vote[Evaluation]], question: EvaluateQuestion) -> Evaluation:
        marks = {
            key: self._settled([(one.marks[key], weight) for one, weight in votes], question.rubric.scale, "reason")
            for key in votes[0][0].marks
        }
        members = tuple(MemberScores(judge=one.judge, scores=_values(one.marks)) for one, _ in votes)
        return Evaluation(judge=self.name, marks=marks, members=members)

    def _critique(self, votes: list[Vote[Critique]], question: CriticizeQuestion) -> Critique:
        """Keep an objection if members with more than half of the weight object. They alone decide its score."""
        entries: dict[str, Objection] = {}
        whole = sum(weight for _, weight in votes)
        for key in votes[0][0].entries:
            given = [(opinion.entries[key], weight) for opinion, weight in votes]
            against = [(entry, weight) for entry, weight in given if _suggested(entry) is not None]
            value = mark = question.evaluation.marks[key].value
            if against:
                value = on_scale(
                    self._vote([(one.suggested, weight) for one, weight in against]), question.rubric.scale
                )
            if 2 * sum(weight for _, weight in against) <= whole or value == mark:
                entries[key] = next((entry for entry, _ in given if entry.agree), _NO_OTHER_SCORE)
                continue
            # Words and quotes come from one member. "Contradicts" counts only from members with a verified quote.
            objecting = [entry for entry, _ in against]
            contradicting = sum(entry.contradicts and bool(entry.quotes) for entry in objecting)
            voices = [entry for entry in objecting if entry.quotes] or objecting
            speaker = min(voices, key=lambda entry: abs((entry.suggested or value) - value))
            comment, contradicts = rescored(speaker.comment, value), 2 * contradicting > len(objecting)
            entries[key] = speaker.updated(comment=comment, suggested=value, contradicts=contradicts)
        members = [(one.judge, {key: _suggested(entry) for key, entry in one.entries.items()}) for one, _ in votes]
        told = tuple(MemberScores(judge=judge, scores=scores) for judge, scores in members)
        return Critique(judge=self.name, entries=entries, members=told)

    def _review(self, votes: list[Vote[ReviewOpinion]], question: RateQuestion) -> ReviewOpinion:
        """Combine each rating over the members who assessed it, on its scale. Decide yes-or-no fields by majority."""
        opinions = [opinion for opinion, _ in votes]
        half = len(opinions) / 2

        def rated(label: Label) -> RatedResponse:
            given = [(opinion.responses[label], weight) for opinion, weight in votes]
            good = [one.still_good for one, _ in given if one.still_good]
            ratings = {
                item.key: self._settled([(one.ratings[item.key], w) for one, w in given], item.scale, "justification")
                for item in question.rubric.criteria
            }
            unusable = sum(one.unusable for one, _ in given) > half
            return RatedResponse(ratings=ratings, unusable=unusable, still_good=good[0] if len(good) > half else "")

        invalid = [opinion.invalid for opinion in opinions if opinion.invalid]
        preference = int(on_scale(self._vote([(opinion.preference, weight) for opinion, weight in votes]), LIKERT))
        speaker = min(opinions, key=lambda opinion: (not opinion.reasons, abs(opinion.preference - preference)))
        return ReviewOpinion(
            judge=self.name,
            task_type=Counter(opinion.task_type for opinion in opinions).most_common(1)[0][0],
            invalid=invalid[0] if len(invalid) > half else "",
            response1=rated("A"),
            response2=rated("B"),
            preference=preference,
            reasons=speaker.reasons,
            constraints=_demanded(opinions),
            observations=_seen(opinions),
            members=tuple(map(_ratings, opinions)),
        )

    def _explanation(self, votes: list[Vote[Explanation]], question: Any) -> Explanation:
        """Decide by majority of the members who judged them whether a person's words are kept; a draw keeps them."""
        opinions = [opinion for opinion, _ in votes]
        words: dict[str, JudgedWords] = {}
        for key in dict.fromkeys(key for opinion in opinions for key in opinion.words):
            given = [opinion.words[key] for opinion in opinions if key in opinion.words]
            stand = 2 * sum(one.stand for one in given) >= len(given)
            words[key] = next(one for one in given if one.stand == stand)
        # The first member with enough sentences that fit the tables speaks.
        speaker = max(opinions, key=lambda opinion: min(len(opinion.reasons), 2))
        return Explanation(judge=self.name, reasons=speaker.reasons, words=words)

    def _comparison(self, votes: list[Vote[ComparisonOpinion]], question: CompareQuestion) -> ComparisonOpinion:
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
            # If no member has the jury's preference, no member's reason can explain it.
            rationale=speaker.rationale if speaker else "The members of the jury do not prefer the same response.",
            members=tuple(opinions),
            decided=2 * sum(weight for one, weight in votes if one.decided) > sum(weight for _, weight in votes),
        )

    def _score(self, criterion: str, label: Label, votes: list[Vote[ComparisonOpinion]]) -> Score:
        """Return the combined score, with the words of the member whose score is closest to it."""
        given = [(opinion.scores[criterion][label], weight) for opinion, weight in votes]
        assessed = _assessed(given)
        if self.rule == "majority":
            # The mean over all scores of these members names the side that they name. Without some scores it may not.
            exact = mean(score.exactly for score, _ in given)
        else:
            exact = self._vote([(score.exactly, weight) for score, weight in assessed])
        nearest = min((score for score, _ in assessed), key=lambda score: abs(score.exactly - exact))
        return Score.of(exact, justification=nearest.justification, assessed=nearest.assessed)


_SETTLED_BY: dict[type, Callable[[Jury, Any, Any], Any]] = {
    Research: Jury._research,
    ComparisonOpinion: Jury._comparison,
    Evaluation: Jury._evaluation,
    Critique: Jury._critique,
    ReviewOpinion: Jury._review,
    Explanation: Jury._explanation,
}
_NO_OTHER_SCORE = Objection(
    agree=True, comment="The members do not agree on another score.", suggested=None, contradicts=False, quotes=()
)


def _assessed(given: list[Vote[Any]]) -> list[Vote[Any]]:
    """Return the votes of the members who assessed this, or all votes if no member did."""
    return [vote for vote in given if vote[0].assessed] or given


def _values(given: Mapping[str, Any]) -> dict[str, Decimal | None]:
    return {key: Decimal(one.value) if one.assessed else None for key, one in given.items()}


def _suggested(entry: Objection) -> Decimal | None:
    return None if entry.agree else entry.suggested


def _ratings(opinion: ReviewOpinion) -> MemberScores:
    scores: dict[str, Decimal | None] = {}
    for number, label in enumerate(LABELS, start=1):
        own = _values(opinion.responses[label].ratings)
        scores |= {f"response{number}.{key}": value for key, value in own.items()}
    return MemberScores(judge=opinion.judge, scores={**scores, "likert": Decimal(opinion.preference)})


def _outvoting(votes: list[Vote[ComparisonOpinion]], question: CompareQuestion) -> list[Vote[ComparisonOpinion]]:
    """Return the votes for the result (A, B or tie) that most members' totals name; in a draw, for each that drew."""
    weights = check_weights(question.case.weights, question.rubric.weights)
    leads = (Totals.of(opinion.scores, weights).lead for opinion, _ in votes)
    sides = [(lead > 0) - (lead < 0) for lead in leads]
    return [vote for vote, side in zip(votes, sides, strict=True) if side in multimode(sides)]


def _demanded(opinions: list[ReviewOpinion]) -> tuple[Constraint, ...]:
    """Return every constraint that a member lists: certain if more than half of the members list it as certain."""
    listed: dict[tuple[object, ...], list[Constraint]] = {}
    for constraint in (constraint for opinion in opinions for constraint in opinion.constraints):
        listed.setdefault(constraint.demand, []).append(constraint)
    settled = []
    for same in listed.values():
        certain = 2 * sum(one.certain for one in same) > len(opinions)
        strict = 2 * sum(one.strict for one in same) > len(same)
        settled.append(same[0].model_copy(update={"certain": certain, "strict": strict}))
    return tuple(settled)


def _seen(opinions: list[ReviewOpinion]) -> tuple[Observation, ...]:
    """Combine what members saw, by response and kind: certain if more than half of them are certain, else a hint.

    The quotes are those of the member with the median number of quotes. Their flags are decided by majority.
    """
    reports: dict[tuple[str, str], list[list[Observation]]] = {}
    for opinion in opinions:
        own: dict[tuple[str, str], list[Observation]] = {}
        for seen in opinion.observations:
            own.setdefault((seen.response, seen.kind), []).append(seen)
        for place, observations in own.items():
            reports.setdefault(place, []).append(observations)
    settled: list[Observation] = []
    for given in reports.values():
        first = [observations[0] for observations in given]
        told = [one.harmful for one in first]
        carries = {
            "certain": 2 * sum(one.certain for one in first) > len(opinions),
            # This flag is binding, so it needs a majority: members who do not say count against it.
            "harmful": next((value for value in (True, False) if 2 * told.count(value) > len(told)), None),
            "part_missing": 2 * sum(one.part_missing for one in first) > len(first),
            "mild": 2 * sum(one.mild for one in first) > len(first),
        }
        middle = sorted(given, key=len)[(len(given) - 1) // 2]
        settled += [one.model_copy(update=carries) for one in middle]
    return tuple(settled)


def on_scale(value: Fraction, scale: Scale) -> Decimal:
    """Return the step of the scale nearest to a value; halfway between two, the lower."""
    return min(scale.values, key=lambda step: (abs(Fraction(step) - value), step))


def majority(votes: Sequence[Vote[Winner]]) -> Winner:
    """Return the side that more than half of the weight prefers, or "tie"."""
    whole = sum(weight for _, weight in votes)
    return next((side for side in LABELS if 2 * sum(w for given, w in votes if given == side) > whole), "tie")
