"""The journal: stores every paid reply durably before it is decoded, and the verdicts made from the replies.

A journal is a file or a Postgres server, whose address is never shown with its password. The default is
`$ADJUDGE_JOURNAL` if it is set, otherwise a file in the user's data folder.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from ..errors import InputError
from ..redaction import HIDDEN
from .base import Journal, RunCalls, Stored, call_key
from .replay import ReplayJournal

__all__ = [
    "Journal", "ReplayJournal", "RunCalls", "Stored", "call_key", "data_folder", "default_place", "is_server", "masked",
    "open_journal",
]  # fmt: skip

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_SECRET_OPTION = re.compile(r"(?<=[?&])([^=&]*(?:password|secret|scram)[^=&]*)=([^&]*)", re.IGNORECASE)


def default_place() -> str | Path:
    """Return the default journal: a file path, or a server's address as text."""
    if named := os.environ.get("ADJUDGE_JOURNAL"):
        return named if is_server(named) else Path(named)
    return data_folder() / "journal.db"


def data_folder() -> Path:
    """Return the folder for this user's adjudge data; it may not exist yet."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "adjudge"


def is_server(where: str | Path) -> bool:
    """Return True for a server's address, False for a file. Raise InputError for any other kind of address."""
    if not isinstance(where, str) or not _SCHEME.match(where):
        return False
    if not where.startswith(("postgres://", "postgresql://")):
        raise InputError("journal", masked(where), "a file, or postgresql://user@host/database")
    return True


def masked(where: str | Path) -> str:
    """Return the journal's location without its password, so that it may be shown and stored."""
    text = str(where)
    scheme, slashes, rest = text.partition("://")
    if not slashes or not isinstance(where, str):
        return text
    # Split at the last @, since an unencoded password may contain any character. It is better to hide too much.
    user, at, host = rest.rpartition("@")
    name, colon, password = user.partition(":")
    if password:
        user = f"{name}{colon}{HIDDEN}"
    return scheme + slashes + _SECRET_OPTION.sub(lambda option: f"{option[1]}={HIDDEN}", user + at + host)


def secrets_in(url: str) -> list[str]:
    """Return the secret parts of an address, such as the password, exactly as they are written in it."""
    rest = url.partition("://")[2]
    password = rest.rpartition("@")[0].partition(":")[2]
    return [secret for secret in (password, *(value for _, value in _SECRET_OPTION.findall(rest))) if secret]


def check_address(url: str) -> None:
    """Raise InputError if the database library would split the address differently from what its author meant."""
    if re.search(r"[@/?#\s]", url.partition("://")[2].rpartition("@")[0]):
        allowed = "in a name or password, write @ / ? # and spaces as %40 %2F %3F %23 %20"
        raise InputError("journal", f"{masked(url)}: an @ in the wrong place", allowed)


def open_journal(where: str | Path | None = None, *, secret: bytes | None = None) -> Journal:
    """Open the journal in a file or at `postgresql://…`; create it if it does not exist.

    `secret` is used for a new journal, to get the same fence codes every time. By default it is random.
    """
    place = where if where is not None else default_place()
    if isinstance(place, str) and is_server(place):
        from .postgres import PostgresJournal

        return PostgresJournal(place, secret)
    from .sqlite import SqliteJournal

    return SqliteJournal(Path(place), secret)
