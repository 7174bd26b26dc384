"""The engine: an open journal and the connections opened so far. It runs the protocols and stores their verdicts.

Also here: how a case and its verdict are stored and read back.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

import orjson

from .errors import JudgeSpecError
from .journal import Journal, open_journal
from .judges.base import Judge
from .judges.budget import Budget
from .judges.specs import JudgeContext, collect_batches, open_judge
from .llm.base import Sampling, Wire
from .llm.batch.base import BatchSettings
from .llm.rate_limiter import RateLimits
from .models.base import from_json, kind_of, to_json
from .models.cases import Case
from .models.common import Failure, Lookup
from .models.verdict import Verdict
from .protocols.base import protocol_of
from .protocols.procedure import Searcher, verdict_id
from .protocols.rubrics import parse
from .protocols.settings import Settings
from .protocols.table import calibrated_score
from .search import JournalledSearcher, RecordedSearcher, open_searcher

T = TypeVar("T")
_log = logging.getLogger(__name__)
W = TypeVar("W", bound=Wire)
V = TypeVar("V", bound=Verdict)

# -- storage ----------------------------------------------------------------------------------------------------------


class Judged(NamedTuple, Generic[V]):
    """A verdict, the inputs needed to make it again besides the rubric, and its JSON, both as they are stored."""

    verdict: V
    inputs: bytes
    written: bytes


def case_json(case: Case) -> dict[str, Any]:
    """Convert a case to plain JSON data. Weights become strings, so that no digit is lost."""
    return case.model_dump(mode="json")


def case_of(protocol: str, stored: Mapping[str, Any]) -> Case:
    """Parse a stored case."""
    return protocol_of(protocol).case.model_validate(stored)


def verdict_of(inputs: bytes, verdict: bytes) -> Verdict:
    """Parse a verdict from the journal, with its case and rubric."""
    stored = orjson.loads(inputs)
    case, rubric = case_of(stored["protocol"], stored["case"]), parse(stored["rubric"], "the stored rubric")
    return from_json(protocol_of(stored["protocol"]).verdict, verdict, case=case, rubric=rubric)


# -- the engine -------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Engine:
    """Judges cases and stores the verdicts; use it as `async with open_engine() as engine`. Connections are shared.

    A replay passes the `urls` at which the verdict's judges were asked, and the failures and lookups that were
    recorded with the verdict.
    """

    journal: Journal
    urls: Mapping[str, str] = field(default_factory=dict)
    recorded: tuple[tuple[str, Failure], ...] = ()
    rate_limits: RateLimits = field(default_factory=RateLimits.for_single_cases)
    budget: Budget | None = None
    batches: BatchSettings | None = None
    recorded_lookups: tuple[Lookup, ...] | None = None
    _searchers: dict[str, JournalledSearcher] = field(default_factory=dict)
    _wires: dict[str, Wire] = field(default_factory=dict)

    async def __aenter__(self) -> Engine:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close all judges and search services, and the journal."""
        try:
            for wire in self._wires.values():
                await wire.close()
            for searcher in self._searchers.values():
                await searcher.close()
        finally:
            self._wires.clear()
            self._searchers.clear()
            self.journal.close()

    def open_judge(self, spec: str, settings: Settings[Any]) -> Judge:
        """Open the judge of this name with these settings. Connections and models are shared; judges are cheap."""
        context = JudgeContext(
            self.journal,
            Sampling(settings.temperature, settings.seed, settings.max_tokens, settings.attempt),
            settings.sample,
            self._wires,
            self.urls,
            self.recorded,
            self.rate_limits,
            self.budget,
            self.batches,
        )
        return open_judge(spec, context)

    async def collect(self) -> int:
        """Store in the journal the replies of batches that an earlier process submitted, and return their number.

        Wait for batches that are still in progress.
        """
        context = JudgeContext(self.journal, wires=self._wires, urls=self.urls, batches=self.batches)
        return await collect_batches(context)

    def wrap_wires(self, wrap: Callable[[Wire], W]) -> dict[str, W]:
        """Wrap each open wire, for judges that are opened from now on. Return the wrapped wires by judge."""
        wrapped = {spec: wrap(wire) for spec, wire in self._wires.items()}
        self._wires.update(wrapped)
        return wrapped

    def open_searcher(self, name: str) -> Searcher:
        """Return the search service of this name, or on a replay what it found then."""
        if self.recorded_lookups is not None:
            return RecordedSearcher(self.recorded_lookups)
        if name not in self._searchers:
            self._searchers[name] = open_searcher(name, self.journal)
        return self._searchers[name]

    def open_searchers(self, settings: Settings[Any]) -> None:
        """Open the search services that the settings name, to fail now and not at the first case if one is unknown."""
        for name in settings.named("search"):
            if (spec := getattr(settings, name)) is not None:
                self.open_searcher(spec)

    async def judge(self, case: Case, settings: Settings[V], *judges: Judge | None) -> V | Failure:
        """Judge the case and store the verdict under its id. A failure is not stored, but its paid replies are.

        A judge that is not given is opened as the settings name it.
        """
        stored = protocol_of(settings.protocol).stored_case(case)
        judged = await self.judge_case(stored, settings, *judges)
        if isinstance(judged, Failure):
            return judged
        rubric = settings.rubric.source
        await self.journal.put_verdict(judged.verdict.verdict_id, judged.inputs, judged.written, rubric=rubric)
        return judged.verdict

    async def judge_case(self, case: Case, settings: Settings[V], *judges: Judge | None) -> Judged[V] | Failure:
        """Judge the case without storing the verdict."""
        pairs = zip_longest(settings.judges, judges)
        opened = tuple(self.open_judge(named, settings) if given is None else given for named, given in pairs)
        services = _Services(self)
        began = time.monotonic()
        outcome = await protocol_of(settings.protocol).judge(case, opened, settings, services)
        what = outcome.reason if isinstance(outcome, Failure) else f"verdict {outcome.verdict_id}"
        _log.info("%s: %s after %.2f s", settings.protocol, what, time.monotonic() - began)
        if isinstance(outcome, Failure):
            return outcome
        return self._judged(case, settings, outcome, tuple(services.lookups))

    def _judged(self, case: Case, settings: Settings[V], verdict: V, lookups: tuple[Lookup, ...]) -> Judged[V]:
        calibration = settings.rubric.calibration
        if calibration is not None and (score := calibrated_score(verdict, calibration)) is not None:
            # A calibrated verdict is a different document from the uncalibrated one, so it gets an id of its own.
            asked = ["calibrated", verdict.verdict_id, calibration.model_dump()]
            number = verdict_id(verdict.verdict_id[0], asked)
            verdict = verdict.model_copy(update={"calibrated": score, "verdict_id": number})
        # Store the URL of each provider, so that a replay does not depend on the environment it runs in.
        urls = {spec: wire.identity().get("url") for spec, wire in self._wires.items() if not spec.startswith("gguf:")}
        inputs = {
            "protocol": settings.protocol,
            "case": case_json(case),
            "settings": settings.stored(),
            "lookups": [lookup.model_dump() for lookup in lookups],
            "urls": {spec: str(url) for spec, url in urls.items() if url},
            "failures": [[asked, failure.model_dump()] for asked, failure in verdict.failures],
        }
        # Prices are stored as text, so that no digit is lost.
        return Judged(verdict, orjson.dumps(inputs, default=str), to_json(verdict))


