"""Requests over TLS: certificates that this machine trusts, and those that it does not."""

from __future__ import annotations

import ssl

import pytest
import trustme
from scripted.raw_server import OK, Bytes

from adjudge.llm.client import Client, RequestError


def secured(authority, name):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(name).configure_cert(context)
    return context


@pytest.fixture
def trusted(tmp_path, monkeypatch):
    """An authority that the environment tells the client to trust; aiohttp asks the environment when it is loaded."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    monkeypatch.setattr("aiohttp.connector._SSL_CONTEXT_VERIFIED", ssl.create_default_context())
    return authority


async def test_requests_go_over_tls_and_reuse_its_connections(trusted):
    server = Bytes(*[OK] * 3)
    async with server.running(secured(trusted, "127.0.0.1")) as client:
        for _ in range(3):
            assert (await client.request("POST", server.url, {}, b"q" * 300_000)).content == b"fine"
    assert server.accepted == 1


@pytest.mark.filterwarnings("ignore::ResourceWarning")
async def test_a_certificate_for_another_name_is_refused(trusted):
    server = Bytes(OK)
    async with server.running(secured(trusted, "elsewhere.example")) as client:
        with pytest.raises(RequestError, match="CERTIFICATE_VERIFY_FAILED"):
            await client.request("GET", server.url, {})
    assert not server.requests


@pytest.mark.filterwarnings("ignore::ResourceWarning")
async def test_a_certificate_of_an_unknown_authority_is_refused():
    server = Bytes(OK)
    async with server.running(secured(trustme.CA(), "127.0.0.1")) as client:
        with pytest.raises(RequestError, match="CERTIFICATE_VERIFY_FAILED"):
            await client.request("GET", server.url, {})
    assert not server.requests


async def test_a_server_that_speaks_no_tls_is_said_to_fail_at_it():
    class Plain(Bytes):
        async def serve(self, reader, writer):
            await reader.read(1)
            writer.write(OK)

    server, client = Plain(), Client()
    async with server.running():
        with pytest.raises(RequestError, match="TLS failed: wrong version number") as failed:
            await client.request("GET", server.url.replace("http", "https"), {})
    await client.close()
    assert not failed.value.local
