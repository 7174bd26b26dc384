"""The LLM judge through real sockets: what becomes of each kind of reply, what is kept, what it cost."""

import asyncio
from dataclasses import replace
from decimal import Decimal

import pytest
from aiohttp import web
from calls import about, all_judged, numbered
from scripted.provider import fails, is_cut_off, judges, refuses, says, waits
from scripted.replies import USAGE

from adjudge.api import replay
from adjudge.engine import open_engine
from adjudge.errors import NotJournalledError
from adjudge.journal import ReplayJournal, open_journal
from adjudge.models.common import Usage, total_cost, total_usage
from adjudge.protocols.compare.case import Comparison
from adjudge.protocols.compare.questions import ResearchQuestion
from adjudge.protocols.compare.settings import CompareSettings


def sends(body):
    async def behave(request, raw):
        return web.json_response(body)

    return behave


# -- good replies -----------------------------------------------------------------------------------------------------


async def test_a_good_reply_is_an_opinion_on_every_criterion_in_the_cases_own_labels_in_both_orders(any_judge, case):
    judge = any_judge()
    ab, ba = [await judge.opine(about(case, order)) for order in ("ab", "ba")]
    keys = [criterion.key for criterion in about(case).rubric.criteria]
    for opinion in (ab, ba):
        assert list(opinion.scores) == keys and opinion.warnings == () and len(opinion.calls) == 1
        assert {(item.criterion, item.answer) for item in opinion.evidence} == {(k, who) for k in keys for who in "AB"}
        for item in opinion.evidence:
            assert case.answer(item.answer)[item.start : item.end] == item.quote
        assert opinion.summaries == {"A": "Response A in short.", "B": "Response B in short."}
        assert opinion.preference == "A"
    scores = [{key: [by[who].value for who in "AB"] for key, by in each.scores.items()} for each in (ab, ba)]
    assert scores[0] == scores[1]
    assert {(item.answer, item.quote) for item in ab.evidence} == {(item.answer, item.quote) for item in ba.evidence}
    assert ab.rationale == "Response A and Response B were read; Response B stood second."
    assert ba.rationale == "Response B and Response A were read; Response A stood second."
    assert ba.scores["clarity_structure"]["B"].justification == "Response B says what it says."
    assert {item.rationale for item in ba.evidence if item.answer == "A"} == {"Response A is clear."}


async def test_the_researcher_asks_for_searches(any_judge, provider, case):
    provider.script = [says({"queries": ["egg  boiling\ntime", "", "egg boiling time", *"abcdef"]})]
    assert (await any_judge().opine(ResearchQuestion(case))).queries == ("egg boiling time", "a", "b", "c")


async def test_nothing_but_the_case_is_sent(any_judge, provider, tmp_path):
    weights = {"clarity_structure": Decimal("0.73391")}
    await any_judge().opine(about(Comparison("Say hello.", "Hello there, dear world!", "Hi.", weights=weights)))
    sent = provider.requests[0].body + repr(provider.requests[0].headers).encode()
    for secret in (b"0.73391", b"weight", str(tmp_path).encode(), b"journal"):
        assert secret not in sent


# -- usage and cost ---------------------------------------------------------------------------------------------------


async def test_usage_and_cost_come_from_the_reply_and_published_prices(openai_judge, anthropic_judge, case):
    (call,) = (await openai_judge("gpt-4o").opine(about(case))).calls
    assert call.usage == Usage(input_tokens=1000, output_tokens=200, reasoning_tokens=30, cache_read_tokens=400)
    assert call.cost == Decimal("0.004")  # 600 × $2.50 + 400 × $1.25 + 200 × $10.00 a million
    (call,) = (await anthropic_judge().opine(about(case))).calls
    assert call.usage == Usage(input_tokens=1000, output_tokens=200, cache_read_tokens=400)
    assert call.cost is not None
    (call,) = (await openai_judge("a-model-of-our-own").opine(about(case))).calls
    assert call.cost is None


async def test_replies_that_led_to_nothing_are_counted_too(any_judge, provider, case):
    provider.script = [is_cut_off(), says("no JSON"), says("still no JSON")]
    failure = await any_judge().opine(about(case))
    assert failure.reason == "malformed"
    assert [call.purpose for call in failure.calls] == ["opinion", "longer", "repair"]
    assert total_usage(failure.calls).total_tokens == 3 * (USAGE["input"] + USAGE["output"])
    assert total_cost(failure.calls) == 3 * failure.calls[0].cost


