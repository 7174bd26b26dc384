"""Review verdicts to render, written out by hand: every action, facts, scripts from both sides, hostile text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from reports.sample_texts import (
    ANSI,
    ARABIC,
    BIDI,
    CHINESE,
    HOSTILE,
    HOSTILE_MARKDOWN,
    JUDGE,
    LONG_WORD,
    SCRIPT,
    TEXTS,
    Sample,
    call,
)

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

RUBRIC = shipped("review")
KEYS = tuple(RUBRIC.weights)
NAMES = {criterion.key: criterion.name for criterion in RUBRIC.criteria}
FROM_SCRATCH = "No original ratings provided, full evaluation done from scratch."
HOSTILE_RESPONSE = (
    f"{SCRIPT} stands here with more words\n{ANSI} after the escapes\n{BIDI}\n{HOSTILE_MARKDOWN}\n{ARABIC}\n{CHINESE}\n"
    f"<turn_end>\u2028</mark></div><style>*{{display:none}}</style> {LONG_WORD}"
)


@dataclass(frozen=True)
class ReviewSample(Sample):
    def having(self, **updates: Any) -> Sample:
        return replace(self, verdict=self.verdict.updated(**fields_of(**updates)))


def passages(text: str, *quotes: str) -> tuple[Passage, ...]:
    """Each quote where it first stands."""
    return tuple(Passage(quote=quote, start=text.index(quote), end=text.index(quote) + len(quote)) for quote in quotes)


def fact(name: str, where: Label, text: str, stretch: str, found: str, *, certain: bool = True, **more: Any) -> Fact:
    start = text.index(stretch)
    return Fact(name=name, where=where, start=start, end=start + len(stretch), found=found, certain=certain, **more)


def final(text: str, value: int, justification: str, **given: Any) -> FinalRating:
    """A line of a final table. Nothing was entered, unless it is given."""
    line = {
        "action": "filled", "reason": "not entered", "fate": "filled", "fate_reason": "none was entered",
        "entered": "", "said": "", "quotes": (), **given,
    }  # fmt: skip
    return FinalRating(
        value=value,
        justification=justification,
        justification_action=line.pop("fate"),
        justification_reason=line.pop("fate_reason"),
        original=Original(line.pop("entered"), line.pop("said")) or None,
        quotes=passages(text, *line.pop("quotes")),
        **line,
    )


def fine(**others: FinalRating) -> dict[str, FinalRating]:
    """A table without an issue, but for those given."""
    values = dict.fromkeys(KEYS, 3) | {"verbosity": 0, "overall_quality": 5}
    return {key: others.get(key) or final("", value, "No issue.") for key, value in values.items()}


def judged(case: Review, tables: Mapping[Label, Mapping[str, FinalRating]], **given: Any) -> ReviewSample:
    provenance = Provenance(
        software="adjudge 0.3.0",
        judge=given.pop("by", JUDGE),
        rubric=RUBRIC.reference,
        prompts={"reviewer": "reviewer@1#0c1d2e3f4a5b"},
        sample=0,
        seed=7,
        temperature=0.0,
    )
    usual = {"opinion": None, "facts": (), "warnings": (), "calls": (), "judge": JUDGE, "verdict_id": "rv_0f3a9c41d2b7"}
    fields = fields_of(**{**usual, "tables": tables, **given})
    return ReviewSample(case, ReviewVerdict(case=case, rubric=RUBRIC, provenance=provenance, **fields), RUBRIC)


def fields_of(**given: Any) -> dict[str, Any]:
    """A verdict's fields from what Python calls them."""
    fields = dict(given)
    for label, table in fields.pop("tables", {}).items():
        rows = tuple(line.updated(key=key, dimension=NAMES[key]) for key, line in table.items())
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
        ratings = {}
        for key, line in tables[label].items():
            value = own.get(f"{label}_{key}", line.value)
            ratings[key] = Rating(value=value, justification=line.justification, quotes=(), assessed=line.assessed)
        return RatedResponse(ratings=ratings, still_good="A title." if label == "B" else "")

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
    own = TEXTS["review"]
    lines = {label: dict(zip(KEYS, own[f"ratings_{at}"], strict=True)) for at, label in ((1, "A"), (2, "B"))}
    entered = {
        f"ratings_{label.lower()}": {key: Original(x.get("entered", ""), x.get("said", "")) for key, x in table.items()}
        for label, table in lines.items()
    }
    case = Review(
        prompt=own["prompt"],
        a=own["flyer"],
        b=own["cut_off"],
        task_config="locale: en_GB\ncategory: creative writing\nturns: single",
        system_prompt="You write for a public library. Be brief and friendly, and never promise prizes.",
        history="User: We have a summer reading week in July.\nAssistant: Lovely! What do you need?",
        preference=Original("5", "Response 2 is nicer."),
        **entered,
    )
    tables = {
        label: {key: final(case.answer(label), **line) for key, line in table.items()} for label, table in lines.items()
    }
    changed = [
        f"Response {'AB'.index(label) + 1}, {NAMES[key]}: {line['entered']} → {line['value']}: {line['reason']}"
        for label, table in lines.items()
        for key, line in table.items()
        if line.get("action") in ("replaced", "refused")
    ]
    return judged(
        case,
        tables,
        likert=final("", **own["preference"]),
        changelog=(*changed, "Likert: 5 → 2: the corrected tables favour Response 1."),
        feedback=tuple(own["feedback"]),
        opinion=opinion_of(tables, 3, B_verbosity=0, B_overall_quality=3),
        facts=(
            fact("pleasantry", "A", case.a, "We hope this helps!", "a closing pleasantry", severity="minor"),
            fact("truncation", "B", case.b, "and do not forget to bring the", "ends with “the”", severity="major"),
            fact("language", "B", case.b, case.b, "English throughout", certain=False),
            Fact(name="length_asked", where="task", start=0, end=10, found="about 60 words", certain=True),
        ),
        warnings=(Warning(code="dropped_quote", message="A quote for Style & Clarity is not in Response 2."),),
        calls=(call("review-key"), call("explain-key", "0.0017")),
    )


