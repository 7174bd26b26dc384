"""Every rule of a grading, with a model that says what the test tells it."""

from fractions import Fraction

import pytest
from protocols.grade.judging import answers, claim, codes, demand, graded, point, prompts, rubric_of, shown
from protocols.grade.verdicts import ANSWER, REFERENCE, SOURCE, TASK, case, stepped

from adjudge.models.base import from_json, to_json
from adjudge.models.common import Failure
from adjudge.protocols.grade.verdict import GradeVerdict

CITY, PEOPLE, FOUNDED = "The capital of Norway is Oslo.", "About 720,000 people live there", "it was founded in 1624"
IN_SOURCE = "Oslo is the capital of Norway."
ASK = ("city", 2, 'ask: "Does it name the city?"')
FAULT = ("rude", -1, 'ask: "Is it rude?"')
STRICT = ("rude", -1, 'required: true, ask: "Is it rude?"')
SCALE = ("clear", 1, 'ask: "How clear?", scale: {1: no, 3: partly, 5: fully}')
CLAIMS = ("claims", 3, "claims: context")
BOTH = ("claims", 3, "claims: both")
COVERS = ("covers", 3, "covers: reference")
DEMANDS = ("demands", 2, "constraints: task")
CHECK = ("short", 1, "check: {max_words: 40}")
SENTENCES = demand("at most 2 sentences", "sentences", 2, "at_most")


async def item_of(provider, journal, item, said=None, given=None, more=(), **options):
    """Grade one item beside a check, so that there is always something to grade."""
    rubric = rubric_of(item, *more, CHECK)
    verdict = await graded(
        provider, journal, given or case(), rubric, None if said is None else {item[0]: said}, **options
    )
    assert isinstance(verdict, GradeVerdict), verdict
    return verdict, verdict.items[0]


# -- ask ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "result", "share"),
    [
        (answers("yes", CITY), "yes", 1),
        (answers("no"), "no", 0),
        (answers("not_applicable"), "not_applicable", None),
        (answers("yes", "Bergen is the capital of Norway."), "unproven", 0),
        (answers("yes", ""), "unproven", 0),
        (answers("yes", "Oslo"), "unproven", 0),  # fewer than three words
    ],
)
async def test_ask_is_all_or_nothing_and_a_yes_without_a_verified_quote_is_unproven(
    provider, journal, said, result, share
):
    verdict, item = await item_of(provider, journal, ASK, said)
    assert (item.result, item.share) == (result, share)
    assert item.applicable == (result != "not_applicable")
    assert [quote.quote for quote in item.evidence] == ([CITY] if result == "yes" else [])
    assert ("unproven" in codes(verdict)) == (result == "unproven")
    assert provider.calls == (2 if result == "unproven" else 1)  # one repair


async def test_an_unproven_yes_is_asked_for_once_more(provider, journal):
    again = [{"item": "city", "quote": CITY, "reason": "It says so."}]
    verdict, item = await item_of(provider, journal, ASK, answers("yes", "Oslo it is"), again=again)
    assert (item.result, item.evidence[0].quote, codes(verdict)) == ("yes", CITY, [])
    assert verdict.quoted.invented == 1  # the first reply counts


async def test_quote_none_needs_no_quote(provider, journal):
    _, item = await item_of(provider, journal, (*ASK[:2], f"quote: none, {ASK[2]}"), answers("yes"))
    assert (item.result, item.evidence) == ("yes", ())
    assert "quote" not in provider.requests[0].schema["properties"]["city"]["properties"]


async def test_a_required_item_offers_no_not_applicable(provider, journal):
    await item_of(provider, journal, (*ASK[:2], f"required: true, {ASK[2]}"), answers("no"))
    assert provider.requests[0].schema["properties"]["city"]["properties"]["answer"]["enum"] == ["yes", "no"]


@pytest.mark.parametrize(
    ("item", "said", "result", "earned", "met"),
    [
        (FAULT, answers("yes", CITY), "yes", -1, None),
        (FAULT, answers("no"), "no", 0, None),
        (FAULT, answers("yes", "You are a fool."), "unproven", 0, None),
        (STRICT, answers("yes", CITY), "yes", -1, False),
        (STRICT, answers("no"), "no", 0, True),
        (STRICT, answers("yes", "You are a fool."), "unassessed", None, None),
    ],
)
async def test_a_fault_costs_when_found_and_an_unproven_required_fault_is_unassessed(
    provider, journal, item, said, result, earned, met
):
    verdict, found = await item_of(provider, journal, item, said)
    assert (found.result, found.earned, found.met) == (result, earned, met)
    assert verdict.decided == (result != "unassessed")


