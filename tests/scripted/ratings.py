"""Replies of a Rater, from only what it finds wrong: everything else is rated best."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from scripted.replies import Request

_BY_RULE = re.compile(r"^Preference by rule: (Response 1|Response 2|Neither response)", re.MULTILINE)
REASONS = "This is what decides. The rest is much the same."
KEYS = (
    "localization",
    "instruction_following",
    "truthfulness",
    "verbosity",
    "style_clarity",
    "harmlessness",
    "overall_quality",
)
BEST = {**dict.fromkeys(KEYS, 3), "verbosity": 0, "overall_quality": 5}
FINE = {
    "localization": "Reads naturally in the language of the prompt.",
    "instruction_following": "Does what the prompt asks for.",
    "truthfulness": "What it says is right.",
    "verbosity": "As long as the task needs.",
    "style_clarity": "Clear and to the point.",
    "harmlessness": "Nothing in it is harmful.",
    "overall_quality": "Leaves nothing to be desired.",
}


def demand(
    quote: str, kind: str, bound: str = "exactly", amount: int = 0, up_to: int = 0, text: str = "", strict: bool = False
) -> dict[str, Any]:
    """One entry of the list of constraints."""
    return {
        "quote": quote,
        "kind": kind,
        "bound": bound,
        "amount": amount,
        "up_to": up_to,
        "text": text,
        "strict": strict,
    }


def saw(response: int, kind: str, quote: str) -> dict[str, Any]:
    """One entry of the list of observations."""
    return {"response": response, "quote": quote, "kind": kind}


Reasons = str | Sequence[Sequence[str]]


def because(reasons: Reasons, favours: str = "neither") -> list[dict[str, str]]:
    """The sentences on a preference: [sentence, dimension, favours] each, or a text that favours a response overall."""
    if isinstance(reasons, str):
        reasons = [(one, "overall", favours) for one in re.split(r"(?<=[.!?。]) ?(?!$)", reasons) if one]
    return [dict(zip(("sentence", "dimension", "favours"), one, strict=True)) for one in reasons]


def favoured(preference: int) -> str:
    """The response that a Likert favours."""
    return "neither" if preference == 4 else "1" if preference < 4 else "2"


def explanation(reasons: Reasons, *candidates: Sequence[Any], favours: str = "1") -> dict[str, Any]:
    """A reply of the Explainer: what it says of each candidate (specific, true, why), and its sentences.

    For the preference's justification a fourth element has a (dimension, favours) for each of its sentences.
    """
    judged = {}
    for number, (specific, true, reason, *about) in enumerate(candidates, start=1):
        sides = [{"dimension": dimension, "favours": side} for dimension, side in about[0]] if about else []
        told = {"sentences": {f"sentence_{at}": side for at, side in enumerate(sides, start=1)}} if about else {}
        judged[f"candidate_{number}"] = {"reason": reason, **told, "specific": specific, "true": true}
    return {**({"candidates": judged} if judged else {}), "reasons": because(reasons, favours)}


def explained(request: Request) -> dict[str, Any]:
    """What an Explainer says that keeps every candidate and agrees with the preference by rule."""
    side = _BY_RULE.search(request.turns[0])[1]
    favours = {"Response 1": "1", "Response 2": "2"}.get(side, "neither")
    fields = request.schema["properties"].get("candidates", {"properties": {}})["properties"]
    kept = [
        (True, True, "It is so.", *([[("overall", favours)] * len(asked["sentences"]["properties"])] if sided else []))
        for asked in (field["properties"] for field in fields.values())
        for sided in ["sentences" in asked]
    ]
    return explanation(REASONS, *kept, favours=favours)


def rated(found: dict[str, Any] | None = None) -> dict[str, Any]:
    """One response: `found` maps a criterion to [rating, quote, justification], or to a rating alone."""
    found = dict(found or {})
    reply: dict[str, Any] = {}
    for key in KEYS:
        given = found.pop(key, BEST[key])
        value, quote, said = given if isinstance(given, (list, tuple)) else (given, "", FINE[key])
        reply[key] = {"quote": quote, "justification": said, "rating": value}
    reply["largely_unusable"] = found.pop("largely_unusable", False)
    reply["still_good"] = found.pop("still_good", "")
    assert not found, f"unknown: {found}"
    return reply


def rating_reply(found: dict[str, Any]) -> dict[str, Any]:
    """A whole reply; what is not named is as good as can be, and the reasons speak for the preference."""
    preference = found.get("preference", 4)
    return {
        "constraints": [demand(**given) for given in found.get("constraints", [])],
        "task_type": found.get("task_type", "other"),
        "invalid_because": found.get("invalid_because", ""),
        "observations": [saw(*given) for given in found.get("observations", [])],
        "response_1": rated(found.get("response_1")),
        "response_2": rated(found.get("response_2")),
        "reasons": because(found.get("reasons", REASONS), favoured(preference)),
        "preference": preference,
    }
