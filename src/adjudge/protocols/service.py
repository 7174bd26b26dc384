"""What a protocol brings to the service beyond what all protocols have there: routes, pages and their static files."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Service:
    """`routers` are FastAPI's; `menu` are addresses and names of pages that every page links to. The files in `static`
    are served under `/static/` and the protocol's name.

    `page` shows a verdict and `file` renders it for download, from the request, the service's state, the caller (for a
    page) or the format (for a file), and the verdict.
    """

    routers: tuple[Any, ...] = ()
    menu: tuple[tuple[str, str], ...] = ()
    static: Path | None = None
    page: Callable[[Any, Any, Any, Any], Awaitable[Any]] | None = None
    file: Callable[[Any, Any, str, Any], Awaitable[str]] | None = None
