"""Rate-limited calls over real sockets: bursts of refusals, limits in headers, dead servers and slow ones."""

import asyncio
import itertools
import time
from dataclasses import replace
from types import SimpleNamespace

import pytest
from aiohttp import web
from calls import HEADERS, about, post, post_many, reasons
from scripted.judging import FAST
from scripted.provider import ScriptedProvider, fails, judges, resets, says, tells, waits

from adjudge.judges.jury import Jury
from adjudge.judges.llm import LLMJudge
from adjudge.llm.base import Delivery
from adjudge.llm.openai import OpenAIWire, default_dialect
from adjudge.llm.rate_limiter import RateLimits
from adjudge.llm.retry import Endpoint, Refused
from adjudge.protocols.compare.case import Comparison

QUICK = RateLimits(start=8, ceiling=64, first_wait=0.005, patience=60.0, open_after=3, cool_down=600)


@pytest.fixture
async def limited(provider):
    """Opens endpoints to the scripted provider with a limiter of their own, or with a given one."""
    opened: list[Endpoint] = []

    def open_one(limits=QUICK, limiter=None):
        limiter = limiter or replace(limits).limiter("openai", provider.chat_url)
        opened.append(Endpoint(provider.chat_url, "a judge", FAST, limiter=limiter))
        return opened[-1]

    yield open_one
    for endpoint in opened:
        await endpoint.close()


def all_delivered(replies):
    return all(isinstance(reply, Delivery) for reply in replies)


@pytest.mark.parametrize(
    "refusal",
    [fails(429), fails(429, retry_after="0.1"), fails(529), fails(503, retry_after_ms="60")],
    ids=["429", "429 with a time", "529", "503 with a time"],
)
async def test_a_burst_of_refusals_fails_no_call(limited, provider, refusal):
    began = time.monotonic()
    provider.script = lambda request: refusal if time.monotonic() - began < 0.5 else says("fine")
    assert all_delivered(await post_many(limited(), 100))
    # A hundred callers who each retry for themselves would have sent thousands of requests.
    assert provider.calls < 100 + 150


async def test_one_refusal_with_a_time_holds_everybody_until_it_has_passed(limited, provider):
    arrivals, refused = [], []

    def script(request):
        arrivals.append(time.monotonic())
        if len(arrivals) == 30:
            refused.append(time.monotonic())
            return fails(429, retry_after="0.5")
        return waits(0.02, says("fine"))

    provider.script = script
    one = limited(RateLimits(start=8, ceiling=8))
    other = limited(limiter=one.limiter)  # another model of the same provider shares the limiter
    assert all(map(all_delivered, await asyncio.gather(post_many(one, 40), post_many(other, 40))))
    during = [at for at in arrivals if refused[0] < at < refused[0] + 0.5]
    assert len(during) < 8, "only those on their way when it was refused"
    assert (len(arrivals), one.limiter.held[1]) == (81, "")


async def test_limits_in_headers_are_kept_before_a_call_is_refused(limited, provider):
    # Twenty requests a half second, as a provider counts: a window, and a refusal beyond it.
    window = 0.5
    began, used, refused = time.monotonic(), 0, 0

    def script(request):
        nonlocal began, used, refused
        now = time.monotonic()
        if now - began >= window:
            began, used = now, 0
        used += 1
        left = f"{(window - (now - began)) * 1000:.0f}ms"
        if used > 20:
            refused += 1
            return fails(429, retry_after_ms=left[:-2])
        return tells(says("fine"), x_ratelimit_remaining_requests=str(20 - used), x_ratelimit_reset_requests=left)

    provider.script = script
    assert all_delivered(await post_many(limited(RateLimits(start=4, ceiling=8, first_wait=0.005)), 60))
    assert refused <= 4, f"{refused} refusals of 60"


async def test_a_rate_is_kept_over_the_wire(limited, provider):
    provider.script = lambda request: says("fine")
    began = time.monotonic()
    await post_many(limited(RateLimits(start=50, per_minute=60 * 40)), 21)
    assert time.monotonic() - began >= 0.4


async def test_errors_of_every_kind_leave_no_slot_taken(limited, provider):
    good, bad = says("fine"), [fails(500), resets(), fails(429), fails(503)]
    troubles = itertools.cycle([good, bad[0], good, bad[1], bad[2], good, bad[3], good, good, good])
    provider.script = lambda request: next(troubles)
    endpoint = limited()
    assert reasons(await post_many(endpoint, 150)).count("") >= 100
    assert (endpoint.limiter.in_flight, endpoint.limiter.waiting) == (0, 0)


