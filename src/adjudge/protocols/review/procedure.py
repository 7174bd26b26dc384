"""review: rate both responses blind, bind the ratings by facts, derive what follows, and only then read the originals.

task checks → facts → blind ratings → facts bind → originals corrected → Overall → Likert → words → feedback
"""

from __future__ import annotations

import asyncio
from dataclasses import asdict, dataclass
from typing import Literal

from ...cases import Original, Review
from ...facts import find_review_facts
from ...judges.base import ExplainQuestion, Judge, RateQuestion
from ...rubric import LIKERT, Rubric
from ...verdicts import (
    LABELS,
    Call,
    Fact,
    Failure,
    FinalRating,
    Label,
    Provenance,
    RatedResponse,
    Rating,
    ReviewOpinion,
    ReviewVerdict,
    Warning,
)
from ..origins import provenance_of, verdict_id
from .binding import bind, bounds_of
from .changelog import changelog
from .consistency import allowed_likerts, best, deciding, likert
from .correcting import NO_WORDS, NOT_GIVEN, correct_response
from .feedback import Audit, feedback
from .originals import OffScale, read_rating
from .preference import VERDICTS, Tables, composed, identical, problems_of, with_verdict
from .validity import are_identical, why_invalid

_ONLY_MEASURED = "Not assessed by this judge; what it measured is not certain, and stands among the warnings."
_SAME = "Rated like Response 1, to which it is identical."
_LARGE = 100_000  # characters that take long enough for others to notice
# Failures to explain that asking once more would only repeat; the ratings stand without.
_FINAL = frozenset({"refused", "cut_off", "malformed"})
_WHERE = {"A": "Response 1", "B": "Response 2", "context": "The conversation", "task": "The prompt"}
_HOSTILE: dict[str, Literal["addresses_the_judge", "control_token"]] = {
    "injection": "addresses_the_judge",
    "control_token": "control_token",
}


@dataclass(frozen=True, slots=True)
class ReviewOptions:
    """How a review is made, as the verdict records it; `languages` are those in scope, all if none are given."""

    seed: int = 0
    sample: int = 0
    temperature: float = 0.0
    languages: tuple[str, ...] = ()


async def review(
    case: Review, judge: Judge, rubric: Rubric, options: ReviewOptions = ReviewOptions()
) -> ReviewVerdict | Failure:
    """The audited ratings, or why there are none."""
    provenance = provenance_of(judge.name, rubric.reference, options, "rater", "explainer")
    if reason := why_invalid(case, options.languages):
        return _invalid(case, reason, provenance)
    large = len(case.a) + len(case.b) + len(case.prompt) > _LARGE
    facts = await asyncio.to_thread(find_review_facts, case) if large else find_review_facts(case)
    opinion = await judge.opine(RateQuestion(case.blind(), rubric, facts))
    if isinstance(opinion, Failure):
        return opinion
    if opinion.invalid:
        return _invalid(case, opinion.invalid, provenance, opinion, facts)

    same = are_identical(case)
    tables: dict[Label, dict[str, FinalRating]] = {}
    ours: dict[Label, RatedResponse] = {}
    for label in LABELS:
        own = [fact for fact in facts if fact.where == label]
        judged = opinion.responses[label]
        if case.has_originals:
            judged = _without_guesses(rubric, judged)
        if same:
            judged = _as_rated(tables["A"], opinion) if tables else _with_the_others(case, rubric, judged)
        binding = bind(rubric, judged, bounds_of(own, case.answer(label), opinion.harmful_request))
        ours[label] = binding.rated
        tables[label] = correct_response(rubric, binding, case, label, own)
    final, calls, warnings = await _likert(case, judge, rubric, opinion, ours, tables, same)
    if isinstance(final, Failure):
        return final.with_calls(opinion.calls)
    calls = (*opinion.calls, *calls)
    return ReviewVerdict(
        verdict_id=_verdict_id(case, provenance, calls),
        invalid=None,
        tables=tables,
        likert=final,
        changelog=changelog(rubric, tables, final, originals=case.has_originals),
        feedback=feedback(Audit(rubric, case, tables, final, facts)),
        opinion=opinion,
        facts=facts,
        warnings=(
            *opinion.warnings,
            *warnings,
            *_unassessed(rubric, opinion),
            *_doubts(rubric, case, opinion, tables),
            *_attempts(facts),
        ),
        calls=calls,
        provenance=provenance,
    )


