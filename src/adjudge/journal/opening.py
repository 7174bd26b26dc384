"""Which journal: the one named, else `$ADJUDGE_JOURNAL`, else a file in the user's data folder."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from .address import is_server
from .base import Journal


def default_place() -> str | Path:
    """Where replies are kept unless somebody says otherwise: a file, or a server's address."""
    if named := os.environ.get("ADJUDGE_JOURNAL"):
        return named if is_server(named) else Path(named)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "adjudge" / "journal.db"


def open_journal(where: str | Path | None = None) -> Journal:
    """The journal in a file or at `postgresql://…`, made if it is not there."""
    place = where if where is not None else default_place()
    if isinstance(place, str) and is_server(place):
        from .postgres import PostgresJournal

        return PostgresJournal(place)
    from .sqlite import SqliteJournal

    return SqliteJournal(Path(place))
