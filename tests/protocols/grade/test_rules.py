"""How each kind of item is decided, with a model that says what the test tells it."""

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
    demand,
    graded,
    point,
    prompts,
    rubric_of,
    shown,
)  # fmt: skip
from protocols.grade.verdicts import ANSWER, REFERENCE, SOURCE, TASK, case, stepped

from adjudge.models.common import Failure
from adjudge.protocols.grade.verdict import GradeVerdict

REFERRED = ("claims", 3, "claims: reference")
BOTH = ("claims", 3, "claims: both")
IN_REFERENCE = "Oslo is the capital."


async def item_of(provider, journal, item, said=None, given=None, **options):
    """Grade one item beside a check, so that there is always something to grade."""
    told = None if said is None else {item[0]: said}
    verdict = await graded(provider, journal, given or case(), rubric_of(item, CHECK), told, **options)
    assert isinstance(verdict, GradeVerdict), verdict
    return verdict, verdict.items[0]


# -- ask ---------------------------------------------------------------------------------------------------------------


async def test_ask_is_all_or_nothing_and_a_yes_without_a_verified_quote_is_unproven(provider, journal):
    for said, result, share in (
        (answers("yes", CITY), "yes", 1),
        (answers("no"), "no", 0),
        (answers("not_applicable"), "not_applicable", None),
        (answers("yes", "Bergen is the capital of Norway."), "unproven", 0),
        (answers("yes", ""), "unproven", 0),
        (answers("yes", "Oslo"), "unproven", 0),  # fewer than three words
    ):
        verdict, item = await item_of(provider, journal, ASK, said)
        assert (item.result, item.share) == (result, share), said
        assert item.applicable == (result != "not_applicable")
        assert [quote.quote for quote in item.evidence] == ([CITY] if result == "yes" else [])
        assert ("unproven" in codes(verdict)) == (result == "unproven")
        assert provider.calls == (2 if result == "unproven" else 1)  # one repair
    again = [{"item": "city", "quote": CITY, "reason": "It says so."}]
    verdict, item = await item_of(provider, journal, ASK, answers("yes", "Oslo it is"), again=again)
    assert (item.result, item.evidence[0].quote, codes(verdict)) == ("yes", CITY, [])
    assert verdict.quoted.invented == 1  # the first reply counts


async def test_quote_none_needs_no_quote_and_a_required_item_offers_no_not_applicable(provider, journal):
    _, item = await item_of(provider, journal, (*ASK[:2], f"quote: none, {ASK[2]}"), answers("yes"))
    assert (item.result, item.evidence) == ("yes", ())
    assert "quote" not in provider.requests[0].schema["properties"]["city"]["properties"]
    await item_of(provider, journal, (*ASK[:2], f"required: true, {ASK[2]}"), answers("no"))
    assert provider.requests[0].schema["properties"]["city"]["properties"]["answer"]["enum"] == ["yes", "no"]


async def test_a_fault_costs_when_found_and_an_unproven_required_fault_is_unassessed(provider, journal):
    forged = answers("yes", "You are a fool.")
    for item, said, result, earned, met in (
        (FAULT, answers("yes", CITY), "yes", -1, None),
        (FAULT, answers("no"), "no", 0, None),
        (FAULT, forged, "unproven", 0, None),
        (STRICT, answers("yes", CITY), "yes", -1, False),
        (STRICT, answers("no"), "no", 0, True),
        (STRICT, forged, "unassessed", None, None),
    ):
        verdict, found = await item_of(provider, journal, item, said)
        assert (found.result, found.earned, found.met) == (result, earned, met)
        assert verdict.decided == (result != "unassessed")


async def test_scale_earns_its_share_and_an_unverified_quote_is_dropped_with_a_warning(provider, journal):
    verdict, item = await item_of(provider, journal, SCALE, answers(3, "This is not there."))
    assert (item.result, item.share, item.evidence, codes(verdict)) == ("3", Fraction(1, 2), (), ["dropped_quote"])
    verdict, item = await item_of(provider, journal, SCALE, answers(5, PEOPLE))
    assert (item.result, item.share, item.evidence[0].quote, codes(verdict)) == ("5", 1, PEOPLE, [])


async def test_a_reason_that_quotes_what_is_not_in_the_texts_is_replaced_whole_and_an_empty_one_is_no_reply(
    provider, journal
):
    said = answers("no", reason="It says “Bergen is the best of all” and stops.")
    verdict, item = await item_of(provider, journal, ASK, said)
    assert item.reason == "Answered no; the judge's reason quoted words that are not in the text."
    assert codes(verdict) == ["replaced_reason"]
    outcome = await graded(provider, journal, case(), rubric_of(ASK), {"city": answers("no", reason=" ")}, again={})
    assert isinstance(outcome, Failure)
    assert outcome.reason == "malformed"