async def test_scale_earns_its_share_and_an_unverified_quote_is_dropped_with_a_warning(provider, journal):
    verdict, item = await item_of(provider, journal, SCALE, answers(3, "This is not there."))
    assert (item.result, item.share, item.evidence, codes(verdict)) == ("3", Fraction(1, 2), (), ["dropped_quote"])
    verdict, item = await item_of(provider, journal, SCALE, answers(5, PEOPLE))
    assert (item.result, item.share, item.evidence[0].quote, codes(verdict)) == ("5", 1, PEOPLE, [])


async def test_a_reason_that_quotes_what_is_not_in_the_texts_is_replaced_whole(provider, journal):
    said = answers("no", reason="It says “Bergen is the best of all” and stops.")
    verdict, item = await item_of(provider, journal, ASK, said)
    assert item.reason == "Answered no; the judge's reason quoted words that are not in the text."
    assert codes(verdict) == ["replaced_reason"]


async def test_an_empty_reason_is_no_reply(provider, journal):
    rubric = rubric_of(ASK)
    outcome = await graded(provider, journal, case(), rubric, {"city": answers("no", reason=" ")}, again={})
    assert isinstance(outcome, Failure)
    assert outcome.reason == "malformed"


@pytest.mark.parametrize(
    ("quote", "holds"),
    [
        ("capital of Norway", True),
        ("of Norway", False),
        ("Oslo it is!", True),
        ("Oslo it", False),
        ("Yes.", True),  # a whole sentence
        ("Bergen", True),  # a whole line
        ("- Bergen", True),
    ],
)
async def test_quotes_of_the_answer_have_at_least_3_words_or_are_a_whole_sentence_or_line(
    provider, journal, quote, holds
):
    given = case(answer="Yes. The capital of Norway? Oslo it is!\n- Bergen\n- Stavanger and Moss")
    _, item = await item_of(provider, journal, ASK, answers("yes", quote), given)
    assert item.result == ("yes" if holds else "unproven")


# -- claims and covers -------------------------------------------------------------------------------------------------


async def test_claims_earn_what_is_supported_and_both_quotes_are_verified(provider, journal):
    said = [
        claim(CITY, "supported", IN_SOURCE),
        claim(FOUNDED, "contradicted", "It was founded around 1040."),
        claim(PEOPLE, "not_found"),
    ]
    verdict, item = await item_of(provider, journal, CLAIMS, said)
    assert (item.result, item.share, item.earned) == ("1/3", Fraction(1, 3), 1)
    assert [(one.claim.quote, one.result, one.source and one.source.quote) for one in item.claims] == [
        (CITY, "supported", IN_SOURCE),
        (PEOPLE, "not_found", None),
        (FOUNDED, "contradicted", "It was founded around 1040."),
    ]
    assert {(one.source.text, one.source.context) for one in item.claims if one.source} == {("context", "guide")}
    assert item.reason == "1 of 3 claims are supported, 1 is contradicted, 1 is not found."
    assert (codes(verdict), provider.calls) == ([], 1)


async def test_a_claim_without_a_verified_quote_of_the_answer_is_dropped_and_of_the_source_is_not_found(
    provider, journal
):
    said = [
        claim("Bergen is the capital.", "supported", IN_SOURCE),
        claim(CITY, "supported", "Oslo is nice in winter."),
        claim(PEOPLE, "contradicted", ""),
        claim(FOUNDED, "contradicted", "founded around 1040"),
    ]
    verdict, item = await item_of(provider, journal, CLAIMS, said)
    assert [(one.claim.quote, one.result) for one in item.claims] == [
        (CITY, "not_found"), (PEOPLE, "not_found"), (FOUNDED, "contradicted")
    ]  # fmt: skip
    assert sorted(codes(verdict)) == ["dropped_claim", "not_found", "not_found"]
    assert provider.calls == 2


async def test_a_repair_mends_the_quotes_of_a_claim_and_not_its_result(provider, journal):
    said = [claim("Oslo, the capital", "supported", "Oslo, of course"), claim(PEOPLE, "not_found")]
    again = [{"item": "claims", "number": 1, "quote": CITY, "other_quote": IN_SOURCE}]
    verdict, item = await item_of(provider, journal, CLAIMS, said, again=again)
    assert [(one.claim.quote, one.result) for one in item.claims] == [(CITY, "supported"), (PEOPLE, "not_found")]
    assert codes(verdict) == []


