"""Where questions are handed in and answers given out: one desk for each event loop.

Questions of many callers are laid on one pile. It is closed when it is full or nobody came for a moment, written into
the ledger, handed in, and its number written down; then everybody who laid a question on it gets the answer. One that
the provider had no room for was never begun, so it is handed in again, as a new one.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ....verdicts import Failure
from ..adapting import Sent, refusal_as_failure
from ..http import Answered, Refused
from .base import Outcome
from .following import Follower, UnreachableError
from .ledger import Entry
from .room import TRIES, Room

_FEWEST = 8  # questions in a half: smaller ones would only be many

_log = logging.getLogger("adjudge.batches")


@dataclass(frozen=True, slots=True)
class Told:
    """An answer, the batch it came in, and how the question was really asked."""

    outcome: Outcome
    batch: str
    sent: Sent


@dataclass(slots=True)
class Question:
    """One question on its way."""

    line: bytes
    sent: Sent
    told: asyncio.Future[Told | None] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    waiting: int = 0


class Desk:
    """See the module."""

    def __init__(self, follower: Follower) -> None:
        self._follower = follower
        self._api, self._ledger, self._settings = follower.api, follower.ledger, follower.settings
        self._judge = follower.poster.judge
        self._asked: dict[str, Question] = {}
        self._pile: dict[str, Question] = {}
        self._pile_bytes = 0
        self._closing: asyncio.TimerHandle | None = None
        self._own: set[str] = set()
        self._adopting: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._room = Room(self._settings.poll, self._settings.longest_poll)

    async def ask(self, key: str, body: bytes, sent: Sent) -> Told:
        """The answer to a question: of a batch that an earlier process handed in, or of the next one."""
        try:
            await self._adopt()
        except UnreachableError as error:
            return Told(error.failure, "", sent)
        while (told := await self._answer(key, body, sent)) is None:
            pass
        return told

    async def _answer(self, key: str, body: bytes, sent: Sent) -> Told | None:
        """The same; None if the earlier process's batch was never begun."""
        question = self._asked.get(key) or self._lay_down(key, body, sent)
        question.waiting += 1
        try:
            return await asyncio.shield(question.told)
        finally:
            question.waiting -= 1
            if not question.waiting and key in self._pile:
                # Nobody wants to know any more, and nothing is paid yet.
                self._pile_bytes -= len(self._pile.pop(key).line)
                self._asked.pop(key, None)
            elif question.told.done() and self._asked.get(key) is question:
                del self._asked[key]

    async def close(self) -> None:
        """Stop waiting. What was handed in goes on at the provider, and the ledger knows of it."""
        if self._closing is not None:
            self._closing.cancel()
        tasks = [*self._tasks, *([self._adopting] if self._adopting else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for question in self._asked.values():
            question.told.cancel()
        self._asked.clear()
        self._pile.clear()

    def _lay_down(self, key: str, body: bytes, sent: Sent) -> Question:
        question = self._asked[key] = Question(self._api.line(key, body), sent)
        settings, api = self._settings, self._api
        if self._pile and self._pile_bytes + len(question.line) > min(settings.most_bytes, api.most_bytes):
            self._close_pile()
        self._pile[key] = question
        self._pile_bytes += len(question.line)
        if self._closing is not None:
            self._closing.cancel()
        if len(self._pile) >= min(settings.most_requests, api.most_requests):
            self._close_pile()
        else:
            self._closing = asyncio.get_running_loop().call_later(settings.idle, self._close_pile)
        return question

    def _close_pile(self) -> None:
        pile, self._pile, self._pile_bytes = self._pile, {}, 0
        if pile:
            sent = {key: question.sent for key, question in pile.items()}
            self._start(self._new(sent), [question.line for question in pile.values()])

    def _new(self, sent: Mapping[str, Sent]) -> Entry:
        return Entry(secrets.token_hex(16), self._judge, time.time(), None, len(sent), sent)

    def _start(self, entry: Entry, lines: list[bytes], tries: int = 0) -> None:
        self._own.add(entry.tag)
        task = asyncio.create_task(self._see_through(entry, lines, tries))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _see_through(self, entry: Entry, lines: list[bytes], tries: int) -> None:
        """A batch from the ledger to its answers; with no lines, one that has been handed in."""
        try:
            with self._room.taken() as stay:
                if lines:
                    await asyncio.to_thread(self._ledger.prepare, entry.tag, entry.judge, entry.prepared_at, entry.sent)
                    made = await self._submit(entry, lines)
                    if isinstance(made, Failure):
                        await asyncio.to_thread(self._ledger.over, entry.tag)
                        self._tell(entry, dict.fromkeys(entry.sent, made))
                        return
                    entry = replace(entry, batch=made)
                    await asyncio.to_thread(self._ledger.submitted, entry.tag, made)
                results = await self._follower.results(str(entry.batch))
                assert results is not None
                stay.found_room = not results.no_room
            if results.no_room and await self._again(entry, lines, tries, results.otherwise):
                return
            outcomes = {key: results.of(key) for key in entry.sent}
            failed = [key for key, outcome in outcomes.items() if not isinstance(outcome, Answered)]
            if failed:
                await asyncio.to_thread(self._ledger.failed, entry.tag, failed)
            self._tell(entry, outcomes)
        except UnreachableError as error:
            self._leave(entry)
            self._tell(entry, dict.fromkeys(entry.sent, error.failure))
        except Exception as error:
            self._leave(entry)
            for key in entry.sent:
                question = self._asked.pop(key, None)
                if question is not None and question.waiting and not question.told.done():
                    question.told.set_exception(error)

    async def _again(self, entry: Entry, lines: list[bytes], tries: int, why: Failure) -> bool:
        """Hand in once more, when there is room, what was never begun and so is not paid; False to give up."""
        if lines and tries >= TRIES and not self._room.is_ours:
            return False
        # Only now: after a kill its questions are asked anew, and what is handed in then has a tag of its own.
        await asyncio.to_thread(self._ledger.over, entry.tag)
        if not lines:
            for question in filter(None, [self._asked.pop(key, None) for key in entry.sent]):
                question.told.set_result(None)
            return True
        sent, lines = self._still_wanted(entry.sent, lines)
        if not lines:
            return True
        count, when = len(lines), f"in {_counted(max(1, round(self._room.pause(tries))), 'second')}"
        if self._room.is_ours:
            when = f"when a batch of ours has ended, or {when}"
        elif tries % 2 and count >= 2 * _FEWEST:
            # Perhaps it never fits as it is; but others may just fill the queue, so not at every try.
            half = count // 2
            when = f"{half:,} at once and {count - half:,} {when}"
            first = {key: sent.pop(key) for key in list(sent)[:half]}
            self._start(self._new(first), lines[:half], tries + 1)
            lines = lines[half:]
        _log.warning(
            "%s: no room for %s (%s); handed in again %s; nothing was paid",
            *(self._judge, _counted(count, "question"), why.message.rstrip("."), when),
        )
        ended = await self._room.wait(tries)
        sent, lines = self._still_wanted(sent, lines)
        if lines:
            self._start(self._new(sent), lines, 0 if ended else tries + 1)
        return True

    def _still_wanted(self, sent: Mapping[str, Sent], lines: list[bytes]) -> tuple[dict[str, Sent], list[bytes]]:
        """The questions that somebody waits for; the others are forgotten, for nothing is paid yet."""
        wanted = {}
        for (key, how), line in zip(sent.items(), lines, strict=True):
            question = self._asked.get(key)
            if question is not None and question.waiting:
                wanted[key] = how, line
            else:
                self._asked.pop(key, None)
        return {key: how for key, (how, _) in wanted.items()}, [line for _, line in wanted.values()]

    async def _submit(self, entry: Entry, lines: list[bytes]) -> str | Failure:
        retries = self._follower.poster.retries
        attempt = 1
        while True:
            made = await self._api.submit(lines, entry.tag)
            if isinstance(made, str):
                return made
            if isinstance(made, Refused):
                return refusal_as_failure(made, self._follower.poster)
            # No answer is not a no: it may be there all the same, and twice would be paid twice.
            found = await self._follower.locate(entry)
            if found is not None:
                return found
            if attempt >= retries.attempts:
                return made
            await asyncio.sleep(min(retries.first_wait * 2.0**attempt, retries.longest_wait))
            attempt += 1

    def _leave(self, entry: Entry) -> None:
        """Nobody knows what became of it: the next who asks finds that out first."""
        self._own.discard(entry.tag)
        self._adopting = None

    def _tell(self, entry: Entry, outcomes: Mapping[str, Outcome]) -> None:
        for key, sent in entry.sent.items():
            question = self._asked.get(key)
            if question is None or question.told.done():
                continue
            question.told.set_result(Told(outcomes[key], entry.batch or "", sent))
            if not question.waiting and not isinstance(outcomes[key], Answered):
                del self._asked[key]  # a reply is paid, and stays here until somebody asks for it

    async def _adopt(self) -> None:
        """Take over what the ledger says was handed in before, once."""
        if self._adopting is None:
            self._adopting = asyncio.create_task(self._take_over())
        task = self._adopting
        try:
            await asyncio.shield(task)
        except UnreachableError:
            if self._adopting is task:
                self._adopting = None
            raise

    async def _take_over(self) -> None:
        for entry in await asyncio.to_thread(self._ledger.open_entries, self._judge):
            if entry.tag in self._own:
                continue
            batch = entry.batch or await self._follower.locate(entry)
            if batch is None:
                await asyncio.to_thread(self._ledger.over, entry.tag)
                continue
            if entry.batch is None:
                await asyncio.to_thread(self._ledger.submitted, entry.tag, batch)
            for key, sent in entry.sent.items():
                self._asked.setdefault(key, Question(b"", sent))
            self._start(replace(entry, batch=batch), [])


def _counted(count: int, name: str) -> str:
    return f"{count:,} {name}" if count == 1 else f"{count:,} {name}s"
