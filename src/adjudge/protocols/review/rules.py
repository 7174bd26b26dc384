"""The review protocol: rate both responses blind, apply the facts to the ratings, and only then read the originals.

task checks → facts → blind ratings, with the judge's lists of demands and observations → measure these: more facts →
(identical responses: share all of it) → apply the facts → correct the originals → Overall → Likert → justifications (at
most one more call) → feedback
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from ...computing import computed
from ...judges.base import Cascade, Judge
from ...models.common import LABELS, Fact, Failure, Label, Provenance, Warning, all_quoted, spent
from ...rubric import LIKERT, OVERALL, Rubric
from ...text.reasons import WordChecker
from ..options import Options, setting
from ..procedure import failures_of, hostile_warnings, in_stages, provenance_of, rechecked, verdict_id
from .case import Review
from .consistency import (
    Binding,
    allowed_likerts,
    bind,
    blank_overalls,
    bounds_of,
    deciding,
    nearest,
    without_pleasantries_as_length,
)
from .correcting import (
    LEAST,
    SharedEntries,
    Tables,
    candidates,
    changelog,
    correct_response,
    final_rating,
    judged,
    read_rating,
    settled,
    values_of,
)
from .explainer import EXPLAINER
from .feedback import ReviewAudit, feedback
from .findings import facts_alone, why_invalid, with_the_judges
from .identical import Twins, are_identical, shared_entries
from .preference import VERDICTS, composed, explained, favoured, fitting
from .questions import Candidate, ExplainQuestion, RateQuestion
from .rater import RATER
from .verdict import (
    NO_PREFERENCE,
    Explanation,
    FinalLikert,
    FinalRating,
    JudgedWords,
    RatedResponse,
    ReviewOpinion,
    ReviewVerdict,
    side_of,
)

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


def codes_in(written: str | None) -> tuple[str, ...]:
    """Parse language codes separated by commas, such as `en, es`."""
    return tuple(code.strip() for code in (written or "").split(",") if code.strip())


@dataclass(frozen=True, kw_only=True)
class ReviewOptions(Options):
    """The options of a review. `languages` are the ISO codes in scope; if empty, all are."""

    languages: tuple[str, ...] = setting(
        (),
        "languages in scope, such as en,es; a task in another is invalid",
        metavar="CODES",
        brief="the languages in scope, such as en,es",
        http="ISO codes in scope; a task in none of them is invalid.",
        parse=codes_in,
    )


async def review(
    case: Review, judge: Judge, rubric: Rubric, options: ReviewOptions = ReviewOptions()
) -> ReviewVerdict | Failure:
    """Audit a person's ratings; if the options ask for it, also without the passages that try to steer the judge."""
    if isinstance(judge, Cascade):
        return await in_stages(
            (judge,),
            lambda stage: review(case, stage, rubric, options),
            why_unsure,
            more=lambda _, name: {"judge": name},
        )
    return await rechecked(
        await _judged(case, judge, rubric, options),
        case,
        options,
        Review.without_attempts,
        lambda clean: _judged(clean, judge, rubric, options),
        lambda again: {str(number): Decimal(table[OVERALL].value) for number, table in again.tables.items()},
    )


