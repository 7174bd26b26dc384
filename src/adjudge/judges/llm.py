"""A judge that is a language model: render the question, pay once, keep the reply, then read it.

The order is the point: claim the question, look in the journal, ask, store, and only then parse.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, cast

import orjson

from ..errors import NotJournalledError
from ..journal import Journal, Stored, call_key
from ..verdicts import Call, Failure, Purpose, Usage
from .base import (
    CompareQuestion,
    CriticizeQuestion,
    EvaluateQuestion,
    ExplainQuestion,
    O,
    Question,
    RateQuestion,
    ResearchQuestion,
)
from .budget import Budget
from .prices import LOCAL, at_most, cost_of
from .roles import COMPARER, CRITIC, EVALUATOR, EXPLAINER, RATER, RESEARCHER, Prompt, Reading, Role
from .turns import Turns, turn
from .wires.base import Completion, Sampling, UnreadableReplyError, Wire

# Failures that asking once more would only repeat.
_FINAL = frozenset({"refused", "cut_off", "malformed", "rejected"})

_ROLES: dict[type[Question[Any]], Role[Any, Any]] = {
    CompareQuestion: COMPARER,
    ResearchQuestion: RESEARCHER,
    EvaluateQuestion: EVALUATOR,
    CriticizeQuestion: CRITIC,
    RateQuestion: RATER,
    ExplainQuestion: EXPLAINER,
}


_digests: dict[int, tuple[Mapping[str, Any], str]] = {}


def _digest(schema: Mapping[str, Any]) -> str:
    """A schema's hash, made once: a rubric has one schema, and thousands of calls."""
    known = _digests.get(id(schema))
    if known is None or known[0] is not schema:
        known = _digests[id(schema)] = schema, call_key(schema)
    return known[1]


