"""The embedded Critic: holds each mark against the strongest single moment that speaks the other way.

It objects only with a quote and another score. Whether the quote contradicts the Evaluator is read from the reason:
one that already names the matter has taken it into account, one that denies it is contradicted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Literal

from ...cases import Dialogue
from ...verdicts import Critique, Mark, Objection
from ..base import CriticizeQuestion
from .critic_checks import GENERAL, Finding, find_moments
from .dialogue_reading import read_dialogue
from .evaluator import MIXES
from .utterances import quote_sign

_CLAUSES = re.compile(r"[,;:.]|\bbut\b|\bwhile\b|\balthough\b")
_DENIES = re.compile(r"\b(?:no|not|never|none|nothing|without|0 of|lacks?|missing)\b|n't\b")


def criticize(question: CriticizeQuestion) -> Critique:
    """An entry for every mark of the evaluation."""
    moments = find_moments(read_dialogue(question.case))
    values = question.rubric.scale.values
    entries = {
        key: _object(question.case, mark, [item for item in moments if _concerns(item, key)], values)
        for key, mark in question.evaluation.marks.items()
    }
    return Critique(judge="embedded", entries=entries)


def _concerns(finding: Finding, key: str) -> bool:
    return key in finding.criteria or (GENERAL in finding.criteria and key not in MIXES)


def _object(case: Dialogue, mark: Mark, moments: Sequence[Finding], values: Sequence[Decimal]) -> Objection:
    """The strongest moment against the mark, if the other side has none as strong."""
    at = min(range(len(values)), key=lambda index: abs(values[index] - mark.value))
    middle = (len(values) - 1) / 2
    against = [item for item in moments if (at >= middle if item.points < 0 else at <= middle)]
    if not against:
        return _agree("No single moment speaks against this score.")
    strongest = against[0]
    if any(item.points != strongest.points and item.strength >= strongest.strength for item in moments):
        return _agree("There are moments for a lower and for a higher score, and neither outweighs the other.")
    stance = _stance(mark.reason, strongest.topic)
    if stance == "named" or any(quote.turn == strongest.sign.turn for quote in mark.quotes):
        return _agree("The strongest moment against this score is already part of its reason.")
    # On the shipped scale one value; on a finer one as much of the whole.
    step = max(1, round((len(values) - 1) / 4))
    aim = at + strongest.points * step * (2 if strongest.strength > 2 else 1)
    suggested = values[max(0, min(len(values) - 1, aim))]
    if suggested == mark.value:
        return _agree("No score is left in the direction that a single moment points to.")
    return Objection(
        agree=False,
        comment=f"{strongest.comment}.",
        suggested=suggested,
        contradicts=stance == "denied" or strongest.strength > 1,
        quotes=(quote_sign(case, strongest.sign),),
        wanted_quote=True,
    )


def _stance(reason: str, topic: Sequence[str]) -> Literal["named", "denied", "silent"]:
    """Whether the reason speaks of the matter, and if so, whether to say that there is nothing of it."""
    for clause in _CLAUSES.split(reason.lower()):
        if any(word in clause for word in topic):
            return "denied" if _DENIES.search(clause) else "named"
    return "silent"


def _agree(comment: str) -> Objection:
    return Objection(agree=True, comment=comment, suggested=None, contradicts=False, quotes=())
