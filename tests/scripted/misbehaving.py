"""Judges of comparisons that misbehave in a known way, and one that does not. What they do depends on the texts alone,
so it is the same in whichever order calls arrive."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from scripted.provider import Behaviour, says
from scripted.replies import Request, correct_reply

Change = Callable[[Request, dict[str, Any]], None]
_ANSWERS = (1, 2)


def _drawn(*about: object) -> random.Random:
    return random.Random("\0".join(map(str, about)))


def behaving(*changes: Change) -> Callable[[Request], Behaviour]:
    """A judge whose scores belong to the texts and differ between criteria, changed in these ways."""

    def script(request: Request) -> Behaviour:
        reply = correct_reply(request)
        if "criteria" in reply:  # else it repairs
            texts = {n: request.fenced(f"ANSWER {n}") for n in _ANSWERS}
            reply["criteria"] = {key: dict(marks) for key, marks in reply["criteria"].items()}
            sums = dict.fromkeys(_ANSWERS, 0)
            for key, marks in reply["criteria"].items():
                for n, text in texts.items():
                    marks[f"score_{n}"] = _drawn(key, text).randint(3, 9)
                    sums[n] += marks[f"score_{n}"]
            reply["preference"] = "answer_1" if sums[1] > sums[2] else "answer_2" if sums[2] > sums[1] else "tie"
            for change in changes:
                change(request, reply)
        return says(reply)

    return script


def forging(share: float) -> Change:
    """This share of the quotes of a first reply is not in the answer."""

    def change(request: Request, reply: dict[str, Any]) -> None:
        for key, marks in reply["criteria"].items():
            for n in _ANSWERS:
                if _drawn("forged", key, n, request.fenced("ANSWER 1")).random() < share:
                    marks[f"quote_{n}"] = f"these words about {key} are nowhere in it"

    return change


def following_the_position(request: Request, reply: dict[str, Any]) -> None:
    """Whatever is shown first is better."""
    for marks in reply["criteria"].values():
        marks["score_1"], marks["score_2"] = sorted((marks["score_1"], marks["score_2"]), reverse=True)
        marks["score_2"] = max(marks["score_2"] - 1, 1)
    reply["preference"] = "answer_1"


def tying(request: Request, reply: dict[str, Any]) -> None:
    """Both answers get the same scores, which differ between criteria and cases."""
    for marks in reply["criteria"].values():
        shared = max(marks["score_1"], marks["score_2"])
        marks["score_1"] = marks["score_2"] = shared
    reply["preference"] = "tie"


def scoring_flat(request: Request, reply: dict[str, Any]) -> None:
    """Every criterion gets the same score, another one for each answer."""
    for n in _ANSWERS:
        for marks in reply["criteria"].values():
            marks[f"score_{n}"] = _drawn("flat", request.fenced(f"ANSWER {n}")).randint(1, 10)
    first, second = (next(iter(reply["criteria"].values()))[f"score_{n}"] for n in _ANSWERS)
    reply["preference"] = "answer_1" if first > second else "answer_2" if second > first else "tie"


def never_varying(request: Request, reply: dict[str, Any]) -> None:
    """Each criterion has its own score, always the same; a coin decides the preference."""
    for place, marks in enumerate(reply["criteria"].values()):
        marks["score_1"] = marks["score_2"] = 3 + place
    marks["score_1" if request.fenced("ANSWER 1") > request.fenced("ANSWER 2") else "score_2"] = 10
