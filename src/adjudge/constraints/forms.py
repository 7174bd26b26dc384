"""Find the forms that a task may ask for: a list, a table, a title, JSON, a code block, quotation marks; and count
words in capitals. A form that only some would call one is None: it may be there.
"""

from __future__ import annotations

import html
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby, pairwise
from typing import Literal

from ..text.sentences import code_spans, ends_a_sentence, hide_code, rough_words
from ..text.structure import read_line, read_structure
from .counting import Counts
from .marks import MOST_READ, count_between, marks_around
from .numbers import spelled_numbers

_TITLE_WORDS = 20  # a longer first line is a sentence
_SHORT = 12  # words; lines that are shorter and end no sentence may be a list
_BLANK_LINE = re.compile(r"\n[ \t]*\n\s*")
_DIVIDER = re.compile(r"\s*[-=*_~·•–—]{3,}\s*")


# -- list, table, title, code block, quotation marks ------------------------------------------------------------------

_LIST_CODE = re.compile(r"<li\b|\\item\b")
# Three short things in one line, or two numbers: "red, blue and green", "(1) stir, (2) wait".
_PIECE = r"[^\s,;،、，；·.!?。！？]{1,30}+"
_THING = rf"{_PIECE}(?:[ \t]{_PIECE}){{0,5}}+"
_ENUMERATION = re.compile(
    rf"{_THING}(?:[,;،、，；·][ \t]*{_THING}){{2,}}+|"
    rf"{_THING},[ \t](?:{_PIECE}[ \t]){{1,4}}(?:and|or|y|e|o|et|ou|und|oder|en|of|и|или|ve|và|dan)[ \t]{_THING}|"
    r"(?<!\w)\(?(?:1|a|i)[.)][^\n]{1,300}?(?<!\w)\(?(?:2|b|ii)[.)][^\n]{1,300}"
)
_LARGE = 3  # an enumeration that is at least one part in three of a text may be the list asked for


_SIGN = re.compile(r"(?m)^[ \t]*([^\w\s\"'“”‘’«»„(\[{<.…¿¡#`~|])")
_LABEL = re.compile(r"[^\W_][^\n.!?。！？:：]{0,30}?(?:[:：.)、]| [-–—] )")


def has_list(text: str) -> bool | None:
    """Return whether a text has a list: marked items, or two short lines in a row that end no sentence. What is
    enumerated in one line, in short sentences, in lines with labels or as first, second, third, may be one."""
    structure = read_structure(text.replace("```", ""))
    if structure.bold_leads > 1 or _LIST_CODE.search(text) or any(one.style != "table" for one in structure.listings):
        return True
    lines = [line for line in text.split("\n") if line.strip()]
    short = [0 < rough_words(line) <= _SHORT for line in lines]
    if _both(is_short and not ends_a_sentence(line) for line, is_short in zip(lines, short, strict=True)):
        return True
    signs = Counter(_SIGN.findall(text))
    if signs and max(signs.values()) > 1:
        return True
    enumerated = sum(len(found[0]) for found in _ENUMERATION.finditer(text[:MOST_READ]))
    if _both(short) or _both(_LABEL.match(line) is not None for line in lines) or _counts_off(text[:MOST_READ]):
        return None
    return None if enumerated * _LARGE >= len(text) > 0 else False


def _counts_off(text: str) -> bool:
    """Return whether two sentences begin with a number: first, secondly."""
    numbers = tuple(form for form in spelled_numbers() if len(form) > 2)
    begun: set[str] = {
        sentence.lstrip("*_¿¡").casefold() for sentence in re.findall(r"(?m)(?:^|[.!?。！？])\s*(\S{1,20})", text)
    }
    return sum(word.startswith(numbers) for word in begun) > 1


def _both(holds: Iterable[bool]) -> bool:
    """Return whether something holds of two lines in a row."""
    return any(upper and lower for upper, lower in pairwise(holds))


