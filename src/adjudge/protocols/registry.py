"""Finds protocols by name: the folders beside this file, what other packages declare as entry points of the group
`adjudge.protocols`, and what a program registers itself. A protocol is loaded when it is first asked for.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, NamedTuple

_HERE = Path(__file__).parent
_loaded: dict[str, Any] = {}


def names() -> tuple[str, ...]:
    """Return the names of all protocols, in alphabetical order."""
    return tuple(sorted({*_shipped(), *_installed(), *_loaded}))


def load(name: str) -> Any:
    """Return the protocol of this name. Raise KeyError if there is none."""
    if name not in _loaded:
        if name in _shipped():
            register(import_module(f"{__package__}.{name}.protocol").PROTOCOL)
        else:
            register(_installed()[name].load())
    return _loaded[name]


class About(NamedTuple):
    """What can be said of a protocol without loading it: it is in the `__init__.py` of its folder."""

    summary: str  # of its command, in one line
    examples: tuple[str, ...]  # of its command
    path: str  # of its endpoint in the HTTP API


def about(name: str) -> About:
    """Return the summary of a protocol, without loading the protocol itself."""
    if name in _loaded:
        folder = _loaded[name].package
    elif name in _shipped():
        folder = f"{__package__}.{name}"
    else:
        module = _installed()[name].module
        folder = module.rpartition(".")[0] or module
    given = vars(import_module(folder))
    return About(given.get("SUMMARY", ""), given.get("EXAMPLES", ()), given.get("PATH", f"/api/{name}"))


def register(protocol: Any) -> None:
    """Make a protocol known, and how judges answer its questions."""
    _loaded[protocol.name] = protocol
    protocol.register_questions()


@lru_cache(maxsize=1)
def _shipped() -> tuple[str, ...]:
    return tuple(module.name for module in iter_modules([str(_HERE)]) if module.ispkg)


@lru_cache(maxsize=1)
def _installed() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group="adjudge.protocols")}