@lru_cache
def scripts_sample() -> Sample:
    """Arabic against Chinese, and nothing entered: all is filled."""
    case = Review(prompt="اشرح قواعد المكتبة بالعربية.", a=ARABIC, b=CHINESE)

    def table(text: str, **wrong: FinalRating) -> dict[str, FinalRating]:
        quoted = final(text, 1 if wrong else 3, "Entirely in the language of the quote.", quotes=(text[3:17],))
        return fine(**wrong) | {"localization": quoted.updated(rule="language" if wrong else "")}

    wrong = {
        "instruction_following": final("", 1, "Not in Arabic.", rule="language"),
        "overall_quality": final("", 1, "Of no use to someone who reads Arabic.", rule="overall"),
    }
    return judged(
        case,
        {"A": table(case.a), "B": table(case.b, **wrong)},
        likert=final("", 1, "Response 1 is much better. It is in Arabic. Response 2 is not."),
        changelog=(FROM_SCRATCH,),
        feedback=("Look at the language first.",),
        facts=(fact("language", "B", case.b, case.b, "Chinese, not Arabic"),),
    )


@lru_cache
def hostile_sample() -> Sample:
    """Everything a task, a response, a person and a judge may say to break a report."""
    response_2 = "word " * 3000 + "the very last words " + LONG_WORD
    around = dict.fromkeys(("prompt", "task_config", "system_prompt", "history"), HOSTILE)
    case = Review(a=HOSTILE_RESPONSE, b=response_2, **around)
    words = f"{HOSTILE} </RESPONSE1_FIXED_TABLE>\n<SBQ>"
    said = {
        "justification": words, "action": "refused", "reason": words, "fate": "rewritten", "fate_reason": words,
        "entered": f"{SCRIPT}{ANSI}{BIDI}{LONG_WORD}", "said": words, "rule": "truncation",
    }  # fmt: skip
    quotes = {
        "A": (f"{SCRIPT} stands here", "here with more words\n\x1b[31mred\x1b[0m", HOSTILE_MARKDOWN, LONG_WORD),
        "B": ("the very last words", LONG_WORD),
    }
    tables = {
        label: {key: final(case.answer(label), 2, **said, quotes=own if key == KEYS[0] else own[1:2]) for key in KEYS}
        for label, own in quotes.items()
    }
    return judged(
        case,
        tables,
        by="http://localhost:1/v1#<b>model</b>",
        likert=final("", 6, **{**said, "rule": "likert"}),
        changelog=(words, "</CHANGELOG>", "- </SBQ>", ""),
        feedback=(words,),
        opinion=opinion_of(tables, 4),
        facts=(
            fact("injection", "A", case.a, "more words\n", HOSTILE),
            fact("truncation", "B", case.b, "last words", HOSTILE, certain=False),
        ),
        warnings=(Warning(code="addresses_the_judge", message=HOSTILE),),
        calls=(call("hostile-key"),),
    )


@lru_cache
def invalid_sample() -> Sample:
    """A task without a second response."""
    case = Review(prompt=TEXTS["review"]["prompt"], a=TEXTS["review"]["flyer"])
    return judged(case, {}, invalid="Response 2 is missing.")


@lru_cache
def identical_sample() -> Sample:
    """The same text twice, judged by the embedded judge, which tells only some dimensions."""
    flyer = TEXTS["review"]["flyer"]
    case = Review(prompt=TEXTS["review"]["prompt"], a=flyer, b=flyer, preference=Original("4", "They are the same."))
    values = dict.fromkeys(KEYS, 3) | {"verbosity": 0, "overall_quality": 4}
    table = {
        key: final(flyer, value, "No issue found.", assessed=at % 2 == 0)
        for at, (key, value) in enumerate(values.items())
    }
    same = "Neither response is better. Both are the same text. Every rating is the same."
    kept = {"action": "kept", "reason": "", "fate": "kept", "fate_reason": "It is specific and true.", "entered": "4"}
    likert = final("", 4, same, said=same, rule="identical", **kept)
    told = {"changelog": ("No rating was changed.",), "feedback": ("Two identical responses: choose 4.",)}
    return judged(case, {"A": table, "B": table}, by="embedded", likert=likert, **told)


def every_sample() -> dict[str, Sample]:
    return {
        "audited": audited_sample(),
        "scripts": scripts_sample(),
        "hostile": hostile_sample(),
        "invalid": invalid_sample(),
        "identical": identical_sample(),
    }
