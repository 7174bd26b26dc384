"""Review verdicts to render, written out by hand: every action, facts, scripts from both sides, hostile text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from reports.review_report_texts import (
    ARABIC,
    CHINESE,
    CUT_OFF,
    FEEDBACK,
    FLYER,
    HOSTILE,
    HOSTILE_RESPONSE,
    LONG_WORD,
    PREFERENCE,
    PROMPT,
    RATINGS_1,
    RATINGS_2,
    Line,
)
from reports.verdict_samples import ANSI, BIDI, HOSTILE_MARKDOWN, SCRIPT, call

from adjudge.models.common import Fact, Label, Provenance, Warning, spent
from adjudge.protocols.review.case import Original, Review
from adjudge.protocols.review.verdict import (
    Argument,
    FinalLikert,
    FinalRating,
    Passage,
    RatedResponse,
    Rating,
    ReviewOpinion,
    ReviewVerdict,
)
from adjudge.protocols.rubrics import shipped
from adjudge.rubric import Rubric

RUBRIC = shipped("review")
KEYS = tuple(RUBRIC.weights)
JUDGE = "openai:gpt-5.1"
FROM_SCRATCH = "No original ratings provided, full evaluation done from scratch."


@dataclass(frozen=True)
class Sample:
    case: Review
    verdict: ReviewVerdict
    rubric: Rubric = RUBRIC

    def having(self, **updates: Any) -> Sample:
        return replace(self, verdict=self.verdict.updated(**fields_of(**updates)))


def passages(text: str, *quotes: str) -> tuple[Passage, ...]:
    """Each quote where it first stands."""
    return tuple(Passage(quote=quote, start=text.index(quote), end=text.index(quote) + len(quote)) for quote in quotes)


def fact(name: str, where: Label, text: str, stretch: str, found: str, *, certain: bool = True, **more: Any) -> Fact:
    start = text.index(stretch)
    return Fact(name=name, where=where, start=start, end=start + len(stretch), found=found, certain=certain, **more)


def final(text: str, line: Line) -> FinalRating:
    return FinalRating(
        value=line.value,
        justification=line.justification,
        action=line.action,  # type: ignore[arg-type]
        reason=line.reason,
        justification_action=line.fate,  # type: ignore[arg-type]
        justification_reason=line.fate_reason,
        original=Original(line.entered, line.said) or None,
        quotes=passages(text, *line.quotes),
        rule=line.rule,
        assessed=line.assessed,
    )


def verdict_of(case: Review, tables: Mapping[Label, Mapping[str, FinalRating]], **given: Any) -> ReviewVerdict:
    values: dict[str, Any] = {
        "verdict_id": "rv_0f3a9c41d2b7",
        "tables": tables,
        "opinion": None,
        "facts": (),
        "warnings": (),
        "calls": (),
        "judge": JUDGE,
        "case": case,
        "rubric": RUBRIC,
        "provenance": Provenance(
            software="adjudge 0.3.0",
            judge=JUDGE,
            rubric=RUBRIC.reference,
            prompts={"reviewer": "reviewer@1#0c1d2e3f4a5b"},
            sample=0,
            seed=7,
            temperature=0.0,
        ),
    }
    return ReviewVerdict(**fields_of(**{**values, **given}))


def fields_of(**given: Any) -> dict[str, Any]:
    """A verdict's fields from what Python calls them."""
    fields = dict(given)
    names = {criterion.key: criterion.name for criterion in RUBRIC.criteria}
    for label, table in fields.pop("tables", {}).items():
        rows = tuple(line.updated(key=key, dimension=names[key]) for key, line in table.items())
        fields[f"response{'AB'.index(label) + 1}_fixed_table"] = rows
    if "likert" in fields:
        likert = fields.pop("likert")
        fields["final_likert_and_justification"] = None if likert is None else FinalLikert(**dict(likert))
    for short, name in (("invalid", "invalid_task"), ("feedback", "sbq")):
        if short in fields:
            fields[name] = fields.pop(short)
    return {**fields, **(spent(fields["calls"]) if "calls" in fields else {})}


