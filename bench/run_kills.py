"""Kills `adjudge run` with SIGKILL at random moments and resumes it, until it has been killed often enough.

run     kills the process of a run that calls a server, and resumes it
worker  kills a process of the embedded judge's pool; the run has to continue by itself

Moments are drawn from a seed: a quarter of them in the first second, while the input or the earlier results are read,
the others after a random number of cases. If a run ends before it has been killed often enough, another one is started.
At the end every case must have exactly one verdict. The server remembers every request: one that is repeated was paid
for twice, and counts against the kill in between. For each kill, at most the calls in flight may be repeated.

    python bench/run_kills.py [--kills 50] [--cases 1000] [--concurrency 20] [--seed 0]
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from commands import adjudge, ask, environment, read_lines, serving, write_cases
from overhead import cases, reply_body
from process_tree import Process, tree

VARIANTS = {"run": "the run", "worker": "a worker"}
_LOOK = 0.02
_EARLY = 0.25
_PATIENCE = 300.0


@dataclass
class Tally:
    """The results of all runs of a variant."""

    kills: int = 0
    runs: int = 0
    verdicts: int = 0
    lost: int = 0
    doubled: int = 0
    wrong: list[str] = field(default_factory=list)


class Killing:
    """One variant: starts runs, kills them, and counts the results."""

    def __init__(self, variant: str, args: argparse.Namespace, folder: Path, port: int) -> None:
        self.variant, self.args, self.folder, self.port = variant, args, folder, port
        self.draw = random.Random(f"{args.seed} {variant}")
        self.tally = Tally()

    def carry_out(self) -> Tally:
        while self.tally.kills < self.args.kills and not self.tally.wrong:
            self._one_run(self.folder / f"{self.variant}-{self.tally.runs}.jsonl")
        return self.tally

    def _one_run(self, path: Path) -> None:
        """Start a run with its own cases, kill it repeatedly, and let it finish."""
        count, number = self.args.cases, self.tally.runs
        self.tally.runs += 1
        # Use different cases for each run, so that the server can tell their requests apart.
        write_cases(path, cases(count * (number + 1))[count * number :])
        directory = path.with_suffix("")
        while True:
            begun = _begin(self._command(path, directory), path.with_suffix(".log"))
            if self.tally.kills < self.args.kills and self._kill_sometime(begun, directory, count):
                continue
            # The run itself was not killed (only a worker, or nothing), so it ends by itself.
            status = self._ended(begun)
            if status is None:
                self.tally.wrong.append(f"{directory.name} does not end")
                begun.kill()
                return
            if status != 0 and self.variant == "worker" and self.tally.kills < self.args.kills:
                continue
            if status != 0:
                said = path.with_suffix(".log").read_text(errors="replace")[-1500:]
                self.tally.wrong.append(f"{directory.name} ended with status {status}: {said}")
            break
        self._count(directory, count)

    def _command(self, path: Path, directory: Path) -> list[str]:
        if (directory / "run.json").exists():
            return adjudge("run", "--resume", directory)
        judge: tuple[str | int, ...] = ("--judge", f"http://127.0.0.1:{self.port}/v1#m")
        if self.variant == "worker":
            judge = ("--judge", "embedded", "--workers", 2)
        pace = ("--one-order", "--concurrency", self.args.concurrency)
        return adjudge("run", "compare", path, "--run", directory, *judge, *pace)

    def _done(self, directory: Path) -> int:
        """Return the number of requests so far, or of verdicts if workers are killed."""
        if self.variant == "run":
            return int(ask(self.port, "/stats")["requests"])
        verdicts = directory / "verdicts.jsonl"
        return sum(1 for _ in verdicts.open("rb")) if verdicts.exists() else 0

    def _kill_sometime(self, begun: subprocess.Popen[bytes], directory: Path, count: int) -> bool:
        """Wait for a random moment and kill. Return False if the run itself was not killed; it may have ended."""
        while self.tally.kills < self.args.kills:
            if not self._wait_for_the_moment(begun, directory, count):
                return False
            if self.variant == "worker":
                self._kill_a_worker(begun)
                continue
            begun.kill()
            begun.wait()
            self._note_kill()
            return True
        return False

    def _wait_for_the_moment(self, begun: subprocess.Popen[bytes], directory: Path, count: int) -> bool:
        if self.draw.random() < _EARLY:
            until = time.monotonic() + self.draw.uniform(0, 1.0)
            calls = None
        else:
            until = time.monotonic() + _PATIENCE
            # About a handful of kills for each run, with enough calls between two of them.
            calls = self._done(directory) + self.draw.randint(1, max(2, count // 6))
        while begun.poll() is None and time.monotonic() < until:
            if calls is not None and self._done(directory) >= calls:
                time.sleep(self.draw.uniform(0, 0.05))
                break
            time.sleep(_LOOK)
        return begun.poll() is None

    def _kill_a_worker(self, begun: subprocess.Popen[bytes]) -> None:
        workers = [one for one in tree(begun.pid)[1:] if one.runs and is_worker(one)]
        if workers:
            with suppress(ProcessLookupError):
                os.kill(self.draw.choice(workers).pid, signal.SIGKILL)
            self._note_kill()
        else:
            time.sleep(_LOOK)

    def _note_kill(self) -> None:
        self.tally.kills += 1
        ask(self.port, "/kill")

    def _ended(self, begun: subprocess.Popen[bytes]) -> int | None:
        with suppress(subprocess.TimeoutExpired):
            return begun.wait(_PATIENCE)
        return None

    def _count(self, directory: Path, count: int) -> None:
        seen: Counter[int] = Counter()
        for line in read_lines(directory / "verdicts.jsonl"):
            seen[line["position"]] += 1
            if line["case"] != f"case-{line['position']}" or not line["verdict"]["evaluation"]:
                self.tally.wrong.append(f"{directory.name}: the verdict at {line['position']} is not that case's")
        failed = sum(1 for _ in read_lines(directory / "failures.jsonl"))
        if failed:
            self.tally.wrong.append(f"{directory.name}: {failed} failures, though the server never failed")
        self.tally.verdicts += len(seen)
        self.tally.lost += sum(1 for position in range(count) if position not in seen)
        self.tally.doubled += sum(times - 1 for times in seen.values())


def _begin(command: list[str], log: Path) -> subprocess.Popen[bytes]:
    with log.open("ab") as said:
        return subprocess.Popen(command, stdout=said, stderr=said, env=environment(), start_new_session=True)


def is_worker(one: Process) -> bool:
    with suppress(OSError):
        return b"spawn_main" in Path(f"/proc/{one.pid}/cmdline").read_bytes()
    return False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=50, help="kills of each kind (default: 50)")
    parser.add_argument("--cases", type=int, default=1000, help="cases in a run (default: 1000)")
    parser.add_argument("--concurrency", type=int, default=20)
    parser.add_argument("--delay", type=float, default=0.05, help="seconds until the server answers (default: 0.05)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kinds", nargs="+", choices=VARIANTS, default=list(VARIANTS))
    args = parser.parse_args()
    wrong: list[str] = []
    print(f"SIGKILL at random moments, {args.concurrency} calls in flight, seed {args.seed}", flush=True)
    print(
        f"{'':16}{'kills':>6}{'runs':>6}{'verdicts':>10}{'lost':>6}{'doubled':>9}"
        f"{'paid twice':>12}{'most after a kill':>19}{'allowed':>9}"
    )
    for variant in args.kinds:
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made)
            (folder / "reply.json").write_bytes(reply_body())
            with serving("faulty_server.py", folder / "reply.json", args.delay) as port:
                tally = Killing(variant, args, folder, port).carry_out()
                again = ask(port, "/stats")["again"]
        most = max(again.values(), default=0)
        print(
            f"{VARIANTS[variant]:16}{tally.kills:6}{tally.runs:6}{tally.verdicts:10,}{tally.lost:6}{tally.doubled:9}"
            f"{sum(again.values()):12}{most:19}{args.concurrency:9}",
            flush=True,
        )
        wrong += tally.wrong
        if tally.lost or tally.doubled or most > args.concurrency:
            wrong.append(f"{VARIANTS[variant]}: verdicts lost or doubled, or too many calls paid twice")
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
