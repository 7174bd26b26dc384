"""How lists of runs and cases show comparisons."""

from __future__ import annotations

from ..listing import CaseListing, OutcomeShare

_WINNERS = {"A": "for A", "B": "for B", "tie": "tied"}
LISTING = CaseListing(
    parts=lambda answers: (OutcomeShare(key, answers.get(key, 0), words) for key, words in _WINNERS.items()),
    sorts={"margin": "abs(r.lead)", "difference": "r.difference"},
    orders={"-margin": "clearest first", "margin": "closest first"},
)