async def _likert(
    case: Review,
    judge: Judge,
    rubric: Rubric,
    opinion: ReviewOpinion,
    ours: dict[Label, RatedResponse],
    tables: Tables,
    same: bool,
) -> tuple[FinalRating | Failure, tuple[Call, ...], tuple[Warning, ...]]:
    """The final Likert: the original if the tables allow it, else the one they call for; and its justification."""
    values = {label: {key: final.value for key, final in tables[label].items()} for label in LABELS}
    allowed = allowed_likerts(rubric, values["A"], values["B"])
    given = case.preference
    entered = read_rating(given.rating, LIKERT)
    value = entered if isinstance(entered, int) and entered in allowed else 0
    value = value or likert(rubric, values["A"], values["B"], opinion.preference)
    final = FinalRating(
        value=value,
        justification="",
        action="kept",
        reason="",
        justification_action="filled",
        justification_reason=NO_WORDS,
        original_rating=given.rating,
        original_justification=given.justification,
    )
    if entered is None:
        final = final._replace(action="filled", reason=NOT_GIVEN)
    elif isinstance(entered, OffScale):
        final = final._replace(action="refused", reason=entered.why)
    elif entered != value:
        final = final._replace(action="replaced", reason=_why(tables, rubric, value))

    words = " ".join(given.justification.split())
    if words and final.action == "kept":
        problems = problems_of(words, value, tables, rubric)
        if not problems:
            kept = final._replace(justification=words, justification_action="kept", justification_reason="")
            return kept, (), ()
        final = final._replace(justification_action="rewritten", justification_reason=problems[0])
    elif words:
        final = final._replace(justification_action="rewritten", justification_reason="its Likert was not kept")
    if same:
        return final._replace(justification=identical(tables)), (), ()
    return await _explained(final, judge, rubric, opinion, ours, tables)


async def _explained(
    final: FinalRating,
    judge: Judge,
    rubric: Rubric,
    opinion: ReviewOpinion,
    ours: dict[Label, RatedResponse],
    tables: Tables,
) -> tuple[FinalRating | Failure, tuple[Call, ...], tuple[Warning, ...]]:
    """The judge's reasons if they fit the final tables; asked once more if not; and then written by rule."""
    by_rule = final._replace(justification=composed(final.value, tables, rubric))
    assessed = all(final.assessed for table in tables.values() for final in table.values())
    if not opinion.reasons or not assessed:
        return by_rule, (), ()
    told = with_verdict(final.value, opinion.reasons)
    problems = problems_of(told, final.value, tables, rubric)
    if not problems:
        return final._replace(justification=told), (), ()
    # Our own words, also where a person's stand in the table: no judge sees what a person entered.
    shown = {
        label: {key: (line.value, ours[label].ratings[key].justification) for key, line in tables[label].items()}
        for label in LABELS
    }
    values = {label: {key: line.value for key, line in tables[label].items()} for label in LABELS}
    own = likert(rubric, values["A"], values["B"], opinion.preference)
    explanation = await judge.opine(ExplainQuestion(shown, rubric, VERDICTS[own], problems))
    if isinstance(explanation, Failure):
        if explanation.reason not in _FINAL:
            return explanation, (), ()
        message = f"the judge did not explain the final tables ({explanation.reason}); written by rule"
        return by_rule, explanation.calls, (Warning(code="composed_by_rule", message=message),)
    told = with_verdict(final.value, explanation.reasons)
    left = problems_of(told, final.value, tables, rubric)
    if not left:
        return final._replace(justification=told), explanation.calls, explanation.warnings
    message = f"the judge's reasons did not fit the tables, also when asked again ({left[0]}); written by rule"
    warnings = (*explanation.warnings, Warning(code="composed_by_rule", message=message))
    return by_rule, explanation.calls, warnings


def _without_guesses(rubric: Rubric, rated: RatedResponse) -> RatedResponse:
    """What is only tentative is no more than not assessed where a person has rated."""
    ratings = {
        criterion.key: Rating(best(criterion), _ONLY_MEASURED, assessed=False)
        if rated.ratings[criterion.key].tentative
        else rated.ratings[criterion.key]
        for criterion in rubric.criteria
    }
    return rated._replace(ratings=ratings)


