"""How a run's parent and its workers talk: frames over a pipe, each with its length and its kind in front.

parent → worker   PLAN once, CASES again and again, GRANTED to a reservation, FINISH at the end: all
                  that was sent, or with a payload only what is already begun
worker → parent   READY once, OUTCOMES as they come, RESERVE and SETTLE for a budget, STOPPED with the
                      error that stops the run
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable

import orjson

from .judging import Outcome

PLAN, CASES, GRANTED, FINISH = 1, 2, 3, 4
READY, OUTCOMES, RESERVE, SETTLE, STOPPED = 11, 12, 13, 14, 15
HEAD = struct.Struct(">IB")


def frame(kind: int, payload: bytes = b"") -> bytes:
    """A message as bytes."""
    return HEAD.pack(len(payload), kind) + payload


def read_frame(handle: int) -> tuple[int, bytes] | None:
    """The next message from a file's number; None when the other end is gone.

    Read without a buffer: a thread that waits here must not hold a lock that the interpreter wants at its end.
    """
    head = _read(handle, HEAD.size)
    if head is None:
        return None
    size, kind = HEAD.unpack(head)
    payload = _read(handle, size)
    return None if payload is None else (kind, payload)


def _read(handle: int, size: int) -> bytes | None:
    pieces = []
    while size:
        piece = os.read(handle, min(size, 2**20))
        if not piece:
            return None
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


def pack_outcomes(outcomes: Iterable[Outcome]) -> bytes:
    """Outcomes with their lines as they are: nobody on the way needs to read those."""
    pieces = []
    for outcome in outcomes:
        pieces += [orjson.dumps(outcome[:-1]), outcome.line]
    return b"\n".join(pieces)


def unpack_outcomes(payload: bytes) -> list[Outcome]:
    """The same read back."""
    outcomes = []
    at = 0
    # Looked for one by one: bytes are searched much faster than they are split.
    while at < len(payload):
        middle = payload.index(b"\n", at)
        end = payload.find(b"\n", middle + 1)
        end = len(payload) if end < 0 else end
        outcomes.append(Outcome._make([*orjson.loads(payload[at:middle]), payload[middle + 1 : end]]))
        at = end + 1
    return outcomes
