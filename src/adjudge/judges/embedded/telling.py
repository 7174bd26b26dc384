"""The embedded judge's sentences: which measures moved a score, by how much, and what was measured in each answer.

It decides nothing; every figure comes from the model's votes.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...verdicts import Label
from .measures import Measured
from .model import Prediction, Vote
from .scoring import CORRECTNESS

_NOTICED = 0.02  # a smaller vote is not worth a word
_MOST = 2
_NOT_ASSESSED = (
    "Not assessed: the embedded judge checks no facts and follows no argument, so this score is only the middle."
)
_EVEN = "Nothing that was measured here sets the two responses apart."


def sure(prediction: Prediction) -> str:
    """The confidence in words."""
    return f"{round(prediction.confidence * 100)} % sure"


def justify(criterion: str, label: Label, measured: Measured, votes: Iterable[Vote], *, assessed: bool) -> str:
    """Why one answer has its score on one criterion, from the criterion's own votes, the strongest first."""
    if not assessed:
        return _NOT_ASSESSED
    said = _for_and_against(votes, label, measured) or _EVEN
    return f"{said} Facts and reasoning were not checked." if criterion == CORRECTNESS else said


def summarize(label: Label, measured: Measured, votes: Iterable[Vote]) -> str:
    """What speaks for one answer and against it, over all criteria; the strongest votes come first."""
    return _for_and_against(votes, label, measured) or _EVEN


def rationale(measured: Measured, prediction: Prediction, votes: Iterable[Vote]) -> str:
    """Why this answer is preferred, how surely, and that nothing was read for its truth."""
    if prediction.winner == "tie":
        return f"{_WHO} is {sure(prediction)} that people would call it a tie: what it measured nearly balances."
    label: Label = "A" if prediction.winner == "A" else "B"
    told = [tell(vote, label, measured) for vote in _telling(votes, label, 1)]
    reasons = "; ".join(told) or "many small things"
    if not prediction.decided:
        return f"{_WHO} is not sure enough to decide ({sure(prediction)}). For response {label} speaks most: {reasons}."
    weak = " That is mostly a look at the surface." if prediction.superficial else ""
    return f"{_WHO} prefers response {label} ({sure(prediction)}), mostly for {reasons}.{weak}"


_WHO = "The embedded judge, which checks no facts,"


def tell(vote: Vote, label: Label, measured: Measured) -> str:
    """One measure: its name, what it moved as this answer sees it, and what was measured in both."""
    own, other = (measured.a, measured.b) if label == "A" else (measured.b, measured.a)
    moved = vote.moved if label == "A" else -vote.moved
    mine, theirs = own[vote.measure].says, other[vote.measure].says
    beside = f"; the other one {theirs[3:]}" if theirs.startswith("it ") else f"; the other: {theirs}"
    beside = "" if mine == theirs else beside
    amount = f"{moved:+.2f}".replace("-", "−")
    return f"{vote.info.title} ({amount}: {mine}{beside})"


def _for_and_against(votes: Iterable[Vote], label: Label, measured: Measured) -> str:
    parts = []
    for way, opening in ((1, "For it"), (-1, "Against it")):
        told = [tell(vote, label, measured) for vote in _telling(votes, label, way)]
        if told:
            parts.append(f"{opening}: {'; '.join(told)}.")
    return " ".join(parts)


def _telling(votes: Iterable[Vote], label: Label, way: int) -> list[Vote]:
    """The first votes that moved something worth a word this way."""
    sign = way if label == "A" else -way
    return [vote for vote in votes if vote.moved * sign >= _NOTICED][:_MOST]
