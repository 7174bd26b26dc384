"""The base of all verdicts: what the rest of adjudge may know of a verdict without knowing its protocol."""

from __future__ import annotations

import html
from abc import ABC, abstractmethod
from decimal import Decimal
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field

from .base import Frozen
from .common import Failure

if TYPE_CHECKING:
    from .calibration import CalibratedScore
    from .cases import Case
    from .common import Call, Provenance, QuoteCount, Recheck, Stage, Tokens, Warning


_FRAME = "width: 100%; height: 40em; border: 1px solid #8884"


class Verdict(Frozen, ABC):
    """The result of judging a case. A protocol declares the fields that only type checkers see here, because it decides
    their order in JSON. `case`, `rubric` and `failures` exist only in Python.
    """

    protocol: ClassVar[str]

    if TYPE_CHECKING:
        verdict_id: str
        warnings: tuple[Warning, ...]
        usage: Tokens
        cost_usd: Decimal | None
        calls: tuple[Call, ...]
        provenance: Provenance
        recheck: Recheck | None
        stages: tuple[Stage, ...]
        quoted: QuoteCount | None
        calibrated: CalibratedScore | None
        case: Case

    failures: tuple[tuple[str, Failure], ...] = Field(default=(), exclude=True)
    rubric: Any = Field(default=None, exclude=True)

    def __repr__(self) -> str:
        """Return a short text: a whole verdict is thousands of characters, which `to_json` and reports show."""
        score = "" if self.figure is None else f", {self.figure}"
        return f"<{type(self).__name__} {self.verdict_id}: {self.answer}{score}>"

    __str__ = __repr__

    def _repr_html_(self) -> str:
        """Return the HTML report for a notebook, in a frame of its own in which nothing can run."""
        from .. import render

        page = html.escape(render(self, "html"))
        return f'<iframe sandbox srcdoc="{page}" title="{html.escape(repr(self))}" style="{_FRAME}"></iframe>'

    @property
    @abstractmethod
    def answer(self) -> str:
        """The verdict as one word, to be counted and compared with a label."""

    @property
    def decided(self) -> bool:
        """Whether the judge was sure enough to decide."""
        return True

    @property
    @abstractmethod
    def number(self) -> Decimal | None:
        """The number that a calibration maps; None if this verdict has none."""

    @property
    def figure(self) -> Decimal | None:
        """The number that people look at first: the one that a calibration maps, if the protocol names no other."""
        return self.number

    @property
    def document(self) -> Frozen:
        """What `--format json` prints: the whole verdict, if the protocol has no contract for a part of it."""
        return self