_COLUMNS = re.compile(r"\S *[|│┃║｜]|[|│┃║｜] *\S|\S(?:\t| {3}|\u3000+\S)")
_TABLE_CODE = re.compile(r"<t(?:able|r)\b|\\begin\{(?:tabular|array|longtable|tblr)")
_SEPARATOR = re.compile(r"[;；|]|\S {2,}(?=\S)|[:：] *(?=\S)| [-–—=→] |,(?=\S)|(?:[,،、，][^,،、，]*){2}")
_ROW_WORDS = 20


def has_table(text: str) -> bool | None:
    """Return whether a text has a table: Markdown, HTML, LaTeX, drawn, or columns. Rows with other separators, or all
    in one line, may be one."""
    # A table may be in a fence, be HTML or drawn, or lack the line below its header, so look for lines with columns.
    lines = [line for line in text.split("\n") if line.strip()]
    if _both(_COLUMNS.search(line) is not None for line in lines) or _TABLE_CODE.search(text):
        return True
    alike = any(upper == lower > 0 for upper, lower in pairwise(map(_separators, lines)))
    return None if alike or any(line.count("|") > 1 for line in lines) else False


def _separators(line: str) -> int:
    """Count the separators of a line that may be the row of a table."""
    row = rough_words(line) <= _ROW_WORDS and not _LIST_MARK.match(line.lstrip()) and not ends_a_sentence(line)
    return len(_SEPARATOR.findall(line.strip())) if row else 0


# A title that is named: "Title: The River", `The title of the film is "The River"`.
_TITLE_LABEL = re.compile(
    r"(?i)(?:(?<![^\W_])(?:titl|título|titulo|titre|titel|titol|tytuł|назван|заголов|judul|başlık|tiêu đề)|"
    r"标题|標題|题目|題目|タイトル|題名|제목|عنوان|शीर्षक)[^\n.!?。！？:：\"“„«「『《*]{0,60}[:：\"“„«「『《*]"
)
_HEADING = re.compile(
    r"(?m)^ {0,3}#{1,6}[ \t]*[^\s#]|^(?=.*\w).*\n(?:=+|-+)[ \t]*$|<h[1-6]\b|<title\b|\\(?:title|section)\b|"
    r"<<[^\n<>]{1,200}>>|^[ \t]*(\*{1,3}|_{1,3})(?=[^\s*_])[^\n*]{1,150}\1[ \t]*$"
)
_BULLET = re.compile(r"[-*•+–·●▪◦‣・]\s")
_LIST_MARK = re.compile(rf"{_BULLET.pattern}|\(?\d{{1,3}}[.)]")
_NO_TITLE_END = ".,;:。，；："
# Marks that are written in place of others: « for <<.
_ALIKE = str.maketrans(
    {**dict.fromkeys("≪«《〈⟨⟪‹", "<<"), **dict.fromkeys("≫»》〉⟩⟫›", ">>"), "＊": "*", "＃": "#", "＜": "<", "＞": ">"}
)
_ESCAPED = re.compile(r"\\(?=[^\w\s])")


def has_title(text: str, marks: str = "") -> bool | None:
    """Return whether a text has a title: between the given marks, or else a heading or a first line that is a title.

    `marks` are those around the title, such as "<<>>". Marks that look alike, a heading in place of ##…##, and a short
    line on its own may do.
    """
    text = text.strip()[:MOST_READ]
    if marks and (pair := marks_around(marks)):
        if count_between(text, pair):
            return True
        plain = _ESCAPED.sub("", html.unescape(text)).translate(_ALIKE)
        opening, closing = (mark.translate(_ALIKE) for mark in pair)
        alike = count_between(plain, (opening, closing)) or count_between(plain, (closing, opening))
        return None if alike or (opening[0] == "#" and _HEADING.search(text)) else False
    if _HEADING.search(text) or _TITLE_LABEL.search(text):
        return True
    first, _, rest = text.partition("\n")
    if not rest:
        return False
    first = first.rstrip()
    if not _BULLET.match(first) and rough_words(first) <= _TITLE_WORDS:
        # A first line is a title if it is between marks or in capitals, or is followed by a blank line and ends no
        # sentence. Any other first line that is short may be one.
        blank, ended = not rest.partition("\n")[0].strip(), first[-1] in _NO_TITLE_END
        if _is_wrapped(first) or first.isupper() or (blank and not ended and not _LIST_MARK.match(first)):
            return True
        if not ended or (blank and first[-1] in ".。" and rough_words(first) <= _SHORT):
            return None
    lines = [line.strip() for line in text.split("\n")]
    return None if any(map(_may_be_title, lines, lines[1:])) else False


