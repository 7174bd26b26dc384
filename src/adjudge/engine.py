"""The engine: an open journal and the connections opened so far. It runs the protocols and stores their verdicts.

Also here: the settings of each protocol, and how a case and its verdict are stored and read back.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, fields
from functools import lru_cache
from itertools import zip_longest
from pathlib import Path
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar, cast

import orjson

from .errors import InputError
from .journal import Journal, open_journal
from .judges.base import Judge
from .judges.budget import Budget
from .judges.specs import Asking, collect_batches, open_judge
from .llm.base import Sampling, Wire
from .llm.batch.base import BatchSettings
from .llm.providers import refuse_password
from .llm.rate_limiter import RateLimits
from .models import ComparisonVerdict, DialogueVerdict, Failure, ReviewVerdict
from .models.base import from_json, to_json
from .models.cases import Comparison, Dialogue, Review
from .models.rows import calibrated_score
from .protocols.common import Options, verdict_id
from .protocols.compare import compare as run_compare
from .protocols.dialogue import dialogue as run_dialogue
from .protocols.review import review as run_review
from .rubric import Rubric, check_weights_add_up, load, parse, shipped
from .search import JournalledSearcher, RecordedSearcher, open_searcher
from .text.language import LANGUAGE_NAMES

Case = Comparison | Dialogue | Review
Verdict = ComparisonVerdict | DialogueVerdict | ReviewVerdict
T = TypeVar("T")
W = TypeVar("W", bound=Wire)
V = TypeVar("V", ComparisonVerdict, DialogueVerdict, ReviewVerdict)

# The allowed range of each numeric setting.
RANGES = {
    "temperature": (0, 2),
    "seed": (0, 2**31 - 1),
    "sample": (0, 10**6 - 1),
    "attempt": (0, 10**6 - 1),
    "max_tokens": (64, 200_000),
}

# The settings that name a judge.
_JUDGES = ("judge", "evaluator", "critic")

# -- settings ---------------------------------------------------------------------------------------------------------


def rubric_for(protocol: str, given: str | Path | Rubric | None) -> Rubric:
    """Return the given rubric, load it if it is a path, or return the protocol's shipped rubric if none is given."""
    return given if isinstance(given, Rubric) else load(given, protocol) if given else shipped(protocol)


@dataclass(frozen=True, kw_only=True)
class _Settings:
    """The settings that all protocols share.

    `attempt`: a question whose stored reply is unusable is asked again, up to this attempt; the first one is 0.
    `recheck_attempts`: if a text tries to steer the judge, judge the case again without those passages.
    """

    protocol: ClassVar[str]
    rubric: Rubric
    seed: int = 0
    sample: int = 0
    attempt: int = 0
    temperature: float = 0.0
    max_tokens: int = 8192
    recheck_attempts: bool = False

    def __post_init__(self) -> None:
        for name, (low, high) in RANGES.items():
            value = getattr(self, name)
            is_number = isinstance(value, int | float if name == "temperature" else int) and not isinstance(value, bool)
            if not is_number or not low <= value <= high:
                raise InputError(name, str(value), f"{low} to {high} is allowed")
        for name in (*_JUDGES, "search"):
            given = getattr(self, name, None) or ""
            if any("\ud800" <= sign <= "\udfff" for sign in given):  # from a command-line byte that is not UTF-8
                raise InputError(name, f"{given!a:.80} is not valid Unicode", "text is needed")
            refuse_password(name, given)

    @property
    def judges(self) -> tuple[str, ...]:
        """The names of the judges, in the order in which they are asked."""
        return tuple(getattr(self, name) for name in _JUDGES if hasattr(self, name))

    @property
    def options(self) -> Options:
        return Options(**{one.name: getattr(self, one.name) for one in fields(Options) if hasattr(self, one.name)})

    def stored(self) -> dict[str, Any]:
        """Return all settings except the rubric, which is stored separately as its text."""
        return {name: value for name, value in self.__dict__.items() if name != "rubric"}


@dataclass(frozen=True, kw_only=True)
class CompareSettings(_Settings):
    """Settings of a comparison."""

    protocol = "compare"
    rubric: Rubric = field(default_factory=lambda: shipped("compare"))
    judge: str = "embedded"
    one_order: bool = False
    search: str | None = None


