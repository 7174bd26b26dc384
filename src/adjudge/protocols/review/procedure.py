"""review: rate both responses blind, bind the ratings by facts, derive what follows, and only then read the originals.

task checks → facts → blind ratings, with what the judge found demanded and saw → measured: more facts → facts bind →
originals corrected → Overall → Likert → words, with at most one explaining call → feedback
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from ...computing import computed
from ...judges.base import Candidate, Cascade, ExplainQuestion, Judge, RateQuestion
from ...models import (
    LABELS,
    Call,
    Explanation,
    Fact,
    Failure,
    FinalLikert,
    FinalRating,
    JudgedWords,
    Label,
    Provenance,
    RatedResponse,
    Rating,
    ReviewOpinion,
    ReviewVerdict,
    Warning,
    spent,
)
from ...models.cases import Original, Review
from ...models.rows import NO_PREFERENCE
from ...rubric import LIKERT, OVERALL, Rubric
from ...text.findings import without_attempts
from ...text.reasons import WordChecker
from ..cascade import in_stages
from ..common import hostile_warnings, provenance_of, verdict_id, with_recheck
from .binding import bind, bounds_of, without_pleasantries_as_length
from .consistency import allowed_likerts, deciding, nearest
from .correcting import NO_WORDS, NOT_GIVEN, OffScale, changelog, correct_response, read_rating
from .feedback import ReviewAudit, feedback
from .findings import are_identical, facts_alone, why_invalid, with_the_judges
from .justifying import (
    VERDICTS,
    Tables,
    candidate,
    composed,
    contradicted,
    identical,
    judged,
    settled,
    with_verdict,
)

_SAME = "Rated like Response 1, to which it is identical."
# Failures to explain that asking once more would only repeat; the ratings stand without.
_FINAL = frozenset({"refused", "cut_off", "malformed"})
_LIKERT = "likert"
_UNCHECKED = JudgedWords(specific=False, true=True, reason="the judge could not be asked about it")
_WHERE = {
    "A": "Response 1",
    "B": "Response 2",
    "context": "The conversation",
    "task": "The prompt",
    "system_prompt": "The system prompt",
    "task_config": "The task configuration",
}


@dataclass(frozen=True, slots=True)
class ReviewOptions:
    """How a review is made, as the verdict records it; `languages` are those in scope, all if none are given."""

    seed: int = 0
    sample: int = 0
    temperature: float = 0.0
    languages: tuple[str, ...] = ()
    recheck_attempts: bool = False


async def review(
    case: Review, judge: Judge, rubric: Rubric, options: ReviewOptions = ReviewOptions()
) -> ReviewVerdict | Failure:
    """The audited ratings, or why there are none; where it is asked for, also of the task without attempts."""
    if isinstance(judge, Cascade):
        return await in_stages((judge,), lambda stage: review(case, stage, rubric, options), why_unsure)
    verdict = await _judged(case, judge, rubric, options)
    if not options.recheck_attempts or isinstance(verdict, Failure):
        return verdict
    clean = await computed(case.size, without_attempts, case)
    if clean == case:
        return verdict
    again = await _judged(clean, judge, rubric, options)
    if isinstance(again, Failure):
        return again.with_calls(verdict.calls)
    outcomes = [str(one.likert.value) if one.likert else "invalid" for one in (verdict, again)]
    totals = {str(number): Decimal(table[OVERALL].value) for number, table in again.tables.items()}
    return with_recheck(verdict, outcomes[0], again, outcomes[1], totals)


async def _judged(case: Review, judge: Judge, rubric: Rubric, options: ReviewOptions) -> ReviewVerdict | Failure:
    provenance = provenance_of(judge.name, rubric.reference, options, "rater", "explainer")
    if reason := await computed(case.size, why_invalid, case, options.languages):
        return _invalid(case, rubric, reason, provenance)
    alone = await computed(case.size, facts_alone, case)
    opinion = await judge.opine(RateQuestion(case.blind(), rubric, alone))
    if isinstance(opinion, Failure):
        return opinion
    if opinion.invalid:
        return _invalid(case, rubric, opinion.invalid, provenance, opinion, alone)
    facts = await computed(case.size, with_the_judges, case, alone, opinion.constraints, opinion.observations)

    same = are_identical(case)
    drafts: dict[Label, _Draft] = {}
    for label in LABELS:
        rated = opinion.responses[label]
        if same:
            rated = _as_rated(drafts["A"].table, opinion) if drafts else _with_the_others(case, rubric, rated)
        rated = without_pleasantries_as_length(rated, [seen for seen in opinion.observations if seen.response == label])
        # What was seen in one of two identical responses is true of both, and binds through Response 1's table.
        own = [fact for fact in facts if fact.where == label or (same and label == "A" and fact.where == "B")]
        binding = bind(rubric, rated, bounds_of([] if same and label == "B" else own, case.answer(label)))
        drafts[label] = _Draft(correct_response(rubric, binding, case.originals(label)), binding.facts)
    ours: dict[Label, dict[str, FinalRating]] = {label: draft.table for label, draft in drafts.items()}
    explained = await _explained(case, judge, rubric, opinion, drafts, _likert(case, rubric, opinion, ours), same)
    if isinstance(explained, Failure):
        return explained.with_calls(opinion.calls)
    calls = (*opinion.calls, *explained.calls)
    tables, final = explained.tables, explained.likert
    return ReviewVerdict(
        review_id=case.review_id,
        response1_fixed_table=tuple(tables["A"].values()),
        response2_fixed_table=tuple(tables["B"].values()),
        final_likert_and_justification=FinalLikert(**dict(final)),
        changelog=changelog(rubric, tables, final, originals=case.has_originals),
        sbq=feedback(ReviewAudit(rubric, case, tables, final, facts)),
        verdict_id=_verdict_id(case, provenance, calls),
        facts=facts,
        warnings=(
            *opinion.warnings,
            *explained.warnings,
            *_unassessed(rubric, opinion.judge, tables, same),
            *hostile_warnings(facts, _WHERE),
        ),
        **spent(calls),
        judge=provenance.judge,
        provenance=provenance,
        opinion=opinion,
        explanation=explained.explanation,
        failures=_failures(opinion, explained.explanation),
        case=case,
        rubric=rubric,
    )


def why_unsure(verdict: ReviewVerdict) -> Iterable[str]:
    """Why a cascade asks its next judge, if it should. What code alone finds invalid is so for every judge."""
    opinion, codes = verdict.opinion, {warning.code for warning in verdict.warnings}
    if opinion is None:
        return
    if verdict.likert is None:
        yield "it calls the task invalid"
        return
    if "not_assessed" in codes:
        yield "it could not assess every dimension"
    if codes & {"dropped_quote", "replaced_reason"}:
        yield "it quoted what is not in the texts"
    if (opinion.preference - NO_PREFERENCE) * (verdict.likert.value - NO_PREFERENCE) < 0:
        yield "it prefers the other response than its ratings do"
    members = [own.scores[_LIKERT] for own in opinion.members]
    if len({(value > NO_PREFERENCE) - (value < NO_PREFERENCE) for value in members if value is not None}) > 1:
        yield "the members of the jury prefer different responses"


class _Draft(NamedTuple):
    """The table of one response in our own words, and the facts that bind each criterion."""

    table: dict[str, FinalRating]
    facts: dict[str, tuple[Fact, ...]]


class _Explained(NamedTuple):
    """The final tables and Likert with their words, and what the judge said of them if it was asked."""

    tables: dict[Label, dict[str, FinalRating]]
    likert: FinalRating
    explanation: Explanation | None = None

    @property
    def calls(self) -> tuple[Call, ...]:
        return self.explanation.calls if self.explanation else ()

    @property
    def warnings(self) -> tuple[Warning, ...]:
        return self.explanation.warnings if self.explanation else ()


def _likert(case: Review, rubric: Rubric, opinion: ReviewOpinion, tables: Tables) -> FinalRating:
    """The final Likert: the original if the tables allow it, else the one they call for; without words."""
    values = {label: {key: final.value for key, final in tables[label].items()} for label in LABELS}
    allowed = allowed_likerts(rubric, values["A"], values["B"])
    given = case.preference
    entered = read_rating(given.rating, LIKERT)
    value = entered if isinstance(entered, int) and entered in allowed else nearest(allowed, opinion.preference)
    final = FinalRating(
        value=value,
        justification="",
        action="kept",
        reason="",
        justification_action="filled",
        justification_reason=NO_WORDS,
        original=given or None,
        # It follows from tables that the judge must have assessed whole.
        assessed=all(line.assessed for table in tables.values() for line in table.values()),
    )
    if entered is None:
        return final.updated(action="filled", reason=NOT_GIVEN)
    if isinstance(entered, OffScale):
        return final.updated(action="refused", reason=entered.why)
    if entered != value:
        return final.updated(action="replaced", reason=_why(tables, rubric, value))
    return final


async def _explained(
    case: Review,
    judge: Judge,
    rubric: Rubric,
    opinion: ReviewOpinion,
    drafts: dict[Label, _Draft],
    bare: FinalRating,
    same: bool,
) -> _Explained | Failure:
    """Everybody's words: the person's where they may stand, the judge's reasons where they fit, else ours by rule."""
    ours: dict[Label, dict[str, FinalRating]] = {label: draft.table for label, draft in drafts.items()}
    check = WordChecker(case.texts)
    tables = {
        label: {key: settled(line, draft.facts.get(key, ()), check) for key, line in draft.table.items()}
        for label, draft in drafts.items()
    }
    by_rule = bare.updated(justification=identical(ours) if same else composed(bare.value, ours, rubric))
    final = settled(by_rule, (), check, likert=True)
    candidates = _candidates(rubric, tables, final)
    reasons = "" if same or not bare.assessed else opinion.reasons
    fits = reasons and not contradicted(opinion, ours, bare.value, rubric)
    if not candidates and (fits or not reasons or final.justification_action == "kept"):
        if fits and final.justification_action != "kept":
            final = final.updated(justification=with_verdict(bare.value, reasons))
        return _Explained(tables, final.updated(assessed=True))

    shown = {label: {key: (line.value, line.justification) for key, line in ours[label].items()} for label in LABELS}
    said = await judge.opine(ExplainQuestion(case.blind(), rubric, shown, VERDICTS[bare.value], candidates))
    if isinstance(said, Failure):
        if said.reason not in _FINAL:
            return said
        message = f"the judge did not explain the final tables ({said.reason}); our own words stand"
        said = Explanation(
            judge=judge.name,
            reasons="",
            words={one.key: _UNCHECKED for one in candidates},
            calls=said.calls,
            warnings=(Warning(code="composed_by_rule", message=message),),
        )
    tables = {
        label: {key: judged(line, ours[label][key], said.words.get(f"{label}.{key}")) for key, line in table.items()}
        for label, table in tables.items()
    }
    final = judged(final, by_rule, said.words.get(_LIKERT))
    if said.reasons and not same and final.justification_action != "kept":
        final = final.updated(justification=with_verdict(bare.value, said.reasons))
    return _Explained(tables, final.updated(assessed=True), said)


