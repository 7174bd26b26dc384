"""What is tried again, how often, and how long it waits."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from clock import clock
from scripted.judging import FAST
from scripted.provider import ScriptedProvider, fails, redirects_to, resets, says, shows_a_page, waits

from adjudge.errors import SetupError
from adjudge.llm.base import Delivery
from adjudge.llm.openai import is_reply
from adjudge.llm.retry import Endpoint, Refused, Retries
from adjudge.models.common import Failure

HEADERS = {"content-type": "application/json"}
BODY = b'{"model": "m", "messages": []}'


@pytest.fixture
async def endpoint(provider):
    opened = Endpoint(provider.chat_url, "a judge", FAST)
    yield opened
    await opened.close()


async def post(endpoint):
    return await endpoint.ask(HEADERS, is_reply, BODY)


@pytest.mark.parametrize(
    "trouble",
    [
        fails(429), fails(500), fails(503), fails(529), fails(408), resets(), resets(after=b'{"choices": ['),
        shows_a_page(status=200), shows_a_page(status=502),
    ],
    ids=["429", "500", "503", "529", "408", "reset", "reset in the body", "a page", "a gateway's page"],
)  # fmt: skip
async def test_a_temporary_error_is_retried(endpoint, provider, trouble):
    provider.script = [trouble, trouble, says("fine")]
    reply = await post(endpoint)
    assert isinstance(reply, Delivery)
    assert reply.attempts == provider.calls == 3
    assert [request.body for request in provider.requests] == [BODY] * 3


@pytest.mark.parametrize(
    ("trouble", "reason", "said"),
    [
        (fails(500, "oops"), "server_error", "HTTP 500: oops"), (shows_a_page(), "server_error", "HTTP 200: <html>"),
        (resets(), "connection", ""), (resets(after=b'{"choices": ['), "connection", ""),
    ],
)  # fmt: skip
async def test_a_lasting_trouble_is_a_failure_with_its_reason(endpoint, provider, trouble, reason, said):
    provider.script = lambda request: trouble
    reply = await post(endpoint)
    assert isinstance(reply, Failure)
    assert reply.reason == reason
    assert said in reply.message
    assert "(after 3 attempts)" in reply.message
    assert provider.calls == FAST.attempts


async def test_a_reply_that_is_too_large_is_malformed_and_not_asked_for_again(endpoint, provider):
    provider.script = lambda request: says("x" * 33 * 2**20)
    reply = await post(endpoint)
    assert isinstance(reply, Failure)
    assert (reply.reason, provider.calls) == ("malformed", 1)
    assert "the reply is larger than 8 MB (after one attempt)" in reply.message


async def test_silence_is_a_timeout(provider):
    provider.script = lambda request: waits(60, says("late"))
    endpoint = Endpoint(provider.chat_url, "a judge", Retries(attempts=2, first_wait=0.001, timeout=1.0))
    reply = await post(endpoint)
    await endpoint.close()
    assert isinstance(reply, Failure)
    assert (reply.reason, provider.calls) == ("timeout", 2)


@pytest.mark.parametrize(
    ("trouble", "reason"),
    [(fails(429, "slow down"), "rate_limited"), (fails(529, "slow down"), "server_error")],
    ids=["429", "529"],
)
async def test_a_server_that_stays_overloaded_is_a_failure_in_the_end(endpoint, provider, trouble, reason):
    provider.script = lambda request: trouble
    reply = await post(endpoint)
    assert isinstance(reply, Failure)
    assert (reply.reason, "slow down" in reply.message) == (reason, True)
    assert provider.calls > FAST.attempts


async def test_a_server_of_this_machine_that_does_not_run_is_said_soon_and_plainly():
    endpoint = Endpoint("http://localhost:9/v1/chat/completions", "a judge")
    began = time.monotonic()
    reply = await post(endpoint)
    await endpoint.close()
    assert isinstance(reply, Failure)
    assert (reply.reason, reply.message) == (
        "connection",
        "http://localhost:9/v1: nothing answers there (connection refused); is the server running?",
    )
    assert time.monotonic() - began < 15  # another machine is tried for half a minute


@pytest.mark.fake_clock
async def test_a_server_of_this_machine_may_come_back_at_once(provider):
    async with ScriptedProvider() as gone:
        url = gone.chat_url
    endpoint = Endpoint(url, "a judge")
    asked = asyncio.create_task(post(endpoint))
    for _ in range(100):  # until the connection is refused
        await asyncio.sleep(0)
    assert not asked.done()
    back = ScriptedProvider(lambda request: says("fine"))
    await back.start(int(url.split(":")[2].split("/")[0]))
    clock().advance(10)
    assert isinstance(await asked, Delivery)
    await endpoint.close()
    await back.stop()


async def test_another_machine_that_cannot_be_reached_keeps_its_retries():
    endpoint = Endpoint("http://no-such-host.invalid/v1/chat/completions", "a judge", replace(FAST, attempts=5))
    reply = await post(endpoint)
    await endpoint.close()
    assert isinstance(reply, Failure)
    assert (reply.reason, reply.message) == (
        "connection",
        "http://no-such-host.invalid/v1/chat/completions: unknown host (after 5 attempts)",
    )


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422])
async def test_what_the_provider_will_not_take_is_not_tried_again(endpoint, provider, status):
    provider.script = [fails(status, "no")]
    assert await post(endpoint) == Refused(status, "no", 1)


@pytest.mark.parametrize(
    ("headers", "least"),
    [
        ({"retry_after": "0.2"}, 0.2), ({"retry_after_ms": "150"}, 0.15),
        ({"retry_after_ms": "150", "retry_after": "3600"}, 0.15), ({"retry_after": "soon"}, 0.0),
    ],
)  # fmt: skip
async def test_it_waits_as_long_as_the_server_asks(endpoint, provider, headers, least):
    provider.script = [fails(429, **headers), says("fine")]
    began = time.monotonic()
    assert isinstance(await post(endpoint), Delivery)
    assert least <= time.monotonic() - began < 60  # and not an hour


async def test_a_date_to_come_back_at_is_honoured(provider):
    # Dates have whole seconds: two seconds ahead means at least one.
    began = time.monotonic()
    at = format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True)
    provider.script = [fails(429, retry_after=at), says("fine")]
    endpoint = Endpoint(provider.chat_url, "a judge", Retries(attempts=2, first_wait=0.001, longest_wait=60))
    assert isinstance(await post(endpoint), Delivery)
    assert time.monotonic() - began >= 0.9
    await endpoint.close()


@pytest.mark.parametrize("asked", ["3600", "Wed, 21 Oct 2099 07:28:00 GMT", "inf"])
async def test_a_wait_beyond_the_limit_is_a_failure_at_once(endpoint, provider, asked):
    provider.script = [fails(429, "come back later", retry_after=asked)]
    reply = await post(endpoint)
    assert isinstance(reply, Failure)
    assert reply.reason == "rate_limited"
    assert "the server asks to wait" in reply.message
    assert provider.calls == 1


async def test_a_redirect_is_not_followed(endpoint, provider):
    async with ScriptedProvider() as elsewhere:
        provider.script = [redirects_to(elsewhere.chat_url)]
        reply = await endpoint.ask({**HEADERS, "x-api-key": "secret"}, is_reply, BODY)
        assert reply == Refused(307, f"redirects to {elsewhere.chat_url}", 1)
        assert elsewhere.calls == 0


async def test_nothing_is_sent_while_a_key_is_missing(provider):
    endpoint = Endpoint(provider.chat_url, "a judge", FAST, needs=SetupError("set KEY"))
    with pytest.raises(SetupError, match="set KEY"):
        await post(endpoint)
    assert provider.calls == 0


def test_a_endpoint_outlives_the_loop_it_was_first_used_on():
    endpoints: list[Endpoint] = []

    async def once():
        async with ScriptedProvider() as provider:
            if not endpoints:
                endpoints.append(Endpoint(provider.chat_url, "a judge", FAST))
            endpoints[0].url = provider.chat_url
            provider.script = lambda request: says("fine")
            return isinstance(await post(endpoints[0]), Delivery)

    assert asyncio.run(once())
    assert asyncio.run(once())
    asyncio.run(endpoints[0].close())
    assert not endpoints[0].client._sessions


async def test_a_hundred_calls_share_one_endpoint(endpoint, provider):
    everybody = asyncio.Event()

    async def together(request, raw):
        """Nobody is answered before all have asked."""
        if provider.calls == 100:
            everybody.set()
        await everybody.wait()
        return await says("fine")(request, raw)

    provider.script = lambda request: together
    replies = await asyncio.gather(*(post(endpoint) for _ in range(100)))
    assert all(isinstance(reply, Delivery) for reply in replies)
