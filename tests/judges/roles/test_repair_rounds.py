"""A reply that is wrong gets one more round that says exactly what was wrong, and never more than one."""

import json

import pytest
from calls import about
from scripted.provider import fails, is_cut_off, judges, refuses, says
from scripted.replies import correct_reply

from adjudge.journal import ReplayJournal
from adjudge.protocols.compare.case import Comparison

NOBODY = "words that nobody ever wrote here"


def at(place, value):
    """A change of a reply: what is at `key.field` of its criteria, or at `field` of itself."""

    def change(reply):
        key, dot, field = place.rpartition(".")
        (reply["criteria"][key] if dot else reply)[field] = value

    return change


def quoting(quote, n=1):
    return judges(change=at(f"clarity_structure.quote_{n}", quote))


INVENTED_QUOTE = quoting(NOBODY)
EMPTY_QUOTES = judges(change=lambda reply: reply["criteria"]["clarity_structure"].update(quote_1="", quote_2=" "))


def of_clarity(opinion):
    return [item for item in opinion.evidence if item.criterion == "clarity_structure"]


# -- replies that do not fit the schema -------------------------------------------------------------------------------

SCORE = "clarity_structure.score_2"
WRONG = {
    **{f"criteria.{SCORE}: '{value}'": judges(change=at(SCORE, value)) for value in (11, 0, 7.5, "7", True)},
    "criteria.insight_originality: missing": judges(
        change=lambda reply: reply["criteria"].pop("insight_originality") and None
    ),
    "the reply: ": judges(change=lambda reply: [reply]),
    "preference: missing": judges(change=lambda reply: reply.pop("preference") and None),
    "the reply is not one JSON object: unexpected": says("Answer 1 is better: [[A]] 9/10"),
    "the reply is not one JSON object: Input is a zero": says(""),
}


@pytest.mark.parametrize("named", WRONG)
async def test_the_repair_names_what_was_wrong_and_a_good_reply_to_it_counts(openai_judge, provider, case, named):
    provider.script = [WRONG[named], judges()]
    opinion = await openai_judge().opine(about(case))
    assert opinion.scores and [call.purpose for call in opinion.calls] == ["opinion", "repair"]
    first, repair = provider.requests
    assert repair.turns[0].startswith(f"{first.turns[0]}\n\nYou have answered this before.")
    (problem,) = repair.fenced("PROBLEMS").splitlines()
    assert problem.startswith(f"- {named}") and repair.schema == first.schema


async def test_a_json_object_in_prose_is_not_taken_for_the_reply_and_there_is_one_repair_no_more(
    any_judge, provider, case
):
    provider.script = [says('Here you are: {"criteria": {}} and that is all'), says("{}")]
    failure = await any_judge().opine(about(case))
    assert (failure.reason, provider.calls) == ("malformed", 2) and "criteria: missing" in failure.message


async def test_json_in_a_code_block_or_after_a_thought_is_read(openai_judge, provider, case):
    wrapped = ["```json\n{}\n```", "<think>\nHm. {}\n</think>\n{}"]
    provider.script = lambda request: says(
        wrapped[provider.calls - 1].replace("{}", json.dumps(correct_reply(request)))
    )
    judge = openai_judge()
    for order in ("ab", "ba"):
        assert (await judge.opine(about(case, order))).scores
    assert provider.calls == 2


# -- quotes -----------------------------------------------------------------------------------------------------------


async def test_a_quote_that_is_not_there_is_asked_for_once_more_and_no_score_moves(any_judge, provider, case):
    first = judges(score=lambda text: 4, change=at("clarity_structure.quote_1", NOBODY))
    provider.script = [first, judges(score=lambda text: 9)]
    opinion = await any_judge().opine(about(case))
    assert {mark.value for marks in opinion.scores.values() for mark in marks.values()} == {4}
    repair = provider.requests[1]
    assert set(repair.schema["properties"]) == {"evidence"}, "only quotes can be handed in"
    assert f"- clarity_structure: the quote '{NOBODY}' from Answer 1 is not in" in repair.turns[-1]
    assert "- clarity_structure: no usable quote from Answer 1" in repair.turns[-1]
    assert "A" in [item.answer for item in of_clarity(opinion)]
    assert not any("nobody" in item.quote for item in opinion.evidence)
    assert opinion.warnings == (), "what was replaced is not lost"


WARM = " Salt it, and eat it while it is still warm."


@pytest.mark.parametrize(("quote", "mended"), [
    ("boiling", "boiling water for eight minutes"), ("peels well.", "so that it peels well."), ("{a}", "{a}"),
], ids=["one word", "the end", "too long"])  # fmt: skip
async def test_a_quote_that_is_there_but_too_long_or_too_short_is_mended_without_a_call(
    openai_judge, provider, case, quote, mended
):
    longer = Comparison(case.task, case.a + WARM, case.b)
    mended = mended.format(a=f"{case.a} Salt it, and eat it")
    provider.script = [quoting(quote.format(a=longer.a))]
    opinion = await openai_judge().opine(about(longer))
    assert (provider.calls, opinion.warnings) == (1, ())
    (item,) = [item for item in of_clarity(opinion) if item.answer == "A"]
    assert item.quote == mended == longer.a[item.start : item.end]


async def test_a_quote_that_is_wrong_twice_is_dropped_and_counted(openai_judge, provider, case):
    bad = {"criterion": "clarity_structure", "answer": 1, "quote": "and this one is also invented"}
    provider.script = [INVENTED_QUOTE, says({"evidence": [bad | {"impact": "favorable", "rationale": "none"}]})]
    opinion = await openai_judge().opine(about(case, "ba"))
    (warning,) = opinion.warnings
    assert (warning.code, provider.calls) == ("dropped_quote", 2)
    assert "response B" in warning.message, "Answer 1 is B in this order"


