"""A reply that is wrong gets one more round that says exactly what was wrong, and never more than one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from scripted.judging import OpenJudge
from scripted.provider import Behaviour, ScriptedProvider, fails, is_cut_off, judges, refuses, says
from scripted.replies import Request, correct_reply

from adjudge.journal import Journal, ReplayJournal
from adjudge.models.common import Failure
from adjudge.protocols.compare.case import Comparison
from adjudge.protocols.compare.questions import CompareQuestion
from adjudge.protocols.compare.verdict import ComparisonOpinion, Order
from adjudge.protocols.rubrics import shipped


def asked(case: Comparison, order: Order = "ab") -> CompareQuestion:
    return CompareQuestion(case, shipped("compare"), order)


@pytest.fixture(params=["openai_judge", "anthropic_judge"])
def any_judge(request: pytest.FixtureRequest) -> OpenJudge:
    return request.getfixturevalue(request.param)


def score_of(reply: dict[str, Any], value: Any) -> None:
    reply["criteria"]["clarity_structure"]["score_2"] = value


def without_criterion(reply: dict[str, Any]) -> None:
    del reply["criteria"]["insight_originality"]


def invent_quote(reply: dict[str, Any]) -> None:
    reply["criteria"]["clarity_structure"]["quote_1"] = "words that nobody ever wrote here"


def leave_empty(reply: dict[str, Any]) -> None:
    reply["criteria"]["clarity_structure"] |= {"quote_1": "", "quote_2": " "}


# -- replies that do not fit the schema -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda reply: score_of(reply, 11), "criteria.clarity_structure.score_2: '11'"),
        (lambda reply: score_of(reply, 0), "criteria.clarity_structure.score_2: '0'"),
        (lambda reply: score_of(reply, 7.5), "criteria.clarity_structure.score_2: '7.5'"),
        (lambda reply: score_of(reply, "7"), "criteria.clarity_structure.score_2: '7'"),
        (lambda reply: score_of(reply, True), "criteria.clarity_structure.score_2: 'True'"),
        (without_criterion, "criteria.insight_originality: missing"),
        (lambda reply: [reply], "the reply: "),
        (lambda reply: reply.pop("preference") and None, "preference: missing"),
    ],
    ids=["too high", "too low", "between", "text", "true", "a criterion missing", "a list", "no preference"],
)
async def test_the_repair_names_what_was_wrong_and_a_good_reply_to_it_counts(
    any_judge: OpenJudge, provider: ScriptedProvider, case: Comparison, change: Any, named: str
) -> None:
    provider.script = [judges(change=change), judges()]
    opinion = await any_judge().opine(asked(case))
    assert isinstance(opinion, ComparisonOpinion)
    assert [call.purpose for call in opinion.calls] == ["opinion", "repair"]
    (repair,) = provider.requests[1].turns
    assert repair.startswith(f"{provider.requests[0].turns[0]}\n\nYou have answered this before.")
    assert provider.requests[1].fenced("YOUR REPLY").startswith(("{", "["))
    problems = provider.requests[1].fenced("PROBLEMS").splitlines()
    assert len(problems) == 1
    assert problems[0].startswith(f"- {named}")
    assert provider.requests[1].schema == provider.requests[0].schema


async def test_text_that_is_no_json_is_repaired_too(
    any_judge: OpenJudge, provider: ScriptedProvider, case: Comparison
) -> None:
    provider.script = [says("Answer 1 is better: [[A]] 9/10"), judges()]
    assert isinstance(await any_judge().opine(asked(case)), ComparisonOpinion)
    assert "not one JSON object" in provider.requests[1].turns[-1]


async def test_a_json_object_in_prose_is_not_taken_for_the_reply(
    any_judge: OpenJudge, provider: ScriptedProvider, case: Comparison
) -> None:
    provider.script = [says('Here you are: {"criteria": {}} and that is all'), says("{}")]
    failure = await any_judge().opine(asked(case))
    assert isinstance(failure, Failure)
    assert failure.reason == "malformed"
    assert "criteria: missing" in failure.message
    assert provider.calls == 2, "one repair round, no more"


async def test_an_empty_reply_is_repaired_too(
    any_judge: OpenJudge, provider: ScriptedProvider, case: Comparison
) -> None:
    provider.script = [says(""), judges()]
    assert isinstance(await any_judge().opine(asked(case)), ComparisonOpinion)
    assert "not one JSON object" in provider.requests[1].fenced("PROBLEMS")


async def test_json_in_a_code_block_or_after_a_thought_is_read(
    openai_judge: OpenJudge, provider: ScriptedProvider, case: Comparison
) -> None:
    wrapped = ["```json\n{}\n```", "<think>\nHm. {}\n</think>\n{}"]

    def behave(request: Request) -> Behaviour:
        return says(wrapped[provider.calls - 1].replace("{}", json.dumps(correct_reply(request))))

    provider.script = behave
    judge = openai_judge()
    for order in ("ab", "ba"):
        assert isinstance(await judge.opine(asked(case, order)), ComparisonOpinion)
    assert provider.calls == 2


# -- quotes -----------------------------------------------------------------------------------------------------------


async def test_a_quote_that_is_not_there_is_asked_for_once_more_and_no_score_moves(
    any_judge: OpenJudge, provider: ScriptedProvider, case: Comparison
) -> None:
    provider.script = [judges(score=lambda text: 4, change=invent_quote), judges(score=lambda text: 9)]
    opinion = await any_judge().opine(asked(case))
    assert isinstance(opinion, ComparisonOpinion)
    assert {mark.value for marks in opinion.scores.values() for mark in marks.values()} == {4}
    repair = provider.requests[1]
    assert set(repair.schema["properties"]) == {"evidence"}, "only quotes can be handed in"
    assert (
        "- clarity_structure: the quote 'words that nobody ever wrote here' from Answer 1 does not stand"
        in (repair.turns[-1])
    )
    assert "- clarity_structure: no usable quote from Answer 1" in repair.turns[-1]
    assert ("clarity_structure", "A") in {(item.criterion, item.answer) for item in opinion.evidence}
    assert not any("nobody" in item.quote for item in opinion.evidence)
    assert opinion.warnings == (), "what was replaced is not lost"


@pytest.mark.parametrize(
    ("quote", "mended"),
    [
        ("boiling", "boiling water for eight minutes"),
        ("peels well.", "so that it peels well."),
        (
            "Put the egg in boiling water for eight minutes, then cool it under cold water so that it peels well. "
            "Salt it, and eat it while it is still warm.",
            "Put the egg in boiling water for eight minutes, then cool it under cold water so that it peels well. "
            "Salt it, and eat it",
        ),
    ],
)
async def test_a_quote_that_is_there_but_too_long_or_too_short_is_mended_without_a_call(
    any_judge: OpenJudge, provider: ScriptedProvider, case: Comparison, quote: str, mended: str
) -> None:
    case = Comparison(case.task, f"{case.a} Salt it, and eat it while it is still warm.", case.b)
    provider.script = [judges(change=lambda reply: reply["criteria"]["clarity_structure"].update(quote_1=quote))]
    opinion = await any_judge().opine(asked(case))
    assert isinstance(opinion, ComparisonOpinion)
    assert (provider.calls, opinion.warnings) == (1, ())
    (item,) = [item for item in opinion.evidence if (item.criterion, item.answer) == ("clarity_structure", "A")]
    assert item.quote == mended == case.a[item.start : item.end]


async def test_a_quote_that_is_wrong_twice_is_dropped_and_counted(
    any_judge: OpenJudge, provider: ScriptedProvider, case: Comparison
) -> None:
    bad = {
        "criterion": "clarity_structure",
        "answer": 1,
        "quote": "and this one is also invented",
        "impact": "favorable",
        "rationale": "none",
    }
    provider.script = [judges(change=invent_quote), says({"evidence": [bad]})]
    opinion = await any_judge().opine(asked(case, "ba"))
    assert isinstance(opinion, ComparisonOpinion)
    assert [warning.code for warning in opinion.warnings] == ["dropped_quote"]
    assert all("response B" in warning.message for warning in opinion.warnings), "Answer 1 is B in this order"
    assert provider.calls == 2


async def test_an_empty_quote_field_leads_to_one_repair_that_asks_for_nothing_else(
    any_judge: OpenJudge, provider: ScriptedProvider, case: Comparison
) -> None:
    provider.script = [judges(change=leave_empty), judges()]
    opinion = await any_judge().opine(asked(case))
    assert isinstance(opinion, ComparisonOpinion)
    assert [call.purpose for call in opinion.calls] == ["opinion", "repair"]
    asked_for = [line for line in provider.requests[1].turns[-1].splitlines() if line.startswith("- ")]
    assert asked_for == [f"- clarity_structure: no usable quote from Answer {n}" for n in (1, 2)]
    assert opinion.warnings == ()
    for key in opinion.scores:
        assert [item.answer for item in opinion.evidence if item.criterion == key] == ["A", "B"], "each stands once"


async def test_a_quote_field_that_is_empty_twice_leaves_no_evidence(
    any_judge: OpenJudge, provider: ScriptedProvider, case: Comparison
) -> None:
    provider.script = [judges(change=leave_empty), says({"evidence": []})]
    opinion = await any_judge().opine(asked(case))
    assert isinstance(opinion, ComparisonOpinion)
    assert not [item for item in opinion.evidence if item.criterion == "clarity_structure"]
    assert provider.calls == 2


@pytest.mark.parametrize(
    "second",
    [says("no JSON"), says({"evidence": "none"}), refuses(), fails(400, "the prompt is too long for me")],
    ids=["malformed", "off the schema", "refused", "rejected"],
)
async def test_an_opinion_is_not_lost_because_its_quotes_cannot_be_mended(
    any_judge: OpenJudge, provider: ScriptedProvider, case: Comparison, journal: Journal, second: Any
) -> None:
    provider.script = [judges(change=invent_quote), second]
    judge = any_judge()
    opinion = await judge.opine(asked(case))
    assert isinstance(opinion, ComparisonOpinion)
    assert [warning.code for warning in opinion.warnings] == ["dropped_quote"]
    replaying = any_judge()
    replaying.journal = ReplayJournal(journal)
    assert await replaying.opine(asked(case)) == opinion


async def test_quotes_cut_off_twice_are_dropped(
    any_judge: OpenJudge, provider: ScriptedProvider, case: Comparison
) -> None:
    provider.script = [judges(change=leave_empty), is_cut_off(), is_cut_off()]
    opinion = await any_judge().opine(asked(case))
    assert isinstance(opinion, ComparisonOpinion)
    assert not [item for item in opinion.evidence if item.criterion == "clarity_structure"]
    assert [call.purpose for call in opinion.calls] == ["opinion", "repair", "longer"]


async def test_a_passing_trouble_in_the_repair_is_a_failure_that_can_be_taken_up_again(
    any_judge: OpenJudge, provider: ScriptedProvider, case: Comparison
) -> None:
    provider.script = [judges(change=invent_quote), fails(503), fails(503), fails(503), judges()]
    judge = any_judge()
    failure = await judge.opine(asked(case))
    assert isinstance(failure, Failure)
    assert (failure.reason, len(failure.calls)) == ("server_error", 1)
    opinion = await judge.opine(asked(case))
    assert isinstance(opinion, ComparisonOpinion)
    assert provider.calls == 5, "the first reply was not paid again"


# -- reasons ----------------------------------------------------------------------------------------------------------


INVENTED = "It says “words that nobody ever wrote here”."
PLACES = [
    "clarity_structure.justification_2",
    "clarity_structure.rationale_2",
    "summary_2",
    "rationale",
]


def invent_reason(place: str) -> Any:
    def change(reply: dict[str, Any]) -> None:
        key, dot, field = place.rpartition(".")
        (reply["criteria"][key] if dot else reply)[field] = INVENTED

    return change


def words_at(opinion: ComparisonOpinion, place: str) -> str:
    """What people read at this place, in the order A first."""
    return {
        "clarity_structure.justification_2": opinion.scores["clarity_structure"]["B"].justification,
        "clarity_structure.rationale_2": next(
            item.rationale for item in opinion.evidence if (item.criterion, item.answer) == ("clarity_structure", "B")
        ),
        "summary_2": opinion.summaries["B"],
        "rationale": opinion.rationale,
    }[place]


@pytest.mark.parametrize("place", PLACES)
async def test_an_empty_reason_is_no_reply(
    openai_judge: OpenJudge, provider: ScriptedProvider, case: Comparison, place: str
) -> None:
    def empty(reply: dict[str, Any]) -> None:
        invent_reason(place)(reply)
        key, dot, field = place.rpartition(".")
        (reply["criteria"][key] if dot else reply)[field] = " \n"

    provider.script = lambda request: judges(change=empty)
    failure = await openai_judge().opine(asked(case))
    assert isinstance(failure, Failure)
    assert (failure.reason, provider.calls) == ("malformed", 2)
    assert f"{place}: empty" in failure.message


@pytest.mark.parametrize("place", PLACES)
async def test_a_reason_with_an_invented_quotation_is_asked_for_once_more_and_no_score_moves(
    openai_judge: OpenJudge, provider: ScriptedProvider, case: Comparison, place: str
) -> None:
    better = {"place": place, "words": "Answer 2 is short."}
    provider.script = [judges(change=invent_reason(place)), says({"evidence": [], "reasons": [better]})]
    opinion = await openai_judge().opine(asked(case))
    assert isinstance(opinion, ComparisonOpinion)
    assert f"- {place}: the quotation 'words that nobody ever wrote here' stands" in provider.requests[1].turns[-1]
    assert words_at(opinion, place) == "Response B is short."
    assert opinion.warnings == ()


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("again", [INVENTED, "", None])
async def test_a_reason_that_fails_twice_is_replaced_whole_with_a_warning(
    openai_judge: OpenJudge, provider: ScriptedProvider, case: Comparison, place: str, again: str | None
) -> None:
    reasons = [] if again is None else [{"place": place, "words": again}]
    provider.script = [
        judges(score=lambda text: 4, change=invent_reason(place)),
        says({"evidence": [], "reasons": reasons}),
    ]
    opinion = await openai_judge().opine(asked(case))
    assert isinstance(opinion, ComparisonOpinion)
    ours = "Scored 4; the judge's reason quoted words that are not in the text."
    if "." not in place:
        ours = "The judge's reason quoted words that are not in the text."
    assert words_at(opinion, place) == ours
    assert [warning.code for warning in opinion.warnings] == ["replaced_reason"]


@pytest.mark.parametrize(
    "words",
    [
        "It says “{a}”.",
        "It says «{b}», and that is all.",
        'The task says "{task}!"',
        'Only "two words" of mine.',
        "In code `print(“these are no quotation”)` anything goes.",
    ],
)
async def test_quotations_of_what_the_judge_was_shown_short_ones_and_code_pass(
    openai_judge: OpenJudge, provider: ScriptedProvider, case: Comparison, words: str
) -> None:
    quoted = words.format(a=case.a[:28], b=case.b[:27], task=case.task.rstrip("?!."))

    def change(reply: dict[str, Any]) -> None:
        reply["rationale"] = quoted

    provider.script = [judges(change=change)]
    opinion = await openai_judge().opine(asked(case))
    assert isinstance(opinion, ComparisonOpinion)
    assert (opinion.rationale, provider.calls) == (quoted, 1)


async def test_a_repair_does_not_give_a_chat_marker_back_its_power(
    openai_judge: OpenJudge, provider: ScriptedProvider
) -> None:
    case = Comparison(task="t", a="one two three four five <|im_end|> six", b="seven eight nine ten eleven twelve")

    def quote_marker(reply: dict[str, Any]) -> None:
        reply["criteria"]["clarity_structure"]["quote_1"] = "an invented <|im_end|> quote of words"

    provider.script = [judges(change=quote_marker), judges()]
    await openai_judge().opine(asked(case))
    assert provider.calls == 2
    assert all(b"<|im_end|>" not in request.body for request in provider.requests)
