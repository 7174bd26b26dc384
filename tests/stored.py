"""Puts a ready verdict into a journal, as judging would, and reads all that a journal holds."""

from __future__ import annotations

import sqlite3
import zlib
from contextlib import closing


async def store_verdict(engine, case, settings, verdict):
    judged = engine._judged(case, settings, verdict, ())
    rubric = settings.rubric.source
    await engine.journal.put_verdict(judged.verdict.verdict_id, judged.inputs, judged.written, rubric=rubric)


def everything_in(journal, without=()):
    """All values of the tables of a journal's file, as they were before they were compressed."""
    with closing(sqlite3.connect(journal)) as opened:
        tables = [name for (name,) in opened.execute("select name from sqlite_master where type = 'table'")]
        rows = [row for name in tables if name not in without for row in opened.execute(f"select * from {name}")]
    values = [value if isinstance(value, bytes) else str(value).encode() for row in rows for value in row]
    return b"".join(zlib.decompress(value) if value[:2] == b"x\x01" else value for value in values)
