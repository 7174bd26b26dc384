"""Rate-limited calls over real sockets: bursts of refusals, limits in headers, dead servers and slow ones."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace

import pytest
from aiohttp import web
from scripted.judging import FAST
from scripted.provider import ScriptedProvider, fails, judges, resets, says, tells, waits

from adjudge.judges.jury import Jury
from adjudge.judges.llm import LLMJudge
from adjudge.llm.base import Delivery
from adjudge.llm.openai import OpenAIWire, default_dialect, is_reply
from adjudge.llm.rate_limiter import RateLimiter, RateLimits
from adjudge.llm.retry import Endpoint, Refused
from adjudge.models.common import Failure
from adjudge.protocols.compare.case import Comparison
from adjudge.protocols.compare.questions import CompareQuestion
from adjudge.protocols.compare.verdict import ComparisonOpinion
from adjudge.protocols.rubrics import shipped

QUICK = RateLimits(start=8, ceiling=64, first_wait=0.005, patience=60.0, open_after=3, cool_down=600)
HEADERS = {"content-type": "application/json"}
BODY = b'{"model": "m", "messages": []}'

OpenEndpoint = Callable[..., Endpoint]


@pytest.fixture
async def limited(provider):
    """Opens endpoints to the scripted provider with a limiter of their own."""
    opened: list[Endpoint] = []

    def open_one(limits=QUICK, url=""):
        fresh = replace(limits)
        url = url or provider.chat_url
        opened.append(Endpoint(url, "a judge", FAST, limiter=fresh.limiter("openai", url)))
        return opened[-1]

    yield open_one
    for endpoint in opened:
        await endpoint.close()


async def post(endpoint):
    return await endpoint.ask(HEADERS, is_reply, BODY)


def for_the_first(seconds, trouble, then):
    began = time.monotonic()
    return lambda request: trouble if time.monotonic() - began < seconds else then


@pytest.mark.parametrize(
    "refusal",
    [fails(429), fails(429, retry_after="0.1"), fails(529), fails(503, retry_after_ms="60")],
    ids=["429", "429 with a time", "529", "503 with a time"],
)
async def test_a_burst_of_refusals_fails_no_call(limited, provider, refusal):
    provider.script = for_the_first(0.5, refusal, says("fine"))
    endpoint = limited()
    replies = await asyncio.gather(*(post(endpoint) for _ in range(100)))
    assert all(isinstance(reply, Delivery) for reply in replies)
    # A hundred callers who each retry for themselves would have sent thousands of requests.
    assert provider.calls < 100 + 150


async def test_one_refusal_with_a_time_holds_everybody_until_it_has_passed(limited, provider):
    arrivals: list[float] = []
    refused: list[float] = []

    def script(request):
        arrivals.append(time.monotonic())
        if len(arrivals) == 30:
            refused.append(time.monotonic())
            return fails(429, retry_after="0.5")
        return waits(0.02, says("fine"))

    provider.script = script
    one = limited(RateLimits(start=8, ceiling=8))
    # Another model of the same provider shares the limiter.
    other = Endpoint(provider.chat_url, "another judge", FAST, limiter=one.limiter)
    replies = await asyncio.gather(*(post(endpoint) for _ in range(40) for endpoint in (one, other)))
    await other.close()
    assert all(isinstance(reply, Delivery) for reply in replies)
    during = [at for at in arrivals if refused[0] < at < refused[0] + 0.5]
    assert len(during) < 8, "only those on their way when it was refused"
    assert len(arrivals) == 81
    assert one.limiter is not None
    assert one.limiter.held[1] == ""


async def test_a_limiter_says_why_everybody_waits():
    limiter = RateLimiter(RateLimits())
    ticket = limiter.ticket()
    await limiter.acquire(ticket)
    limiter.refused(ticket, 200.0, "HTTP 429: slow down")
    limiter.release(ticket)
    seconds, why = limiter.held
    assert (why, 100 < seconds <= 200) == ("HTTP 429: slow down", True)


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
    endpoint = limited(RateLimits(start=4, ceiling=8, first_wait=0.005))
    replies = await asyncio.gather(*(post(endpoint) for _ in range(60)))
    assert all(isinstance(reply, Delivery) for reply in replies)
    assert refused <= 4, f"{refused} refusals of 60"


async def test_a_rate_is_kept_over_the_wire(limited, provider):
    provider.script = lambda request: says("fine")
    endpoint = limited(RateLimits(start=50, per_minute=60 * 40))
    began = time.monotonic()
    await asyncio.gather(*(post(endpoint) for _ in range(21)))
    assert time.monotonic() - began >= 0.4


async def test_errors_of_every_kind_leave_no_slot_taken(limited, provider):
    troubles = itertools.cycle(
        [says("a"), fails(500), says("b"), resets(), fails(429), says("c"), fails(503), says("d"), says("e"), says("f")]
    )
    provider.script = lambda request: next(troubles)
    endpoint = limited()
    replies = await asyncio.gather(*(post(endpoint) for _ in range(150)))
    assert sum(isinstance(reply, Delivery) for reply in replies) >= 100
    assert endpoint.limiter is not None
    assert (endpoint.limiter.in_flight, endpoint.limiter.waiting) == (0, 0)


async def test_cancelled_callers_leave_no_slot_taken(limited, provider):
    provider.script = lambda request: waits(0.05, says("fine"))
    endpoint = limited()
    tasks = [asyncio.create_task(post(endpoint)) for _ in range(60)]
    await asyncio.sleep(0.08)
    for task in tasks[::2]:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert endpoint.limiter is not None
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

    provider.script = lambda request: broke  # type: ignore[assignment,return-value]
    endpoint = limited()
    for _ in range(5):
        reply = await post(endpoint)
        assert isinstance(reply, Failure)
        assert (reply.reason, "exceeded your current quota" in reply.message) == ("rate_limited", True)
    assert provider.calls == 1


async def test_a_wait_of_an_hour_fails_all_callers_at_once(limited, provider):
    provider.script = lambda request: fails(429, "come back later", retry_after="3600")
    endpoint = limited()
    began = time.monotonic()
    replies = await asyncio.gather(*(post(endpoint) for _ in range(50)))
    assert {reply.reason for reply in replies if isinstance(reply, Failure)} == {"rate_limited"}
    assert (len(replies), time.monotonic() - began < 120) == (50, True)
    assert provider.calls <= QUICK.start


async def test_refusals_without_end_are_a_failure_in_the_end(limited, provider):
    provider.script = lambda request: fails(429, "slow down")
    endpoint = limited(RateLimits(first_wait=0.005, patience=2.0))
    reply = await post(endpoint)
    assert isinstance(reply, Failure)
    assert (reply.reason, "slow down" in reply.message) == ("rate_limited", True)
    assert provider.calls > FAST.attempts


async def test_a_dead_provider_is_not_asked_for_a_while_and_then_tried_again(limited, provider, monkeypatch):
    provider.script = lambda request: fails(500, "on fire")
    endpoint = limited()
    replies = await asyncio.gather(*(post(endpoint) for _ in range(8)))
    assert {reply.reason for reply in replies if isinstance(reply, Failure)} == {"server_error"}
    knocked = provider.calls
    later = await asyncio.gather(*(post(endpoint) for _ in range(50)))
    assert all(isinstance(reply, Failure) and reply.reason == "server_error" for reply in later)
    assert "HTTP 500: on fire" in later[0].message  # type: ignore[union-attr]
    assert provider.calls == knocked
    provider.script = lambda request: says("fine")
    later = SimpleNamespace(monotonic=lambda: time.monotonic() + QUICK.cool_down)
    monkeypatch.setattr("adjudge.llm.rate_limiter.time", later)
    assert isinstance(await post(endpoint), Delivery)
    assert all(isinstance(reply, Delivery) for reply in await asyncio.gather(*(post(endpoint) for _ in range(20))))


async def test_a_dead_and_a_slow_member_do_not_stall_a_jury(journal):
    limits = RateLimits(start=8, ceiling=8, open_after=3, cool_down=60)
    servers = ScriptedProvider(), ScriptedProvider(), ScriptedProvider(), ScriptedProvider()
    good, better, slow, dead = servers
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
        members = []
        for name, server in zip(("good", "better", "slow", "dead"), servers, strict=True):
            endpoint = Endpoint(server.chat_url, name, FAST, limiter=limits.limiter("", server.chat_url))
            members.append(LLMJudge(name, OpenAIWire("", name, endpoint, HEADERS, default_dialect("", name)), journal))
        jury = Jury("jury", tuple(members))
        cases = [Comparison("Say hello.", f"Hello number {n}, how are you?", "Hi.") for n in range(24)]
        rubric = shipped("compare")
        opinions = await asyncio.gather(*(jury.opine(CompareQuestion(case, rubric, "ab")) for case in cases))
        knocked, served = dead.calls, good.calls
        opinions += await asyncio.gather(*(jury.opine(CompareQuestion(case, rubric, "ba")) for case in cases[:8]))
        await jury.close()
    for opinion in opinions:
        assert isinstance(opinion, ComparisonOpinion)
        assert [failure.reason for failure in opinion.failures] == ["server_error"]
    assert dead.calls == knocked < 24 * FAST.attempts, "once the circuit is open nobody asks it"
    assert served == 24
    assert [limiter.in_flight for limiter in limits.named().values()] == [0, 0, 0, 0]


async def test_a_judge_with_a_rate_limiter_judges_as_one_without(provider, journal, case):
    provider.script = lambda request: judges()
    url = provider.chat_url
    endpoint = Endpoint(url, "m", FAST, limiter=RateLimits().limiter("", url))
    judge = LLMJudge("m", OpenAIWire("", "m", endpoint, HEADERS, default_dialect("", "m")), journal)
    opinion = await judge.opine(CompareQuestion(case, shipped("compare"), "ab"))
    await judge.close()
    assert isinstance(opinion, ComparisonOpinion)
    assert opinion.calls[0].attempts == 1
