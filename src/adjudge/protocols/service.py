"""What a protocol brings to the service beyond what all protocols have there: routes, pages and their static files."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field


class OwnRubric(BaseModel):
    """The body of a request that may bring its own rubric."""

    rubric: str | None = Field(
        None, description="A rubric of `/api/rubrics`, `name` or `name@version`, or the text of one in YAML."
    )


@dataclass(frozen=True, kw_only=True)
class JudgeRequest:
    """The body of a request to judge one case, for the description of the API: a pydantic model, an example, and what
    the endpoint does. Settings are added to it; with `camel` they are called `oneOrder`. If it is an `OwnRubric`, that
    rubric is used."""

    body: Any
    example: Mapping[str, Any]
    summary: str
    description: str
    camel: bool = False


@dataclass(frozen=True, kw_only=True)
class RunTab:
    """A page of a run that only this protocol has, among the tabs of its runs for callers with this `role`.

    `key` is the last part of its address, `/runs/ID/KEY`. `count`, from the service's state and the run, is what the
    tab counts in a few words, such as "3 of 39". `act`, from the same, is a button on the run's first page: its address
    and name, or None.
    """

    key: str
    name: str
    role: Any = "viewer"
    count: Callable[[Any, Any], str] | None = None
    act: Callable[[Any, Any], tuple[str, str] | None] | None = None


@dataclass(frozen=True, kw_only=True)
class Service:
    """`request` describes the endpoint that judges one case; its body is read by the protocol's `from_object`. If there
    is neither that nor a router, the body has the fields of the form.

    `routers` are FastAPI's; `menu` are the pages that every page links to: address, name, and the role that may see it.
    The files in `static` are served under `/static/` and the protocol's name. `run_tabs` are pages of a run. `actions`
    are those that it records in the audit log, each as an `Action`.

    `page` shows a verdict and `file` renders it for download, from the request, the service's state, the caller (for a
    page) or the format (for a file), and the verdict. `waiting` returns the address where work of this protocol
    waits for a caller, from the service's state and the caller; empty if none does.
    """

    request: JudgeRequest | None = None
    routers: tuple[Any, ...] = ()
    menu: tuple[tuple[str, str, Any], ...] = ()
    static: Path | None = None
    run_tabs: tuple[RunTab, ...] = ()
    actions: Mapping[str, Any] = field(default_factory=dict)
    page: Callable[[Any, Any, Any, Any], Awaitable[Any]] | None = None
    file: Callable[[Any, Any, str, Any], Awaitable[str]] | None = None
    waiting: Callable[[Any, Any], Awaitable[str]] | None = None
