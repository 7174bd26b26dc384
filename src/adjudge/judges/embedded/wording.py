"""The embedded judge's sentences: which features moved a score, with their figures, in words a reader understands.

It decides nothing; every figure comes from the features and their weights.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal

from ...verdicts import Label, Winner
from .features import Feature
from .weighing import Weighing

_NOTICED = 0.015  # a smaller move is not worth a word
_NOWHERE = ("length", "variety", "echo")  # true of the whole text, so that no passage shows them well
_NOT_CHECKED = (
    "The embedded judge does not check facts, so this score stays in the middle unless the text itself speaks."
)
_WHAT_IT_IS = "This is the embedded judge: it works from text features only and has not checked any facts."


def lead(own: Weighing, other: Weighing) -> tuple[str, bool]:
    """The feature to quote for: the one that sets the answers apart most, and whether it favours the first.

    One that stands at a place in the text and points the way the scores do comes before any other.
    """
    gaps = {name: own.moves[name] - other.moves[name] for name in own.moves}
    way = own.place - other.place
    placed = [name for name in gaps if name not in _NOWHERE and gaps[name] * way > 0]
    name = max(placed or gaps, key=lambda key: abs(gaps[key]))
    if abs(gaps[name]) > 1e-9:
        return name, gaps[name] > 0
    name = max(own.moves, key=lambda key: abs(own.moves[key]))
    return name, own.moves[name] >= 0


def justify(criterion: str, weighing: Weighing, features: Mapping[str, Feature]) -> str:
    """Why one answer has its score on one criterion."""
    said = _for_and_against(weighing.moves, features)
    return f"{said} {_NOT_CHECKED}" if criterion == "correctness_reasoning" else said


def summarize(weighings: Iterable[Weighing], features: Mapping[str, Feature]) -> str:
    """What moved one answer's scores most, over all criteria."""
    total: dict[str, float] = {}
    for weighing in weighings:
        for name, move in weighing.moves.items():
            total[name] = total.get(name, 0.0) + move
    return _for_and_against(total, features, most=2)


def rationale(
    preference: Winner,
    weighings: Mapping[Label, Mapping[str, Weighing]],
    features: Mapping[Label, Mapping[str, Feature]],
    weights: Mapping[str, Decimal],
) -> str:
    """Why this answer is preferred, and what kind of judge says so."""
    gaps: dict[str, float] = {}
    for key, weight in weights.items():
        for name, move in weighings["A"][key].moves.items():
            gaps[name] = gaps.get(name, 0.0) + (move - weighings["B"][key].moves[name]) * float(weight)
    if preference == "tie":
        return f"{_WHAT_IT_IS} By these features the two responses are about equal."
    sign = 1 if preference == "A" else -1
    loser: Label = "B" if preference == "A" else "A"
    first = sorted((name for name in gaps if gaps[name] * sign > 0), key=lambda name: -gaps[name] * sign)[:2]
    reasons = "; ".join(
        f"{name}: {features[preference][name].says}"
        + ("" if name == "length" else f", while in response {loser} {features[loser][name].says}")
        for name in first
    )
    return f"{_WHAT_IT_IS} It prefers response {preference}, mostly for {reasons}."


def _for_and_against(moves: Mapping[str, float], features: Mapping[str, Feature], most: int = 2) -> str:
    ranked = sorted((name for name in moves if abs(moves[name]) >= _NOTICED), key=lambda name: -abs(moves[name]))
    sentences = []
    for wanted, opening in ((1, "For it"), (-1, "Against it")):
        said = [features[name].says for name in ranked if moves[name] * wanted > 0][:most]
        if said:
            sentences.append(f"{opening}: {', and '.join(said)}.")
    return " ".join(sentences) or "No feature of the text speaks clearly for it or against it here."
