"""From a host's name to an open socket: one look-up for all who ask at once, and the first address that answers.

A provider has several addresses, of which some may lead nowhere from here: the next is tried soon, not after a
time-out.
"""

from __future__ import annotations

import asyncio
import socket
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

_KEPT_SECONDS = 10.0
_NEXT_AFTER = 0.25  # seconds that an address has before the next one is tried beside it

_UNSENT: int | None = getattr(socket, "TCP_NOTSENT_LOWAT", None)

Address = tuple[int, int, int, str, Any]  # family, type, protocol, name, address: as getaddrinfo gives them


@dataclass(slots=True)
class Addresses:
    """The addresses of the hosts that one event loop asks."""

    _known: dict[tuple[str, int], tuple[float, asyncio.Task[list[Address]]]] = field(default_factory=dict)

    async def connect(self, host: str, port: int) -> socket.socket:
        """An open socket to this host."""
        return await _first_open(await self._look_up(host, port))

    async def _look_up(self, host: str, port: int) -> list[Address]:
        loop = asyncio.get_running_loop()
        since, looking = self._known.get((host, port), (0.0, None))
        failed = looking is not None and looking.done() and (looking.cancelled() or looking.exception() is not None)
        if looking is None or failed or since < loop.time() - _KEPT_SECONDS:
            looking = loop.create_task(_look_up(host, port))
            self._known[host, port] = loop.time(), looking
        # Others may wait for the same: who stops waiting does not stop it.
        return await asyncio.shield(looking)


async def _look_up(host: str, port: int) -> list[Address]:
    found: list[Address] = [*await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)]
    # The families in turn, beginning with the one that the system puts first.
    first = [one for one in found if one[0] == found[0][0]]
    others = [one for one in found if one[0] != found[0][0]]
    return [one for pair in zip_longest(first, others) for one in pair if one is not None]


async def _first_open(addresses: list[Address]) -> socket.socket:
    """The first that opens; if none does, why the first did not."""
    trying: set[asyncio.Task[socket.socket]] = set()
    problem: Exception | None = None
    left = list(addresses)
    try:
        while left or trying:
            if left:
                trying.add(asyncio.create_task(_open(left.pop(0))))
            done, trying = await asyncio.wait(
                trying, timeout=_NEXT_AFTER if left else None, return_when=asyncio.FIRST_COMPLETED
            )
            opened: list[socket.socket] = []
            for task in done:
                error = task.exception()
                if error is None:
                    opened.append(task.result())
                elif isinstance(error, Exception):
                    problem = problem or error
            if opened:
                for spare in opened[1:]:
                    spare.close()
                return opened[0]
    finally:
        for task in trying:
            task.cancel()
            task.add_done_callback(_close_result)
    raise problem or OSError("no address")


async def _open(address: Address) -> socket.socket:
    family, kind, protocol, _, where = address
    made = socket.socket(family, kind, protocol)
    try:
        made.setblocking(False)
        if _UNSENT is not None:
            # Else the system takes megabytes at once, and nobody can see whether a large upload still moves.
            made.setsockopt(socket.IPPROTO_TCP, _UNSENT, 128 * 1024)
        await asyncio.get_running_loop().sock_connect(made, where)
    except BaseException:
        made.close()
        raise
    return made


def _close_result(task: asyncio.Task[socket.socket]) -> None:
    if not task.cancelled() and task.exception() is None:
        task.result().close()
