"""What every report on a verdict has. Its last part is the verdict's origin: the judge and its limits, calls and cost,
stages, the calibrated number, and how to reproduce it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..judges.specs import single_judges
from ..models.common import NO_JUDGE, Call, total_cost, total_usage
from ..models.verdict import Verdict
from ..rendering.wording import dollars, many, short
from ..rubric import Rubric
from .base import Protocol, protocol_of

_EMBEDDED = "The embedded judge works from text features only: it does not check facts, follow an argument or run code."
_EMBEDDED_AMONG_OTHERS = "One of the judges, the embedded judge, works from text features only."


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a verdict comes from. Each call has its model, a text with purpose and cost, and its journal key."""

    verdict_id: str
    software: str
    judge: str
    cost: str
    calls: list[tuple[str, str, str]]
    tokens: str
    provenance: list[tuple[str, str]]
    calibrated: str
    stages: list[str]


@dataclass(frozen=True, kw_only=True)
class VerdictView:
    """The verdict and what every report on it says; each protocol adds its own sentences, rows and marked texts.

    `refs` are those of all marks. `linked` are places of the page that are highlighted together, with the refs of their
    marks.
    """

    verdict: Any
    headline: str
    judge_note: str
    refs: Sequence[str]
    linked: Sequence[tuple[tuple[str, ...], Sequence[str]]]
    origin: Origin


def origin_of(verdict: Verdict) -> Origin:
    """Build the origin part of a view."""
    made = verdict.provenance
    stages, calls = [], []
    for stage in verdict.stages:
        answer = "" if stage.answer is None else f"{stage.answer}, "
        why = "; ".join(stage.unsure) or "decided"
        stages.append(f"{stage.judge}: {answer}{why} ({many(stage.calls, 'call')})")
    for call in verdict.calls:
        usage, paid = call.usage, f"{dollars(call.cost)}; {many(call.attempts, 'attempt')}"
        tokens = f"{usage.input_tokens:,} input, {usage.output_tokens:,} output, {usage.reasoning_tokens:,} reasoning"
        calls.append((call.model, f"{call.purpose}: {tokens} tokens; {paid}", call.key))
    return Origin(
        verdict_id=verdict.verdict_id,
        software=made.software,
        judge=_judges(made.judge),
        cost=_cost_sentence(verdict.calls),
        calls=calls,
        tokens=f"{total_usage(verdict.calls).total_tokens:,}",
        provenance=[
            ("Software", made.software),
            ("Judge", made.judge),
            *((f"Stage {at}", stage) for at, stage in enumerate(stages, start=1)),
            ("Rubric", made.rubric),
            *((f"Prompt {name}", reference) for name, reference in made.prompts.items()),
            ("Sample, seed, temperature", f"{made.sample}, {made.seed}, {made.temperature}"),
        ],
        calibrated=_calibrated(verdict),
        stages=stages,
    )


def _judges(named: str) -> str:
    """Return the judges, each once: several roles may have the same judge, and code alone may have decided."""
    return "none was asked" if named == NO_JUDGE else ", ".join(dict.fromkeys(named.split(", ")))


def _calibrated(verdict: Verdict) -> str:
    """Say what people are expected to answer, or why the rubric's calibration was not applied. "" without one."""
    if (score := verdict.calibrated) is not None:
        sentence = expected(protocol_of(verdict.protocol), short(score.value, 2))
        return f"{sentence}, by an {score.method} map learned from {many(score.cases, 'labelled case')}."
    calibration = verdict.rubric.calibration if isinstance(verdict.rubric, Rubric) else None
    if calibration is None or calibration.judge == verdict.provenance.judge:
        return ""
    return not_applied(calibration.judge)


def expected(protocol: Protocol, value: str) -> str:
    """Begin the sentence on a calibrated number: what people are expected to say."""
    number = protocol.table.number
    return (number.expected if number else "People are expected to say {}").format(value)


def not_applied(judge: str) -> str:
    """Say that a rubric's calibration is for another judge."""
    return f"The rubric’s calibration is for the judge {judge} and was not applied."


def judge_note(judge: str) -> str:
    """Return what a reader must know about this judge before trusting it, or "" for most judges."""
    if judge.startswith("embedded"):
        return _EMBEDDED
    among = any(single.startswith("embedded") for single in single_judges(judge))
    return _EMBEDDED_AMONG_OTHERS if among else ""


def _cost_sentence(calls: Sequence[Call]) -> str:
    """Say how many calls and tokens were used and what they cost."""
    if not calls:
        return "no model was called; no cost"
    usage = total_usage(calls)
    tokens = f"{usage.input_tokens:,} input and {usage.output_tokens:,} output tokens"
    if usage.reasoning_tokens:
        tokens += f" ({usage.reasoning_tokens:,} of them reasoning)"
    return f"{many(len(calls), 'call')}, {tokens}, {dollars(total_cost(calls))}"
