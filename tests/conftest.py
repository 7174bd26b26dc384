"""What tests in several folders share: a provider that follows a script, a journal, a small case, judges over them."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from postgres import PostgresForTests, running_postgres
from scripted.judging import OpenJudge, open_anthropic, open_openai
from scripted.provider import ScriptedProvider

from adjudge.journal import Journal, open_journal
from adjudge.judges.llm import LLMJudge
from adjudge.protocols.base import names, protocol_of
from adjudge.protocols.compare.case import Comparison

for _protocol in names():  # tests ask questions without an engine, which would load their protocol
    protocol_of(_protocol)

gc.set_threshold(20_000, 20, 20)  # the default, 700, is for small programs

# The machines that run this are busy: a slow example is not a wrong one.
settings.register_profile("adjudge", deadline=None)
settings.load_profile("adjudge")


# Commands that tests start inherit what is ignored. A suite in the background of a script ignores Ctrl-C, with nohup
# also a closed terminal: a test that sends such a signal would then wait for ever.
for _name in ("SIGINT", "SIGHUP"):
    if (_number := getattr(signal, _name, None)) and signal.getsignal(_number) == signal.SIG_IGN:
        signal.signal(_number, signal.default_int_handler if _name == "SIGINT" else signal.SIG_DFL)


def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores, for some tests wait for processes and browsers."""
    return 1 + (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The folders with the longest files begin, so that none is left to the end, when one process works alone."""
    if len(config.args) == 1:  # `make slow` has an order of its own
        items.sort(key=lambda item: item.path.parent.name not in ("e2e", "runs", "server"))


def pytest_collection_finish() -> None:
    """Thousands of collected tests stay alive in every process: the garbage collector need not look at them."""
    gc.collect()
    gc.freeze()


def pytest_sessionfinish() -> None:
    gc.unfreeze()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--write-golden", action="store_true", help="write the golden files anew instead of checking them")


@pytest.fixture(autouse=True, scope="session")
def _nobodys_environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Not the data folder nor the width of the terminal of whoever runs the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        patch.delenv("COLUMNS", raising=False)
        yield


@pytest.fixture
def case() -> Comparison:
    return Comparison(
        task="How do I boil an egg?",
        a="Put the egg in boiling water for eight minutes, then cool it under cold water so that it peels well.",
        b="Boil it. Eggs are done when they are done, as everybody knows who has ever boiled one.",
    )


@pytest.fixture
async def provider() -> AsyncIterator[ScriptedProvider]:
    async with ScriptedProvider() as started:
        yield started


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    opened = open_journal(tmp_path / "journal.db")
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresForTests]:
    with running_postgres() as started:
        yield started


@pytest.fixture
async def openai_judge(provider: ScriptedProvider, journal: Journal) -> AsyncIterator[OpenJudge]:
    """Opens judges that ask the scripted provider in OpenAI's format, and closes them."""
    async for opener in _opening(open_openai, provider, journal):
        yield opener


@pytest.fixture
async def anthropic_judge(provider: ScriptedProvider, journal: Journal) -> AsyncIterator[OpenJudge]:
    """The same in Anthropic's format."""
    async for opener in _opening(open_anthropic, provider, journal):
        yield opener


async def _opening(
    opens: Callable[..., LLMJudge], provider: ScriptedProvider, journal: Journal
) -> AsyncIterator[OpenJudge]:
    opened: list[LLMJudge] = []

    def open_one(*given: Any, keep: Journal = journal, **named: Any) -> LLMJudge:
        opened.append(opens(provider, keep, *given, **named))
        return opened[-1]

    yield open_one
    for judge in opened:
        await judge.close()
