"""What kind of task it is, from how its instruction is worded: brief, a list, code, a rewrite, a yes-or-no question.

Kinds only say which weights of the model apply; a task may be of several kinds or of none.
"""

from __future__ import annotations

import re

from ...facts.patterns import put_off

_FLAGS = re.IGNORECASE
_START = r"(?:\A|[.!?:\n,]\s*|please |you (?:to )?|can you |could you |and |then |to )"
_KINDS: dict[str, re.Pattern[str]] = {
    "brief": put_off(
        r"\b(?:brief(?:ly)?|short(?:er|en|ly)?|concise(?:ly)?|succinct(?:ly)?|(?:one|a|single)[ -](?:word|"
        r"sentence|line)|"
        r"headline|title|tagline|slogan|yes or no|true or false|name (?:for|of|the)|in a sentence|tweet|caption|"
        r"only)\b",
        _FLAGS,
    ),
    "edit": put_off(
        rf"{_START}(?:edit|fix|correct|rewrite|re-write|rephrase|paraphrase|proofread|reword|reformat|improve|polish|"
        r"convert|transform|change|replace|rearrange|reorder|sort|make (?:the|this) (?:sentence|text|paragraph)|"
        r"turn)\b",
        _FLAGS,
    ),
    "summary": put_off(r"\b(?:summari[sz]e|summary|tl;?dr|main (?:idea|point)s?|key (?:points|takeaways))\b", _FLAGS),
    "translation": put_off(r"\btranslat\w+\b", _FLAGS),
    "classify": put_off(
        r"\b(?:classify|categori[sz]e|identify (?:the|which|whether|if)|detect (?:if|whether|the)|determine (?:if|"
        r"whether)|"
        r"which of the following|choose (?:the|one|from|between)|select (?:the|one)|label|sentiment|true or false|"
        r"decide (?:if|whether)|extract|tell (?:if|whether)|is (?:it|this|the following) )\b",
        _FLAGS,
    ),
    "creative": put_off(
        r"\b(?:poem|story|haiku|song|lyrics|joke|limerick|essay|dialogue|script for|speech|letter|blog|novel|"
        r"creative|"
        r"imagine|fictional?|narrative|rap|monologue|riddle|advertisement|product description|marketing)\b",
        _FLAGS,
    ),
    "code": put_off(
        r"\b(?:python|javascript|java|c\+\+|sql|html|css|regex|regular expression|function|code|script|program|"
        r"algorithm|"
        r"bash|shell|api|query|compile|debug)\b|```|def \w+\(|#include|</\w+>",
        _FLAGS,
    ),
    "math": put_off(
        r"\b(?:calculate|compute|solve|how many|how much|sum of|average|equation|probability|percent(?:age)?|area|"
        r"perimeter|multiply|divide|square root|integral|derivative|prime)\b|\d\s*[-+*/^=]\s*\d",
        _FLAGS,
    ),
    "list": put_off(
        r"\b(?:list|ideas|tips|ways|steps|examples|suggest(?:ions)?|recommend(?:ations)?|brainstorm|itinerary|plan|"
        r"bullet|pros and cons|advantages|disadvantages|benefits|reasons|recipe|questions)\b",
        _FLAGS,
    ),
    "explain": put_off(
        r"\b(?:explain|describe|why|how (?:do|does|can|could|should|would|to|is|are|did)|difference|compare|contrast|"
        r"analy[sz]e|discuss|what (?:are|is|causes|happens)|pros and cons|guide|teach|outline)\b",
        _FLAGS,
    ),
}
_YES_NO = put_off(
    r"(?:\A|[.!?\n:]\s+)(?:so |and |but )?(?:is|are|was|were|do|does|did|can|could|should|would|will|has|have|had|"
    r"may|must)"
    r"(?:n't)? (?!you (?:please |help|write|give|tell|explain|make|create|provide|show|suggest|list|recommend))"
    r"[^.!?\n]{3,160}\?|\byes or no\b|\btrue or false\b",
    _FLAGS,
)
_FACTUAL = put_off(
    r"(?:\A|[.!?\n:]\s+)(?:who|when|where|which|what(?:'s| is| was| are| were| year| type| kind| color| time| does)|"
    r"how (?:many|much|old|long|far|tall|big|often))\b[^.!?\n]{2,140}\?",
    _FLAGS,
)
_LONG_WISH = put_off(
    r"\b(?:detailed?|in[- ]depth|comprehensive|thorough(?:ly)?|elaborate|long|"
    r"extensive)\b",
    _FLAGS,
)

KINDS = (*_KINDS, "yes_no", "factual", "detailed", "material", "talk")


def find_kinds(plain: str, instruction: str, material: str) -> frozenset[str]:
    """All kinds whose wording stands in the instruction."""
    read = instruction[:1500]
    kinds = {kind for kind, pattern in _KINDS.items() if pattern.search(read)}
    if _YES_NO.search(read):
        kinds.add("yes_no")
    if len(read) < 400 and _FACTUAL.search(read):
        kinds.add("factual")
    if _LONG_WISH.search(read):
        kinds.add("detailed")
    if len(material) > 80:
        kinds.add("material")
    if plain.lstrip().startswith("Human:"):
        kinds.add("talk")
    return frozenset(kinds)
