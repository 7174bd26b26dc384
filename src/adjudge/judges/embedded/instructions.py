"""What a task asks for that can be counted: items, words, sentences, paragraphs, a list, a table, JSON, code.

Only wishes stated in plain English words are read; one that is not understood is not checked.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from ...facts.sentences import sentence_spans, word_set

_READ = 6000  # characters of the task; wishes stand at its beginning, material to work on behind it
_NUMBERS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20,
}  # fmt: skip
_NUMBER = rf"(\d{{1,3}}|{'|'.join(_NUMBERS)})"
_VERB = (
    r"\b(?:give|list|name|write|provide|suggest|generate|create|come up with|find|recommend|share|identify|propose|"
    r"brainstorm|tell|offer|compile|produce|make|think of|state|mention|describe|what are)"
)
_ITEMS = re.compile(
    rf"{_VERB}(?: me| us)?(?: a list of| the| some| my)?( at least| up to| exactly| top)? {_NUMBER}"
    rf" (?:[a-z]+[ -]){{0,3}}?([a-z]+s)\b",
    re.IGNORECASE,
)
_NOT_ITEMS = word_set(
    "words sentences paragraphs lines characters letters minutes hours days weeks months years seconds dollars pages "
    "stanzas verses percent times miles steps digits syllables this is its was has sections parts"
)
_WORDS = re.compile(r"(\d{2,4})(?: |-)words?\b( or (?:less|fewer)| max(?:imum)?)?", re.IGNORECASE)
_AT_MOST = re.compile(
    r"(?:under|within|at most|no more than|not more than|maximum of|max|less than|fewer than|up to|below)\s*\Z",
    re.IGNORECASE,
)
_AT_LEAST = re.compile(r"(?:at least|minimum of|more than|over)\s*\Z", re.IGNORECASE)
_SENTENCES = re.compile(
    rf"\b(?:in|into|with|using|write|only) (?:a )?(?:single|just |only |exactly )?{_NUMBER}? ?(?:single )?sentences?\b",
    re.IGNORECASE,
)
_PARAGRAPHS = re.compile(rf"\b{_NUMBER}[ -]paragraphs?\b", re.IGNORECASE)
_LIST = re.compile(r"\bbullet(?:ed|s)?\b|\bbullet[- ]points?\b|\bnumbered list\b|\bas a list\b", re.IGNORECASE)
_TABLE = re.compile(
    r"\b(?:as|in|into|create|make|draw|generate|with) a (?:[a-z]+ )?table\b|"
    r"\btabular\b",
    re.IGNORECASE,
)
_JSON = re.compile(
    r"\b(?:in|as|to|return|output|valid|produce) (?:a |an |valid )?JSON\b|\bJSON (?:format|object|"
    r"array)",
    re.IGNORECASE,
)
_CODE_NOUNS = ("function", "script", "program", "code", "query", "regex", "regular expression", "class", "method")
_CODE = re.compile(
    r"\b(?:write|implement|create|generate|code|give me|provide|develop)(?: \w+){0,4}? (?:function|script|program|"
    r"code|"
    r"query|regex|regular expression|class|method)\b",
    re.IGNORECASE,
)
# Tasks in which more words are not more help.
_BRIEF = re.compile(
    r"\b(?:brief(?:ly)?|short(?:er|en|ly)?|concise(?:ly)?|succinct(?:ly)?|(?:one|single) (?:word|sentence)|headline|"
    r"title|tagline|slogan|yes or no|true or false|classify|categori[sz]e|which of the following|edit|fix|correct|"
    r"rewrite|rephrase|translate|convert|calculate|identify)\b",
    re.IGNORECASE,
)

_NUMBERED_ITEM = re.compile(r"^[ \t]{0,3}(?:\*\*)?(?:step )?\d{1,3}[.):]", re.MULTILINE | re.IGNORECASE)
_BULLET_ITEM = re.compile(r"^[ \t]{0,1}[-*•+–][ \t]", re.MULTILINE)
_TABLE_ROW = re.compile(r"^[ \t]{0,3}\|[^\n]*\|[ \t]*$", re.MULTILINE)
_LOOKS_LIKE_CODE = re.compile(
    r"^[ \t]*(?:def |class |import |from \w+ import|function |const |let |var |public |#include|SELECT |<\w+|"
    r"return\b|"
    r"for \(|if \()|[{};]\s*$|\w\([^)\n]{0,80}\)",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Requests:
    """The countable wishes of a task; None and False mean that nothing was said."""

    items: tuple[str, int] | None = None
    words: tuple[str, int] | None = None
    sentences: int | None = None
    paragraphs: int | None = None
    as_list: bool = False
    as_table: bool = False
    as_json: bool = False
    as_code: bool = False
    brief: bool = False


@dataclass(frozen=True, slots=True)
class Check:
    """One wish, and whether the answer keeps it."""

    asked: str
    found: str
    kept: bool


def read_requests(task: str) -> Requests:
    """What the task asks for in so many words."""
    text = task[:_READ]
    lowered = text.lower()
    paragraphs = _PARAGRAPHS.search(text) if "paragraph" in lowered else None
    words = _read_words(text) if "word" in lowered else None
    sentences = _read_sentences(text) if "sentence" in lowered else None
    return Requests(
        items=_read_items(text),
        words=words,
        sentences=sentences,
        paragraphs=_number(paragraphs[1]) if paragraphs else None,
        as_list=("bullet" in lowered or "list" in lowered) and _LIST.search(text) is not None,
        as_table="tab" in lowered and _TABLE.search(text) is not None,
        as_json="json" in lowered and _JSON.search(text) is not None,
        as_code=any(noun in lowered for noun in _CODE_NOUNS) and _CODE.search(text) is not None,
        brief=_BRIEF.search(text[:600]) is not None or sentences is not None or (words is not None and words[1] <= 60),
    )


def check_requests(requests: Requests, text: str, word_count: int) -> tuple[Check, ...]:
    """Which of them this answer keeps, as far as counting tells."""
    checks: list[Check] = []
    if requests.items is not None and (found := count_items(text)) > 1:
        kind, wanted = requests.items
        kept = found >= wanted if kind == "at least" else found <= wanted if kind == "up to" else found == wanted
        asked = f"{kind} {wanted} items" if kind in ("at least", "up to") else f"{wanted} items"
        checks.append(Check(asked, str(found), kept))
    if requests.words is not None:
        kind, wanted = requests.words
        least, most = {"at most": (0.0, 1.05), "at least": (0.95, 9e9), "about": (0.8, 1.2)}[kind]
        checks.append(Check(f"{kind} {wanted} words", str(word_count), least * wanted <= word_count <= most * wanted))
    if requests.sentences is not None:
        count = len(sentence_spans(text, limit=200))
        checks.append(Check(_several(requests.sentences, "sentence"), str(count), count <= requests.sentences))
    if requests.paragraphs is not None:
        count = len([block for block in re.split(r"\n[ \t]*\n", text[:100_000]) if block.strip()])
        checks.append(Check(_several(requests.paragraphs, "paragraph"), str(count), count == requests.paragraphs))
    if requests.as_list:
        checks.append(_presence("a list", count_items(text) > 1))
    if requests.as_table:
        checks.append(_presence("a table", len(_TABLE_ROW.findall(text)) > 1 or "\t" in text))
    if requests.as_json:
        checks.append(_presence("JSON", _has_json(text)))
    if requests.as_code:
        checks.append(_presence("code", "```" in text or _LOOKS_LIKE_CODE.search(text) is not None))
    return tuple(checks)


def count_items(text: str) -> int:
    """The items of a text's lists: the numbered ones, or where there are none the bullets."""
    return len(_NUMBERED_ITEM.findall(text)) or len(_BULLET_ITEM.findall(text))


