"""The names people write for a rubric's criteria in a review ("dimensions" to them) → the rubric's keys."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from ..rubric import OVERALL, Rubric

# How people call the shipped rubric's criteria besides; a rubric's own names come first.
_ALSO = {
    "verbosity": ("verbosity response length", "response length"),
    "harmlessness": ("harmlessness", "safety", "harmlessness safety"),
    OVERALL: ("overall", "overall quality score", "overall score"),
}
_MARKUP = re.compile(r"[*`]+")
_NUMBERED = re.compile(r"^\s*\d+[.)]\s*")
# "Localization (1, 2, 3)": the scale beside the name.
_SCALE = re.compile(r"\([-+−–\d\s.,/to]*\)\s*:?\s*$")
_LONGEST = 200
_WORD = re.compile(r"[^\W_]+")


def criterion_key(written: str, rubric: Rubric) -> str | None:
    """The key of the criterion that is meant; None if the rubric has none of that name."""
    if len(written) > _LONGEST:
        return None
    name = _SCALE.sub("", _NUMBERED.sub("", _MARKUP.sub("", written)))
    return _keys(rubric).get(_folded(name))


def allowed_names(rubric: Rubric) -> str:
    """What an error says is allowed."""
    return "one of " + ", ".join(criterion.name for criterion in rubric.criteria)


@lru_cache(maxsize=8)
def _keys(rubric: Rubric) -> Mapping[str, str]:
    keys: dict[str, str] = {}
    for criterion in rubric.criteria:
        keys.setdefault(_folded(criterion.key), criterion.key)
        keys.setdefault(_folded(criterion.name), criterion.key)
    for criterion in rubric.criteria:
        for alias in _ALSO.get(criterion.key, ()):
            keys.setdefault(alias, criterion.key)
    return keys


def _folded(name: str) -> str:
    return " ".join(word for word in _WORD.findall(name.casefold()) if word != "and")
