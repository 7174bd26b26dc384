"""Counts what two runs send to a server that refuses with HTTP 429 and Retry-After.

After every `--every` answers the server refuses all requests for `--hold` seconds, with the seconds that are left as
Retry-After. Two `adjudge run` processes share it and know nothing of each other. A refused request that was sent within
0.5 s of the first refusal was in flight, or its process had not heard of the refusal yet; a later one ignores it.

    python bench/retry_after.py [--cases 300] [--concurrency 20] [--every 150] [--hold 3]
"""

from __future__ import annotations

import argparse
import asyncio
import math
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from commands import adjudge, environment, read_lines, short_cases, short_reply, write_cases
from instant_server import Connection, answer_of

_UNHEARD = 0.5


class Limits:
    """The server's state: when it refuses, and when requests were refused, in seconds after the first refusal."""

    def __init__(self, every: int, hold: float) -> None:
        self.every, self.hold = every, hold
        self.answers = 0
        self.refusing_since: float | None = None
        self.refused: list[list[float]] = []

    def seconds_left(self) -> float:
        """Return for how long requests are refused from now on; 0 if they are answered."""
        now = time.monotonic()
        if self.refusing_since is not None and now < self.refusing_since + self.hold:
            self.refused[-1].append(now - self.refusing_since)
            return self.refusing_since + self.hold - now
        self.answers += 1
        self.refusing_since = None
        if self.answers % self.every == 0:
            self.refusing_since = now
            self.refused.append([])
        return 0.0


class _Server(Connection):
    def __init__(self, limits: Limits, reply: bytes) -> None:
        self._limits, self._reply = limits, answer_of(reply)

    def respond(self, path: bytes, body: bytes) -> None:
        left = self._limits.seconds_left()
        if left:
            self.say(answer_of(b'{"error": "busy"}', "429 Too Many Requests", f"Retry-After: {math.ceil(left)}\r\n"))
        else:
            asyncio.get_running_loop().call_later(0.05, self.say, self._reply)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=300)
    parser.add_argument("--concurrency", type=int, default=20)
    parser.add_argument("--every", type=int, default=150)
    parser.add_argument("--hold", type=float, default=3.0)
    args = parser.parse_args()
    limits, reply = Limits(args.every, args.hold), short_reply()
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    listening = loop.create_server(lambda: _Server(limits, reply), "127.0.0.1", 0)
    port = asyncio.run_coroutine_threadsafe(listening, loop).result().sockets[0].getsockname()[1]
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        write_cases(folder / "cases.jsonl", short_cases(args.cases))
        judge = f"http://127.0.0.1:{port}/v1#m"
        common = ("--one-order", "--concurrency", args.concurrency, "--judge", judge, "--quiet")
        begun = time.monotonic()
        processes = [
            subprocess.Popen(
                adjudge("run", "compare", folder / "cases.jsonl", "--run", folder / name, *common),
                env=environment(), cwd=folder,
            )
            for name in ("first", "second")
        ]  # fmt: skip
        statuses = [process.wait() for process in processes]
        took = time.monotonic() - begun
        verdicts = [sum(1 for _ in read_lines(folder / name / "verdicts.jsonl")) for name in ("first", "second")]
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    late = [second for refusal in limits.refused for second in refusal if second > _UNHEARD]
    print(f"2 runs of {args.cases} cases, {args.concurrency} at a time each: {took:.1f} s, statuses {statuses}")
    print(
        f"  {sum(verdicts)} verdicts, {limits.answers} answers, {len(limits.refused)} refusals of {args.hold:g} s each"
    )
    shown = ", ".join(f"{second:.1f}" for second in sorted(late)) or "none"
    count = sum(map(len, limits.refused))
    print(f"  {count} requests were refused; sent more than {_UNHEARD:g} s after the first of them: {shown}")


if __name__ == "__main__":
    main()