@pytest.mark.parametrize("turned", [False, True])
async def test_overlapping_quotes_of_the_answer_are_one_claim_and_the_worse_result_counts(provider, journal, turned):
    said = [
        claim("The capital of Norway is Oslo", "supported", IN_SOURCE),
        claim("of Norway is Oslo. About", "contradicted", "717,710"),
        claim(FOUNDED, "not_found"),
    ]
    _, item = await item_of(provider, journal, CLAIMS, said[::-1] if turned else said)
    assert [(one.claim.quote, one.result, one.source and one.source.quote) for one in item.claims] == [
        ("The capital of Norway is Oslo. About", "contradicted", "717,710"),
        (FOUNDED, "not_found", None),
    ]


async def test_claims_say_which_sentences_of_the_answer_no_claim_covers(provider, journal):
    _, item = await item_of(provider, journal, CLAIMS, [claim(PEOPLE, "not_found")])
    assert [quote.quote for quote in item.unclaimed] == [CITY]


@pytest.mark.parametrize(
    ("item", "given", "source", "where"),
    [
        (CLAIMS, {}, IN_SOURCE, "context"),
        (BOTH, {}, IN_SOURCE, "context"),
        (BOTH, {}, "Oslo is the capital.", "reference"),
        (BOTH, {"context": None}, "Oslo is the capital.", "reference"),
        (("claims", 3, "claims: reference"), {}, "Oslo is the capital.", "reference"),
        (("claims", 3, "claims: reference"), {}, IN_SOURCE, None),
        (CLAIMS, {}, "Oslo is the capital.", None),
    ],
)
async def test_claims_are_held_against_the_source_that_is_named(provider, journal, item, given, source, where):
    _, found = await item_of(provider, journal, item, [claim(CITY, "supported", source)], case(**given))
    assert found.claims[0].result == ("supported" if where else "not_found")
    assert (found.claims[0].source and found.claims[0].source.text) == where


async def test_covers_earns_what_is_covered_and_a_covered_that_cannot_be_shown_is_missing(provider, journal):
    said = [
        point("Oslo is the capital.", "covered", CITY),
        point("about 720,000 inhabitants", "covered", "Many people live there."),
        point("Bergen is no capital", "missing"),
    ]
    verdict, item = await item_of(provider, journal, COVERS, said)
    assert (item.result, item.share) == ("1/2", Fraction(1, 2))
    assert [(one.point.quote, one.result, one.answer and one.answer.quote) for one in item.main_points] == [
        ("Oslo is the capital.", "covered", CITY),
        ("about 720,000 inhabitants", "missing", None),
    ]
    assert sorted(codes(verdict)) == ["dropped_claim", "not_found"]


# -- constraints -------------------------------------------------------------------------------------------------------


async def test_constraints_are_measured_and_the_judge_sees_the_task_only(provider, journal):
    verdict, item = await item_of(provider, journal, DEMANDS, demands=[SENTENCES])
    assert (item.result, item.share, codes(verdict)) == ("1/1", 1, [])
    assert item.constraints[0].found == "has 1 to 2 sentences; at most 2 were asked for"
    (sent,) = prompts(provider)
    assert TASK in sent
    assert ANSWER not in sent
    assert SOURCE not in sent
    assert REFERENCE not in sent
    missed = case(answer="One. Two came. Three went. Four stayed.")
    _, item = await item_of(provider, journal, DEMANDS, given=missed, demands=[SENTENCES])
    assert (item.result, item.share, item.constraints[0].met) == ("0/1", 0, False)


async def test_a_range_that_misses_only_in_part_is_met(provider, journal):
    given = case(task="Answer in at most 2 sentences.", answer="It is about approx. Five of them. See also e.g. Oslo.")
    _, item = await item_of(provider, journal, DEMANDS, given=given, demands=[SENTENCES])
    assert item.constraints[0].met is True


