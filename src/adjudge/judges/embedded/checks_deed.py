"""Whether an answer does what it was told with what it was given: not only says so, keeps every item, names as many.

Only wishes that can be decided by looking: a claim that the work is done, a list to be sorted, a number before a noun.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from ...facts.patterns import put_off
from .check import Check
from .listing import listed_items
from .reading import Answer, Task

_CLAIM = put_off(
    r"\A\W{0,3}(?:(?:the|your|this) (?:[\w'-]+ ){1,6}(?:has|have) (?:now )?been|I (?:have|just)|I've) "
    r"(?:successfully |now )?([a-z]{4,}(?:ed|en|ne))\b",
    re.IGNORECASE,
)
_CLAIM_WORDS = 20  # of an answer that may be nothing but a claim
_SAME_VERB = 4  # letters that `convert` and `converted` share, or `rewrite` and `rewritten`
_SORT = put_off(
    r"(?:\A|[.,!?:\n]\s*|please |you |and )(?:sort|(?:re-?)?arrange|(?:re-?)?order|alphabeti[sz]e|reverse)\b",
    re.IGNORECASE,
)
_MARK = put_off(r"^[ \t]*(?:\d{1,3}[.):]|[-*•])[ \t]*", re.MULTILINE)
_BETWEEN = put_off(r"[,;\n]|\band\b", re.IGNORECASE)
_EDGES = " \t.\"'`[](){}*"
_ITEM_WORDS = 4
_NUMBERS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10}
_SOME_THINGS = put_off(
    r"(?:\A|\n|[.!?:]\s+|please )(?:(?:list|give|name|write|generate|provide|suggest|find|create|recommend|enter|"
    r"choose|come up with|think of)(?: me)? )?(?P<up>up to )?(?:the |any )?(?:top |best )?"
    rf"(?P<count>\d{{1,2}}|{'|'.join(_NUMBERS)}) (?:different )?(?P<noun>[a-z-]{{3,}}s)"
    r"(?= (?:for|of|that|which|with|to|in|or)\b|[.\n]|\Z)",
    re.IGNORECASE,
)
_NO_THINGS = put_off(
    r"(?:word|sentence|paragraph|page|line|digit|character|letter|time|year|month|week|day|hour|minute|second|dollar|"
    r"pound|euro|mile|kilomet(?:er|re)|met(?:er|re)|percent|stanza|verse|syllable|point|people|part|person)s?",
    re.IGNORECASE,
)


def deed_checks(task: Task, answer: Answer) -> Iterator[Check]:
    """Every wish of this kind that could be decided for this answer."""
    if answer.count <= _CLAIM_WORDS and (claim := _CLAIM.match(answer.plain)):
        verb = claim[1].lower()[:_SAME_VERB]
        if any(word.startswith(verb) for word in task.instruction.lower().split()[:60]):
            yield Check("output", "the work itself", "only that it is done", False, claim.span())
    if _SORT.search(task.instruction) and (given := _given_items(task)):
        kept = _shared_items(given, _items_of(answer.plain))
        yield Check("output", f"the same {len(given)} things in order", f"{kept:.0%} of them", kept == 1)
    if task.requests.items is None and not task.requests.asks_for_code:
        yield from _as_many(task, answer)


def _given_items(task: Task) -> list[str]:
    """The short things that stand between commas or lines behind the instruction; nothing if they are no list."""
    given = _items_of((task.material or task.plain).rstrip())
    return given if len(given) > 2 and all(len(item.split()) <= _ITEM_WORDS for item in given) else []


def _items_of(text: str) -> list[str]:
    """What a text lists behind its last colon."""
    listed = _MARK.sub("\n", text[:4000].rpartition(":")[2])
    return [item for part in _BETWEEN.split(listed.lower()) if (item := part.strip(_EDGES))]


def _shared_items(given: list[str], listed: list[str]) -> float:
    """Which share of two lists is the same, whatever the order."""
    common = sum((Counter(given) & Counter(listed)).values())
    return 2 * common / (len(given) + len(listed)) if listed else 0.0


def _as_many(task: Task, answer: Answer) -> Iterator[Check]:
    """`5 countries that start with S`: as many items, where the answer is a list."""
    asked = _SOME_THINGS.search(task.plain[:600])
    if asked is None or _NO_THINGS.fullmatch(asked["noun"]):
        return
    count = _NUMBERS.get(asked["count"].lower()) or int(asked["count"])
    items = listed_items(answer.plain)
    if count < 2 or len(items) < 2:
        return
    kept = len(items) <= count if asked["up"] else len(items) == count
    wish = f"{asked['up'] or ''}{asked['count']} {asked['noun']}"
    yield Check("count", wish, f"{len(items)} things", kept, (items[0].start, items[-1].end))
