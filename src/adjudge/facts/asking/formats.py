"""Wishes for a format, and formats that are forbidden, read from sentences of instructions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from ..patterns import put_off
from ..wishes import FormatName, FormatWish
from .asked import MOST_MATCHES, is_asked, is_request
from .lexicon import NEVER, Lexicon
from .literals import may_match
from .passages import Sentence

_WINDOW = 70  # characters behind a "do not use" in which formats are forbidden
_REQUIRED: tuple[FormatName, ...] = (
    "bulleted list", "numbered list", "list", "table", "json", "html", "csv", "yaml", "xml", "plain text",
)  # fmt: skip
_TURNS_BACK = put_off(
    r"\b(?:but|instead|just|only|sondern|sino|mais|mas|ma|unless|except)\b|而是|[.;!?。！？]", re.IGNORECASE
)
# A format's name as part of another thing: a JSON file, table salt, a code of conduct.
_PART_OF_NAME = put_off(
    r"[ -]?(?:librar|modul|files?\b|pars|schema|tennis|salt|of contents|of conduct|bases?\b|word|review|data\b|lamp|"
    r"tags?\b|page|"
    r"website|deseriali|seriali|convert|column|names?\b|editor|switch|names|elements?\b|below|above|style|"
    r"comprehension|that i\b|from\b)",
    re.IGNORECASE,
)
_ONLY = put_off(
    r"\bonly\b|\bnothing (?:else|but)\b|\bjust\b|\bs[óo]lo\b|\bsolamente\b|\bunicamente\b|\buniquement\b|"
    r"\bseulement\b|\bnur\b|"
    r"\bapenas\b|\bsomente\b|\bsoltanto\b|\bsolo\b|のみ|だけ|只|仅|僅|만(?= )|केवल|सिर्फ|فقط",
    re.IGNORECASE,
)


def read_formats(sentences: Sequence[Sentence], lexicons: Sequence[Lexicon]) -> tuple[FormatWish, ...]:
    """All formats asked for or forbidden, in the order of the text; one of each name."""
    found: dict[tuple[FormatName, bool], FormatWish] = {}
    lowered = [sentence.text.lower() for sentence in sentences]
    whole = "\n".join(lowered)
    named = [lexicon for lexicon in lexicons if lexicon.may_name_format(whole)]
    for sentence, low in zip(sentences, lowered, strict=True):
        for lexicon in named:
            if not lexicon.may_name_format(low):
                continue
            banned = list(_forbidden(sentence, lexicon))
            for wish in [*banned, *_required(sentence, lexicon, banned), *_code(sentence, lexicon, banned)]:
                found.setdefault((wish.name, wish.forbidden), wish)
    names = [name for name, forbidden in found if forbidden]
    # Asked for and forbidden in one breath: not understood, so not read.
    wishes = [wish for wish in found.values() if wish.forbidden or wish.name not in names]
    if {"bulleted list", "numbered list"} & {wish.name for wish in wishes if not wish.forbidden}:
        wishes = [wish for wish in wishes if wish.forbidden or wish.name != "list"]
    return tuple(sorted(wishes, key=lambda wish: wish.start))


def _forbidden(sentence: Sentence, lexicon: Lexicon) -> Iterator[FormatWish]:
    text = sentence.text
    cues = lexicon.compiled(lexicon.forbids).finditer(text) if may_match(lexicon.forbids, text.lower()) else iter(())
    for cue in islice(cues, MOST_MATCHES):
        stop = _TURNS_BACK.search(text, cue.end())
        end = min(stop.start() if stop else len(text), cue.end() + _WINDOW)
        at = cue.end()
        # One format after the other, with nothing but a comma, an "or" or an article between them.
        while found := _next_format(text, at, end, lexicon):
            name, match = found
            yield _wish(sentence, name, cue.start(), match.end(), forbidden=True)
            at = match.end()
    for name, noun in lexicon.formats.items() if lexicon.forbids_after != NEVER else ():
        for match in lexicon.compiled(rf"(?:{noun})(?:{lexicon.forbids_after})").finditer(text):
            yield _wish(sentence, name, match.start(), match.end(), forbidden=True)


def _next_format(text: str, at: int, end: int, lexicon: Lexicon) -> tuple[FormatName, re.Match[str]] | None:
    between = (
        r"[\s,，、/]{0,3}(?:(?:or|and|nor|any|an?|o|y|u|ni|ou|et|de|oder|und|keine|e|le|或|或者|和|与|أو|و)\b ?){0,2}"
        r"(?:[a-z]{3,10} )?"
    )
    edge = r"\b" if lexicon.spaced else ""
    best: tuple[FormatName, re.Match[str]] | None = None
    for name, noun in lexicon.formats.items():
        match = lexicon.compiled(rf"{between}{edge}(?:{noun})").match(text, at, end)
        if match is None or _goes_on(text, match.end(), lexicon) or _PART_OF_NAME.match(text, match.end()):
            continue
        if best is None or len(match[0]) > len(best[1][0]):
            best = name, match
    return best


def _goes_on(text: str, at: int, lexicon: Lexicon) -> bool:
    """Whether the word that a noun was found in is longer than the noun."""
    return lexicon.spaced and at < len(text) and text[at].isalnum()


def _required(sentence: Sentence, lexicon: Lexicon, banned: list[FormatWish]) -> Iterator[FormatWish]:
    text = sentence.text
    lowered = text.lower()
    edge = r"\b" if lexicon.spaced else ""
    for name in _REQUIRED:
        noun = lexicon.formats.get(name)
        if noun is None or not may_match(noun, lowered) or not lexicon.compiled(noun).search(text):
            continue
        pattern = rf"(?:{lexicon.frame}){edge}(?P<f>{noun})|{edge}(?P<g>{noun})(?:{lexicon.frame_after})"
        for match in islice(lexicon.compiled(pattern).finditer(text), MOST_MATCHES):
            group = "f" if match["f"] is not None else "g"
            start, end = match.span(group)
            if _goes_on(text, end, lexicon) or _PART_OF_NAME.match(text, end):
                continue
            if any(wish.start <= sentence.start + start < wish.end for wish in banned):
                continue
            if not _is_wanted(sentence, match.start(), end, lexicon) or _only_listing(name, text, end, lexicon):
                continue
            if lexicon.compiled(lexicon.about_program).search(text):
                return
            yield _wish(sentence, name, match.start(), end, only=_ONLY.search(text) is not None)
            break


def _is_wanted(sentence: Sentence, start: int, end: int, lexicon: Lexicon) -> bool:
    return is_asked(sentence, start, end, lexicon, clause=True) or is_request(sentence, start, end, lexicon)


def _only_listing(name: FormatName, text: str, end: int, lexicon: Lexicon) -> bool:
    """ "Make a list of …" asks for things; only "as a list", "in list form" asks for a form."""
    return (
        name == "list"
        and lexicon.spaced
        and re.match(r" (?:of|de|di|von|mit|con|com|with|d')\b", text[end:]) is not None
    )


def _code(sentence: Sentence, lexicon: Lexicon, banned: list[FormatWish]) -> Iterator[FormatWish]:
    text = sentence.text
    if any(wish.name == "code" for wish in banned):
        return
    match = lexicon.compiled(lexicon.code).search(text) if may_match(lexicon.code, text.lower()) else None
    if match is None or not is_request(sentence, match.start(), match.end(), lexicon):
        return
    groups = match.groupdict()
    language = groups.get("lang") or groups.get("lang2")
    yield _wish(sentence, "code", match.start(), match.end(), language=language.lower() if language else None)


def _wish(
    sentence: Sentence,
    name: FormatName,
    start: int,
    end: int,
    *,
    forbidden: bool = False,
    only: bool = False,
    language: str | None = None,
) -> FormatWish:
    words = sentence.text[start:end]
    lead, tail = len(words) - len(words.lstrip(" ,;(")), len(words.rstrip())
    start, end = start + lead, start + tail
    return FormatWish(
        name, forbidden, sentence.start + start, sentence.start + end, sentence.text[start:end], language, only
    )
