"""Runs on a Ray cluster: each case is a call to an actor, which judges it and stores the outcome in the shared journal.

Ray places the actors, restarts those that die and repeats their calls. A repeated call finds the paid replies in the
journal. Keys are passed to actors as arguments, because Ray logs an actor's options and its runtime environment.
"""

from __future__ import annotations

import asyncio
import importlib.util
import logging
import os
import socket
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ..errors import AdjudgeError, InputError, SetupError, plain_reason
from ..extras import is_installed, missing_extra
from ..judges.budget import LocalBudget, SeenReplies
from ..llm.providers import PROVIDERS, SEARXNG_AUTH, url_keys
from ..protocols.base import protocol_of
from ..redaction import redact
from ..search import BRAVE_KEYS
from ..version import __version__
from .job import Job, Outcome, Runner, engine_for_run
from .plan import Plan, RunOptions
from .state import Tally

_REACH_SECONDS = 10.0
_ROOM_SECONDS = 600.0
_OBJECT_STORE = 128 * 2**20  # bytes; hardly anything is kept there
_CASES_A_WORKER = 40
_RETRIES = 2  # of a call whose actor died, together with others and then alone
# For providers whose environment variables do not begin with the provider's name.
_PREFIXES = {"bedrock": "AWS", "cohere": "CO", "huggingface": "HF", "google-cloud": "GOOGLE", "google-vertex": "GOOGLE"}


