"""Measures of whether there is an answer at all, and whether what it lists and computes holds.

Each rests on something code can be sure of, and has a place to show.
"""

from __future__ import annotations

import re

from ...facts.patterns import put_off
from .listing import listed_items
from .measurement import Info, Measurement, several
from .reading import Answer, Task
from .sums import wrong_sums

INFO = {
    "no_answer": Info("no answer at all", "task_understanding", "flaw", -1),
    "repeated_items": Info("list items that come again", "clarity_structure", "flaw", -1),
    "wrong_sums": Info("sums that do not come out", "correctness_reasoning", "flaw", -1),
}

_NOTHING = put_off(
    r"\W{0,6}(?:no[ _-]?(?:output|input|answer|response|results?)|none|n/?a|null|nan|undefined|not applicable|empty|"
    r"tbd|todo|output|answer|response)?\W{0,6}",
    re.IGNORECASE,
)
_BRACKETED = put_off(r"\[[A-Za-z][A-Za-z _-]{1,40}\]|<[A-Za-z][A-Za-z _-]{1,40}>")
_OFTEN = 0.2  # of the items
_APART = 12  # characters between two items of one list: marks, numbers, line ends
_NOT_TEXT = put_off(r"[\d\W_]+")
_LETTERS = bytes(code if chr(code).isalpha() else ord(" ") for code in range(128)).ljust(256)


def measure(task: Task, answer: Answer, into: dict[str, Measurement]) -> None:
    """All measures of substance of one answer."""
    body = answer.plain.strip()
    nothing = not answer.count or is_nothing(body)
    into["no_answer"] = Measurement(
        1.0 if nothing else 0.0,
        ("it is empty" if not body else "it is only a placeholder") if nothing else "it answers",
    )
    _repeated(task, answer, into)
    wrong = list(wrong_sums(answer.plain))
    first = wrong[0] if wrong else None
    into["wrong_sums"] = Measurement(
        float(min(3, len(wrong))),
        f"it says {first.stated}, which makes {first.right:.10g}" if first else "it has no sum that does not come out",
        (first.start, first.end) if first else None,
    )


def is_nothing(body: str) -> bool:
    """Whether a text only stands where an answer should: empty, `<no output>`, `N/A`, `[template]`."""
    return len(body) < 60 and bool(_NOTHING.fullmatch(body) or _BRACKETED.fullmatch(body))


def _repeated(task: Task, answer: Answer, into: dict[str, Measurement]) -> None:
    """Items that came before in the same list; what two lists share is no repetition."""
    plain, again, place, total = answer.plain, 0, None, 0
    seen: set[str] = set()
    before = 0
    for item in [] if "```" in plain or task.kinds & {"creative", "code"} else listed_items(plain, lines=False):
        if plain[before : item.start].count("\n") > 2 or len(plain[before : item.start]) > _APART:
            seen.clear()
        before = item.end
        key = _letters_of(item.text.lower())
        total += 1
        if len(key) > 1 and key in seen:
            again += 1
            place = place or (item.start, item.end)
        seen.add(key)
    often = again >= _OFTEN * total and again > 0
    into["repeated_items"] = Measurement(
        again / total if often else 0.0,
        f"{again} of the {several(total, 'item')} it lists came before" if often else "it does not list the same again",
        place if often else None,
    )


def _letters_of(text: str) -> str:
    """Its words without digits and marks, one space between them."""
    if text.isascii():
        return " ".join(text.encode().translate(_LETTERS).decode().split())  # a quarter of what the expression takes
    return _NOT_TEXT.sub(" ", text).strip()