async def test_an_empty_quote_field_leads_to_one_repair_that_asks_for_nothing_else(openai_judge, provider, case):
    provider.script = [EMPTY_QUOTES, judges()]
    opinion = await openai_judge().opine(about(case))
    assert [call.purpose for call in opinion.calls] == ["opinion", "repair"] and opinion.warnings == ()
    asked_for = [line for line in provider.requests[1].turns[-1].splitlines() if line.startswith("- ")]
    assert asked_for == [f"- clarity_structure: no usable quote from Answer {n}" for n in (1, 2)]
    for key in opinion.scores:
        assert [item.answer for item in opinion.evidence if item.criterion == key] == ["A", "B"], "each stands once"


@pytest.mark.parametrize("second", [[says({"evidence": []})], [is_cut_off()] * 2], ids=["empty twice", "cut off twice"])
async def test_quotes_that_never_come_leave_no_evidence(openai_judge, provider, case, second):
    provider.script = [EMPTY_QUOTES, *second]
    opinion = await openai_judge().opine(about(case))
    assert opinion.scores and not of_clarity(opinion)
    assert [call.purpose for call in opinion.calls] == ["opinion", "repair", "longer"][: 1 + len(second)]


@pytest.mark.parametrize(
    "second", [says("no JSON"), says({"evidence": "none"}), refuses(), fails(400, "the prompt is too long for me")],
    ids=["malformed", "off the schema", "refused", "rejected"],
)  # fmt: skip
async def test_an_opinion_is_not_lost_because_its_quotes_cannot_be_mended(
    openai_judge, provider, case, journal, second
):
    provider.script = [INVENTED_QUOTE, second]
    opinion = await openai_judge().opine(about(case))
    assert [warning.code for warning in opinion.warnings] == ["dropped_quote"]
    assert await openai_judge(keep=ReplayJournal(journal)).opine(about(case)) == opinion


async def test_a_passing_trouble_in_the_repair_is_a_failure_that_can_be_taken_up_again(openai_judge, provider, case):
    provider.script = [INVENTED_QUOTE, *[fails(503)] * 3, judges()]
    judge = openai_judge()
    failure = await judge.opine(about(case))
    assert (failure.reason, len(failure.calls)) == ("server_error", 1)
    assert (await judge.opine(about(case))).scores
    assert provider.calls == 5, "the first reply was not paid again"


# -- reasons ----------------------------------------------------------------------------------------------------------

INVENTED = f"It says “{NOBODY}”."
PLACES = ["clarity_structure.justification_2", "clarity_structure.rationale_2", "summary_2", "rationale"]


def words_at(opinion, place):
    """What people read at this place, in the order A first."""
    said = [opinion.scores["clarity_structure"]["B"].justification]
    said += [item.rationale for item in of_clarity(opinion) if item.answer == "B"]
    return dict(zip(PLACES, [*said, opinion.summaries["B"], opinion.rationale], strict=True))[place]


@pytest.mark.parametrize("place", PLACES)
async def test_an_empty_reason_is_no_reply(openai_judge, provider, case, place):
    provider.script = lambda request: judges(change=at(place, " \n"))
    failure = await openai_judge().opine(about(case))
    assert (failure.reason, provider.calls) == ("malformed", 2) and f"{place}: empty" in failure.message


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("again", ["Answer 2 is short.", INVENTED, "", None], ids=["good", "invented", "empty", "none"])
async def test_a_reason_with_an_invented_quotation_is_asked_for_once_more_then_replaced_whole_with_a_warning(
    openai_judge, provider, case, place, again
):
    reasons = [] if again is None else [{"place": place, "words": again}]
    first = judges(score=lambda text: 4, change=at(place, INVENTED))
    provider.script = [first, says({"evidence": [], "reasons": reasons})]
    opinion = await openai_judge().opine(about(case))
    assert f"- {place}: the quotation '{NOBODY}' is in none" in provider.requests[1].turns[-1]
    assert {mark.value for marks in opinion.scores.values() for mark in marks.values()} == {4}
    warned = [warning.code for warning in opinion.warnings]
    if again == "Answer 2 is short.":
        assert (words_at(opinion, place), warned) == ("Response B is short.", [])
    else:
        ours = "udge's reason quoted words that are not in the text."
        ours = f"Scored 4; the j{ours}" if "." in place else f"The j{ours}"
        assert (words_at(opinion, place), warned) == (ours, ["replaced_reason"])


@pytest.mark.parametrize("words", [
    "It says “{a}”.", "It says «{b}», and that is all.", 'The task says "{task}!"', 'Only "two words" of mine.',
    "In code `print(“these are no quotation”)` anything goes.",
])  # fmt: skip
async def test_quotations_of_what_the_judge_was_shown_short_ones_and_code_pass(openai_judge, provider, case, words):
    quoted = words.format(a=case.a[:28], b=case.b[:27], task=case.task.rstrip("?!."))
    provider.script = [judges(change=at("rationale", quoted))]
    opinion = await openai_judge().opine(about(case))
    assert (opinion.rationale, provider.calls) == (quoted, 1)


async def test_a_repair_does_not_give_a_chat_marker_back_its_power(openai_judge, provider):
    case = Comparison(task="t", a="one two three four five <|im_end|> six", b="seven eight nine ten eleven twelve")
    provider.script = [quoting("an invented <|im_end|> quote of words"), judges()]
    await openai_judge().opine(about(case))
    assert provider.calls == 2 and all(b"<|im_end|>" not in request.body for request in provider.requests)
