"""Compares the throughput of `adjudge run`, and of other tools, with a bare loop of the same calls.

Comparisons in one order against a local server that answers like a real one: after 1.5 s in the median, log-normally
spread by .3, with 500 calls in flight. adjudge is run as its users run it: one command, every reply journalled on disk
before it is read, every quote located, every verdict stored and written out. Judgments per second and CPU per judgment
are measured from the server's first request to its last answer, so that start-up does not count; the time of the whole
command is shown next to them. CPU time and memory are those of all processes of a contender. Rounds alternate; the
ratio to the bare loop is taken within each round. Fails if the median is below --at-least, or if a judgment takes more
CPU than --at-most-cpu.

    python bench/run_throughput.py [--cases 5000] [--rounds 3] [--delay 1.5 --spread 0.3 --concurrency 500]
    python bench/run_throughput.py --delay 0.05 --spread 0 --concurrency 100 --cases 2000 --at-least 0.55 [--peers]

--two adds two runs at once, each with half of the cases and of the calls in flight: the most that judging one run in
two processes could bring. --peers adds autoevals, inspect-ai and deepeval. Each makes as many judgments through its own
natural API, with caches and telemetry off, 100 at a time, in its own environment, which is created on first use.
--promptfoo adds promptfoo (2 GB, needs npm).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import shlex
import statistics
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path

from commands import adjudge, ask, environment, serving, write_cases
from overhead import bare_loop, cases, reply_body
from peer_environments import PEERS, Peer, promptfoo, python_peer
from process_tree import Measured, measured

BARE, RUN, TWO = "bare aiohttp loop", "adjudge run", "two of them, half each"
Command = Callable[[int, Path], list[str]]


@dataclass(frozen=True)
class Figures:
    """One round of one contender."""

    rate: float
    cpu: float
    peak: float
    whole: float


def bare_command(cases: int, concurrency: int, port: int, folder: Path) -> list[str]:
    """Return the command that runs this file as the bare loop, which prepares the requests and then sends them."""
    return [
        *(sys.executable, __file__, "--cases", str(cases)),
        *("--concurrency", str(concurrency), "--bare", str(port)),
    ]


def run_command(concurrency: int, port: int, folder: Path, given: str = "cases.jsonl") -> list[str]:
    """Return the `adjudge run` command, with a new folder each time, because a second run would use stored replies."""
    directory = tempfile.mkdtemp(dir=folder, prefix="run-")
    return adjudge(
        "run", "compare", folder / given, "--run", directory, "--one-order",
        "--concurrency", concurrency, "--judge", f"http://127.0.0.1:{port}/v1#m",
    )  # fmt: skip


def two_commands(count: int, concurrency: int, port: int, folder: Path) -> list[str]:
    """Return a command that runs two halves at once, each in a process of its own."""
    halves = ("first.jsonl", "second.jsonl")
    for number, half in enumerate(halves):
        write_cases(folder / half, islice(cases(count), number, None, 2))
    parts = [shlex.join(run_command(concurrency // 2, port, folder, half)) for half in halves]
    return ["sh", "-c", f"{parts[0]} & first=$!; {parts[1]}; second=$?; wait $first && exit $second"]


def one_round(name: str, command: Command, port: int, folder: Path, count: int) -> Figures:
    """Run a contender once and compute its figures from what the server saw."""
    ask(port, "/stats")
    done = measured(command(port, folder), every=0.05, env=environment(), cwd=folder)
    seen = ask(port, "/stats")
    asked = sum(each["requests"] for each in seen.values())
    if done.status != 0 or asked != count:
        sys.exit(f"{name}: ended with status {done.status} after {asked} of {count} calls\n{done.said[-2000:]}")
    (at,) = seen.values()
    return _figures(done, at["first"], at["last"], count)


def _figures(done: Measured, first: float, last: float, count: int) -> Figures:
    return Figures(count / (last - first), done.cpu_between(first, last) / count * 1000, done.peak, done.wall)


def contenders(args: argparse.Namespace) -> tuple[dict[str, Command], list[Peer]]:
    """Return the commands of all contenders, and the peers, whose replies the server must know."""
    chosen: dict[str, Command] = {
        BARE: partial(bare_command, args.cases, args.concurrency),
        RUN: partial(run_command, args.concurrency),
    }
    if args.two:
        chosen[TWO] = partial(two_commands, args.cases, args.concurrency)
    environments = Path(args.environments).expanduser()
    peers = [python_peer(name, environments) for name in PEERS] if args.peers else []
    if args.promptfoo:
        peers.append(promptfoo(environments))
    for peer in peers:
        chosen[peer.title] = peer.command
    return chosen, peers


def report(rounds: list[dict[str, Figures]], args: argparse.Namespace) -> tuple[float, float]:
    """Print the table. Return the share of the bare loop that `adjudge run` reached, and its CPU per judgment."""
    print(
        f"{args.cases} comparisons, answers after {args.delay:g} s (spread {args.spread:g}), "
        f"{args.concurrency} in flight, median of {len(rounds)} rounds"
    )
    heads = f"{'judgments/s':>12}{'of the bare loop':>18}{'CPU-ms each':>13}{'peak MB':>9}{'whole command, s':>18}"
    print(f"{'':24}{heads}")
    reached = took = 0.0
    for name in rounds[0]:
        found = [each[name] for each in rounds]
        share = statistics.median(each[name].rate / each[BARE].rate for each in rounds)
        rate, cpu, peak, whole = (
            statistics.median(getattr(figures, key) for figures in found) for key in ("rate", "cpu", "peak", "whole")
        )
        print(f"{name:24}{rate:12.0f}{share:18.0%}{cpu:13.2f}{peak:9.0f}{whole:18.1f}")
        if name == RUN:
            reached, took = share, cpu
    return reached, took


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=5000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--delay", type=float, default=1.5, help="median seconds until an answer (default: 1.5)")
    parser.add_argument("--spread", type=float, default=0.3, help="spread of the logarithm of the delay (default: 0.3)")
    parser.add_argument("--concurrency", type=int, default=500, help="calls in flight (default: 500)")
    parser.add_argument("--two", action="store_true", help="also measure two runs at once, with half of the cases each")
    parser.add_argument("--peers", action="store_true", help="also measure autoevals, inspect-ai and deepeval")
    parser.add_argument("--promptfoo", action="store_true", help="also measure promptfoo (2 GB)")
    parser.add_argument("--environments", default="~/.cache/adjudge-bench", help="where peers are installed")
    parser.add_argument("--at-least", type=float, default=0.95, help="share of the bare loop to reach (default: 0.95)")
    parser.add_argument("--at-most-cpu", type=float, default=2.0, help="most CPU-ms per judgment (default: 2)")
    parser.add_argument("--bare", type=int, metavar="PORT", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.bare:
        asyncio.run(bare_loop(args.bare, cases(args.cases), args.concurrency))
        return
    chosen, peers = contenders(args)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        write_cases(folder / "cases.jsonl", cases(args.cases))
        (folder / "reply.json").write_bytes(reply_body())
        named = []
        for peer in peers:
            (folder / f"{peer.name}.json").write_text(json.dumps(peer.reply))
            named.append(f"{peer.name}={folder / peer.name}.json")
        with serving("instant_server.py", folder / "reply.json", f"{args.delay}~{args.spread}", *named) as port:
            rounds = [
                {name: one_round(name, command, port, folder, args.cases) for name, command in chosen.items()}
                for _ in range(args.rounds)
            ]
    reached, took = report(rounds, args)
    if reached < args.at_least:
        sys.exit(f"adjudge run reached {reached:.0%} of the bare loop, less than {args.at_least:.0%}")
    if took > args.at_most_cpu:
        sys.exit(f"adjudge run took {took:.2f} ms of CPU a judgment, more than {args.at_most_cpu:g}")


if __name__ == "__main__":
    main()