async def test_a_constraint_that_is_a_hint_counts_nowhere_and_if_none_is_left_the_item_is_unassessed(provider, journal):
    hint = demand("how many people", "list")  # the words name no list
    verdict, item = await item_of(provider, journal, DEMANDS, demands=[SENTENCES, hint])
    assert (item.result, [one.met for one in item.constraints]) == ("1/1", [True, None])
    verdict, item = await item_of(provider, journal, DEMANDS, demands=[hint])
    assert (item.result, item.assessed, item.applicable) == ("unassessed", False, True)
    assert "not_assessed" in codes(verdict)


# -- what applies, and what is assessed --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("item", "given"),
    [
        (CLAIMS, {"context": None}),
        (COVERS, {"reference": None}),
        (BOTH, {"context": "  ", "reference": ""}),
        (("claims", 1, "claims: reference"), {"reference": ""}),
    ],
)
async def test_an_item_whose_source_was_not_given_is_not_applicable_and_not_asked(provider, journal, item, given):
    verdict, found = await item_of(provider, journal, item, given=case(**given))
    assert (found.result, found.applicable, found.assessed) == ("not_applicable", False, False)
    assert (provider.calls, verdict.score) == (0, 1)


@pytest.mark.parametrize("item", [CLAIMS, COVERS, DEMANDS])
async def test_nothing_listed_is_not_applicable(provider, journal, item):
    _, found = await item_of(provider, journal, item, [] if item is not DEMANDS else None)
    assert (found.result, found.applicable) == ("not_applicable", False)


@pytest.mark.parametrize(
    ("item", "said", "demands"),
    [
        (CLAIMS, [claim("This is not there at all.", "supported", IN_SOURCE)], ()),
        (COVERS, [point("This is not there at all.", "covered", CITY)], ()),
        (DEMANDS, None, [demand("in exactly 7 words", "words", 7)]),
    ],
)
async def test_all_that_was_listed_was_dropped_is_unassessed(provider, journal, item, said, demands):
    verdict, found = await item_of(provider, journal, item, said, demands=demands)
    assert (found.result, found.applicable, found.assessed) == ("unassessed", True, False)
    assert (verdict.passed, verdict.decided) == (None, False)


async def test_the_score_is_an_exact_fraction_rounded_to_six_decimals(provider, journal):
    said = [claim(CITY, "supported", IN_SOURCE), claim(PEOPLE, "not_found"), claim(FOUNDED, "not_found")]
    rubric = rubric_of(CLAIMS, FAULT, ASK, CHECK, pass_at="0.5")
    verdict = await graded(
        provider, journal, case(), rubric, {"claims": said, "rude": answers("no"), "city": answers("yes", CITY)}
    )
    assert (str(verdict.score), str(verdict.score_exact), verdict.passed) == ("0.666667", "2/3", True)
    assert [str(item.earned_exact) for item in verdict.items] == ["1", "0", "2", "1"]
    assert verdict.why == "Passed: the score is 66.7, and 50 is needed."
    written = to_json(verdict)
    assert from_json(GradeVerdict, written, case=verdict.case, rubric=rubric) == verdict


@pytest.mark.parametrize("given", [{"context": None}, {}])
async def test_no_positive_item_applicable_and_assessed_is_a_failure_nothing_to_grade(provider, journal, given):
    said = {"claims": [claim("This is not there at all.", "supported", IN_SOURCE)], "rude": answers("no")}
    outcome = await graded(provider, journal, case(**given), rubric_of(CLAIMS, FAULT), said)
    assert isinstance(outcome, Failure)
    assert (outcome.reason, len(outcome.calls)) == ("nothing_to_grade", provider.calls)


