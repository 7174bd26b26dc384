"""How lists of runs and cases show comparisons."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..listing import CaseListing, OutcomeShare


def _parts(answers: Mapping[str, int]) -> Iterable[OutcomeShare]:
    words = {"A": "for A", "B": "for B", "tie": "tied"}
    return (OutcomeShare(winner, answers.get(winner, 0), said) for winner, said in words.items())


LISTING = CaseListing(
    parts=_parts, sorts={"margin": "abs(r.lead)"}, orders={"-margin": "clearest first", "margin": "closest first"}
)
