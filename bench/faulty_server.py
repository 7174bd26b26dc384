"""A server that remembers every request and misbehaves as configured, to test runs that are killed or meet faults.

Run as `python bench/faulty_server.py REPLY.json DELAY_SECONDS [FAULTS.json]`; it prints its port. The fault of a
request is drawn from the seed, its body without the fence codes (each journal has its own) and how often that body came
before; bursts depend on the number of the request. `/stats` returns what was done so far; `/kill` marks a kill, and
requests that are repeated after it count against that kill.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import socket
import struct
import sys
from collections import Counter
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

from instant_server import Connection, answer_of, listen

_FENCE_CODE = re.compile(rb"[0-9a-f]{16}")
_FAILED = b'{"error":{"message":"the model is unwell","type":"server_error"}}'
_BUSY = b'{"error":{"message":"too many requests","type":"rate_limit"}}'


@dataclass(frozen=True)
class Faults:
    """Shares of faulty requests. After every `every` requests, `burst` are refused. Cases with a mark always fail."""

    seed: int = 0
    malformed: float = 0.0
    errors: float = 0.0
    resets: float = 0.0
    every: int = 0
    burst: int = 0
    retry_after: float = 1.0
    always_malformed: str = ""
    always_error: str = ""


@dataclass
class Book:
    """The requests and what was done; `again` counts, for each kill, the requests that came before and after it."""

    requests: int = 0
    done: Counter[str] = field(default_factory=Counter)
    again: Counter[int] = field(default_factory=Counter)
    kills: int = 0
    refused: Counter[bytes] = field(default_factory=Counter)
    seen: dict[bytes, tuple[int, int]] = field(default_factory=dict)

    def note(self, body: bytes) -> int:
        """Record a request and return how often the same one came before."""
        self.requests += 1
        key = hashlib.sha256(body).digest()
        before, kill = self.seen.get(key, (0, 0))
        if before:
            self.again[kill] += 1
        self.seen[key] = before + 1, self.kills
        return before

    def told(self) -> dict[str, object]:
        return {
            "requests": self.requests,
            "distinct": len(self.seen),
            "done": dict(self.done),
            "again": {str(kill): count for kill, count in self.again.items()},
        }


class Faulty(Connection):
    """Answers correctly or with the fault that was drawn."""

    def __init__(self, reply: bytes, delay: float, faults: Faults, book: Book) -> None:
        self.good, self.bad = answer_of(reply), answer_of(_cut(reply))
        self.delay, self.faults, self.book = delay, faults, book

    def respond(self, path: bytes, body: bytes) -> None:
        if path == b"/stats":
            self.say(answer_of(json.dumps(self.book.told()).encode()))
        elif path == b"/kill":
            self.book.kills += 1
            self.say(answer_of(b"{}"))
        else:
            number = self.book.requests
            before = self.book.note(body)
            what = fate(self.faults, number, body, before - self.book.refused[body])
            # Which requests meet a burst depends on timing. Do not count those, so that the other faults do not.
            self.book.refused[body] += what == "busy"
            asyncio.get_running_loop().call_later(self.delay, self.do, what)

    def do(self, what: str) -> None:
        if self.transport.is_closing():
            # The client is dead: the call was paid for, but the reply was not received.
            self.book.done["unheard"] += 1
            return
        self.book.done[what] += 1
        if what == "reset":
            plug = self.transport.get_extra_info("socket")
            plug.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.transport.abort()
        elif what == "busy":
            wait = f"Retry-After: {self.faults.retry_after:g}\r\n"
            self.say(answer_of(_BUSY, "429 Too Many Requests", wait))
        elif what == "error":
            self.say(answer_of(_FAILED, "500 Internal Server Error"))
        else:
            self.say(self.bad if what == "malformed" else self.good)


def fate(faults: Faults, number: int, body: bytes, before: int) -> str:
    """Return what to do with a request: a fault, or `good`."""
    if faults.every and number % (faults.every + faults.burst) >= faults.every:
        return "busy"
    if faults.always_error and faults.always_error.encode() in body:
        return "error"
    if faults.always_malformed and faults.always_malformed.encode() in body:
        return "malformed"
    said = _FENCE_CODE.sub(b"", body)
    drawn = hashlib.sha256(f"{faults.seed} {before} ".encode() + said).digest()
    share = int.from_bytes(drawn[:8], "big") / 2**64
    for what, part in (("malformed", faults.malformed), ("error", faults.errors), ("reset", faults.resets)):
        if share < part:
            return what
        share -= part
    return "good"


def _cut(reply: bytes) -> bytes:
    """Return the completion with the model's JSON cut off in the middle."""
    completion = json.loads(reply)
    message = completion["choices"][0]["message"]
    message["content"] = message["content"][: len(message["content"]) // 2]
    return json.dumps(completion).encode()


def write_faults(path: Path, faults: Faults) -> Path:
    """Write the faults to a file for the command line."""
    path.write_text(json.dumps(asdict(faults)))
    return path


def main() -> None:
    reply, delay = Path(sys.argv[1]).read_bytes(), float(sys.argv[2])
    faults = Faults(**json.loads(Path(sys.argv[3]).read_text())) if len(sys.argv) > 3 else Faults()
    book = Book()
    with suppress(KeyboardInterrupt):
        asyncio.run(listen(lambda: Faulty(reply, delay, faults, book)))


if __name__ == "__main__":
    main()
