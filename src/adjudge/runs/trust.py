"""Whose a run is. A run folder names a judge, a search service and a journal, and they would get this user's keys.

So a folder that somebody else made is continued only if this user says that it may be trusted.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..files import make_private, open_private
from ..journal import call_key, data_folder
from .directory import OWN_JOURNAL, RunDirectory


def remember(known: Mapping[str, Any]) -> None:
    """Note in the user's data folder that this run is the user's own."""
    # Without a data folder that can be written, --resume will ask for --trust.
    with suppress(OSError):
        make_private(_list())
        with open_private(_list(), "ab") as file:
            file.write(_mark(known).encode() + b"\n")


def check_trust(directory: RunDirectory, trusted: bool) -> None:
    """Refuse to give keys to the judge, search service or journal of a run that another user, or nobody known, made."""
    known = directory.read()
    if not (named := _outside(known)) or _is_own(directory, known):
        return
    if not trusted:
        found = f"this run was not made by you here, and your keys may be sent to what it names: {', '.join(named)}"
        raise InputError(str(directory.path), found, "add --trust if these are right")
    remember(known)


def _outside(known: Mapping[str, Any]) -> list[str]:
    """All that the run names beside its own folder and the embedded judge."""
    settings = known["settings"]
    named = [f"{key} {settings[key]}" for key in ("judge", "evaluator", "critic", "search") if settings.get(key)]
    journal = [] if known["journal"] == OWN_JOURNAL else [f"journal {known['journal']}"]
    return [name for name in named if name.partition(" ")[2] != "embedded"] + journal


def _is_own(directory: RunDirectory, known: Mapping[str, Any]) -> bool:
    if hasattr(os, "getuid") and {path.stat().st_uid for path in (directory.path, directory.config)} != {os.getuid()}:
        return False
    with suppress(OSError):
        return _mark(known) in _list().read_text("ascii").split()
    return False


def _mark(known: Mapping[str, Any]) -> str:
    # Not the id alone: somebody who has seen it could put it into a folder that names another judge.
    return call_key({name: known[name] for name in ("run_id", "settings", "journal")})


def _list() -> Path:
    return data_folder() / "runs"