@dataclass(frozen=True, kw_only=True)
class DialogueSettings(_Settings):
    """Settings of a dialogue: the judge that scores it, and the judge that challenges the scores."""

    protocol = "dialogue"
    rubric: Rubric = field(default_factory=lambda: shipped("dialogue"))
    evaluator: str = "embedded"
    critic: str = "embedded"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_weights_add_up(self.rubric, self.rubric.name)


@dataclass(frozen=True, kw_only=True)
class ReviewSettings(_Settings):
    """Settings of a review. `languages` are the ISO codes in scope, such as `("en", "es")`; if empty, all are."""

    protocol = "review"
    rubric: Rubric = field(default_factory=lambda: shipped("review"))
    judge: str = "embedded"
    languages: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.languages, str):
            raise InputError("languages", repr(self.languages), "a list of ISO codes such as en, es")
        object.__setattr__(self, "languages", tuple(self.languages))
        for code in self.languages:
            if code not in LANGUAGE_NAMES:
                allowed = f"one of {', '.join(sorted(LANGUAGE_NAMES))}"
                raise InputError("languages", f"{code!r} is not a known language code", allowed)


Settings = CompareSettings | DialogueSettings | ReviewSettings
SETTINGS: dict[str, type[Settings]] = {
    "compare": CompareSettings,
    "dialogue": DialogueSettings,
    "review": ReviewSettings,
}


def codes_in(written: str | None) -> tuple[str, ...]:
    """Parse language codes separated by commas, such as `en, es`."""
    return tuple(code.strip() for code in (written or "").split(",") if code.strip())


# -- storage ----------------------------------------------------------------------------------------------------------

_SHAPES: dict[str, tuple[type[Case], type[Verdict]]] = {
    "compare": (Comparison, ComparisonVerdict),
    "dialogue": (Dialogue, DialogueVerdict),
    "review": (Review, ReviewVerdict),
}


class Judged(NamedTuple, Generic[V]):
    """A verdict, the inputs needed to make it again, and its JSON, both as they are stored."""

    verdict: V
    inputs: bytes
    written: bytes


def case_json(case: Case) -> dict[str, Any]:
    """Convert a case to plain JSON data. Weights become strings, so that no digit is lost."""
    return case.model_dump(mode="json")


def case_of(protocol: str, stored: Mapping[str, Any]) -> Case:
    """Parse a stored case."""
    return _SHAPES[protocol][0].model_validate(stored)


def verdict_of(inputs: bytes, verdict: bytes) -> Verdict:
    """Parse a verdict from the journal, with its case and rubric."""
    stored = orjson.loads(inputs)
    case, rubric = case_of(stored["protocol"], stored["case"]), _stored_rubric(stored["rubric"])
    return from_json(_SHAPES[stored["protocol"]][1], verdict, case=case, rubric=rubric)


@lru_cache(maxsize=32)
def _stored_rubric(source: str) -> Rubric:
    """Parse a stored rubric. Cached: parsing the YAML is the slowest part of reading a verdict, and most share one."""
    return parse(source, "the stored rubric")


