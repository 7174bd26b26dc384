"""Verdicts to render: made by the real protocol from opinions prepared by hand, kind and hostile ones."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any

from reports.sample_texts import GOOD_ANSWER, JUSTIFICATIONS, POOR_ANSWER, SAID, TASK, Said

from adjudge.models.common import LABELS, Call, Fact, Finding, Lookup, Usage, Warning, Winner
from adjudge.protocols.compare.case import Comparison
from adjudge.protocols.compare.rules import CompareOptions, compare
from adjudge.protocols.compare.verdict import ComparisonOpinion, ComparisonVerdict, Evidence, Order, Research, Score
from adjudge.protocols.rubrics import shipped
from adjudge.rubric import Rubric

RUBRIC = shipped("compare")
KEYS = tuple(RUBRIC.weights)


@dataclass(frozen=True)
class Sample:
    case: Comparison
    verdict: ComparisonVerdict
    rubric: Rubric = RUBRIC


class PreparedJudge:
    """Says in each order what it was given to say."""

    def __init__(self, name: str, opinions: Mapping[Order, ComparisonOpinion]) -> None:
        self.name = name
        self.opinions = opinions

    async def opine(self, question: Any) -> Any:
        if not hasattr(question, "order"):
            return Research(judge=self.name, queries=("what to look up",))
        return self.opinions[question.order]

    async def close(self) -> None:
        pass


def opinion(
    case: Comparison,
    order: Order,
    scores: Mapping[str, tuple[str, str]],
    said: list[Said],
    *,
    judge: str = "openai:gpt-5.1",
    preference: Winner = "A",
    rationale: str = "",
    justifications: Mapping[str, tuple[str, str]] | None = None,
    summaries: tuple[str, str] = ("", ""),
    calls: tuple[Call, ...] = (),
    warnings: tuple[Warning, ...] = (),
) -> ComparisonOpinion:
    evidence = []
    for criterion, answer, impact, quote, why in said:
        start = case.answer(answer).index(quote)
        evidence.append(
            Evidence(
                criterion=criterion,
                answer=answer,
                impact=impact,
                quote=quote,
                rationale=why,
                start=start,
                end=start + len(quote),
            )
        )
    words = justifications or {}
    return ComparisonOpinion(
        judge=judge,
        order=order,
        scores={
            key: {
                label: Score(value=Decimal(scores[key][at]), justification=words.get(key, ("Fair.", "Fair."))[at])
                for at, label in enumerate(("A", "B"))
            }
            for key in KEYS
        },
        evidence=tuple(evidence),
        summaries={"A": summaries[0], "B": summaries[1]},
        preference=preference,
        rationale=rationale,
        calls=calls,
        warnings=warnings,
    )


def judged(case: Comparison, judge: PreparedJudge, *, one_order: bool = False, **updates: Any) -> Sample:
    verdict = asyncio.run(compare(case, judge, RUBRIC, CompareOptions(one_order=one_order)))
    assert isinstance(verdict, ComparisonVerdict)
    return Sample(case, verdict.updated(**updates))


def call(key: str, cost: str | None = "0.0042315", purpose: str = "opinion") -> Call:
    usage = Usage(input_tokens=1705, output_tokens=412, reasoning_tokens=128)
    paid = None if cost is None else Decimal(cost)
    return Call(key=key, purpose=purpose, model="gpt-5.1", usage=usage, cost=paid)  # type: ignore[arg-type]


_FIRST = dict(
    zip(KEYS, [("9", "6"), ("9", "4"), ("8", "5"), ("9", "5"), ("8", "7"), ("9", "3"), ("8", "3")], strict=True)
)
_SECOND = dict(
    zip(KEYS, [("9", "6"), ("10", "4"), ("8", "4"), ("9", "5"), ("9", "7"), ("8", "3"), ("7", "3")], strict=True)
)


@lru_cache
def plain_sample() -> Sample:
    """A clear winner, judged in both orders, with overlapping quotes."""
    case = Comparison(task=TASK, a=GOOD_ANSWER, b=POOR_ANSWER, context="PostgreSQL 17, 64 GB of memory, SSD.")
    rationale = (
        "A gives the index that fits the query, says why its columns stand in that order, and builds it without "
        "downtime. B indexes the wrong column and locks the table while doing so."
    )
    summaries = (
        "Correct, complete and ready to run; says what to check and what may fail.",
        "Points in a plausible direction, but the index it proposes does not help this query.",
    )
    opinions = {
        order: opinion(
            case,
            order,
            scores,
            SAID,
            rationale=rationale,
            justifications=JUSTIFICATIONS,
            summaries=summaries,
            calls=(call(f"{order}-key"),),
        )
        for order, scores in (("ab", _FIRST), ("ba", _SECOND))
    }
    return judged(case, PreparedJudge("openai:gpt-5.1", opinions))  # type: ignore[arg-type]


SCRIPT = "<script>alert(1)</script>"
ANSI = "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x9b2J"
BIDI = "\u202eevil\u202c \u2066in\u2069"
HOSTILE_MARKDOWN = "| a | b |\n|---|---|\n`code` [click](javascript:alert(1)) ![x](http://evil.example/x.png) ]]> ***"
HOSTILE_A = (
    f"{SCRIPT} stands here with more words\n{ANSI} after the escapes there is text\n{BIDI}\n{HOSTILE_MARKDOWN}\n"
    '"><img src=x onerror=alert(2)> and </div></article></body> {{ 7*7 }} {% raw %} &amp; &lt;\n'
    "这个答案是用中文写的，它包含许多没有空格的字符，所以必须正确换行。\n"
    "هذا الجواب مكتوب باللغة العربية ويجب أن يظهر من اليمين إلى اليسار.\n"
)
HOSTILE_B = "word " * 20_000 + "the very last words of a long answer " + "x" * 5000


@lru_cache
def hostile_sample() -> Sample:
    """Everything an answer, a judge and a search may say to break a report."""
    case = Comparison(
        task=f"{SCRIPT} {ANSI} {BIDI} | `t` | {'y' * 300}", a=HOSTILE_A, b=HOSTILE_B, context=f"{SCRIPT}\n]]>"
    )
    said: list[Said] = [
        ("task_understanding", "A", "favorable", f"{SCRIPT} stands here with more words", SCRIPT),
        ("correctness_reasoning", "A", "unfavorable", "stands here with more words\n\x1b[31mred\x1b[0m", ANSI),
        ("clarity_structure", "A", "favorable", "这个答案是用中文写的，它包含许多没有空格的字符", BIDI),
        ("clarity_structure", "A", "unfavorable", "مكتوب باللغة العربية ويجب أن يظهر", "RTL"),
        ("insight_originality", "A", "favorable", HOSTILE_MARKDOWN, HOSTILE_MARKDOWN),
        ("insight_originality", "A", "unfavorable", "[click](javascript:alert(1))", '" onmouseover="alert(3)'),
        ("correctness_reasoning", "B", "unfavorable", "the very last words of a long answer", "At the end."),
    ]
    scores = dict.fromkeys(KEYS, ("6", "5"))
    hostile = f"{SCRIPT} {ANSI} {BIDI} {HOSTILE_MARKDOWN} {'z' * 200}"
    made = opinion(
        case,
        "ab",
        scores,
        said,
        rationale=hostile,
        justifications=dict.fromkeys(KEYS, (hostile, hostile)),
        summaries=(hostile, hostile),
        calls=(call("k1"), call("k2", None, "repair")),
        warnings=(Warning(code="dropped_quote", message=hostile),),
    )
    opinions = {order: made.updated(order=order) for order in ("ab", "ba")}
    return judged(
        case,
        PreparedJudge("http://localhost:1/v1#<b>model</b>", opinions),  # type: ignore[arg-type]
        facts=(Fact(name="addresses_the_judge", where="A", start=0, end=25, found=SCRIPT, certain=False),),
        lookups=(
            Lookup(
                query=SCRIPT,
                provider="searx",
                findings=(
                    Finding(title="good", url="https://example.org/a?b=1&c=2", snippet=hostile),
                    Finding(title="bad", url="javascript:alert(4)", snippet="s"),
                    Finding(title="worse", url="\x01java\nscript:alert(5)", snippet="s"),
                    Finding(title="data", url="data:text/html,<script>alert(6)</script>", snippet="s"),
                ),
            ),
            Lookup(query="failed", provider="searx", error=f"503 {SCRIPT}"),
        ),
    )


@lru_cache
def tied_sample(judge: str = "embedded", *, one_order: bool = False) -> Sample:
    """Close totals and two orders that disagree; in one order, a narrow winner."""
    case = Comparison(task="Say hello.", a="Hello there, how are you?", b="Good morning to you all!")
    said: list[Said] = [
        ("clarity_structure", "A", "favorable", "Hello there, how are you?", "Friendly."),
        ("clarity_structure", "B", "favorable", "Good morning to you all!", "Friendly too."),
    ]
    opinions = {
        order: opinion(
            case,
            order,
            dict.fromkeys(KEYS, pair) | {"clarity_structure": ("7", "7")},
            said,
            judge=judge,
            preference=preference,
            rationale="Close.",
        )
        for order, pair, preference in (("ab", ("7", "6"), "A"), ("ba", ("6", "7"), "B"))
    }
    unexplained = {KEYS[-1]: {k: Score(value=Decimal(8), justification="") for k in "AB"}}
    opinions["ab"] = opinions["ab"].updated(scores=opinions["ab"].scores | unexplained)
    opinions["ab"].scores[KEYS[0]]["A"] = Score(value=Decimal(8), justification="Fair.")
    return judged(case, PreparedJudge(judge, opinions), one_order=one_order)  # type: ignore[arg-type]


@lru_cache
def jury_sample() -> Sample:
    """Close totals of a jury, with scores that have no finite decimal form."""
    case = Comparison(task="Say hello.", a="Hello there, how are you?", b="Good morning to you all!")
    opinions = {}
    for order, shift, preference in (("ab", 0, "tie"), ("ba", 1, "A")):
        said = opinion(
            case, order, dict.fromkeys(KEYS, ("1", "1")), [], judge="jury", preference=preference, rationale="Close."
        )
        thirds = [(20 + (at + shift) % 3, 20 + at % 2) for at in range(len(KEYS))]
        scores = {
            key: {
                label: Score.of(Fraction(value, 3), justification="Fair.")
                for label, value in zip(LABELS, both, strict=True)
            }
            for key, both in zip(KEYS, thirds, strict=True)
        }
        opinions[order] = said.updated(scores=scores)
    return judged(case, PreparedJudge("jury", opinions))  # type: ignore[arg-type]


@lru_cache
def identical_sample() -> Sample:
    """The same text twice, which the judge scored differently."""
    case = Comparison(task="Say hello.", a="Hello there, how are you?", b="Hello there, how are you? \n")
    scores = dict.fromkeys(KEYS, ("7", "6"))
    opinions = {order: opinion(case, order, scores, [], preference="A", rationale="A.") for order in ("ab", "ba")}
    return judged(case, PreparedJudge("openai:gpt-5.1", opinions))  # type: ignore[arg-type]


@lru_cache
def blank_sample() -> Sample:
    """A judge that assessed neither answer for three of the criteria."""
    sample = tied_sample()
    nothing = "Not assessed: nothing that this judge measures speaks to this."
    blank = Score(value=Decimal(5), justification=nothing, assessed=False)
    criteria = {
        key: criterion.updated(A=blank, B=blank) if key in KEYS[1:4] else criterion
        for key, criterion in sample.verdict.criteria.items()
    }
    judged = sample.verdict.evaluation.updated(criteria_scores=criteria)
    return Sample(sample.case, sample.verdict.updated(evaluation=judged))
