"""How a jury combines its members' opinions on a review."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from typing import Any

from ...judges.jury import Jury, Vote, on_scale, values_of
from ...models.common import LABELS, Label, MemberScores
from ...models.constraints import Constraint, Observation
from ...rubric import LIKERT
from .questions import RateQuestion
from .verdict import Explanation, JudgedWords, RatedResponse, ReviewOpinion


def combine_reviews(jury: Jury, votes: list[Vote[ReviewOpinion]], question: RateQuestion) -> ReviewOpinion:
    """Combine each rating over the members who assessed it, on its scale. Decide yes-or-no fields by majority."""
    opinions = [opinion for opinion, _ in votes]
    half = len(opinions) / 2

    def rated(label: Label) -> RatedResponse:
        given = [(opinion.responses[label], weight) for opinion, weight in votes]
        good = [one.still_good for one, _ in given if one.still_good]
        ratings = {
            item.key: jury.combined([(one.ratings[item.key], w) for one, w in given], item.scale, "justification")
            for item in question.rubric.criteria
        }
        unusable = sum(one.unusable for one, _ in given) > half
        return RatedResponse(ratings=ratings, unusable=unusable, still_good=good[0] if len(good) > half else "")

    invalid = [opinion.invalid for opinion in opinions if opinion.invalid]
    preference = int(on_scale(jury.vote([(opinion.preference, weight) for opinion, weight in votes]), LIKERT))
    speaker = min(opinions, key=lambda opinion: (not opinion.reasons, abs(opinion.preference - preference)))
    return ReviewOpinion(
        judge=jury.name,
        task_type=Counter(opinion.task_type for opinion in opinions).most_common(1)[0][0],
        invalid=invalid[0] if len(invalid) > half else "",
        response1=rated("A"),
        response2=rated("B"),
        preference=preference,
        reasons=speaker.reasons,
        constraints=_combined_constraints(opinions),
        observations=_combined_observations(opinions),
        members=tuple(map(_ratings, opinions)),
    )


def combine_explanations(jury: Jury, votes: list[Vote[Explanation]], question: Any) -> Explanation:
    """Decide by majority of the members who judged them whether a person's words are kept; a draw keeps them."""
    opinions = [opinion for opinion, _ in votes]
    words: dict[str, JudgedWords] = {}
    for key in dict.fromkeys(key for opinion in opinions for key in opinion.words):
        given = [opinion.words[key] for opinion in opinions if key in opinion.words]
        keep = 2 * sum(one.may_be_kept for one in given) >= len(given)
        words[key] = next(one for one in given if one.may_be_kept == keep)
    # The first member with enough sentences that fit the tables speaks.
    speaker = max(opinions, key=lambda opinion: min(len(opinion.reasons), 2))
    return Explanation(judge=jury.name, reasons=speaker.reasons, words=words)


def _ratings(opinion: ReviewOpinion) -> MemberScores:
    scores: dict[str, Decimal | None] = {}
    for number, label in enumerate(LABELS, start=1):
        own = values_of(opinion.responses[label].ratings)
        scores |= {f"response{number}.{key}": value for key, value in own.items()}
    return MemberScores(judge=opinion.judge, scores={**scores, "likert": Decimal(opinion.preference)})


def _combined_constraints(opinions: list[ReviewOpinion]) -> tuple[Constraint, ...]:
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


def _combined_observations(opinions: list[ReviewOpinion]) -> tuple[Observation, ...]:
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
        votes = [one.harmful for one in first]
        carries = {
            "certain": 2 * sum(one.certain for one in first) > len(opinions),
            # This flag is binding, so it needs a majority: members who do not say count against it.
            "harmful": next((value for value in (True, False) if 2 * votes.count(value) > len(votes)), None),
            "part_missing": 2 * sum(one.part_missing for one in first) > len(first),
            "mild": 2 * sum(one.mild for one in first) > len(first),
        }
        middle = sorted(given, key=len)[(len(given) - 1) // 2]
        settled += [one.model_copy(update=carries) for one in middle]
    return tuple(settled)
