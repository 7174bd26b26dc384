"""The engine: what it shares, what it stores, and that a replay depends on nothing but the journal."""

import asyncio
import json
import time
from pathlib import Path

import pytest
from scripted.provider import fails, judges, refuses

from adjudge import compare, open_engine, replay
from adjudge.errors import InputError, NotJournalledError
from adjudge.judges.embedded import EmbeddedJudge
from adjudge.models.common import total_usage
from adjudge.protocols.compare.case import Comparison
from adjudge.protocols.compare.settings import CompareSettings
from adjudge.protocols.compare.verdict import ComparisonVerdict

CASE = Comparison(
    "How do I boil an egg?",
    "Put the egg in boiling water for eight minutes, then cool it under cold water.",
    "Boil it until it is done, as everybody knows who has ever boiled one.",
)


async def judged(tmp_path, spec, **settings):
    async with open_engine(tmp_path / "journal.db") as engine:
        verdict = await engine.judge(CASE, CompareSettings(judge=spec, **settings))
    assert isinstance(verdict, ComparisonVerdict), verdict
    return verdict


async def same_again(tmp_path, verdict):
    kept, made, _ = await replay(verdict.verdict_id, journal=tmp_path / "journal.db")
    assert kept == made


async def test_a_jurys_verdict_is_replayed_although_a_member_failed(tmp_path, provider):
    provider.script = lambda request: fails(401, "no such key") if request.json["model"] == "bad" else judges()
    jury = "jury:" + "+".join(f"{provider.url}/v1#{model}" for model in ("one", "two", "bad"))
    verdict = await judged(tmp_path, jury)
    assert "jury_member_failed" in [warning.code for warning in verdict.warnings]
    before = provider.calls
    await same_again(tmp_path, verdict)
    assert provider.calls == before


async def test_a_verdict_is_replayed_whatever_the_environment_says_now(tmp_path, provider, monkeypatch):
    provider.script = lambda request: judges()
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    monkeypatch.setenv("OPENAI_BASE_URL", f"{provider.url}/v1")
    verdict = await judged(tmp_path, "openai:gpt-4o")
    monkeypatch.delenv("OPENAI_BASE_URL")
    monkeypatch.delenv("OPENAI_API_KEY")
    await same_again(tmp_path, verdict)


async def test_a_judge_given_as_an_object_cannot_be_replayed_and_says_so(tmp_path):
    judge = EmbeddedJudge(name="mine")
    verdict = await compare(CASE.task, CASE.a, CASE.b, judge=judge, journal=tmp_path / "journal.db")
    assert isinstance(verdict, ComparisonVerdict)
    with pytest.raises(
        NotJournalledError, match="was made with a judge given as an object, which cannot be opened again"
    ):
        await replay(verdict.verdict_id, journal=tmp_path / "journal.db")


async def test_the_same_judge_twice_in_a_jury_is_asked_twice(tmp_path, provider):
    provider.script = lambda request: judges()
    judge = f"{provider.url}/v1#m"
    verdict = await judged(tmp_path, f"jury:{judge}+{judge}+{judge}", one_order=True)
    assert provider.calls == 3
    assert len(verdict.calls) == 3


async def test_one_reply_that_answers_two_questions_is_counted_once(tmp_path, provider):
    provider.script = lambda request: judges()
    async with open_engine(tmp_path / "journal.db") as engine:
        same = Comparison(CASE.task, CASE.a, CASE.a)
        verdict = await engine.judge(same, CompareSettings(judge=f"{provider.url}/v1#m"))
    assert isinstance(verdict, ComparisonVerdict)
    assert provider.calls == len(verdict.calls) == 1
    assert total_usage(verdict.calls).input_tokens == 1000


async def test_another_seed_opens_no_second_connection_or_model(tmp_path, provider):
    provider.script = lambda request: judges()
    async with open_engine(tmp_path / "journal.db") as engine:
        for seed in range(5):
            settings = CompareSettings(judge=f"{provider.url}/v1#m", seed=seed, one_order=True)
            assert isinstance(await engine.judge(CASE, settings), ComparisonVerdict)
        assert len(engine._wires) == 1
    assert provider.calls == 5


async def test_what_a_provider_says_cannot_steer_the_terminal(tmp_path, provider, monkeypatch, capsys):
    from adjudge.cli.main import main

    provider.script = lambda request: refuses("\x1b]0;pwned\x07no\nmore")
    (tmp_path / "case.json").write_text(json.dumps({"task": CASE.task, "a": CASE.a, "b": CASE.b}))
    args = ["compare", str(tmp_path / "case.json"), "--judge", f"{provider.url}/v1#m", "--journal", str(tmp_path / "j")]
    assert await asyncio.to_thread(main, [*args, "--format", "text"]) == 1
    said = capsys.readouterr().err
    assert "\x1b" not in said
    assert "\x07" not in said
    assert said.count("\n") == 2
    assert await asyncio.to_thread(main, ["doctor", *args[2:]]) == 1
    said = capsys.readouterr().out
    assert "]0;pwnedno more" in said.replace("�", "")
    assert "\x1b" not in said


def test_a_setting_out_of_range_is_refused_and_the_range_is_documented():
    for name in ("temperature", "seed", "sample", "max_tokens"):
        low, high = CompareSettings.described()[name].between
        for value in (low, high):
            assert getattr(CompareSettings(**{name: value}), name) == value
        for value in (low - 1, high + 1, "1", True, None, float("nan")):
            with pytest.raises(InputError, match=f"{name}: {value}; {low} to {high} is allowed"):
                CompareSettings(**{name: value})
        limits = (Path(__file__).parents[1] / "docs" / "limits.md").read_text("utf-8")
        assert f"| `--{name.replace('_', '-')}` | {low:,} to {high:,}" in limits


def test_a_name_that_is_not_valid_unicode_is_refused():
    for name in ("judge", "search"):
        with pytest.raises(InputError, match=rf"^{name}: 'http://h#.udcff' is not valid Unicode; text is needed"):
            CompareSettings(**{name: "http://h#\udcff"})


async def test_a_429_with_retry_after_holds_every_case_and_judge_that_asks_this_provider(tmp_path, provider):
    arrivals, asked = [], asyncio.Event()

    def script(request):
        arrivals.append(time.monotonic())
        asked.set()
        return fails(429, "slow down", retry_after="1") if len(arrivals) == 1 else judges()

    provider.script = script
    cases = [Comparison(CASE.task, f"{CASE.a} {number}", CASE.b) for number in range(20)]
    async with open_engine(tmp_path / "journal.db") as engine:
        settings = [CompareSettings(judge=f"{provider.url}/v1#{model}", one_order=True) for model in ("m", "n")]
        first = asyncio.create_task(engine.judge(cases[0], settings[0]))
        await asked.wait()
        # Until the refusal has been read.
        limiters = engine.rate_limits.named().values()
        while not first.done() and not any(limiter.held[1] for limiter in limiters):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        others = [engine.judge(case, settings[number % 2]) for number, case in enumerate(cases[1:])]
        verdicts = await asyncio.gather(first, *others)
    assert all(isinstance(verdict, ComparisonVerdict) for verdict in verdicts)
    assert len(arrivals) == 21
    assert arrivals[1] - arrivals[0] >= 1
