"""Where a verdict came from, which every report ends with: the judge and its limits, calls and cost, warnings, stages,
the calibrated number, and how to make it again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..judges.specs import single_judges
from ..models import (
    Call,
    ComparisonVerdict,
    DialogueVerdict,
    ReviewVerdict,
    Stage,
    total_cost,
    total_usage,
)
from ..models.calibration import CalibratedKind
from ..rubric import Rubric
from .wording import dollars, many, short, words_of

_EMBEDDED = "The embedded judge works from text features only: it does not check facts, follow an argument or run code."
_EMBEDDED_IN_JURY = "One member of the jury, the embedded judge, works from text features only."
_EMBEDDED_IN_CASCADE = "One judge of the cascade, the embedded judge, works from text features only."

# A calibrated number in words.
EXPECTED: dict[CalibratedKind, str] = {
    "preference_for_a": "People are expected to say {} on a scale from 0 (B is better) to 1 (A is)",
    "overall_experience": "People are expected to rate it {}",
    "likert": "People are expected to say {} on the scale from 1 (Response 1 is much better) to 7",
}


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a verdict came from: the warnings, the judge, the calls, and how to make it again.

    A warning is its code as words and what it says; a call its model, what it was for and cost, and its journal key.
    """

    verdict_id: str
    software: str
    judge: str
    cost: str
    warnings: tuple[tuple[str, str], ...]
    calls: tuple[tuple[str, str, str], ...]
    tokens: str
    provenance: tuple[tuple[str, str], ...]
    calibrated: str
    stages: tuple[str, ...] = ()


def origin_of(verdict: ComparisonVerdict | DialogueVerdict | ReviewVerdict) -> Origin:
    """The same part of every view."""
    made = verdict.provenance
    stages = tuple(map(_stage, verdict.stages))
    return Origin(
        verdict_id=verdict.verdict_id,
        software=made.software,
        judge=", ".join(dict.fromkeys(made.judge.split(", "))),  # a dialogue names its Evaluator's and its Critic's
        cost=cost_sentence(verdict.calls),
        warnings=tuple((words_of(found.code), found.message) for found in verdict.warnings),
        calls=tuple((call.model, _told(call), call.key) for call in verdict.calls),
        tokens=f"{total_usage(verdict.calls).total_tokens:,}",
        provenance=(
            ("Software", made.software),
            ("Judge", made.judge),
            *((f"Stage {at}", stage) for at, stage in enumerate(stages, start=1)),
            ("Rubric", made.rubric),
            *((f"Prompt {name}", reference) for name, reference in made.prompts.items()),
            ("Sample, seed, temperature", f"{made.sample}, {made.seed}, {made.temperature}"),
        ),
        calibrated=_calibrated(verdict),
        stages=stages,
    )


def _calibrated(verdict: ComparisonVerdict | DialogueVerdict | ReviewVerdict) -> str:
    """What people would be expected to say; or why the rubric's calibration does not tell. Empty without one."""
    if (score := verdict.calibrated) is not None:
        said = EXPECTED[score.what].format(short(score.value, 2))
        return f"{said}, by an {score.method} map learned from {many(score.cases, 'labelled case')}."
    calibration = verdict.rubric.calibration if isinstance(verdict.rubric, Rubric) else None
    if calibration is None or calibration.judge == verdict.provenance.judge:
        return ""
    return not_applied(calibration.judge)


def not_applied(judge: str) -> str:
    """That a rubric's calibration is for another judge."""
    return f"The rubric’s calibration is for the judge {judge} and was not applied."


def _stage(stage: Stage) -> str:
    answer = "" if stage.answer is None else f"{stage.answer}, "
    return f"{stage.judge}: {answer}{'; '.join(stage.unsure) or 'decided'} ({many(stage.calls, 'call')})"


def _told(call: Call) -> str:
    usage = call.usage
    tokens = (
        f"{usage.input_tokens:,} input, {usage.output_tokens:,} output, {usage.reasoning_tokens:,} reasoning tokens"
    )
    return f"{call.purpose}: {tokens}; {dollars(call.cost)}; {many(call.attempts, 'attempt')}"


def judge_note(judge: str) -> str:
    """What a reader must know about this judge before trusting it; empty for most."""
    if judge.startswith("embedded"):
        return _EMBEDDED
    singles = single_judges(judge)
    if len(singles) == 1 or not any(single.startswith("embedded") for single in singles):
        return ""
    return _EMBEDDED_IN_CASCADE if judge.startswith("cascade") else _EMBEDDED_IN_JURY


def cost_sentence(calls: Sequence[Call]) -> str:
    """Calls, tokens and dollars."""
    if not calls:
        return "no model was called; no cost"
    usage = total_usage(calls)
    tokens = f"{usage.input_tokens:,} input and {usage.output_tokens:,} output tokens"
    if usage.reasoning_tokens:
        tokens += f" ({usage.reasoning_tokens:,} of them reasoning)"
    return f"{many(len(calls), 'call')}, {tokens}, {dollars(total_cost(calls))}"
