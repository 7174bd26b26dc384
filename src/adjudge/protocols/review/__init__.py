"""The review protocol: rate both responses blind, apply the facts to the ratings, and only then read the originals.

task checks → facts → blind ratings, with the judge's lists of demands and observations → measure these: more facts →
apply the facts → correct the originals → Overall → Likert → justifications (at most one more call) → feedback
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from ...computing import computed
from ...judges.base import Candidate, Cascade, ExplainQuestion, Judge, RateQuestion
from ...models import (
    LABELS,
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
from ..common import Options, failures_of, hostile_warnings, in_stages, provenance_of, rechecked, verdict_id
from .consistency import allowed_likerts, bind, bounds_of, deciding, nearest, without_pleasantries_as_length
from .correcting import (
    VERDICTS,
    Tables,
    candidates,
    changelog,
    composed,
    contradicted,
    correct_response,
    final_rating,
    judged,
    read_rating,
    settled,
    values_of,
)
from .feedback import ReviewAudit, feedback
from .findings import are_identical, facts_alone, why_invalid, with_the_judges

_SAME = "Rated like Response 1, to which it is identical."
# If the explaining call fails for one of these reasons, a retry would fail too; the ratings are kept without it.
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


async def review(case: Review, judge: Judge, rubric: Rubric, options: Options = Options()) -> ReviewVerdict | Failure:
    """Audit a person's ratings; if the options ask for it, also without the passages that try to steer the judge."""
    if isinstance(judge, Cascade):
        return await in_stages((judge,), lambda stage: review(case, stage, rubric, options), why_unsure)
    return await rechecked(
        await _judged(case, judge, rubric, options),
        case,
        options,
        without_attempts,
        lambda clean: _judged(clean, judge, rubric, options),
        lambda again: {str(number): Decimal(table[OVERALL].value) for number, table in again.tables.items()},
    )


async def _judged(case: Review, judge: Judge, rubric: Rubric, options: Options) -> ReviewVerdict | Failure:
    provenance = provenance_of(judge.name, rubric.reference, options, "rater", "explainer")
    if reason := await computed(case.size, why_invalid, case, options.languages):
        return _verdict(case, rubric, provenance, invalid_task=reason)
    alone = await computed(case.size, facts_alone, case)
    opinion = await judge.opine(RateQuestion(case.blind(), rubric, alone))
    if isinstance(opinion, Failure):
        return opinion
    if opinion.invalid:
        return _verdict(case, rubric, provenance, opinion, facts=alone, invalid_task=opinion.invalid)
    facts = await computed(case.size, with_the_judges, case, alone, opinion.constraints, opinion.observations)

    same = are_identical(case)
    ours: dict[Label, dict[str, FinalRating]] = {}
    bound: dict[str, tuple[Fact, ...]] = {}
    for label in LABELS:
        rated = opinion.responses[label]
        if same:
            rated = _as_rated(ours["A"], opinion) if ours else _with_the_others(case, rubric, rated)
        rated = without_pleasantries_as_length(rated, [seen for seen in opinion.observations if seen.response == label])
        # A fact about one of two identical responses holds for both, and is applied to Response 1's table.
        own = [fact for fact in facts if fact.where == label or (same and label == "A" and fact.where == "B")]
        binding = bind(rubric, rated, bounds_of([] if same and label == "B" else own, case.answer(label)))
        ours[label] = correct_response(rubric, binding, case.originals(label))
        bound |= {f"{label}.{key}": facts for key, facts in binding.facts.items()}

    # Justifications: the person's if they can be kept, else the judge's if they fit, else ours, composed by rule.
    likert = _likert(case, rubric, opinion, ours)
    by_rule = {f"{label}.{key}": line for label, table in ours.items() for key, line in table.items()}
    by_rule[_LIKERT] = likert.updated(justification=composed(likert.value, ours, rubric, same=same))
    check = WordChecker(case.texts)
    lines = {place: settled(line, bound.get(place, ()), check, place == _LIKERT) for place, line in by_rule.items()}
    asked = candidates(lines)
    reasons = "" if same or not likert.assessed else opinion.reasons
    fits = bool(reasons) and not contradicted(opinion, ours, likert.value, rubric)
    explanation = None
    if asked or (reasons and not fits and lines[_LIKERT].justification_action != "kept"):
        told = await _explained(case, judge, rubric, ours, likert.value, asked)
        if isinstance(told, Failure):
            return told.with_calls(opinion.calls)
        explanation, reasons = told, "" if same else told.reasons
        lines = {place: judged(line, by_rule[place], told.words.get(place)) for place, line in lines.items()}
    final = lines.pop(_LIKERT).updated(assessed=True)
    if reasons and final.justification_action != "kept":
        final = final.updated(justification=f"{VERDICTS[likert.value]} {reasons}")
    tables = {label: {key: lines[f"{label}.{key}"] for key in table} for label, table in ours.items()}
    return _verdict(
        case,
        rubric,
        provenance,
        opinion,
        explanation,
        facts,
        _unassessed(rubric, opinion.judge, tables, same),
        response1_fixed_table=tuple(tables["A"].values()),
        response2_fixed_table=tuple(tables["B"].values()),
        final_likert_and_justification=FinalLikert(**dict(final)),
        changelog=changelog(rubric, tables, final, originals=case.has_originals),
        sbq=feedback(ReviewAudit(rubric, case, tables, final, facts)),
    )


