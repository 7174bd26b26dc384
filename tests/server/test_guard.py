"""What every request passes first: foreign names and pages, large headers; and the headers of every answer."""

from __future__ import annotations

import pytest
from server.run_pages import CASE, served

OTHERS = [
    "evil.example",
    "evil.example:8000",
    "localhost.evil.example",
    "localhost@evil.example",
    "",
    "[::1",
    "a b",
    "/",
]
FOREIGN = [
    "https://evil.example", "null", "", "http://[::1", "http://testserver:81", "testserver", "http://testserver/", "é",
    "http://testserver.evil.example", "file://", "http://x" * 500,
]  # fmt: skip


def test_a_name_that_is_not_the_services_is_refused(client):
    for path in ("/api/evaluate", "/api/health", "/docs", "/openapi.json", "/"):
        for host in OTHERS:
            answer = client.request("POST" if "evaluate" in path else "GET", path, json=CASE, headers={"host": host})
            assert answer.status_code == 421, (path, host)
            told = f"host: {host!r} is not a name of this service; adjudge serve --allow-h"
            assert answer.json()["error"].startswith(told), (path, host)


def test_an_origin_is_refused_whatever_it_holds_unless_it_is_ours(client):
    for method in ("POST", "GET", "DELETE", "OPTIONS"):
        for origin in FOREIGN:
            answer = client.request(method, "/api/evaluate", headers={"origin": origin.encode()})
            assert (answer.status_code, answer.json()["error"][:8]) == (403, "origin: "), (method, origin)


def test_the_services_own_names_are_taken(tmp_path):
    with served(tmp_path, hosts=["Ours.example"]) as client:
        for host in ("localhost", "LOCALHOST:1", "127.0.0.1:8000", "[::1]:8000", "[::1]", "ours.example"):
            for origin in (f"http://{host}", f"https://{host}"):
                headers = {"host": host, "origin": origin}
                assert client.post("/api/evaluate", json=CASE, headers=headers).status_code == 200, headers


@pytest.mark.parametrize("headers", [{"x": "y" * 17_000}, {f"x-{number}": "y" * 100 for number in range(200)}])
def test_headers_that_are_too_large_are_refused(client, headers):
    answer = client.get("/api/health", headers=headers)
    assert answer.status_code == 431
    assert answer.json()["error"].startswith("headers: more than 16,384 bytes")
    assert client.get("/api/health", params={"x": "y" * 17_000}).status_code == 431


def test_every_answer_has_the_headers_that_browsers_go_by(client):
    kept = {"/docs": "private, no-cache", "/": "private, no-cache", "/nowhere": "private, no-cache"}
    kept |= {"/openapi.json": "private, no-cache", "/api/health": "no-store", "/static/docs.js": None}
    for path, caching in kept.items():
        headers = client.get(path).headers
        assert headers.get("cache-control") == caching, path
        for refused in (
            headers,
            *(client.get(path, headers=each).headers for each in ({"host": "x"}, {"origin": "null"})),
        ):
            policy = refused["content-security-policy"]
            for rule in ("default-src 'none'", "frame-ancestors 'none'", "script-src 'self';"):
                assert rule in policy, path
            assert refused["x-frame-options"] == "DENY"
            assert refused["x-content-type-options"] == "nosniff"
            assert refused["referrer-policy"] == "same-origin"
