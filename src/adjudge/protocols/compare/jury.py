"""How a jury combines its members' opinions on a comparison."""

from __future__ import annotations

from itertools import zip_longest
from statistics import multimode
from typing import Any

from ...arithmetic import mean
from ...judges.jury import Jury, Vote, assessed_by, majority
from ...models.cases import check_weights
from ...models.common import LABELS, Label
from .questions import MAX_QUERIES, CompareQuestion
from .verdict import ComparisonOpinion, Research, Score, Totals


def combine_research(jury: Jury, votes: list[Vote[Research]], question: Any) -> Research:
    """Combine what members want to look up."""
    # Take every member's first query before any member's second.
    turns = zip_longest(*(opinion.queries for opinion, _ in votes))
    queries = dict.fromkeys(query for turn in turns for query in turn if query is not None)
    return Research(judge=jury.name, queries=tuple(queries)[:MAX_QUERIES])


def combine_comparisons(
    jury: Jury, votes: list[Vote[ComparisonOpinion]], question: CompareQuestion
) -> ComparisonOpinion:
    """Combine scores and preferences."""
    opinions = [opinion for opinion, _ in votes]
    counted = _votes_of_winning_side(votes, question) if jury.rule == "majority" else votes
    preference = majority([(opinion.preference, weight) for opinion, weight in counted])
    speaker = next((opinion for opinion, _ in counted if opinion.preference == preference), None)
    return ComparisonOpinion(
        judge=jury.name,
        order=opinions[0].order,
        scores={key: {label: _score(jury, key, label, counted) for label in LABELS} for key in opinions[0].scores},
        evidence=tuple(item for opinion in opinions for item in opinion.evidence),
        unquoted=tuple(dict.fromkeys(place for opinion in opinions for place in opinion.unquoted)),
        summaries=(speaker or counted[0][0]).summaries,
        preference=preference,
        # If no member has the jury's preference, no member's reason can explain it.
        rationale=speaker.rationale if speaker else "The members of the jury do not prefer the same response.",
        members=tuple(opinions),
        decided=2 * sum(weight for one, weight in votes if one.decided) > sum(weight for _, weight in votes),
    )


def _score(jury: Jury, criterion: str, label: Label, votes: list[Vote[ComparisonOpinion]]) -> Score:
    """Return the combined score, with the words of the member whose score is closest to it."""
    given = [(opinion.scores[criterion][label], weight) for opinion, weight in votes]
    assessed = assessed_by(given)
    if jury.rule == "majority":
        # The mean over all scores of these members names the side that they name. Without some scores it may not.
        exact = mean(score.unrounded for score, _ in given)
    else:
        exact = jury.vote([(score.exactly, weight) for score, weight in assessed])
    nearest = min((score for score, _ in assessed), key=lambda score: abs(score.exactly - exact))
    return Score.of(exact, justification=nearest.justification, assessed=nearest.assessed)


def _votes_of_winning_side(
    votes: list[Vote[ComparisonOpinion]], question: CompareQuestion
) -> list[Vote[ComparisonOpinion]]:
    """Return the votes for the result (A, B or tie) that most members' totals name; in a draw, for each that drew."""
    weights = check_weights(question.case.weights, question.rubric.weights)
    leads = (Totals.of(opinion.scores, weights).lead for opinion, _ in votes)
    sides = [(lead > 0) - (lead < 0) for lead in leads]
    return [vote for vote, side in zip(votes, sides, strict=True) if side in multimode(sides)]
