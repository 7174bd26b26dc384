"""Which journal: the one named, else `$ADJUDGE_JOURNAL`, else a file in the user's data folder."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from .base import Journal


def default_path() -> Path:
    """Where replies are kept unless somebody says otherwise."""
    if named := os.environ.get("ADJUDGE_JOURNAL"):
        return Path(named)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "adjudge" / "journal.db"


def open_journal(path: str | Path | None = None) -> Journal:
    """The journal at a path, made if it is not there."""
    from .sqlite import SqliteJournal

    return SqliteJournal(Path(path) if path is not None else default_path())
