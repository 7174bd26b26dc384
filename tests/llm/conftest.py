"""Tests marked `fake_clock` run on a clock of their own, and so does the rate limiter in them. Certificates."""

import asyncio
import ssl
from types import SimpleNamespace

import pytest
import trustme
from clock import FakeClock, clock


def pytest_asyncio_loop_factories(item):
    marked = item.get_closest_marker("fake_clock") is not None
    return {"fake": FakeClock} if marked else {"real": asyncio.new_event_loop}


@pytest.fixture(autouse=True)
def _limiter_on_the_same_clock(request, monkeypatch):
    if request.node.get_closest_marker("fake_clock") is not None:
        monkeypatch.setattr("adjudge.llm.rate_limiter.time", SimpleNamespace(monotonic=lambda: clock().time()))


@pytest.fixture
def secured(tmp_path, monkeypatch):
    """Makes a server's certificate for a name, by an authority that the environment says to trust, or by another."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    monkeypatch.setattr("aiohttp.connector._SSL_CONTEXT_VERIFIED", ssl.create_default_context())  # read when loaded

    def certified(name, trusted=True):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        (authority if trusted else trustme.CA()).issue_cert(name).configure_cert(context)
        return context

    return certified