# -- the engine -------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Engine:
    """Judges cases and stores the verdicts; use it as `async with open_engine() as engine`. Connections are shared.

    A replay passes the `urls` at which the verdict's judges were asked, and the failures `recorded` with the verdict.
    """

    journal: Journal
    urls: Mapping[str, str] = field(default_factory=dict)
    recorded: tuple[tuple[str, Failure], ...] = ()
    rate_limits: RateLimits = field(default_factory=RateLimits.for_single_cases)
    budget: Budget | None = None
    batches: BatchSettings | None = None
    searchers: dict[str, JournalledSearcher | RecordedSearcher] = field(default_factory=dict)
    _wires: dict[str, Wire] = field(default_factory=dict)

    async def __aenter__(self) -> Engine:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close all judges and search services, and the journal."""
        try:
            for closable in (*self._wires.values(), *self.searchers.values()):
                await closable.close()
        finally:
            self._wires.clear()
            self.searchers.clear()
            self.journal.close()

    def judge(self, spec: str, settings: Settings) -> Judge:
        """Open the judge of this name with these settings. Connections and models are shared; judges are cheap."""
        asking = Asking(
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
        return open_judge(spec, asking)

    async def collect(self) -> int:
        """Store in the journal the replies of batches that an earlier process submitted, and return their number.

        Wait for batches that are still in progress.
        """
        asking = Asking(self.journal, wires=self._wires, urls=self.urls, batches=self.batches)
        return await collect_batches(asking)

    def wrap_wires(self, wrap: Callable[[Wire], W]) -> dict[str, W]:
        """Wrap each open wire, for judges that are opened from now on. Return the wrapped wires by judge."""
        wrapped = {spec: wrap(wire) for spec, wire in self._wires.items()}
        self._wires.update(wrapped)
        return wrapped

    def searcher(self, settings: CompareSettings) -> JournalledSearcher | RecordedSearcher | None:
        """Return the search service that the settings name, or None."""
        if settings.search is None:
            return None
        if settings.search not in self.searchers:
            self.searchers[settings.search] = open_searcher(settings.search, self.journal)
        return self.searchers[settings.search]

    async def compare(
        self, case: Comparison, settings: CompareSettings, judge: Judge | None = None
    ) -> ComparisonVerdict | Failure:
        """Judge the case and store the verdict under its id. A failure is not stored, but its paid replies are."""
        return await self._stored(await self.judge_case(case, settings, judge))

    async def dialogue(
        self, case: Dialogue, settings: DialogueSettings, evaluator: Judge | None = None, critic: Judge | None = None
    ) -> DialogueVerdict | Failure:
        """Judge a conversation and store the verdict, like `compare`."""
        return await self._stored(await self.judge_case(case, settings, evaluator, critic))

    async def review(
        self, case: Review, settings: ReviewSettings, judge: Judge | None = None
    ) -> ReviewVerdict | Failure:
        """Audit a person's ratings and store the verdict, like `compare`."""
        # The owner's name for the review is left out, so that the verdict's id does not depend on it.
        return await self._stored(await self.judge_case(case.updated(review_id=None), settings, judge))

    async def judge_case(self, case: Case, settings: Settings, *judges: Judge | None) -> Judged[Any] | Failure:
        """Judge the case without storing the verdict. A judge that is not given is opened as the settings name it."""
        pairs = zip_longest(settings.judges, judges)
        first, *more = [self.judge(named, settings) if given is None else given for named, given in pairs]
        rubric = settings.rubric
        outcome: Verdict | Failure
        if isinstance(settings, CompareSettings):
            searcher = self.searcher(settings)
            outcome = await run_compare(cast(Comparison, case), first, rubric, settings.options, searcher)
        elif isinstance(settings, DialogueSettings):
            outcome = await run_dialogue(cast(Dialogue, case), first, more[0], rubric, settings.options)
        else:
            outcome = await run_review(cast(Review, case), first, rubric, settings.options)
        return outcome if isinstance(outcome, Failure) else self._judged(case, settings, outcome)

    async def _stored(self, judged: Judged[V] | Failure) -> V | Failure:
        if isinstance(judged, Failure):
            return judged
        await self.journal.put_verdict(judged.verdict.verdict_id, judged.inputs, judged.written)
        return judged.verdict

    def _judged(self, case: Case, settings: Settings, verdict: V) -> Judged[V]:
        calibration = settings.rubric.calibration
        if calibration is not None and (score := calibrated_score(verdict, calibration)) is not None:
            # A calibrated verdict is a different document from the uncalibrated one, so it gets an id of its own.
            asked = ["calibrated", verdict.verdict_id, calibration.model_dump()]
            number = verdict_id(verdict.verdict_id[0], asked)
            verdict = verdict.model_copy(update={"calibrated": score, "verdict_id": number})
        found: dict[str, Any] = {}
        if isinstance(verdict, ComparisonVerdict):
            found["lookups"] = [lookup.model_dump() for lookup in verdict.lookups]
        # Store the URL of each provider, so that a replay does not depend on the environment it runs in.
        urls = {spec: wire.identity().get("url") for spec, wire in self._wires.items() if not spec.startswith("gguf:")}
        inputs = {
            "protocol": settings.protocol,
            "case": case_json(case),
            "rubric": settings.rubric.source,
            "settings": settings.stored(),
            **found,
            "urls": {spec: str(url) for spec, url in urls.items() if url},
            "failures": [[asked, failure.model_dump()] for asked, failure in verdict.failures],
        }
        # Prices are stored as text, so that no digit is lost.
        return Judged(verdict, orjson.dumps(inputs, default=str), to_json(verdict))


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
