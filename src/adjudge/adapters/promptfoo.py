"""A Python assertion for promptfoo: a file with `from adjudge.adapters.promptfoo import get_assert` is all it takes.

Options are in the assertion's `config`. A failed judgment raises, which promptfoo shows as the reason of a failed
assertion: it has no other place for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..engine import run_sync
from ..models.common import Failure
from .grading import JudgmentFailedError, as_text, details, explanation, named

_OPTIONS = ("judge", "rubric", "journal", "task", "reference", "context")


def get_assert(output: object, context: Mapping[str, Any]) -> dict[str, Any]:
    """Grade an output: a text, or what a provider returned as JSON.

    `config` may have `judge`, `rubric` and `journal`, and name the variables that hold the `task` (default: the whole
    prompt), the `reference` and the `context` (default: variables of these names, if there are any).
    """
    from .. import api
    from ..errors import InputError

    config, given = dict(context.get("config") or {}), context.get("vars") or {}
    if unknown := sorted(config.keys() - set(_OPTIONS)):
        raise InputError("config", ", ".join(unknown), f"allowed: {', '.join(_OPTIONS)}")
    task = named("config.task", config["task"], given) if "task" in config else context["prompt"]
    asked: dict[str, Any] = {name: config[name] for name in ("judge", "rubric", "journal") if name in config}
    reference = given.get(config.get("reference", "reference"))
    asked["reference"] = reference if reference is None else as_text(reference)
    asked["context"] = given.get(config.get("context", "context"))
    outcome = run_sync(lambda: api.grade(as_text(task), as_text(output), **asked))
    if isinstance(outcome, Failure):
        raise JudgmentFailedError(explanation(outcome))
    # Of a fault the share is 1 where it was found.
    shares = {
        item.key: float(1 - item.share if item.is_fault else item.share)
        for item in outcome.items
        if item.assessed and item.share is not None
    }
    reasons = {item.key: item.reason for item in outcome.items}
    return {
        "pass": outcome.passed is True,
        "score": float(outcome.score),
        "reason": explanation(outcome),
        "namedScores": shares,
        "componentResults": [
            {"pass": share == 1, "score": share, "reason": f"{key}: {reasons[key]}"} for key, share in shares.items()
        ],
        "tokensUsed": {
            "total": outcome.usage.total_tokens,
            "prompt": outcome.usage.input_tokens,
            "completion": outcome.usage.output_tokens,
        },
        "metadata": {"adjudge": details(outcome)},
    }
