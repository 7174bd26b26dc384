"""Judges with a known fault at the network's edge, and pairs whose truth is known: what `agree` must find out."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable

from scripted.provider import judges
from scripted.replies import Request

LIST, BOLD = "\n\n- the mill\n- the bridge\n- the inn", "**Mind the gate.**"
FILLER = "It goes on for a while about the weather and the road and the people who walk on it, which helps nobody."
GOOD = "Take the second road after the mill, because the first one is closed until Friday."
POOR = "Take any road that you like, because they all lead somewhere in the end, more or less."
Rule = Callable[[str, str, float], int]


def draw(*texts: str) -> float:
    """A number from 0 to 1 that depends on the texts alone."""
    return int.from_bytes(hashlib.blake2b("\0".join(texts).encode(), digest_size=7).digest()) / 2**56


def planted_pairs(count: int, seed: int = 1, ties: float = 0.0) -> list[dict[str, object]]:
    """Pairs in which one answer is good, and length, lists, bold type and its author say nothing of which one; `truth`
    is its side."""
    drawn = random.Random(seed)
    rows = []
    for number in range(count):
        truth = "tie" if drawn.random() < ties else drawn.choice("AB")
        texts = {}
        for side in "AB":
            said = GOOD if truth in (side, "tie") else POOR
            texts[side] = f"Road {number} {side}. {said}" + f" {FILLER}" * drawn.randint(0, 3)
            texts[side] += (f" {BOLD}" if drawn.random() < 0.5 else "") + (LIST if drawn.random() < 0.5 else "")
        systems = (
            {"model_a": "wren", "model_b": "rook"} if drawn.random() < 0.5 else {"model_a": "rook", "model_b": "wren"}
        )
        rows.append(
            {"id": f"road-{number}", "task": f"Which road to town {number}?", "a": texts["A"], "b": texts["B"]}
            | {"truth": truth, **systems}
        )
    return rows


def better(first: str, second: str) -> int:
    """Which answer is the good one, 1 or 2; 0 if both are as good."""
    good = [GOOD in first, GOOD in second]
    return 0 if good[0] == good[1] else 1 if good[0] else 2


def longer(first: str, second: str) -> int:
    return 1 if len(first) > len(second) else 2


def fair(first: str, second: str, chance: float) -> int:
    return better(first, second)


def with_errors(share: float) -> Rule:
    """Errs in this share of the cases, in both orders alike."""

    def rule(first: str, second: str, chance: float) -> int:
        right = better(first, second)
        wrong = draw(*sorted((first, second))) < share
        return right if not wrong or right == 0 else 3 - right

    return rule


def prefers_first(share: float) -> Rule:
    """Names the answer shown first in this share of all replies, whatever it says."""
    return lambda first, second, chance: 1 if chance < share else 2


def follows_length(share: float) -> Rule:
    """Names the longer answer in this share of the cases, and else the better one."""
    return lambda first, second, chance: (
        longer(first, second) if draw(*sorted((first, second)), "length") < share else better(first, second)
    )


def follows(mark: str, share: float) -> Rule:
    """Names the answer with this mark in this share of the cases in which one alone has it, and else the better one."""

    def rule(first: str, second: str, chance: float) -> int:
        has = [mark in first, mark in second]
        if has[0] != has[1] and draw(*sorted((first, second)), mark) < share:
            return 1 if has[0] else 2
        return better(first, second)

    return rule


def script_of(rules: dict[str, Rule]) -> Callable[[Request], object]:
    """A provider's script: each model follows its rule."""

    def script(request: Request) -> object:
        first, second = request.fenced("ANSWER 1"), request.fenced("ANSWER 2")
        chosen = rules[request.json["model"]](first, second, draw(first, second))

        def change(reply: dict[str, object]) -> None:
            for at, (key, marks) in enumerate(reply.get("criteria", {}).items()):
                # Some criteria tell more than others, and cases differ in how far apart the answers are.
                apart = 1 + (at + int(10 * draw(*sorted((first, second))))) % 4
                marks["score_1"] = 7 if chosen != 2 else 7 - apart
                marks["score_2"] = 7 if chosen != 1 else 7 - apart
                if key == "clarity_structure" and chosen:
                    marks["score_1"], marks["score_2"] = marks["score_2"], marks["score_1"]
            if "preference" in reply:
                reply["preference"] = ("tie", "answer_1", "answer_2")[chosen]

        return judges(change=change)

    return script


def write_pairs(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path
