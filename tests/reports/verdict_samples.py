"""Verdicts to render: made by the real protocol from opinions prepared by hand, kind and hostile ones."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any

from reports.sample_texts import ANSI, BIDI, HOSTILE_MARKDOWN, JUDGE, SCRIPT, TEXTS, Sample, call

from adjudge.models.common import LABELS, Fact, Finding, Lookup, Warning
from adjudge.protocols.compare.case import Comparison
from adjudge.protocols.compare.rules import CompareOptions, compare
from adjudge.protocols.compare.verdict import ComparisonOpinion, ComparisonVerdict, Evidence, Order, Research, Score
from adjudge.protocols.rubrics import shipped

RUBRIC = shipped("compare")
KEYS = tuple(RUBRIC.weights)


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
    said: Sequence[tuple[str, str, str, str, str]],
    *,
    justifications: Mapping[str, tuple[str, str]] | None = None,
    summaries: tuple[str, str] = ("", ""),
    **more: Any,
) -> ComparisonOpinion:
    """What was said of each criterion: the answer, the impact, the quote where it first is, and why."""
    evidence = []
    for criterion, answer, impact, quote, why in said:
        start = case.answer(answer).index(quote)
        place = {"quote": quote, "start": start, "end": start + len(quote)}
        evidence.append(Evidence(criterion=criterion, answer=answer, impact=impact, rationale=why, **place))
    words = justifications or {}
    return ComparisonOpinion(
        **{"judge": JUDGE, "preference": "A", "rationale": "", **more},
        order=order,
        scores={
            key: {
                label: Score(value=Decimal(scores[key][at]), justification=words.get(key, ("Fair.", "Fair."))[at])
                for at, label in enumerate("AB")
            }
            for key in KEYS
        },
        evidence=tuple(evidence),
        summaries=dict(zip("AB", summaries, strict=True)),
    )


def judged(case: Comparison, judge: PreparedJudge, *, one_order: bool = False, **updates: Any) -> Sample:
    verdict = asyncio.run(compare(case, judge, RUBRIC, CompareOptions(one_order=one_order)))
    assert isinstance(verdict, ComparisonVerdict)
    return Sample(case, verdict.updated(**updates), RUBRIC)


@lru_cache
def plain_sample() -> Sample:
    """A clear winner, judged in both orders, with overlapping quotes."""
    own = TEXTS["compare"]
    case = Comparison(task=own["task"], a=own["good"], b=own["poor"], context="PostgreSQL 17, 64 GB of memory, SSD.")
    told = {
        "rationale": "A gives the index that fits the query, says why its columns stand in that order, and builds it "
        "without downtime. B indexes the wrong column and locks the table while doing so.",
        "summaries": (
            "Correct, complete and ready to run; says what to check and what may fail.",
            "Points in a plausible direction, but the index it proposes does not help this query.",
        ),
        "justifications": own["justifications"],
    }
    given = {
        "ab": [("9", "6"), ("9", "4"), ("8", "5"), ("9", "5"), ("8", "7"), ("9", "3"), ("8", "3")],
        "ba": [("9", "6"), ("10", "4"), ("8", "4"), ("9", "5"), ("9", "7"), ("8", "3"), ("7", "3")],
    }
    opinions = {
        order: opinion(
            case, order, dict(zip(KEYS, scores, strict=True)), own["said"], calls=(call(f"{order}-key"),), **told
        )
        for order, scores in given.items()
    }
    return judged(case, PreparedJudge(JUDGE, opinions))


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
    said = [
        ("task_understanding", "A", "favorable", f"{SCRIPT} stands here with more words", SCRIPT),
        ("correctness_reasoning", "A", "unfavorable", "stands here with more words\n\x1b[31mred\x1b[0m", ANSI),
        ("clarity_structure", "A", "favorable", "这个答案是用中文写的，它包含许多没有空格的字符", BIDI),
        ("clarity_structure", "A", "unfavorable", "مكتوب باللغة العربية ويجب أن يظهر", "RTL"),
        ("insight_originality", "A", "favorable", HOSTILE_MARKDOWN, HOSTILE_MARKDOWN),
        ("insight_originality", "A", "unfavorable", "[click](javascript:alert(1))", '" onmouseover="alert(3)'),
        ("correctness_reasoning", "B", "unfavorable", "the very last words of a long answer", "At the end."),
    ]
    hostile = f"{SCRIPT} {ANSI} {BIDI} {HOSTILE_MARKDOWN} {'z' * 200}"
    told = {
        "rationale": hostile,
        "justifications": dict.fromkeys(KEYS, (hostile, hostile)),
        "summaries": (hostile, hostile),
        "calls": (call("k1"), call("k2", None, "repair")),
        "warnings": (Warning(code="dropped_quote", message=hostile),),
    }
    opinions = {order: opinion(case, order, dict.fromkeys(KEYS, ("6", "5")), said, **told) for order in ("ab", "ba")}
    addresses = {
        "good": "https://example.org/a?b=1&c=2",
        "bad": "javascript:alert(4)",
        "worse": "\x01java\nscript:alert(5)",
        "data": "data:text/html,<script>alert(6)</script>",
    }
    findings = (Finding(title=title, url=url, snippet=hostile) for title, url in addresses.items())
    return judged(
        case,
        PreparedJudge("http://localhost:1/v1#<b>model</b>", opinions),
        facts=(Fact(name="addresses_the_judge", where="A", start=0, end=25, found=SCRIPT, certain=False),),
        lookups=(
            Lookup(query=SCRIPT, provider="searx", findings=tuple(findings)),
            Lookup(query="failed", provider="searx", error=f"503 {SCRIPT}"),
        ),
    )


GREETING = Comparison(task="Say hello.", a="Hello there, how are you?", b="Good morning to you all!")


@lru_cache
def tied_sample(judge: str = "embedded", *, one_order: bool = False) -> Sample:
    """Close totals and two orders that disagree; in one order, a narrow winner."""
    said = [
        ("clarity_structure", "A", "favorable", GREETING.a, "Friendly."),
        ("clarity_structure", "B", "favorable", GREETING.b, "Friendly too."),
    ]
    opinions = {}
    for order, pair, preference in (("ab", ("7", "6"), "A"), ("ba", ("6", "7"), "B")):
        scores = dict.fromkeys(KEYS, pair) | {"clarity_structure": ("7", "7")}
        told = {"judge": judge, "preference": preference, "rationale": "Close."}
        opinions[order] = opinion(GREETING, order, scores, said, **told)
    unexplained = {KEYS[-1]: {k: Score(value=Decimal(8), justification="") for k in "AB"}}
    opinions["ab"] = opinions["ab"].updated(scores=opinions["ab"].scores | unexplained)
    opinions["ab"].scores[KEYS[0]]["A"] = Score(value=Decimal(8), justification="Fair.")
    return judged(GREETING, PreparedJudge(judge, opinions), one_order=one_order)


@lru_cache
def jury_sample() -> Sample:
    """Close totals of a jury, with scores that have no finite decimal form."""
    opinions = {}
    for order, shift, preference in (("ab", 0, "tie"), ("ba", 1, "A")):
        told = {"judge": "jury", "preference": preference, "rationale": "Close."}
        said = opinion(GREETING, order, dict.fromkeys(KEYS, ("1", "1")), [], **told)
        thirds = {key: (20 + (at + shift) % 3, 20 + at % 2) for at, key in enumerate(KEYS)}
        scores = {
            key: {label: Score.of(Fraction(both[at], 3), justification="Fair.") for at, label in enumerate(LABELS)}
            for key, both in thirds.items()
        }
        opinions[order] = said.updated(scores=scores)
    return judged(GREETING, PreparedJudge("jury", opinions))


@lru_cache
def identical_sample() -> Sample:
    """The same text twice, which the judge scored differently."""
    case = Comparison(task=GREETING.task, a=GREETING.a, b=f"{GREETING.a} \n")
    scores = dict.fromkeys(KEYS, ("7", "6"))
    opinions = {order: opinion(case, order, scores, [], preference="A", rationale="A.") for order in ("ab", "ba")}
    return judged(case, PreparedJudge(JUDGE, opinions))


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
    return sample.having(evaluation=sample.verdict.evaluation.updated(criteria_scores=criteria))


def every_sample() -> dict[str, Sample]:
    return {
        "plain": plain_sample(),
        "tied": tied_sample(),
        "one order": tied_sample(one_order=True),
        "with a jury": tied_sample("jury:embedded+openai:gpt-5.1"),
        "jury": jury_sample(),
        "identical": identical_sample(),
        "blank": blank_sample(),
        "hostile": hostile_sample(),
    }