@pytest.mark.parametrize(
    ("item", "said", "met"),
    [
        (("x", 1, 'required: true, ask: "Q?"'), answers("yes", CITY), True),
        (("x", 1, 'required: true, ask: "Q?"'), answers("no"), False),
        (("x", 1, 'required: true, ask: "Q?", scale: {1: a, 3: b, 5: c}'), answers(5, CITY), True),
        (("x", 1, 'required: true, ask: "Q?", scale: {1: a, 3: b, 5: c}'), answers(3, CITY), False),
        (("x", 1, 'required: true, at_least: 3, ask: "Q?", scale: {1: a, 3: b, 5: c}'), answers(3, CITY), True),
        (("x", 1, 'required: true, at_least: 3, ask: "Q?", scale: {1: a, 3: b, 5: c}'), answers(1, CITY), False),
        (("x", 1, "required: true, claims: context"), [claim(CITY, "supported", IN_SOURCE)], True),
        (
            ("x", 1, "required: true, claims: context"),
            [claim(CITY, "supported", IN_SOURCE), claim(PEOPLE, "not_found")],
            False,
        ),
        (
            ("x", 1, "required: true, at_least: 0.5, claims: context"),
            [claim(CITY, "supported", IN_SOURCE), claim(PEOPLE, "not_found")],
            True,
        ),
        (("x", 1, "required: true, check: {contains: Oslo}"), None, True),
        (("x", 1, "required: true, check: {contains: Bergen}"), None, False),
        (("x", -1, "required: true, check: {contains: Bergen}"), None, True),
        (("x", -1, "required: true, check: {contains: Oslo}"), None, False),
    ],
)
async def test_passed_needs_every_applicable_required_item(provider, journal, item, said, met):
    verdict = await graded(
        provider, journal, case(), rubric_of(item, ("rest", 99, "check: {contains: Oslo}")), {"x": said}
    )
    assert verdict.score_exact >= Fraction(7, 10)
    assert (verdict.items[0].met, verdict.passed, verdict.decided) == (met, met, True)
    assert verdict.why.startswith("Passed" if met else "Failed: required and not met: “X”")


@pytest.mark.parametrize(
    ("points", "passed", "worst", "best"),
    [
        (1, None, "1/2", "1"),  # at worst 1 of 2 points, at best 2
        ("0.1", True, "10/11", "1"),
        (-1, None, "0", "1"),  # a fault at its worst is found
    ],
)
async def test_passed_is_computed_twice_with_unassessed_items_at_worst_and_at_best(
    provider, journal, points, passed, worst, best
):
    open_item = ("open", points, "check: {language: en}")  # nobody can tell from three words
    rubric = rubric_of(open_item, ("short", 1, "check: {max_words: 40}"))
    verdict = await graded(provider, journal, case(answer="Oslo it is."), rubric)
    assert (verdict.passed, verdict.decided) == (passed, passed is not None)
    assert (str(verdict.worst.score_exact), str(verdict.best.score_exact), verdict.score) == (worst, best, 1)
    assert verdict.answer == ("undecided" if passed is None else "pass")
    assert verdict.why.startswith("Undecided: nobody assessed “Open”;" if passed is None else "Passed")


@pytest.mark.parametrize(
    "given", [case(answer=" \n"), stepped(("user", "Well?"), ("assistant", " "), ("tool result", "", "x"))]
)
async def test_an_empty_answer_is_score_0_failed_and_decided_without_a_call(provider, journal, given):
    every = rubric_of(ASK, STRICT, SCALE, CLAIMS, COVERS, DEMANDS, CHECK, pass_at=0)
    verdict = await graded(provider, journal, given, every)
    assert (verdict.score, verdict.passed, verdict.decided, provider.calls) == (0, False, True, 0)
    assert verdict.why == "Failed: the answer is empty."
    fault_only_besides_claims = rubric_of(CLAIMS, FAULT)
    verdict = await graded(provider, journal, given.updated(context=None), fault_only_besides_claims)
    assert verdict.passed is False  # before any other rule


async def test_a_call_that_fails_fails_the_case(provider, journal):
    from scripted.provider import refuses

    rubric = rubric_of(ASK, DEMANDS, CHECK)
    provider.script = lambda request: refuses()
    from scripted.judging import open_openai

    from adjudge.protocols.grade.rules import grade

    judge = open_openai(provider, journal)
    outcome = await grade(case(), judge, rubric)
    await judge.close()
    assert isinstance(outcome, Failure)
    assert (outcome.reason, len(outcome.calls)) == ("refused", 2)


@pytest.mark.parametrize(
    ("items", "calls"),
    [
        ([CHECK], 0),
        ([ASK, SCALE, FAULT, CHECK], 1),
        ([CLAIMS, COVERS, ("more", 1, "claims: reference")], 1),
        ([DEMANDS, ("again", 1, "constraints: task")], 1),
        ([ASK, SCALE, CLAIMS, COVERS, DEMANDS, CHECK], 3),
    ],
)
async def test_one_call_for_all_ask_one_for_claims_and_covers_one_for_constraints(provider, journal, items, calls):
    said = {
        "city": answers("yes", CITY), "rude": answers("no"), "clear": answers(5, CITY),
        "claims": [claim(CITY, "supported", IN_SOURCE)], "more": [claim(CITY, "not_found")],
        "covers": [point("Oslo is the capital.", "covered", CITY)],
    }  # fmt: skip
    verdict = await graded(provider, journal, case(), rubric_of(*items), said, demands=[SENTENCES])
    assert (len(verdict.calls), provider.calls) == (calls, calls)
    if calls == 3:
        asked = next(text for text in prompts(provider) if "Answer every question" in text)
        assert all(text in asked for text in (TASK, ANSWER, REFERENCE, SOURCE))


