"""The grading: which items apply, what the judge is asked, and how its findings become the verdict."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from ...computing import computed
from ...judges.base import ASKED, Cascade, Judge, Question
from ...models.common import NO_JUDGE, Fact, Failure, Warning, all_quoted, spent
from ...rubric import Rubric
from ...text.control_tokens import without_end_markers
from ...text.findings import hostile_facts
from ..options import Options
from ..procedure import failures_of, hostile_warnings, in_stages, provenance_of, rechecked, verdict_id
from .case import Grading
from .check import check
from .questions import AskQuestion, ClaimsQuestion, DemandsQuestion, Findings, ItemFinding, State
from .rubric import Item, items_of, pass_at
from .score import ScoredItem, ScoreOutcome, outcome_of, score_of
from .verdict import Extreme, GradeVerdict, ItemVerdict, shown_score
from .wording import counted, listed, why

CLOSE = Fraction(5, 100)  # a score this near to `pass_at` is not sure
PLACES = {"task": "the task", "answer": "the answer", "reference": "the reference", "context": "the context"}
_NO_SOURCE = {
    "context": "No context was given.",
    "reference": "No reference was given.",
    "both": "Neither context nor reference was given.",
}
_NO_TEXT = "The answer has no final text."


async def grade(case: Grading, judge: Judge, rubric: Rubric, options: Options = Options()) -> GradeVerdict | Failure:
    """Grade an answer; if the options ask for it, also without the passages that try to steer the judge."""
    if isinstance(judge, Cascade) and any(questions_of(case, rubric)):
        return await in_stages((judge,), lambda one: grade(case, one, rubric, options), why_unsure)
    return await rechecked(
        await _judged(case, judge, rubric, options),
        case,
        options,
        Grading.without_attempts,
        lambda clean: _judged(clean, judge, rubric, options),
        lambda again: {"score": again.score},
    )


def why_unsure(verdict: GradeVerdict) -> Iterable[str]:
    """Yield the reasons for a cascade to ask its next judge; none if the verdict is sure."""
    if verdict.case.is_empty:
        return
    if not verdict.decided:
        yield "passing depends on what it could not assess"
    if abs(verdict.score_exact - Fraction(verdict.pass_at)) <= CLOSE:
        yield f"the score is within {float(CLOSE)} of the pass mark"


# -- judging -----------------------------------------------------------------------------------------------------------


async def _judged(case: Grading, judge: Judge, rubric: Rubric, options: Options) -> GradeVerdict | Failure:
    items = items_of(rubric)
    known = {item.key: found for item in items if (found := _before_asking(case, item)) is not None}
    asked = list(questions_of(case, rubric))
    answers = await asyncio.gather(*(judge.opine(question) for question in asked))
    calls = tuple(call for answer in answers for call in answer.calls)
    failed = [answer for answer in answers if isinstance(answer, Failure)]
    if failed:
        return failed[0].updated(calls=calls)
    opinions = [answer for answer in answers if isinstance(answer, Findings)]
    findings = known | {key: finding for opinion in opinions for key, finding in opinion.items.items()}
    checked = await computed(case.size, _measured, case, items, findings)
    roles = (ASKED[type(question)].role for question in asked)
    # A name that nobody used may be wrong, so it is not recorded.
    provenance = provenance_of(judge.name if asked else NO_JUDGE, rubric.reference, options, *roles)
    settled = _settle(checked, rubric, case)
    if settled is None:
        return _nothing_to_grade(judge, checked, was_asked=bool(asked)).with_calls(calls)
    facts = await computed(case.size, _facts, case)
    key = ["grade", case.model_dump(), provenance.model_dump(), [call.key for call in calls]]
    return GradeVerdict(
        verdict_id=verdict_id("g", key),
        **settled,
        items=checked,
        warnings=(
            *(warning for opinion in opinions for warning in opinion.warnings),
            *_unassessed(judge.name if asked else "code", checked, case),
            *hostile_warnings(facts, PLACES),
        ),
        facts=facts,
        **spent(calls),
        provenance=provenance,
        failures=failures_of(**{question.which: one for question, one in zip(asked, opinions, strict=True)}),
        quoted=all_quoted(opinions),
        case=case,
        rubric=rubric,
    )


def _before_asking(case: Grading, item: Item) -> ItemFinding | None:
    """Return what is known of an item without a judge: its source was not given, or there is no text to read."""
    given = {"context": bool(case.context), "reference": bool(case.reference.strip())}
    given["both"] = any(given.values())
    if not given.get(item.source, True):
        return ItemFinding(state="not_applicable", reason=_NO_SOURCE[item.source])
    if item.kind in ("claims", "constraints") and not case.answer.strip():
        return ItemFinding(state="unassessed", reason=_NO_TEXT)
    return None


def questions_of(case: Grading, rubric: Rubric) -> Iterator[Question[Findings]]:
    """Yield one question for all `ask`, one for all claims and main points, and one for the task's demands.

    What needs no judge is not asked; nothing is asked of an empty answer.
    """
    items = [item for item in items_of(rubric) if not case.is_empty and _before_asking(case, item) is None]
    kinds = {item.kind for item in items}
    if kinds & {"ask", "scale"}:
        yield AskQuestion(case, rubric)
    if kinds & {"claims", "covers"}:
        yield ClaimsQuestion(case, rubric, tuple(item.key for item in items if item.kind in ("claims", "covers")))
    if "constraints" in kinds:
        yield DemandsQuestion(case, rubric)


def _measured(case: Grading, items: Iterable[Item], findings: Mapping[str, ItemFinding]) -> tuple[ItemVerdict, ...]:
    """Return every item with what was found for it; checks are made here. Nothing is assessed of an empty answer."""
    if case.is_empty:
        empty = ItemFinding(state="unassessed", reason="The answer is empty.")
        return tuple(_item_verdict(item, empty) for item in items)
    return tuple(
        _checked(item, case.answer) if item.kind == "check" else _item_verdict(item, findings[item.key])
        for item in items
    )


def _checked(item: Item, answer: str) -> ItemVerdict:
    results = check(item.checks, answer)
    met = [one.met for one in results]
    wrong = [one for one in results if one.met is not True]
    state: State = "no" if False in met else "unassessed" if None in met else "yes"
    sentence = "; ".join(f"the answer {one.found}" for one in wrong or results)
    made = _item_verdict(item, ItemFinding(state=state, reason=f"{sentence[:1].upper()}{sentence[1:]}."))
    return made.updated(checks=results)


def _item_verdict(item: Item, finding: ItemFinding) -> ItemVerdict:
    """Return an item as it counts."""
    result, share = finding.word, _share(item, finding)
    applicable = finding.state not in ("not_applicable", "nothing")
    if finding.state == "unproven" and share is None:
        result = "unassessed"
    earned = None if share is None else Fraction(item.points) * share
    part = ScoredItem(item.points, share, item.needed_share if item.required else None)
    return ItemVerdict(
        key=item.key,
        kind=item.kind,
        points=item.points,
        required=item.required,
        applicable=applicable,
        assessed=share is not None,
        result=result,
        share=share,
        earned=None if earned is None else shown_score(earned),
        earned_exact=earned,
        met=part.is_met if item.required and applicable else None,
        reason=finding.reason or counted(item.kind, finding),
        evidence=finding.evidence,
        claims=finding.claims,
        unclaimed=finding.unclaimed,
        main_points=finding.main_points,
        constraints=finding.constraints,
        members=finding.members,
    )


def _share(item: Item, finding: ItemFinding) -> Fraction | None:
    """Return the share of its points that an item is worth, or None if it does not apply or nobody assessed it."""
    if finding.state == "level":
        assert finding.level is not None
        low, high = Fraction(item.scale.low), Fraction(item.scale.high)
        return (finding.level - low) / (high - low)
    if finding.state == "share":
        return finding.share
    if finding.state == "unproven":
        # An accusation that nobody could show is neither found nor cleared.
        return None if item.required and item.is_fault else Fraction(0)
    return {"yes": Fraction(1), "no": Fraction(0)}.get(finding.state)


# -- deciding ----------------------------------------------------------------------------------------------------------


def _settle(items: tuple[ItemVerdict, ...], rubric: Rubric, case: Grading) -> dict[str, Any] | None:
    """Return the fields of the verdict that the items decide, or None if there is nothing to grade."""
    mark = pass_at(rubric)
    needed = {item.key: item.needed_share for item in items_of(rubric) if item.required}
    parts = [ScoredItem(item.points, item.share, needed.get(item.key)) for item in items if item.applicable]
    score = Fraction(0) if case.is_empty else score_of(parts)
    if score is None:
        return None
    worst, best = (outcome_of(parts, mark, best=best) for best in (False, True))
    if case.is_empty:
        worst = best = ScoreOutcome(Fraction(0), False)
    decided = worst.passed == best.passed
    passed = worst.passed if decided else None
    return {
        "score": shown_score(score),
        "score_exact": score,
        "passed": passed,
        "sure": decided,
        "pass_at": mark,
        "worst": _extreme(worst),
        "best": _extreme(best),
        "why": why(items, rubric, case, score, passed, (worst, best)),
    }


def _extreme(outcome: ScoreOutcome) -> Extreme:
    return Extreme(score=shown_score(outcome.score), score_exact=outcome.score, passed=outcome.passed)


def _nothing_to_grade(judge: Judge, items: tuple[ItemVerdict, ...], *, was_asked: bool) -> Failure:
    """Return the failure, which says what to do: another judge or rubric, or the source that was not given."""
    earning = [item for item in items if not item.is_fault]
    unassessed = listed(item.key for item in earning if item.applicable)
    if not unassessed:
        missing = listed(dict.fromkeys(item.reason.rstrip(".").lower() for item in earning if item.reason))
        reason = f"no item that earns points applies{f' ({missing})' if missing else ''}"
        hint = "give what it needs, or a rubric whose items apply"
    elif not was_asked:
        reason, hint = f"{unassessed} cannot be told of this answer", "add an item that can be assessed to the rubric"
    elif judge.name.startswith("embedded"):
        reason = f"{judge.name} could not assess {unassessed}"
        hint = "name a judge that reads, such as openai:gpt-5.1, or give a rubric with checks"
    else:
        reason, hint = f"{judge.name} could not assess {unassessed}", "name another judge, or give another rubric"
    return Failure(reason="nothing_to_grade", message=f"{reason}; {hint}", judge=judge.name)


# -- warnings and facts ------------------------------------------------------------------------------------------------


def _unassessed(who: str, items: Iterable[ItemVerdict], case: Grading) -> list[Warning]:
    keys = [item.key for item in items if item.applicable and not item.assessed]
    if not keys or case.is_empty:
        return []
    return [Warning(code="not_assessed", message=f"{who} did not assess {', '.join(keys)}")]


def _facts(case: Grading) -> tuple[Fact, ...]:
    """Return what tries to steer the judge, in all texts. In a step or a source, the fact names it."""
    facts = [*hostile_facts("task", case.task), *hostile_facts("reference", case.reference, case.task)]
    for one in case.context:
        facts += _named(hostile_facts("context", one.text, case.task), f"in {one.id}")
    if not case.steps:
        facts += hostile_facts("answer", without_end_markers(case.answer), case.task)
    for number, step in enumerate(case.steps, start=1):
        facts += _named(hostile_facts("answer", without_end_markers(step.text), case.task), f"in step {number}")
    return tuple(facts)


def _named(facts: Iterable[Fact], place: str) -> list[Fact]:
    return [fact.updated(found=f"{fact.found} ({place})") for fact in facts]