def _candidates(rubric: Rubric, tables: Tables, likert: FinalRating) -> tuple[Candidate, ...]:
    """The person's words that the judge is asked about."""
    lines = [
        candidate(f"{label}.{criterion.key}", f"Response {number}, {criterion.name}", tables[label][criterion.key])
        for number, label in enumerate(LABELS, start=1)
        for criterion in rubric.criteria
    ]
    return tuple(one for one in (*lines, candidate(_LIKERT, "the preference", likert)) if one is not None)


def _as_rated(table: dict[str, FinalRating], opinion: ReviewOpinion) -> RatedResponse:
    """Response 1's final ratings for an identical Response 2, whatever was made of it before."""
    ratings = {
        key: Rating(
            value=final.value, justification=final.justification if final.assessed else _SAME, quotes=final.quotes
        )
        for key, final in table.items()
    }
    # Whatever allowed Response 1 its Overall allows it here.
    return RatedResponse(ratings=ratings, unusable=True, still_good=opinion.responses["A"].still_good or _SAME)


def _with_the_others(case: Review, rubric: Rubric, rated: RatedResponse) -> RatedResponse:
    """Response 1 as it was judged; where nobody assessed or rated it, as its identical Response 2 was rated."""
    ratings = dict(rated.ratings)
    for criterion in rubric.criteria:
        given = [case.originals(label).get(criterion.key, Original()).rating for label in LABELS]
        own, others = (read_rating(words, criterion.scale) for words in given)
        if not ratings[criterion.key].assessed and not isinstance(own, int) and isinstance(others, int):
            ratings[criterion.key] = Rating(
                value=others, justification="Rated like Response 2, to which it is identical."
            )
    return rated.updated(ratings=ratings)