@dataclass(slots=True)
class LLMJudge:
    """One model, asked through one wire; `sample` numbers independent answers to the same question.

    `room` bounds how many replies may be asked for and not yet kept: what a kill can lose. With `turns`, replies are
    read together, when the next questions are on their way.
    """

    name: str
    wire: Wire
    journal: Journal
    sampling: Sampling = field(default_factory=Sampling)
    sample: int = 0
    budget: Budget | None = None
    room: asyncio.Semaphore | None = None
    turns: Turns | None = None

    async def opine(self, question: Question[O]) -> O | Failure:
        role = _ROLES[type(question)]
        calls: list[Call] = []
        prompt = role.prompt(question)
        completion = await self._ask(prompt, "opinion", calls)
        if isinstance(completion, Failure):
            return completion.with_calls(calls)
        reading = role.read(question, completion.text, self.name)
        await turn(self.turns)
        if reading.problems:
            prompt = role.repair(question, prompt, completion.text, reading)
            repaired = await self._ask_again(prompt, calls, reading)
            if isinstance(repaired, Failure):
                return repaired.with_calls(calls)
            if repaired is not None:
                reading = role.read_repair(question, reading, repaired.text, self.name)
        if reading.opinion is None:
            problems = "; ".join(reading.problems)
            return self._failure("malformed", f"unusable also after a repair round: {problems}").with_calls(calls)
        return cast(O, reading.opinion.updated(calls=tuple(calls)))

    async def _ask_again(self, prompt: Prompt, calls: list[Call], reading: Reading[Any]) -> Completion | Failure | None:
        """The reply to a repair round; None if there will never be one and what is there is an opinion all the same."""
        try:
            completion = await self._ask(prompt, "repair", calls)
        except NotJournalledError:
            # A request that was not taken left no reply. Its verdict was made without, and so is this one.
            if reading.opinion is None:
                raise
            return None
        if isinstance(completion, Failure) and reading.opinion is not None and completion.reason in _FINAL:
            return None
        return completion

    async def _ask(self, prompt: Prompt, purpose: Purpose, calls: list[Call]) -> Completion | Failure:
        """A finished reply; one that ran into the token limit is asked for once more with twice the room."""
        sampling = self.sampling
        for _ in range(2):
            completion = await self._pay_once(prompt, sampling, purpose, calls)
            if isinstance(completion, Failure):
                return completion
            if completion.finish == "refusal":
                return self._failure("refused", completion.text.strip()[:300] or "the model declined to judge")
            if completion.finish != "length":
                return completion
            purpose = "longer"
            sampling = replace(sampling, max_tokens=2 * sampling.max_tokens)
        return self._failure("cut_off", f"the reply did not end within {sampling.max_tokens // 2} tokens")

    async def _pay_once(
        self, prompt: Prompt, sampling: Sampling, purpose: Purpose, calls: list[Call]
    ) -> Completion | Failure:
        key = call_key(
            {
                **await self._identity(),
                "system": prompt.system,
                "turns": prompt.turns,
                "schema": _digest(prompt.schema),
                "temperature": sampling.temperature,
                "seed": sampling.seed,
                "max_tokens": sampling.max_tokens,
                "sample": self.sample,
            }
        )
        async with self.journal.claim(key) as stored:
            found = stored is not None
            if stored is None:
                paid = await self._pay(key, prompt, sampling)
                if isinstance(paid, Failure):
                    return paid
                stored = paid
        await turn(self.turns)
        try:
            completion = self.wire.decode(stored.body)
        except UnreadableReplyError as error:
            # It was paid all the same, whatever it cost.
            unread = Call(
                key=key, purpose=purpose, model=self.wire.model, usage=Usage(), attempts=stored.attempts, found=found
            )
            calls.append(unread)
            return self._failure("malformed", str(error))
        calls.append(
            Call(
                key=key,
                purpose=purpose,
                model=completion.model or self.wire.model,
                usage=completion.usage,
                cost=self._cost(completion, stored),
                attempts=stored.attempts,
                sent=dict(stored.sent),
                found=found,
            )
        )
        return completion

    async def _identity(self) -> Mapping[str, Any]:
        if self.wire.provider != LOCAL:
            return self.wire.identity()
        # A file of several gigabytes is read to know it: meanwhile the others go on.
        return await asyncio.to_thread(self.wire.identity)

    async def _pay(self, key: str, prompt: Prompt, sampling: Sampling) -> Stored | Failure:
        """Ask, and keep the reply; with a budget, only if the dearest reply there can be is still within it."""
        reserved = self._at_most(prompt, sampling) if self.budget is not None else None
        if self.budget is None or reserved is None:
            return await self._send(key, prompt, sampling)
        if not await self.budget.reserve(reserved):
            return self._failure("over_budget", f"one more call may cost ${reserved}, which is more than is left")
        # Whoever is interrupted does not know what the provider will charge.
        spent: Decimal | None = None
        try:
            paid = await self._send(key, prompt, sampling)
            if isinstance(paid, Failure):
                # A reply that did not come in time may be charged for all the same.
                spent = None if paid.reason == "timeout" else Decimal(0)
            else:
                spent = self._spent(paid)
            return paid
        finally:
            self.budget.settle(reserved, spent)

    async def _send(self, key: str, prompt: Prompt, sampling: Sampling) -> Stored | Failure:
        if self.room is None:
            return await self._send_and_keep(key, prompt, sampling)
        async with self.room:
            return await self._send_and_keep(key, prompt, sampling)

    async def _send_and_keep(self, key: str, prompt: Prompt, sampling: Sampling) -> Stored | Failure:
        with self.journal.expecting():
            delivery = await self.wire.send(prompt, sampling, key=key)
        if isinstance(delivery, Failure):
            return delivery
        stored = Stored(delivery.body, round(time.time(), 3), delivery.attempts, delivery.sent)
        await self.journal.put(key, stored)
        return stored

    def _at_most(self, prompt: Prompt, sampling: Sampling) -> Decimal | None:
        texts = (prompt.system, *prompt.turns)
        size = sum(len(text.encode()) for text in texts) + len(orjson.dumps(prompt.schema))
        return at_most(self.wire.provider, self.wire.model, size, sampling.max_tokens)

    def _spent(self, stored: Stored) -> Decimal | None:
        try:
            return self._cost(self.wire.decode(stored.body), stored)
        except UnreadableReplyError:
            return None

    def _cost(self, completion: Completion, stored: Stored) -> Decimal | None:
        model, batch = self._priced(completion), "batch" in stored.sent
        return cost_of(self.wire.provider, model, completion.usage, stored.at, batch=batch)

    def _priced(self, completion: Completion) -> str:
        # A deployment has a name of its user's own; which model it is, its replies say.
        return completion.model if self.wire.provider == "azure" and completion.model else self.wire.model

    def _failure(self, reason: Any, message: str) -> Failure:
        return Failure(reason=reason, message=message, judge=self.name)

    async def close(self) -> None:
        await self.wire.close()