def opinion_of(tables: Mapping[Label, Mapping[str, FinalRating]], preference: int, **own: Any) -> ReviewOpinion:
    """What the judge said: the final ratings, but for those given as `A_verbosity=0`."""

    def rated(label: Label) -> RatedResponse:
        return RatedResponse(
            ratings={
                key: Rating(
                    value=own.get(f"{label}_{key}", rating.value),
                    justification=rating.justification,
                    quotes=(),
                    assessed=rating.assessed,
                )
                for key, rating in tables[label].items()
            }
        )

    return ReviewOpinion(
        judge=JUDGE,
        task_type="creative",
        invalid="",
        response1=rated("A"),
        response2=rated("B"),
        preference=preference,
        reasons=(Argument(sentence="Response 1 keeps to the brief.", dimension="overall", favours="1"),),
    )


@lru_cache
def audited_sample() -> Sample:
    """All four actions, a rating nobody assessed, facts that bind, and a preference that was turned round."""
    entered: list[dict[str, Original]] = [
        {key: Original(line.entered, line.said) for key, line in zip(KEYS, lines, strict=True)}
        for lines in (RATINGS_1, RATINGS_2)
    ]
    case = Review(
        prompt=PROMPT,
        a=FLYER,
        b=CUT_OFF,
        task_config="locale: en_GB\ncategory: creative writing\nturns: single",
        system_prompt="You write for a public library. Be brief and friendly, and never promise prizes.",
        history="User: We have a summer reading week in July.\nAssistant: Lovely! What do you need?",
        ratings_a=entered[0],
        ratings_b=entered[1],
        preference=Original("5", "Response 2 is nicer."),
    )
    tables: dict[Label, dict[str, FinalRating]] = {
        "A": {key: final(case.a, line) for key, line in zip(KEYS, RATINGS_1, strict=True)},
        "B": {key: final(case.b, line) for key, line in zip(KEYS, RATINGS_2, strict=True)},
    }
    changed = [
        f"Response {at}, {name}: {line.entered} → {line.value}: {line.reason}"
        for at, lines in ((1, RATINGS_1), (2, RATINGS_2))
        for name, line in zip([criterion.name for criterion in RUBRIC.criteria], lines, strict=True)
        if line.action in ("replaced", "refused")
    ]
    verdict = verdict_of(
        case,
        tables,
        likert=final("", PREFERENCE),
        changelog=(*changed, "Likert: 5 → 2: the corrected tables favour Response 1."),
        feedback=FEEDBACK,
        opinion=opinion_of(tables, 3, B_verbosity=0, B_overall_quality=3),
        facts=(
            fact("pleasantry", "A", case.a, "We hope this helps!", "a closing pleasantry", severity="minor"),
            fact("truncation", "B", case.b, "and do not forget to bring the", "ends with “the”", severity="major"),
            Fact(name="language", where="B", start=0, end=len(case.b), found="English throughout", certain=False),
            Fact(name="length_asked", where="task", start=0, end=10, found="about 60 words", certain=True),
        ),
        warnings=(Warning(code="dropped_quote", message="A quote for Style & Clarity is not in Response 2."),),
        calls=(call("review-key"), call("explain-key", "0.0017")),
    )
    return Sample(case, verdict)


@lru_cache
def scripts_sample() -> Sample:
    """Arabic against Chinese, and nothing entered: all is filled."""
    case = Review(prompt="اشرح قواعد المكتبة بالعربية.", a=ARABIC, b=CHINESE)

    def table(text: str, wrong: bool) -> dict[str, FinalRating]:
        right = {"verbosity": 0, "overall_quality": 5}
        lines = [Line(right.get(key, 3), "Says what was asked, in the right words.") for key in KEYS]
        if wrong:
            lines[:2] = [Line(1, "Not in Arabic.", rule="language")] * 2
            lines[-1] = Line(1, "Of no use to someone who reads Arabic.", rule="overall")
        lines[0] = replace(lines[0], quotes=(text[3:17],), justification="Entirely in the language of the quote.")
        return {key: final(text, line) for key, line in zip(KEYS, lines, strict=True)}

    tables: dict[Label, dict[str, FinalRating]] = {"A": table(case.a, False), "B": table(case.b, True)}
    wrong = Fact(name="language", where="B", start=0, end=len(case.b), found="Chinese, not Arabic", certain=True)
    likert = final("", Line(1, "Response 1 is much better. It is in Arabic. Response 2 is not."))
    return Sample(case, verdict_of(case, tables, likert=likert, changelog=(FROM_SCRATCH,), facts=(wrong,)))


