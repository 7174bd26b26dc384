"""What is stored beside a verdict so that it can be made again: the case, the rubric's text and the settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple
from decimal import Decimal
from functools import lru_cache
from types import MappingProxyType
from typing import Any, cast

import orjson

from ..cases import Comparison, Dialogue, Original, Review, Turn
from ..rubric import Rubric, parse
from ..verdicts import Failure, Lookup
from ..verdicts.stored import failure_json, lookup_of
from .settings import CompareSettings, DialogueSettings, ReviewSettings


def case_json(case: Comparison | Dialogue | Review) -> dict[str, Any]:
    """A case as plain data that JSON can hold."""
    if isinstance(case, Comparison):
        return {
            "task": case.task,
            "a": case.a,
            "b": case.b,
            "context": case.context,
            "weights": {key: str(weight) for key, weight in case.weights.items()},
        }
    if isinstance(case, Dialogue):
        return {
            "dialogue_id": case.dialogue_id,
            "turns": [astuple(turn) for turn in case.turns],
            "overall_ratings": case.overall_ratings,
        }
    return asdict(case)


def case_of(protocol: str, stored: Mapping[str, Any]) -> Comparison | Dialogue | Review:
    """The case that was written so."""
    if protocol == "compare":
        weights = _weights_of(tuple(stored["weights"].items()))
        return Comparison(stored["task"], stored["a"], stored["b"], stored["context"], weights)
    if protocol == "dialogue":
        turns = tuple(
            Turn(speaker, text, line, act, tuple(given)) for speaker, text, line, act, given in stored["turns"]
        )
        return Dialogue(stored["dialogue_id"], turns, tuple(stored["overall_ratings"]))
    fields = dict(stored)
    for side in ("ratings_a", "ratings_b"):
        fields[side] = {key: Original(**given) for key, given in fields[side].items()}
    fields["preference"] = Original(**fields["preference"])
    return Review(**fields)


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
            "case": case_json(case),
            "rubric": _source(settings.rubric),
            "settings": settings.stored(),
            "lookups": lookups,
            "urls": urls,
            "failures": [[asked, failure_json(failure)] for asked, failure in failures],
        }
    )


def of_dialogue(
    case: Dialogue, settings: DialogueSettings, urls: Mapping[str, str], failures: Sequence[tuple[str, Failure]]
) -> bytes:
    """A dialogue's inputs as bytes."""
    return orjson.dumps(
        {
            "protocol": "dialogue",
            "case": case_json(case),
            "rubric": _source(settings.rubric),
            "settings": settings.stored(),
            "urls": urls,
            "failures": [[asked, failure_json(failure)] for asked, failure in failures],
        }
    )


def of_review(
    case: Review, settings: ReviewSettings, urls: Mapping[str, str], failures: Sequence[tuple[str, Failure]]
) -> bytes:
    """A review's inputs as bytes."""
    return orjson.dumps(
        {
            "protocol": "review",
            "case": case_json(case),
            "rubric": _source(settings.rubric),
            "settings": settings.stored(),
            "urls": urls,
            "failures": [[asked, failure_json(failure)] for asked, failure in failures],
        }
    )


def comparison_of(stored: Mapping[str, Any]) -> tuple[Comparison, CompareSettings, tuple[Lookup, ...]]:
    """A comparison as it was stored."""
    case = cast(Comparison, case_of("compare", stored["case"]))
    lookups = tuple(lookup_of(lookup) for lookup in stored["lookups"])
    return case, CompareSettings(**stored["settings"], rubric=_rubric_of(stored)), lookups


def dialogue_of(stored: Mapping[str, Any]) -> tuple[Dialogue, DialogueSettings]:
    """A dialogue as it was stored."""
    case = cast(Dialogue, case_of("dialogue", stored["case"]))
    return case, DialogueSettings(**stored["settings"], rubric=_rubric_of(stored))


def review_of(stored: Mapping[str, Any]) -> tuple[Review, ReviewSettings]:
    """A review as it was stored."""
    case = cast(Review, case_of("review", stored["case"]))
    return case, ReviewSettings(**stored["settings"], rubric=_rubric_of(stored))


@lru_cache(maxsize=32)
def _weights_of(stored: tuple[tuple[str, str], ...]) -> Mapping[str, Decimal]:
    """Weights as numbers, read once: they are the same for nearly every case of a run."""
    return MappingProxyType({key: Decimal(weight) for key, weight in stored})


@lru_cache(maxsize=32)
def _source(rubric: Rubric) -> orjson.Fragment:
    """A rubric's text as a JSON string, made once: it is the same for every case of a run."""
    return orjson.Fragment(orjson.dumps(rubric.source))


def _rubric_of(stored: Mapping[str, Any]) -> Rubric:
    return parse(stored["rubric"], "the stored rubric")