class _Services:
    """Opens services for one judgment, and records what they found, so that a replay finds the same."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.lookups: dict[Lookup, None] = {}

    def searcher(self, name: str) -> Searcher:
        """Return the search service of this name."""
        return _RecordingSearcher(self._engine.open_searcher(name), self.lookups)


class _RecordingSearcher(NamedTuple):
    """Searches, and records what was found."""

    searcher: Searcher
    lookups: dict[Lookup, None]

    async def look_up(self, query: str) -> Lookup:
        lookup = await self.searcher.look_up(query)
        self.lookups[lookup] = None
        return lookup


def open_engine(
    journal: str | Path | None = None,
    *,
    rate_limits: RateLimits | None = None,
    budget: Budget | None = None,
    batches: BatchSettings | None = None,
) -> Engine:
    """Open an engine for many cases that share a journal and connections.

    `rate_limits` apply to all calls to a provider; `budget` is checked before each paid call;
    `batches` sends the calls through the provider's batch API, which takes up to a day and costs half.
    """
    limits = rate_limits or RateLimits.for_single_cases()
    return Engine(open_journal(journal), rate_limits=limits, budget=budget, batches=batches)


def run_sync(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a coroutine to completion, in a separate thread if an event loop is already running (as in a notebook)."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work())
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(work())).result()


def named_judge(judge: str | Judge) -> tuple[str, Judge | None]:
    """Return the judge's name, and the judge itself if an object was given."""
    if isinstance(judge, str):
        return judge, None
    if not hasattr(judge, "opine"):
        found = f"expected a judge, found {kind_of(judge)}"
        raise JudgeSpecError("judge", found, "a judge's name, or an object with name, opine and close")
    return judge.name, judge