@lru_cache
def hostile_sample() -> Sample:
    """Everything a task, a response, a person and a judge may say to break a report."""
    response_2 = "word " * 3000 + "the very last words " + LONG_WORD
    case = Review(
        prompt=HOSTILE, a=HOSTILE_RESPONSE, b=response_2, task_config=HOSTILE, system_prompt=HOSTILE, history=HOSTILE
    )
    quotes = (
        (f"{SCRIPT} stands here", "here with more words\n\x1b[31mred\x1b[0m", HOSTILE_MARKDOWN, LONG_WORD),
        ("the very last words", LONG_WORD),
    )
    said = Line(
        2,
        HOSTILE,
        "refused",
        HOSTILE,
        "rewritten",
        HOSTILE,
        entered=f"{SCRIPT}{ANSI}{BIDI}{LONG_WORD}",
        said=HOSTILE,
        rule="truncation",
    )
    tables: dict[Label, dict[str, FinalRating]] = {
        label: {key: final(text, replace(said, quotes=own if at == 0 else own[1:2])) for at, key in enumerate(KEYS)}
        for label, text, own in (("A", case.a, quotes[0]), ("B", case.b, quotes[1]))
    }  # type: ignore[misc]
    verdict = verdict_of(
        case,
        tables,
        likert=final("", replace(said, value=6, rule="likert")),
        changelog=(HOSTILE, HOSTILE),
        feedback=(HOSTILE,),
        opinion=opinion_of(tables, 4),
        facts=(
            fact("injection", "A", case.a, "more words\n", HOSTILE),
            fact("truncation", "B", case.b, "last words", HOSTILE, certain=False),
        ),
        warnings=(Warning(code="addresses_the_judge", message=HOSTILE),),
        calls=(call("hostile-key"),),
    )
    named = verdict.provenance.updated(judge="http://localhost:1/v1#<b>model</b>")
    return Sample(case, verdict.updated(provenance=named))


@lru_cache
def invalid_sample() -> Sample:
    """A task without a second response."""
    case = Review(prompt=PROMPT, a=FLYER)
    return Sample(case, verdict_of(case, {}, invalid="Response 2 is missing."))


@lru_cache
def identical_sample() -> Sample:
    """The same text twice, judged by the embedded judge, which tells only some dimensions."""
    case = Review(prompt=PROMPT, a=FLYER, b=FLYER, preference=Original("4", "They are the same."))
    lines = [
        Line(0 if key == "verbosity" else 4 if key == "overall_quality" else 3, "No issue found.", assessed=at % 2 == 0)
        for at, key in enumerate(KEYS)
    ]
    table = {key: final(FLYER, line) for key, line in zip(KEYS, lines, strict=True)}
    same = "Neither response is better. Both are the same text. Every rating is the same."
    likert = Line(4, same, "kept", "", "kept", "It is specific and true.", entered="4", said=same, rule="identical")
    verdict = verdict_of(
        case, {"A": table, "B": table}, likert=final("", likert), feedback=("Two identical responses: choose 4.",)
    )
    named = verdict.provenance.updated(judge="embedded")
    return Sample(case, verdict.updated(provenance=named))


def every_sample() -> dict[str, Sample]:
    return {
        "audited": audited_sample(),
        "scripts": scripts_sample(),
        "hostile": hostile_sample(),
        "invalid": invalid_sample(),
        "identical": identical_sample(),
    }
