"""A server that remembers every request it ever got, and misbehaves as it is told: for runs that are killed or crossed.

Run as `python bench/faulty_server.py REPLY.json DELAY_SECONDS [FAULTS.json]`; it prints its port. What befalls a
request is drawn from the seed, its body without the fence codes (each journal has its own) and how often that body came
before; bursts go by the number of the request.
`/stats` says what was done so far; after `/kill` requests that come again count against that kill.
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
    """Shares of all requests; a burst refuses `burst` requests after every `every`; marks stand in cases that fail."""

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
    """What was asked and what was done; `again` counts, for each kill, what was asked before it and once more after."""

    requests: int = 0
    done: Counter[str] = field(default_factory=Counter)
    again: Counter[int] = field(default_factory=Counter)
    kills: int = 0
    refused: Counter[bytes] = field(default_factory=Counter)
    seen: dict[bytes, tuple[int, int]] = field(default_factory=dict)

    def note(self, body: bytes) -> int:
        """One more request; how often the same came before."""
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
    """Answers well, or as badly as the draw says."""

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
            # Which requests meet a burst depends on timing; what befalls the others should not.
            self.book.refused[body] += what == "busy"
            asyncio.get_running_loop().call_later(self.delay, self.do, what)

    def do(self, what: str) -> None:
        if self.transport.is_closing():
            # Whoever asked is dead: the call was paid, but nobody heard the reply.
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
    """What befalls a request."""
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
    """The same completion, but what the model says in it breaks off in the middle of its JSON."""
    completion = json.loads(reply)
    message = completion["choices"][0]["message"]
    message["content"] = message["content"][: len(message["content"]) // 2]
    return json.dumps(completion).encode()


def write_faults(path: Path, faults: Faults) -> Path:
    """A file for the command line."""
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
