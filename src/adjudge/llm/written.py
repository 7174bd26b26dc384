"""A judge that no model is behind: people wrote its replies, and a journal holds them. It answers what the journal
answers, and can be asked nothing else. The service's demo is judged by one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..models.common import Failure, Usage
from .base import Completion, Delivery, Prompt, Sampling, UnreadableReplyError
from .prices import LOCAL

WRITTEN = "written"
_MISSING = "its replies were written by people, and there is none for this case; choose another judge"


class WrittenWire:
    """The replies of one written judge. What is stored is the reply itself, as JSON."""

    provider = LOCAL  # nothing is paid

    def __init__(self, name: str) -> None:
        self.model = name

    def identity(self) -> Mapping[str, Any]:
        return {"wire": WRITTEN, "model": self.model}

    async def send(self, prompt: Prompt, sampling: Sampling, *, key: str = "") -> Delivery | Failure:
        return Failure(reason="rejected", message=_MISSING, judge=f"{WRITTEN}:{self.model}")

    def decode(self, body: bytes) -> Completion:
        try:
            return Completion(body.decode(), "stop", f"{WRITTEN}:{self.model}", Usage())
        except UnicodeDecodeError as error:
            raise UnreadableReplyError(f"not a written reply: {error}") from None

    async def close(self) -> None:
        pass