# -- bad replies ------------------------------------------------------------------------------------------------------


async def test_a_reply_cut_off_is_asked_for_once_with_twice_the_room(any_judge, provider, case):
    provider.script = [is_cut_off(), judges()]
    opinion = await any_judge(max_tokens=500).opine(about(case))
    assert opinion.scores and [call.purpose for call in opinion.calls] == ["opinion", "longer"]
    sent = [request.json for request in provider.requests]
    assert [one.get("max_tokens") or one.get("max_completion_tokens") for one in sent] == [500, 1000]


NO_MESSAGE = sends({"choices": [{"words": "no message"}]})


@pytest.mark.parametrize(("reply", "reason", "says", "paid", "asked"), [
    (refuses("I would rather not."), "refused", "I would rather not.", 1, 1),
    (is_cut_off(), "cut_off", "1000 tokens", 2, 2), (fails(429), "rate_limited", "", 0, None),
    (fails(503), "server_error", "", 0, None), (fails(402), "rejected", "", 0, 1),
], ids=["refusal", "cut off twice", "429", "503", "402"])  # fmt: skip
async def test_a_bad_reply_is_a_failure_with_its_reason(any_judge, provider, case, reply, reason, says, paid, asked):
    provider.script = lambda request: reply
    failure = await any_judge(max_tokens=500).opine(about(case))
    assert (failure.reason, len(failure.calls)) == (reason, paid)
    assert says in failure.message
    assert provider.calls == asked if asked else provider.calls > 1, "a passing trouble is tried again"


@pytest.mark.parametrize(("reply", "says"), [
    (says("[" * 1_000_001), "a reply of 1,000,001 characters; at most 1,000,000 are read"), (NO_MESSAGE, ""),
], ids=["a million characters", "an envelope nobody can read"])  # fmt: skip
async def test_what_cannot_be_read_is_malformed_counted_as_paid_and_not_sent_back(
    openai_judge, provider, case, reply, says
):
    provider.script = [reply]
    failure = await openai_judge().opine(about(case))
    assert (failure.reason, len(failure.calls), provider.calls) == ("malformed", 1, 1)
    assert says in failure.message


@pytest.mark.parametrize("disguised", [
    {"choices": []}, {"error": {"message": "overloaded"}, "choices": []},
    {"choices": [{"message": {"content": ""}, "finish_reason": "error"}]},
], ids=range(3))  # fmt: skip
async def test_an_error_in_a_replys_clothes_is_tried_again_and_never_stored(openai_judge, provider, case, disguised):
    provider.script = [sends(disguised), judges()]
    opinion = await openai_judge().opine(about(case))
    assert opinion.scores and [call.attempts for call in opinion.calls] == [2]


# -- paid once --------------------------------------------------------------------------------------------------------


async def test_the_same_question_is_paid_once_also_by_callers_at_the_same_time_and_two_journals_on_one_file(
    openai_judge, provider, case, tmp_path
):
    provider.script = lambda request: waits(0.05)
    judge, other = openai_judge(), open_journal(tmp_path / "journal.db")
    asked = [judge] * 10 + [openai_judge(keep=other)]
    opinions = await asyncio.gather(*(each.opine(about(case)) for each in asked))
    opinions.append(await judge.opine(about(case)))
    other.close()
    assert all(opinion == opinions[0] for opinion in opinions) and provider.calls == 1


async def test_another_sample_model_limit_or_order_is_another_question(openai_judge, provider, case):
    for judge in (openai_judge(), openai_judge(sample=1), openai_judge("gpt-4.1"), openai_judge(max_tokens=100)):
        await judge.opine(about(case))
    await openai_judge().opine(about(case, "ba"))
    assert provider.calls == 5


async def test_a_reply_is_kept_before_it_is_read_and_a_failed_call_is_not(openai_judge, provider, case, journal):
    provider.script = [fails(400, "no"), says("not JSON at all"), says("nor this")]
    judge = openai_judge()
    assert (await judge.opine(about(case))).reason == "rejected"
    failure = await judge.opine(about(case))
    assert [b"not JSON at all" in journal.get(call.key).body for call in failure.calls] == [True, False]
    assert await judge.opine(about(case)) == failure, "reading it again costs nothing"
    assert provider.calls == 3


