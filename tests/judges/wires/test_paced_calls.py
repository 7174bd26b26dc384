"""Calls in step, over real sockets: bursts of refusals, limits told in headers, servers that die, slow ones beside."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import AsyncIterator, Callable

import pytest
from scripted.provider import Behaviour, ScriptedProvider, fails, judges, resets, says, tells, waits
from scripted.replies import Request

from adjudge.cases import Comparison
from adjudge.journal import Journal
from adjudge.judges.base import CompareQuestion
from adjudge.judges.jury import Jury
from adjudge.judges.llm import LLMJudge
from adjudge.judges.wires.http import Answered, Poster, Refused, Retries
from adjudge.judges.wires.openai import OpenAIWire, default_dialect, is_reply
from adjudge.judges.wires.pacing import Pacing
from adjudge.rubric import shipped
from adjudge.verdicts import ComparisonOpinion, Failure

FAST = Retries(attempts=3, first_wait=0.001, longest_wait=0.5, timeout=5.0, connect_timeout=2.0)
QUICK = Pacing(start=8, ceiling=64, first_wait=0.005, longest_wait=0.05, patience=5.0, breaks_after=3, cool_down=0.3)
HEADERS = {"content-type": "application/json"}
BODY = b'{"model": "m", "messages": []}'

OpenPoster = Callable[..., Poster]


@pytest.fixture
async def paced(provider: ScriptedProvider) -> AsyncIterator[OpenPoster]:
    """Opens posters to the scripted provider with a pace of their own."""
    opened: list[Poster] = []

    def open_one(pacing: Pacing = QUICK, url: str = "") -> Poster:
        fresh = pacing.shared_by(1)
        url = url or provider.chat_url
        opened.append(Poster(url, "a judge", FAST, pace=fresh.pace("openai", url)))
        return opened[-1]

    yield open_one
    for poster in opened:
        await poster.close()


async def post(poster: Poster) -> Answered | Refused | Failure:
    return await poster.post(BODY, HEADERS, is_reply)


def for_the_first(seconds: float, trouble: Behaviour, then: Behaviour) -> Callable[[Request], Behaviour]:
    began = time.monotonic()
    return lambda request: trouble if time.monotonic() - began < seconds else then


@pytest.mark.parametrize(
    "refusal",
    [fails(429), fails(429, retry_after="0.1"), fails(529), fails(503, retry_after_ms="60")],
    ids=["429", "429 with a time", "529", "503 with a time"],
)
async def test_a_burst_of_refusals_fails_no_call(
    paced: OpenPoster, provider: ScriptedProvider, refusal: Behaviour
) -> None:
    provider.script = for_the_first(0.5, refusal, says("fine"))
    poster = paced()
    replies = await asyncio.gather(*(post(poster) for _ in range(100)))
    assert all(isinstance(reply, Answered) for reply in replies)
    # One after the other knocked: a hundred callers who each try for themselves would have come thousands of times.
    assert provider.calls < 100 + 150


async def test_all_callers_stay_away_for_as_long_as_one_was_told(paced: OpenPoster, provider: ScriptedProvider) -> None:
    arrivals: list[float] = []

    def script(request: Request) -> Behaviour:
        arrivals.append(time.monotonic())
        return fails(429, retry_after="0.3") if len(arrivals) == 1 else says("fine")

    provider.script = script
    poster = paced()
    first = asyncio.create_task(post(poster))
    await asyncio.sleep(0.15)
    assert len(arrivals) == 1
    others = [asyncio.create_task(post(poster)) for _ in range(20)]
    assert all(isinstance(reply, Answered) for reply in await asyncio.gather(first, *others))
    assert arrivals[1] - arrivals[0] >= 0.3


async def test_told_limits_are_kept_before_anybody_is_refused(paced: OpenPoster, provider: ScriptedProvider) -> None:
    # Twenty requests a half second, as a provider counts: a window, and a refusal beyond it.
    window = 0.5
    began, used, refused = time.monotonic(), 0, 0

    def script(request: Request) -> Behaviour:
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
    poster = paced(Pacing(start=4, ceiling=8, first_wait=0.005))
    replies = await asyncio.gather(*(post(poster) for _ in range(60)))
    assert all(isinstance(reply, Answered) for reply in replies)
    assert refused <= 4, f"{refused} refusals of 60"


async def test_a_rate_is_kept_over_the_wire(paced: OpenPoster, provider: ScriptedProvider) -> None:
    provider.script = lambda request: says("fine")
    poster = paced(Pacing(start=50, per_minute=60 * 40))
    began = time.monotonic()
    await asyncio.gather(*(post(poster) for _ in range(21)))
    assert time.monotonic() - began >= 0.4


async def test_troubles_of_every_kind_at_once_leave_no_place_taken(
    paced: OpenPoster, provider: ScriptedProvider
) -> None:
    troubles = itertools.cycle(
        [says("a"), fails(500), says("b"), resets(), fails(429), says("c"), fails(503), says("d"), says("e"), says("f")]
    )
    provider.script = lambda request: next(troubles)
    poster = paced()
    replies = await asyncio.gather(*(post(poster) for _ in range(150)))
    assert sum(isinstance(reply, Answered) for reply in replies) >= 100
    assert poster.pace is not None
    state = poster.pace.state()
    assert (state.in_flight, state.waiting) == (0, 0)


async def test_callers_that_are_cancelled_leave_no_place_taken(paced: OpenPoster, provider: ScriptedProvider) -> None:
    provider.script = lambda request: waits(0.05, says("fine"))
    poster = paced()
    tasks = [asyncio.create_task(post(poster)) for _ in range(60)]
    await asyncio.sleep(0.08)
    for task in tasks[::2]:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert poster.pace is not None
    assert poster.pace.state().in_flight == 0
    assert isinstance(await post(poster), Answered)


async def test_a_request_that_is_not_taken_says_nothing_against_the_provider(
    paced: OpenPoster, provider: ScriptedProvider
) -> None:
    provider.script = lambda request: fails(400, "no")
    poster = paced()
    assert {await post(poster) for _ in range(10)} == {Refused(400, "no", 1)}


async def test_no_credit_left_fails_at_once_and_for_all(paced: OpenPoster, provider: ScriptedProvider) -> None:
    async def broke(request: Request, raw: object) -> object:
        from aiohttp import web

        error = {"message": "You exceeded your current quota", "code": "insufficient_quota"}
        return web.json_response({"error": error}, status=429)

    provider.script = lambda request: broke  # type: ignore[assignment,return-value]
    poster = paced()
    for _ in range(5):
        reply = await post(poster)
        assert isinstance(reply, Failure)
        assert (reply.reason, "exceeded your current quota" in reply.message) == ("rate_limited", True)
    assert provider.calls == 1


async def test_to_be_sent_away_for_an_hour_fails_everybody_at_once(
    paced: OpenPoster, provider: ScriptedProvider
) -> None:
    provider.script = lambda request: fails(429, "come back later", retry_after="3600")
    poster = paced()
    began = time.monotonic()
    replies = await asyncio.gather(*(post(poster) for _ in range(50)))
    assert {reply.reason for reply in replies if isinstance(reply, Failure)} == {"rate_limited"}
    assert (len(replies), time.monotonic() - began < 2.0) == (50, True)
    assert provider.calls <= QUICK.start


async def test_refusals_without_end_are_a_failure_in_the_end(paced: OpenPoster, provider: ScriptedProvider) -> None:
    provider.script = lambda request: fails(429, "slow down")
    poster = paced(Pacing(first_wait=0.005, longest_wait=0.02, patience=0.3))
    reply = await post(poster)
    assert isinstance(reply, Failure)
    assert (reply.reason, "slow down" in reply.message) == ("rate_limited", True)
    assert provider.calls > FAST.attempts


async def test_a_dead_provider_is_left_alone_and_tried_again_later(
    paced: OpenPoster, provider: ScriptedProvider
) -> None:
    provider.script = lambda request: fails(500, "on fire")
    poster = paced()
    replies = await asyncio.gather(*(post(poster) for _ in range(8)))
    assert {reply.reason for reply in replies if isinstance(reply, Failure)} == {"server_error"}
    knocked = provider.calls
    later = await asyncio.gather(*(post(poster) for _ in range(50)))
    assert all(isinstance(reply, Failure) and reply.reason == "server_error" for reply in later)
    assert "HTTP 500: on fire" in later[0].message  # type: ignore[union-attr]
    assert provider.calls == knocked
    provider.script = lambda request: says("fine")
    await asyncio.sleep(0.35)
    assert isinstance(await post(poster), Answered)
    assert all(isinstance(reply, Answered) for reply in await asyncio.gather(*(post(poster) for _ in range(20))))


async def test_a_dead_and_a_slow_member_do_not_stall_a_jury(journal: Journal) -> None:
    pacing = Pacing(start=8, ceiling=8, breaks_after=3, cool_down=60)
    servers = ScriptedProvider(), ScriptedProvider(), ScriptedProvider(), ScriptedProvider()
    good, better, slow, dead = servers
    async with good, better, slow, dead:
        served_by_the_good_one: list[int] = []

        def slowly(request: Request) -> Behaviour:
            served_by_the_good_one.append(good.calls)
            return waits(0.3)

        slow.script = slowly
        dead.script = lambda request: fails(500, "on fire")
        members = []
        for name, server in zip(("good", "better", "slow", "dead"), servers, strict=True):
            poster = Poster(server.chat_url, name, FAST, pace=pacing.pace("", server.chat_url))
            members.append(LLMJudge(name, OpenAIWire("", name, poster, HEADERS, default_dialect("", name)), journal))
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
    assert dead.calls == knocked < 24 * FAST.attempts, "once it is known to be dead nobody knocks"
    assert served_by_the_good_one[16] == served == 24, "in the slow one's third round the good one had served all"
    assert [state.in_flight for state in pacing.states().values()] == [0, 0, 0, 0]


async def test_a_judge_with_a_pace_judges_as_one_without(
    provider: ScriptedProvider, journal: Journal, case: Comparison
) -> None:
    provider.script = lambda request: judges()
    url = provider.chat_url
    poster = Poster(url, "m", FAST, pace=Pacing().pace("", url))
    judge = LLMJudge("m", OpenAIWire("", "m", poster, HEADERS, default_dialect("", "m")), journal)
    opinion = await judge.opine(CompareQuestion(case, shipped("compare"), "ab"))
    await judge.close()
    assert isinstance(opinion, ComparisonOpinion)
    assert opinion.calls[0].attempts == 1
