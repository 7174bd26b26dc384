"""What is stored beside a verdict so that it can be made again: the case, the rubric's text and the settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, replace
from decimal import Decimal
from typing import Any

import orjson

from ..cases import Comparison, Dialogue, Original, Review, Turn
from ..rubric import parse
from ..verdicts import Failure, Lookup
from .settings import CompareSettings, DialogueSettings, ReviewSettings


def of_comparison(
    case: Comparison,
    settings: CompareSettings,
    lookups: tuple[Lookup, ...],
    urls: Mapping[str, str],
    failures: Sequence[tuple[str, Failure]],
) -> bytes:
    """A comparison's inputs as bytes."""
    return orjson.dumps(
        {
            "protocol": "compare",
            "case": {
                "task": case.task,
                "a": case.a,
                "b": case.b,
                "context": case.context,
                "weights": {key: str(weight) for key, weight in case.weights.items()},
            },
            "rubric": settings.rubric.source,
            "settings": settings.stored(),
            "lookups": [lookup.model_dump(mode="json") for lookup in lookups],
            "urls": urls,
            "failures": [[asked, failure.model_dump(mode="json")] for asked, failure in failures],
        }
    )


def of_dialogue(
    case: Dialogue, settings: DialogueSettings, urls: Mapping[str, str], failures: Sequence[tuple[str, Failure]]
) -> bytes:
    """A dialogue's inputs as bytes."""
    return orjson.dumps(
        {
            "protocol": "dialogue",
            "case": {
                "dialogue_id": case.dialogue_id,
                "turns": [astuple(turn) for turn in case.turns],
                "overall_ratings": case.overall_ratings,
            },
            "rubric": settings.rubric.source,
            "settings": settings.stored(),
            "urls": urls,
            "failures": [[asked, failure.model_dump(mode="json")] for asked, failure in failures],
        }
    )


def of_review(
    case: Review, settings: ReviewSettings, urls: Mapping[str, str], failures: Sequence[tuple[str, Failure]]
) -> bytes:
    """A review's inputs as bytes."""
    return orjson.dumps(
        {
            "protocol": "review",
            "case": asdict(case),
            "rubric": settings.rubric.source,
            "settings": settings.stored(),
            "urls": urls,
            "failures": [[asked, failure.model_dump(mode="json")] for asked, failure in failures],
        }
    )


def comparison_of(stored: Mapping[str, Any]) -> tuple[Comparison, CompareSettings, tuple[Lookup, ...]]:
    """A comparison as it was stored."""
    case = stored["case"]
    weights = {key: Decimal(weight) for key, weight in case["weights"].items()}
    settings = CompareSettings(**stored["settings"], rubric=parse(stored["rubric"], "the stored rubric"))
    lookups = tuple(Lookup.model_validate(lookup) for lookup in stored["lookups"])
    return replace(Comparison(**case), weights=weights), settings, lookups


def dialogue_of(stored: Mapping[str, Any]) -> tuple[Dialogue, DialogueSettings]:
    """A dialogue as it was stored."""
    case = stored["case"]
    turns = tuple(Turn(speaker, text, line, act, tuple(given)) for speaker, text, line, act, given in case["turns"])
    settings = DialogueSettings(**stored["settings"], rubric=parse(stored["rubric"], "the stored rubric"))
    return Dialogue(case["dialogue_id"], turns, tuple(case["overall_ratings"])), settings


def review_of(stored: Mapping[str, Any]) -> tuple[Review, ReviewSettings]:
    """A review as it was stored."""
    case = dict(stored["case"])
    for side in ("ratings_a", "ratings_b"):
        case[side] = {key: Original(**given) for key, given in case[side].items()}
    case["preference"] = Original(**case["preference"])
    settings = ReviewSettings(**stored["settings"], rubric=parse(stored["rubric"], "the stored rubric"))
    return Review(**case), settings
