"""Find the forms that a task may ask for: a list, a table, JSON, a title, quotation marks; and count sections,
highlighted parts, placeholders and words in capitals. What was asked for is not known here.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from itertools import groupby, pairwise
from typing import Literal

from ..text.sentences import ends_a_sentence, hide_code, rough_words
from ..text.structure import read_line, read_structure
from .counting import Counts

_READ = 200_000  # characters; what is counted here occurs tens of times, not thousands
_COLUMNS = re.compile(r"\S *\||\| *\S|\S(?:\t| {3})")
_TABLE_CODE = re.compile(r"<table|\\begin\{tabular")
_LIST_CODE = re.compile(r"<li\b|\\item\b")
_TITLE_WORDS = 20  # a longer first line is a sentence
_SHORT = 12  # words; lines that are shorter and end no sentence may be a list
_BLANK_LINE = re.compile(r"\n[ \t]*\n\s*")
_DIVIDER = re.compile(r"\s*[-=*_~·•–—]{3,}\s*")


# -- list, table, title, quotation marks ------------------------------------------------------------------------------


def has_list(text: str) -> bool:
    """Return whether a text has a list: marked items, or two short lines in a row that end no sentence."""
    structure = read_structure(text.replace("```", ""))
    if structure.bold_leads > 1 or _LIST_CODE.search(text) or any(one.style != "table" for one in structure.listings):
        return True
    short = [0 < rough_words(line) <= _SHORT and not ends_a_sentence(line) for line in text.split("\n") if line.strip()]
    return any(upper and lower for upper, lower in pairwise(short))


def has_table(text: str) -> bool:
    """Return whether a text has a table: Markdown, HTML, LaTeX, drawn, or columns."""
    # A table may be in a fence, be HTML or drawn, or lack the line below its header, so look for lines with columns.
    columns = [_COLUMNS.search(line) is not None for line in text.split("\n")]
    return any(upper and lower for upper, lower in pairwise(columns)) or _TABLE_CODE.search(text) is not None


_TITLE_LABEL = re.compile(
    r"(?im)^[ #*_]{0,6}(?:title|título|titre|titel|titolo|заголовок|标题|標題|タイトル|제목)[*_]{0,3} ?[:：]"
)
_HEADING = re.compile(
    r"(?m)^ {0,3}#{1,6}[ \t]+\S|^(?=.*\w).*\n(?:=+|-+)[ \t]*$|<h[1-6]\b|<title\b|\\(?:title|section)\b|"
    r"<<[^\n<>]{1,200}>>"
)
_FIRST_LINE = re.compile(
    r"(?P<marks>[*_<\[\"“«「『]{0,3})(?P<title>[^\n]{1,150}?)[*_>\]\"”»」』]{0,3}[ \t]*\n(?P<blank>[ \t]*\n)?"
)
_LIST_MARK = re.compile(r"[-*•+–·●▪◦‣・]\s|\(?\d{1,3}[.)]")


def has_title(text: str, marks: str = "") -> bool:
    """Return whether a text has a title: between the given marks, or else a heading or a first line that is a title.

    `marks` are those around the title, such as "<<>>".
    """
    if marks:
        opening, closing = re.escape(marks[: len(marks) // 2]), re.escape(marks[len(marks) // 2 :])
        found = re.findall(rf"{opening}([^\n]{{1,200}}?){closing}", text)
        return any(any(map(str.isalnum, title)) for title in found)
    if _HEADING.search(text) or _TITLE_LABEL.search(text):
        return True
    text = text.strip()
    first = _FIRST_LINE.match(text)
    if first is None or _LIST_MARK.match(text):
        return False
    # A first line is a title if it is emphasised, or is followed by a blank line and ends no sentence.
    title = first["title"].strip()
    alone = first["blank"] is not None and title[-1:] not in ".,;:。，；："
    return (alone or first["marks"] != "") and rough_words(title) <= _TITLE_WORDS


_OPENING, _CLOSING = '"“„«»「『＂', '"”“»«」』＂'


def is_quoted(text: str) -> bool:
    """Return whether a text begins and ends with double quotation marks of any kind."""
    bare = text.strip(" \t\r\n*_")
    return len(bare) > 1 and bare[0] in _OPENING and bare[-1] in _CLOSING


# -- JSON -------------------------------------------------------------------------------------------------------------

_FENCE = re.compile(r"(`{3,}|~{3,})[ \t]*(?:[A-Za-z][\w+-]*)?")
_BRACKETS = 200  # pairs that are checked
_OPENED = re.compile(r"[{\[]")
_BRACKET = re.compile(r"[{}\[\]]")
_KEY = re.compile(r'"[^"\n]{1,100}"[ \t]*:')


def _refuse(constant: str) -> None:
    raise ValueError(constant)  # NaN and Infinity are no JSON


# Numbers stay text: Python refuses to convert very long ones.
_DECODER = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=_refuse)


def read_json(text: str) -> Literal["whole", "in prose", "broken", "none"]:
    """Return whether a text is JSON as a whole (one code fence aside), holds JSON, holds broken JSON, or holds none.

    Several objects or arrays, one after the other, are JSON too (JSON Lines).
    """
    bare = text.strip("\ufeff \t\r\n")
    if fence := _FENCE.match(bare):
        bare = bare[fence.end() :].rstrip(fence[1][0])
    if _is_json(bare):
        return "whole"
    found = _values(text)
    return "in prose" if True in found else "broken" if found else "none"


def _is_json(text: str) -> bool:
    text = text.strip(" \t\r\n")
    at = count = 0
    while at < len(text):
        try:
            value, at = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            return False
        count += 1
        while at < len(text) and text[at] in " \t\r\n":
            at += 1
        if at < len(text) and not isinstance(value, dict | list):
            return False
    return count > 0


def _values(text: str) -> list[bool]:
    """Return, for each outermost pair of brackets that may hold JSON, whether it does."""
    found: list[bool] = []
    at = 0
    while len(found) < _BRACKETS and (opened := _OPENED.search(text, at)) is not None:
        try:
            value, at = _DECODER.raw_decode(text, opened.start())
            # A number in brackets inside a line is a footnote, not data.
            found.append(isinstance(value, dict) or not text[: opened.start()].rpartition("\n")[2].strip(" \t`"))
        except (ValueError, RecursionError):
            at = _closing(text, opened.start())
            if at < 0:
                return [*found, False] if "}" in text or "]" in text or _KEY.search(text) else found
            found.append(False)
    return found


def _closing(text: str, start: int) -> int:
    """Return the position after the bracket that closes the one at `start`, or -1 if none does."""
    depth = 0
    for bracket in _BRACKET.finditer(text, start):
        depth += 1 if bracket[0] in "{[" else -1
        if not depth:
            return bracket.end()
    return -1


# -- numbers ----------------------------------------------------------------------------------------------------------

_SECTION_NUMBER = re.compile(r"[\W_]*\b(?:\d+|[XNI])\W*$")
_NUMBERED = r"[ \t]*(?:\d{1,3}|[IVXLC]{1,6}|[A-Z])\b"
_LEVEL = re.compile(r"(?m)^ {0,3}(#{1,6})[ \t]+\S|^[ \t]*\*\*[^*\n]{1,100}\*\*:?[ \t]*$")


def section_counts(text: str, marker: str = "") -> Counts:
    """Return the possible numbers of sections that begin with a marker ("Section 1"), or else with a heading.

    There are none if no marker was given and the text has no headings.
    """
    text = text[:_READ]
    # "SECTION X", "Section 1" and "Section" mark sections in the same way.
    if word := re.escape(_SECTION_NUMBER.sub("", marker.strip()) or marker.strip()):
        lines = len(re.findall(rf"(?im)^[ \t#*_>\[(<\"“]*{word}(?!\w)", text))
        numbered = len(re.findall(rf"(?<!\w)(?i:{word}){_NUMBERED}", text))
        return range(min(lines, numbered), max(lines, numbered) + 1)
    levels = Counter(match[1] or "" for match in _LEVEL.finditer(text))
    if not levels:
        return frozenset()
    # The headings may include a title.
    total = levels.total()
    return frozenset({*levels.values(), total, max(total - 1, 1)})


_EMPHASIS = re.compile(
    r"\*\*\*(?=\S)[^*\n]{1,500}?\*\*\*|\*\*(?=\S)(?:[^*\n]|\*(?!\*)){1,500}?\*\*|"
    r"(?<!\*)\*(?=[^\s*])[^*\n]{1,500}?\*(?!\*)|(?<!\w)__(?=\S)[^\n]{1,200}?__(?!\w)|"
    r"(?<!\w)_(?=[^\s_])[^_\n]{1,500}?_(?!\w)|==(?=\S)[^=\n]{1,500}==|<(b|strong|i|em|mark|u)>[^<\n]{1,500}</\1>",
    re.IGNORECASE,
)


def highlight_counts(text: str) -> Counts:
    """Return how many parts of a text are highlighted: bold, italic or marked, without and with those in code."""
    without, all_of_it = (sum(1 for _ in _EMPHASIS.finditer(body)) for body in _bodies(text))
    return range(without, all_of_it + 1)


def _bodies(text: str) -> tuple[str, str]:
    """Return a text without its code blocks, and all of it."""
    return hide_code(text[:_READ]), text[:_READ]


_SQUARE = re.compile(r"\[([^\[\]\n]{1,200})\](\()?")
_LONG_SQUARE = re.compile(r"\[[^\[\]\n]{201,2000}\]")  # hardly a placeholder, but it may be one
_NO_PLACEHOLDER = re.compile(r"[\d\s,–-]+|[xX ]")
_OTHER_BRACKETS = re.compile(r"\{\{?[^{}\n]{1,100}\}?\}|<[A-Za-z][^<>\n/=]{0,100}>")


def placeholder_counts(text: str, quote: str = "") -> Counts:
    """Return the possible numbers of placeholders. Links, footnotes and check boxes in square brackets may be none.

    Other brackets are placeholders only if the quote, the words of the demand, shows no square ones.
    """
    without, all_of_it = _bodies(text)
    sure = [inner for inner, link in _SQUARE.findall(without) if not link and not _NO_PLACEHOLDER.fullmatch(inner)]
    others = 0 if "[" in quote else len(_OTHER_BRACKETS.findall(all_of_it))
    others += len(_LONG_SQUARE.findall(all_of_it))
    return range(len(sure), len(_SQUARE.findall(all_of_it)) + others + 1)


_TIMES = re.compile(
    r"\b(?:times|twice|once|veces|fois|vezes|volte|раза?)\b|(?:\d\s?|ein|zwei|drei|vier|fünf)mal\b|[\d一二三四五六七八九十]\s?[回次번]",
    re.IGNORECASE,
)
_PHRASE = 5  # words
_TOKEN = re.compile(r"[^\W_]+(?:[’'.&-][^\W_]+)*")


def capital_word_counts(text: str, quote: str = "") -> Counts:
    """Return the possible numbers of words in capitals. "I" and "A" may not be counted; "ONE-WAY" is one or two.

    If the quote, the words of the demand, says how many times, a phrase in capitals may be one time.
    """
    without, all_of_it = ([word for word in _TOKEN.findall(body) if word.isupper()] for body in _bodies(text))
    least = sum(sum(map(str.isalpha, word)) > 1 for word in without)
    if _TIMES.search(quote):
        runs = [len(list(run)) for capital, run in groupby(_TOKEN.findall(_bodies(text)[0]), str.isupper) if capital]
        least = min(least, sum(1 if run <= _PHRASE else run for run in runs))
    return range(least, sum(1 + word.count("-") for word in all_of_it) + 1)


_LABEL = re.compile(r"\A[^\n:：.!?]{1,30}[:：]\**[ \t]*")  # "Paragraph 2: "


def paragraph_starts(text: str, number: int) -> list[str]:
    """Return how the paragraph with this number may begin, for each way of counting paragraphs that has so many.

    Paragraphs are blocks between blank lines, or lines, with and without headings, lead-ins and dividers, or each with
    the heading above it. A number, a bullet or a label ("Paragraph 2:") may come before the first word.
    """
    blocks = [block.strip() for block in _BLANK_LINE.split(text.strip()) if block.strip()]
    lines = [line.strip() for line in text.split("\n") if any(map(str.isalnum, line))]
    if len(blocks) == 1:
        blocks = lines
    undivided = [block for block in blocks if not _DIVIDER.fullmatch(block)]
    plain = [block for block in undivided if not _is_heading(block)]
    untitled = undivided[1:] if undivided and _is_heading(undivided[0]) else undivided
    told = [block for block in plain if not block.endswith((":", "："))]
    ways = (undivided, plain, untitled, told, _headed(undivided), blocks, lines)
    starts = [start for way in ways if len(way) >= number for start in _starts(way[number - 1])]
    return list(dict.fromkeys(starts))


def _is_heading(block: str) -> bool:
    """Return whether a block is a title or another short line that ends no sentence."""
    worded = " ".join(word for word in block.split() if any(map(str.isalnum, word)))
    short = not ends_a_sentence(block) and rough_words(worded) <= _SHORT
    return short or ("\n" not in block and _TITLE_LABEL.match(block) is not None)


def _headed(blocks: list[str]) -> list[str]:
    """Return the blocks, each together with the headings above it."""
    groups: list[str] = []
    heading = ""
    for block in blocks:
        heading += f"{block}\n\n"
        if not _is_heading(block):
            groups.append(heading.strip())
            heading = ""
    return [*groups, heading.strip()] if heading else groups


def _starts(block: str) -> Iterator[str]:
    """Yield a block as it is, without a number or bullet before it, and without a label before it or on its first
    line."""
    label, _, rest = block.partition("\n")
    for start in (block, rest.lstrip()) if rest and _is_heading(label) else (block,):
        yield start
        yield read_line(start.partition("\n")[0])[1].lstrip()
        yield _LABEL.sub("", start, count=1)
