"""What the items make together: the score, who passes, and when nobody can say; which calls are made for it."""

from fractions import Fraction

from protocols.grade.judging import (
    ASK,
    CHECK,
    CITY,
    CLAIMS,
    COVERS,
    DEMANDS,
    FAULT,
    FOUNDED,
    IN_SOURCE,
    PEOPLE,
    SCALE,
    SENTENCES,
    STRICT,
    answers,
    claim,
    codes,
    graded,
    point,
    prompts,
    rubric_of,
    shown,
)  # fmt: skip
from protocols.grade.verdicts import ANSWER, REFERENCE, SOURCE, TASK, case, stepped
from scripted.judging import open_openai
from scripted.provider import refuses

import adjudge
from adjudge.constraints import english
from adjudge.models.base import from_json, to_json
from adjudge.models.common import Failure
from adjudge.protocols.grade.rules import grade
from adjudge.protocols.grade.verdict import GradeVerdict

DROPPED = [claim("This is not there at all.", "supported", IN_SOURCE)]


async def test_the_score_is_an_exact_fraction_rounded_to_six_decimals(provider, journal):
    said = [claim(CITY, "supported", IN_SOURCE), claim(PEOPLE, "not_found"), claim(FOUNDED, "not_found")]
    rubric = rubric_of(CLAIMS, FAULT, ASK, CHECK, pass_at="0.5")
    replies = {"claims": said, "rude": answers("no"), "city": answers("yes", CITY)}
    verdict = await graded(provider, journal, case(), rubric, replies)
    assert (str(verdict.score), str(verdict.score_exact), verdict.passed) == ("0.666667", "2/3", True)
    assert [str(item.earned_exact) for item in verdict.items] == ["1", "0", "2", "1"]
    assert verdict.why == "Passed: the score is 66.7, and 50 is needed."
    assert from_json(GradeVerdict, to_json(verdict), case=verdict.case, rubric=rubric) == verdict


async def test_no_positive_item_applicable_and_assessed_is_a_failure_nothing_to_grade(provider, journal):
    for given in ({"context": None}, {}):
        said = {"claims": DROPPED, "rude": answers("no")}
        outcome = await graded(provider, journal, case(**given), rubric_of(CLAIMS, FAULT), said)
        assert isinstance(outcome, Failure)
        assert (outcome.reason, len(outcome.calls)) == ("nothing_to_grade", provider.calls)


async def test_passed_needs_every_applicable_required_item(provider, journal):
    scale, levels = 'ask: "Q?", scale: {1: a, 3: b, 5: c}', [answers(level, CITY) for level in (1, 3, 5)]
    one = [claim(CITY, "supported", IN_SOURCE)]
    half = [*one, claim(PEOPLE, "not_found")]
    for points, rest, said, met in (
        (1, 'ask: "Q?"', answers("yes", CITY), True),
        (1, 'ask: "Q?"', answers("no"), False),
        (1, scale, levels[2], True),
        (1, scale, levels[1], False),
        (1, f"at_least: 3, {scale}", levels[1], True),
        (1, f"at_least: 3, {scale}", levels[0], False),
        (1, "claims: context", one, True),
        (1, "claims: context", half, False),
        (1, "at_least: 0.5, claims: context", half, True),
        (1, "check: {contains: Oslo}", None, True),
        (1, "check: {contains: Bergen}", None, False),
        (-1, "check: {contains: Bergen}", None, True),
        (-1, "check: {contains: Oslo}", None, False),
    ):
        rubric = rubric_of(("x", points, f"required: true, {rest}"), ("rest", 99, "check: {contains: Oslo}"))
        verdict = await graded(provider, journal, case(), rubric, {"x": said})
        assert verdict.score_exact >= Fraction(7, 10)
        assert (verdict.items[0].met, verdict.passed, verdict.decided) == (met, met, True), rest
        assert verdict.why.startswith("Passed" if met else "Failed: required and not met: “X”")


