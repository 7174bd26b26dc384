"""The engine on a Ray cluster: the same workers as on one machine, each in an actor.

A cluster's address may be given (`ray://…` or HOST:PORT); without one a cluster is started here for the run. Workers
that can reach the run's journal use it: a database's from anywhere, a file's on the parent's host. Others tell the
parent what they pay for (`merging`). Keys go to a worker in a message, for what stands in an actor's options or its
runtime environment is written into Ray's logs.
"""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson

from ..errors import AdjudgeError, SetupError
from ..journal import Journal, open_journal
from ..llm.providers import PROVIDERS, url_keys
from ..search import BRAVE_KEYS
from ..version import __version__
from . import frames
from .merging import Merging
from .plan import Plan
from .ray_cluster import cluster
from .ray_worker import identity, split
from .workers import Worker, Workers, worker_count

_ROOM_SECONDS = 600.0
# Where a provider's variables do not begin with its name.
_PREFIXES = {"bedrock": "AWS", "cohere": "CO", "huggingface": "HF", "google-cloud": "GOOGLE", "google-vertex": "GOOGLE"}


class RayWorkers(Workers):
    """Workers in actors. `apart`: as if no worker could reach the run's journal."""

    def __init__(self, *given: Any, apart: bool = False, **named: Any) -> None:
        super().__init__(*given, **named)
        self._apart = apart
        self._merged: Journal | None = None
        if "://" not in self._journal:
            self._journal = str(Path(self._journal).resolve())

    async def run(self) -> None:
        try:
            async with cluster(self._manner.ray_address, worker_count(self._plan, self._manner, self._cases)) as cpus:
                if self._manner.workers is None:
                    enough = max(1, (self._cases or 40) // 40)
                    self._count = max(1, min(cpus, enough, self._manner.concurrency))
                self._cpus_each = min(1.0, int(100 * cpus / self._count) / 100)
                await super().run()
        finally:
            if self._merged is not None:
                self._merged.close()

    def _known(self, share: int) -> dict[str, Any]:
        in_database = "://" in self._journal
        return {
            **super()._known(share),
            "version": __version__,
            "file": None if in_database or self._apart else identity(self._journal),
            "folder": str(Path.cwd()),
        }

    async def _start(self, share: int) -> Worker | None:
        """Make an actor, and wait until the cluster has room for it and it has taken up the work."""
        import ray

        made: Any = ray.remote(_actor_class()).options(num_cpus=self._cpus_each, max_restarts=0, max_task_retries=0)
        try:
            worker = _Actor(share, made.remote(), self._run_journal)
        except Exception as error:
            self._halt.ask("error")
            raise AdjudgeError(f"the Ray cluster takes no more workers: {_first_line(error)}") from None
        answer = asyncio.ensure_future(worker.begin(self._known(share), environment_for(self._plan, self._journal)))
        try:
            if not await self._came(answer):
                worker.kill()
                return None
            begun = answer.result()
        finally:
            answer.cancel()
        if begun is not None:
            problem = _misfit(begun)
            if problem is not None:
                worker.kill()
                self._halt.ask("error")
                raise problem
            worker.merge(begun["shares"])
        return worker

    async def _came(self, answer: asyncio.Future[Any]) -> bool:
        """Whether a worker came; False if the run was over before."""
        loop = asyncio.get_running_loop()
        until = loop.time() + _ROOM_SECONDS
        while not answer.done():
            over = asyncio.ensure_future(self._over.wait())
            await asyncio.wait({answer, over}, return_when=asyncio.FIRST_COMPLETED, timeout=until - loop.time())
            over.cancel()
            if answer.done():
                break
            if self._over.is_set():
                if self._halt.asked.is_set() or not self._open():
                    return False
                self._over.clear()
            elif loop.time() >= until:
                if self._workers:
                    until = loop.time() + _ROOM_SECONDS  # others work; this one may come later
                    continue
                self._halt.ask("error")
                raise SetupError(f"the Ray cluster had no room for a worker within {_ROOM_SECONDS:g} s")
        return True

    def _run_journal(self) -> Journal:
        """The run's journal, for what workers on other hosts say."""
        if self._merged is None:
            self._merged = open_journal(self._journal)
        return self._merged


class _Actor(Worker):
    """A worker in an actor: messages are calls, and one call at a time asks what it says."""

    def __init__(self, share: int, actor: Any, journal: Any) -> None:
        super().__init__(share)
        self._actor, self._open_journal = actor, journal
        self._merging: Merging | None = None
        self._number = 0
        self._heard: deque[tuple[int, bytes]] = deque()
        self._how = "killed"
        self._sending: set[asyncio.Task[None]] = set()

    async def begin(self, known: Mapping[str, Any], environment: Mapping[str, str]) -> dict[str, Any] | None:
        """What the worker says of itself; None if it ended before it could."""
        answer: dict[str, Any] | None = await self._ask(
            self._actor.begin.remote(orjson.dumps(known), dict(environment))
        )
        return answer

    def merge(self, shares: bool) -> None:
        """Take what the worker says for the journal, unless it writes there itself."""
        if not shares:
            self._merging = Merging(self._open_journal(), self.send)

    def send(self, kind: int, payload: bytes = b"") -> None:
        task = asyncio.create_task(self._send(self._number, kind, payload))
        self._number += 1
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)

    async def _send(self, number: int, kind: int, payload: bytes) -> None:
        answered = await self._ask(self._actor.send.remote(number, kind, payload))
        if answered is None:
            self.kill()  # a worker that lacks a message would wait for it forever

    async def receive(self) -> tuple[int, bytes] | None:
        while not self._heard:
            said = await self._ask(self._actor.listen.remote())
            if not said:
                return None
            messages = split(said)
            try:
                self._heard.extend(messages if self._merging is None else await self._merging.take(messages))
            except AdjudgeError as error:
                return frames.STOPPED, orjson.dumps([type(error).__name__, str(error)])
        return self._heard.popleft()

    async def _ask(self, answer: Any) -> Any:
        try:
            return await answer
        except Exception as error:  # whatever it is, this worker cannot be reached any more
            self._how = _first_line(error)
            return None

    def kill(self) -> None:
        import ray

        # It may be gone already, and the cluster with it.
        with suppress(Exception):
            ray.kill(self._actor)

    async def ended(self) -> str:
        self.kill()
        if self._merging is not None:
            await self._merging.close()
        for task in self._sending:
            task.cancel()
        return self._how


