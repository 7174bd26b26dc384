"""Whether an answer does what it was told with what it was given: not only says so, keeps every item, names as many.

Only wishes that can be decided by looking: a claim that the work is done, a list to be sorted, a number before a noun.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from ...facts.patterns import put_off
from .check import Check
from .listing import listed_items
from .reading import Answer, Task

# One sentence and nothing else: whatever follows may be the work.
_CLAIM = put_off(
    r"\A\W{0,3}(?:(?:the|your|this) (?:[\w'-]+ ){0,5}(?P<what>[\w'-]+) (?:has|have) (?:now )?been|I (?:have|just)|I've)"
    r" (?:successfully |now )?(?P<verb>[a-z]{4,}(?:ed|en|ne))\b[^:`\n]*\Z",
    re.IGNORECASE,
)
_CLAIM_WORDS = 20  # of an answer that may be nothing but a claim
_SAME_VERB = 4  # letters that `convert` and `converted` share, or `rewrite` and `rewritten`
# Where such a sentence may be what was asked for.
_ASKS_FOR_WORDS = put_off(
    r"\?|\b(?:say|saying|says|tell|announce|inform|notify|message|e-?mail|letter|note|notice|status|headline|tweet|"
    r"caption|post|tense|voice|passive|active|perfect|grammar|grammatical|translate|translation)\b",
    re.IGNORECASE,
)
_SORT = put_off(
    r"(?:\A|[.,!?:\n]\s*|please |you |and )(?:sort|(?:re-?)?arrange|(?:re-?)?order|alphabeti[sz]e|reverse)\b",
    re.IGNORECASE,
)
_MARK = put_off(r"^[ \t]*(?:\d{1,3}[.):]|[-*•])[ \t]+", re.MULTILINE)
_BETWEEN = put_off(r"[,;\n]|\band\b", re.IGNORECASE)
_EDGES = " \t.\"'`[](){}*"
_ITEM_WORDS = 4
_NUMBERS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10}
_NUMBER = rf"(?P<count>\d{{1,2}}|{'|'.join(_NUMBERS)})"
_SOME_THINGS = put_off(
    r"(?:\A|\n|[.!?:]\s+|please )(?:list|give|name|write|generate|provide|suggest|find|create|recommend|enter|"
    r"choose|come up with|think of)(?: me)? (?P<up>up to )?(?:the |any )?(?:top |best )?"
    rf"{_NUMBER} (?:different )?(?P<noun>[a-z-]{{3,}}s)"
    r"(?= (?:for|of|that|which|with|to|in|or)\b|[.\n]|\Z)",
    re.IGNORECASE,
)
# A riddle of its own: the last line is what is looked for, and no sentence.
_THINGS_THAT = put_off(rf"\n{_NUMBER} (?P<noun>[a-z-]{{3,}}s) (?:that|which) [^\n.?!:;,]{{3,50}}\s*\Z", re.IGNORECASE)
_NO_THINGS = put_off(
    r"(?:word|sentence|paragraph|page|line|digit|character|letter|time|year|month|week|day|hour|minute|second|dollar|"
    r"pound|euro|mile|kilomet(?:er|re)|met(?:er|re)|percent|stanza|verse|syllable|point|people|part|person)s?",
    re.IGNORECASE,
)


def deed_checks(task: Task, answer: Answer) -> Iterator[Check]:
    """Every wish of this kind that could be decided for this answer."""
    if answer.count <= _CLAIM_WORDS and (claim := _CLAIM.match(answer.plain)) and _was_told_to(claim, task):
        yield Check("output", "the work itself", "only that it is done", False, (claim.start(), claim.end("verb")))
    if _is_to_be_sorted(task.instruction) and (given := _given_items(task)):
        yield _all_of_them(given, task, answer)
    if task.requests.items is None and not task.requests.asks_for_code:
        yield from _as_many(task, answer)


@lru_cache(maxsize=64)  # asked of both answers, and one task often of many pairs
def _is_to_be_sorted(instruction: str) -> bool:
    return _SORT.search(instruction) is not None


def _was_told_to(claim: re.Match[str], task: Task) -> bool:
    """Is what is said to be done what the task told it to do, and not what its material speaks of?"""
    told, _, material = task.plain.replace(":", "\n").partition("\n")
    if _ASKS_FOR_WORDS.search(told):
        return False
    verb, words = claim["verb"].lower()[:_SAME_VERB], told.lower().split()[:60]
    if not any(word.startswith(verb) for word in words) or verb in material.lower():
        return False
    return claim["what"] is None or claim["what"].lower() in " ".join(words)


# -- lists that are to be sorted --------------------------------------------------------------------------------------


def _given_items(task: Task) -> list[str]:
    """The short things that stand between commas or lines behind the instruction; nothing if they are no list."""
    text = (task.material or task.plain).rstrip()
    if not task.material and ":" not in text:
        return []
    listed = _MARK.sub("\n", text[:4000].rpartition(":")[2])
    given = [item for part in _BETWEEN.split(listed.lower()) if (item := part.strip(_EDGES))]
    return given if len(given) > 2 and all(len(item.split()) <= _ITEM_WORDS for item in given) else []


def _all_of_them(given: list[str], task: Task, answer: Answer) -> Check:
    """Are all things there, and, where code can tell, somewhere in the order that was asked for?"""
    longest_first = sorted(set(given), key=len, reverse=True)
    one = re.compile(rf"(?<![\w.-])(?:{'|'.join(map(re.escape, longest_first))})(?![\w-]|\.\d)")
    found = one.findall(_MARK.sub("\n", answer.lower[:20_000]))
    lost = sorted((Counter(given) - Counter(found)).elements())
    if lost:
        return Check("output", f"all {len(given)} things that were to be sorted", f"no {lost[0][:40]!r}", False)
    wanted = _in_order(given, task.plain.lower())
    if wanted is None:
        return Check("output", f"all {len(given)} things that were to be sorted", "all of them", True)
    size = len(wanted)
    sorted_somewhere = any(found[at : at + size] == wanted for at in range(len(found) - size + 1))
    said = "all of them, in it" if sorted_somewhere else "all of them, in another"
    return Check("output", f"the {size} things in the order that was asked for", said, sorted_somewhere)


def _in_order(given: list[str], asked: str) -> list[str] | None:
    """The things sorted as asked for; None where code cannot tell."""
    numbers = [float(item) for item in given if _PLAIN_NUMBER.fullmatch(item)]
    down = _DOWN.search(asked) is not None
    if len(numbers) == len(given) and down != (_UP.search(asked) is not None):
        return [item for _, item in sorted(zip(numbers, given, strict=True), key=lambda pair: pair[0], reverse=down)]
    if not numbers and _BY_LETTERS.search(asked) and not _OTHERWISE.search(asked) and all(map(str.isascii, given)):
        return sorted(given)
    return None


_PLAIN_NUMBER = put_off(r"-?\d{1,12}(?:\.\d{1,6})?")
_DOWN = put_off(
    r"descending|decreasing|(?:largest|highest|biggest|greatest) to|large to small|high to low|big to small"
)
_UP = put_off(r"ascending|increasing|(?:smallest|lowest|least) to|small to large|low to high|small to big")
_BY_LETTERS = put_off(r"alphabetical(?:ly)?|alphabeti[sz]e")
_OTHERWISE = put_off(r"reverse|backward|descending|z to a|length|last name|surname|second|then by|ignor")


# -- as many as were asked for ----------------------------------------------------------------------------------------


def _as_many(task: Task, answer: Answer) -> Iterator[Check]:
    """`5 countries that start with S`: as many items, where the answer is a list."""
    asked = _things_asked_for(task.plain[:600])
    if asked is None:
        return
    count = _NUMBERS.get(asked["count"].lower()) or int(asked["count"])
    items = listed_items(answer.plain)
    if count < 2 or len(items) < 2:
        return
    up_to = asked.groupdict().get("up") or ""
    kept = len(items) <= count if up_to else len(items) == count
    wish = f"{up_to}{asked['count']} {asked['noun']}"
    yield Check("count", wish, f"{len(items)} things", kept, (items[0].start, items[-1].end))


@lru_cache(maxsize=64)
def _things_asked_for(plain: str) -> re.Match[str] | None:
    asked = _SOME_THINGS.search(plain) or _THINGS_THAT.search(plain)
    return None if asked is None or _NO_THINGS.fullmatch(asked["noun"]) else asked
