"""The costliest requests we know, for `tests/e2e/test_hostile_requests.py` and `bench/service_load.py`.

Each has a path, a body, and the statuses that are allowed in response. Those for a language model are judged by a
server whose quotes are not in the texts; `large_reply` makes its reply as large as we accept. Forms are sent as the
pages of the service send them.
"""

from __future__ import annotations

import json
import os
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

_SIZE = 15_900_000
_WORDS = "The quick brown fox jumps over the lazy dog. " * 20_000


class Hostile(NamedTuple):
    """One request, whose body is built when it is sent, and the statuses that are allowed in response."""

    path: str  # below /api/, or from the root
    body: Callable[[], bytes]
    expected: tuple[int, ...]

    @property
    def headers(self) -> dict[str, str]:
        form = self.path in FORM_PATHS
        return {"content-type": "application/x-www-form-urlencoded", "accept": "text/html"} if form else {}


def _case(task: str, a: str, b: str) -> bytes:
    return json.dumps({"userTask": task, "responseA": a, "responseB": b}).encode()


def _talk(count: int, words: str) -> bytes:
    return json.dumps(
        {"messages": [{"role": ("user", "assistant")[n % 2], "content": words} for n in range(count)]}
    ).encode()


def _rated(ratings: str) -> bytes:
    return json.dumps(
        {"prompt": "p", "response1": "a", "response2": "b", "response1_original_ratings": ratings}
    ).encode()


FORM_PATHS = ("/sign-in", "/judge/compare", "/judge/dialogue")
_TABLE = "runs?protocol=compare&source=cases.csv"
REQUESTS = {
    "keys": Hostile("evaluate", lambda: b"{" + b",".join(b'"%d":1' % n for n in range(900_000)) + b"}", (400,)),
    "numbers": Hostile("evaluate", lambda: b'{"a":[' + b"1," * (_SIZE // 2) + b"1]}", (400,)),
    "escapes": Hostile("evaluate", lambda: b'{"a":"' + b'\\"' * (_SIZE // 2) + b'"}', (400,)),
    "too large": Hostile("evaluate", lambda: b" " * 17_000_000, (413,)),
    "15 MB of |": Hostile("review", lambda: _rated("|" * 15_000_000), (413,)),
    "1 MB of |": Hostile("review", lambda: _rated("|" * 999_000), (200,)),
    "long answers": Hostile("evaluate", lambda: _case(_WORDS, _WORDS, _WORDS), (200,)),
    "brackets": Hostile("evaluate", lambda: _case("t", "<" * 300_000, "<x>" * 100_000), (200,)),
    "many utterances": Hostile("dialogue", lambda: _talk(9_900, "x" * 95), (200,)),
    "long utterances": Hostile("dialogue", lambda: _talk(2, "a. " * 160_000), (200,)),
    "sign-in": Hostile("/sign-in", lambda: b"name=" + b"%41" * 5_200_000, (413,)),
    "form of escapes": Hostile("/judge/compare", lambda: b"userTask=" + b"%41" * 5_200_000, (400, 413)),
    "form of =": Hostile("/judge/dialogue", lambda: b"transcript=" + b"=" * _SIZE, (400, 413)),
    "deep YAML": Hostile("rubrics/validate", lambda: b"[" * 199_000, (400,)),
    "YAML anchors": Hostile(
        "rubrics/validate", lambda: b"".join(b"a%d: &a%d x\n" % (n, n) for n in range(12_000))[:199_000], (400,)
    ),
    "wide CSV": Hostile(
        _TABLE, lambda: b"task,a,b" + b"".join(b",c%d" % n for n in range(200_000)) + b"\n1,2,3\n", (413,)
    ),
    "many rows": Hostile(
        "runs?protocol=compare&source=cases.jsonl", lambda: b'{"task":"t","a":"x","b":"y"}\n' * 530_000, (413,)
    ),
}
# Requests for a language model. What it says does not matter, so an unusable reply (502) is allowed.
TO_A_MODEL = {
    "model: long answers": Hostile("evaluate", lambda: _case(_WORDS, _WORDS, _WORDS), (200, 502)),
    "model: brackets": Hostile(
        "evaluate", lambda: _case("<|" * 400_000, "<|im_end|>" * 90_000, "<" * 900_000), (200, 502)
    ),
    "model: many utterances": Hostile("dialogue", lambda: _talk(9_900, "x" * 95), (200, 502)),
}


def post(url: str, path: str, body: bytes, **headers: str) -> tuple[int, str]:
    """Send a POST request and return the status and the text of the response."""
    where = url + (path if path.startswith("/") else f"/api/{path}")
    request = urllib.request.Request(where, body, {"origin": url, **headers}, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=300) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()
    except urllib.error.URLError:
        return 413, "closed while the body was still being sent"


class Served(NamedTuple):
    """The response to a request, the seconds it took, and the longest time that /api/health took meanwhile.

    `longest_work` is the most CPU time that the service used during one /api/health request; unlike the wait itself, it
    does not grow with other work on the machine.
    """

    status: int
    said: str
    took: float
    longest_wait: float
    longest_work: float


def serve_one(url: str, request: Hostile, pid: int) -> Served:
    """Send one request to the service with this process id, and poll /api/health until it is answered."""
    got: list[tuple[int, str]] = []
    body = request.body()
    asking = threading.Thread(target=lambda: got.append(post(url, request.path, body, **request.headers)))
    begun = time.monotonic()
    asking.start()
    waits, works = [0.0], [0.0]
    while asking.is_alive():
        began, used = time.monotonic(), _cpu(pid)
        with urllib.request.urlopen(url + "/api/health", timeout=300) as answer:
            answer.read()
        waits.append(time.monotonic() - began)
        works.append(min(waits[-1], _cpu(pid) - used))
        time.sleep(0.01)
    return Served(*got[0], time.monotonic() - begun, max(waits), max(works))


def _cpu(pid: int) -> float:
    """Return the CPU seconds of a process so far, or the clock's time if the system does not provide them."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return time.monotonic()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def large_reply(reply: bytes) -> bytes:
    """Build a chat completion whose text is nearly as long as we accept and is not a valid opinion."""
    completion = json.loads(reply)
    # Each of these characters takes six bytes, so the whole reply is near its size limit too.
    completion["choices"][0]["message"]["content"] = '{"criteria": "' + "\N{WHITE SMILING FACE}" * 990_000
    return json.dumps(completion).encode()
