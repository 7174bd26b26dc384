"""How lists of runs and cases show dialogues."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..listing import CaseListing, OutcomeShare
from .table import TABLE


def _parts(answers: Mapping[str, int]) -> Iterable[OutcomeShare]:
    for step, count in sorted(answers.items(), key=lambda item: -float(item[0])):
        yield OutcomeShare(TABLE.outcome.tone(step), count, f"at {step}")


LISTING = CaseListing(parts=_parts, orders={"average": "lowest first"})
