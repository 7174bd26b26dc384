"""SPEC 3: one explaining call a review, after the ratings are fixed: when a person's words are up for keeping, or when
too few of the rater's sentences fit the final tables; else none. No sentence that is shown contradicts its tables."""

from itertools import product

import pytest
from protocols.review.rivers import CASE, LIED, REASONS, REPLY, RUBRIC, SAID, UNFIT, WRONG, codes, fields
from scripted.provider import fails, is_cut_off, refuses, says
from scripted.ratings import KEYS, because, explanation, rating_reply

from adjudge.judges.embedded import EmbeddedJudge
from adjudge.models.common import Failure
from adjudge.protocols.review.case import Original, Review
from adjudge.protocols.review.rules import review
from adjudge.protocols.review.verdict import ReviewVerdict
from adjudge.text.reasons import scored
from adjudge.text.sentences import sentences

BLIND = CASE.blind()
GOOD = "The Danube is named, which does flow through Vienna."
PRAISE = "The response answers well and keeps to the point."
KEPT = (True, True, "It names the river.")
SPANISH = "No dice nada de lo que se pide en esta tarea."
OTHER_REASONS = "On Truthfulness, Response 2 names the Rhine. Response 1 names the Danube."


def entered(a=None, b=None, preference=None):
    return Review(
        **{**fields(BLIND), "ratings_a": a or {}, "ratings_b": b or {}, "preference": preference or Original()}
    )


async def test_nothing_up_for_keeping_and_reasons_that_fit_need_no_call(judged, provider):
    verdict = await judged(REPLY, case=entered({"truthfulness": Original("3")}))
    assert provider.calls == 1
    assert verdict.likert.justification == f"Response 1 is better overall. {REASONS}"


async def test_words_of_a_kept_rating_are_shown_to_the_judge_with_the_final_tables(judged, provider):
    case = entered({"truthfulness": Original("3", GOOD)})
    verdict = await judged(REPLY, explanation(OTHER_REASONS, KEPT), case=case)
    assert provider.calls == 2
    sent = provider.requests[1]
    assert GOOD in sent.fenced("CANDIDATES")
    assert "Response 1, Truthfulness, rated 3" in sent.fenced("CANDIDATES")
    assert "- Truthfulness: 1. The river is the Danube." in sent.fenced("TABLES")
    assert sent.fenced("RESPONSE 2") == CASE.b
    assert list(sent.schema["properties"]) == ["candidates", "reasons"]  # judged first, then told
    assert verdict.tables[1]["truthfulness"].justification == GOOD
    assert verdict.likert.justification == f"Response 1 is better overall. {OTHER_REASONS}"


async def test_praise_beside_a_major_issue_does_not_stay(judged):
    case = entered(b={"truthfulness": Original("1", PRAISE)})
    verdict = await judged(
        REPLY, explanation(OTHER_REASONS, (False, False, "It praises what is rated a major issue.")), case=case
    )
    final = verdict.tables[2]["truthfulness"]
    assert (final.value, final.action, final.justification_action) == (1, "kept", "rewritten")
    assert final.justification == "The river is the Danube."
    assert (
        "Response 2, Truthfulness: 1 kept, justification rewritten: it is not true (It praises what is rated a major "
        "issue)." in verdict.changelog
    )


async def test_one_call_serves_all_words_and_each_is_judged_by_itself(judged, provider):
    case = entered(
        {"truthfulness": Original("3", GOOD), "style_clarity": Original("3", "Good.")},
        {"truthfulness": Original("1", "The Rhine is the wrong river.")},
        Original("2", "Response 1 is better overall. It names the Danube. Response 2 names the Rhine."),
    )
    about = [("overall", "1"), ("truthfulness", "1"), ("truthfulness", "1")]
    answers = (KEPT, (False, True, "It would fit any response."), KEPT, (*KEPT, about))
    verdict = await judged(REPLY, explanation(OTHER_REASONS, *answers), case=case)
    assert provider.calls == 2
    lines = [verdict.tables[1]["truthfulness"], verdict.tables[1]["style_clarity"], verdict.tables[2]["truthfulness"]]
    actions = [line.justification_action for line in (*lines, verdict.likert)]
    assert actions == ["kept", "rewritten", "kept", "kept"]
    assert verdict.likert.justification == case.preference.justification


