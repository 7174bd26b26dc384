"""What a task explicitly asks for, held against one answer by code: kept, or broken with what was found instead.

A wish that cannot be decided by counting or looking is not checked. Some wishes are read from plain English wording
and may be misread, so a check is evidence for the model to weigh and not a certain fact.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from ...facts.format import find_format
from ...facts.items import find_items
from ...facts.language import find_language
from ...facts.length import find_too_long, find_too_short
from ...facts.patterns import put_off
from ...facts.spots import Spot
from ...facts.structure import READ as STRUCTURE_READ
from ...facts.structure import read_structure
from ...words import split_words
from . import cues
from .check import Check
from .checks_content import content_checks
from .checks_deed import deed_checks
from .reading import Answer, Task, stem

_INCLUDE = put_off(
    r"\b(?:includ\w+|us(?:e|es|ing)|contain\w*|with|mention\w*|incorporat\w+|"
    r"featur\w+)\s+(?:all (?:of )?)?(?:the |these )?"
    r"(?:following |given |two |three |four |five |exact )*(?:key)?(?:words?|phrases?|terms?|keywords?|nouns|verbs|"
    r"adjectives)\b[^:\"\n]{0,40}[:\"]?\s*([^\n.]{3,120})",
    re.IGNORECASE,
)
_AVOID = put_off(
    r"\b(?:do(?:n't| not) (?:use|include|mention|say|write)|without (?:using|mentioning|saying)|"
    r"avoid(?:ing)?(?: using|"
    r" the)?|never (?:use|mention))\s+(?:the |any )?(?:words? |phrases? |term )?[\"'`]([^\"'`\n]{1,40})[\"'`]",
    re.IGNORECASE,
)
_SPLIT = put_off(r"\s*(?:,|;|\band\b|&|\bor\b)\s*", re.IGNORECASE)
_YES = put_off(
    r"\W{0,3}(?:(?:well|so|sure|answer|output|response)\W{1,3})?(yes|no|true|false|it depends)\b", re.IGNORECASE
)
_SAYS_EITHER = put_off(
    r"\b(?:yes|no|true|false|correct|incorrect|not|can't|cannot|isn't|doesn't|don't|is|are|can|does|do|should|was|"
    r"were|"
    r"will|has|have|did)\b",
    re.IGNORECASE,
)
_OPTIONS = put_off(
    r"\b(?:as|into|between|from|whether (?:it|the \w+|this) (?:is|are)|is (?:it|this)|either|options?:|one of|"
    r"are:)\s+"
    r"(?:one of |the following:? |a |an |the |either )?[\"']?([A-Za-z][\w -]{1,25})[\"']?"
    r"((?:,\s*[\"']?(?:an? )?[A-Za-z][\w -]{1,25}[\"']?)*),? or (?:an? |the )?[\"']?([A-Za-z][\w-]{1,25})[\"']?",
    re.IGNORECASE,
)
_ONE_SENTENCE = put_off(
    r"\b(?:in|into|as|write|with|using|compose|create|form|generate|a) (?:an? |just |only |exactly )?(?:single|"
    r"one|1|new|complete|creative|simple)? ?sentence\b",
    re.IGNORECASE,
)
_TITLE_ORDER = put_off(
    r"\A\W*(?:\w+\W+){0,6}?(?:create|write|generate|suggest|come up|give|make|propose|compose|find|provide|craft|"
    r"think|construct|design|devise|develop)\b(?:\W+\w+){0,8}?\W+(?:headline|title|tagline|slogan|motto|caption|"
    r"hashtag|catchphrase|subject line|name(?= (?:for|to)\b))\b",
    re.IGNORECASE,
)
_UPPER = put_off(r"\b(?:all caps|upper ?case|capital letters)\b", re.IGNORECASE)
_LOWER = put_off(r"\blower ?case\b", re.IGNORECASE)
_QUESTION_WISH = put_off(
    r"\A\W*(?:please )?(?:create|write|generate|ask|come up with|formulate|construct|compose|rewrite|form|pose|"
    r"turn|convert|rephrase)\b[^.\n]{0,80}\bquestions?\b",
    re.IGNORECASE,
)
_LINK_WISH = put_off(
    r"\b(?:provide|include|give|add|share|with|find)\b[^.\n]{0,40}\b(?:links?|urls?|website)\b", re.IGNORECASE
)
_FIRST_PERSON = put_off(r"\bfirst[- ]person\b", re.IGNORECASE)
_THIRD_PERSON = put_off(r"\bthird[- ]person\b", re.IGNORECASE)
_MAIL = put_off(
    r"\A\W*(?:\w+\W+){0,4}?(?:write|draft|compose|create|generate)\b[^.\n]{0,40}\b(?:e-?mail|letter)\b", re.IGNORECASE
)
_MAIL_MARKS = put_off(
    r"^\W{0,3}(?:subject|dear|hi|hello|hey|to)\b|\b(?:sincerely|regards|thank you|best|yours)\b",
    re.IGNORECASE | re.MULTILINE,
)
_LIST_WISH = put_off(
    r"\b(?:list|ideas|tips|ways|steps|synonyms|antonyms|suggestions|recommendations|reasons|benefits|pros and cons|"
    r"ingredients|colou?rs|options|activities|topics|keywords)\b",
    re.IGNORECASE,
)
_VERSE = put_off(r"\b(?:poem|haiku|limerick|sonnet|lyrics|song|rap|verse)\b", re.IGNORECASE)
_HOW_MANY = put_off(
    r"\bhow (?:many|much|old|long|far|tall)\b|\bwhat (?:year|percentage|time)\b|\bwhen (?:did|was|were|is)\b",
    re.IGNORECASE,
)
_DIGITS = put_off(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|hundred|thousand|million|zero|"
    r"none|several|dozen|january|february|march|april|may|june|july|august|september|october|november|december)\b",
    re.IGNORECASE,
)


def check_answer(task: Task, answer: Answer) -> list[Check]:
    """Every wish of the task that could be decided for this answer."""
    if not answer.words:
        return []
    checks = [*_counted(task, answer), *_language(task, answer), *_wording(task, answer)]
    checks += [*_reply(task, answer), *_output(task, answer)]
    return [*checks, *content_checks(task, answer), *deed_checks(task, answer)]


def _counted(task: Task, answer: Answer) -> Iterator[Check]:
    requests, text = task.requests, answer.text
    if (length := requests.length) is not None:
        code = requests.asks_for_code
        spot = find_too_long(text, length, code_task=code) or find_too_short(text, length, code_task=code)
        yield _from_spot("length", length.words, spot, f"{answer.count} words")
    for wish in (requests.items, requests.sentences, requests.paragraphs):
        if wish is None:
            continue
        spot = find_items(text, wish)
        if spot is None and wish.unit == "items" and not _countable(text):
            parts = _listed(answer)
            if parts > 1:
                yield Check(
                    "count", wish.words, f"{parts} things in a row", wish.is_met(parts), (0, min(80, len(text)))
                )
            continue
        yield _from_spot("count", wish.words, spot, "as many")
    for form in requests.formats:
        spots = find_format(text, (form,))
        yield _from_spot("format", form.words, spots[0] if spots else None, "it")
    if requests.sentences is None and "brief" in task.kinds and _ONE_SENTENCE.search(task.instruction):
        count = len(answer.sentences)
        yield Check("count", "one sentence", f"{count} sentences", count <= 2, _second(answer))


def _from_spot(group: str, asked: str, spot: Spot | None, found: str) -> Check:
    if spot is None:
        return Check(group, asked, found, True)
    return Check(group, asked, spot.found, False, (spot.start, spot.end))


def _countable(text: str) -> bool:
    return any(listing.count > 1 for listing in read_structure(text[:STRUCTURE_READ]).listings)


def _listed(answer: Answer) -> int:
    """How many things a short answer names between commas; 0 if it is no such enumeration."""
    body = answer.plain.strip().rstrip(".")
    if answer.count > 80 or len(answer.sentences) > 1:
        return 0
    parts = [part for part in _SPLIT.split(body.rpartition(":")[2]) if part]
    return len(parts) if parts and all(len(part.split()) <= 5 for part in parts) else 0


def _second(answer: Answer) -> tuple[int, int] | None:
    return answer.sentences[1] if len(answer.sentences) > 1 else None


def _language(task: Task, answer: Answer) -> Iterator[Check]:
    if task.language is not None:
        spots = find_language(answer.text, task.language, task.text)
        whole = [spot for spot in spots if spot.severity == "major"]
        yield _from_spot("language", f"the language {task.language}", whole[0] if whole else None, "it")


def _wording(task: Task, answer: Answer) -> Iterator[Check]:
    avoided, words = _asked_words(task.instruction, task.plain)
    for word in avoided:
        there = re.search(re.escape(word), answer.plain, re.IGNORECASE)
        place = there.span() if there else None
        yield Check("words", f"not to use “{word}”", "it is there" if place else "it is not there", not place, place)
    if words:
        missing = [word for word in words if not all(stem(part) in answer.stems for part in split_words(word.lower()))]
        found = f"without {', '.join(missing)}" if missing else "all are there"
        yield Check("words", f"the words {', '.join(words)}", found, not missing)


@lru_cache(maxsize=64)
def _asked_words(instruction: str, plain: str) -> tuple[list[str], list[str]]:
    """Words that a task does not want, and words that it wants."""
    avoided = [match[1] for match in _AVOID.finditer(instruction)]
    wanted = None if avoided else _INCLUDE.search(plain[:2000])
    if wanted is None:
        return avoided, []
    listed = [part for part in (part.strip(" \"'`.:") for part in _SPLIT.split(wanted[1])[:12]) if part]
    return avoided, listed if all(len(part.split()) <= 2 for part in listed) else []


def _reply(task: Task, answer: Answer) -> Iterator[Check]:
    if "yes_no" in task.kinds:
        opening = answer.plain[:160]
        said = _YES.match(opening)
        if said:
            yield Check("reply", "yes or no", said[1], True, said.span(1))
        elif not _SAYS_EITHER.search(opening):
            yield Check("reply", "yes or no", "neither", False)
    elif "factual" in task.kinds and _HOW_MANY.search(task.instruction):
        there = _DIGITS.search(answer.plain[:600])
        yield Check(
            "reply", "a number or a date", "one" if there else "none", bool(there), there.span() if there else None
        )
    if "classify" in task.kinds and (match := _OPTIONS.search(task.instruction)):
        options = {option.strip(" \"'").lower() for option in (match[1], *match[2].split(","), match[3])} - {""}
        named = [option for option in sorted(options) if option in answer.lower]
        if len(options) > 1:
            one = len(named) == 1 or (len(named) > 1 and answer.count > 12)
            yield Check("reply", f"one of {', '.join(sorted(options))}", ", ".join(named) or "none of them", one)


class _Asked(NamedTuple):
    """What a task wants to see, as far as its own words say."""

    title: bool
    upper: bool
    lower: bool
    question: bool
    link: bool
    first_person: bool
    third_person: bool
    mail: bool
    list: bool
    verse: bool


@lru_cache(maxsize=64)  # asked of both answers, and one task often of many pairs
def _asked_output(instruction: str, plain: str) -> _Asked:
    return _Asked(
        title=bool(_TITLE_ORDER.match(instruction)),
        upper=bool(_UPPER.search(instruction)),
        lower=bool(_LOWER.search(instruction)),
        question=bool(_QUESTION_WISH.match(instruction)),
        link=bool(_LINK_WISH.search(instruction)),
        first_person=bool(_FIRST_PERSON.search(plain)),
        third_person=bool(_THIRD_PERSON.search(plain)),
        mail=bool(_MAIL.match(instruction)),
        list=bool(_LIST_WISH.search(instruction[:200])),
        verse=bool(_VERSE.search(instruction[:200])),
    )


def _output(task: Task, answer: Answer) -> Iterator[Check]:
    words, material = answer.count, task.joined_material.count(" ") + 1 if task.joined_material else 0
    same = answer.joined
    if "edit" in task.kinds and material > 3:
        copied = same == task.joined_material and _holds(task.material, answer.plain)
        yield Check("output", "a changed text", "the same text" if copied else "another text", not copied)
    if "summary" in task.kinds and material > 40:
        yield Check("output", "a summary", f"{words} words for {material}", words * 10 <= material * 8)
    copying = words > 3 and same in task.joined and _holds(task.plain, answer.plain)
    if copying and not task.kinds & {"translation", "classify"}:
        yield Check("output", "an answer", "only words of the task", False)
    asked = _asked_output(task.instruction, task.plain)
    if asked.title:
        yield Check("output", "a title or a line", f"{words} words", words <= 30)
    if asked.upper or asked.lower:
        upper = asked.upper
        letters = [char for char in answer.plain[:4000] if char.isalpha()]
        share = sum(char.isupper() for char in letters) / max(1, len(letters))
        yield Check("output", "capitals" if upper else "small letters", f"{share:.0%} capitals", (share > 0.7) == upper)
    if asked.question:
        yield Check("output", "a question", "one" if "?" in answer.plain else "none", "?" in answer.plain)
    if asked.link:
        there = "http" in answer.lower or "www." in answer.lower
        yield Check("output", "a link", "one" if there else "none", there)
    if asked.first_person or asked.third_person:
        first = asked.first_person
        own = any(word in cues.FIRST_PERSON for word in answer.words)
        yield Check(
            "output", "the first person" if first else "the third person", "it" if own else "no I", own == first
        )
    if asked.mail:
        mark = _MAIL_MARKS.search(answer.plain)
        yield Check(
            "output",
            "a letter",
            "its form" if mark else "no form of a letter",
            bool(mark),
            mark.span() if mark else None,
        )
    if asked.list and "edit" not in task.kinds and "summary" not in task.kinds:
        several = _countable(answer.text) or answer.plain.count(",") > 1 or answer.plain.strip().count("\n") > 1
        yield Check("output", "several things", "several" if several else "one", several)
    if asked.verse and "creative" in task.kinds and words > 30:
        lines = answer.plain.strip().count("\n") + 1
        yield Check("output", "verse", f"{lines} lines", lines > 3)


def _holds(whole: str, part: str) -> bool:
    """Whether a text stands in another, white space aside; capitals count, for they may be what was asked for."""
    return " ".join(part.split()).rstrip(".") in " ".join(whole.split())
