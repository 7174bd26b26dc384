"""Batches over real sockets: the same bytes and replies as single calls, and what becomes of each kind of trouble."""

import asyncio
from dataclasses import replace
from decimal import Decimal

import pytest
from calls import all_judged, ask, numbered, reasons
from scripted.provider import fails, judges, says

from adjudge.errors import SetupError
from adjudge.journal import open_journal
from adjudge.judges.budget import LocalBudget
from adjudge.judges.specs import JudgeContext, open_judge
from adjudge.llm.base import FENCE_CODE
from adjudge.protocols.compare.roles import COMPARER


@pytest.fixture
def elsewhere(tmp_path, journal):
    """Another journal with the same fence codes."""
    opened = open_journal(tmp_path / "other.db", secret=journal.secret)
    yield opened
    opened.close()


ONE = pytest.mark.parametrize("kind", ["openai"])  # where it does not matter whose batches they are


def sizes(provider):
    return [len(batch.questions) for batch in provider.batches.made]


def is_number(number):
    return lambda request: f"Hello number {number}," in request.turns[0]


# -- the same as single calls -----------------------------------------------------------------------------------------


async def test_many_callers_share_one_batch_with_the_very_bytes_of_single_calls_and_each_gets_its_own_reply(
    batched, single, provider, journal, elsewhere
):
    provider.batches.polls = 3
    opinions = await ask(batched(), 12)
    (batch,) = provider.batches.made
    assert len(batch.questions) == provider.calls == 12
    for number, opinion in enumerate(opinions):
        assert f"Hello number {number}, how" in opinion.evidence[0].quote
        key = opinion.calls[0].key
        assert journal.get(key).sent["batch"] == batch.number
        assert key in dict(batch.questions)
    provider.requests.clear()
    judge = single(elsewhere)
    opinions = await ask(judge, 12)
    await judge.close()
    assert sorted(body for _, body in batch.questions) == sorted(request.body for request in provider.requests)
    assert {opinion.calls[0].key for opinion in opinions} == {key for key, _ in batch.questions}


async def test_a_reply_reads_as_that_of_a_single_call_and_costs_half(batched, single, provider, elsewhere, kind):
    judge = single(elsewhere)
    (in_batch,), (alone,) = await ask(batched(), 1), await ask(judge, 1)
    await judge.close()
    (call,), (other,) = in_batch.calls, alone.calls
    assert call.sent == {**other.sent, "batch": provider.batches.made[0].number}
    # gpt-4o's batch price list halves all but what is read from the cache.
    assert call.cost == (Decimal("0.00225") if kind == "openai" else other.cost / 2)
    assert in_batch.updated(calls=()) == alone.updated(calls=())


@ONE
async def test_a_batch_that_is_full_is_closed_at_once_and_the_rest_goes_into_the_next(batched, provider, quick):
    assert all_judged(await ask(batched(replace(quick, most_requests=4)), 10))
    assert sorted(sizes(provider)) == [2, 4, 4]


@ONE
async def test_a_batch_is_no_larger_than_its_bytes_allow(batched, provider, quick):
    assert all_judged(await ask(batched(replace(quick, most_bytes=40_000)), 8))
    in_bytes = [sum(len(body) for _, body in batch.questions) for batch in provider.batches.made]
    assert len(in_bytes) > 1 and max(in_bytes) <= 40_000


@ONE
async def test_a_repair_round_is_a_batch_of_its_own(batched, provider):
    provider.script = lambda request: judges() if request.repairs else says("no JSON")
    assert all_judged(await ask(batched(), 3))
    assert sizes(provider) == [3, 3]


@ONE
async def test_a_budget_holds_for_batches_too(batched, provider):
    judge = batched(max_tokens=1000)
    judge.budget = budget = LocalBudget(Decimal("0.1"))
    outcomes = await ask(judge, 60)
    assert set(reasons(outcomes)) == {"", "over_budget"}
    paid = [outcome for outcome, why in zip(outcomes, reasons(outcomes), strict=True) if not why]
    assert 0 < len(paid) == provider.calls < 60
    assert budget.spent == sum(call.cost or 0 for outcome in paid for call in outcome.calls) <= budget.limit


# -- troubles ---------------------------------------------------------------------------------------------------------


async def test_each_question_has_its_own_fate(batched, provider):
    fates = [judges(), fails(400, "no"), fails(429, "busy"), fails(500, "oops"), judges(), judges()]
    provider.script = lambda request: next(fate for at, fate in enumerate(fates) if is_number(at)(request))
    provider.batches.expires = is_number(4)
    outcomes = await ask(batched(), 6)
    assert reasons(outcomes) == ["", "rejected", "rate_limited", "server_error", "timeout", ""]
    assert [bool(outcome.calls) for outcome in outcomes] == [True, False, False, False, False, True]


async def test_a_line_of_the_results_that_cannot_be_read_is_no_answer_to_its_question_alone(batched, provider):
    provider.batches.garbles = is_number(1)
    outcomes = await ask(batched(), 3)
    assert reasons(outcomes) == ["", "server_error", ""]
    assert "has no answer to this request" in outcomes[1].message


@ONE
async def test_what_a_model_does_not_take_is_left_out_in_the_next_batch(batched, provider):
    refusal = fails(400, "temperature is not supported")
    provider.script = lambda request: refusal if "temperature" in request.json else judges()
    opinions = await ask(batched(), 3)
    assert all_judged(opinions) and {opinion.calls[0].sent["temperature"] for opinion in opinions} == {None}
    assert sizes(provider) == [3, 3]


