"""The dialogue protocol: the Evaluator scores, the Critic challenges the scores, and the Referee decides in code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal

from ...arithmetic import hundredths, weighted_total
from ...computing import computed
from ...judges.base import Cascade, Judge
from ...models.common import Failure, Warning, all_quoted, spent
from ...rubric import Rubric
from ...text.findings import ATTEMPTS, hostile_facts
from ..options import Options
from ..procedure import failures_of, in_stages, provenance_of, rechecked, verdict_id
from .case import Dialogue
from .questions import CriticizeQuestion, EvaluateQuestion
from .referee import ADOPT_ALL_FROM, audit, normalized, overall_experience, settle
from .roles import CRITIC, EVALUATOR, tool_prompt
from .rubric import check_weights_add_up
from .verdict import (
    AVERAGE,
    OVERALL_EXPERIENCE,
    CriticEntry,
    DialogueOutput,
    DialogueVerdict,
    Evaluation,
    Ruling,
    Scored,
)


async def dialogue(
    case: Dialogue,
    evaluator: Judge,
    critic: Judge,
    rubric: Rubric,
    options: Options = Options(),
) -> DialogueVerdict | Failure:
    """Judge a conversation; if the options ask for it, also without the passages that try to steer the judge."""
    check_weights_add_up(rubric, rubric.name)
    if isinstance(evaluator, Cascade) or isinstance(critic, Cascade):
        return await in_stages(
            (evaluator, critic), lambda one, other: dialogue(case, one, other, rubric, options), why_unsure
        )
    return await rechecked(
        await _judged(case, evaluator, critic, rubric, options),
        case,
        options,
        Dialogue.without_attempts,
        lambda clean: _judged(clean, evaluator, critic, rubric, options),
        lambda again: {AVERAGE: again.final_average},
    )


async def _judged(
    case: Dialogue, evaluator: Judge, critic: Judge, rubric: Rubric, options: Options
) -> DialogueVerdict | Failure:
    evaluation = await evaluator.opine(EvaluateQuestion(case, rubric))
    if isinstance(evaluation, Failure):
        return evaluation
    critique = await critic.opine(CriticizeQuestion(case, rubric, evaluation))
    if isinstance(critique, Failure):
        return critique.with_calls(evaluation.calls)
    calls = (*evaluation.calls, *critique.calls)

    marks = {key: evaluation.marks[key] for key in rubric.weights}
    entries = {key: normalized(mark, critique.entries[key], rubric.scale) for key, mark in marks.items()}
    rulings = settle(marks, entries, rubric.scale)
    before = weighted_total({key: mark.value for key, mark in marks.items()}, rubric.weights)
    average = weighted_total({key: ruling.value for key, ruling in rulings.items()}, rubric.weights)
    overall = overall_experience(average, rubric.scale)
    provenance = provenance_of(f"{evaluator.name}, {critic.name}", rubric.reference, options, EVALUATOR, CRITIC)
    if case.has_tools:
        provenance = provenance.updated(prompts={**provenance.prompts, **tool_prompt()})
    output = DialogueOutput(
        dialogue_id=case.dialogue_id,
        evaluator={
            **{key: Scored(score=mark.value, justification=mark.justification) for key, mark in marks.items()},
            AVERAGE: hundredths(before),
        },
        critic=tuple(
            CriticEntry(criterion=key, agree=entry.agree, comment=entry.justification, suggested_score=entry.suggested)
            for key, entry in entries.items()
        ),
        referee_final={
            **{key: Scored(score=ruling.value, justification=ruling.justification) for key, ruling in rulings.items()},
            AVERAGE: hundredths(average),
            OVERALL_EXPERIENCE: overall,
        },
        audit=audit(marks, entries, rulings, rubric.weights, average, overall),
    )
    attempts = await computed(case.size, _attempts, case)
    turns = [(turn.speaker, turn.text) for turn in case.turns]
    asked = ["dialogue", case.dialogue_id, turns, provenance.model_dump(), [call.key for call in calls]]
    return DialogueVerdict(
        verdict_id=verdict_id("d", asked),
        output=output,
        rulings=rulings,
        evaluator_quotes={key: mark.quotes for key, mark in marks.items()},
        critic_quotes={key: entry.quotes for key, entry in entries.items()},
        warnings=(*evaluation.warnings, *critique.warnings, *_unassessed(evaluation, rulings), *attempts),
        **spent(calls),
        provenance=provenance,
        evaluator_members=evaluation.members,
        critic_members=critique.members,
        case=case,
        rubric=rubric,
        failures=failures_of(EvaluateQuestion=evaluation, CriticizeQuestion=critique),
        quoted=all_quoted((evaluation, critique)),
    )


def why_unsure(verdict: DialogueVerdict) -> Iterable[str]:
    """Yield the reasons for a cascade to ask its next judges; none if the verdict is sure."""
    codes = {warning.code for warning in verdict.warnings}
    if "not_assessed" in codes:
        yield "it could not assess every criterion"
    if codes & {"dropped_quote", "replaced_reason"}:
        yield "it quoted what is not in the transcript"
    if (objections := sum(not entry.agree for entry in verdict.output.critic)) >= ADOPT_ALL_FROM:
        yield f"the Critic objects to {objections} scores"
    if any(ruling.rule in ("keep_ambiguous", "keep_unverified_quote") for ruling in verdict.rulings.values()):
        yield "the Critic objects without another score or a verified quote"
    if len(jury_results(verdict)) > 1:
        yield "the members of the jury come to different results"


def jury_results(verdict: DialogueVerdict) -> set[Decimal]:
    """Return the overall results that each jury member's scores would give on their own; empty without a jury."""
    weights, scale = verdict.rubric.weights, verdict.rubric.scale
    marks = {key: mark.value for key, mark in verdict.marks.items()}
    results = set()
    for member in verdict.evaluator_members:
        # None means that the member did not assess the criterion; 0 is a score.
        own = {key: score for key, score in member.scores.items() if score is not None}
        results.add(overall_experience(weighted_total({**marks, **own}, weights), scale))
    return results


def _unassessed(evaluation: Evaluation, rulings: Mapping[str, Ruling]) -> list[Warning]:
    """Return a warning if scores are only the middle of the scale because the judge could not assess them."""
    names = [key for key, mark in evaluation.marks.items() if not mark.assessed and rulings[key].value == mark.value]
    message = f"{evaluation.judge} cannot assess {', '.join(names)}: the score is only the middle of the scale"
    return [Warning(code="not_assessed", message=message)] if names else []


def _attempts(case: Dialogue) -> list[Warning]:
    """Return a warning for each utterance that tries to steer the judge. It is judged like any other."""
    warnings: list[Warning] = []
    for turn in case.turns:
        where = f"{turn.speaker}, line {turn.line}"
        # "context" is a stand-in, since only the name and the words of each fact are used.
        facts = hostile_facts("context", turn.text)
        warnings += [Warning(code=ATTEMPTS[fact.name], message=f"{where}: {fact.found}") for fact in facts]
    return warnings
