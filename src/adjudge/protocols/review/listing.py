"""How lists of runs and cases show reviews."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..listing import CaseListing, OutcomeShare


def _parts(answers: Mapping[str, int]) -> Iterable[OutcomeShare]:
    """Group the preferences from 1 to 7 by the response that they prefer."""
    sides = (
        ("A", "123", "for response 1"),
        ("B", "567", "for response 2"),
        ("tie", "4", "for neither"),
        ("bad", ("invalid",), "cannot be rated"),
    )
    return (OutcomeShare(tone, sum(answers.get(each, 0) for each in given), words) for tone, given, words in sides)


LISTING = CaseListing(parts=_parts, orders={"-replaced": "most replaced first"})
