"""A budget is kept, whoever comes in whichever order: no call is sent whose expected cost does not fit into it."""

import asyncio
import json
import random
import time
from decimal import Decimal

import pytest
from aiohttp import web
from calls import about, reasons
from hypothesis import given, settings
from hypothesis import strategies as st
from scripted.provider import fails, judges, says, waits
from scripted.replies import correct_reply, envelope

from adjudge.judges.budget import JointBudget, LocalBudget
from adjudge.judges.jury import Jury
from adjudge.llm.prices import at_most, cost_of, most_input
from adjudge.models.common import Usage
from adjudge.protocols.compare.case import Comparison

CENTS = st.integers(0, 500).map(lambda cents: Decimal(cents) / 100)


@settings(max_examples=40)
@given(st.integers(0, 2**32), CENTS, st.lists(st.tuples(CENTS, st.integers(0, 100)), min_size=1, max_size=30))
def test_what_is_settled_never_passes_the_limit(seed, limit, calls):
    chance = random.Random(seed)

    async def main():
        budget = LocalBudget(limit)
        refused = []

        async def call(most, percent):
            await asyncio.sleep(chance.choice((0, 0.0005)))
            if await budget.reserve(lambda: most) is None:
                assert budget.spent + most > limit, "refused although what is in flight may leave enough"
                refused.append(most)
                return
            assert budget.spent + budget.reserved <= limit
            spent = None
            try:
                await asyncio.sleep(chance.choice((0, 0.0005, 0.001)))
                spent = chance.choice((most * percent / 100, None))
            finally:
                budget.settle(most, spent)
            assert budget.spent <= limit

        tasks = [asyncio.create_task(call(*each)) for each in calls]
        for task in tasks:
            if chance.random() < 0.2:
                await asyncio.sleep(0)
                task.cancel()
        done = await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 60)
        for each in done:
            assert not isinstance(each, AssertionError), each
        assert budget.reserved == 0
        assert budget.spent <= limit
        for most in refused:
            assert budget.spent + most > limit

    asyncio.run(main())


async def test_who_does_not_fit_waits_for_what_is_in_flight():
    budget = LocalBudget(Decimal(10))
    assert await budget.reserve(lambda: Decimal(8)) == 8
    waiting = asyncio.create_task(budget.reserve(lambda: Decimal(5)))
    behind = asyncio.create_task(budget.reserve(lambda: Decimal(1)))
    await asyncio.sleep(0.01)
    assert not waiting.done()
    assert not behind.done(), "nobody overtakes: the dear ones would never get their turn"
    budget.settle(Decimal(8), Decimal(2))
    assert (await waiting, await behind) == (5, 1)
    assert (budget.spent, budget.reserved) == (Decimal(2), Decimal(6))


async def test_who_can_never_fit_hears_it_at_once_and_what_nobody_knows_counts_in_full():
    budget = LocalBudget(Decimal(10), spent=Decimal(6))
    assert await budget.reserve(lambda: Decimal(5)) is None
    assert await budget.reserve(lambda: Decimal(4)) == 4 == budget.reserved
    budget.settle(Decimal(4), None)
    assert budget.spent == 10


async def test_who_waits_is_judged_by_what_is_expected_when_there_is_room():
    budget = LocalBudget(Decimal(10))
    await budget.reserve(lambda: Decimal(8))
    expected = Decimal(9)
    waiting = asyncio.create_task(budget.reserve(lambda: expected))
    await asyncio.sleep(0)
    expected = Decimal(2)
    budget.settle(Decimal(8), Decimal(8))
    assert await waiting == 2


# -- the price of one call --------------------------------------------------------------------------------------------

MODELS = [
    ("openai", "gpt-4o"), ("openai", "gpt-5.1"), ("anthropic", "claude-sonnet-4-5"),
    ("anthropic", "claude-3-5-haiku-latest"), ("google", "gemini-2.5-pro"), ("mistral", "mistral-large-latest"),
    ("groq", "llama-3.3-70b-versatile"),
]  # fmt: skip


@settings(max_examples=80)
@given(st.sampled_from(MODELS), st.integers(0, 400_000), st.integers(64, 65_536), st.data())
def test_no_usage_within_the_bounds_costs_more_than_the_most(model, size, max_tokens, data):
    prompt = data.draw(st.integers(0, size))
    read = data.draw(st.integers(0, prompt))
    written, output = data.draw(st.integers(0, prompt - read)), data.draw(st.integers(0, max_tokens))
    usage = Usage(input_tokens=prompt, output_tokens=output, cache_read_tokens=read, cache_write_tokens=written)
    cost, halved = (cost_of(*model, usage, time.time(), batch=batch) for batch in (False, True))
    assert halved <= cost <= at_most(*model, most_input(size), max_tokens)


