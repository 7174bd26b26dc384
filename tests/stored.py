"""Puts a ready verdict into a journal, as judging would."""

from __future__ import annotations


async def store_verdict(engine, case, settings, verdict):
    judged = engine._judged(case, settings, verdict, ())
    await engine.journal.put_verdict(judged.verdict.verdict_id, judged.inputs, judged.written)