async def test_quotes_of_the_answer_have_at_least_3_words_or_are_a_whole_sentence_or_line(provider, journal):
    given = case(answer="Yes. The capital of Norway? Oslo it is!\n- Bergen\n- Stavanger and Moss")
    sentences_and_lines = ("Yes.", "Bergen", "- Bergen")
    for quote in ("capital of Norway", "of Norway", "Oslo it is!", "Oslo it", *sentences_and_lines):
        _, item = await item_of(provider, journal, ASK, answers("yes", quote), given)
        holds = len(quote.split()) >= 3 or quote in sentences_and_lines
        assert item.result == ("yes" if holds else "unproven"), quote


# -- claims and covers -------------------------------------------------------------------------------------------------


async def test_claims_earn_what_is_supported_and_both_quotes_are_verified(provider, journal):
    around = "It was founded around 1040."
    said = [claim(CITY, "supported", IN_SOURCE), claim(FOUNDED, "contradicted", around), claim(PEOPLE, "not_found")]
    verdict, item = await item_of(provider, journal, CLAIMS, said)
    assert (item.result, item.share, item.earned) == ("1/3", Fraction(1, 3), 1)
    assert [(one.claim.quote, one.result, one.source and one.source.quote) for one in item.claims] == [
        (CITY, "supported", IN_SOURCE), (PEOPLE, "not_found", None), (FOUNDED, "contradicted", around),
    ]  # fmt: skip
    assert {(one.source.text, one.source.context) for one in item.claims if one.source} == {("context", "guide")}
    assert item.reason == "1 of 3 claims are supported, 1 is contradicted, 1 is not found."
    assert (codes(verdict), provider.calls) == ([], 1)
    _, item = await item_of(provider, journal, CLAIMS, [claim(PEOPLE, "not_found")])
    assert [quote.quote for quote in item.unclaimed] == [CITY]  # the sentences that no claim covers


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
    results = [(one.claim.quote, one.result) for one in item.claims]
    assert results == [(CITY, "not_found"), (PEOPLE, "not_found"), (FOUNDED, "contradicted")]
    assert sorted(codes(verdict)) == ["dropped_claim", "not_found", "not_found"]
    assert provider.calls == 2


async def test_a_repair_mends_the_quotes_of_a_claim_and_not_its_result(provider, journal):
    said = [claim("Oslo, the capital", "supported", "Oslo, of course"), claim(PEOPLE, "not_found")]
    again = [{"item": "claims", "number": 1, "quote": CITY, "other_quote": IN_SOURCE}]
    verdict, item = await item_of(provider, journal, CLAIMS, said, again=again)
    assert [(one.claim.quote, one.result) for one in item.claims] == [(CITY, "supported"), (PEOPLE, "not_found")]
    assert codes(verdict) == []


async def test_claims_are_held_against_the_source_that_is_named(provider, journal):
    for item, given, source, where in (
        (CLAIMS, {}, IN_SOURCE, "context"),
        (BOTH, {}, IN_SOURCE, "context"),
        (BOTH, {}, IN_REFERENCE, "reference"),
        (BOTH, {"context": None}, IN_REFERENCE, "reference"),
        (REFERRED, {}, IN_REFERENCE, "reference"),
        (REFERRED, {}, IN_SOURCE, None),
        (CLAIMS, {}, IN_REFERENCE, None),
    ):
        _, found = await item_of(provider, journal, item, [claim(CITY, "supported", source)], case(**given))
        assert found.claims[0].result == ("supported" if where else "not_found"), (item, source)
        assert (found.claims[0].source and found.claims[0].source.text) == where


async def test_covers_earns_what_is_covered_and_a_covered_that_cannot_be_shown_is_missing(provider, journal):
    said = [
        point(IN_REFERENCE, "covered", CITY),
        point("about 720,000 inhabitants", "covered", "Many people live there."),
        point("Bergen is no capital", "missing"),
    ]
    verdict, item = await item_of(provider, journal, COVERS, said)
    assert (item.result, item.share) == ("1/2", Fraction(1, 2))
    assert [(one.point.quote, one.result, one.answer and one.answer.quote) for one in item.main_points] == [
        (IN_REFERENCE, "covered", CITY), ("about 720,000 inhabitants", "missing", None),
    ]  # fmt: skip
    assert sorted(codes(verdict)) == ["dropped_claim", "not_found"]