def _why(tables: Tables, rubric: Rubric, value: int) -> str:
    a, b = (tables[label]["overall_quality"].value for label in LABELS)
    assumed = any(line.action == "filled" and not line.assessed for table in tables.values() for line in table.values())
    if assumed:
        return (
            f"Overall Quality is assumed to be {a} for Response 1 and {b} for Response 2: this judge cannot assess the "
            "ratings that were left blank."
        )
    if a != b:
        return f"Overall Quality is {a} for Response 1 and {b} for Response 2."
    if value == 4:
        return f"Overall Quality is {a} for both, and no dimension decides."
    values = {label: {key: final.value for key, final in tables[label].items()} for label in LABELS}
    decides = deciding(rubric, values["A"], values["B"])
    assert decides is not None
    better = 1 if decides[1] == "A" else 2
    return f"Overall Quality is {a} for both, and {decides[0].name} decides for Response {better}."


def _unassessed(rubric: Rubric, judge: str, tables: Tables, same: bool) -> list[Warning]:
    """Dimensions that neither the judge nor a fact nor a rule says anything of; identical responses share theirs."""
    names = []
    for criterion in rubric.criteria:
        blank = [label for label in LABELS if not tables["A" if same else label][criterion.key].assessed]
        if blank:
            names.append(criterion.name if len(blank) > 1 else f"{criterion.name} ({_WHERE[blank[0]]})")
    if not names:
        return []
    message = f"{judge} cannot assess {', '.join(names)}: what was entered stands, and blanks assume no issue"
    return [Warning(code="not_assessed", message=message)]


