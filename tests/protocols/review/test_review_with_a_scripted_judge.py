"""review end to end with a model that says what a test tells it: blindness, quotes, repair, words, task checks."""

import json

import pytest
from protocols.review.rivers import CASE, REASONS, REPLY, RUBRIC, SECRET, UNFIT, codes, fields
from scripted.judging import open_anthropic, open_openai
from scripted.provider import fails, is_cut_off, refuses, says
from scripted.ratings import KEYS

from adjudge.cases import Original, Review
from adjudge.protocols.review import review
from adjudge.protocols.review.preference import problems_of
from adjudge.verdicts import Failure, ReviewVerdict


@pytest.mark.parametrize("open_judge", [open_openai, open_anthropic])
async def test_the_judge_never_sees_the_originals(open_judge, provider, journal):
    other = {**REPLY, "reasons": "It is so. It is what it is."}  # does not fit the tables: asked again
    bad_quote = json.loads(json.dumps(other))
    bad_quote["response_2"]["truthfulness"]["quote"] = "nobody wrote this anywhere"
    provider.script = [says(bad_quote), says({"entries": []}), says({"reasons": "Still nothing. To see here."})]
    judge = open_judge(provider, journal)
    verdict = await review(CASE, judge, RUBRIC)
    await judge.close()
    assert isinstance(verdict, ReviewVerdict)
    assert provider.calls == 3  # the ratings, their repair, the explanation
    for request in provider.requests:
        assert SECRET.encode() not in request.body
        assert b"quokka" not in request.body
    assert b"patient teacher of geography" in provider.requests[0].body
    assert b"what would you like to know" in provider.requests[0].body


async def test_nor_does_it_when_it_explains_a_table_in_which_a_persons_words_stand(judged, provider):
    kept = "The Danube in Vienna is zanzibar-quokka, so what it says is right."
    case = Review(**{**fields(CASE.blind()), "ratings_a": {"truthfulness": Original("3", kept)}})
    verdict = await judged(UNFIT, {"reasons": REASONS}, case=case)
    assert verdict.tables["A"]["truthfulness"].justification == kept
    assert provider.calls == 2
    assert all(b"quokka" not in request.body for request in provider.requests)


async def test_other_originals_change_nothing_that_is_sent(provider, journal):
    judge = open_openai(provider, journal)
    bodies = []
    for case in (CASE, CASE.blind()):
        provider.requests.clear()
        provider.script = lambda request: says(REPLY)
        assert isinstance(await review(case, judge, RUBRIC), ReviewVerdict)
        bodies.append([request.body for request in provider.requests])
    await judge.close()
    # The second time nothing is sent at all: the question is the same, and its answer is in the journal.
    assert len(bodies[0]) == 1
    assert bodies[1] == []


async def test_originals_are_corrected_and_the_likert_follows(judged):
    verdict = await judged(REPLY)
    assert [verdict.tables["A"][key].value for key in KEYS] == [3, 3, 3, 0, 3, 3, 5]
    assert [verdict.tables["B"][key].value for key in KEYS] == [3, 3, 1, 0, 3, 3, 2]
    assert verdict.likert.value == 2
    assert verdict.likert.action == "replaced"
    assert verdict.likert.justification == f"Response 1 is better overall. {REASONS}"
    assert problems_of(verdict.likert.justification, 2, verdict.tables, RUBRIC) == ()
    assert verdict.verdict_id.startswith("r")
    assert len(verdict.calls) == 1


async def test_a_likert_that_the_tables_allow_is_kept_though_the_judge_would_say_another(judged):
    strong = Review(**{**fields(CASE.blind()), "preference": Original("1")})
    verdict = await judged(REPLY, case=strong)
    assert (verdict.likert.value, verdict.likert.action) == (1, "kept")
    assert verdict.likert.justification.startswith("Response 1 is much better overall.")


async def test_a_persons_likert_justification_is_kept_if_it_tells_the_same_story(judged):
    words = "Response 1 is better overall. On Truthfulness, Response 2 names the Rhine. Response 1 has the Danube."
    case = Review(**{**fields(CASE.blind()), "preference": Original("2", words)})
    verdict = await judged(REPLY, case=case)
    assert verdict.likert.justification == words
    assert verdict.likert.justification_action == "kept"


async def test_a_quote_that_is_not_there_is_asked_for_once_more(judged, provider):
    bad = json.loads(json.dumps(REPLY))
    bad["response_2"]["truthfulness"]["quote"] = "The Elbe flows through Vienna"
    good = {
        "response": 2,
        "criterion": "truthfulness",
        "quote": "The Rhine flows through Vienna",
        "justification": "The river is the Danube, not the Rhine.",
    }
    verdict = await judged(bad, {"entries": [good]})
    final = verdict.tables["B"]["truthfulness"]
    assert [(p.quote, p.start, p.end) for p in final.quotes] == [("The Rhine flows through Vienna", 0, 30)]
    assert final.justification == "The river is the Danube, not the Rhine."
    assert "dropped_quote" not in codes(verdict)
    assert b"does not stand in response 2 word for word" in provider.requests[1].body


