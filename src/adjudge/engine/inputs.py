"""What is stored beside a verdict so that it can be made again: the case, the rubric's text and the settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import orjson

from ..models import ComparisonVerdict, DialogueVerdict, Failure, Lookup, ReviewVerdict
from ..models.base import from_json
from ..models.cases import Comparison, Dialogue, Review
from ..rubric import Rubric, parse
from .settings import CompareSettings, DialogueSettings, ReviewSettings

CASES: dict[str, type[Comparison] | type[Dialogue] | type[Review]] = {
    "compare": Comparison,
    "dialogue": Dialogue,
    "review": Review,
}
VERDICTS: dict[str, type[ComparisonVerdict] | type[DialogueVerdict] | type[ReviewVerdict]] = {
    "compare": ComparisonVerdict,
    "dialogue": DialogueVerdict,
    "review": ReviewVerdict,
}
Verdict = ComparisonVerdict | DialogueVerdict | ReviewVerdict
Failures = Sequence[tuple[str, Failure]]


def case_json(case: Comparison | Dialogue | Review) -> dict[str, Any]:
    """A case as plain data that JSON can hold; weights are texts, so that no digit is lost."""
    return case.model_dump(mode="json")


def case_of(protocol: str, stored: Mapping[str, Any]) -> Comparison | Dialogue | Review:
    """The case that was written so."""
    return CASES[protocol].model_validate(stored)


def of_comparison(
    case: Comparison,
    settings: CompareSettings,
    lookups: tuple[Lookup, ...],
    urls: Mapping[str, str],
    failures: Failures,
) -> bytes:
    """A comparison's inputs as bytes."""
    return _stored("compare", case, settings, urls, failures, lookups=[lookup.model_dump() for lookup in lookups])


def of_dialogue(case: Dialogue, settings: DialogueSettings, urls: Mapping[str, str], failures: Failures) -> bytes:
    """A dialogue's inputs as bytes."""
    return _stored("dialogue", case, settings, urls, failures)


def of_review(case: Review, settings: ReviewSettings, urls: Mapping[str, str], failures: Failures) -> bytes:
    """A review's inputs as bytes."""
    return _stored("review", case, settings, urls, failures)


def _stored(
    protocol: str,
    case: Comparison | Dialogue | Review,
    settings: CompareSettings | DialogueSettings | ReviewSettings,
    urls: Mapping[str, str],
    failures: Failures,
    **more: Any,
) -> bytes:
    return orjson.dumps(
        {
            "protocol": protocol,
            "case": case_json(case),
            "rubric": settings.rubric.source,
            "settings": settings.stored(),
            **more,
            "urls": urls,
            "failures": [[asked, failure.model_dump()] for asked, failure in failures],
        },
        default=str,  # a price is kept as text, so that no digit is lost
    )


def verdict_of(inputs: bytes, verdict: bytes) -> Verdict:
    """A verdict as the journal keeps it, with its case and rubric."""
    stored = orjson.loads(inputs)
    return read_verdict(stored["protocol"], verdict, stored["case"], _rubric_of(stored))


def read_verdict(protocol: str, verdict: bytes, case: Mapping[str, Any], rubric: Rubric) -> Verdict:
    """A verdict from its JSON and the stored form of its case."""
    return from_json(VERDICTS[protocol], verdict, case=case_of(protocol, case), rubric=rubric)


def comparison_of(stored: Mapping[str, Any]) -> tuple[Comparison, CompareSettings, tuple[Lookup, ...]]:
    """A comparison as it was stored."""
    case = cast(Comparison, case_of("compare", stored["case"]))
    lookups = tuple(Lookup.model_validate(lookup) for lookup in stored["lookups"])
    return case, CompareSettings(**stored["settings"], rubric=_rubric_of(stored)), lookups


def dialogue_of(stored: Mapping[str, Any]) -> tuple[Dialogue, DialogueSettings]:
    """A dialogue as it was stored."""
    case = cast(Dialogue, case_of("dialogue", stored["case"]))
    return case, DialogueSettings(**stored["settings"], rubric=_rubric_of(stored))


def review_of(stored: Mapping[str, Any]) -> tuple[Review, ReviewSettings]:
    """A review as it was stored."""
    case = cast(Review, case_of("review", stored["case"]))
    return case, ReviewSettings(**stored["settings"], rubric=_rubric_of(stored))


def _rubric_of(stored: Mapping[str, Any]) -> Rubric:
    return parse(stored["rubric"], "the stored rubric")
