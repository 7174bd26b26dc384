"""Judges that ask in batches which wait for nobody."""

import pytest
from scripted.judging import open_anthropic, open_openai

from adjudge.llm.batch.base import BatchSettings
from adjudge.llm.batch.wire import BatchWire

OPEN = {"openai": open_openai, "anthropic": open_anthropic}


@pytest.fixture
def quick(tmp_path):
    return BatchSettings(tmp_path / "batches", idle=0.2, poll=0.01, longest_poll=0.03)


@pytest.fixture(params=OPEN)
def kind(request):
    return request.param


@pytest.fixture
def single(provider, kind):
    """Opens a judge that asks one question a call."""
    return lambda journal, **named: OPEN[kind](provider, journal, **named)


@pytest.fixture
async def batched(single, journal, quick):
    """Opens judges that ask in batches, and closes them."""
    opened = []

    def open_one(settings=quick, **named):
        opened.append(single(journal, **named))
        opened[-1].wire = BatchWire(opened[-1].wire, settings)
        return opened[-1]

    yield open_one
    for judge in opened:
        await judge.close()