async def test_and_dropped_with_a_warning_if_it_is_wrong_again(judged):
    bad = json.loads(json.dumps(REPLY))
    bad["response_2"]["truthfulness"]["quote"] = "The Danube flows through Vienna"  # stands in the other response
    again = {"response": 2, "criterion": "truthfulness", "quote": "Nor this", "justification": "Still wrong."}
    verdict = await judged(bad, {"entries": [again]})
    assert verdict.tables["B"]["truthfulness"].quotes == ()
    assert verdict.tables["B"]["truthfulness"].justification == "The river is the Danube."
    assert codes(verdict) == ["dropped_quote"]
    assert "it stands in response 1" in verdict.warnings[0].message


async def test_a_quotation_in_a_justification_that_stands_nowhere_is_taken_out(judged):
    bad = json.loads(json.dumps(REPLY))
    bad["response_2"]["truthfulness"]["justification"] = 'It says "the river Elbe is in Vienna", which is wrong.'
    verdict = await judged(bad, {"entries": []})
    assert "Elbe" not in verdict.tables["B"]["truthfulness"].justification
    assert codes(verdict) == ["dropped_quote"]


async def test_a_justification_that_is_not_english_is_asked_for_once_more(judged):
    bad = json.loads(json.dumps(REPLY))
    spanish = "La respuesta menciona el río equivocado, porque el río que pasa por la ciudad de Viena es el Danubio."
    bad["response_2"]["truthfulness"]["justification"] = spanish
    good = {"response": 2, "criterion": "truthfulness", "quote": "", "justification": "It names the wrong river."}
    verdict = await judged(bad, {"entries": [good]})
    assert verdict.tables["B"]["truthfulness"].justification == "It names the wrong river."
    assert codes(verdict) == []


async def test_and_if_it_stays_so_the_rubric_speaks_for_the_rating(judged):
    bad = json.loads(json.dumps(REPLY))
    spanish = "La respuesta menciona el río equivocado, porque el río que pasa por la ciudad de Viena es el Danubio."
    bad["response_2"]["truthfulness"]["justification"] = spanish
    verdict = await judged(bad, "no JSON at all")
    assert verdict.tables["B"]["truthfulness"].justification.startswith("Rated 1: the main answer is wrong")
    assert codes(verdict) == ["not_in_english"]


async def test_an_unreadable_reply_is_asked_for_again_whole(judged):
    assert isinstance(await judged("I would rather not", REPLY), ReviewVerdict)


async def test_and_is_a_failure_if_it_stays_so(judged):
    outcome = await judged("I would rather not", '{"task_type": "poetry"}')
    assert isinstance(outcome, Failure)
    assert outcome.reason == "malformed"
    assert len(outcome.calls) == 2


@pytest.mark.parametrize(("behaviour", "reason"), [(refuses(), "refused"), (fails(401), "unauthorized")])
async def test_a_judgment_that_fails_is_a_failure_and_no_table(judged, behaviour, reason):
    outcome = await judged(behaviour)
    assert isinstance(outcome, Failure)
    assert outcome.reason == reason


async def test_a_rating_off_the_scale_is_not_taken_from_the_judge_either(judged):
    bad = json.loads(json.dumps(REPLY))
    bad["response_1"]["verbosity"]["rating"] = 3
    outcome = await judged(bad, bad)
    assert isinstance(outcome, Failure)
    assert "verbosity" in outcome.message


# -- the words of the Likert ------------------------------------------------------------------------------------------


async def test_reasons_that_do_not_fit_the_final_tables_are_asked_for_again(judged, provider):
    verdict = await judged(UNFIT, {"reasons": REASONS})
    assert verdict.likert.justification == f"Response 1 is better overall. {REASONS}"
    assert len(verdict.calls) == 2
    assert b"says that Response 2 is better on Truthfulness" in provider.requests[1].body
    assert b"Preference by rule: Response 1 is better overall." in provider.requests[1].body


async def test_and_written_by_rule_if_they_still_do_not(judged):
    verdict = await judged(UNFIT, {"reasons": "Response 2 is better. I like it."})
    assert problems_of(verdict.likert.justification, verdict.likert.value, verdict.tables, RUBRIC) == ()
    assert "On Truthfulness, Response 1 is rated 3 and Response 2 is rated 1." in verdict.likert.justification
    assert codes(verdict) == ["composed_by_rule"]


@pytest.mark.parametrize("behaviour", [refuses(), is_cut_off()])
async def test_a_judge_that_will_not_explain_does_not_lose_its_ratings(judged, behaviour):
    verdict = await judged(UNFIT, behaviour, behaviour)
    assert isinstance(verdict, ReviewVerdict)
    assert codes(verdict) == ["composed_by_rule"]


async def test_an_explanation_that_cannot_be_had_now_is_a_failure_that_keeps_what_was_paid(judged):
    outcome = await judged(UNFIT, fails(401))
    assert isinstance(outcome, Failure)
    assert len(outcome.calls) == 1


async def test_not_even_the_likert_a_person_entered_shows_in_what_the_explainer_is_told(provider, journal):
    told = []
    for number, entered in enumerate(("1", "2")):
        judge = open_openai(provider, journal, sample=number)
        provider.requests.clear()
        provider.script = [says(UNFIT), says({"reasons": REASONS})]
        case = Review(**{**fields(CASE.blind()), "preference": Original(entered)})
        verdict = await review(case, judge, RUBRIC)
        await judge.close()
        assert verdict.likert.value == int(entered)
        told.append(provider.requests[1].body)
    assert told[0] == told[1]
