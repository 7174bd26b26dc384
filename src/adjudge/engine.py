"""From plain arguments to a stored verdict: opens what is needed, runs the protocol, keeps what came of it.

This is what the Python functions, the command line and the service have in common. One async core; `compare_sync`
is its door for code that is not async.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeVar

import orjson

from .cases import Comparison, check_weights
from .errors import InputError, NotJournalledError
from .journal import Journal, ReplayJournal, open_journal
from .judges.base import Judge
from .judges.specs import Asking, open_judge
from .judges.wires.base import Sampling
from .protocols.compare import CompareOptions, Searcher
from .protocols.compare import compare as run_compare
from .render.json import comparison_json
from .rubric import Rubric, load, parse, shipped
from .verdicts import ComparisonVerdict, Failure, Lookup

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class CompareSettings:
    """How a comparison is run, in words that can be stored."""

    judge: str = "embedded"
    rubric: Rubric = field(default_factory=lambda: shipped("compare"))
    one_order: bool = False
    seed: int = 0
    sample: int = 0
    temperature: float = 0.0
    max_tokens: int = 8192
    search: str | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.temperature <= 2:
            raise InputError("temperature", str(self.temperature), "0 to 2 is allowed")
        if not 0 <= self.seed < 2**31:
            raise InputError("seed", str(self.seed), "0 to 2147483647 is allowed")
        if not 0 <= self.sample < 10**6:
            raise InputError("sample", str(self.sample), "0 to 999999 is allowed")
        if not 64 <= self.max_tokens <= 200_000:
            raise InputError("max_tokens", str(self.max_tokens), "64 to 200000 is allowed")

    @property
    def options(self) -> CompareOptions:
        return CompareOptions(self.one_order, self.seed, self.sample, self.temperature)

    @property
    def sampling(self) -> Sampling:
        return Sampling(self.temperature, self.seed, self.max_tokens)


@dataclass(slots=True)
class Engine:
    """An open journal and the judges asked for so far. Use it as `async with open_engine() as engine`."""

    journal: Journal
    _judges: dict[tuple[str, Sampling, int], Judge] = field(default_factory=dict)
    _searchers: dict[str, Any] = field(default_factory=dict)

    async def __aenter__(self) -> Engine:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Let go of all judges, and of the journal."""
        for closable in (*self._judges.values(), *self._searchers.values()):
            await closable.close()
        self._judges.clear()
        self._searchers.clear()
        self.journal.close()

    def judge(self, settings: CompareSettings) -> Judge:
        """The judge these settings name, opened once."""
        key = (settings.judge, settings.sampling, settings.sample)
        if key not in self._judges:
            self._judges[key] = open_judge(settings.judge, Asking(self.journal, settings.sampling, settings.sample))
        return self._judges[key]

    def searcher(self, settings: CompareSettings) -> Searcher | None:
        """The search service these settings name, if any."""
        if settings.search is None:
            return None
        if settings.search not in self._searchers:
            from .search import open_searcher

            self._searchers[settings.search] = open_searcher(settings.search, self.journal)
        searcher: Searcher = self._searchers[settings.search]
        return searcher

    async def compare(
        self, case: Comparison, settings: CompareSettings, judge: Judge | None = None
    ) -> ComparisonVerdict | Failure:
        """The verdict, stored under its id; a failure is not stored, what was paid for it is."""
        judge = judge or self.judge(settings)
        outcome = await run_compare(case, judge, settings.rubric, settings.options, self.searcher(settings))
        if isinstance(outcome, ComparisonVerdict):
            inputs = _stored_inputs(case, settings, outcome.lookups)
            await self.journal.put_verdict(outcome.verdict_id, inputs, comparison_json(outcome, case))
        return outcome


async def compare(
    task: str,
    a: str,
    b: str,
    *,
    context: str = "",
    weights: Mapping[str, float | int | Decimal] | None = None,
    judge: str | Judge = "embedded",
    rubric: str | Path | Rubric | None = None,
    one_order: bool = False,
    seed: int = 0,
    sample: int = 0,
    temperature: float = 0.0,
    max_tokens: int = 8192,
    search: str | None = None,
    journal: str | Path | None = None,
) -> ComparisonVerdict | Failure:
    """Compare two answers to one task.

    `judge` is a judge's name (`"embedded"`, `"openai:gpt-5.1"`, `"http://host:port/v1#model"`, `"gguf:PATH"`,
    `"jury:a+b+c"`) or an open judge. The verdict, and every reply behind it, is kept in the journal.
    """
    chosen = rubric if isinstance(rubric, Rubric) else load(rubric, "compare") if rubric else shipped("compare")
    case = Comparison(task, a, b, context, check_weights(weights, chosen.weights))
    named = judge if isinstance(judge, str) else judge.name
    settings = CompareSettings(named, chosen, one_order, seed, sample, temperature, max_tokens, search)
    async with open_engine(journal) as engine:
        return await engine.compare(case, settings, None if isinstance(judge, str) else judge)


def compare_sync(*args: Any, **kwargs: Any) -> ComparisonVerdict | Failure:
    """`compare` for code that is not async; it takes and gives the same."""
    return run_sync(lambda: compare(*args, **kwargs))


def open_engine(journal: str | Path | None = None) -> Engine:
    """An engine for many comparisons over the same journal and connections."""
    return Engine(open_journal(journal))


async def replay(verdict_id: str, *, journal: str | Path | None = None) -> tuple[bytes, bytes]:
    """A stored verdict and the one made anew from the stored replies, as JSON bytes. Nothing is paid."""
    stored = open_journal(journal)
    record = stored.get_verdict(verdict_id)
    if record is None:
        stored.close()
        raise NotJournalledError(f"{verdict_id}: no such verdict in this journal")
    inputs, kept = orjson.loads(record[0]), record[1]
    case = Comparison(**{**inputs["case"], "weights": {k: Decimal(w) for k, w in inputs["case"]["weights"].items()}})
    rubric = parse(inputs["rubric"], "the stored rubric")
    settings = replace(CompareSettings(**inputs["settings"]), rubric=rubric)
    searcher: Searcher | None = None
    if settings.search is not None:
        from .search.searcher import RecordedSearcher

        searcher = RecordedSearcher(tuple(Lookup.model_validate(lookup) for lookup in inputs["lookups"]))
    async with Engine(ReplayJournal(stored)) as engine:
        outcome = await run_compare(case, engine.judge(settings), rubric, settings.options, searcher)
    if isinstance(outcome, Failure):
        raise NotJournalledError(f"{verdict_id}: the stored replies no longer give a verdict: {outcome.message}")
    return kept, comparison_json(outcome, case)


def run_sync(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a coroutine to its end; inside a running loop (a notebook) on a thread of its own."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work())
    result: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            result.append(asyncio.run(work()))
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run, name="adjudge-sync")
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return result[0]


def _stored_inputs(case: Comparison, settings: CompareSettings, lookups: tuple[Lookup, ...]) -> bytes:
    return orjson.dumps(
        {
            "protocol": "compare",
            "case": {
                "task": case.task,
                "a": case.a,
                "b": case.b,
                "context": case.context,
                "weights": {key: str(weight) for key, weight in case.weights.items()},
            },
            "rubric": settings.rubric.source,
            "settings": {
                "judge": settings.judge,
                "one_order": settings.one_order,
                "seed": settings.seed,
                "sample": settings.sample,
                "temperature": settings.temperature,
                "max_tokens": settings.max_tokens,
                "search": settings.search,
            },
            "lookups": [lookup.model_dump(mode="json") for lookup in lookups],
        }
    )
