"""Puts verdicts into a journal, as judging and the demo would, and reads all that a journal holds."""

from __future__ import annotations

import sqlite3
import zlib
from contextlib import closing

from adjudge.engine import open_engine, run_sync
from adjudge.server.pages.demo import judge_examples


async def store_verdict(engine, case, settings, verdict):
    judged = engine._judged(case, settings, verdict, ())
    rubric = settings.rubric.source
    await engine.journal.put_verdict(judged.verdict.verdict_id, judged.inputs, judged.written, rubric=rubric)


def store_examples(journal):
    """Judge the shipped examples into a journal, as the demo of a service does, which also has runs: their ids."""

    async def judged():
        async with open_engine(journal) as engine:
            return await judge_examples(engine)

    return {each.protocol: each.verdict_id for each in run_sync(judged)}


def everything_in(journal, without=()):
    """All values of the tables of a journal's file, as they were before they were compressed."""
    with closing(sqlite3.connect(journal)) as opened:
        tables = [name for (name,) in opened.execute("select name from sqlite_master where type = 'table'")]
        rows = [row for name in tables if name not in without for row in opened.execute(f"select * from {name}")]
    values = [value if isinstance(value, bytes) else str(value).encode() for row in rows for value in row]
    return b"".join(zlib.decompress(value) if value[:2] == b"x\x01" else value for value in values)
