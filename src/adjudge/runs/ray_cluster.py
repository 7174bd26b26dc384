"""The way to a Ray cluster: one that runs somewhere, or one started on this machine for a run. Quiet in either case."""

from __future__ import annotations

import asyncio
import importlib.util
import logging
import os
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

from ..errors import InputError, SetupError

_REACH_SECONDS = 10.0
_OBJECT_STORE = 128 * 2**20  # bytes; hardly anything is kept there


def check_installed() -> None:
    """Raise what a user must do to have Ray."""
    if importlib.util.find_spec("ray") is None:
        raise SetupError("--engine ray needs Ray: pip install 'adjudge[ray]'")


@asynccontextmanager
async def cluster(address: str | None, workers: int) -> AsyncIterator[int]:
    """A connection to the cluster, or a cluster started for now; yields its processors."""
    check_installed()
    # Must be said before Ray is loaded.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    logging.getLogger("ray").setLevel(logging.ERROR)
    import ray

    ours = not ray.is_initialized()
    if ours:
        where = address or os.environ.get("RAY_ADDRESS") or "local"
        # On a thread of its own: on the main one Ray would take the signals for itself.
        await asyncio.to_thread(_connect, where, workers)
    try:
        resources: Mapping[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
        yield max(1, int(resources.get("CPU", 1)))
    finally:
        if ours:
            await asyncio.to_thread(ray.shutdown)


def _connect(address: str, workers: int) -> None:
    import ray

    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    if address == "local":
        ray.init("local", num_cpus=workers, include_dashboard=False, object_store_memory=_OBJECT_STORE, **quiet)
        return
    if address.startswith("ray://") and importlib.util.find_spec("grpc") is None:
        raise SetupError("ray:// addresses need Ray's client: pip install 'adjudge[ray]'")
    _check_reachable(address)
    try:
        ray.init(address, **quiet)
    except (ConnectionError, RuntimeError, ValueError, TimeoutError) as error:
        told = str(error).strip().partition("\n")[0][:300]
        allowed = "a running Ray cluster with the same versions, and RAY_AUTH_MODE=token if it asks for a token"
        raise InputError("--ray-address", f"{address}: {told}", allowed) from None


def _check_reachable(address: str) -> None:
    """Ray itself would try for minutes."""
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
        found = f"{address} cannot be reached: {(error.strerror or str(error)).lower()}"
        raise InputError("--ray-address", found, "the address of a running Ray cluster") from None
