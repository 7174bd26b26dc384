"""Batches over real sockets: the same bytes and replies as single calls, and what becomes of each kind of trouble."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

import pytest
from scripted.judging import open_anthropic, open_openai
from scripted.provider import fails, judges, says

from adjudge.errors import SetupError
from adjudge.journal import open_journal
from adjudge.judges.budget import LocalBudget
from adjudge.judges.llm import LLMJudge
from adjudge.judges.specs import Asking, open_judge
from adjudge.llm.anthropic import AnthropicWire
from adjudge.llm.base import FENCE_CODE
from adjudge.llm.batch.base import BatchSettings
from adjudge.llm.batch.wire import BatchWire
from adjudge.llm.openai import OpenAIWire
from adjudge.models.common import Failure
from adjudge.protocols.compare.case import Comparison
from adjudge.protocols.compare.questions import CompareQuestion
from adjudge.protocols.compare.roles import COMPARER
from adjudge.protocols.compare.verdict import ComparisonOpinion
from adjudge.protocols.rubrics import shipped

OpenBatched = Callable[..., LLMJudge]


@pytest.fixture(params=["openai", "anthropic"])
def kind(request):
    kind: str = request.param
    return kind


@pytest.fixture
def quick(tmp_path):
    return BatchSettings(tmp_path / "batches", idle=0.2, poll=0.01, longest_poll=0.03)


@pytest.fixture
async def batched(provider, journal, quick, kind):
    opened: list[LLMJudge] = []

    def open_one(settings=quick, **named):
        judge = (open_openai if kind == "openai" else open_anthropic)(provider, journal, **named)
        assert isinstance(judge.wire, OpenAIWire | AnthropicWire)
        judge.wire = BatchWire(judge.wire, settings)
        opened.append(judge)
        return judge

    yield open_one
    for judge in opened:
        await judge.close()


def asked(number=0):
    case = Comparison("Say “hello” — with\nlines\u2028 and \\ signs.", f"Hello number {number}, how are you?", "Hi.")
    return CompareQuestion(case, shipped("compare"), "ab")


async def ask(judge, count):
    return await asyncio.gather(*(judge.opine(asked(number)) for number in range(count)))


# -- the same as single calls -----------------------------------------------------------------------------------------


async def test_many_callers_share_one_batch_and_each_gets_its_own_reply(batched, provider, journal):
    provider.batches.polls = 3
    opinions = await ask(batched(), 20)
    assert all(isinstance(opinion, ComparisonOpinion) for opinion in opinions)
    assert len(provider.batches.made) == 1
    assert len(provider.batches.made[0].questions) == provider.calls == 20
    for number, opinion in enumerate(opinions):
        assert f"Hello number {number}, how" in opinion.evidence[0].quote  # type: ignore[union-attr]
        key = opinion.calls[0].key
        stored = journal.get(key)
        assert stored is not None
        assert stored.sent["batch"] == provider.batches.made[0].number
        assert key in {custom_id for custom_id, _ in provider.batches.made[0].questions}


async def test_the_bodies_are_the_very_bytes_of_single_calls(batched, provider, journal, tmp_path, kind):
    await ask(batched(), 3)
    in_batch = sorted(body for _, body in provider.batches.made[0].questions)
    provider.requests.clear()
    elsewhere = open_journal(tmp_path / "other.db", secret=journal.secret)
    single = (open_openai if kind == "openai" else open_anthropic)(provider, elsewhere)
    opinions = await ask(single, 3)
    await single.close()
    assert in_batch == sorted(request.body for request in provider.requests)
    keys = {opinion.calls[0].key for opinion in opinions}
    assert keys == {key for key, _ in provider.batches.made[0].questions}
    elsewhere.close()


async def test_a_reply_reads_as_that_of_a_single_call_and_costs_half(batched, provider, tmp_path, kind):
    (in_batch,) = await ask(batched(), 1)
    elsewhere = open_journal(tmp_path / "other.db")
    single = (open_openai if kind == "openai" else open_anthropic)(provider, elsewhere)
    (alone,) = await ask(single, 1)
    await single.close()
    elsewhere.close()
    assert isinstance(in_batch, ComparisonOpinion)
    assert isinstance(alone, ComparisonOpinion)
    (call,), (other) = in_batch.calls, alone.calls[0]
    assert call.sent == {**other.sent, "batch": provider.batches.made[0].number}
    assert call.cost is not None
    assert other.cost is not None
    # gpt-4o's batch price list halves all but what is read from the cache.
    assert call.cost == (Decimal("0.00225") if kind == "openai" else other.cost / 2)
    assert in_batch.updated(calls=()) == alone.updated(calls=())


async def test_a_batch_that_is_full_is_closed_at_once_and_the_rest_goes_into_the_next(batched, provider, quick):
    opinions = await ask(batched(replace(quick, most_requests=4)), 10)
    assert all(isinstance(opinion, ComparisonOpinion) for opinion in opinions)
    assert sorted(len(batch.questions) for batch in provider.batches.made) == [2, 4, 4]


async def test_a_batch_is_no_larger_than_its_bytes_allow(batched, provider, quick):
    judge = batched(replace(quick, most_bytes=40_000))
    opinions = await ask(judge, 8)
    assert all(isinstance(opinion, ComparisonOpinion) for opinion in opinions)
    sizes = [sum(len(body) for _, body in batch.questions) for batch in provider.batches.made]
    assert len(sizes) > 1
    assert max(sizes) <= 40_000


async def test_a_repair_round_is_a_batch_of_its_own(batched, provider):
    provider.script = lambda request: judges() if request.repairs else says("no JSON")
    opinions = await ask(batched(), 3)
    assert all(isinstance(opinion, ComparisonOpinion) for opinion in opinions)
    assert [len(batch.questions) for batch in provider.batches.made] == [3, 3]


async def test_a_budget_holds_for_batches_too(batched, provider):
    judge = batched(max_tokens=1000)
    judge.budget = budget = LocalBudget(Decimal("0.1"))
    outcomes = await ask(judge, 60)
    paid = [outcome for outcome in outcomes if isinstance(outcome, ComparisonOpinion)]
    assert 0 < len(paid) == provider.calls < 60
    assert budget.spent == sum(call.cost or 0 for outcome in paid for call in outcome.calls)
    assert budget.spent <= budget.limit
    assert {outcome.reason for outcome in outcomes if isinstance(outcome, Failure)} == {"over_budget"}


# -- troubles ---------------------------------------------------------------------------------------------------------


async def test_each_question_has_its_own_fate(batched, provider):
    def script(request):
        for number, behaviour in enumerate((judges(), fails(400, "no"), fails(429, "busy"), fails(500, "oops"))):
            if f"Hello number {number}," in request.turns[0]:
                return behaviour
        return judges()

    provider.script = script  # type: ignore[assignment]
    provider.batches.expires = lambda request: "Hello number 4," in request.turns[0]
    outcomes = await ask(batched(), 6)
    reasons = [outcome.reason if isinstance(outcome, Failure) else "" for outcome in outcomes]
    assert reasons == ["", "rejected", "rate_limited", "server_error", "timeout", ""]
    assert all(not outcome.calls for outcome in outcomes if isinstance(outcome, Failure))


async def test_a_line_of_the_results_that_cannot_be_read_is_no_answer_to_its_question_alone(batched, provider):
    provider.batches.garbles = lambda request: "Hello number 1," in request.turns[0]
    first, second, third = await ask(batched(), 3)
    assert isinstance(second, Failure)
    assert (second.reason, "has no answer to this request" in second.message) == ("server_error", True)
    assert isinstance(first, ComparisonOpinion) and isinstance(third, ComparisonOpinion)


async def test_what_a_model_does_not_take_is_left_out_in_the_next_batch(batched, provider):
    provider.script = lambda request: (
        fails(400, "temperature is not supported") if "temperature" in request.json else judges()
    )
    opinions = await ask(batched(), 3)
    assert all(isinstance(opinion, ComparisonOpinion) for opinion in opinions)
    assert [len(batch.questions) for batch in provider.batches.made] == [3, 3]
    assert {opinion.calls[0].sent["temperature"] for opinion in opinions} == {None}


@pytest.mark.parametrize(
    "step", ["before upload", "after upload", "before create", "list", "before poll", "before results"]
)
async def test_passing_trouble_on_the_way_is_no_trouble(batched, provider, step):
    provider.batches.fails_at = {step: [503, 500], **({"before create": [502]} if step == "list" else {})}
    opinions = await ask(batched(), 2)
    assert all(isinstance(opinion, ComparisonOpinion) for opinion in opinions)
    assert len(provider.batches.made) == 1


async def test_a_batch_that_was_made_although_the_answer_says_otherwise_is_found_and_not_made_again(batched, provider):
    provider.batches.fails_at = {"after create": [500]}
    opinions = await ask(batched(), 2)
    assert all(isinstance(opinion, ComparisonOpinion) for opinion in opinions)
    assert len(provider.batches.made) == 1


async def test_a_batch_of_somebody_else_is_not_taken_for_ours(batched, provider, kind):
    body = provider.batches._make("other", [("a" * 64, b"{}"), ("b" * 64, b"{}")], {"adjudge": "another"})
    body.ended, body.status = True, "completed"
    provider.batches.fails_at = {"before create": [500]}
    opinions = await ask(batched(), 2)
    assert all(isinstance(opinion, ComparisonOpinion) for opinion in opinions)
    assert len(provider.batches.made) == 2


async def test_a_refused_batch_is_a_failure_for_everybody_in_it(batched, provider):
    provider.batches.fails_at = {"before create": [401]}
    outcomes = await ask(batched(), 3)
    assert {outcome.reason for outcome in outcomes if isinstance(outcome, Failure)} == {"unauthorized"}
    assert all(isinstance(opinion, ComparisonOpinion) for opinion in await ask(batched(), 3))


@pytest.mark.parametrize("kind", ["openai"])  # who checks a batch as a whole
@pytest.mark.parametrize(
    ("code", "reason"), [("invalid_json_line", "rejected"), ("token_limit_exceeded", "rate_limited")]
)
async def test_a_batch_that_fails_as_a_whole_says_why(batched, provider, kind, code, reason):
    provider.batches.invalid = {"code": code, "message": "Enqueued too much.", "line": 1}
    outcomes = await ask(batched(), 2)
    for outcome in outcomes:
        assert isinstance(outcome, Failure)
        assert (outcome.reason, "Enqueued too much." in outcome.message) == (reason, True)


async def test_a_provider_that_cannot_be_reached_is_a_failure_and_nothing_is_submitted_twice(batched, provider):
    provider.batches.fails_at = {"before poll": [500] * 200}
    judge = batched()
    outcomes = await ask(judge, 2)
    assert {outcome.reason for outcome in outcomes if isinstance(outcome, Failure)} == {"server_error"}
    provider.batches.fails_at.clear()
    assert all(isinstance(opinion, ComparisonOpinion) for opinion in await ask(judge, 2))
    assert len(provider.batches.made) == 1


async def test_a_caller_that_goes_before_the_batch_is_closed_pays_nothing(batched, provider, quick):
    judge = batched(replace(quick, idle=2.0))
    tasks = [asyncio.create_task(judge.opine(asked(number))) for number in range(4)]
    await asyncio.sleep(0.05)
    for task in tasks[:2]:
        task.cancel()
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert [isinstance(outcome, ComparisonOpinion) for outcome in outcomes] == [False, False, True, True]
    assert len(provider.batches.made[0].questions) == 2


# -- collecting -------------------------------------------------------------------------------------------------------


async def test_replies_that_nobody_stored_are_collected_before_anything_is_asked(batched, provider, journal):
    provider.batches.silent_at = "before poll"
    tasks = [asyncio.create_task(ask(judge := batched(), 3))]
    await asyncio.wait_for(provider.batches.silent.wait(), 60)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await judge.close()
    provider.batches.silent_at = None
    fresh = batched()
    assert isinstance(fresh.wire, BatchWire)
    assert await fresh.wire.collect(journal) == 3
    assert await fresh.wire.collect(journal) == 0
    polled = provider.calls
    assert all(isinstance(opinion, ComparisonOpinion) for opinion in await ask(fresh, 3))
    assert (provider.calls, len(provider.batches.made)) == (polled, 1)


async def test_without_collecting_whoever_asks_gets_the_reply_of_the_earlier_batch(batched, provider):
    provider.batches.silent_at = "before poll"
    task = asyncio.create_task(ask(judge := batched(), 3))
    await asyncio.wait_for(provider.batches.silent.wait(), 60)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await judge.close()
    provider.batches.silent_at = None
    fresh = batched()
    assert all(isinstance(opinion, ComparisonOpinion) for opinion in await ask(fresh, 2))
    await asyncio.sleep(0.1)
    assert isinstance(await fresh.opine(asked(2)), ComparisonOpinion), "also much later"
    assert len(provider.batches.made) == 1


@pytest.mark.parametrize("collecting", [True, False])
async def test_a_batch_is_known_by_its_keys_and_keeps_its_codes_also_for_another_journal(
    batched, provider, journal, tmp_path, collecting
):
    provider.batches.silent_at = "before poll"
    task = asyncio.create_task(ask(judge := batched(), 3))
    await asyncio.wait_for(provider.batches.silent.wait(), 60)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await judge.close()
    provider.batches.silent_at = None
    fresh = batched()
    fresh.journal = other = open_journal(tmp_path / "other.db")
    assert isinstance(fresh.wire, BatchWire)
    if collecting:
        assert await fresh.wire.collect(other) == 3
    opinions = await ask(fresh, 3)
    assert len(provider.batches.made) == 1, "another secret, the same keys"
    for number, opinion in enumerate(opinions):
        assert isinstance(opinion, ComparisonOpinion)
        (call,) = opinion.calls
        stored = other.get(call.key)
        assert stored is not None
        sent = COMPARER.prompt(asked(number)).with_code(str(stored.sent[FENCE_CODE]))
        assert sent == COMPARER.prompt(asked(number)).with_secret(journal.secret), "what was sent, not what would be"
        assert FENCE_CODE not in call.sent
    other.close()


# -- opening ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", ["http://127.0.0.1:9/v1#m", "mistral:mistral-large-latest", "cohere:command"])
def test_a_judge_without_a_batch_api_says_who_has_one(journal, quick, spec):
    with pytest.raises(SetupError, match="openai and anthropic have one"):
        open_judge(spec, Asking(journal, batches=quick))
