"""Runs everything at once for minutes to see whether anything grows: a loaded service, restarted services, killed runs.

One `adjudge serve` runs the whole time and is watched: memory, open handles, threads, and the disk space of its journal
for each row. Clients use every endpoint, with an LLM (`instant_server.py`) and with the embedded judge; some requests
are invalid, some break off. Forms are sent (`/sign-in`, `/judge/*`), small files uploaded and rubrics checked, and one
client sends nothing but the costliest requests of `hostile_requests.py`. A second service on the same journal is
stopped repeatedly, every other time with SIGKILL; runs are killed and resumed until they are done. Prints how long
/api/health took at most, memory over time, and the medians of the first and of the last third; fails if something grew
by more than noise, if a request got an unexpected status such as 500, or if a run lost a case.

    python bench/soak.py [--minutes 10] [--clients 4] [--calm]
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from statistics import median
from urllib.parse import urlencode

from commands import adjudge, environment, read_lines, running_service, serving, short_cases, write_cases
from hostile_requests import REQUESTS, post
from overhead import SENTENCES, reply_body

from adjudge.protocols.rubrics import shipped
from adjudge.server.callers import form_code

# Before watching begins: imports, caches, thread pools and the memory that large requests leave behind are no growth.
_WARM_UP, _WARM_UP_SECONDS = 30, 30.0  # answers to each client, and seconds
_PAUSE = 0.01
# The growth that is allowed in the last third: a share of the first third's median, plus a constant, the smaller one if
# the bench runs for five minutes or more. Ten seconds show noise: a leak with every request (some 20 a second) is found
# at once, a slower one only in minutes.
_NOISE = {
    "memory, MB": (0.10, 64.0, 32.0),  # the large requests move it by this much within seconds
    "open handles": (0.0, 40.0, 6.0),  # with room for threads that open files
    "threads": (0.0, 40.0, 6.0),  # anyio's pool has up to 40
    "disk a row, bytes": (0.05, 0.0, 0.0),
    "write-ahead log, MB": (0.5, 32.0, 32.0),
}
_LONG = 300.0  # seconds
_ROWS = ("replies", "verdicts")
_FORM = {"content-type": "application/x-www-form-urlencoded", "accept": "text/html", "cookie": "adjudge-sign-in=soak"}
_POINTS = 10  # at which memory is printed


@dataclass
class Soak:
    """What all threads share: the end time, and what they recorded."""

    until: float = float("inf")
    answers: Counter[int] = field(default_factory=Counter)
    events: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    numbers: Iterator[int] = field(default_factory=itertools.count)
    health: list[float] = field(default_factory=list)

    @property
    def goes_on(self) -> bool:
        return time.monotonic() < self.until and not self.wrong

    def guarded(self, work: Callable[[], None]) -> Callable[[], None]:
        """Wrap the work of a thread, so that an exception is recorded as an error."""

        def body() -> None:
            try:
                work()
            except Exception as error:
                self.wrong.append(f"{getattr(work, '__name__', work)}: {error!r}")

        return body


# -- the clients ------------------------------------------------------------------------------------------------------


class Client:
    """A client with one connection that uses all endpoints, with different texts each time."""

    def __init__(self, soak: Soak, port: int, llm: str) -> None:
        self.soak, self.port, self.llm = soak, port, llm
        self.line = HTTPConnection("127.0.0.1", port, timeout=60)

    def work(self) -> None:
        while self.soak.goes_on:
            self.one_round(next(self.soak.numbers))
        self.line.close()

    def one_round(self, number: int) -> None:
        words = f"{SENTENCES[0]} Number {number}."
        case = {"userTask": f"Plan launch {number}.", "responseA": words, "responseB": f"{SENTENCES[1]} {words}"}
        verdict = self.ask("POST", "/api/evaluate", {**case, "judge": self.llm})
        self.ask("POST", "/api/evaluate", {**case, "judge": self.llm})  # found in the journal
        self.ask("GET", f"/api/verdicts/{verdict['verdict_id']}")
        self.ask("POST", "/api/evaluate", {**case, "judge": "embedded"})
        talk = [{"role": "user", "content": words}, {"role": "assistant", "content": "It comes tomorrow. Thank you!"}]
        self.ask("POST", "/api/dialogue", {"messages": talk, "judge": "embedded"})
        review = {"prompt": f"Name prime {number}.", "response1": words, "response2": "Twelve is a prime."}
        self.ask("POST", "/api/review", {**review, "judge": "embedded"})
        draft = self.ask("POST", "/api/review/drafts", {"prompt": review["prompt"]}, 201)["draft_id"]
        self.ask("PATCH", f"/api/review/drafts/{draft}", {name: review[name] for name in ("response1", "response2")})
        self.ask("POST", f"/api/review/drafts/{draft}/judge", {"judge": "embedded"})
        self.ask("DELETE", f"/api/review/drafts/{draft}", None, 204)
        self.ask("POST", "/api/evaluate", {"userTask": "x"}, 400)
        self.ask("GET", "/api/nothing", None, 404)
        self.ask("GET", "/api/health")
        self.ask("GET", "/openapi.json")
        # 401 and, after too many tries, 429: nobody has this name. 503: too many sign in at once.
        tried = {"name": f"guess{number}", "password": "wrong password", "sign_in": form_code("soak")}
        self.ask("POST", "/sign-in", tried, 401, 429, 503)
        self.ask("POST", "/judge/compare", {**case, "judge": "embedded"}, 303)
        talk_form = {"transcript": f"USER\t{words}\nSYSTEM\tIt comes tomorrow.\n", "judge": "embedded"}
        self.ask("POST", "/judge/dialogue", talk_form, 303)
        self.ask("POST", "/judge/review", {**review, "response2": ""}, 400)
        self.ask("POST", "/api/rubrics/validate", shipped("compare").source.encode())
        self.ask("POST", "/api/rubrics/validate", b"[" * 5_000, 400)
        if number % 25 == 0:
            row = json.dumps({"task": case["userTask"], "a": case["responseA"], "b": case["responseB"]}).encode()
            asked = "/api/runs?protocol=compare&judge=embedded&source=rows.jsonl"
            # 409: as many runs as one may have; 503: the journal cannot be opened while others that use it are killed
            run = self.ask("POST", asked, row + b"\n", 201, 409, 503)
            if run.get("run_id"):
                self.ask("GET", f"/api/runs/{run['run_id']}/events")
                self.ask("DELETE", f"/api/runs/{run['run_id']}", None, 204, 409)
        self.break_off()

    def ask(self, method: str, path: str, body: object = None, *expected: int) -> dict[str, str]:
        """Send a request: JSON to the API, bytes as they are, and a form to a page."""
        time.sleep(_PAUSE)
        form = isinstance(body, dict) and not path.startswith("/api/")
        content = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        headers: dict[str, str] = {}
        if form and isinstance(body, dict):
            content, headers = urlencode(body).encode(), {**_FORM, "origin": f"http://127.0.0.1:{self.port}"}
        try:
            self.line.request(method, path, content, headers)
            answer = self.line.getresponse()
            said = answer.read()
        except (HTTPException, OSError):
            # The server closes idle connections after a few seconds, which may have happened just now.
            self.line.close()
            self.soak.events["connections closed while idle"] += 1
            self.line.request(method, path, content, headers)
            answer = self.line.getresponse()
            said = answer.read()
        self.soak.answers[answer.status] += 1
        if answer.status not in (expected or (200,)):
            self.soak.wrong.append(f"{method} {path}: {answer.status} instead of {expected}: {said[:300]!r}")
        return json.loads(said) if said.startswith(b"{") else {}

    def break_off(self) -> None:
        """Send a request that ends in the middle of its body."""
        with socket.create_connection(("127.0.0.1", self.port)) as line:
            line.sendall(b'POST /api/evaluate HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000\r\n\r\n{"userTask"')
        self.soak.events["requests broken off"] += 1


def attack(soak: Soak, port: int) -> None:
    """Send the costliest requests we know, one after the other, until the end."""
    for name in itertools.cycle(REQUESTS):
        if not soak.goes_on:
            return
        send_hostile(soak, port, name)


def send_hostile(soak: Soak, port: int, name: str) -> None:
    """Send one of the costliest requests and check its status."""
    request = REQUESTS[name]
    status, said = post(f"http://127.0.0.1:{port}", request.path, request.body(), **request.headers)
    soak.events["hostile requests"] += 1
    if status not in (*request.expected, 502, 503):  # 502: the reply is for another case
        soak.wrong.append(f"{name}: {status} instead of {request.expected}: {said[:300]!r}")


def time_health(soak: Soak, port: int) -> None:
    """Ask for /api/health ten times a second, on a connection of its own each time, and note how long it takes."""
    while soak.goes_on:
        began = time.monotonic()
        line = HTTPConnection("127.0.0.1", port, timeout=60)
        line.request("GET", "/api/health")
        line.getresponse().read()
        line.close()
        soak.health.append(time.monotonic() - began)
        time.sleep(0.1)


# -- restarts and kills -----------------------------------------------------------------------------------------------


def restart_services(soak: Soak, journal: Path, llm: str) -> None:
    """Start a second service on the same journal, use it once, stop or kill it, and repeat until the end."""
    for number in itertools.count():
        if not soak.goes_on:
            return
        with running_service(journal, "--judge", llm) as (service, port):
            client = Client(soak, port, llm)
            client.one_round(10**9 + number)
            client.line.close()
            if number % 2:
                service.kill()
        soak.events["services restarted"] += 1
        time.sleep(1)


def kill_runs(soak: Soak, folder: Path, llm: str, cases: int = 60) -> None:
    """Kill runs at random moments and resume them until they are done. None may lose a case."""
    draw = random.Random(0)
    write_cases(folder / "cases.jsonl", short_cases(cases))
    for number in itertools.count():
        if not soak.goes_on:
            return
        directory = folder / f"run-{number}"
        begin = adjudge("run", "compare", folder / "cases.jsonl", "--run", directory, "--one-order", "--judge", llm)
        for kills in itertools.count():
            made = (directory / "run.json").exists()
            command = adjudge("run", "--resume", directory) if made else begin
            with subprocess.Popen(
                command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=environment()
            ) as run:
                with suppress(subprocess.TimeoutExpired):
                    run.wait(draw.uniform(0.5, 3.0) if kills < 2 else 120)
                if run.poll() is not None:
                    break
                os.kill(run.pid, signal.SIGKILL)
            soak.events["runs killed"] += 1
        found = sorted(line["position"] for line in read_lines(directory / "verdicts.jsonl"))
        if run.returncode != 0 or found != list(range(cases)):
            soak.wrong.append(f"{directory.name}: status {run.returncode}, {len(found)} verdicts for {cases} cases")
        soak.events["runs finished"] += 1
        time.sleep(1)


# -- watching ---------------------------------------------------------------------------------------------------------


def sample(pid: int, journal: Path) -> dict[str, float]:
    """Measure the service and its journal now."""
    status = Path(f"/proc/{pid}/status").read_text()
    told = {name: value.split() for name, _, value in (line.partition(":") for line in status.splitlines())}
    ahead = Path(f"{journal}-wal")
    with closing(sqlite3.connect(f"file:{journal}?mode=ro", uri=True, timeout=30)) as database:
        rows = sum(database.execute(f"select count(*) from {table}").fetchone()[0] for table in _ROWS)
        ((pages,),), ((page,),) = (database.execute(f"pragma {what}") for what in ("page_count", "page_size"))
    return {
        "memory, MB": int(told["VmRSS"][0]) / 1024,
        "open handles": len(list(Path(f"/proc/{pid}/fd").iterdir())),
        "threads": int(told["Threads"][0]),
        "disk a row, bytes": pages * page / max(1, rows),
        "write-ahead log, MB": ahead.stat().st_size / 2**20 if ahead.exists() else 0,
        "rows": rows,
    }


@contextmanager
def threads(soak: Soak, *work: Callable[[], None]) -> Iterator[None]:
    started = [threading.Thread(target=soak.guarded(part)) for part in work]
    for thread in started:
        thread.start()
    try:
        yield
    finally:
        for thread in started:
            thread.join()


def watch(soak: Soak, pid: int, journal: Path, seconds: float, clients: int) -> list[dict[str, float]]:
    began = time.monotonic()
    while not soak.wrong and (soak.answers.total() < _WARM_UP * clients or time.monotonic() < began + _WARM_UP_SECONDS):
        time.sleep(0.1)
    soak.until = time.monotonic() + seconds
    samples = []
    while soak.goes_on:
        samples.append(sample(pid, journal))
        time.sleep(max(0.25, seconds / 300))
    return samples


def growth(samples: list[dict[str, float]], seconds: float) -> list[str]:
    """Print the first third against the last third. Return what grew."""
    third = max(1, len(samples) // 3)
    grown = []
    print(f"{'':20}{'first third':>14}{'last third':>14}{'allowed':>14}")
    for name, (share, short, long) in _NOISE.items():
        first, last = (median(one[name] for one in part) for part in (samples[:third], samples[-third:]))
        allowed = first * (1 + share) + (long if seconds >= _LONG else short)
        print(f"{name:20}{first:14,.1f}{last:14,.1f}{allowed:14,.1f}")
        if last > allowed:
            grown.append(f"{name}: {first:,.1f} in the first third, {last:,.1f} in the last")
    return grown


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--calm", action="store_true", help="without the costliest requests")
    args = parser.parse_args()
    seconds = args.minutes * 60
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        journal = folder / "journal.db"
        (folder / "reply.json").write_bytes(reply_body())
        with serving("instant_server.py", folder / "reply.json", 0.05) as upstream:
            llm = f"http://127.0.0.1:{upstream}/v1#m"
            with running_service(journal, "--judge", llm) as (service, port):
                soak = Soak()
                clients = [Client(soak, port, llm).work for _ in range(args.clients)]
                others = [
                    lambda: restart_services(soak, journal, llm),
                    lambda: kill_runs(soak, folder, llm),
                    lambda: time_health(soak, port),
                ]
                if not args.calm:
                    others.append(lambda: attack(soak, port))
                    for name in REQUESTS:  # what the largest requests need in memory and on disk is no growth
                        send_hostile(soak, port, name)
                with threads(soak, *clients, *others):
                    samples = watch(soak, service.pid, journal, seconds, args.clients)
                ended = service.poll()
    print(f"{seconds:,.0f} s, {args.clients} clients, {len(samples)} samples")
    print("answers: " + ", ".join(f"{count:,} × {status}" for status, count in sorted(soak.answers.items())))
    print("besides: " + ", ".join(f"{count:,} {what}" for what, count in sorted(soak.events.items())))
    wrong = [*soak.wrong[:5], *([f"the service ended with status {ended}"] if ended is not None else [])]
    if soak.health:
        times = sorted(soak.health)
        middle, late, slowest = times[len(times) // 2], times[len(times) * 99 // 100], times[-1]
        print(f"/api/health, {len(times):,} times: p50 {middle:.3f} s, p99 {late:.3f} s, slowest {slowest:.3f} s")
    if samples:
        points = samples[:: max(1, len(samples) // _POINTS)]
        print("memory over time, MB: " + " ".join(f"{one['memory, MB']:.0f}" for one in points))
        print(f"{samples[-1]['rows']:,.0f} rows in the journal")
        wrong += growth(samples, seconds)
    if wrong:
        sys.exit("what does not hold:\n" + "\n".join(wrong))
    print("nothing grew")


if __name__ == "__main__":
    main()