async def test_cancelled_callers_leave_no_slot_taken(limited, provider):
    provider.script = lambda request: waits(0.05, says("fine"))
    endpoint = limited()
    tasks = [asyncio.create_task(post(endpoint)) for _ in range(60)]
    await asyncio.sleep(0.08)
    for task in tasks[::2]:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert endpoint.limiter.in_flight == 0
    assert isinstance(await post(endpoint), Delivery)


async def test_a_refused_request_does_not_open_the_circuit(limited, provider):
    provider.script = lambda request: fails(400, "no")
    endpoint = limited()
    assert {await post(endpoint) for _ in range(10)} == {Refused(400, "no", 1)}


async def test_no_credit_left_fails_at_once_and_for_all(limited, provider):
    async def broke(request, raw):
        error = {"message": "You exceeded your current quota", "code": "insufficient_quota"}
        return web.json_response({"error": error}, status=429)

    provider.script = lambda request: broke
    endpoint = limited()
    for _ in range(5):
        reply = await post(endpoint)
        assert (reply.reason, "exceeded your current quota" in reply.message) == ("rate_limited", True)
    assert provider.calls == 1


async def test_a_wait_of_an_hour_fails_all_callers_at_once(limited, provider):
    provider.script = lambda request: fails(429, "come back later", retry_after="3600")
    began = time.monotonic()
    assert reasons(await post_many(limited(), 50)) == ["rate_limited"] * 50
    assert time.monotonic() - began < 120 and provider.calls <= QUICK.start


async def test_refusals_without_end_are_a_failure_in_the_end(limited, provider):
    provider.script = lambda request: fails(429, "slow down")
    reply = await post(limited(RateLimits(first_wait=0.005, patience=2.0)))
    assert (reply.reason, "slow down" in reply.message) == ("rate_limited", True)
    assert provider.calls > FAST.attempts


async def test_a_dead_provider_is_not_asked_for_a_while_and_then_tried_again(limited, provider, monkeypatch):
    provider.script = lambda request: fails(500, "on fire")
    endpoint = limited()
    assert set(reasons(await post_many(endpoint, 8))) <= {"server_error"}
    knocked = provider.calls
    later = await post_many(endpoint, 50)
    assert reasons(later) == ["server_error"] * 50 and "HTTP 500: on fire" in later[0].message
    assert provider.calls == knocked
    provider.script = lambda request: says("fine")
    cooled_down = SimpleNamespace(monotonic=lambda: time.monotonic() + QUICK.cool_down)
    monkeypatch.setattr("adjudge.llm.rate_limiter.time", cooled_down)
    assert isinstance(await post(endpoint), Delivery)
    assert all_delivered(await post_many(endpoint, 20))


def judge_at(server, name, limits, journal):
    endpoint = Endpoint(server.chat_url, name, FAST, limiter=limits.limiter("", server.chat_url))
    return LLMJudge(name, OpenAIWire("", name, endpoint, HEADERS, default_dialect("", name)), journal)


async def test_a_dead_and_a_slow_member_do_not_stall_a_jury(journal):
    limits = RateLimits(start=8, ceiling=8, open_after=3, cool_down=60)
    servers = good, better, slow, dead = [ScriptedProvider() for _ in range(4)]
    async with good, better, slow, dead:
        all_served = asyncio.Event()

        def quickly(request):
            if good.calls == 24:
                all_served.set()
            return judges()

        async def slowly(request, raw):
            """It does not answer before the good one has served all, as long as that may take."""
            await asyncio.wait_for(all_served.wait(), FAST.timeout / 2)
            return await judges()(request, raw)

        good.script = quickly
        slow.script = lambda request: slowly
        dead.script = lambda request: fails(500, "on fire")
        names = ("good", "better", "slow", "dead")
        jury = Jury("jury", tuple(map(judge_at, servers, names, [limits] * 4, [journal] * 4)))
        cases = [Comparison("Say hello.", f"Hello number {n}, how are you?", "Hi.") for n in range(24)]
        opinions = await asyncio.gather(*(jury.opine(about(case)) for case in cases))
        knocked, served = dead.calls, good.calls
        opinions += await asyncio.gather(*(jury.opine(about(case, "ba")) for case in cases[:8]))
        await jury.close()
    assert all(opinion.scores and reasons(opinion.failures) == ["server_error"] for opinion in opinions)
    assert dead.calls == knocked < 24 * FAST.attempts, "once the circuit is open nobody asks it"
    assert served == 24
    assert [limiter.in_flight for limiter in limits.named().values()] == [0, 0, 0, 0]


async def test_a_judge_with_a_rate_limiter_judges_as_one_without(provider, journal, case):
    judge = judge_at(provider, "m", RateLimits(), journal)
    opinion = await judge.opine(about(case))
    await judge.close()
    assert opinion.scores and opinion.calls[0].attempts == 1
