"""A judge that is a language model: render the question, pay once, store the reply, then parse it.

The order matters: claim the key, look in the journal, ask, store, and only then parse.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, cast

import orjson

from ..errors import NotJournalledError
from ..journal import Journal, Stored, call_key
from ..llm.base import Completion, Prompt, Sampling, UnreadableReplyError, Wire
from ..llm.prices import LOCAL, at_most, cost_of
from ..models import Call, Failure, Purpose, Usage
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
from .roles import COMPARER, CRITIC, EVALUATOR, EXPLAINER, RATER, RESEARCHER, Reading, Role

# Failures that asking once more would only repeat.
_FINAL = frozenset({"refused", "cut_off", "malformed", "rejected"})
_LARGE = 200_000  # characters of a prompt

_ROLES: dict[type[Question[Any]], Role[Any, Any]] = {
    CompareQuestion: COMPARER,
    ResearchQuestion: RESEARCHER,
    EvaluateQuestion: EVALUATOR,
    CriticizeQuestion: CRITIC,
    RateQuestion: RATER,
    ExplainQuestion: EXPLAINER,
}


@dataclass(slots=True)
class LLMJudge:
    """One model, asked through one wire; `sample` numbers independent answers to the same question.

    `unsaved` bounds the replies that were asked for and are not yet in the journal: what a kill can lose.
    """

    name: str
    wire: Wire
    journal: Journal
    sampling: Sampling = field(default_factory=Sampling)
    sample: int = 0
    budget: Budget | None = None
    unsaved: asyncio.Semaphore | None = None

    async def opine(self, question: Question[O]) -> O | Failure:
        role = _ROLES[type(question)]
        calls: list[Call] = []
        prompt = role.prompt(question)
        completion = await self._ask(prompt, "opinion", calls)
        if isinstance(completion, Failure):
            return completion.with_calls(calls)
        # Looking up quotes in texts of a megabyte takes seconds: others go on meanwhile.
        if sum(map(len, prompt.turns)) > _LARGE:
            reading = await asyncio.to_thread(role.read, question, completion.text, self.name)
        else:
            reading = role.read(question, completion.text, self.name)
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
        """The reply to a repair round; None if there is none and the first reply was a usable opinion."""
        try:
            completion = await self._ask(prompt, "repair", calls)
        except NotJournalledError:
            # The request was refused when the verdict was made: that rests on the first reply, and so does this one.
            if reading.opinion is None:
                raise
            return None
        if isinstance(completion, Failure) and reading.opinion is not None and completion.reason in _FINAL:
            return None
        return completion

    async def _ask(self, prompt: Prompt, purpose: Purpose, calls: list[Call]) -> Completion | Failure:
        """A complete reply; one that hit the token limit is asked for once more with twice the limit."""
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
                "schema": call_key(prompt.schema),
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
        try:
            completion = self.wire.decode(stored.body)
        except UnreadableReplyError as error:
            # It was paid for, although we cannot tell how much.
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
        # A file of several gigabytes is hashed; other calls go on meanwhile.
        return await asyncio.to_thread(self.wire.identity)

    async def _pay(self, key: str, prompt: Prompt, sampling: Sampling) -> Stored | Failure:
        """Ask, and store the reply; with a budget, only if the dearest possible reply is still within it."""
        reserved = self._at_most(prompt, sampling) if self.budget is not None else None
        if self.budget is None or reserved is None:
            return await self._send(key, prompt, sampling)
        if not await self.budget.reserve(reserved):
            return self._failure("over_budget", f"one more call may cost ${reserved}, which is more than is left")
        # If we are cancelled, assume the full reservation was spent.
        spent: Decimal | None = None
        try:
            paid = await self._send(key, prompt, sampling)
            if isinstance(paid, Failure):
                # A reply that came too late or was too large may be charged for all the same.
                spent = None if paid.reason in ("timeout", "malformed") else Decimal(0)
            else:
                spent = self._spent(paid)
            return paid
        finally:
            self.budget.settle(reserved, spent)

    async def _send(self, key: str, prompt: Prompt, sampling: Sampling) -> Stored | Failure:
        async with self.unsaved or nullcontext():
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
        # An Azure deployment has a name of its own; its replies say which model it is.
        return completion.model if self.wire.provider == "azure" and completion.model else self.wire.model

    def _failure(self, reason: Any, message: str) -> Failure:
        return Failure(reason=reason, message=message, judge=self.name)

    async def close(self) -> None:
        await self.wire.close()
