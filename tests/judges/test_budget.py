"""A budget is kept, whoever comes in whichever order: no call is sent whose expected cost does not fit into it."""

from __future__ import annotations

import asyncio
import json
import random
from decimal import Decimal

import pytest
from aiohttp import web
from hypothesis import given, settings
from hypothesis import strategies as st
from scripted.judging import open_openai
from scripted.provider import Behaviour, ScriptedProvider, fails, judges, says, waits
from scripted.replies import Request, correct_reply, envelope

from adjudge.journal import Journal
from adjudge.judges.budget import JointBudget, LocalBudget
from adjudge.judges.jury import Jury
from adjudge.llm.prices import at_most, cost_of, most_input
from adjudge.models.common import Failure, Usage
from adjudge.protocols.compare.case import Comparison
from adjudge.protocols.compare.questions import CompareQuestion
from adjudge.protocols.compare.verdict import ComparisonOpinion
from adjudge.protocols.rubrics import shipped

CENTS = st.integers(0, 500).map(lambda cents: Decimal(cents) / 100)


@settings(max_examples=60)
@given(st.integers(0, 2**32), CENTS, st.lists(st.tuples(CENTS, st.integers(0, 100)), min_size=1, max_size=30))
def test_what_is_settled_never_passes_the_limit(seed: int, limit: Decimal, calls: list[tuple[Decimal, int]]) -> None:
    chance = random.Random(seed)

    async def main() -> None:
        budget = LocalBudget(limit)
        refused: list[Decimal] = []

        async def call(most: Decimal, percent: int) -> None:
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


async def test_who_does_not_fit_waits_for_what_is_in_flight() -> None:
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


async def test_who_can_never_fit_hears_it_at_once() -> None:
    budget = LocalBudget(Decimal(10), spent=Decimal(6))
    assert await budget.reserve(lambda: Decimal(5)) is None
    assert await budget.reserve(lambda: Decimal(4)) == 4
    assert budget.reserved == 4


async def test_what_nobody_knows_counts_in_full() -> None:
    budget = LocalBudget(Decimal(10))
    await budget.reserve(lambda: Decimal(7))
    budget.settle(Decimal(7), None)
    assert budget.spent == 7


async def test_who_waits_is_judged_by_what_is_expected_when_there_is_room() -> None:
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
    ("openai", "gpt-4o"),
    ("openai", "gpt-5.1"),
    ("anthropic", "claude-sonnet-4-5"),
    ("anthropic", "claude-3-5-haiku-latest"),
    ("google", "gemini-2.5-pro"),
    ("mistral", "mistral-large-latest"),
    ("groq", "llama-3.3-70b-versatile"),
]


@settings(max_examples=150)
@given(st.sampled_from(MODELS), st.integers(0, 400_000), st.integers(64, 65_536), st.data())
def test_no_usage_within_the_bounds_costs_more_than_the_most(
    model: tuple[str, str], size: int, max_tokens: int, data: st.DataObject
) -> None:
    import time

    most = at_most(*model, most_input(size), max_tokens)
    assert most is not None
    prompt = data.draw(st.integers(0, size))
    read = data.draw(st.integers(0, prompt))
    written = data.draw(st.integers(0, prompt - read))
    usage = Usage(
        input_tokens=prompt,
        output_tokens=data.draw(st.integers(0, max_tokens)),
        cache_read_tokens=read,
        cache_write_tokens=written,
    )
    cost = cost_of(*model, usage, time.time())
    assert cost is not None
    assert cost <= most
    halved = cost_of(*model, usage, time.time(), batch=True)
    assert halved is not None
    assert halved <= cost


def test_local_models_cost_nothing_and_unknown_ones_have_no_price() -> None:
    assert at_most("local", "any.gguf", 10**6, 8192) == 0
    assert at_most("", "llama", 1000, 8192) is None
    assert at_most("openai", "a-model-of-our-own", 1000, 8192) is None


def test_a_batch_costs_half_also_where_the_list_has_no_price_for_it() -> None:
    usage = Usage(input_tokens=1000, output_tokens=200)
    for model in ("claude-sonnet-4-5", "claude-3-opus-20240229"):
        whole, half = (cost_of("anthropic", model, usage, 1_794_000_000.0, batch=batch) for batch in (False, True))
        assert whole is not None
        assert half == whole / 2


# -- the judge --------------------------------------------------------------------------------------------------------


def asked(number: int) -> CompareQuestion:
    case = Comparison("Say hello.", f"Hello number {number}, how are you today?", "Hi.")
    return CompareQuestion(case, shipped("compare"), "ab")


