"""A case and its verdict made again from the lines of a run, so that every report can show them.

Nothing is judged anew. What a verdict's JSON does not tell (a critic's inner marks) no report shows either.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from decimal import Decimal
from typing import Any

from ..cases import Comparison, Dialogue, Original, Review, Turn
from ..models.constraints import Constraint, Observation
from ..rubric import Rubric
from ..verdicts import (
    LABELS,
    Call,
    ComparisonOpinion,
    ComparisonVerdict,
    CriterionVerdict,
    Evidence,
    Fact,
    FinalRating,
    Label,
    OrderReport,
    Overall,
    Passage,
    Provenance,
    RatedResponse,
    Rating,
    ReviewOpinion,
    ReviewVerdict,
    Score,
    Usage,
    Warning,
)
from ..verdicts.stored import lookup_of
from .directory import Outcome

_RESPONSES: dict[Label, str] = {"A": "response1", "B": "response2"}
_ANSWERS: dict[str, Label] = {"response1": "A", "response2": "B"}


def exact(document: bytes) -> Any:
    """JSON with every digit kept."""
    return json.loads(document, parse_float=Decimal)


def comparison_of(outcome: Outcome) -> tuple[Comparison, ComparisonVerdict]:
    """A comparison and its verdict."""
    given, said = dict(outcome.case["input"]), exact(outcome.verdict_json)
    weights = {key: Decimal(str(weight)) for key, weight in (given.pop("weights", None) or {}).items()}
    evaluation, order = said["evaluation"], said["evaluation"]["order"]
    verdict = ComparisonVerdict(
        verdict_id=said["verdict_id"],
        criteria={key: _criterion(key, item) for key, item in evaluation["criteria_scores"].items()},
        overall={
            label: Overall(
                weighted_total=Decimal(evaluation["overall"][label]["weighted_total_score"]),
                normalized=Decimal(evaluation["overall"][label]["normalized"]),
                summary=evaluation["overall"][label]["summary"],
            )
            for label in LABELS
        },
        margin=Decimal(evaluation["margin"]),
        winner=evaluation["winner"],
        decided=evaluation["decided"],
        confidence=_maybe(evaluation["confidence"]),
        decided_by=evaluation["decided_by"],
        rationale=evaluation["winner_rationale"],
        order=OrderReport(
            judged=tuple(order["judged"]),
            winners=order["winners"],
            consistent=evaluation["order_consistent"],
            moved={label: Decimal(by) for label, by in order["moved"].items()},
            drawn_from_seed=order["drawn_from_seed"],
        ),
        lookups=tuple(lookup_of(lookup) for lookup in said["lookups"]),
        opinions=tuple(_comparison_opinion(opinion) for opinion in said["opinions"]),
        facts=tuple(Fact(**fact) for fact in said["facts"]),
        **origin_of(said),
    )
    return Comparison(**given, weights=weights), verdict


def review_of(outcome: Outcome, rubric: Rubric) -> tuple[Review, ReviewVerdict]:
    """A review and its verdict."""
    given, said = dict(outcome.case["input"]), exact(outcome.verdict_json)
    for side in ("ratings_a", "ratings_b"):
        given[side] = {key: Original(**entered) for key, entered in (given.get(side) or {}).items()}
    given["preference"] = Original(**(given.get("preference") or {}))
    keys = {criterion.name: criterion.key for criterion in rubric.criteria}
    preference = said.get("final_likert_and_justification")
    facts = [{**fact, "where": _ANSWERS.get(fact["where"], fact["where"])} for fact in said["facts"]]
    verdict = ReviewVerdict(
        verdict_id=said["verdict_id"],
        invalid=said.get("invalid_task"),
        tables={
            label: {
                row.get("key") or keys[row["dimension"]]: _final_rating(row, int(row["rating"]))
                for row in said[f"{response}_fixed_table"]
            }
            for label, response in _RESPONSES.items()
            if preference is not None
        },
        likert=None if preference is None else _final_rating(preference, int(preference["likert"])),
        changelog=tuple(said.get("changelog", ())),
        feedback=tuple(said.get("sbq", ())),
        opinion=None if said.get("opinion") is None else _review_opinion(said["opinion"]),
        facts=tuple(Fact(**fact) for fact in facts),
        **origin_of(said),
    )
    return Review(**given), verdict


def dialogue_case(outcome: Outcome) -> Dialogue:
    """A dialogue as it was read in."""
    given = outcome.case["input"]
    turns = tuple(
        Turn(**{**turn, "ratings": tuple(turn.get("ratings") or ())})
        if isinstance(turn, Mapping)
        else Turn(turn[0], turn[1], turn[2], turn[3], tuple(turn[4]))
        for turn in given["turns"]
    )
    return Dialogue(given["dialogue_id"], turns, tuple(given.get("overall_ratings") or ()))


def origin_of(said: Mapping[str, Any]) -> dict[str, Any]:
    """What all verdicts say of where they come from."""
    return {
        "warnings": tuple(Warning(**warning) for warning in said["warnings"]),
        "calls": tuple(_call(call) for call in said["calls"]),
        "provenance": Provenance(**{**said["provenance"], "temperature": float(said["provenance"]["temperature"])}),
    }


def _call(call: Mapping[str, Any]) -> Call:
    tokens = {count.name: call["usage"][count.name] for count in fields(Usage) if count.name in call["usage"]}
    return Call(
        key=call["key"],
        purpose=call["purpose"],
        model=call["model"],
        usage=Usage(**tokens),
        cost=_maybe(call["cost_usd"]),
        attempts=call["attempts"],
        sent={key: float(value) if isinstance(value, Decimal) else value for key, value in call["sent"].items()},
    )


def _maybe(number: Decimal | int | None) -> Decimal | None:
    return None if number is None else Decimal(number)


def _criterion(key: str, item: Mapping[str, Any]) -> CriterionVerdict:
    def evidence(label: Label) -> tuple[Evidence, ...]:
        return tuple(
            Evidence(
                key, quote["answer"], quote["impact"], quote["quote"], quote["rationale"], quote["start"], quote["end"]
            )
            for quote in item[label]["evidence"]
        )

    return CriterionVerdict(
        weight=Decimal(item["weight"]),
        scores={
            label: Score(Decimal(item[label]["score"]), item[label]["justification"], item[label]["assessed"])
            for label in LABELS
        },
        evidence={label: evidence(label) for label in LABELS},
    )


def _comparison_opinion(said: Mapping[str, Any]) -> ComparisonOpinion:
    return ComparisonOpinion(
        judge=said["judge"],
        order=said["order"],
        scores={
            key: {label: Score(Decimal(by[label]), said["justifications"][key][label]) for label in LABELS}
            for key, by in said["scores"].items()
        },
        evidence=(),
        summaries=said["summaries"],
        preference=said["preference"],
        rationale=said["rationale"],
        members=tuple(_comparison_opinion(member) for member in said.get("members", ())),
        confidence=_maybe(said["confidence"]),
        decided=said["decided"],
    )


def _final_rating(row: Mapping[str, Any], value: int) -> FinalRating:
    entered = row["original"] or {}
    return FinalRating(
        value=value,
        justification=row["justification"],
        action=row["action"],
        reason=row["reason"],
        justification_action=row["justification_action"],
        justification_reason=row["justification_reason"],
        original_rating=entered.get("rating", ""),
        original_justification=entered.get("justification", ""),
        quotes=tuple(Passage(quote["quote"], quote["start"], quote["end"]) for quote in row.get("quotes", ())),
        rule=row.get("rule", ""),
        assessed=row.get("assessed", True),
    )


def _review_opinion(said: Mapping[str, Any]) -> ReviewOpinion:
    def rated(given: Mapping[str, Any]) -> RatedResponse:
        ratings = {
            key: Rating(
                int(rating["rating"]),
                rating["justification"],
                assessed=rating["assessed"],
            )
            for key, rating in given["ratings"].items()
        }
        return RatedResponse(ratings, given["unusable"], given["still_good"])

    return ReviewOpinion(
        judge=said["judge"],
        task_type=said["task_type"],
        invalid=said["invalid"],
        responses={label: rated(said[name]) for label, name in _RESPONSES.items() if name in said},
        preference=int(said["preference"]),
        reasons=said["reasons"],
        constraints=tuple(Constraint(**constraint) for constraint in said["constraints"]),
        observations=tuple(
            Observation(**{**seen, "response": _ANSWERS[seen["response"]]}) for seen in said["observations"]
        ),
    )