async def test_reasons_that_name_what_the_final_tables_contradict_are_asked_for_again(judged, provider):
    """The judge rates both alike and prefers Response 2; a fact moves Response 2 down."""
    found = {"preference": 6, "response_1": {"instruction_following": 2, "overall_quality": 4}}
    found["reasons"] = "On Instruction Following, Response 2 is better. Response 1 is too plain."
    found["constraints"] = [{"quote": "in one word", "kind": "words", "bound": "at_most", "amount": 1}]
    case = Review(prompt="Which river flows through Vienna? Answer in one word.", a="Danube", b=CASE.b)
    told = "On Instruction Following, Response 2 has 10 words where 1 was asked for. Response 1 has one."
    verdict = await judged(rating_reply(found), explanation(told), case=case)
    assert provider.calls == 2
    assert "Preference by rule: Response 1 is better overall." in provider.requests[1].turns[0]
    assert verdict.likert.justification == f"Response 1 is better overall. {told}"


IN_SPANISH = (
    "La segunda respuesta nombra un río equivocado y por eso no es cierta. La primera respuesta nombra el río correcto "
    "y por eso es mejor que la otra."
)
FAULTY = [
    ("One sentence only.", "1 of 1 can be used; at least 2 are needed"),
    ([("One sentence. And another.", "overall", "1")], "sentence 1: 2 sentences; one is needed"),
    ("", "empty"),
    (LIED, "it favours Response 2 in truthfulness; by the tables that is Response 1"),
    ((SAID[0], LIED[1]), "it favours Response 2 in verbosity; by the tables that is neither response"),
    ((*SAID[:1], *SAID[:1]), "1 of 2 can be used"),
    ("On Truthfulness, Response 2 says “the Elbe is in Vienna too”. Response 1 does not.", "is in none of"),
    ("On Truthfulness, Response 2 has 17 errors. Response 1 has none.", "the number 17"),
    ("Truthfulness is 1 for Response 1 and 3 for Response 2. That decides.", "3 for Response 1 and 1 for"),
    (IN_SPANISH, "Spanish"),
]


async def test_sentences_that_fail_a_check_are_asked_for_once_more_and_then_written_by_rule(judged, provider):
    case = entered({"truthfulness": Original("3", GOOD)})
    ours = "On Truthfulness, Response 1 is rated 3 and Response 2 is rated 1."
    for told, why in FAULTY:
        verdict = await judged(REPLY, explanation(told, KEPT), explanation(told, (False, False, "No.")), case=case)
        assert provider.calls == 3
        assert why in provider.requests[2].turns[-1]
        shown = sentences(verdict.likert.justification)
        assert 3 <= len(shown) <= 4
        assert not any(lie in shown for lie, _, _ in LIED)
        assert ours in shown or "Overall Quality is 5 for Response 1 and 2 for Response 2." in shown
        assert set(codes(verdict)) <= {"composed_by_rule", "dropped_sentence"}
        assert codes(verdict).count("composed_by_rule") == 1
        assert verdict.tables[1]["truthfulness"].justification == GOOD  # what was said of the words stands


# -- a justification never contradicts its table ----------------------------------------------------------------------


async def test_a_raters_sentences_that_the_tables_contradict_are_dropped_and_asked_for_again(judged, provider):
    verdict = await judged(UNFIT, explanation(SAID), case=BLIND)
    assert (verdict.tables[1]["truthfulness"].value, verdict.tables[2]["truthfulness"].value) == (3, 1)
    assert provider.calls == 2
    assert verdict.likert.justification == f"Response 1 is better overall. {REASONS}"
    assert codes(verdict) == ["dropped_sentence"] * 2
    assert verdict.warnings[0].message == (
        "reasons, “Response 2 is more accurate than Response 1.”: it favours Response 2 in truthfulness; by the tables "
        "that is Response 1"
    )


async def test_and_so_are_the_explaining_calls(judged, provider):
    for reply in [REPLY, UNFIT]:
        lies = explanation(LIED, KEPT)
        verdict = await judged(reply, lies, lies, case=entered({"truthfulness": Original("3", GOOD)}))
        assert provider.calls == 3
        assert verdict.likert.justification == (
            "Response 1 is better overall. On Truthfulness, Response 1 is rated 3 and Response 2 is rated 1. Overall "
            "Quality is 5 for Response 1 and 2 for Response 2."
        )
        assert {"dropped_sentence", "composed_by_rule"} == set(codes(verdict))


async def test_two_sentences_that_fit_are_enough_and_a_third_one_is_dropped_without_another_call(judged, provider):
    verdict = await judged({**REPLY, "reasons": because((LIED[0], *SAID))}, case=BLIND)
    assert provider.calls == 1
    assert verdict.likert.justification == f"Response 1 is better overall. {REASONS}"
    assert codes(verdict) == ["dropped_sentence"]
    verdict = await judged(UNFIT, explanation((*SAID, LIED[1])), case=BLIND)
    assert provider.calls == 2
    assert verdict.likert.justification == f"Response 1 is better overall. {REASONS}"


