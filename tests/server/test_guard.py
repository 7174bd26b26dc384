"""What every request passes first: foreign names and pages, large headers; and the headers of every answer."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from adjudge.protocols.compare.settings import CompareSettings
from adjudge.server.app import create_app

CASE = {"userTask": "Say hello.", "responseA": "Good morning to you, how are you?", "responseB": "Hey you over there."}


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8000", "localhost.evil.example", "localhost@evil.example", "", "[::1", "a b", "/"],
)
@pytest.mark.parametrize("path", ["/api/evaluate", "/api/health", "/docs", "/openapi.json", "/"])
def test_a_name_that_is_not_the_services_is_refused(client, host, path):
    answer = client.request("POST" if "evaluate" in path else "GET", path, json=CASE, headers={"host": host})
    assert answer.status_code == 421
    assert answer.json()["error"].startswith(f"host: {host!r} is not a name of this service; adjudge serve --allow-h")


def test_the_services_own_names_are_taken(tmp_path):
    app = create_app(CompareSettings(), journal=tmp_path / "journal.db", hosts=["Ours.example"])
    with TestClient(app) as client:
        for host in ("localhost", "LOCALHOST:1", "127.0.0.1:8000", "[::1]:8000", "[::1]", "ours.example"):
            for origin in (f"http://{host}", f"https://{host}"):
                headers = {"host": host, "origin": origin}
                assert client.post("/api/evaluate", json=CASE, headers=headers).status_code == 200, headers


@pytest.mark.parametrize(
    "origin",
    ["https://evil.example", "null", "", "http://[::1", "http://testserver:81", "testserver", "http://testserver/", "é",
     "http://testserver.evil.example", "file://", "http://x" * 500],
)  # fmt: skip
@pytest.mark.parametrize("method", ["POST", "GET", "DELETE", "OPTIONS"])
def test_an_origin_is_refused_whatever_it_holds_unless_it_is_ours(client, method, origin):
    answer = client.request(method, "/api/evaluate", headers={"origin": origin.encode()})
    assert answer.status_code == 403
    assert answer.json()["error"].startswith("origin: ")


@pytest.mark.parametrize("headers", [{"x": "y" * 17_000}, {f"x-{number}": "y" * 100 for number in range(200)}])
def test_headers_that_are_too_large_are_refused(client, headers):
    answer = client.get("/api/health", headers=headers)
    assert answer.status_code == 431
    assert answer.json()["error"].startswith("headers: more than 16,384 bytes")
    assert client.get("/api/health", params={"x": "y" * 17_000}).status_code == 431


@pytest.mark.parametrize("path", ["/docs", "/", "/api/health", "/openapi.json", "/nowhere", "/static/docs.js"])
def test_every_answer_has_the_headers_that_browsers_go_by(client, path):
    headers = client.get(path, follow_redirects=False).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "script-src 'self';" in policy
    assert headers["x-frame-options"] == "DENY"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    kept = {"/api": "no-store", "/static": None}.get(f"/{path.split('/')[1]}", "private, no-cache")
    assert headers.get("cache-control") == kept


def test_refusals_have_them_too(client):
    for headers in ({"host": "evil.example"}, {"origin": "null"}):
        assert "frame-ancestors 'none'" in client.get("/docs", headers=headers).headers["content-security-policy"]