def test_local_models_cost_nothing_unknown_ones_have_no_price_and_a_batch_costs_half_without_a_price_for_it():
    assert at_most("local", "any.gguf", 10**6, 8192) == 0
    assert at_most("", "llama", 1000, 8192) is at_most("openai", "a-model-of-our-own", 1000, 8192) is None
    usage = Usage(input_tokens=1000, output_tokens=200)
    for model in ("claude-sonnet-4-5", "claude-3-opus-20240229"):
        whole, half = (cost_of("anthropic", model, usage, 1_794_000_000.0, batch=batch) for batch in (False, True))
        assert half == whole / 2


# -- the judge --------------------------------------------------------------------------------------------------------


def asked(number):
    return about(Comparison("Say hello.", f"Hello number {number}, how are you today?", "Hi."))


@pytest.fixture
def budgeted(openai_judge):
    """Opens a judge with a budget of so many dollars."""

    def open_one(dollars, **named):
        judge = openai_judge(**named)
        judge.budget = LocalBudget(Decimal(dollars))
        return judge, judge.budget

    return open_one


async def test_a_judge_stops_when_the_budget_is_used_up(provider, budgeted):
    provider.script = lambda request: waits(0.005)
    judge, budget = budgeted("0.1", max_tokens=1000)
    outcomes = await asyncio.gather(*(judge.opine(asked(number)) for number in range(60)))
    assert set(reasons(outcomes)) == {"", "over_budget"}
    assert reasons(outcomes).count("") == provider.calls == 24, "nothing is left that would have paid for another"
    assert budget.spent == Decimal("0.004") * provider.calls <= budget.limit
    assert budget.reserved == 0
    assert await judge.opine(asked(0)) == outcomes[0], "what is paid already costs nothing"


async def test_before_ten_replies_a_call_reserves_the_longest_reply_and_then_the_longest_seen(provider, budgeted):
    reserved = []

    def script(request):
        reserved.append(budget.reserved)
        return judges()

    provider.script = script
    judge, budget = budgeted("5")
    for number in range(12):
        await judge.opine(asked(number))
    price_of_the_bound = Decimal("0.08192")  # 8,192 tokens at $10 a million
    assert min(reserved[:10]) > price_of_the_bound
    # 1,000 tokens in and 200 out, none of them cached; a byte more in the prompt makes no difference.
    assert all(Decimal("0.0045") <= amount < Decimal("0.0046") for amount in reserved[10:])


async def long_replies(request, _):
    reply = envelope(request, json.dumps(correct_reply(request)))
    reply["usage"]["completion_tokens"] = 2000
    return web.json_response(reply)


async def test_what_is_in_flight_may_pass_the_budget_and_nothing_more(provider, budgeted):
    provider.script = lambda request: judges() if provider.calls <= 10 else long_replies
    judge, budget = budgeted("0.15")
    for number in range(10):
        await judge.opine(asked(number))
    assert budget.spent == Decimal("0.04")
    await asyncio.gather(*(judge.opine(asked(number)) for number in range(10, 16)))
    assert budget.spent == Decimal("0.04") + 6 * Decimal("0.022") > budget.limit
    refused = await judge.opine(asked(20))
    assert (refused.reason, provider.calls) == ("over_budget", 16)
    assert refused.message == "one more call may cost up to $0.0225, with a reply of 2,000 tokens"


async def test_a_call_that_fails_gives_its_money_back(provider, budgeted):
    provider.script = lambda request: fails(400, "no")
    judge, budget = budgeted("1")
    assert (await judge.opine(asked(0))).reason == "rejected"
    assert (budget.spent, budget.reserved) == (0, 0)


async def test_a_repair_round_is_paid_from_the_same_budget(provider, budgeted):
    provider.script = [says("no JSON"), says("still none")]
    judge, budget = budgeted("1")
    await judge.opine(asked(0))
    assert budget.spent == Decimal("0.008")


async def test_a_call_that_is_cancelled_counts_in_full(provider, budgeted):
    came = asyncio.Event()

    def script(request):
        came.set()
        return waits(5)

    provider.script = script
    judge, budget = budgeted("1")
    task = asyncio.create_task(judge.opine(asked(0)))
    await came.wait()
    reserved = budget.reserved
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (budget.spent, budget.reserved) == (reserved, 0)


async def test_a_jury_that_runs_out_of_money_fails_rather_than_shrinks(budgeted):
    members = [budgeted(dollars, sample=number)[0] for number, dollars in enumerate((1, 1, 0))]
    failure = await Jury("jury", tuple(members)).opine(asked(0))
    assert (failure.reason, len(failure.calls)) == ("over_budget", 2)


async def test_a_joint_budget_asks_both_and_keeps_nothing_reserved_where_one_refuses():
    own, other = LocalBudget(Decimal(10)), LocalBudget(Decimal(3))
    joint = JointBudget(own, other)
    assert await joint.reserve(lambda: Decimal(2)) == 2
    joint.settle(Decimal(2), Decimal(1))
    assert (own.spent, other.spent) == (1, 1)
    assert await joint.reserve(lambda: Decimal(5)) is None
    assert (own.reserved, own.spent, other.reserved) == (0, 1, 0)
    assert await JointBudget(LocalBudget(Decimal(1)), other).reserve(lambda: Decimal(2)) is None
    assert other.reserved == 0
