"""Tests marked `fake_clock` run on a clock of their own, and so does the rate limiter in them."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest
from clock import FakeClock, clock


def pytest_asyncio_loop_factories(item):
    marked = item.get_closest_marker("fake_clock") is not None
    return {"fake": FakeClock} if marked else {"real": asyncio.new_event_loop}


@pytest.fixture(autouse=True)
def _limiter_on_the_same_clock(request, monkeypatch):
    if request.node.get_closest_marker("fake_clock") is not None:
        monkeypatch.setattr("adjudge.llm.rate_limiter.time", SimpleNamespace(monotonic=lambda: clock().time()))