async def test_of_more_than_three_sentences_the_first_three_are_shown(judged):
    more = [(f"Reason {number} is one of them.", "overall", "1") for number in ("one", "two", "three", "four")]
    verdict = await judged({**REPLY, "reasons": because(more)}, case=BLIND)
    assert sentences(verdict.likert.justification)[1:] == [sentence for sentence, _, _ in more[:3]]


async def test_a_rater_that_gives_no_sentences_is_asked_to_explain(judged, provider):
    verdict = await judged({**REPLY, "reasons": []}, explanation(SAID), case=BLIND)
    assert provider.calls == 2
    assert verdict.likert.justification == f"Response 1 is better overall. {REASONS}"
    assert codes(verdict) == []


async def test_an_entry_of_two_sentences_is_asked_for_once_more_and_then_dropped(judged, provider):
    two = [("Response 1 is right. Response 2 is more accurate.", "truthfulness", "1"), SAID[1]]
    verdict = await judged({**REPLY, "reasons": because(two)}, {"entries": [], "reasons": because(SAID)}, case=BLIND)
    assert "reasons, sentence 1: 2 sentences; one is needed" in provider.requests[1].turns[-1]
    assert verdict.likert.justification == f"Response 1 is better overall. {REASONS}"
    assert codes(verdict) == []
    again = {"entries": [], "reasons": because(two)}
    verdict = await judged({**REPLY, "reasons": because(two)}, again, explanation(SAID), case=BLIND)
    assert "more accurate" not in verdict.likert.justification
    assert codes(verdict) == ["dropped_sentence"]


async def test_a_response_may_be_numbered_as_text_or_as_a_number(judged):
    for favours in ["1", 1]:
        told = [{**entry, "favours": favours} for entry in because(SAID)]
        verdict = await judged({**REPLY, "reasons": told}, case=BLIND)
        assert [reason.favours for reason in verdict.opinion.reasons] == ["1", "1"]


PREFERENCE = "Response 1 is better overall. It names the Danube. Response 2 is more accurate than Response 1."


RIGHT, WRONG_SIDE = ("truthfulness", "1"), ("truthfulness", "2")
PAIRS = [
    ([("overall", "1"), RIGHT, RIGHT], ""),
    ([("overall", "1"), RIGHT, ("style_clarity", "neither")], ""),
    ([("overall", "1"), RIGHT, WRONG_SIDE],
     "it is not true (sentence 3: it favours Response 2 in truthfulness; by the tables that is Response 1)"),
    ([("overall", "neither"), RIGHT, RIGHT],
     "it is not true (sentence 1: it favours neither response overall; by the tables that is Response 1)"),
]  # fmt: skip


async def test_a_persons_preference_text_is_kept_only_if_the_pairs_given_for_it_fit(judged, provider):
    case = entered(preference=Original("2", PREFERENCE))
    for about, why in PAIRS:
        verdict = await judged(REPLY, explanation(SAID, (*KEPT, about)), case=case)
        assert "sentence_3: Response 2 is more accurate than Response 1." in provider.requests[1].fenced("CANDIDATES")
        assert (verdict.likert.justification == PREFERENCE) is not why
        assert verdict.likert.justification_reason == why
        if why:
            assert verdict.likert.justification == f"Response 1 is better overall. {REASONS}"
            assert f"Likert: 2 kept, justification rewritten: {why}." in verdict.changelog


async def test_the_speaker_of_a_jury_speaks_with_its_own_pairs(jury_judged):
    """The member whose preference is nearest to the jury's speaks; then the first member whose sentences fit."""

    def answer(member, request):
        if "preference" in request.schema["properties"]:
            return says({**REPLY, "preference": 3} if member else UNFIT)
        return says(explanation(SAID if member else LIED))

    verdict = await jury_judged(answer, BLIND, members=2)
    assert verdict.likert.justification == f"Response 1 is better overall. {REASONS}"


# -- why a person's words are not kept --------------------------------------------------------------------------------


async def test_why_words_do_not_stand_is_checked_too_and_no_answer_moves(judged, provider):
    case = entered({"truthfulness": Original("3", GOOD)})
    reasons = ["", "It says “what is not in any text”.", "它没有说明这条河流经维也纳。"]
    for why, again in product(reasons, ["It names no river.", ""]):
        first, second = (False, True, why), (True, True, again)
        verdict = await judged(REPLY, explanation(REASONS, first), explanation(REASONS, second), case=case)
        assert provider.calls == 3
        final = verdict.tables[1]["truthfulness"]
        assert (final.justification_action, codes(verdict)) == ("rewritten", [])
        told = "it is not specific (It names no river)" if again else "it is not specific"
        assert final.justification_reason == told, why


