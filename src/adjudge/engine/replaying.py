"""Make a verdict again from stored replies. Nothing is paid, and nothing is asked."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import orjson

from ..errors import JudgeSpecError, NotJournalledError
from ..journal import ReplayJournal, open_journal
from ..models import ComparisonVerdict, DialogueVerdict, Failure, ReviewVerdict
from ..models.base import to_json
from ..protocols.compare import Searcher
from ..protocols.compare import compare as run_compare
from ..protocols.dialogue import dialogue as run_dialogue
from . import inputs
from .core import Engine

Verdict = ComparisonVerdict | DialogueVerdict | ReviewVerdict


class Replayed(NamedTuple):
    """A stored verdict and the one made anew, both as one line of JSON; `shown` is the new one for a reader's eyes."""

    kept: bytes
    made: bytes
    shown: bytes


async def replay(verdict_id: str, *, journal: str | Path | None = None) -> Replayed:
    """Make a verdict anew from the stored replies."""
    opened = open_journal(journal)
    try:
        record = opened.get_verdict(verdict_id)
        if record is None:
            raise NotJournalledError(f"{verdict_id}: no such verdict in this journal")
        stored = orjson.loads(record[0])
        failures = tuple((asked, Failure.model_validate(failure)) for asked, failure in stored["failures"])
        engine = Engine(ReplayJournal(opened), stored["urls"], failures)
        try:
            made = await _REPLAYED[stored["protocol"]](stored, engine)
        except JudgeSpecError as error:
            raise NotJournalledError(
                f"{verdict_id}: made with a judge that has no name to open it by: {error}"
            ) from None
    finally:
        opened.close()
    if isinstance(made, Failure):
        raise NotJournalledError(f"{verdict_id}: the stored replies no longer give a verdict: {made.message}")
    return Replayed(record[1], to_json(made), to_json(made, indent=True))


async def _comparison(stored: dict[str, object], engine: Engine) -> Verdict | Failure:
    case, settings, lookups = inputs.comparison_of(stored)
    searcher: Searcher | None = None
    if settings.search is not None:
        from ..search.searcher import RecordedSearcher

        searcher = RecordedSearcher(lookups)
    judge = engine.judge(settings.judge, settings)
    return await run_compare(case, judge, settings.rubric, settings.options, searcher)


async def _dialogue(stored: dict[str, object], engine: Engine) -> Verdict | Failure:
    case, settings = inputs.dialogue_of(stored)
    evaluator, critic = (engine.judge(spec, settings) for spec in (settings.evaluator, settings.critic))
    return await run_dialogue(case, evaluator, critic, settings.rubric, settings.options)


async def _review(stored: dict[str, object], engine: Engine) -> Verdict | Failure:
    from ..protocols.review import review as run_review

    case, settings = inputs.review_of(stored)
    judge = engine.judge(settings.judge, settings)
    return await run_review(case, judge, settings.rubric, settings.options)


_REPLAYED = {"compare": _comparison, "dialogue": _dialogue, "review": _review}
