"""A dialogue's verdict as JSON: the contract's object, key for key and in order, and the record that keeps the rest.

The bytes are a function of the verdict alone, so a stored one can be compared byte for byte.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

import orjson

from ..cases import Dialogue
from ..verdicts import DialogueVerdict, Failure, Mark, Ruling, Utterance
from . import dialogue_audit as audit
from . import wording
from .encoding import dump, failed, spent


def dialogue_json(verdict: DialogueVerdict, case: Dialogue, *, indent: bool = True) -> bytes:
    """The contract's object and nothing more; without indent it is one line."""
    audit.check_quotes(verdict, case)
    return dump(_output(verdict), indent=indent)


def dialogue_record_json(verdict: DialogueVerdict, case: Dialogue, *, indent: bool = True) -> bytes:
    """The contract's object with all that is known beside it: places of quotes, rules, cost, provenance."""
    audit.check_quotes(verdict, case)
    keys = verdict.weights
    return dump(
        {
            "verdict_id": verdict.verdict_id,
            "output": _output(verdict),
            "rulings": {
                key: {
                    "score": verdict.rulings[key].value,
                    "rule": verdict.rulings[key].rule,
                    "quotes": _quotes(verdict.rulings[key].quotes),
                }
                for key in keys
            },
            "evaluator_quotes": {key: _quotes(verdict.evaluation.marks[key].quotes) for key in keys},
            "critic_quotes": {key: _quotes(verdict.critique.entries[key].quotes) for key in keys},
            "warnings": verdict.warnings,
            **spent(verdict.calls),
            "provenance": verdict.provenance,
        },
        indent=indent,
    )


def failed_dialogue_json(failure: Failure, case: Dialogue, *, indent: bool = True) -> bytes:
    """A dialogue without a verdict: which one, and why; it has no score."""
    return dump({"dialogue_id": case.dialogue_id, **failed(failure)}, indent=indent)


def _output(verdict: DialogueVerdict) -> dict[str, Any]:
    keys = verdict.weights
    return {
        "dialogue_id": verdict.dialogue_id,
        "evaluator": {
            **{key: _score(verdict.evaluation.marks[key]) for key in keys},
            "numeric_weighted_average": _average(verdict.evaluator_average),
        },
        "critic": [_entry(verdict, key) for key in keys],
        "referee_final": {
            **{key: _score(verdict.rulings[key]) for key in keys},
            "numeric_weighted_average": _average(verdict.final_average),
            "OverallExperience": verdict.overall_experience,
        },
        "audit": {
            "decision_rules_applied": " ".join(audit.decisions(verdict)),
            "evidence_used": [quote.shown for quote in audit.evidence(verdict)],
            "weighted_calc": audit.weighted_calc(verdict),
            "mapping_rule": audit.mapping_rule(verdict),
        },
    }


def _score(settled: Mark | Ruling) -> dict[str, Any]:
    return {"score": settled.value, "justification": settled.justification}


def _entry(verdict: DialogueVerdict, key: str) -> dict[str, Any]:
    objection = verdict.critique.entries[key]
    return {
        "criterion": key,
        "agree": objection.agree,
        "comment": objection.justification,
        "suggested_score": objection.suggested,
    }


def _average(value: Decimal) -> orjson.Fragment:
    return orjson.Fragment(wording.hundredths(value))


def _quotes(quotes: Iterable[Utterance]) -> list[dict[str, Any]]:
    return [quote._asdict() for quote in quotes]
