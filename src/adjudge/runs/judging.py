"""The chunk function: lines of cases in, outcomes out.

A local worker and a cluster's worker both call `judge_chunk`. What a case comes to is in the journal's database before
it is reported, so whoever asks again finds it there.
"""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, cast

from ..engine import CompareSettings, DialogueSettings, Engine, Judged, ReviewSettings, case_of
from ..errors import AdjudgeError, InputError, JudgeSpecError
from ..judges.base import Judge
from ..models import Call, ComparisonVerdict, DialogueVerdict, Failure, ReviewVerdict
from ..models.cases import Comparison, Dialogue, Review
from ..models.rows import row_of
from .lines import CaseLine, failure_line, read_case, spent_by, verdict_line
from .plan import Plan, Settings

Status = Literal["verdict", "failure", "left"]
# A later try may well succeed; all other failures would only repeat.
TRANSIENT = frozenset({"rate_limited", "server_error", "timeout", "connection", "unauthorized", "no_quorum"})


class Outcome(NamedTuple):
    """What came of one case: the line for the run's files, and the few things that are counted on the way."""

    position: int
    status: Status
    answer: str
    label: str | None
    calls: int
    input_tokens: int
    output_tokens: int
    cost: str | None
    paid: str | None
    line: bytes


@dataclass(slots=True)
class Judging:
    """One plan on one engine: judges are opened once, and at most `at_once` cases are being judged.

    How many wait for the disk beside them is bounded by who hands out the cases.
    """

    plan: Plan
    engine: Engine
    at_once: int
    _settings: Settings = field(init=False)
    _judges: tuple[Judge, ...] = field(init=False)
    _room: AbstractAsyncContextManager[Any] = field(init=False)
    _closed: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        self._settings = settings = self.plan.opened()
        named = (settings.evaluator, settings.critic) if isinstance(settings, DialogueSettings) else (settings.judge,)
        self._judges = tuple(self.engine.judge(name, settings) for name in named)
        self._room = asyncio.Semaphore(self.at_once)

    def close(self) -> None:
        """Take nothing new: what has not been begun is left, what is in flight goes on."""
        self._closed = True

    async def judge_chunk(self, lines: Sequence[bytes], done: Callable[[Outcome], None] | None = None) -> list[Outcome]:
        """What came of these cases; `done` hears of each as soon as it is certain."""

        async def judge(line: bytes) -> Outcome:
            async with self._room:
                if self._closed:
                    return _outcome(read_case(line), "left", "closed", (), b"")
                known = read_case(line)
                judged = await self._judge(known)
            # What waits for the disk keeps nobody from being asked about.
            outcome = await self._store(known, judged)
            if done is not None:
                done(outcome)
            return outcome

        return list(await asyncio.gather(*map(judge, lines)))

    async def calls_for(self, line: bytes) -> tuple[Call, ...]:
        """The replies behind a case that can be had now; nothing is stored."""
        known = read_case(line)
        if known.input is None:
            return ()
        judged = await self._ask(case_of(self.plan.protocol, known.input))
        return tuple(judged.calls if isinstance(judged, Failure) else judged.verdict.calls)

    async def give_up(self, line: bytes, status: str) -> Outcome:
        """A case that no worker survives: its failure, stored and said."""
        known = read_case(line)
        message = f"the worker that had this case alone ended ({status}); so did others that had it before"
        failure = Failure(reason="crashed", message=message, judge=self._judges[0].name)
        written = failure_line(known, failure)
        await self.engine.journal.put_outcome(self.plan.run_id, known.position, None, written)
        return _outcome(known, "failure", failure.reason, (), written)

    async def _store(self, known: CaseLine, judged: Judged[Any] | Failure) -> Outcome:
        """Keep what came of a case, and say it."""
        if isinstance(judged, Failure):
            if judged.reason == "over_budget":
                return _outcome(known, "left", "over_budget", judged.calls, b"")
            written = failure_line(known, judged)
            await self.engine.journal.put_outcome(self.plan.run_id, known.position, None, written)
            return _outcome(known, "failure", judged.reason, judged.calls, written)
        verdict = judged.verdict
        await self.engine.store(judged, (self.plan.run_id, known.position))
        answer, spent = answer_of(verdict), spent_by(verdict.calls)
        written = verdict_line(known, verdict.verdict_id, answer, judged.written, spent, row_of(verdict, known.label))
        return Outcome(known.position, "verdict", answer, known.label, **spent, line=written)

    async def _judge(self, known: CaseLine) -> Judged[Any] | Failure:
        judge = self._judges[0].name
        if known.bad is not None or known.input is None:
            return Failure(reason="invalid", message=known.bad or "no input", judge=judge)
        try:
            return await self._ask(case_of(self.plan.protocol, known.input))
        except JudgeSpecError:
            raise
        except InputError as error:
            return Failure(reason="invalid", message=str(error), judge=judge)
        except AdjudgeError:
            # A missing key or a full disk concerns the whole run, not this case.
            raise
        except Exception as error:
            # One case that our own code cannot bear may not take the other thousands with it.
            where = traceback.extract_tb(error.__traceback__)[-1]
            text = f"{type(error).__name__}: {error} ({where.name}, line {where.lineno})"
            return Failure(reason="crashed", message=text[:500], judge=judge)

    async def _ask(self, case: Comparison | Dialogue | Review) -> Judged[Any] | Failure:
        engine, settings, judges = self.engine, self._settings, self._judges
        if isinstance(case, Comparison):
            return await engine.judge_comparison(case, cast(CompareSettings, settings), judges[0])
        if isinstance(case, Dialogue):
            return await engine.judge_dialogue(case, cast(DialogueSettings, settings), judges[0], judges[1])
        return await engine.judge_review(case, cast(ReviewSettings, settings), judges[0])


def answer_of(verdict: ComparisonVerdict | DialogueVerdict | ReviewVerdict) -> str:
    """A verdict in one word, as it is counted and held against a label."""
    if isinstance(verdict, ComparisonVerdict):
        return verdict.winner
    if isinstance(verdict, DialogueVerdict):
        return str(verdict.overall_experience)
    return "invalid" if verdict.likert is None else str(verdict.likert.value)


def _outcome(known: CaseLine, status: Status, answer: str, calls: Any, line: bytes) -> Outcome:
    return Outcome(known.position, status, answer, known.label, **spent_by(calls), line=line)
