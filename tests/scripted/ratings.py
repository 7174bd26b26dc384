"""Replies of a Rater, from only what it finds wrong: everything else is rated best."""

from __future__ import annotations

from typing import Any

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


def explanation(reasons: str, *candidates: tuple[bool, bool, str]) -> dict[str, Any]:
    """A reply of the Explainer: what it says of each candidate (specific, true, why), and its sentences."""
    judged = {
        f"candidate_{number}": {"reason": reason, "specific": specific, "true": true}
        for number, (specific, true, reason) in enumerate(candidates, start=1)
    }
    return {**({"candidates": judged} if judged else {}), "reasons": reasons}


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
    """A whole reply; what is not named is as good as can be."""
    return {
        "constraints": [demand(**given) for given in found.get("constraints", [])],
        "task_type": found.get("task_type", "other"),
        "invalid_because": found.get("invalid_because", ""),
        "observations": [saw(*given) for given in found.get("observations", [])],
        "response_1": rated(found.get("response_1")),
        "response_2": rated(found.get("response_2")),
        "reasons": found.get("reasons", ""),
        "preference": found.get("preference", 4),
    }
