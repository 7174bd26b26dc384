"""Wishes about what an answer says: the result of a calculation, words with given letters, one word, nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from ...facts.patterns import put_off
from .check import Check
from .listing import listed_items
from .reading import Answer, Task
from .sums import asked_result, states

_LETTER = put_off(
    r"\b(start|begin|end)(?:s|ing|ning)? (?:with|in|on) (?:(?:the )?letters? [\"'“]?([A-Za-z])[\"'”]?|"
    r"[\"'“]([A-Za-z])[\"'”]|([B-HJ-Z]))(?![\w'’])",
    re.IGNORECASE,
)
_ONE_WORD = put_off(
    r"\b(?:in|with|using|as|give|to) (?:just |only |exactly )?(?:one|a single|1)[ -]word\b|\bsingle[- ]word (?:answer|"
    r"reply|response)\b|\b(?:one|single)[- ]word only\b",
    re.IGNORECASE,
)
_NOTHING_ELSE = put_off(
    r"\bnothing else\b|\b(?:no|without|refrain from|avoid|do(?:n't| not) (?:include|add|give|provide|write|say|use))"
    r"(?: \w+ing)?(?: any)?(?: other| extra| extraneous| additional| further| unnecessary)? (?:words|text|"
    r"explanations?|commentary|comments|reasoning)\b|\b(?:only|just) (?:output|return|give|reply|respond|answer|"
    r"write)\b|"
    r"\b(?:output|return|give|reply|respond|answer)(?: with| me)? (?:only|just)\b",
    re.IGNORECASE,
)
_LEAD = put_off(r"\A\W{0,3}(?:sure|certainly|of course|okay|here(?:'s| is| are)|yes, here)\b", re.IGNORECASE)
_MOST = 0.7  # of the items must keep a condition on all of them


def content_checks(task: Task, answer: Answer) -> Iterator[Check]:
    """Every wish of this kind that could be decided for this answer."""
    result, letter, one_word, nothing_else = _asked(task.instruction, task.plain)
    if result is not None:
        place = states(answer.plain, result)
        yield Check("result", f"the result {result:.10g}", "it" if place else "another", place is not None, place)
    if letter and (items := listed_items(answer.plain)):
        wanted = next(filter(None, letter.groups()[1:])).lower()
        last = letter[1].lower() == "end"
        wrong = [item for item in items if item.text and (item.text[-1] if last else item.text[0]).lower() != wanted]
        yield Check(
            "words",
            f"words that {'end' if last else 'begin'} with {wanted.upper()}",
            f"{len(items) - len(wrong)} of {len(items)}",
            len(wrong) <= (1 - _MOST) * len(items),
            (wrong[0].start, wrong[0].end) if wrong else None,
        )
    if one_word:
        yield Check("count", "one word", f"{answer.count} words", answer.count <= 3)
    if nothing_else and not task.requests.asks_for_code:
        lead = _LEAD.match(answer.plain)
        yield Check(
            "output",
            "that and nothing else",
            f"a lead-in and {answer.count} words" if lead else f"{answer.count} words",
            lead is None and answer.count <= 60,
            lead.span() if lead else None,
        )


@lru_cache(maxsize=64)  # asked of both answers, and one task often of many pairs
def _asked(instruction: str, plain: str) -> tuple[float | None, re.Match[str] | None, bool, bool]:
    """A result, a letter, one word, nothing else: what of these the task asks for."""
    asked = plain if len(plain) < 500 else instruction
    one_word, nothing_else = _ONE_WORD.search(instruction), _NOTHING_ELSE.search(instruction)
    return asked_result(asked), _LETTER.search(asked), one_word is not None, nothing_else is not None
