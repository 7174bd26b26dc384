"""What is tried again, how often, and how long it waits."""

import asyncio
import re
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from calls import BODY, post, post_many
from clock import clock
from scripted.judging import FAST
from scripted.provider import ScriptedProvider, fails, redirects_to, resets, says, shows_a_page, waits

from adjudge.errors import SetupError
from adjudge.llm.base import Delivery
from adjudge.llm.retry import Endpoint, Refused, Retries
from adjudge.models.common import Failure


@pytest.fixture
async def endpoint(provider):
    opened = Endpoint(provider.chat_url, "a judge", FAST)
    yield opened
    await opened.close()


async def failure_of(endpoint):
    reply = await post(endpoint)
    assert isinstance(reply, Failure)
    return reply.reason, reply.message


TEMPORARY = {
    "429": fails(429), "500": fails(500), "503": fails(503), "529": fails(529), "408": fails(408), "reset": resets(),
    "reset in the body": resets(after=b'{"choices": ['), "a page": shows_a_page(status=200),
    "a gateway's page": shows_a_page(status=502),
}  # fmt: skip


@pytest.mark.parametrize("trouble", TEMPORARY.values(), ids=TEMPORARY)
async def test_a_temporary_error_is_retried(endpoint, provider, trouble):
    provider.script = [trouble, trouble, says("fine")]
    assert (await post(endpoint)).attempts == provider.calls == 3
    assert [request.body for request in provider.requests] == [BODY] * 3


LATER = "come back later"


@pytest.mark.parametrize(("trouble", "reason", "said", "calls"), [
    (fails(500, "oops"), "server_error", r"HTTP 500: oops \(after 3 attempts\)", [3]),
    (shows_a_page(), "server_error", r"HTTP 200: <html>.*\(after 3 attempts\)", [3]),
    (resets(), "connection", r"\(after 3 attempts\)", [3]),
    (resets(after=b'{"choices": ['), "connection", r"\(after 3 attempts\)", [3]),
    (says("x" * 33 * 2**20), "malformed", r"the reply is larger than 8 MB \(after one attempt\)", [1]),
    # A server that stays overloaded has more attempts.
    (fails(429, "slow down"), "rate_limited", "slow down", range(4, 1000)),
    (fails(529, "slow down"), "server_error", "slow down", range(4, 1000)),
    # A wait beyond the limit is a failure at once.
    (fails(429, LATER, retry_after="3600"), "rate_limited", "the server asks to wait", [1]),
    (fails(429, LATER, retry_after="inf"), "rate_limited", "the server asks to wait", [1]),
    (fails(429, LATER, retry_after="Wed, 21 Oct 2099 07:28:00 GMT"), "rate_limited", "the server asks to", [1]),
], ids=["500", "a page", "reset", "reset in the body", "too large", "429", "529", "an hour", "for ever", "a date"],
)  # fmt: skip
async def test_a_lasting_trouble_is_a_failure_with_its_reason(endpoint, provider, trouble, reason, said, calls):
    provider.script = lambda request: trouble
    found, message = await failure_of(endpoint)
    assert re.search(said, message)
    assert found == reason and provider.calls in calls


async def test_silence_is_a_timeout(provider):
    provider.script = lambda request: waits(60, says("late"))
    endpoint = Endpoint(provider.chat_url, "a judge", Retries(attempts=2, first_wait=0.001, timeout=1.0))
    assert (await failure_of(endpoint))[0] == "timeout" and provider.calls == 2
    await endpoint.close()


@pytest.mark.parametrize(("url", "retries", "message"), [
    ("http://localhost:9/v1/chat/completions", Retries(),
     "http://localhost:9/v1: nothing answers there (connection refused); is the server running?"),
    ("http://no-such-host.invalid/v1/chat/completions", replace(FAST, attempts=5),
     "http://no-such-host.invalid/v1/chat/completions: unknown host (after 5 attempts)"),
], ids=["this machine", "another machine"])  # fmt: skip
async def test_a_server_that_does_not_run_is_said_soon_on_this_machine_and_after_retries_elsewhere(
    url, retries, message
):
    endpoint = Endpoint(url, "a judge", retries)
    began = time.monotonic()
    assert await failure_of(endpoint) == ("connection", message)
    assert time.monotonic() - began < 15  # with the usual retries, another machine is tried for half a minute
    await endpoint.close()


@pytest.mark.fake_clock
async def test_a_server_of_this_machine_may_come_back_at_once():
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


async def test_what_the_provider_will_not_take_is_not_tried_again(endpoint, provider):
    statuses = [400, 401, 403, 404, 413, 422]
    provider.script = [fails(status, "no") for status in statuses]
    assert [await post(endpoint) for _ in statuses] == [Refused(status, "no", 1) for status in statuses]


@pytest.mark.parametrize(("headers", "least"), [
    ({"retry_after": "0.2"}, 0.2), ({"retry_after_ms": "150"}, 0.15),
    ({"retry_after_ms": "150", "retry_after": "3600"}, 0.15), ({"retry_after": "soon"}, 0.0),
    ({"retry_after": "a date"}, 0.9),  # dates have whole seconds: two seconds ahead means at least one
], ids=str)  # fmt: skip
async def test_it_waits_as_long_as_the_server_asks(provider, headers, least):
    endpoint = Endpoint(provider.chat_url, "a judge", replace(FAST, longest_wait=60))
    began = time.monotonic()
    if headers == {"retry_after": "a date"}:
        headers = {"retry_after": format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True)}
    provider.script = [fails(429, **headers), says("fine")]
    assert isinstance(await post(endpoint), Delivery)
    assert least <= time.monotonic() - began < 60  # and not an hour
    await endpoint.close()


async def test_a_redirect_is_not_followed(endpoint, provider):
    async with ScriptedProvider() as elsewhere:
        provider.script = [redirects_to(elsewhere.chat_url)]
        reply = await post(endpoint, **{"x-api-key": "secret"})
        assert (reply, elsewhere.calls) == (Refused(307, f"redirects to {elsewhere.chat_url}", 1), 0)


async def test_nothing_is_sent_while_a_key_is_missing(provider):
    with pytest.raises(SetupError, match="set KEY"):
        await post(Endpoint(provider.chat_url, "a judge", FAST, needs=SetupError("set KEY")))
    assert provider.calls == 0


def test_an_endpoint_outlives_the_loop_it_was_first_used_on():
    endpoint = Endpoint("", "a judge", FAST)

    async def once():
        async with ScriptedProvider(lambda request: says("fine")) as provider:
            endpoint.url = provider.chat_url
            return isinstance(await post(endpoint), Delivery)

    assert asyncio.run(once()) and asyncio.run(once())
    asyncio.run(endpoint.close())
    assert not endpoint.client._sessions


async def test_a_hundred_calls_share_one_endpoint(endpoint, provider):
    everybody = asyncio.Event()

    async def together(request, raw):
        """Nobody is answered before all have asked."""
        if provider.calls == 100:
            everybody.set()
        await everybody.wait()
        return await says("fine")(request, raw)

    provider.script = lambda request: together
    assert all(isinstance(reply, Delivery) for reply in await post_many(endpoint, 100))
