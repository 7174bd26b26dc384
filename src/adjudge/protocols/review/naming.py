"""How people name the responses and the criteria in running text, brought to one form.

"Response B", "the second answer" and "Response #2" are all Response 2 afterwards.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ...rubric import OVERALL, Criterion
from ...verdicts import Label

NUMBER: Mapping[str, Label] = {"1": "A", "2": "B"}
NUMBER_OF: Mapping[Label, str] = {"A": "1", "B": "2"}

_THING = r"(?:response|answer|reply|output|model|assistant|completion)"
_NUMBERED = re.compile(rf"\b{_THING}(?:\s*#\s*|\s+(?:no\.?\s*|number\s+)?)(1|2|one|two)\b(?![.,]\d)", re.IGNORECASE)
_LETTERED = re.compile(rf"\b(?i:{_THING})\s+\(?([AB])\b\)?(?! (?:is|was) (?:given|needed|asked))")
_SHORT = re.compile(r"\bR(1|2)\b")
_VERB = r"(?:is|was|has|does|gets|gives|makes|names|says|contains|wins|follows|fails|misses|reads|puts|scores)"
_ORDINAL = re.compile(rf"\b(?:the )?(first|second)(?: (?:{_THING}|one)\b|(?= {_VERB}\b|\s*[.,;]\s*\Z))", re.IGNORECASE)
_AS_NUMBER = {"1": "1", "2": "2", "one": "1", "two": "2", "a": "1", "b": "2", "first": "1", "second": "2"}


def plain(text: str) -> str:
    """The text with every way to name a response turned into "Response 1" or "Response 2", on one line."""
    for pattern in (_NUMBERED, _LETTERED, _SHORT, _ORDINAL):
        text = pattern.sub(lambda match: f"Response {_AS_NUMBER[match[1].lower()]}", text)
    return " ".join(text.replace("’", "'").split())


def responses_in(text: str) -> list[Label]:
    """Which responses a plain text names, in order."""
    return [NUMBER[number] for number in re.findall(r"\bResponse (1|2)\b", text)]


def other(label: Label) -> Label:
    """The response beside this one."""
    return "B" if label == "A" else "A"


# How people call the shipped criteria in running text.
_ALSO = {
    "instruction_following": ("instruction", "follow"),
    "truthfulness": ("truthful", "accura", "factual", "correct", "error"),
    "verbosity": ("verbos", "length", "too long", "too short", "concise", "padded", "cut off", "truncat"),
    "style_clarity": ("style", "clarity", "clear", "pleasantr", "readab", "formatting"),
    "harmlessness": ("harmless", "safety", "harmful", "unsafe"),
    "localization": ("locali", "language", "natural"),
    OVERALL: ("overall quality",),
}


# "Clearly better" says nothing of clarity.
_SURELY = re.compile(r"\bclear(?:ly)? (?!written|structured|worded|explained|organi[sz]ed|laid|and)")


def names(text: str, criterion: Criterion) -> bool:
    """Whether a text speaks of a criterion, by its name or by a word people use for it."""
    lowered = _SURELY.sub("", text.lower())
    known = {*_written(criterion), *_ALSO.get(criterion.key, ())}
    return any(name in lowered for name in known)


def named_by_name(text: str, criteria: tuple[Criterion, ...]) -> list[Criterion]:
    """The criteria whose own name stands in a text; a name inside a longer one is not named."""
    lowered = text.lower()
    found = [(name, criterion) for criterion in criteria for name in _written(criterion) if name in lowered]
    longest = sorted(found, key=lambda pair: -len(pair[0]))
    named: list[Criterion] = []
    for name, criterion in longest:
        if name in lowered:
            lowered = lowered.replace(name, "_" * len(name))
            if criterion not in named:
                named.append(criterion)
    if not named and "overall" in lowered:
        return [criterion for criterion in criteria if criterion.key == OVERALL]
    return named


def _written(criterion: Criterion) -> set[str]:
    written = {criterion.name.lower(), criterion.key.replace("_", " ").lower()}
    return written | {part for part in criterion.name.lower().split("/") if len(part) > 4}