def _read_items(text: str) -> tuple[str, int] | None:
    for match in _ITEMS.finditer(text):
        wanted = _number(match[2])
        if match[3].lower() not in _NOT_ITEMS and 2 <= wanted <= 50:
            return ((match[1] or "").strip().lower() or "exactly", wanted)
    return None


def _read_words(text: str) -> tuple[str, int] | None:
    match = _WORDS.search(text)
    if match is None:
        return None
    before = text[max(0, match.start() - 20) : match.start()]
    kind = "at most" if match[2] or _AT_MOST.search(before) else "at least" if _AT_LEAST.search(before) else "about"
    return kind, int(match[1])


def _read_sentences(text: str) -> int | None:
    match = _SENTENCES.search(text)
    if match is None:
        return None
    if match[1]:
        return _number(match[1])
    return 1 if "single" in match[0].lower() else None


def _number(written: str) -> int:
    return _NUMBERS.get(written.lower()) or int(written)


def _several(count: int, noun: str) -> str:
    return f"{count} {noun}" + ("" if count == 1 else "s")


def _presence(what: str, there: bool) -> Check:
    return Check(what, "one" if there else "none", there)


def _has_json(text: str) -> bool:
    body = text.strip()
    if "```" in body:
        body = body.split("```")[1].removeprefix("json").strip()
    if body[:1] not in ("{", "["):
        return False
    try:
        json.loads(body)
    except (ValueError, RecursionError):
        return False
    return True