def _is_wrapped(line: str) -> bool:
    line = line.strip()
    closing = line[-1:]
    return len(line) > 2 and not line[0].isalnum() and not closing.isalnum() and closing not in _NO_TITLE_END


def _may_be_title(line: str, below: str) -> bool:
    """Return whether a line may be a title because it is short, ends no sentence and has something longer below."""
    short = 0 < rough_words(line) <= _SHORT and not ends_a_sentence(line) and line[-1] not in _NO_TITLE_END
    return short and not _LIST_MARK.match(line) and (not below or rough_words(below) > _SHORT)


_OTHER_CODE = re.compile(r"~{3}|[<\[](?:pre|code)\b|(?m:^(?: {4}|\t)\S)|\\begin\{(?:verbatim|lstlisting|minted)")


def has_code_block(text: str) -> bool | None:
    """Return whether a text has a code block in ``` fences. Code that is marked in another way may be one."""
    return True if code_spans(text) else None if _OTHER_CODE.search(text) else False


_OPENING, _CLOSING = '"“„«»「『＂', '"”“»«」』＂'
_SINGLE = "'‘’‚‹›"
_CLOSED = re.compile(rf"[{_CLOSING}{_SINGLE}](?!\w)")
_AROUND = " \t\r\n*_"
_NOTE = 20  # characters


def is_quoted(text: str) -> bool | None:
    """Return whether a text begins and ends with double quotation marks of any kind. Single ones, a code fence around
    them and a short note behind them may do."""
    bare = text.strip(_AROUND)
    if len(bare) > 1 and bare[0] in _OPENING and bare[-1] in _CLOSING:
        return True
    fence = _FENCE.match(bare)
    inside = bare[fence.end() :].rstrip(fence[1][0]) if fence else bare
    plain = _ESCAPED.sub("", html.unescape(inside)).strip(_AROUND + ">")
    noted = plain.startswith((*_OPENING, *_SINGLE, ",,", "``")) and _CLOSED.search(plain[-_NOTE:])
    return None if noted and len(plain) > 1 else False


# -- JSON -------------------------------------------------------------------------------------------------------------

_FENCE = re.compile(r"(`{3,}|~{3,})[ \t]*(?:[A-Za-z][\w+-]*)?")
_BRACKETS = 200  # pairs that are checked
_OPENED = re.compile(r"[{\[]")
_BRACKET = re.compile(r"[{}\[\]]")


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
                return [*found, False] if _is_begun(text, opened.start()) else found
            found.append(False)
    return found


def _is_begun(text: str, start: int) -> bool:
    """Return whether a bracket that nothing closes begins JSON that breaks off: it has a key or another bracket's end,
    or the text or its fence begins with it and strings or numbers follow."""
    first = not _FENCE.sub("", text[:start]).strip()
    return re.search(r"[}\]\"\d]" if first else r"[}\]]|\"\s{0,9}:", text[start:]) is not None


def _closing(text: str, start: int) -> int:
    """Return the position after the bracket that closes the one at `start`, or -1 if none does."""
    depth = 0
    for bracket in _BRACKET.finditer(text, start):
        depth += 1 if bracket[0] in "{[" else -1
        if not depth:
            return bracket.end()
    return -1


# -- numbers ----------------------------------------------------------------------------------------------------------

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
    text = text[:MOST_READ]
    outside = hide_code(text)
    without, all_of_it = ([word for word in _TOKEN.findall(body) if word.isupper()] for body in (outside, text))
    least = sum(sum(map(str.isalpha, word)) > 1 for word in without)
    if _TIMES.search(quote):
        runs = [len(list(run)) for capital, run in groupby(_TOKEN.findall(outside), str.isupper) if capital]
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
    complete = [block for block in plain if not block.endswith((":", "："))]
    ways = (undivided, plain, untitled, complete, _headed(undivided), blocks, lines)
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
