"""Every paid reply, durable before anybody looks into it; and the verdicts made of them."""

from __future__ import annotations

from pathlib import Path

from .address import data_folder, default_place, is_server, masked
from .base import Journal, ReplayJournal, Stored, call_key

__all__ = ["Journal", "ReplayJournal", "Stored", "call_key", "data_folder", "default_place", "masked", "open_journal"]


def open_journal(where: str | Path | None = None, *, secret: bytes | None = None) -> Journal:
    """The journal in a file or at `postgresql://…`, made if it is not there.

    `secret`: that of a new journal, for those who need the same fence codes every time; else it is random.
    """
    place = where if where is not None else default_place()
    if isinstance(place, str) and is_server(place):
        from .postgres import PostgresJournal

        return PostgresJournal(place, secret)
    from .sqlite import SqliteJournal

    return SqliteJournal(Path(place), secret)
