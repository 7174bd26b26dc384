"""Which quotes count as given and which as invented: those of first replies, in every protocol."""

import json

import pytest
from protocols.dialogue import judging
from protocols.dialogue.judging import KEYS, criticizes, evaluates
from protocols.review.rivers import CASE as RIVERS
from protocols.review.rivers import RUBRIC as DIMENSIONS
from scripted.provider import judges, says
from scripted.ratings import explained, rating_reply
from scripted.replies import correct_reply

from adjudge.judges.base import Cascade
from adjudge.judges.jury import Jury
from adjudge.models.common import repaired_replies
from adjudge.protocols.base import row_of
from adjudge.protocols.compare.case import Comparison
from adjudge.protocols.compare.rules import CompareOptions, compare
from adjudge.protocols.review.rules import review
from adjudge.protocols.rubrics import shipped

ONE = CompareOptions(one_order=True)
LONG = " ".join(f"word{n}" for n in range(40))


def first(change):
    """A judge whose first reply is changed and whose repair is right."""

    def script(request):
        reply = json.loads(json.dumps(correct_reply(request)))
        if "criteria" in reply:
            change(reply, request)
        return says(reply)

    return script


def quote(text):
    def change(reply, request):
        reply["criteria"]["clarity_structure"]["quote_1"] = text

    return change


def of_the_other(reply, request):
    reply["criteria"]["clarity_structure"]["quote_1"] = request.fenced("ANSWER 2")[:40].rpartition(" ")[0]


def further(reply, request):
    made = {"criterion": "clarity_structure", "answer": 2, "impact": "favorable", "rationale": "So it is."}
    reply["more_evidence"] = [{**made, "quote": words} for words in ("nowhere at all in it", "nor is this anywhere")]


async def test_a_comparison(provider, openai_judge, case):
    changes = {
        "right": (lambda reply, request: None, 14, 0),
        "invented and mended": (quote("words that nobody ever wrote here"), 14, 1),
        "empty": (quote(""), 13, 0),
        "no word": (quote("…"), 14, 1),
        "of the other answer": (of_the_other, 14, 1),
        "further quotes": (further, 16, 2),
    }
    for sample, (name, (change, given, invented)) in enumerate(changes.items()):
        provider.script = first(change)
        provider.requests.clear()
        verdict = await compare(case, openai_judge(sample=sample), shipped("compare"), ONE)
        assert (verdict.quoted.given, verdict.quoted.invented) == (given, invented), name
        cells = row_of(verdict)
        assert (cells["quotes"], cells["invented"], cells["replies"]) == (given, invented, 1)
        assert cells["repaired"] == (provider.calls > 1)
        # What was mended is no warning, but it was invented.
        assert "dropped_quote" not in {warning.code for warning in verdict.warnings} or invented


async def test_a_long_quote_is_there_and_a_very_short_answer_is_quoted_whole(provider, openai_judge):
    provider.script = first(quote(LONG))
    verdict = await compare(Comparison("Count.", LONG, "No."), openai_judge(), shipped("compare"), CompareOptions())
    # Both orders; seven criteria; B has one word, so only quotes of A count. Where B is first, they are for it.
    assert (verdict.quoted.given, verdict.quoted.invented) == (14, 0)


async def test_a_jury_a_cascade_and_both_orders_count_every_reply(provider, openai_judge, case):
    provider.script = first(quote("words that nobody ever wrote here"))
    members = tuple(openai_judge(sample=n) for n in range(3))
    verdict = await compare(case, Jury("jury", members), shipped("compare"), CompareOptions())
    assert (verdict.quoted.given, verdict.quoted.invented) == (3 * 2 * 14, 3 * 2)
    provider.script = first(quote("words that nobody ever wrote here"))
    stages = tuple(openai_judge(sample=n) for n in (7, 8))
    staged = await compare(case, Cascade("cascade", stages, margin=10), shipped("compare"), ONE)
    assert (staged.quoted.given, staged.quoted.invented) == (28, 2)
    assert (row_of(staged)["replies"], row_of(staged)["repaired"]) == (2, 2)


async def test_a_dialogue(provider, journal):
    short = {KEYS[0]: {"speaker": "SYSTEM", "quote": "movies do"}}  # said, but too short
    evaluation = evaluates(speaker="USER", **short)  # the other side said it
    agrees = {"quotes": [{"speaker": "USER", "quote": "Nor did I say this."}]}
    critique = criticizes(Empathy=(60, "USER", "I never said this to anybody.", True), **{KEYS[0]: agrees})
    verdict = await judging.judged(provider, journal, evaluation, critique)
    assert (verdict.quoted.given, verdict.quoted.invented) == (8, 7)
    assert (row_of(verdict)["replies"], row_of(verdict)["repaired"]) == (2, 2)


async def test_a_review(provider, openai_judge):
    invented = {"quote": "in no more than nine words", "kind": "words", "amount": 9}
    best = {"style_clarity": [3, RIVERS.b[:20], "It is clear."], "overall_quality": [5, "unchecked", "Good."]}
    found = {
        "constraints": [{"quote": RIVERS.prompt[:30], "kind": "json"}, invented],
        "observations": [(1, "pleasantry", RIVERS.a[:20]), *((2, "cut_off", q) for q in ("nowhere", RIVERS.b[:20]))],
        "response_1": {"truthfulness": [3, "these words are not in it", "It is right."]},
        "response_2": best,
    }

    def script(request):
        asked = request.schema["properties"]
        if "preference" in asked:
            return says(rating_reply(found))
        return says({"entries": [], "reasons": []} if "entries" in asked else explained(request))

    provider.script = script
    verdict = await review(RIVERS.blind(), openai_judge(), DIMENSIONS)
    # One demand, one observation and one rating rest on invented quotes; that the words are not the last ones of the
    # response is another fault. An Overall needs no quote.
    assert (verdict.quoted.given, verdict.quoted.invented) == (7, 3)
    assert row_of(verdict)["equal_totals"] is True  # all ratings are the best, and it prefers neither


@pytest.mark.parametrize(("purposes", "counted"), [
    ([], (0, 0)),
    (["opinion", "opinion"], (2, 0)),
    (["opinion", "repair", "opinion"], (2, 1)),
    (["opinion", "longer", "repair", "longer"], (1, 1)),
    (["opinion", "opinion", "longer"], (2, 1)),
])  # fmt: skip
def test_a_reply_is_repaired_once_however_often_it_is_asked_for(purposes, counted):
    assert repaired_replies(purposes) == counted


async def test_the_place_that_is_preferred_and_equal_totals_are_cells(provider, openai_judge, case):
    def prefers(place):
        return lambda request: judges(
            score=lambda text: 6, change=lambda reply: {**reply, "preference": place} if "preference" in reply else None
        )

    for at, (place, told) in enumerate([("answer_1", "first"), ("answer_2", "second"), ("tie", "none")]):
        provider.script = prefers(place)
        cells = row_of(await compare(case, openai_judge(sample=at), shipped("compare"), CompareOptions()))
        assert (cells["preferred_place"], cells["equal_totals"]) == (told, True)
    provider.script = lambda request: judges()
    cells = row_of(await compare(case, openai_judge(sample=9), shipped("compare"), ONE))
    assert (cells["preferred_place"], cells["equal_totals"]) == (None, False)
    twins = Comparison(case.task, case.a, f"{case.a} ")
    assert row_of(await compare(twins, openai_judge(), shipped("compare"), CompareOptions()))["equal_totals"] is None