def _verdict(
    case: Review,
    rubric: Rubric,
    provenance: Provenance,
    opinion: ReviewOpinion | None = None,
    explanation: Explanation | None = None,
    facts: tuple[Fact, ...] = (),
    unassessed: Iterable[Warning] = (),
    **told: Any,
) -> ReviewVerdict:
    """Build the verdict from the tables, or from the reason why there are none."""
    said = [one for one in (opinion, explanation) if one is not None]
    calls = [call for one in said for call in one.calls]
    warnings = [warning for one in said for warning in one.warnings]
    judged = case.model_dump(exclude={"review_id"})
    return ReviewVerdict(
        review_id=case.review_id,
        verdict_id=verdict_id("r", ["review", judged, provenance.model_dump(), [call.key for call in calls]]),
        facts=facts,
        warnings=(*warnings, *unassessed, *hostile_warnings(facts, _WHERE)),
        **spent(calls),
        judge=provenance.judge,
        provenance=provenance,
        opinion=opinion,
        explanation=explanation,
        failures=failures_of(RateQuestion=opinion, ExplainQuestion=explanation),
        case=case,
        rubric=rubric,
        **told,
    )


def why_unsure(verdict: ReviewVerdict) -> Iterable[str]:
    """Yield the reasons for a cascade to ask its next judge. A task that code found invalid gives none."""
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


def _likert(case: Review, rubric: Rubric, opinion: ReviewOpinion, tables: Tables) -> FinalRating:
    """Return the final Likert without its justification: the original if the tables allow it, else an allowed one."""
    allowed = allowed_likerts(rubric, values_of(tables["A"]), values_of(tables["B"]))
    entered = read_rating(case.preference.rating, LIKERT)
    value = entered if isinstance(entered, int) and entered in allowed else nearest(allowed, opinion.preference)
    # The Likert follows from the tables, so it is assessed only if the judge assessed all their lines.
    assessed = all(line.assessed for table in tables.values() for line in table.values())
    return final_rating(case.preference, LIKERT, value, "", _why(tables, rubric), assessed=assessed)


def _why(tables: Tables, rubric: Rubric) -> str:
    """Return the reason for the final Likert."""
    a, b = (tables[label][OVERALL].value for label in LABELS)
    if any(line.action == "filled" and not line.assessed for table in tables.values() for line in table.values()):
        return (
            f"Overall Quality is assumed to be {a} for Response 1 and {b} for Response 2: this judge cannot assess the "
            "ratings that were left blank."
        )
    if a != b:
        return f"Overall Quality is {a} for Response 1 and {b} for Response 2."
    decides = deciding(rubric, values_of(tables["A"]), values_of(tables["B"]))
    if decides is None:
        return f"Overall Quality is {a} for both, and no dimension decides."
    return f"Overall Quality is {a} for both, and {decides[0].name} decides for {_WHERE[decides[1]]}."


async def _explained(
    case: Review, judge: Judge, rubric: Rubric, ours: Tables, likert: int, asked: tuple[Candidate, ...]
) -> Explanation | Failure:
    """Ask the judge about the person's justifications and the final tables. If it cannot answer, keep our own words."""
    shown = {label: {key: (line.value, line.justification) for key, line in ours[label].items()} for label in LABELS}
    said = await judge.opine(ExplainQuestion(case.blind(), rubric, shown, VERDICTS[likert], asked))
    if not isinstance(said, Failure) or said.reason not in _FINAL:
        return said
    message = f"the judge did not explain the final tables ({said.reason}); our own words stand"
    return Explanation(
        judge=judge.name,
        reasons="",
        words={one.key: _UNCHECKED for one in asked},
        calls=said.calls,
        warnings=(Warning(code="composed_by_rule", message=message),),
    )


def _as_rated(table: dict[str, FinalRating], opinion: ReviewOpinion) -> RatedResponse:
    """Return Response 1's final ratings as the ratings of an identical Response 2."""
    ratings = {
        key: Rating(
            value=final.value, justification=final.justification if final.assessed else _SAME, quotes=final.quotes
        )
        for key, final in table.items()
    }
    # Response 2 must be allowed the same Overall as Response 1.
    return RatedResponse(ratings=ratings, unusable=True, still_good=opinion.responses["A"].still_good or _SAME)


def _with_the_others(case: Review, rubric: Rubric, rated: RatedResponse) -> RatedResponse:
    """Return the ratings of Response 1, with gaps filled from what was entered for its identical Response 2."""
    ratings = dict(rated.ratings)
    for criterion in rubric.criteria:
        given = [case.originals(label).get(criterion.key, Original()).rating for label in LABELS]
        own, others = (read_rating(words, criterion.scale) for words in given)
        if not ratings[criterion.key].assessed and not isinstance(own, int) and isinstance(others, int):
            ratings[criterion.key] = Rating(
                value=others, justification="Rated like Response 2, to which it is identical."
            )
    return rated.updated(ratings=ratings)


def _unassessed(rubric: Rubric, judge: str, tables: Tables, same: bool) -> list[Warning]:
    """Return a warning for the dimensions that were not assessed. Identical responses share their assessments."""
    names = []
    for criterion in rubric.criteria:
        blank = [label for label in LABELS if not tables["A" if same else label][criterion.key].assessed]
        if blank:
            names.append(criterion.name if len(blank) > 1 else f"{criterion.name} ({_WHERE[blank[0]]})")
    if not names:
        return []
    message = f"{judge} cannot assess {', '.join(names)}: what was entered stands, and blanks assume no issue"
    return [Warning(code="not_assessed", message=message)]
