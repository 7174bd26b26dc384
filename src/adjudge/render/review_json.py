"""A review's verdict as JSON: the contract's five blocks first, what is known beside them after.

The bytes are a function of the verdict and its case alone, so a stored one can be compared byte for byte.
"""

from __future__ import annotations

from typing import Any

from ..cases import Review
from ..rubric import Rubric
from ..verdicts import LABELS, Fact, Failure, FinalRating, Label, Passage, RatedResponse, ReviewOpinion, ReviewVerdict
from .encoding import dump, fact_json, failed, spent
from .escaping import one_line

RESPONSES: dict[str, str] = {"A": "response1", "B": "response2"}


def review_json(verdict: ReviewVerdict, case: Review, rubric: Rubric, *, indent: bool = False) -> bytes:
    """The object of a review. Every quote is checked against the case once more before it leaves."""
    return dump({**_called(case.review_id), **_outcome(verdict, case, rubric), **_beside(verdict)}, indent=indent)


def failed_review_json(failure: Failure | str, review_id: int | str | None, *, indent: bool = False) -> bytes:
    """A review that did not come about, in the place of its result: the failure, or our own error in a line."""
    said = failed(failure) if isinstance(failure, Failure) else {"error": one_line(failure)}
    return dump({**_called(review_id), **said}, indent=indent)


def _called(review_id: int | str | None) -> dict[str, Any]:
    return {} if review_id is None else {"review_id": review_id}


def _outcome(verdict: ReviewVerdict, case: Review, rubric: Rubric) -> dict[str, Any]:
    if verdict.invalid is not None or verdict.likert is None:
        return {"invalid_task": verdict.invalid or ""}
    likert = verdict.likert
    return {
        **{f"{RESPONSES[label]}_fixed_table": _table(verdict, label, case, rubric) for label in LABELS},
        "final_likert_and_justification": {
            "likert": likert.value,
            "justification": likert.justification,
            "action": likert.action,
            "reason": likert.reason,
            "original": _original(likert),
            "justification_action": likert.justification_action,
            "justification_reason": likert.justification_reason,
            "rule": likert.rule,
        },
        "changelog": list(verdict.changelog),
        "sbq": list(verdict.feedback),
    }


def _beside(verdict: ReviewVerdict) -> dict[str, Any]:
    paid = spent(verdict.calls)
    return {
        "verdict_id": verdict.verdict_id,
        "facts": [_fact(fact) for fact in verdict.facts],
        "warnings": verdict.warnings,
        "usage": paid["usage"],
        "cost_usd": paid["cost_usd"],
        "calls": paid["calls"],
        "judge": verdict.provenance.judge,
        "provenance": verdict.provenance,
        "opinion": None if verdict.opinion is None else _opinion(verdict.opinion),
    }


def _table(verdict: ReviewVerdict, label: Label, case: Review, rubric: Rubric) -> list[dict[str, Any]]:
    ratings = verdict.tables[label]
    return [
        {
            "dimension": criterion.name,
            "rating": final.value,
            "justification": final.justification,
            "key": criterion.key,
            "action": final.action,
            "reason": final.reason,
            "original": _original(final),
            "justification_action": final.justification_action,
            "justification_reason": final.justification_reason,
            "quotes": [_quote(passage, label, case) for passage in final.quotes],
            "rule": final.rule,
            "assessed": final.assessed,
        }
        for criterion in rubric.criteria
        if (final := ratings.get(criterion.key)) is not None
    ]


def _original(final: FinalRating) -> dict[str, str] | None:
    """What the person entered, in their words; null if nothing."""
    if not final.original_rating and not final.original_justification:
        return None
    return {"rating": final.original_rating, "justification": final.original_justification}


def _quote(passage: Passage, label: Label, case: Review) -> dict[str, Any]:
    if case.answer(label)[passage.start : passage.end] != passage.quote:
        where = f"{passage.start}:{passage.end}"
        raise ValueError(f"the quote at {where} does not stand in {RESPONSES[label]} of this case")
    return passage._asdict()


def _fact(fact: Fact) -> dict[str, Any]:
    return {**fact_json(fact), "where": RESPONSES.get(fact.where, fact.where)}


def _opinion(opinion: ReviewOpinion) -> dict[str, Any]:
    """The judge's own ratings, made without sight of the person's and before any rule."""
    return {
        "judge": opinion.judge,
        "task_type": opinion.task_type,
        "constraints": [constraint.model_dump() for constraint in opinion.constraints],
        "observations": [
            {**observation.model_dump(), "response": RESPONSES[observation.response]}
            for observation in opinion.observations
        ],
        "invalid": opinion.invalid,
        **{RESPONSES[label]: _rated(opinion.responses[label]) for label in LABELS if label in opinion.responses},
        "preference": opinion.preference,
        "reasons": opinion.reasons,
    }


def _rated(response: RatedResponse) -> dict[str, Any]:
    return {
        "ratings": {
            key: {
                "rating": rating.value,
                "justification": rating.justification,
                "assessed": rating.assessed,
            }
            for key, rating in response.ratings.items()
        },
        "unusable": response.unusable,
        "still_good": response.still_good,
    }
