"""How lists of runs and cases show dialogues."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..listing import CaseListing, OutcomeShare

_HIGH, _LOW = 80, 40  # a score counts as good from 80 up, and as bad from 40 down


def _parts(answers: Mapping[str, int]) -> Iterable[OutcomeShare]:
    for step, count in sorted(answers.items(), key=lambda item: -float(item[0])):
        yield OutcomeShare("A" if float(step) >= _HIGH else "B" if float(step) <= _LOW else "tie", count, f"at {step}")


LISTING = CaseListing(parts=_parts, orders={"average": "lowest first"})