async def test_a_reply_in_another_language_fails_as_a_whole_however_short_its_fields_are(judged, provider):
    case = entered({"truthfulness": Original("3", GOOD)})
    told = explanation(
        "La segunda nombra otro río cualquiera. La primera nombra muy bien el río.", (False, True, SPANISH)
    )
    verdict = await judged(REPLY, told, told, case=case)
    assert provider.calls == 3
    assert verdict.tables[1]["truthfulness"].justification_reason == "it is not specific"
    assert "segunda" not in verdict.likert.justification


async def test_and_so_does_a_rating_and_its_repair(judged, provider):
    for repaired in [1, len(KEYS)]:
        reply = rating_reply({"preference": 2, "reasons": [], "response_2": WRONG})
        again = []
        for number in (1, 2):
            for key in KEYS:
                reply[f"response_{number}"][key]["justification"] = SPANISH
                again.append({"response": number, "criterion": key, "quote": "", "justification": SPANISH})
        verdict = await judged(reply, {"entries": again[:repaired], "reasons": []}, case=BLIND)
        assert provider.calls == 3  # the third explains the preference
        assert not any(SPANISH in line.justification for table in verdict.tables.values() for line in table.values())
        assert set(codes(verdict)) == {"not_in_english"}


async def test_what_replaces_a_reason_names_the_rating_that_a_fact_or_a_jury_made_of_it(jury_judged):
    def answer(member, request):
        reason = [(1, 3)[member], "", "It says “what nobody has written”."]
        if "entries" in request.schema["properties"]:
            return says({"entries": [], "reasons": []})
        asked = [{"quote": "in two words", "kind": "words", "bound": "at_most", "amount": 2}]
        rated = {"instruction_following": 2, "truthfulness": reason, "style_clarity": reason}
        bound = {"instruction_following": [2, *reason[1:]]}
        return says(rating_reply({"constraints": asked, "response_1": rated, "response_2": bound}))

    verdict = await jury_judged(answer, Review("Name it in two words.", CASE.a, CASE.b), members=2, rule="mean")
    lines = [verdict.tables[1]["truthfulness"], verdict.tables[2]["instruction_following"]]
    assert [line.value for line in lines] == [2, 1]
    assert all(line.justification.endswith(scored(line.value)) for line in lines)


async def test_a_judge_that_will_not_explain_does_not_lose_its_ratings_and_ours_stands(judged):
    for behaviour in [refuses(), is_cut_off()]:
        verdict = await judged(REPLY, behaviour, behaviour, case=entered({"truthfulness": Original("3", GOOD)}))
        assert isinstance(verdict, ReviewVerdict)
        assert codes(verdict) == ["composed_by_rule"]
        assert verdict.tables[1]["truthfulness"].justification_action == "rewritten"


async def test_an_explanation_that_cannot_be_had_now_is_a_failure_that_keeps_what_was_paid(judged):
    outcome = await judged(REPLY, fails(401), case=entered({"truthfulness": Original("3", GOOD)}))
    assert isinstance(outcome, Failure)
    assert len(outcome.calls) == 1


async def test_offline_the_words_stand_with_the_rating_unless_a_fact_binds():
    words = {"truthfulness": Original("1", PRAISE), "verbosity": Original("0", "Fine.")}
    broken_off = (
        "The Danube flows through Vienna and through Budapest.\nFurther on it flows through the town of Belgrade,"
    )
    case = Review(CASE.prompt, broken_off, CASE.b, ratings_a=words)
    verdict = await review(case, EmbeddedJudge(), RUBRIC)
    assert verdict.tables[1]["truthfulness"].justification == PRAISE
    assert (verdict.tables[1]["verbosity"].value, verdict.tables[1]["verbosity"].rule) == (-1, "truncation")


@pytest.mark.parametrize("votes", [(True, True, False), (True, False, False), (True, False)])
async def test_a_jury_keeps_a_persons_words_by_majority_and_a_draw_keeps_them(jury_judged, votes):
    def answer(member, request):
        if "preference" in request.schema["properties"]:
            return says(REPLY)
        return says(explanation(OTHER_REASONS, (votes[member], votes[member], "So.")))

    verdict = await jury_judged(answer, entered({"truthfulness": Original("3", GOOD)}), len(votes))
    kept = 2 * sum(votes) >= len(votes)
    assert (verdict.tables[1]["truthfulness"].justification_action == "kept") is kept