def _as_rated(table: dict[str, FinalRating], opinion: ReviewOpinion) -> RatedResponse:
    """Response 1's final ratings for an identical Response 2, whatever was made of it before."""
    ratings = {
        key: Rating(final.value, final.justification if final.assessed else _SAME, final.quotes)
        for key, final in table.items()
    }
    # Whatever allowed Response 1 its Overall allows it here.
    return RatedResponse(ratings, unusable=True, still_good=opinion.responses["A"].still_good or _SAME)


def _with_the_others(case: Review, rubric: Rubric, rated: RatedResponse) -> RatedResponse:
    """Response 1 as it was judged; where nobody assessed or rated it, as its identical Response 2 was rated."""
    ratings = dict(rated.ratings)
    for criterion in rubric.criteria:
        given = [case.originals(label).get(criterion.key, Original()).rating for label in LABELS]
        own, others = (read_rating(words, criterion.scale) for words in given)
        if not ratings[criterion.key].assessed and not isinstance(own, int) and isinstance(others, int):
            ratings[criterion.key] = Rating(others, "Rated like Response 2, to which it is identical.")
    return rated._replace(ratings=ratings)


def _why(tables: Tables, rubric: Rubric, value: int) -> str:
    a, b = (tables[label]["overall_quality"].value for label in LABELS)
    assumed = any(line.action == "filled" and not line.assessed for table in tables.values() for line in table.values())
    if assumed:
        return f"Overall Quality is taken to be {a} and {b}, for what was not entered this judge cannot assess."
    if a != b:
        return f"Overall Quality is {a} for Response 1 and {b} for Response 2."
    if value == 4:
        return f"Overall Quality is {a} for both, and no dimension decides."
    values = {label: {key: final.value for key, final in tables[label].items()} for label in LABELS}
    decides = deciding(rubric, values["A"], values["B"])
    assert decides is not None
    better = 1 if decides[1] == "A" else 2
    return f"Overall Quality is {a} for both, and {decides[0].name} decides for Response {better}."


def _unassessed(rubric: Rubric, opinion: ReviewOpinion) -> list[Warning]:
    names = []
    for criterion in rubric.criteria:
        blank = [label for label in LABELS if not opinion.responses[label].ratings[criterion.key].assessed]
        if blank:
            names.append(criterion.name if len(blank) > 1 else f"{criterion.name} ({_WHERE[blank[0]]})")
    if not names:
        return []
    message = f"{opinion.judge} cannot assess {', '.join(names)}: what was entered stands, and blanks assume no issue"
    return [Warning(code="not_assessed", message=message)]


def _doubts(rubric: Rubric, case: Review, opinion: ReviewOpinion, tables: Tables) -> list[Warning]:
    """What was measured and is not certain, where a person has rated: it changes nothing, and is worth a look."""
    return [
        Warning(
            code="measured_doubt",
            message=f"{_WHERE[label]}, {criterion.name} {tables[label][criterion.key].value}: {rating.justification}",
        )
        for label in LABELS
        for criterion in rubric.criteria
        if case.has_originals
        and (rating := opinion.responses[label].ratings[criterion.key]).tentative
        and not tables[label][criterion.key].rule
        and rating.value != tables[label][criterion.key].value
    ]


def _attempts(facts: tuple[Fact, ...]) -> list[Warning]:
    """Responses that try to steer the judge: rated like any other, and reported."""
    return [
        Warning(code=_HOSTILE[fact.name], message=f"{_WHERE[fact.where]} {fact.found}, at character {fact.start}")
        for fact in facts
        if fact.name in _HOSTILE
    ]


def _invalid(
    case: Review,
    reason: str,
    provenance: Provenance,
    opinion: ReviewOpinion | None = None,
    facts: tuple[Fact, ...] = (),
) -> ReviewVerdict:
    calls = opinion.calls if opinion is not None else ()
    return ReviewVerdict(
        verdict_id=_verdict_id(case, provenance, calls),
        invalid=reason,
        tables={},
        likert=None,
        changelog=(),
        feedback=(),
        opinion=opinion,
        facts=facts,
        warnings=opinion.warnings if opinion is not None else (),
        calls=calls,
        provenance=provenance,
    )


def _verdict_id(case: Review, provenance: Provenance, calls: tuple[Call, ...]) -> str:
    """The same review made the same way has the same id."""
    judged = {name: value for name, value in asdict(case).items() if name != "review_id"}
    asked = ["review", judged, provenance, [call.key for call in calls]]
    return verdict_id("r", asked)