# -- constraints -------------------------------------------------------------------------------------------------------


async def test_constraints_are_measured_and_the_judge_sees_the_task_only(provider, journal):
    verdict, item = await item_of(provider, journal, DEMANDS, demands=[SENTENCES])
    assert (item.result, item.share, codes(verdict)) == ("1/1", 1, [])
    assert item.constraints[0].found == "has 1 to 2 sentences; at most 2 were asked for"
    (sent,) = prompts(provider)
    assert [text in sent for text in (TASK, ANSWER, SOURCE, REFERENCE)] == [True, False, False, False]
    missed = case(answer="One. Two came. Three went. Four stayed.")
    _, item = await item_of(provider, journal, DEMANDS, given=missed, demands=[SENTENCES])
    assert (item.result, item.share, item.constraints[0].met) == ("0/1", 0, False)
    in_part = case(
        task="Answer in at most 2 sentences.", answer="It is about approx. Five of them. See also e.g. Oslo."
    )
    _, item = await item_of(provider, journal, DEMANDS, given=in_part, demands=[SENTENCES])
    assert item.constraints[0].met is True


async def test_a_constraint_that_is_a_hint_counts_nowhere_and_if_none_is_left_the_item_is_unassessed(provider, journal):
    hint = demand("how many people", "list")  # the words name no list
    verdict, item = await item_of(provider, journal, DEMANDS, demands=[SENTENCES, hint])
    assert (item.result, [one.met for one in item.constraints]) == ("1/1", [True, None])
    verdict, item = await item_of(provider, journal, DEMANDS, demands=[hint])
    assert (item.result, item.assessed, item.applicable) == ("unassessed", False, True)
    assert "not_assessed" in codes(verdict)


# -- what applies, and what is assessed --------------------------------------------------------------------------------


async def test_an_item_whose_source_was_not_given_is_not_applicable_and_not_asked(provider, journal):
    for item, given in (
        (CLAIMS, {"context": None}),
        (COVERS, {"reference": None}),
        (BOTH, {"context": "  ", "reference": ""}),
        (REFERRED, {"reference": ""}),
    ):
        verdict, found = await item_of(provider, journal, item, given=case(**given))
        assert (found.result, found.applicable, found.assessed) == ("not_applicable", False, False)
        assert (provider.calls, verdict.score) == (0, 1)


async def test_nothing_listed_is_not_applicable_and_all_that_was_listed_was_dropped_is_unassessed(provider, journal):
    forged = "This is not there at all."
    for item, said, demands in (
        (CLAIMS, [claim(forged, "supported", IN_SOURCE)], ()),
        (COVERS, [point(forged, "covered", CITY)], ()),
        (DEMANDS, None, [demand("in exactly 7 words", "words", 7)]),
    ):
        _, found = await item_of(provider, journal, item, [] if item is not DEMANDS else None)
        assert (found.result, found.applicable) == ("not_applicable", False)
        verdict, found = await item_of(provider, journal, item, said, demands=demands)
        assert (found.result, found.applicable, found.assessed) == ("unassessed", True, False)
        assert (verdict.passed, verdict.decided) == (None, False)


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
    _, item = await item_of(provider, journal, ASK, answers("yes", "Rain all day", step=1), WEATHER)
    assert item.evidence[0].step == 4  # a quote that names another step gets the step it is in


async def test_check_claims_and_constraints_read_the_last_assistant_text(provider, journal):
    rubric = rubric_of(CLAIMS, DEMANDS, ("x", 1, "check: {equals: In Oslo it rains all day.}"))
    given = WEATHER.updated(context=[{"id": "met", "text": "Oslo: rain all day."}])
    said = [claim("Let me look that up.", "not_found"), claim("it rains all day", "supported", "rain all day")]
    verdict = await graded(provider, journal, given, rubric, {"claims": said})
    assert shown(verdict) == {"claims": "1/1", "demands": "not_applicable", "x": "yes"}
    assert (verdict.items[0].claims[0].claim.text, verdict.items[0].claims[0].claim.step) == ("step", 5)


async def test_without_an_assistant_text_check_reads_an_empty_text_and_the_others_are_unassessed(provider, journal):
    given = stepped(("tool call", '{"city": "Bergen"}', "get_weather"), ("tool result", "Rain.", "get_weather"))
    rubric = rubric_of(CLAIMS, DEMANDS, ("x", 1, "check: {max_characters: 0}"))
    verdict = await graded(provider, journal, given, rubric)
    assert shown(verdict) == {"claims": "unassessed", "demands": "unassessed", "x": "yes"}
    assert (provider.calls, verdict.decided) == (0, False)