@pytest.mark.parametrize(
    "step", ["before upload", "after upload", "before create", "list", "before poll", "before results", "after create"]
)
async def test_passing_trouble_on_the_way_is_no_trouble_and_a_batch_that_was_made_is_not_made_again(
    batched, provider, step
):
    """Also where it was made although the answer says otherwise (after create)."""
    provider.batches.fails_at = {step: [500] if step == "after create" else [503, 500]}
    if step == "list":
        provider.batches.fails_at["before create"] = [502]
    assert all_judged(await ask(batched(), 2))
    assert sizes(provider) == [2]


async def test_a_batch_of_somebody_else_is_not_taken_for_ours(batched, provider):
    other = provider.batches._make("other", [("a" * 64, b"{}"), ("b" * 64, b"{}")], {"adjudge": "another"})
    other.ended, other.status = True, "completed"
    provider.batches.fails_at = {"before create": [500]}
    assert all_judged(await ask(batched(), 2))
    assert len(sizes(provider)) == 2


async def test_a_refused_batch_is_a_failure_for_everybody_in_it(batched, provider):
    provider.batches.fails_at = {"before create": [401]}
    assert reasons(await ask(batched(), 3)) == ["unauthorized"] * 3
    assert all_judged(await ask(batched(), 3))


@ONE  # it checks a batch as a whole
@pytest.mark.parametrize(
    ("code", "reason"), [("invalid_json_line", "rejected"), ("token_limit_exceeded", "rate_limited")]
)
async def test_a_batch_that_fails_as_a_whole_says_why(batched, provider, code, reason):
    provider.batches.invalid = {"code": code, "message": "Enqueued too much.", "line": 1}
    outcomes = await ask(batched(), 2)
    assert reasons(outcomes) == [reason] * 2
    assert all("Enqueued too much." in outcome.message for outcome in outcomes)


@ONE
async def test_a_provider_that_cannot_be_reached_is_a_failure_and_nothing_is_submitted_twice(batched, provider):
    provider.batches.fails_at = {"before poll": [500] * 200}
    judge = batched()
    assert reasons(await ask(judge, 2)) == ["server_error"] * 2
    provider.batches.fails_at.clear()
    assert all_judged(await ask(judge, 2))
    assert len(sizes(provider)) == 1


@ONE
async def test_a_caller_that_goes_before_the_batch_is_closed_pays_nothing(batched, provider, quick):
    judge = batched(replace(quick, idle=2.0))
    tasks = [asyncio.create_task(judge.opine(numbered(number))) for number in range(4)]
    await asyncio.sleep(0.05)
    for task in tasks[:2]:
        task.cancel()
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert not any(map(all_judged, ([outcomes[0]], [outcomes[1]]))) and all_judged(outcomes[2:])
    assert sizes(provider) == [2]


# -- collecting -------------------------------------------------------------------------------------------------------


@pytest.fixture
async def left_behind(batched, provider):
    """A batch of three questions whose process ended before it polled."""
    provider.batches.silent_at = "before poll"
    task = asyncio.create_task(ask(judge := batched(), 3))
    await asyncio.wait_for(provider.batches.silent.wait(), 60)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await judge.close()
    provider.batches.silent_at = None


async def test_replies_that_nobody_stored_are_collected_before_anything_is_asked(
    left_behind, batched, provider, journal
):
    fresh = batched()
    assert [await fresh.wire.collect(journal) for _ in range(2)] == [3, 0]
    polled = provider.calls
    assert all_judged(await ask(fresh, 3))
    assert (provider.calls, len(sizes(provider))) == (polled, 1)


@ONE
async def test_without_collecting_whoever_asks_gets_the_reply_of_the_earlier_batch(left_behind, batched, provider):
    fresh = batched()
    assert all_judged(await ask(fresh, 2))
    await asyncio.sleep(0.1)
    assert all_judged([await fresh.opine(numbered(2))]), "also much later"
    assert len(sizes(provider)) == 1


@ONE
@pytest.mark.parametrize("collecting", [True, False])
async def test_a_batch_is_known_by_its_keys_and_keeps_its_codes_also_for_another_journal(
    left_behind, batched, provider, journal, tmp_path, collecting
):
    fresh = batched()
    fresh.journal = other = open_journal(tmp_path / "stranger.db")
    if collecting:
        assert await fresh.wire.collect(other) == 3
    opinions = await ask(fresh, 3)
    assert len(sizes(provider)) == 1, "another secret, the same keys"
    for number, opinion in enumerate(opinions):
        (call,) = opinion.calls
        sent = COMPARER.prompt(numbered(number)).with_code(str(other.get(call.key).sent[FENCE_CODE]))
        assert sent == COMPARER.prompt(numbered(number)).with_secret(journal.secret), "what was sent, not what would be"
        assert FENCE_CODE not in call.sent
    other.close()


# -- opening ----------------------------------------------------------------------------------------------------------


def test_a_judge_without_a_batch_api_says_who_has_one(journal, quick):
    for spec in ("http://127.0.0.1:9/v1#m", "mistral:mistral-large-latest", "cohere:command"):
        with pytest.raises(SetupError, match="openai and anthropic have one"):
            open_judge(spec, JudgeContext(journal, batches=quick))
