"""Gradings to render: one of every kind and result, one that is undecided, one of steps, and a hostile one."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from protocols.grade import verdicts
from protocols.grade.verdicts import item, quote
from reports.sample_texts import ANSI, ARABIC, BIDI, BREAKOUT, CHINESE, HOSTILE_MARKDOWN, LONG_WORD, SCRIPT, Sample

from adjudge.models.common import Fact, Warning
from adjudge.protocols.grade.verdict import CheckResult, Claim, MainPoint, MemberResult

HOSTILE = f"{SCRIPT} {ANSI} {BIDI} {HOSTILE_MARKDOWN} {BREAKOUT}"


def sample(verdict: Any) -> Sample:
    return Sample(verdict.case, verdict, verdict.rubric)


@lru_cache
def plain_sample() -> Sample:
    """An item of every kind, and claims of every result."""
    return sample(verdicts.verdict())


@lru_cache
def undecided_sample() -> Sample:
    """Whether it passes depends on items that nobody assessed; one does not apply, and one is a vote of three."""
    case = verdicts.case(reference="")
    unread = {"reason": "The embedded judge measures and does not read."}
    votes = {"a": "yes", "b": "no", "c": "yes"}
    members = tuple(MemberResult(judge=f"openai:{name}", result=vote) for name, vote in votes.items())
    long = CheckResult(name="max_words", asked="has at most 40 words", met=False, found="has 52 words")
    items = (
        item("names_the_city", "ask", 2, "yes", 1, reason="It names Oslo.", members=members),
        item("rude", "ask", -3, "unassessed", **unread),
        item("clear", "scale", 1, "unassessed", required=True, **unread),
        item("rests_on_sources", "claims", 3, "unassessed", **unread),
        item("covers", "covers", 3, "not_applicable", reason="No reference was given."),
        item("demands", "constraints", 2, "unassessed", **unread),
        item("short", "check", 1, "no", 0, checks=(long,)),
    )  # fmt: skip
    why = "Undecided: nobody assessed “Rude”, “Clear” and more; the score may be 0.0 to 88.9, and 70 is needed."
    return sample(
        verdicts.verdict(
            case, "2/3", None, decided=False, items=items, why=why, verdict_id="g" + "1" * 20,
            worst=verdicts.extreme("0"), best=verdicts.extreme("8/9", passed=True), warnings=(),
        )
    )  # fmt: skip


@lru_cache
def stepped_sample() -> Sample:
    """An answer of steps with a tool's call and result; the call is quoted against it."""
    case = verdicts.stepped(
        ("user", "What is the weather in Oslo?"),
        ("tool call", '{"city": "Bergen"}', "get_weather"),
        ("tool result", "Rain, 9 degrees", "get_weather"),
        ("assistant", "In Oslo it rains, at 9 degrees."),
        task="Answer with the tool.",
    )
    call = quote(case, '"city": "Bergen"', "step", step=2)
    said = quote(case, "In Oslo it rains", "step", step=4)
    items = (
        item("names_the_city", "ask", 2, "yes", 1, reason="It names a city.", evidence=(said,)),
        item("rude", "ask", -3, "yes", 1, reason="It asked for Bergen.", evidence=(call,)),
    )
    return sample(
        verdicts.verdict(case, "0", False, items=items, why="Failed: the score is 0.0, and 70 is needed.", warnings=())
    )


@lru_cache
def hostile_sample() -> Sample:
    """Everything an answer, a source and a judge may say to break a report."""
    answer = f"{SCRIPT} is the answer. {HOSTILE_MARKDOWN} {BREAKOUT} {ARABIC} {LONG_WORD} {CHINESE} {ANSI} {BIDI}"
    case = verdicts.case(
        task=HOSTILE,
        answer=answer,
        reference=f"{BREAKOUT} {ARABIC}",
        context=[{"id": "<b>id</b>", "text": f"{SCRIPT} says the source. {BREAKOUT}"}],
    )
    claims = (
        Claim(
            claim=quote(case, f"{SCRIPT} is the answer."),
            result="contradicted",
            source=quote(case, f"{SCRIPT} says the source.", "context", context="<b>id</b>"),
        ),
        Claim(claim=quote(case, HOSTILE_MARKDOWN), result="not_found"),
    )
    points = (
        MainPoint(point=quote(case, BREAKOUT, "reference"), result="covered", answer=quote(case, BREAKOUT)),
        MainPoint(point=quote(case, ARABIC, "reference"), result="missing"),
    )
    unclaimed = (quote(case, CHINESE),)
    check = CheckResult(name="contains", asked=f"contains {HOSTILE}", met=False, found=f"has no {HOSTILE}")
    items = (
        item("names_the_city", "ask", 2, "yes", 1, reason=HOSTILE, evidence=(quote(case, LONG_WORD),)),
        item("rests_on_sources", "claims", 3, "0/2", 0, reason=HOSTILE, claims=claims, unclaimed=unclaimed),
        item("covers", "covers", 3, "1/2", "1/2", reason=HOSTILE, main_points=points),
        item("short", "check", 1, "no", 0, checks=(check,)),
        item("demands", "constraints", 2, "unassessed", reason=HOSTILE),
    )  # fmt: skip
    return sample(
        verdicts.verdict(
            case, "7/18", False, items=items, why=HOSTILE, verdict_id="g" + "2" * 20,
            warnings=(Warning(code="dropped_quote", message=HOSTILE),),
            facts=(Fact(name="injection", where="answer", found=HOSTILE, start=0, end=5, certain=True),),
        )
    )  # fmt: skip


def every_sample() -> dict[str, Sample]:
    return {
        "plain": plain_sample(),
        "undecided": undecided_sample(),
        "stepped": stepped_sample(),
        "hostile": hostile_sample(),
    }
