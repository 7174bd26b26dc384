"""What every report says in the same words: numbers as people write them, the judge's limits, cost, where it came from.

Plain text, not escaped for any format: the template that shows it escapes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

from .. import arithmetic
from ..arithmetic import plain
from ..judges.specs import single_judges
from ..models import (
    Call,
    ComparisonVerdict,
    DialogueVerdict,
    Fact,
    ReviewVerdict,
    Stage,
    total_cost,
    total_usage,
)
from ..models.calibration import CalibratedKind
from ..rubric import Rubric, Scale

# Longer texts scroll inside their own box, so that what stands below stays within reach.
LONG = 6000

_EMBEDDED = "The embedded judge works from text features only: it does not check facts, follow an argument or run code."
_EMBEDDED_IN_JURY = "One member of the jury, the embedded judge, works from text features only."
_EMBEDDED_IN_CASCADE = "One judge of the cascade, the embedded judge, works from text features only."


# A calibrated number in words.
EXPECTED: dict[CalibratedKind, str] = {
    "preference_for_a": "People are expected to say {} on a scale from 0 (B is better) to 1 (A is)",
    "overall_experience": "People are expected to rate it {}",
    "likert": "People are expected to say {} on the scale from 1 (Response 1 is much better) to 7",
}


# -- numbers ----------------------------------------------------------------------------------------------------------


def number(value: Decimal | int) -> str:
    """All digits of a number, without an exponent; a real minus sign."""
    return format(value, "f" if isinstance(value, Decimal) else "d").replace("-", "−")


def short(value: Decimal, places: int = 1) -> str:
    """A number for people: 6.6 for 6.5625. The exact one stands where the arithmetic is shown."""
    near = value.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    return number(plain(near or abs(near)))  # nought has no sign


def hundredths(value: Decimal) -> str:
    """All digits of a number, and at least two decimals, as a program reads them: 88.00, 0.125."""
    return format(arithmetic.hundredths(value), "f")


def dollars(cost: Decimal | None) -> str:
    """An amount, or that it is not known."""
    return "price unknown" if cost is None else f"${number(plain(cost))}"


def counted(count: int, noun: str) -> str:
    """`1 warning`, `2 warnings`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def share(value: Decimal, scale: Scale) -> str:
    """How much of its bar a value fills; a bar begins at nought unless the scale goes below."""
    floor = min(scale.low, Decimal(0))
    part = Fraction(value - floor) / Fraction(scale.high - floor) if scale.high > floor else Fraction(0)
    return f"{float(min(max(part, Fraction(0)), Fraction(1))):.1%}"


# -- sentences --------------------------------------------------------------------------------------------------------


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
    return f"{counted(len(calls), 'call')}, {tokens}, {dollars(total_cost(calls))}"


def words_of(code: str) -> str:
    """A code as words: `dropped_quote` → `Dropped quote`."""
    return code.replace("_", " ").capitalize()


def criterion_names(keys: Iterable[str], rubric: Rubric) -> dict[str, str]:
    """What to call each criterion: as the rubric does, or its key as words where the rubric has none."""
    named = {criterion.key: criterion.name for criterion in rubric.criteria}
    return {key: named.get(key) or words_of(key) for key in keys}


def guidance_of(rubric: Rubric) -> dict[str, str]:
    """What each criterion asks, on one line."""
    return {criterion.key: " ".join(criterion.guidance.split()) for criterion in rubric.criteria}


# -- what all views end with ------------------------------------------------------------------------------------------


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
        return f"{said}, by an {score.method} map learned from {counted(score.cases, 'labelled case')}."
    calibration = verdict.rubric.calibration if isinstance(verdict.rubric, Rubric) else None
    if calibration is None or calibration.judge == verdict.provenance.judge:
        return ""
    return not_applied(calibration.judge)


def not_applied(judge: str) -> str:
    """That a rubric's calibration is for another judge."""
    return f"The rubric’s calibration is for the judge {judge} and was not applied."


def _stage(stage: Stage) -> str:
    answer = "" if stage.answer is None else f"{stage.answer}, "
    return f"{stage.judge}: {answer}{'; '.join(stage.unsure) or 'decided'} ({counted(stage.calls, 'call')})"


def _told(call: Call) -> str:
    usage = call.usage
    tokens = (
        f"{usage.input_tokens:,} input, {usage.output_tokens:,} output, {usage.reasoning_tokens:,} reasoning tokens"
    )
    return f"{call.purpose}: {tokens}; {dollars(call.cost)}; {counted(call.attempts, 'attempt')}"


def certainty(fact: Fact) -> str:
    """How sure code is, and how bad it is where that can be said."""
    sure = "certain" if fact.certain else "a hint"
    return f"{sure}, {fact.severity}" if fact.severity else sure
