"""review end to end with a model that says what a test tells it: blindness, quotes, repair, failures."""

import json

import pytest
from protocols.review.rivers import CASE, REASONS, REPLY, RUBRIC, SAID, SECRET, codes, fields
from scripted.judging import open_anthropic, open_openai
from scripted.provider import fails, refuses, says
from scripted.ratings import KEYS, because, explanation

from adjudge.models.common import Failure
from adjudge.protocols.review.case import Original, Review
from adjudge.protocols.review.rules import review
from adjudge.protocols.review.verdict import ReviewVerdict


def changed(side, **fields):
    """The judge's reply with other fields in what it says of truthfulness."""
    reply = json.loads(json.dumps(REPLY))
    reply[side]["truthfulness"] |= fields
    return reply


def mended(*entries, **more):
    """A repair of some justifications of Response 2."""
    return {"entries": [{"response": 2, "quote": "", **entry} for entry in entries], "reasons": [], **more}


# Nothing in it agrees with what the judge says, so that no word of it is up for keeping.
WRONG_EVERYWHERE = Review(
    **{
        **fields(CASE),
        "ratings_a": {key: Original("1", f"{SECRET} a {key}") for key in KEYS},
        "ratings_b": {key: Original("2", f"{SECRET} b {key}") for key in KEYS if key != "overall_quality"},
    }
)


@pytest.mark.parametrize("open_judge", [open_openai, open_anthropic])
async def test_the_judge_rates_without_sight_of_the_originals(open_judge, provider, journal):
    bad_quote = changed("response_2", quote="nobody wrote this anywhere")
    provider.script = [says(bad_quote), says({"entries": [], "reasons": []})]
    judge = open_judge(provider, journal)
    verdict = await review(WRONG_EVERYWHERE, judge, RUBRIC)
    await judge.close()
    assert isinstance(verdict, ReviewVerdict)
    assert provider.calls == 2  # the ratings and their repair; nothing that was entered is up for keeping
    for request in provider.requests:
        assert SECRET.encode() not in request.body
        assert b"quokka" not in request.body
    assert b"patient teacher of geography" in provider.requests[0].body
    assert b"what would you like to know" in provider.requests[0].body


async def test_and_sees_a_persons_words_only_after_the_ratings_are_fixed(judged, provider):
    kept = "The Danube in Vienna is zanzibar-quokka, so what it says is right."
    case = Review(**{**fields(CASE.blind()), "ratings_a": {"truthfulness": Original("3", kept)}})
    verdict = await judged(REPLY, explanation(REASONS, (True, True, "It names the river.")), case=case)
    assert verdict.tables[1]["truthfulness"].justification == kept
    assert [b"quokka" in request.body for request in provider.requests] == [False, True]


async def test_other_originals_change_nothing_that_is_sent(provider, journal):
    judge = open_openai(provider, journal)
    bodies = []
    for case in (WRONG_EVERYWHERE, CASE.blind()):
        provider.requests.clear()
        provider.script = lambda request: says(REPLY)
        assert isinstance(await review(case, judge, RUBRIC), ReviewVerdict)
        bodies.append([request.body for request in provider.requests])
    await judge.close()
    # The second time nothing is sent at all: the question is the same, and its answer is in the journal.
    assert len(bodies[0]) == 1
    assert bodies[1] == []


async def test_originals_are_corrected_and_the_likert_follows(judged):
    verdict = await judged(REPLY, case=WRONG_EVERYWHERE)
    assert [verdict.tables[1][key].value for key in KEYS] == [3, 3, 3, 0, 3, 3, 5]
    assert [verdict.tables[2][key].value for key in KEYS] == [3, 3, 1, 0, 3, 3, 2]
    assert verdict.likert.value == 2
    assert verdict.likert.action == "replaced"
    assert verdict.likert.justification == f"Response 1 is better overall. {REASONS}"
    assert verdict.verdict_id.startswith("r")
    assert len(verdict.calls) == 1


async def test_a_likert_that_the_tables_allow_is_kept_though_the_judge_would_say_another(judged):
    strong = Review(**{**fields(CASE.blind()), "preference": Original("1")})
    verdict = await judged(REPLY, case=strong)
    assert (verdict.likert.value, verdict.likert.action) == (1, "kept")
    assert verdict.likert.justification.startswith("Response 1 is much better overall.")


async def test_a_quote_that_is_not_there_is_asked_for_once_more(judged, provider):
    bad = changed("response_2", quote="The Elbe flows through Vienna")
    right, why = "The Rhine flows through Vienna", "The river is the Danube, not the Rhine."
    again = mended({"criterion": "truthfulness", "quote": right, "justification": why})
    verdict = await judged(bad, again, case=CASE.blind())
    final = verdict.tables[2]["truthfulness"]
    assert [(p.quote, p.start, p.end) for p in final.quotes] == [(right, 0, 30)]
    assert final.justification == why
    assert "dropped_quote" not in codes(verdict)
    assert b"is not in response 2 word for word" in provider.requests[1].body