def _invalid(
    case: Review,
    rubric: Rubric,
    reason: str,
    provenance: Provenance,
    opinion: ReviewOpinion | None = None,
    facts: tuple[Fact, ...] = (),
) -> ReviewVerdict:
    calls = opinion.calls if opinion is not None else ()
    return ReviewVerdict(
        review_id=case.review_id,
        invalid_task=reason,
        verdict_id=_verdict_id(case, provenance, calls),
        facts=facts,
        warnings=(*(opinion.warnings if opinion is not None else ()), *hostile_warnings(facts, _WHERE)),
        **spent(calls),
        judge=provenance.judge,
        provenance=provenance,
        opinion=opinion,
        failures=_failures(opinion),
        case=case,
        rubric=rubric,
    )


def _failures(opinion: ReviewOpinion | None, explanation: Explanation | None = None) -> tuple[tuple[str, Failure], ...]:
    """The failures of members of a jury, by the question they failed at."""
    asked = (("RateQuestion", opinion), ("ExplainQuestion", explanation))
    return tuple((question, failure) for question, said in asked if said for failure in said.failures)


def _verdict_id(case: Review, provenance: Provenance, calls: tuple[Call, ...]) -> str:
    """The same review made the same way has the same id."""
    judged = case.model_dump(exclude={"review_id"})
    asked = ["review", judged, provenance.model_dump(), [call.key for call in calls]]
    return verdict_id("r", asked)
