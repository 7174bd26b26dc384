"""The journal's tables on a Postgres server, made and brought up to date under a lock."""

from __future__ import annotations

from typing import LiteralString

from ..errors import JournalError
from .postgres_session import Connection

# What each format added to the one before it. Names sort by their bytes: a beginning of an id is a range.
_STEPS: tuple[LiteralString, ...] = (
    """
    create table adjudge_replies (
        key text collate "C" primary key, at double precision not null, attempts integer not null,
        sent text not null, body bytea not null
    );
    create table adjudge_verdicts (id text collate "C" primary key, inputs bytea not null, verdict bytea not null);
    create table adjudge_drafts (
        number bigint generated always as identity primary key, id text collate "C" not null,
        mark text not null unique, changes bytea not null
    );
    create index adjudge_drafts_by_id on adjudge_drafts (id, number);
    """,
    """
    create table adjudge_runs (id text collate "C" primary key, config bytea not null);
    create table adjudge_outcomes (
        run text collate "C" not null, position bigint not null, verdict text, failure bytea,
        primary key (run, position), check ((verdict is null) <> (failure is null))
    );
    """,
)
VERSION = len(_STEPS)
_LOCK = 0x61646A7564676501  # "adjudge", 1


def prepare(connection: Connection, place: str) -> None:
    """Make the tables, or bring those of an older adjudge up to date."""
    version = _version(connection)
    if version < VERSION:
        with connection.transaction():
            # Those who wait here find the work done.
            connection.execute("select pg_advisory_xact_lock(%s)", [_LOCK])
            version = _version(connection)
            if version == 0:
                connection.execute("create table if not exists adjudge_format (version integer not null)")
                connection.execute("insert into adjudge_format values (0)")
            for step in _STEPS[version:]:
                connection.execute(step)
            if version < VERSION:
                version = VERSION
                connection.execute("update adjudge_format set version = %s", [version])
    if version > VERSION:
        raise JournalError(f"{place}: written by a newer adjudge (format {version}, this one reads {VERSION})")


def _version(connection: Connection) -> int:
    # Asked of the catalogue itself: look-ups by name, such as to_regclass, may answer from before a wait for the lock.
    known = "select 1 from pg_catalog.pg_class where relname = 'adjudge_format' and pg_table_is_visible(oid)"
    if connection.execute(known).fetchone() is None:
        return 0
    row = connection.execute("select version from adjudge_format").fetchone()
    return int(row[0]) if row else 0
