"""The journal's small interface. A reply is found by what was asked, so the same question is never paid twice."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol

import orjson


@dataclass(frozen=True, slots=True)
class Stored:
    """A reply as it came, when (seconds since 1970), after how many attempts, and how the request was adapted."""

    body: bytes
    at: float
    attempts: int = 1
    sent: Mapping[str, str | int | float | None] = field(default_factory=dict)


class Journal(Protocol):
    """Replies by key, verdicts by id, the pieces of drafts as they came, and what came of each case of a run."""

    def get(self, key: str) -> Stored | None:
        """The reply to this question, if it was ever paid."""
        ...

    async def put(self, key: str, stored: Stored) -> None:
        """Keep a reply; when this returns it survives a kill and a power cut."""
        ...

    def claim(self, key: str) -> AbstractAsyncContextManager[Stored | None]:
        """The reply if it is there; if not, be the only one on this journal, in any process, who asks for it now."""
        ...

    async def put_verdict(
        self, verdict_id: str, inputs: bytes, verdict: bytes, outcome_of: tuple[str, int] | None = None
    ) -> None:
        """Keep a verdict and all that is needed to make it again; the first one under an id stays.

        `outcome_of`, a run and a position: it is what came of that case, and both are kept or neither is.
        """
        ...

    def get_verdict(self, verdict_id: str) -> tuple[bytes, bytes] | None:
        """A verdict's inputs and its bytes; a beginning of the id is enough where it is unique."""
        ...

    async def put_draft(self, draft_id: str, changes: bytes) -> None:
        """Add to a draft; nothing that was added before is lost."""
        ...

    def get_draft(self, draft_id: str) -> list[bytes]:
        """Everything that was added to a draft, in order; nothing if there is none of this id."""
        ...

    async def put_run(self, run_id: str, config: bytes) -> None:
        """Keep what a run was started with; the first one under an id stays."""
        ...

    def get_run(self, run_id: str) -> bytes | None:
        """What a run was started with."""
        ...

    async def put_outcome(self, run_id: str, position: int, verdict_id: str | None, failure: bytes | None) -> None:
        """Keep what came of a case, a verdict or a failure. A verdict stays; a failure gives way to what follows."""
        ...

    def outcomes(self, run_id: str) -> Iterator[tuple[int, str | None, bytes | None]]:
        """Position, verdict id and failure of each case that came to an end, by position; never all in memory."""
        ...

    def close(self) -> None: ...


def call_key(question: Mapping[str, Any]) -> str:
    """The key of a call: a hash of all that decides its answer."""
    return hashlib.sha256(orjson.dumps(question, option=orjson.OPT_SORT_KEYS)).hexdigest()