@asynccontextmanager
async def ray_runner(
    plan: Plan, journal: str, options: RunOptions, used: Tally, cases: int
) -> AsyncIterator[RayRunner]:
    """Open a runner on the cluster that the options name, or on one that is started for this run."""
    check_installed()
    # This must be set before Ray is imported.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    logging.getLogger("ray").setLevel(logging.ERROR)
    import ray

    useful = max(1, cases // _CASES_A_WORKER)
    if ours := not ray.is_initialized():
        where = options.ray_address or os.environ.get("RAY_ADDRESS") or "local"
        # Connect on another thread: on the main thread Ray would install its own signal handlers.
        await asyncio.to_thread(_connect, where, options.workers or min(os.cpu_count() or 1, useful))
    try:
        resources: Mapping[str, float] = ray.cluster_resources()
        cpus = max(1, int(resources.get("CPU", 1)))
        runner = RayRunner(
            plan, journal, options, used, options.workers or min(cpus, useful, options.concurrency), cpus
        )
        try:
            await runner.begin()
            yield runner
        finally:
            runner.close()
    finally:
        if ours:
            await asyncio.to_thread(ray.shutdown)


class RayRunner(Runner):
    """Judges cases on the actors of one run."""

    def __init__(self, plan: Plan, journal: str, options: RunOptions, used: Tally, count: int, cpus: int) -> None:
        import ray

        share = replace(
            options,
            concurrency=-(-options.concurrency // count),
            rate=None if options.rate is None else options.rate / count,
        )
        budget: Any = None
        if options.budget is not None or options.max_calls is not None:
            limit, calls = options.limits(used.sent)
            budget = ray.remote(_budget_class()).remote(limit, used.paid, calls)
        # All calls share this object; a restarted actor gets it again with its next call.
        self._setup = ray.put((plan, journal, share, str(Path.cwd()), environment_for(plan, journal), budget))
        self._slots = 4 * share.concurrency + 8
        self._actors = [self._make(min(1.0, int(100 * cpus / count) / 100)) for _ in range(count)]
        self._busy = [0] * count
        self._ready: list[int] = []
        self._coming: list[asyncio.Task[None]] = []
        self._alone = asyncio.Lock()
        self._single: Any = None

    async def begin(self) -> None:
        """Wait for the first actor. The others join as soon as the cluster has room for them."""
        self._coming = [asyncio.create_task(self._check(at)) for at in range(len(self._actors))]
        done, _ = await asyncio.wait(self._coming, timeout=_ROOM_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        if not done:
            raise SetupError(f"the Ray cluster had no room for a worker within {_ROOM_SECONDS:g} s")
        for task in done:
            task.result()

    async def _check(self, at: int) -> None:
        problem = await self._actors[at].check.remote(__version__)
        if problem is not None:
            raise SetupError(f"a worker of the Ray cluster {problem}; install adjudge {__version__} on every node")
        self._ready.append(at)

    async def run(self, line: bytes, final: bool = True, attempt: int = 0) -> Outcome:
        from ray.exceptions import RayActorError

        at = min(self._ready, key=self._busy.__getitem__)
        self._busy[at] += 1
        try:
            return await _answer(self._actors[at].run.remote(self._setup, line, final, attempt))
        except RayActorError:
            # Its next process releases what this one had reserved, for which others may be waiting.
            self._actors[at].reopen.remote(self._setup)
            # Try each of the actor's cases alone to find out which one killed it.
            async with self._alone:
                return await self._run_alone(line, final, attempt)
        finally:
            self._busy[at] -= 1

    async def _run_alone(self, line: bytes, final: bool, attempt: int) -> Outcome:
        from ray.exceptions import RayActorError

        if self._single is None:
            self._single = self._make(cpus=0)  # the other actors occupy all processors of the cluster
        try:
            return await _answer(self._single.run.remote(self._setup, line, final, attempt))
        except RayActorError as error:
            reason = redact(str(error).strip().partition("\n")[0])[:200]
        message = f"the worker that judged this case alone crashed {_RETRIES + 1} times: {reason}"
        return await _answer(self._single.give_up.remote(self._setup, line, message))

    def stop(self) -> None:
        for at in self._ready:
            self._actors[at].stop.remote()

    def close(self) -> None:
        """Kill the actors."""
        import ray

        for task in self._coming:
            task.cancel()
        for actor in filter(None, (*self._actors, self._single)):
            # The actor, or the whole cluster, may already be gone.
            with suppress(Exception):
                ray.kill(actor)

    def _make(self, cpus: float) -> Any:
        import ray

        made: Any = ray.remote(_actor_class())
        return made.options(
            num_cpus=cpus, max_restarts=-1, max_task_retries=_RETRIES, max_concurrency=self._slots
        ).remote()


async def _answer(call: Any) -> Outcome:
    from ray.exceptions import RayTaskError

    try:
        outcome: Outcome = await call
        return outcome
    except RayTaskError as error:
        # Ray wraps what an actor raises. Unwrap our own errors, which concern the whole run.
        raise error.cause if isinstance(error.cause, AdjudgeError) else error from None


def _actor_class() -> type:
    """Return the actors' class. It is local so that Ray sends its code: nodes may have another adjudge, or none."""

    class AdjudgeWorker:
        async def check(self, version: str) -> str | None:
            try:
                from adjudge.version import __version__ as found
            except ImportError as error:
                return f"cannot import adjudge ({error})"
            return None if found == version else f"has adjudge {found}, this is {version}"

        async def run(self, setup: Any, *case: Any) -> Any:
            return await self.open(setup).run(*case)

        async def give_up(self, setup: Any, *case: Any) -> Any:
            job = self.open(setup)
            return await job.store(job.crashed(*case))

        async def reopen(self, setup: Any) -> None:
            self.open(setup)

        async def stop(self) -> None:
            if hasattr(self, "job"):
                self.job.stop()

        def open(self, setup: Any) -> Any:
            if not hasattr(self, "job"):
                from adjudge.runs.ray import open_job

                self.job = open_job(*setup)
            return self.job

    return AdjudgeWorker


def open_job(
    plan: Plan, journal: str, options: RunOptions, folder: str, environment: Mapping[str, str], budget: Any
) -> Job:
    """Build the job with which an actor judges cases."""
    os.environ.update(environment)
    if Path(folder).is_dir():
        os.chdir(folder)  # file paths in a judge's name are relative to the command's working directory
    return Job(plan, engine_for_run(plan, journal, options, budget and _RemoteBudget(budget)))


def _budget_class() -> type:
    """Return the class of the actor that holds the run's budget."""

    class AdjudgeBudget:
        def __init__(self, limit: Decimal, spent: Decimal, calls: int | None) -> None:
            self._budget = LocalBudget(limit, spent, calls=calls)
            self._reserved: Counter[tuple[str, Decimal]] = Counter()

        async def join(self, owner: str, actor: str) -> None:
            """Count what this actor's dead processes had reserved as spent, because it may have been paid. Give back
            their calls, because their cases are repeated."""
            for (other, amount), count in list(self._reserved.items()):
                if other.startswith(actor) and other != owner:
                    for _ in range(count):
                        self.settle(other, amount, None, replied=False)

        async def reserve(self, owner: str, amount: Decimal) -> bool:
            granted = await self._budget.reserve(lambda: amount) is not None
            self._reserved[owner, amount] += granted
            return granted

        def settle(self, owner: str, amount: Decimal, spent: Decimal | None, replied: bool = True) -> None:
            self._reserved[owner, amount] -= 1
            self._budget.settle(amount, spent, replied)

        def charge(self, spent: Decimal) -> None:
            self._budget.charge(spent)

    return AdjudgeBudget


class _RemoteBudget:
    """A worker's access to the run's budget."""

    def __init__(self, actor: Any) -> None:
        import ray

        name = ray.get_runtime_context().get_actor_id() or ""
        self._actor, self._owner = actor, f"{name} {os.getpid()}"
        self.seen = SeenReplies()
        actor.join.remote(self._owner, name)

    async def reserve(self, estimate: Callable[[], Decimal]) -> Decimal | None:
        amount = estimate()
        return amount if await self._actor.reserve.remote(self._owner, amount) else None

    def settle(self, reserved: Decimal, spent: Decimal | None, replied: bool = True) -> None:
        self._actor.settle.remote(self._owner, reserved, spent, replied)

    def charge(self, spent: Decimal) -> None:
        self._actor.charge.remote(spent)


# -- the cluster ------------------------------------------------------------------------------------------------------


def check_installed() -> None:
    """Raise SetupError with the install command if Ray is missing."""
    if not is_installed("ray"):
        raise missing_extra("--engine ray", "ray")


def _connect(address: str, workers: int) -> None:
    import ray

    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    if address == "local":
        ray.init("local", num_cpus=workers, include_dashboard=False, object_store_memory=_OBJECT_STORE, **quiet)
        return
    if address.startswith("ray://") and importlib.util.find_spec("grpc") is None:
        raise missing_extra("a ray:// address", "ray")
    _check_reachable(address)
    try:
        ray.init(address, **quiet)
    except (ConnectionError, RuntimeError, ValueError, TimeoutError) as error:
        reason = redact(str(error).strip().partition("\n")[0])[:300]
        allowed = "a running Ray cluster with the same versions is needed, and RAY_AUTH_MODE=token if it uses tokens"
        raise InputError("--ray-address", f"{address}: {reason}", allowed) from None


def _check_reachable(address: str) -> None:
    """Raise InputError if the cluster cannot be reached; Ray itself would keep trying for minutes."""
    if address == "auto":
        return
    try:
        parts = urlsplit(address if "://" in address else f"//{address}")
        host, port = parts.hostname, parts.port or (10001 if parts.scheme == "ray" else 6379)
    except ValueError:
        host = None
    if not host:
        raise InputError("--ray-address", address[:100], "ray://HOST:PORT or HOST:PORT")
    try:
        socket.create_connection((host, port), timeout=_REACH_SECONDS).close()
    except OSError as error:
        found = f"{address} cannot be reached: {plain_reason(error)}"
        raise InputError("--ray-address", found, "give the address of a running Ray cluster") from None


def environment_for(plan: Plan, journal: str) -> dict[str, str]:
    """Return the environment variables that a worker needs: keys and addresses of the plan's judges and services."""
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
    for name in protocol_of(plan.protocol).settings.named("search"):
        if plan.settings.get(name) == "brave":
            names |= {*BRAVE_KEYS, "BRAVE_BASE_URL"}
        elif plan.settings.get(name):
            names.add(SEARXNG_AUTH)
    return {name: value for name, value in os.environ.items() if name in names or name.startswith(tuple(prefixes))}
