"""Requests over TLS: certificates that this machine trusts, and those that it does not."""

import pytest
from scripted.raw_server import OK, Bytes

from adjudge.llm.client import Client, RequestError


async def test_requests_go_over_tls_and_reuse_its_connections(secured):
    server = Bytes(*[OK] * 3)
    async with server.running(secured("127.0.0.1")) as client:
        for _ in range(3):
            assert (await client.request("POST", server.url, {}, b"q" * 300_000)).content == b"fine"
    assert server.accepted == 1


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize(("name", "trusted"), [("elsewhere.example", True), ("127.0.0.1", False)])
async def test_a_certificate_for_another_name_or_of_an_unknown_authority_is_refused(secured, name, trusted):
    server = Bytes(OK)
    async with server.running(secured(name, trusted)) as client:
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