async def _judged(case: Review, judge: Judge, rubric: Rubric, options: ReviewOptions) -> ReviewVerdict | Failure:
    provenance = provenance_of(judge.name, rubric.reference, options, RATER, EXPLAINER)
    if reason := await computed(case.size, why_invalid, case, options.languages):
        return _verdict(case, rubric, provenance, invalid_task=reason)
    alone = await computed(case.size, facts_alone, case)
    opinion = await judge.opine(RateQuestion(case.blind(), rubric, alone))
    if isinstance(opinion, Failure):
        return opinion
    if opinion.invalid:
        return _verdict(case, rubric, provenance, opinion, facts=alone, invalid_task=opinion.invalid)
    facts, bindings = await computed(case.size, _bound, case, rubric, opinion, alone)
    same = are_identical(case)
    ours = _corrected(case, rubric, bindings, same)
    bound = {f"{label}.{key}": own for label in LABELS for key, own in bindings[label].facts.items()}

    # Justifications: the person's if they can be kept, else the judge's if they fit, else ours, composed by rule.
    likert = _likert(case, rubric, opinion, ours, same)
    by_rule = {f"{label}.{key}": line for label, table in ours.items() for key, line in table.items()}
    by_rule[_LIKERT] = likert.updated(justification=composed(likert.value, ours, rubric, same=same))
    check = WordChecker(case.texts)
    lines = {place: settled(line, bound.get(place, ()), check, place == _LIKERT) for place, line in by_rule.items()}
    asked = candidates(lines)
    explains = not same and likert.assessed  # else the preference is explained by rule
    reasons, warnings = fitting(opinion, ours, likert.value, rubric) if explains else ((), ())
    explanation = None
    if asked or (explains and len(reasons) < LEAST - 1 and lines[_LIKERT].justification_action != "kept"):
        answer = await _explained(case, judge, rubric, ours, likert.value, asked)
        if isinstance(answer, Failure):
            return answer.with_calls(opinion.calls)
        explanation, reasons = answer, answer.reasons
        lines = {place: judged(line, by_rule[place], answer.words.get(place)) for place, line in lines.items()}
    final = lines.pop(_LIKERT).updated(assessed=True)
    if final.justification_action == "kept":
        warnings = ()
    elif explains:
        warnings = (*warnings, *_written_by_rule(len(reasons), explanation))
        if reasons:
            final = final.updated(justification=explained(likert.value, reasons, ours, rubric))
    tables = {label: {key: lines[f"{label}.{key}"] for key in table} for label, table in ours.items()}
    return _verdict(
        case,
        rubric,
        provenance,
        opinion,
        explanation,
        facts,
        (*warnings, *_unassessed(rubric, opinion.judge, tables)),
        response1_fixed_table=tuple(tables["A"].values()),
        response2_fixed_table=tuple(tables["B"].values()),
        final_likert_and_justification=FinalLikert(**dict(final)),
        changelog=changelog(rubric, tables, final, originals=case.has_originals),
        sbq=feedback(ReviewAudit(rubric, case, tables, final, facts)),
    )


def _bound(
    case: Review, rubric: Rubric, opinion: ReviewOpinion, alone: tuple[Fact, ...]
) -> tuple[tuple[Fact, ...], dict[Label, Binding]]:
    """Return all facts, and the judge's ratings of both responses with the facts applied."""
    twins = Twins(case) if are_identical(case) else None
    seen = twins.observations(opinion.observations) if twins else opinion.observations
    facts = with_the_judges(case, alone, opinion.constraints, seen)
    responses: dict[Label, RatedResponse] = {
        label: without_pleasantries_as_length(rated, [one for one in seen if one.response == label])
        for label, rated in opinion.responses.items()
    }
    if twins:
        facts, responses = twins.facts(facts), {"A": twins.rated(rubric, responses)}
    bindings: dict[Label, Binding] = {}
    for label, rated in responses.items():
        own = [fact for fact in facts if fact.where == label]
        bindings[label] = bind(rubric, rated, bounds_of(own, case.answer(label)))
    if twins:
        bindings["B"] = bindings["A"]._replace(rated=twins.second(bindings["A"].rated))
    return facts, bindings


def _corrected(
    case: Review, rubric: Rubric, bindings: Mapping[Label, Binding], same: bool
) -> dict[Label, dict[str, FinalRating]]:
    """Return the final tables with our own justifications."""
    entries: dict[Label, SharedEntries] = {}
    if same:
        values = shared_entries(case, rubric)
        entries = {"A": SharedEntries(values, _WHERE["B"]), "B": SharedEntries(values, _WHERE["A"])}

    def tables(blank: Mapping[Label, int]) -> dict[Label, dict[str, FinalRating]]:
        return {
            label: correct_response(rubric, binding, case.originals(label), entries.get(label), blank.get(label))
            for label, binding in bindings.items()
        }

    ours = tables({})
    # An Overall that is neither entered nor assessed must not turn the preference that was entered.
    blank = [
        label
        for label, table in ours.items()
        if table[OVERALL].action in ("filled", "refused") and not bindings[label].rated.ratings[OVERALL].assessed
    ]
    if same or not blank:
        return ours
    likert = read_rating(case.preference.rating, LIKERT)
    wanted = likert if isinstance(likert, int) else NO_PREFERENCE
    return tables(blank_overalls(rubric, {label: values_of(table) for label, table in ours.items()}, blank, wanted))