# -- steps -------------------------------------------------------------------------------------------------------------

WEATHER = stepped(
    ("user", "What is the weather in Oslo?"),
    ("assistant", "Let me look that up."),
    ("tool call", '{"city": "Bergen", "unit": "celsius"}', "get_weather"),
    ("tool result", "Rain all day, 4 degrees.", "get_weather"),
    ("assistant", "In Oslo it rains all day."),
    task="What is the weather in Oslo?",
)


async def test_a_tool_call_that_contradicts_the_answer_is_shown_and_quoted_with_its_step(provider, journal):
    fault = ("other_city", -1, 'ask: "Does it look up another city than it answers about?"')
    said = answers("yes", '"city": "Bergen", "unit"', step=3)
    verdict, item = await item_of(provider, journal, fault, said, WEATHER)
    (sent,) = prompts(provider)
    assert '<<<STEP 3 TOOL CALL get_weather>>>\n{"city": "Bergen", "unit": "celsius"}' in sent
    assert "<<<STEP 5 ASSISTANT>>>\nIn Oslo it rains all day." in sent
    (quote,) = item.evidence
    assert (quote.text, quote.step, quote.quote) == ("step", 3, '"city": "Bergen", "unit"')
    assert verdict.text_of(quote)[quote.start : quote.end] == quote.quote
    assert item.result == "yes"


async def test_a_quote_that_names_another_step_gets_the_step_it_is_in(provider, journal):
    _, item = await item_of(provider, journal, ASK, answers("yes", "Rain all day", step=1), WEATHER)
    assert item.evidence[0].step == 4


async def test_check_claims_and_constraints_read_the_last_assistant_text(provider, journal):
    rubric = rubric_of(CLAIMS, DEMANDS, ("x", 1, "check: {equals: In Oslo it rains all day.}"))
    given = WEATHER.updated(context=[{"id": "met", "text": "Oslo: rain all day."}])
    said = {
        "claims": [claim("Let me look that up.", "not_found"), claim("it rains all day", "supported", "rain all day")]
    }
    verdict = await graded(provider, journal, given, rubric, said, demands=[])
    assert shown(verdict) == {"claims": "1/1", "demands": "not_applicable", "x": "yes"}
    assert (verdict.items[0].claims[0].claim.text, verdict.items[0].claims[0].claim.step) == ("step", 5)


async def test_without_an_assistant_text_check_reads_an_empty_text_and_the_others_are_unassessed(provider, journal):
    given = stepped(("tool call", '{"city": "Bergen"}', "get_weather"), ("tool result", "Rain.", "get_weather"))
    rubric = rubric_of(CLAIMS, DEMANDS, ("x", 1, "check: {max_characters: 0}"))
    verdict = await graded(provider, journal, given, rubric)
    assert shown(verdict) == {"claims": "unassessed", "demands": "unassessed", "x": "yes"}
    assert (provider.calls, verdict.decided) == (0, False)


# -- the embedded judge ------------------------------------------------------------------------------------------------


async def test_the_embedded_judge_assesses_checks_and_only_demands_of_kinds_that_bind(tmp_path, monkeypatch):
    import adjudge
    from adjudge.constraints import english

    every = rubric_of(ASK, SCALE, CLAIMS, COVERS, DEMANDS, CHECK)
    given = {"reference": REFERENCE, "context": SOURCE, "journal": tmp_path / "journal.db", "rubric": every}
    verdict = await adjudge.grade(TASK, ANSWER, **given)
    assert shown(verdict) == {
        **dict.fromkeys(("city", "clear", "claims", "covers", "demands"), "unassessed"),
        "short": "yes",
    }
    assert codes(verdict) == ["not_assessed"]
    monkeypatch.setattr(english, "binds", lambda kind, readings=None: kind == "sentences")
    verdict = await adjudge.grade(TASK, ANSWER, **given)
    assert shown(verdict)["demands"] == "1/1"
    verdict = await adjudge.grade("Name the city.", ANSWER, **given)
    assert shown(verdict)["demands"] == "unassessed"  # its silence proves nothing
