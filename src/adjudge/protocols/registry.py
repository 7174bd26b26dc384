"""Finds protocols by name: the folders beside this file, what other packages declare as entry points of the group
`adjudge.protocols`, and what a program registers itself. A protocol is loaded when it is first asked for; one of
another package that cannot be loaded is left out, with a warning.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import lru_cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from inspect import formatannotation
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, NamedTuple

from ..errors import SetupError

_HERE = Path(__file__).parent
_log = logging.getLogger(__name__)
_loaded: dict[str, Any] = {}
_usable: dict[str, bool] = {}  # whether a protocol of another package can be loaded


def names() -> tuple[str, ...]:
    """Return the names of all protocols, in alphabetical order. Those of other packages are loaded for it."""
    return tuple(sorted({*_shipped(), *_loaded, *filter(_is_usable, _installed())}))


def _is_usable(name: str) -> bool:
    if name not in _usable:
        _usable[name] = True  # while it is loaded, it may ask for the names itself
        try:
            load(name)
        except SetupError as error:
            _leave_out(name, error)
    return _usable[name]


def _leave_out(name: str, error: SetupError) -> None:
    _usable[name] = False
    _log.warning("%s; it is left out", error)


def services() -> dict[str, Any]:
    """Return the service of each protocol by name. A protocol of another package whose service fails is left out."""
    found = {}
    for name in names():
        protocol = load(name)
        try:
            found[name] = protocol.service()
        except Exception as error:
            if name not in _installed():
                raise
            del _loaded[name]
            _leave_out(name, _unusable(_installed()[name], error))
    return found


def load(name: str) -> Any:
    """Return the protocol of this name. Raise KeyError if there is none, and SetupError if it cannot be loaded."""
    if name not in _loaded:
        if name in _shipped():
            register(import_module(f"{__package__}.{name}.protocol").PROTOCOL)
        else:
            point = _installed()[name]
            try:
                protocol = point.load()
                if protocol.name != name:
                    raise ValueError(f"its name is {protocol.name}")
                register(protocol)
            except Exception as error:
                raise _unusable(point, error) from error
    return _loaded[name]


def _unusable(point: EntryPoint, error: Exception) -> SetupError:
    why = str(error) if isinstance(error, SetupError) else f"{type(error).__name__}: {error}"
    return SetupError(f"the protocol {point.name} ({point.value}) cannot be used: {why}")


class About(NamedTuple):
    """What can be said of a protocol without loading it: it is in the `__init__.py` of its folder."""

    summary: str  # of its command, in one line
    examples: tuple[str, ...]  # of its command
    path: str  # of its endpoint in the HTTP API
    gates: Mapping[str, str]  # what the figures of its own are that a gate may name


def about(name: str) -> About:
    """Return the summary of a protocol, without loading the protocol itself."""
    if name in _loaded:
        folder = _loaded[name].package
    elif name in _shipped():
        folder = f"{__package__}.{name}"
    else:
        point = _installed()[name]
        folder = point.module.rpartition(".")[0] or point.module
        try:
            import_module(folder)
        except Exception as error:
            raise _unusable(point, error) from error
    given = vars(import_module(folder))
    if name in _loaded:
        gates = {figure.name: figure.about for figure in _loaded[name].table.gates}
    else:
        gates = given.get("GATES", {})
    return About(given.get("SUMMARY", ""), given.get("EXAMPLES", ()), given.get("PATH", f"/api/{name}"), gates)


def summaries() -> dict[str, About]:
    """Return what can be said of all protocols without loading them, by name in alphabetical order."""
    found: dict[str, About] = {}
    for name in sorted({*_shipped(), *_loaded, *(name for name in _installed() if _usable.get(name, True))}):
        try:
            found[name] = about(name)
        except SetupError as error:
            _leave_out(name, error)
    return found


def register(protocol: Any) -> None:
    """Make a protocol known, and how judges answer its questions.

    Commands and requests that are for all protocols have one field for settings of the same name, so SetupError is
    raised if their types differ.
    """
    if protocol.name not in _shipped():
        for name in _shipped():
            load(name)
    own = protocol.settings.requested()
    if both := sorted({each.name for each in protocol.form.fields} & {*own}):
        raise SetupError(f"{protocol.name}: {both[0]} is both a field of its form and a setting; rename one")
    for other in (each for each in _loaded.values() if each.name != protocol.name):
        for name, theirs in other.settings.requested().items():
            if name in own and (own[name].type, own[name].service) != (theirs.type, theirs.service):
                kinds = [formatannotation(one.type) for one in (own[name], theirs)]
                found = f"its setting {name} is {kinds[0]}, and that of {other.name} is {kinds[1]}"
                raise SetupError(f"{protocol.name}: {found}; rename it")
    _loaded[protocol.name] = protocol
    protocol.register_questions()


@lru_cache(maxsize=1)
def _shipped() -> tuple[str, ...]:
    return tuple(module.name for module in iter_modules([str(_HERE)]) if module.ispkg)


@lru_cache(maxsize=1)
def _installed() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group="adjudge.protocols")}
