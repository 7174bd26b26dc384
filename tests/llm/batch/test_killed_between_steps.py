"""A process is killed at each step of a batch, and the next one pays nothing twice."""

import asyncio
import os
import sys
from pathlib import Path

import pytest
from scripted.asking import CASES, judge_all, quick

from adjudge.engine import open_engine
from adjudge.protocols.compare.verdict import ComparisonVerdict

TESTS = Path(__file__).parents[2]
JUDGES = {"openai": "openai:gpt-4o", "anthropic": "anthropic:claude-sonnet-4-5"}


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "step", "collected"), [
    ("openai", "before upload", 0), ("openai", "before create", 0), ("openai", "after create", CASES),
    ("openai", "before results", CASES), ("anthropic", "before create", 0), ("anthropic", "after create", CASES),
    ("anthropic", "before poll", CASES),
])  # fmt: skip
async def test_killed_and_resumed(provider, tmp_path, monkeypatch, kind, step, collected):
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "key")
    monkeypatch.setenv("OPENAI_BASE_URL", f"{provider.url}/v1")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", provider.url)
    judge, journal, ledger = JUDGES[kind], tmp_path / "journal.db", tmp_path / "batches"
    provider.batches.silent_at = step
    path = os.pathsep.join([str(TESTS), *sys.path])
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "scripted.asking", judge, str(journal), str(ledger)),
        env={**os.environ, "PYTHONPATH": path},
    )
    try:
        await asyncio.wait_for(provider.batches.silent.wait(), 60)
    finally:
        process.kill()
        await process.wait()
    provider.batches.silent_at = None
    async with open_engine(journal, batches=quick(ledger)) as engine:
        assert await engine.collect() == collected
        verdicts = await judge_all(engine, judge)
    assert all(isinstance(verdict, ComparisonVerdict) for verdict in verdicts)
    assert len(provider.batches.made) == 1, "submitted twice"
    assert provider.calls == CASES
