"""A service that is given the costliest request we know still answers others: a real process, a real port."""

import importlib.util
import json
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[2] / "bench"


def _bench(name):
    spec = importlib.util.spec_from_file_location(name, BENCH / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


hostile = _bench("hostile_requests")
SMALL = json.dumps({"userTask": "t", "responseA": "a", "responseB": "b"}).encode()


@pytest.fixture(scope="module")
def judges(tmp_path_factory):
    """Two judges behind a server: one has its usual reply, one a reply that is as large as we read."""
    folder = tmp_path_factory.mktemp("model")
    reply = _bench("overhead").reply_body()
    (folder / "reply.json").write_bytes(reply)
    (folder / "large.json").write_bytes(hostile.large_reply(reply))
    command = [str(BENCH / "instant_server.py"), str(folder / "reply.json"), "0", f"large={folder / 'large.json'}"]
    with subprocess.Popen([sys.executable, *command], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        port = int(server.stdout.readline())
        yield [f"http://127.0.0.1:{port}{name}/v1#m" for name in ("", "/large")]
        server.terminate()


@pytest.fixture(scope="module")
def service(tmp_path_factory, judges):
    options = [word for judge in judges for word in ("--allow-judge", judge)]
    process = subprocess.Popen(
        [sys.executable, "-m", "adjudge.cli.main", "serve", "--port", "0", *options],
        env={**os.environ, "ADJUDGE_JOURNAL": str(tmp_path_factory.mktemp("hostile") / "journal.db")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    url = next(found[1] for line in process.stderr if (found := re.search(r"running on (http://\S+)", line)))
    reading = threading.Thread(target=process.stderr.read)
    reading.start()
    try:
        hostile.post(url, "evaluate", SMALL)
        yield url, process.pid
    finally:
        process.terminate()
        process.wait()
        reading.join()
        process.stderr.close()


LONGEST = 0.2
# Seconds of work each; `make slow` sends these, too.
COSTLY = {"many utterances", "long utterances", "form of =", "many rows", "model: brackets", "model: many utterances"}


def marked(names):
    return [pytest.param(name, marks=pytest.mark.slow) if name in COSTLY else name for name in names]


def peak_memory(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM"))


def answers_health_within(seconds, service, request):
    # Other tests run beside this one, so what counts is the service's own time while /api/health waits; and since
    # other work can only make that longer, the quickest of ten.
    for _ in range(10):
        served = hostile.serve_one(service[0], request, service[1])
        assert served.status in request.expected, served.said[:200]
        if served.longest_work < seconds:
            return True
    return False


@pytest.mark.parametrize("name", marked(hostile.REQUESTS))
def test_health_is_answered_while_a_hostile_request_is_served(service, name):
    assert answers_health_within(LONGEST, service, hostile.REQUESTS[name])
    if sys.platform == "linux":
        assert peak_memory(service[1]) < 700_000_000


def asked_of(judge, request):
    return request._replace(body=lambda: b'{"judge": "%s", ' % judge.encode() + request.body()[1:])


@pytest.mark.parametrize("name", marked(hostile.TO_A_MODEL))
def test_health_is_answered_while_a_model_is_asked_about_hostile_texts(service, judges, name):
    assert answers_health_within(LONGEST, service, asked_of(judges[0], hostile.TO_A_MODEL[name]))


def test_health_is_answered_while_a_reply_as_large_as_we_read_is_decoded(service, judges):
    small = hostile.Hostile("evaluate", lambda: SMALL, (200, 502))
    assert answers_health_within(LONGEST, service, asked_of(judges[1], small))


def test_a_compressed_request_is_refused(service):
    status, said = hostile.post(service[0], "evaluate", b"x", **{"content-encoding": "gzip"})
    assert (status, "content-encoding" in said) == (400, True)
