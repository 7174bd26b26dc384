"""The engine: an open journal and the judges asked for so far. It runs protocols and keeps what came of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from ..journal import Journal, open_journal
from ..judges.specs import Asking, collect_batches, open_judge
from ..llm.rate_limiter import RateLimits
from ..models import ComparisonVerdict, DialogueVerdict, Failure, ReviewVerdict
from ..models.base import to_json
from ..models.cases import Comparison, Dialogue, Review
from ..protocols.compare import compare as run_compare
from . import inputs
from .settings import CompareSettings, DialogueSettings, ReviewSettings

if TYPE_CHECKING:
    from ..judges.base import Judge
    from ..judges.budget import Budget
    from ..llm.base import Wire
    from ..llm.batch.base import BatchSettings
    from ..protocols.compare import Searcher

W = TypeVar("W", bound="Wire")
V = TypeVar("V", ComparisonVerdict, DialogueVerdict, ReviewVerdict)


class Judged(NamedTuple, Generic[V]):
    """A verdict, what is needed to make it again, and its JSON: as they will be stored."""

    verdict: V
    inputs: bytes
    written: bytes


@dataclass(slots=True)
class Engine:
    """Use it as `async with open_engine() as engine`; judges and connections are opened once and shared."""

    journal: Journal
    urls: Mapping[str, str] = field(default_factory=dict)
    recorded: tuple[tuple[str, Failure], ...] = ()
    rate_limits: RateLimits = field(default_factory=RateLimits.for_single_cases)
    budget: Budget | None = None
    batches: BatchSettings | None = None
    _wires: dict[str, Wire] = field(default_factory=dict)
    _searchers: dict[str, Any] = field(default_factory=dict)

    async def __aenter__(self) -> Engine:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Let go of all judges, and of the journal."""
        for closable in (*self._wires.values(), *self._searchers.values()):
            await closable.close()
        self._wires.clear()
        self._searchers.clear()
        self.journal.close()

    def judge(self, spec: str, settings: CompareSettings | DialogueSettings | ReviewSettings) -> Judge:
        """The judge of this name, asked as the settings say. Connections and models are shared; judges are cheap."""
        asking = Asking(
            self.journal,
            settings.sampling,
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
        """Store the replies of batches that an earlier process submitted in the journal, and return their number.

        It waits for batches that have not ended.
        """
        asking = Asking(self.journal, wires=self._wires, urls=self.urls, batches=self.batches)
        return await collect_batches(asking)

    def used_urls(self) -> dict[str, str]:
        """Where each provider's model was asked: a replay must not depend on today's environment."""
        named = {spec: wire.identity().get("url") for spec, wire in self._wires.items() if not spec.startswith("gguf:")}
        return {spec: str(url) for spec, url in named.items() if url}

    def silence(self, wrap: Callable[[Wire], W]) -> dict[str, W]:
        """Put something before each open wire (its judge must be opened anew), and say what stands where."""
        wrapped = {spec: wrap(wire) for spec, wire in self._wires.items()}
        self._wires.update(wrapped)
        return wrapped

    def searcher(self, settings: CompareSettings) -> Searcher | None:
        """The search service these settings name, if any."""
        if settings.search is None:
            return None
        if settings.search not in self._searchers:
            from ..search import open_searcher

            self._searchers[settings.search] = open_searcher(settings.search, self.journal)
        searcher: Searcher = self._searchers[settings.search]
        return searcher

    async def compare(
        self, case: Comparison, settings: CompareSettings, judge: Judge | None = None
    ) -> ComparisonVerdict | Failure:
        """The verdict, stored under its id; a failure is not stored, what was paid for it is."""
        return await self._stored(await self.judge_comparison(case, settings, judge))

    async def _stored(self, judged: Judged[V] | Failure) -> V | Failure:
        if isinstance(judged, Failure):
            return judged
        await self.store(judged)
        return judged.verdict

    async def store(self, judged: Judged[Any], outcome_of: tuple[str, int] | None = None) -> None:
        """Keep a verdict; `outcome_of`: the run and the position of the case that it settles."""
        await self.journal.put_verdict(judged.verdict.verdict_id, judged.inputs, judged.written, outcome_of)

    async def judge_comparison(
        self, case: Comparison, settings: CompareSettings, judge: Judge | None = None
    ) -> Judged[ComparisonVerdict] | Failure:
        """The verdict, not yet stored."""
        judge = judge or self.judge(settings.judge, settings)
        outcome = await run_compare(case, judge, settings.rubric, settings.options, self.searcher(settings))
        if isinstance(outcome, Failure):
            return outcome
        failures = [(f"CompareQuestion {o.order}", failure) for o in outcome.opinions for failure in o.failures]
        kept = inputs.of_comparison(case, settings, outcome.lookups, self.used_urls(), failures)
        return Judged(outcome, kept, to_json(outcome))

    async def dialogue(
        self,
        case: Dialogue,
        settings: DialogueSettings,
        evaluator: Judge | None = None,
        critic: Judge | None = None,
    ) -> DialogueVerdict | Failure:
        """The same for a conversation."""
        return await self._stored(await self.judge_dialogue(case, settings, evaluator, critic))

    async def judge_dialogue(
        self,
        case: Dialogue,
        settings: DialogueSettings,
        evaluator: Judge | None = None,
        critic: Judge | None = None,
    ) -> Judged[DialogueVerdict] | Failure:
        """The same for a conversation, not yet stored."""
        from ..protocols.dialogue import dialogue as run_dialogue

        evaluator = evaluator or self.judge(settings.evaluator, settings)
        critic = critic or self.judge(settings.critic, settings)
        outcome = await run_dialogue(case, evaluator, critic, settings.rubric, settings.options)
        if isinstance(outcome, Failure):
            return outcome
        kept = inputs.of_dialogue(case, settings, self.used_urls(), outcome.failures)
        return Judged(outcome, kept, to_json(outcome))

    async def review(
        self, case: Review, settings: ReviewSettings, judge: Judge | None = None
    ) -> ReviewVerdict | Failure:
        """The same for a person's ratings."""
        return await self._stored(await self.judge_review(case, settings, judge))

    async def judge_review(
        self, case: Review, settings: ReviewSettings, judge: Judge | None = None
    ) -> Judged[ReviewVerdict] | Failure:
        """The same for a person's ratings, not yet stored."""
        from ..protocols.review import review as run_review

        judge = judge or self.judge(settings.judge, settings)
        outcome = await run_review(case, judge, settings.rubric, settings.options)
        if isinstance(outcome, Failure):
            return outcome
        asked = (("RateQuestion", outcome.opinion), ("ExplainQuestion", outcome.explanation))
        failures = [(question, failure) for question, said in asked if said for failure in said.failures]
        kept = inputs.of_review(case, settings, self.used_urls(), failures)
        return Judged(outcome, kept, to_json(outcome))


def open_engine(
    journal: str | Path | None = None,
    *,
    rate_limits: RateLimits | None = None,
    budget: Budget | None = None,
    batches: BatchSettings | None = None,
) -> Engine:
    """An engine for many cases over the same journal and connections.

    `rate_limits` are those of all calls to a provider; `budget` is asked before anything is paid;
    `batches` sends them through the provider's batch API, which takes up to a day and costs half.
    """
    limits = rate_limits or RateLimits.for_single_cases()
    return Engine(open_journal(journal), rate_limits=limits, budget=budget, batches=batches)
