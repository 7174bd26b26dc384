"""A judge backed by a language model: it renders the question, pays for one reply, stores it and parses it.

The order matters: claim the key, look in the journal, send the request, store the reply, and only then parse it.
"""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, cast

from ..computing import computed
from ..errors import NotJournalledError
from ..journal import Journal, Stored, call_key
from ..llm.base import FENCE_CODE, BlankPrompt, Completion, Prompt, Sampling, UnreadableReplyError, Wire
from ..llm.prices import LOCAL, at_most, cost_of, most_input
from ..models.common import Call, Failure, Purpose, Usage
from .base import ASKED, O, Question
from .budget import Budget

# Failures that a stored reply repeats but a new attempt may not; and failures that the same request only repeats.
_UNUSABLE = frozenset({"refused", "cut_off", "malformed"})
_FINAL = _UNUSABLE | {"rejected"}
MAX_REPLY = 1_000_000  # characters; no model may write so many tokens, and a repair round would send them again


_log = logging.getLogger(__name__)


@dataclass(slots=True)
class LLMJudge:
    """One model, reached through one wire. `sample` numbers independent answers to the same question.

    `unsaved` limits the replies that are requested but not yet in the journal, and so what is lost if we are killed.
    """

    name: str
    wire: Wire
    journal: Journal
    sampling: Sampling = field(default_factory=Sampling)
    sample: int = 0
    budget: Budget | None = None
    unsaved: asyncio.Semaphore | None = None

    async def opine(self, question: Question[O]) -> O | Failure:
        """Return the first usable opinion. Pay for a new attempt only if the journal already held the last one."""
        for attempt in range(self.sampling.attempt + 1):
            opinion = await self._opine(question, replace(self.sampling, attempt=attempt))
            if not isinstance(opinion, Failure) or opinion.reason not in _UNUSABLE:
                break
            if not all(call.found for call in opinion.calls):
                break
        return opinion

    async def _opine(self, question: Question[O], sampling: Sampling) -> O | Failure:
        role = ASKED[type(question)].role
        calls: list[Call] = []
        size = question.case.size
        prompt = await computed(size, role.prompt, question)
        completion = await self._ask(prompt, sampling, "opinion", calls)
        if isinstance(completion, Failure):
            return completion.with_calls(calls)
        if len(completion.text) > MAX_REPLY:
            found = f"a reply of {len(completion.text):,} characters; at most {MAX_REPLY:,} are read"
            return self._failure("malformed", found).with_calls(calls)
        size += len(completion.text)
        reading = await computed(size, role.read, question, completion.text, self.name)
        if reading.problems:
            prompt = await computed(size, role.repair, question, prompt, completion.text, reading)
            prompt = replace(prompt, earlier_code=completion.code)
            repaired: Completion | Failure | None = None
            try:
                repaired = await self._ask(prompt, sampling, "repair", calls)
            except NotJournalledError:
                # This is a replay, and the repair request was refused back then: use the first reply, as was done then.
                if reading.opinion is None:
                    raise
            if isinstance(repaired, Completion):
                size += len(repaired.text)
                reading = await computed(size, role.read_repair, question, reading, repaired.text, self.name)
            elif repaired is not None and (reading.opinion is None or repaired.reason not in _FINAL):
                return repaired.with_calls(calls)
        if reading.opinion is None:
            problems = "; ".join(reading.problems)
            return self._failure("malformed", f"unusable also after a repair round: {problems}").with_calls(calls)
        return cast(O, reading.opinion.model_copy(update={"calls": tuple(calls)}))

    async def _ask(
        self, prompt: BlankPrompt, sampling: Sampling, purpose: Purpose, calls: list[Call]
    ) -> Completion | Failure:
        """Return a complete reply. If it hit the token limit, ask once more with twice the limit."""
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
        self, prompt: BlankPrompt, sampling: Sampling, purpose: Purpose, calls: list[Call]
    ) -> Completion | Failure:
        key = await self._key(prompt, sampling)
        decoded: Completion | None = None
        began = time.monotonic()
        async with self.journal.claim(key) as stored:
            found = stored is not None
            if stored is None:
                size = sum(map(len, prompt.user.pieces))
                coded = await computed(size, prompt.with_secret, self.journal.secret)
                paid = await self._pay(key, coded, sampling)
                if isinstance(paid, Failure):
                    _log.info("%s: no reply after %.2f s: %.120s", self.name, time.monotonic() - began, paid.message)
                    return paid
                stored, decoded = paid
        took = "found in the journal" if found else f"after {time.monotonic() - began:.2f} s"
        _log.info("%s: %s, reply %s, attempts: %d", self.name, prompt.schema_name, took, stored.attempts)
        unreadable = ""
        try:
            if decoded is None:
                decoded = await computed(len(stored.body), self.wire.decode, stored.body)
            completion = decoded._replace(code=str(stored.sent.get(FENCE_CODE, "")))
        except UnreadableReplyError as error:
            # The reply was paid for, but we cannot tell how much it cost.
            completion, unreadable = Completion("", "stop", "", Usage()), str(error)
        cost = None if unreadable else self._cost(completion, stored)
        # An earlier process may have paid for it, itself or by a batch, without recording what it cost.
        if found and self.budget is not None and await self.journal.settle(key):
            self.budget.charge(cost or Decimal(0))
        self.journal.record_call(key, cost, completion.usage)
        calls.append(
            Call(
                key=key,
                purpose=purpose,
                model=completion.model or self.wire.model,
                usage=completion.usage,
                cost=cost,
                attempts=stored.attempts,
                attempt=sampling.attempt,
                # Leave out the fence code, so that the same replies make the same verdict whatever the code was.
                sent={name: value for name, value in stored.sent.items() if name != FENCE_CODE},
                found=found,
            )
        )
        return self._failure("malformed", unreadable) if unreadable else completion

    async def _key(self, prompt: BlankPrompt, sampling: Sampling) -> str:
        """Return a hash of everything that decides the reply but the fence code. The first attempt adds no number."""
        if self.wire.provider == LOCAL:
            # This hashes a file of several gigabytes, so do it in a thread to let other calls go on.
            identity = await asyncio.to_thread(self.wire.identity)
        else:
            identity = self.wire.identity()
        asked = {
            **identity,
            "system": prompt.system,
            "user": prompt.user.pieces,
            "schema": prompt.schema.key,
            "temperature": sampling.temperature,
            "seed": sampling.seed,
            "max_tokens": sampling.max_tokens,
            "sample": self.sample,
        }
        if sampling.attempt:
            asked["attempt"] = sampling.attempt
        return await computed(sum(map(len, prompt.user.pieces)), call_key, asked)

    async def _pay(self, key: str, prompt: Prompt, sampling: Sampling) -> tuple[Stored, Completion | None] | Failure:
        """Ask and store the reply. If there is a budget, ask only if it allows one more call of the expected cost.

        The budget needs the reply decoded, so that is returned as well if it can be read.
        """
        budget, provider, model = self.budget, self.wire.provider, self.wire.model
        if budget is None:
            sent = await self._send(key, prompt, sampling)
            return sent if isinstance(sent, Failure) else (sent, None)
        size = sum(len(text.encode()) for text in (prompt.system, prompt.user)) + prompt.schema.size
        role = self.name, prompt.schema_name

        def tokens() -> tuple[int, int]:
            return budget.seen.expected(role, size, most_input(size), sampling.max_tokens)

        def estimate() -> Decimal:
            return at_most(provider, model, *tokens()) or Decimal(0)

        reserved = await budget.reserve(estimate)
        if reserved is None:
            cost = "" if at_most(provider, model, 0, 0) is None else f" up to ${estimate():.4f}, with"
            return self._failure("over_budget", f"one more call may cost{cost} a reply of {tokens()[1]:,} tokens")
        # If we are cancelled, assume the full reservation was spent.
        spent: Decimal | None = None
        replied = True
        completion: Completion | None = None
        try:
            paid = await self._send(key, prompt, sampling)
            if isinstance(paid, Failure):
                # The provider may charge for a reply that came too late or was too large.
                spent = None if paid.reason in ("timeout", "malformed") else Decimal(0)
                replied = False
                return paid
            with suppress(UnreadableReplyError):
                completion = await computed(len(paid.body), self.wire.decode, paid.body)
                spent = self._cost(completion, paid)
                budget.seen.add(role, size, completion.usage)
            return paid, completion
        finally:
            budget.settle(reserved, spent, replied)

    async def _send(self, key: str, prompt: Prompt, sampling: Sampling) -> Stored | Failure:
        async with self.unsaved or nullcontext():
            delivery = await self.wire.send(prompt, sampling, key=key)
            if isinstance(delivery, Failure):
                return delivery
            stored = Stored.now(delivery.body, delivery.attempts, {FENCE_CODE: prompt.code, **delivery.sent})
            self.journal.pay(key)
            await self.journal.put(key, stored)
            return stored

    def _cost(self, completion: Completion, stored: Stored) -> Decimal | None:
        # An Azure deployment has a name of its own, so take the model's name from its reply.
        model = (completion.model if self.wire.provider == "azure" else "") or self.wire.model
        return cost_of(self.wire.provider, model, completion.usage, stored.at, batch="batch" in stored.sent)

    def _failure(self, reason: Any, message: str) -> Failure:
        return Failure(reason=reason, message=message, judge=self.name)

    async def close(self) -> None:
        await self.wire.close()
