"""How lists of runs and cases show gradings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..listing import CaseListing, OutcomeShare
from .verdict import FAIL, PASS, UNDECIDED


def _parts(answers: Mapping[str, int]) -> Iterable[OutcomeShare]:
    outcomes = (("A", PASS, "passed"), ("B", FAIL, "did not pass"), ("tie", UNDECIDED, "undecided"))
    return (OutcomeShare(tone, answers.get(answer, 0), words) for tone, answer, words in outcomes)


LISTING = CaseListing(
    parts=_parts,
    sorts={"margin": "abs(r.score - r.pass_at)"},
    orders={"score": "lowest first", "margin": "closest to the pass mark first"},
)