def _first_line(error: Exception) -> str:
    """What an error of Ray's says; the rest is stack traces and addresses."""
    return str(getattr(error, "cause", None) or error).strip().partition("\n")[0][:300] or type(error).__name__


def _actor_class() -> type:
    """The class of the actors. Made here, so that Ray sends its code: the cluster may have another adjudge, or none."""

    class AdjudgeWorker:
        async def begin(self, known: bytes, environment: dict[str, str]) -> dict[str, Any]:
            try:
                import orjson

                from adjudge.runs.ray_worker import RayWorker
            except ImportError as error:
                return {"missing": str(error)}
            self.worker = RayWorker()
            return self.worker.begin(orjson.loads(known), environment)

        async def send(self, number: int, kind: int, payload: bytes) -> bool:
            self.worker.send(number, kind, payload)
            return True

        async def listen(self) -> bytes:
            return await self.worker.listen()

    return AdjudgeWorker


def _misfit(begun: Mapping[str, Any]) -> SetupError | None:
    """Why a worker cannot do its part."""
    if "missing" in begun:
        return SetupError(
            f"a worker of the Ray cluster has no adjudge that can be used ({begun['missing']}); "
            f"install adjudge {__version__} on every node"
        )
    if begun["version"] != __version__:
        return SetupError(
            f"a worker of the Ray cluster has adjudge {begun['version']}, this is {__version__}; "
            "install the same version on every node"
        )
    return None


def environment_for(plan: Plan, journal: str) -> dict[str, str]:
    """The variables of this environment that a worker needs: keys and addresses of the plan's judges and services."""
    names: set[str] = set()
    prefixes: list[str] = ["PG"] if "://" in journal else []
    for judge in plan.judges:
        provider = judge.partition(":")[0]
        if provider in PROVIDERS:
            names |= {*PROVIDERS[provider].keys, *PROVIDERS[provider].url_variables}
        elif provider in ("http", "https"):
            names |= {*url_keys(judge)}
        elif provider not in ("embedded", "gguf"):
            prefixes.append(_PREFIXES.get(provider, provider.upper().replace("-", "_")) + "_")
    if plan.settings.get("search") == "brave":
        names |= {*BRAVE_KEYS, "BRAVE_BASE_URL"}
    return {name: value for name, value in os.environ.items() if name in names or name.startswith(tuple(prefixes))}