async def test_a_judge_stops_when_the_budget_is_used_up(provider: ScriptedProvider, journal: Journal) -> None:
    provider.script = lambda request: waits(0.005)
    judge = open_openai(provider, journal, max_tokens=1000)
    judge.budget = budget = LocalBudget(Decimal("0.1"))
    outcomes = await asyncio.gather(*(judge.opine(asked(number)) for number in range(60)))
    opinions = [outcome for outcome in outcomes if isinstance(outcome, ComparisonOpinion)]
    failures = [outcome for outcome in outcomes if isinstance(outcome, Failure)]
    assert {failure.reason for failure in failures} == {"over_budget"}
    assert len(opinions) == provider.calls
    assert budget.spent == Decimal("0.004") * provider.calls <= budget.limit
    assert budget.reserved == 0
    assert len(opinions) == 24, "nothing is left over that would have paid for another"
    again = await judge.opine(asked(0))
    assert again == outcomes[0], "what is paid already costs nothing"
    await judge.close()


async def test_before_ten_replies_a_call_reserves_the_longest_reply_and_then_the_longest_seen(
    provider: ScriptedProvider, journal: Journal
) -> None:
    reserved: list[Decimal] = []

    def script(request: object) -> Behaviour:
        reserved.append(budget.reserved)
        return judges()

    provider.script = script
    judge = open_openai(provider, journal)
    judge.budget = budget = LocalBudget(Decimal(5))
    for number in range(12):
        await judge.opine(asked(number))
    await judge.close()
    price_of_the_bound = Decimal("0.08192")  # 8,192 tokens at $10 a million
    assert min(reserved[:10]) > price_of_the_bound
    # 1,000 tokens in and 200 out, none of them cached; a byte more in the prompt makes no difference.
    assert all(Decimal("0.0045") <= amount < Decimal("0.0046") for amount in reserved[10:])


async def long_replies(request: Request, _: web.Request) -> web.StreamResponse:
    reply = envelope(request, json.dumps(correct_reply(request)))
    reply["usage"]["completion_tokens"] = 2000
    return web.json_response(reply)


async def test_what_is_in_flight_may_pass_the_budget_and_nothing_more(
    provider: ScriptedProvider, journal: Journal
) -> None:
    provider.script = lambda request: judges() if provider.calls <= 10 else long_replies
    judge = open_openai(provider, journal)
    judge.budget = budget = LocalBudget(Decimal("0.15"))
    for number in range(10):
        await judge.opine(asked(number))
    assert budget.spent == Decimal("0.04")
    await asyncio.gather(*(judge.opine(asked(number)) for number in range(10, 16)))
    assert budget.spent == Decimal("0.04") + 6 * Decimal("0.022") > budget.limit
    refused = await judge.opine(asked(20))
    await judge.close()
    assert isinstance(refused, Failure)
    assert (refused.reason, provider.calls) == ("over_budget", 16)
    assert refused.message == "one more call may cost up to $0.0225, with a reply of 2,000 tokens"


async def test_a_call_that_fails_gives_its_money_back(provider: ScriptedProvider, journal: Journal) -> None:
    provider.script = lambda request: fails(400, "no")
    judge = open_openai(provider, journal)
    judge.budget = budget = LocalBudget(Decimal(1))
    assert isinstance(await judge.opine(asked(0)), Failure)
    await judge.close()
    assert (budget.spent, budget.reserved) == (0, 0)


async def test_a_repair_round_is_paid_from_the_same_budget(provider: ScriptedProvider, journal: Journal) -> None:
    provider.script = [says("no JSON"), says("still none")]
    judge = open_openai(provider, journal)
    judge.budget = budget = LocalBudget(Decimal(1))
    await judge.opine(asked(0))
    await judge.close()
    assert budget.spent == Decimal("0.008")


async def test_a_call_that_is_cancelled_counts_in_full(provider: ScriptedProvider, journal: Journal) -> None:
    came = asyncio.Event()

    def script(request: Request) -> Behaviour:
        came.set()
        return waits(5)

    provider.script = script
    judge = open_openai(provider, journal)
    judge.budget = budget = LocalBudget(Decimal(1))
    task = asyncio.create_task(judge.opine(asked(0)))
    await came.wait()
    reserved = budget.reserved
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await judge.close()
    assert (budget.spent, budget.reserved) == (reserved, 0)


async def test_a_jury_that_runs_out_of_money_fails_rather_than_shrinks(
    provider: ScriptedProvider, journal: Journal
) -> None:
    members = [open_openai(provider, journal, sample=number) for number in range(3)]
    members[2].budget = LocalBudget(Decimal(0))
    jury = Jury("jury", tuple(members))
    failure = await jury.opine(asked(0))
    await jury.close()
    assert isinstance(failure, Failure)
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