async def test_and_dropped_with_a_warning_if_it_is_wrong_again(judged):
    bad = changed("response_2", quote="The Danube flows through Vienna")  # stands in the other response
    again = mended({"criterion": "truthfulness", "quote": "Nor this", "justification": "Still wrong."})
    verdict = await judged(bad, again, case=CASE.blind())
    assert verdict.tables[2]["truthfulness"].quotes == ()
    assert verdict.tables[2]["truthfulness"].justification == "The river is the Danube."
    assert codes(verdict) == ["dropped_quote"]
    assert "it is in response 1" in verdict.warnings[0].message


async def test_a_reason_with_an_invented_quotation_is_replaced_whole(judged):
    bad = changed("response_2", justification='It says "the river Elbe is in Vienna", which is wrong.')
    verdict = await judged(bad, {"entries": [], "reasons": []}, case=CASE.blind())
    final = verdict.tables[2]["truthfulness"]
    assert final.justification == "Scored 1; the judge's reason quoted words that are not in the text."
    assert codes(verdict) == ["replaced_reason"]


async def test_a_quotation_of_two_words_and_code_are_not_checked(judged):
    fine = changed("response_2", justification='The "river Elbe" is not meant by `print("this and that")`.')
    verdict = await judged(fine, case=CASE.blind())
    assert codes(verdict) == []


SPANISH = "La respuesta menciona el río equivocado, porque el río que pasa por la ciudad de Viena es el Danubio."


@pytest.mark.parametrize("words", [SPANISH, "It says “the Elbe is a river in the town of Vienna”."])
@pytest.mark.parametrize("better", [True, False])
async def test_what_is_still_good_and_why_a_task_is_invalid_go_through_the_same_checks(judged, words, better):
    bad = json.loads(json.dumps(REPLY))
    bad["response_2"]["still_good"] = words
    entry = {"criterion": "still_good", "justification": "It is short."}
    verdict = await judged(bad, mended(*[entry] * better), case=CASE.blind())
    assert verdict.opinion.responses["B"].still_good == ("It is short." if better else "")
    assert len(verdict.warnings) == (0 if better else 1)
    again = mended(invalid_because="It is gibberish." if better else words)
    verdict = await judged({**REPLY, "invalid_because": words}, again, case=CASE.blind())
    ours = "The judge finds that this task cannot be rated; the reason it gave cannot be shown."
    assert verdict.invalid == ("It is gibberish." if better else ours)
    assert len(verdict.warnings) == (0 if better else 1)


async def test_a_reply_that_is_not_in_english_as_a_whole_is_asked_for_again(judged, provider):
    """Each field may be too short to tell, the whole is not."""
    short = {
        "localization": "Suena natural.", "instruction_following": "Hace lo que se pide.",
        "truthfulness": "Todo es correcto.", "verbosity": "Tiene la medida justa.",
        "style_clarity": "Es clara y directa.", "harmlessness": "No hay nada dañino.",
        "overall_quality": "No le falta nada.",
    }  # fmt: skip
    bad = json.loads(json.dumps(REPLY))
    for side in ("response_1", "response_2"):
        for key, words in short.items():
            bad[side][key]["justification"] = words
    verdict = await judged(bad, {"entries": [], "reasons": because(SAID)}, case=CASE.blind())
    assert codes(verdict).count("not_in_english") == 14
    assert verdict.tables[1]["verbosity"].justification == "Scored 0; the judge's reason was not in English."
    assert b"it is in Spanish; English is needed" in provider.requests[1].body


async def test_a_justification_that_is_not_english_is_asked_for_once_more(judged):
    bad = changed("response_2", justification=SPANISH)
    again = mended({"criterion": "truthfulness", "justification": "It names the wrong river."})
    verdict = await judged(bad, again, case=CASE.blind())
    assert verdict.tables[2]["truthfulness"].justification == "It names the wrong river."
    assert codes(verdict) == []


async def test_and_if_it_stays_so_ours_stands(judged):
    bad = changed("response_2", justification=SPANISH)
    verdict = await judged(bad, "no JSON at all", case=CASE.blind())
    assert verdict.tables[2]["truthfulness"].justification == "Scored 1; the judge's reason was not in English."
    assert codes(verdict) == ["not_in_english"]


async def test_an_unreadable_reply_is_asked_for_again_whole(judged):
    assert isinstance(await judged("I would rather not", REPLY, case=CASE.blind()), ReviewVerdict)


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
    bad = changed("response_1", rating=4)
    outcome = await judged(bad, bad)
    assert isinstance(outcome, Failure)
    assert "truthfulness" in outcome.message