async def test_passed_is_computed_twice_with_unassessed_items_at_worst_and_at_best(provider, journal):
    for points, passed, worst, best in (
        (1, None, "1/2", "1"),  # at worst 1 of 2 points, at best 2
        ("0.1", True, "10/11", "1"),
        (-1, None, "0", "1"),  # a fault at its worst is found
    ):
        open_item = ("open", points, "check: {language: en}")  # nobody can tell from three words
        verdict = await graded(provider, journal, case(answer="Oslo it is."), rubric_of(open_item, CHECK))
        assert (verdict.passed, verdict.decided) == (passed, passed is not None)
        assert (str(verdict.worst.score_exact), str(verdict.best.score_exact), verdict.score) == (worst, best, 1)
        assert verdict.answer == ("undecided" if passed is None else "pass")
        assert verdict.why.startswith("Undecided: nobody assessed “Open”;" if passed is None else "Passed")


async def test_an_empty_answer_is_score_0_failed_and_decided_without_a_call(provider, journal):
    every = rubric_of(ASK, STRICT, SCALE, CLAIMS, COVERS, DEMANDS, CHECK, pass_at=0)
    for given in (case(answer=" \n"), stepped(("user", "Well?"), ("assistant", " "), ("tool result", "", "x"))):
        verdict = await graded(provider, journal, given, every)
        assert (verdict.score, verdict.passed, verdict.decided, provider.calls) == (0, False, True, 0)
        assert verdict.why == "Failed: the answer is empty."
        verdict = await graded(provider, journal, given.updated(context=None), rubric_of(CLAIMS, FAULT))
        assert verdict.passed is False  # before any other rule


async def test_a_call_that_fails_fails_the_case(provider, journal):
    provider.script = lambda request: refuses()
    judge = open_openai(provider, journal)
    outcome = await grade(case(), judge, rubric_of(ASK, DEMANDS, CHECK))
    await judge.close()
    assert isinstance(outcome, Failure)
    assert (outcome.reason, len(outcome.calls)) == ("refused", 2)


async def test_one_call_for_all_ask_one_for_claims_and_covers_one_for_constraints(provider, journal):
    said = {
        "city": answers("yes", CITY), "rude": answers("no"), "clear": answers(5, CITY),
        "claims": [claim(CITY, "supported", IN_SOURCE)], "more": [claim(CITY, "not_found")],
        "covers": [point("Oslo is the capital.", "covered", CITY)],
    }  # fmt: skip
    for items, calls in (
        ([CHECK], 0),
        ([ASK, SCALE, FAULT, CHECK], 1),
        ([CLAIMS, COVERS, ("more", 1, "claims: reference")], 1),
        ([DEMANDS, ("again", 1, "constraints: task")], 1),
        ([ASK, SCALE, CLAIMS, COVERS, DEMANDS, CHECK], 3),
    ):
        verdict = await graded(provider, journal, case(), rubric_of(*items), said, demands=[SENTENCES])
        assert (len(verdict.calls), provider.calls) == (calls, calls), items
    asked = next(text for text in prompts(provider) if "Answer every question" in text)
    assert all(text in asked for text in (TASK, ANSWER, REFERENCE, SOURCE))


async def test_the_embedded_judge_assesses_checks_and_only_demands_of_kinds_that_bind(tmp_path, monkeypatch):
    every = rubric_of(ASK, SCALE, CLAIMS, COVERS, DEMANDS, CHECK)
    given = {"reference": REFERENCE, "context": SOURCE, "journal": tmp_path / "journal.db", "rubric": every}
    verdict = await adjudge.grade(TASK, ANSWER, **given)
    unassessed = dict.fromkeys(("city", "clear", "claims", "covers", "demands"), "unassessed")
    assert shown(verdict) == {**unassessed, "short": "yes"}
    assert codes(verdict) == ["not_assessed"]
    monkeypatch.setattr(english, "binds", lambda kind, readings=None: kind == "sentences")
    verdict = await adjudge.grade(TASK, ANSWER, **given)
    assert shown(verdict)["demands"] == "1/1"
    verdict = await adjudge.grade("Name the city.", ANSWER, **given)
    assert shown(verdict)["demands"] == "unassessed"  # its silence proves nothing