def _verdict(
    case: Review,
    rubric: Rubric,
    provenance: Provenance,
    opinion: ReviewOpinion | None = None,
    explanation: Explanation | None = None,
    facts: tuple[Fact, ...] = (),
    ours: Iterable[Warning] = (),
    **more: Any,
) -> ReviewVerdict:
    """Build the verdict from the tables, or from the reason why there are none."""
    opinions = [one for one in (opinion, explanation) if one is not None]
    calls = [call for one in opinions for call in one.calls]
    warnings = [warning for one in opinions for warning in one.warnings]
    judged = case.model_dump(exclude={"review_id"})
    return ReviewVerdict(
        review_id=case.review_id,
        verdict_id=verdict_id("r", ["review", judged, provenance.model_dump(), [call.key for call in calls]]),
        facts=facts,
        warnings=(*warnings, *ours, *hostile_warnings(facts, _WHERE)),
        **spent(calls),
        judge=provenance.judge,
        provenance=provenance,
        opinion=opinion,
        explanation=explanation,
        quoted=all_quoted(opinions),
        failures=failures_of(RateQuestion=opinion, ExplainQuestion=explanation),
        case=case,
        rubric=rubric,
        **more,
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
    if len({side_of(value) for value in members if value is not None}) > 1:
        yield "the members of the jury prefer different responses"


def _likert(case: Review, rubric: Rubric, opinion: ReviewOpinion, tables: Tables, same: bool) -> FinalRating:
    """Return the final Likert without its justification: the original if the tables allow it, else an allowed one."""
    allowed = allowed_likerts(rubric, values_of(tables["A"]), values_of(tables["B"]))
    entered = read_rating(case.preference.rating, LIKERT)
    value = entered if isinstance(entered, int) and entered in allowed else nearest(allowed, opinion.preference)
    # The Likert follows from the tables, so it is assessed only if the judge assessed all their lines.
    assessed = all(line.assessed for table in tables.values() for line in table.values())
    why = "The two responses are identical." if same else _why(tables, rubric)
    return final_rating(case.preference, LIKERT, value, "", why, assessed=assessed)


def _why(tables: Tables, rubric: Rubric) -> str:
    """Return the reason for the final Likert."""
    a, b = (tables[label][OVERALL].value for label in LABELS)
    # An Overall is assumed if it was left blank, and so was something that it follows from.
    assumed = [
        table[OVERALL].action == "filled"
        and any(line.action == "filled" and not line.assessed for line in table.values())
        for table in (tables["A"], tables["B"])
    ]
    if any(assumed):
        first, second = ("is assumed to be" if one else "is" for one in assumed)
        return (
            f"Overall Quality {first} {a} for Response 1 and {second} {b} for Response 2: this judge cannot assess the "
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
    sides = favoured(ours, likert, rubric)
    explained = await judge.opine(ExplainQuestion(case.blind(), rubric, shown, VERDICTS[likert], sides, asked))
    if not isinstance(explained, Failure) or explained.reason not in _FINAL:
        return explained
    message = f"the judge did not explain the final tables ({explained.reason}); our own words are used"
    return Explanation(
        judge=judge.name,
        reasons=(),
        words={one.key: _UNCHECKED for one in asked},
        calls=explained.calls,
        warnings=(Warning(code="composed_by_rule", message=message),),
    )


def _written_by_rule(usable: int, explanation: Explanation | None) -> list[Warning]:
    """Return a warning if too few of the judge's sentences can be used, unless the failed explaining call gave one."""
    if usable >= LEAST - 1 or (explanation and any(w.code == "composed_by_rule" for w in explanation.warnings)):
        return []
    message = f"the preference: {usable or 'none'} of the judge's sentences can be used; the rest is written by rule"
    return [Warning(code="composed_by_rule", message=message)]


def _unassessed(rubric: Rubric, judge: str, tables: Tables) -> list[Warning]:
    """Return a warning for the dimensions that were not assessed."""
    names = []
    for criterion in rubric.criteria:
        blank = [label for label in LABELS if not tables[label][criterion.key].assessed]
        if blank:
            names.append(criterion.name if len(blank) > 1 else f"{criterion.name} ({_WHERE[blank[0]]})")
    if not names:
        return []
    message = f"{judge} cannot assess {', '.join(names)}: given ratings are kept, and blanks count as no issue"
    return [Warning(code="not_assessed", message=message)]