async def test_a_replay_reads_what_is_stored_and_pays_nothing(openai_judge, provider, case, journal):
    first = await openai_judge().opine(about(case))
    replaying = openai_judge(keep=ReplayJournal(journal))
    assert await replaying.opine(about(case)) == first
    with pytest.raises(NotJournalledError):
        await replaying.opine(about(case, "ba"))
    assert provider.calls == 1


class Watched:
    """A journal that counts the replies it is given, and stores none until it is told to."""

    def __init__(self, kept):
        self._kept, self.given, self.go_on = kept, asyncio.Semaphore(0), asyncio.Event()

    def __getattr__(self, name):
        return getattr(self._kept, name)

    async def put(self, key, stored):
        self.given.release()
        await self.go_on.wait()
        await self._kept.put(key, stored)


async def test_no_request_is_sent_while_the_allowed_number_of_replies_is_unsaved(openai_judge, provider):
    """What a kill can cost: replies that were asked for and are not yet in the journal."""
    judge = openai_judge()
    judge.journal, judge.unsaved = journal, _ = Watched(judge.journal), asyncio.Semaphore(2)
    asked = [asyncio.create_task(judge.opine(numbered(number))) for number in range(5)]
    async with asyncio.timeout(60):
        await journal.given.acquire()
        await journal.given.acquire()
    await asyncio.sleep(0.1)
    assert provider.calls == 2
    journal.go_on.set()
    assert all_judged(await asyncio.gather(*asked)) and provider.calls == 5


# -- another attempt --------------------------------------------------------------------------------------------------


def allowed(judge, attempt):
    return replace(judge, sampling=replace(judge.sampling, attempt=attempt))


@pytest.mark.parametrize(("bad", "reason"), [
    ([says("no JSON"), says("still none")], "malformed"), ([refuses()], "refused"),
    ([is_cut_off(), is_cut_off()], "cut_off"),
], ids=["malformed", "refused", "cut off"])  # fmt: skip
async def test_another_attempt_asks_anew_what_was_unusable_and_keeps_both_replies(
    openai_judge, provider, journal, case, bad, reason
):
    provider.script = [*bad, judges()]
    judge, question = openai_judge(), about(case)
    first, again = [await judge.opine(question) for _ in range(2)]
    assert (first.reason, again.reason, provider.calls) == (reason, reason, len(bad)), "it reads the stored reply"
    opinion = await allowed(judge, 1).opine(question)
    assert [call.attempt for call in opinion.calls] == [1]
    assert all(journal.get(call.key) for call in (*first.calls, *opinion.calls))
    assert await allowed(replace(judge, journal=ReplayJournal(journal)), 1).opine(question) == opinion
    assert await allowed(judge, 7).opine(question) == opinion, "what is usable is not asked for again"
    assert provider.calls == len(bad) + 1


async def test_a_question_that_was_never_answered_is_asked_as_the_first_attempt(openai_judge, provider, case):
    provider.script = [fails(400, "no"), judges()]
    judge = openai_judge()
    assert (await judge.opine(about(case))).reason == "rejected"
    later = await allowed(judge, 3).opine(about(case))
    assert [call.attempt for call in later.calls] == [0]
    assert await judge.opine(about(case)) == later


async def test_one_attempt_at_a_time_is_paid(openai_judge, provider, case):
    provider.script = lambda request: refuses()
    judge = allowed(openai_judge(), 2)
    for paid in (1, 2, 3, 3):
        failure = await judge.opine(about(case))
        assert (failure.reason, provider.calls) == ("refused", paid)
    assert [call.attempt for call in failure.calls] == [2]


async def test_a_verdict_names_the_attempt_it_used_and_its_replay_reads_that_one(provider, tmp_path, case):
    provider.script = [refuses(), judges(), judges()]
    settings = CompareSettings(judge=f"{provider.url}/v1#m", one_order=True)
    async with open_engine(tmp_path / "journal.db") as engine:
        assert (await engine.judge(case, settings)).reason == "refused"
        verdict = await engine.judge(case, replace(settings, attempt=1))
    assert [call.attempt for call in verdict.calls] == [1]
    replayed = await replay(verdict.verdict_id, journal=tmp_path / "journal.db")
    assert replayed.kept == replayed.made and b'"attempt":1' in replayed.kept
