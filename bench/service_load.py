"""Measures the service with 200 concurrent clients, compared with a bare FastAPI echo app on the same server settings.

There are three services, each in its own process: the echo, `POST /api/evaluate` with the embedded judge, and with an
LLM (`instant_server.py`, which answers after 50 ms). Every request has different texts. Then it measures the longest
time of /api/health while each of the costliest requests we know is served alone. Fails on any error, and if /api/health
needs more than 0.2 s of the service's CPU time.

    python bench/service_load.py [--clients 100 200] [--seconds 60] [--part load]
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import aiohttp
import orjson
from commands import running_service, serving
from hostile_requests import REQUESTS, TO_A_MODEL, Hostile, large_reply, serve_one
from overhead import cases, reply_body
from process_tree import process

_HEALTH_SECONDS = 0.2
_OTHER_CASES = 200
_ECHO = """
import sys
import fastapi
from adjudge.server.guard import server_for

app = fastapi.FastAPI()

@app.post("/api/evaluate")
async def echo(request: fastapi.Request):
    return fastapi.Response(await request.body(), media_type="application/json")

@app.get("/api/health")
async def health():
    return {"status": "ok"}

server_for(app, "127.0.0.1", 0, ready=lambda address: print("at", address, file=sys.stderr)).run()
"""


@dataclass
class Load:
    """The measurements of the clients of one service."""

    seconds: float = 0.0
    times: list[float] = field(default_factory=list)
    health: list[float] = field(default_factory=list)
    errors: int = 0
    cpu: float = 0.0

    def part(self, share: float, of: list[float] | None = None) -> float:
        """Return the milliseconds within which this share of the requests was answered."""
        ordered = sorted(of if of is not None else self.times)
        return 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


@contextmanager
def echoing() -> Iterator[tuple[int, int]]:
    """Run the bare app and yield its process id and port."""
    command = [sys.executable, "-c", _ECHO]
    # Discard standard output, because the request log would fill an unread pipe.
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as echo:
        try:
            assert echo.stderr is not None
            (address,) = islice((line for line in echo.stderr if line.startswith("at ")), 1)
            yield echo.pid, int(address.rstrip("/\n").rpartition(":")[2])
        finally:
            echo.terminate()


async def load(port: int, pid: int, clients: int, seconds: float, body: Callable[[int], bytes]) -> Load:
    """Run this number of clients, each of which sends its next request as soon as it has its answer."""
    found, numbers = Load(), iter(range(10**9))
    url = f"http://127.0.0.1:{port}/api"
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def ask(until: float) -> None:
            while time.monotonic() < until:
                began = time.monotonic()
                try:
                    async with session.post(f"{url}/evaluate", data=body(next(numbers))) as answer:
                        await answer.read()
                        found.errors += answer.status != 200
                except aiohttp.ClientError:
                    found.errors += 1
                found.times.append(time.monotonic() - began)

        async def check(until: float) -> None:
            while time.monotonic() < until:
                began = time.monotonic()
                async with session.get(f"{url}/health") as answer:
                    await answer.read()
                found.health.append(time.monotonic() - began)
                await asyncio.sleep(0.1)

        begun, used = time.monotonic(), _cpu(pid)
        until = begun + seconds
        await asyncio.gather(check(until), *(ask(until) for _ in range(clients)))
        found.seconds, found.cpu = time.monotonic() - begun, _cpu(pid) - used
    return found


def _cpu(pid: int) -> float:
    found = process(pid)
    return found.cpu if found else 0.0


def bodies() -> Callable[[int], bytes]:
    """Return a function that cheaply builds comparisons that differ from each other."""
    made = [{"userTask": case.task, "responseA": case.a, "responseB": case.b} for case in cases(_OTHER_CASES)]
    return lambda number: orjson.dumps({**made[number % len(made)], "context": f"Request {number}."})


def told(name: str, found: Load) -> None:
    count = len(found.times)
    parts = "".join(f"{found.part(share):9,.0f}" for share in (0.5, 0.95, 0.99))
    print(
        f"{name:22}{count / found.seconds:12,.0f}{parts}{found.errors:8,}"
        f"{1000 * found.cpu / max(1, count):14.2f}{found.part(0.5, found.health):12,.0f}"
        f"{found.part(1, found.health):9,.0f}",
        flush=True,
    )


def hostile(url: str, pid: int, requests: dict[str, Hostile]) -> list[str]:
    """Send each request alone and print its line. Return those that took too long or got an unexpected status."""
    wrong = []
    for name, request in requests.items():
        tried = [serve_one(url, request, pid)]
        # Other work on this machine can only make it slower, so use the fastest of up to three attempts.
        while tried[-1].longest_work > _HEALTH_SECONDS and len(tried) < 3:
            tried.append(serve_one(url, request, pid))
        best = min(tried, key=lambda one: one.longest_work)
        print(
            f"{name:26}{best.status:8}{best.took:10.2f}{best.longest_wait:16.3f}{best.longest_work:18.3f}", flush=True
        )
        if best.longest_work > _HEALTH_SECONDS or best.status not in request.expected:
            wrong.append(f"{name}: status {best.status}, /api/health after {best.longest_work:.3f} s")
    return wrong


def under_load(folder: Path, judge: str, clients: int, seconds: float) -> list[str]:
    """Print the table of the three services. Return those that had errors."""
    body, wrong = bodies(), []
    print(f"{clients} clients for {seconds:g} s each; times in ms")
    print(
        f"{'':22}{'requests/s':>12}{'p50':>9}{'p95':>9}{'p99':>9}{'errors':>8}{'CPU-ms each':>14}"
        f"{'health p50':>12}{'max':>9}"
    )

    def meets(name: str, port: int, pid: int) -> None:
        found = asyncio.run(load(port, pid, clients, seconds, body))
        told(name, found)
        if found.errors:
            wrong.append(f"{name}, {clients} clients: {found.errors} errors")

    with echoing() as (pid, port):
        meets("bare FastAPI echo", port, pid)
    with running_service(folder / f"embedded-{clients}.db") as (service, port):
        meets("embedded judge", port, service.pid)
    with running_service(folder / f"llm-{clients}.db", "--judge", judge) as (service, port):
        meets("LLM, two calls each", port, service.pid)
    return wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, nargs="+", default=[200], help="concurrent clients; several: in turn")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--part", choices=("load", "hostile"), help="only one of the two; default: both")
    args = parser.parse_args()
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        (folder / "reply.json").write_bytes(reply_body())
        (folder / "large.json").write_bytes(large_reply(reply_body()))
        large = f"large={folder / 'large.json'}"
        with serving("instant_server.py", folder / "reply.json", 0.05, large) as upstream:
            judges = [f"http://127.0.0.1:{upstream}{path}/v1#m" for path in ("", "/large")]
            for clients in args.clients if args.part != "hostile" else ():
                wrong += under_load(folder, judges[0], clients, args.seconds)
            if args.part != "load":
                wrong += alone(folder, judges)
    if wrong:
        sys.exit("what does not hold:\n" + "\n".join(wrong))


def alone(folder: Path, judges: list[str]) -> list[str]:
    """Print the table of the costliest requests. Return those that took too long."""
    print(f"\n{'alone':26}{'status':>8}{'took, s':>10}{'health max, s':>16}{'service at work':>18}")
    with running_service(folder / "hostile.db") as (service, port):
        wrong = hostile(f"http://127.0.0.1:{port}", service.pid, REQUESTS)
    for judge, requests in ((judges[0], TO_A_MODEL), (judges[1], {"model: 6-MB reply": _small()})):
        with running_service(folder / "hostile.db", "--judge", judge) as (service, port):
            wrong += hostile(f"http://127.0.0.1:{port}", service.pid, requests)
    return wrong


def _small() -> Hostile:
    case = {"userTask": "Say hello.", "responseA": "Good morning to you.", "responseB": "Hey you."}
    return Hostile("evaluate", lambda: orjson.dumps(case), (200, 502))


if __name__ == "__main__":
    main()
