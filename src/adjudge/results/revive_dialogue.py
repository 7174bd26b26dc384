"""A dialogue's verdict made again from its record, or from the contract's object alone.

The object tells less: its quotes are found again in the transcript by their words, its rules by the audit's sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from decimal import Decimal
from typing import Any

from ..cases import Dialogue
from ..render.dialogue_wording import RULES
from ..verdicts import (
    Critique,
    DialogueVerdict,
    Evaluation,
    Mark,
    Objection,
    Provenance,
    RefereeRule,
    Ruling,
    Utterance,
    cited,
)
from .directory import Outcome, Run
from .revive import dialogue_case, exact, origin_of

_CITED = re.compile(r'(SYSTEM|USER): "(.*?)"(?=; (?:SYSTEM|USER): "|\)[.!?]?$|$)', re.DOTALL)


def dialogue_of(outcome: Outcome, run: Run) -> tuple[Dialogue, DialogueVerdict]:
    """A dialogue and its verdict."""
    case, said = dialogue_case(outcome), exact(outcome.verdict_json)
    output = said.get("output", said)
    keys = [key for key in run.rubric.weights if key in output["referee_final"]]
    critic = {entry["criterion"]: entry for entry in output["critic"]}
    kept = said if "output" in said else _record(output, keys, case, run, outcome)
    origin = origin_of(kept)
    evaluator, _, second = origin["provenance"].judge.partition(", ")

    def quotes(name: str, key: str) -> tuple[Utterance, ...]:
        return tuple(Utterance(**quote) for quote in kept[name][key])

    marks = {
        key: Mark(
            Decimal(output["evaluator"][key]["score"]),
            _reason(output["evaluator"][key]["justification"], quotes("evaluator_quotes", key)),
            quotes("evaluator_quotes", key),
        )
        for key in keys
    }
    entries = {key: _objection(critic[key], quotes("critic_quotes", key)) for key in keys}
    rulings = {
        key: Ruling(
            Decimal(output["referee_final"][key]["score"]),
            output["referee_final"][key]["justification"],
            tuple(Utterance(**quote) for quote in kept["rulings"][key]["quotes"]),
            kept["rulings"][key]["rule"],
        )
        for key in keys
    }
    verdict = DialogueVerdict(
        verdict_id=str(outcome.line.get("verdict_id") or kept.get("verdict_id")),
        dialogue_id=output["dialogue_id"],
        weights={key: run.rubric.weights[key] for key in keys},
        evaluation=Evaluation(judge=evaluator, marks=marks),
        critique=Critique(judge=second or evaluator, entries=entries),
        rulings=rulings,
        evaluator_average=Decimal(output["evaluator"]["numeric_weighted_average"]),
        final_average=Decimal(output["referee_final"]["numeric_weighted_average"]),
        overall_experience=Decimal(output["referee_final"]["OverallExperience"]),
        **origin,
    )
    return case, verdict


def _objection(entry: Mapping[str, Any], quotes: tuple[Utterance, ...]) -> Objection:
    suggested = entry["suggested_score"]
    return Objection(
        agree=entry["agree"],
        comment=_reason(entry["comment"], quotes),
        suggested=None if suggested is None else Decimal(suggested),
        contradicts=False,
        quotes=quotes,
    )


def _reason(justification: str, quotes: tuple[Utterance, ...]) -> str:
    """A justification without the utterances it cites."""
    shown = f" ({'; '.join(quote.shown for quote in quotes)})"
    if quotes and cited("x", quotes)[1:-1] == shown and shown in justification:
        return "".join(justification.rsplit(shown, 1))
    return justification


def _record(output: Mapping[str, Any], keys: list[str], case: Dialogue, run: Run, outcome: Outcome) -> dict[str, Any]:
    """What the record would hold beside the contract's object, as far as the object tells."""
    critic = {entry["criterion"]: entry["comment"] for entry in output["critic"]}
    said = output["audit"]["decision_rules_applied"]
    settings = run.config.get("settings") or {}
    judges = [str(settings.get(role) or settings.get("judge") or "unknown") for role in ("evaluator", "critic")]
    provenance = Provenance(
        software=f"adjudge {run.config.get('software', '')}".strip(),
        judge=", ".join(judges),
        rubric=run.rubric.reference,
        prompts={},
        sample=int(settings.get("sample") or 0),
        seed=int(settings.get("seed") or 0),
        temperature=float(settings.get("temperature") or 0),
    )
    return {
        "rulings": {
            key: {
                "rule": _rule(said, key),
                "quotes": _found(output["referee_final"][key]["justification"], case),
            }
            for key in keys
        },
        "evaluator_quotes": {key: _found(output["evaluator"][key]["justification"], case) for key in keys},
        "critic_quotes": {key: _found(critic[key], case) for key in keys},
        "warnings": [],
        "calls": [],
        "provenance": asdict(provenance),
    }


def _rule(said: str, key: str) -> RefereeRule:
    """The rule that the audit's sentences name for a criterion."""
    begins = {rule: said.find(f"{did} ({why}): ") for rule, (did, why) in RULES.items()}
    for rule, at in begins.items():
        if at < 0:
            continue
        ends: Iterable[int] = (other for other in begins.values() if other > at)
        if re.search(rf"(?<!\w){re.escape(key)} \d", said[at : min(ends, default=len(said))]):
            return rule
    return "keep_agreement"


def _found(justification: str, case: Dialogue) -> list[dict[str, Any]]:
    """The utterances a justification cites, where they stand."""
    found = []
    for speaker, quote in _CITED.findall(justification):
        for at, turn in enumerate(case.turns):
            start = turn.text.find(quote) if turn.speaker == speaker and quote else -1
            if start >= 0:
                found.append(Utterance(speaker, quote, at, turn.line, start, start + len(quote))._asdict())
                break
    return found
