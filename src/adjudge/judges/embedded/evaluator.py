"""The embedded Evaluator: a table of weights from features to criteria, one sentence for each score, and its quotes.

The weights were set by hand, with rated conversations of two kinds in view and none fitted by a program. They say how
far a feature at its extreme moves a criterion on a scale from 0 to 1, from where it starts with nothing to count.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ...verdicts import Evaluation, Mark, Utterance
from ..base import EvaluateQuestion
from .dialogue_features import Measure, Sign, measure_dialogue
from .dialogue_flaws import find_flaws, measure_flaws
from .dialogue_reading import Reading, read_dialogue
from .scale import on_scale
from .utterances import quote_sign

_NOTICED = 0.02  # a smaller move is not worth a word
_NOT_CHECKED = "; what is true in the world was not checked"
ACCURACY = "Accuracy"


class Mix(NamedTuple):
    """Where a criterion starts, and what moves it."""

    start: float
    weights: Mapping[str, float]


MIXES: Mapping[str, Mix] = {
    "TaskSuccess": Mix(
        0.42,
        {
            "served": 0.14, "learned": 0.16, "concluded": 0.10, "ending": 0.16, "bad_news": 0.20, "noes": 0.16,
            "approval": 0.18, "corrections": 0.15, "frustration": 0.20, "repeats": 0.08, "another_language": 0.15,
            "blanks": 0.10,
        },
    ),
    "Helpfulness": Mix(
        0.45,
        {
            "detail": 0.20, "served": 0.12, "concluded": 0.12, "bad_news": 0.20, "approval": 0.15, "brevity": 0.10,
            "another_language": 0.30, "blanks": 0.30, "cut_off": 0.15,
        },
    ),
    ACCURACY: Mix(0.50, {"disputes": 0.50, "sums": 0.50}),
    "Understanding": Mix(
        0.72,
        {
            "corrections": 0.30, "confusion": 0.25, "repeats": 0.25, "learned": 0.12, "served": 0.08, "noes": 0.12,
            "frustration": 0.15, "another_language": 0.35,
        },
    ),
    "Empathy": Mix(
        0.50,
        {"courtesy": 0.18, "acknowledgement": 0.18, "apologies": 0.10, "approval": 0.10, "frustration": 0.15},
    ),
    "Fluency": Mix(
        0.84,
        {
            "flaws": 0.25, "brevity": 0.15, "repeats": 0.15, "confusion": 0.15, "cut_off": 0.25, "blanks": 0.25,
            "another_language": 0.15,
        },
    ),
}  # fmt: skip
# For a criterion of a user's own rubric: a bit of everything.
GENERAL = Mix(
    0.60,
    {
        "served": 0.08, "learned": 0.08, "concluded": 0.06, "ending": 0.10, "bad_news": 0.12, "noes": 0.08,
        "approval": 0.12, "corrections": 0.12, "frustration": 0.15, "detail": 0.08, "courtesy": 0.06, "flaws": 0.06,
        "disputes": 0.10, "another_language": 0.15, "blanks": 0.15, "cut_off": 0.10, "sums": 0.10,
    },
)  # fmt: skip
# Criteria that are shown best by what SYSTEM said, where no feature has a place of its own.
_ABOUT_SYSTEM = ("Helpfulness", ACCURACY, "Empathy", "Fluency")


def evaluate(question: EvaluateQuestion) -> Evaluation:
    """A mark for every criterion of the rubric."""
    reading = read_dialogue(question.case)
    measures = {**measure_dialogue(reading), **measure_flaws(reading, find_flaws(reading))}
    values = question.rubric.scale.values
    quotes: dict[Sign, Utterance] = {}
    marks: dict[str, Mark] = {}
    for key in (criterion.key for criterion in question.rubric.criteria):
        mix = MIXES.get(key, GENERAL)
        moves = {name: weight * measures[name].value for name, weight in mix.weights.items()}
        place = max(0.0, min(1.0, mix.start + sum(moves.values())))
        reason, signs = _explain(key, moves, measures, reading)
        for sign in signs:
            if sign not in quotes:
                quotes[sign] = quote_sign(question.case, sign)
        shown = tuple(dict.fromkeys(quotes[sign] for sign in signs))
        marks[key] = Mark(on_scale(place, values), reason, shown, assessed=key != ACCURACY or any(moves.values()))
    return Evaluation(judge="embedded", marks=marks)


def _explain(
    key: str, moves: Mapping[str, float], measures: Mapping[str, Measure], reading: Reading
) -> tuple[str, list[Sign]]:
    """One sentence with what moved the score most each way, and where that shows."""
    ranked = sorted((name for name in moves if abs(moves[name]) >= _NOTICED), key=lambda name: -abs(moves[name]))
    pro = [name for name in ranked if moves[name] > 0][:2]
    con = [name for name in ranked if moves[name] < 0][:2]
    said = ", and ".join(measures[name].says for name in pro)
    against = ", and ".join(measures[name].says for name in con)
    joined = ", but ".join(part for part in (said, against) if part) or _nothing(key, measures)
    reason = joined[0].upper() + joined[1:] + (_NOT_CHECKED if key == ACCURACY else "") + "."
    shown = (measures[name].sign for side in (pro, con) for name in side[:1])
    signs = list(dict.fromkeys(sign for sign in shown if sign is not None))
    return reason, signs or [_typical(key, reading)]


def _nothing(key: str, measures: Mapping[str, Measure]) -> str:
    return measures["disputes"].says if key == ACCURACY else "nothing counted speaks clearly for it or against it"


def _typical(key: str, reading: Reading) -> Sign:
    """Where nothing stands out: the fullest turn of the side that the criterion is about."""
    turns = reading.system if key in _ABOUT_SYSTEM else reading.user
    return Sign(max(turns, key=lambda heard: min(heard.words, 25)).turn)
