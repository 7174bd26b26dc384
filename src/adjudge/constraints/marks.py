"""Find the marks that a task names to put words between (<<>>, ##…##, 『』), and what is between marks in a text:
highlighted parts and placeholders.
"""

from __future__ import annotations

import re

from ..text.sentences import hide_code
from .counting import Counts

MOST_READ = 200_000  # characters; what is counted here occurs tens of times, not thousands
_PAIRS = "<>[](){}«»‹›“”‘’「」『』《》〈〉【】〔〕〖〗（）［］｛｝＜＞≪≫⟨⟩⟪⟫⟦⟧"
_MIRRORED = str.maketrans(_PAIRS[::2], _PAIRS[1::2])
_SIGNS = re.compile(r"(?:[^\w\s]|_)+")
_OPENING = re.compile(f"[{re.escape(_PAIRS[::2])}]{{1,5}}")
# A task uses these around its own words, too, so they are the marks it asks for only if nothing is between them.
_ORDINARY = "(（“‘「"
_EQUAL = re.compile(
    r"(?P<mark>(?P<sign>[#~|+^=$%@&★☆※◆●■*_])(?P=sign){0,4})(?=\S)[^\n]{0,60}?(?<=\S)(?P=mark)(?!(?P=sign))"
)
_NEAR = 60  # characters between two marks in the words of a task
_LONGEST = 300  # characters between two marks in a response

Marks = tuple[str, str]


def marks_around(text: str) -> Marks | None:
    """Return the opening and the closing mark of a text that is bare marks ("<<>>", "####") or words between them."""
    signs = _SIGNS.match(text.strip())
    if signs is None:
        return None
    opening, rest = signs[0], text.strip()[signs.end() :].rstrip()
    if not rest:
        opening, rest = opening[: len(opening) // 2], opening[len(opening) // 2 :]
        return (opening, rest) if opening and rest == _mirrored(opening) else None
    return (opening, _mirrored(opening)) if rest.endswith(_mirrored(opening)) else None


def marks_in(quote: str) -> frozenset[Marks]:
    """Return the pairs of marks that the words of a task show: 《》 or 《word》, ##word##."""
    found = {(match["mark"], match["mark"]) for match in _EQUAL.finditer(quote)}
    for match in _OPENING.finditer(quote):
        closing = _mirrored(match[0])
        at = quote.find(closing, match.end(), match.end() + _NEAR + len(closing))
        if at == match.end() or (at > 0 and match[0][-1] not in _ORDINARY):
            found.add((match[0], closing))
    return frozenset(found)


def count_between(text: str, marks: Marks) -> int:
    """Return how many parts of a text with a letter or digit are between marks."""
    opening, closing = marks
    count, at = 0, text.find(opening)
    while at >= 0:
        start = at + len(opening)
        end = text.find(closing, start + 1, start + _LONGEST + len(closing))
        part = text[start:end].strip() if end >= 0 else "\n"
        count += "\n" not in part and any(map(str.isalnum, part))
        at = text.find(opening, at + 1 if "\n" in part else end + len(closing))
    return count


def _mirrored(opening: str) -> str:
    return opening[::-1].translate(_MIRRORED)


# -- highlighted parts and placeholders --------------------------------------------------------------------------------

_EMPHASIS = re.compile(
    r"\*\*\*(?=\S)[^*\n]{1,500}?\*\*\*|\*\*(?=\S)(?:[^*\n]|\*(?!\*)){1,500}?\*\*|"
    r"(?<!\*)\*(?=[^\s*])[^*\n]{1,500}?\*(?!\*)|(?<!\w)__(?=\S)[^\n]{1,200}?__(?!\w)|"
    r"(?<!\w)_(?=[^\s_])[^_\n]{1,500}?_(?!\w)|==(?=\S)[^=\n]{1,500}==|"
    r"<(b|strong|i|em|mark|u|ins|span|font)(?: [^<>\n]{0,100})?>[^<\n]{1,500}</\1>|\\(?:textbf|emph|textit)\{",
    re.IGNORECASE,
)
# Emphasis that makes a line a heading, or labels it, may not be meant.
_EMPHASISED_LABEL = re.compile(
    r"(?m)^[^\w\n*_]{0,9}(?:[*+-] |\d{1,3}[.)] )?[ \t]*([*_]{1,3})[^*\n]{1,200}?(?:[:：]\1|\1[ \t]*(?:[:：]|$))"
)
_BULLET_OR_DIVIDER = re.compile(r"(?m)^[ \t]*(?:[*＊][ \t]+|[*＊ \t]+$)")
_INLINE_CODE = re.compile(r"(?<!`)`[^`\n]{1,200}`(?!`)")
_MARKDOWN = frozenset("*_=")
_TAG = "<", ">"
# The quote of a demand names Markdown or a kind of type so. Else, and if it names capitals, anything that is set off
# may be highlighted.
_TYPE_NAMED = re.compile(
    r"markdown|markup|\baster[iy]|астериск|звёздоч|звездоч|星号|星號|アスタリスク|マークダウン|별표|마크다운|\bbold|negrit|\bgras|"
    r"\bfett|grassetto|жирн|太字|粗体|粗體|加粗|굵|\bit[aá]li[cq]|cursiv|kursiv|corsiv|курсив|斜体|斜體|기울|<b>|\*",
    re.IGNORECASE,
)
_CAPITALS_NAMED = re.compile(
    r"\bcaps|capital|upper ?case|ma[yij]u?[úu]sc|großbuchst|заглавн|прописн|大文字|大写|大寫|대문자", re.IGNORECASE
)
_SET_OFF = re.compile(
    r"[「『《【〈〔“«\[][^\n「」『』《》【】〈〉〔〕“”«»\[\]]{1,200}[」』》】〉〕”»\]]|\"[^\"\n]{1,200}\"|"
    r"(?m:^ {0,3}#{1,6} )|[\u2600-\u27bf\U0001f000-\U0001faff]|(?<!\w)[^\W\d_a-z]{2,}(?!\w)(?<=[A-ZÀ-ÞА-Я])"
)


def highlight_counts(text: str, quote: str = "", labels: bool = True) -> Counts:
    """Return how many parts of a text are highlighted: bold, italic or marked, or between marks that the quote, the
    words of the demand, shows. What is in code may not count, nor may headings and labels unless `labels`. Emphasis
    over several lines may."""
    without, all_of_it = _bodies(text)
    sure = sum(1 for _ in _EMPHASIS.finditer(without))
    most = sum(1 for _ in _EMPHASIS.finditer(all_of_it))
    most = max(most, len(re.findall(r"[*＊]+", _BULLET_OR_DIVIDER.sub("", all_of_it))) // 2)
    most += len(_INLINE_CODE.findall(without))
    least = sure if labels else max(sure - len(_EMPHASISED_LABEL.findall(without)), 0)
    marks = {pair for pair in marks_in(quote) if not _MARKDOWN.issuperset(pair[0]) and pair != _TAG}
    if marks:
        shown = sum(count_between(all_of_it, pair) for pair in marks)
        return range(shown or least if labels else min(shown, least), most + shown + 1)
    typed = _TYPE_NAMED.search(quote) and not _CAPITALS_NAMED.search(quote)
    others = 0 if typed else len(_SET_OFF.findall(all_of_it))
    return range(least, most + others + 1)


def _bodies(text: str) -> tuple[str, str]:
    """Return a text without its code blocks, and all of it."""
    return hide_code(text[:MOST_READ]), text[:MOST_READ]


_SQUARE = re.compile(r"\[([^\[\]\n]{1,200})\](\()?")
_LONG_SQUARE = re.compile(r"[\[［][^\[\]［］\n]{1,2000}[\]］]")
_NO_PLACEHOLDER = re.compile(r"[\d\s,–-]+|[xX ]")
_OTHER_BRACKETS = re.compile(
    r"\{\{?[^{}\n]{1,100}\}?\}|<[^\W\d_][^<>\n/=]{0,100}>|[【〔〈《][^【】〔〕〈〉《》\n]{1,100}[】〕〉》]|_{3,}|\.{5,}|…{2,}|"
    r"(?<!\w)(?:%\w{1,50}%|\$\w{1,50}\$|[X○〇]{2,10}(?!\w))"
)
_ROUND_BRACKETS = re.compile(r"\([^()\n]{1,100}\)|（[^（）\n]{1,100}）|「[^「」\n]{1,100}」|『[^『』\n]{1,100}』")
_SQUARE_NAMED = re.compile(
    r"square|corchete|crochet|colchete|parentesi quadr|eckig|vierkant|квадратн|"
    r"角括弧|ブラケット|方括[号號]|中括[号號]|대괄호|معقوف",
    re.IGNORECASE,
)


def placeholder_counts(text: str, quote: str = "", repeated: bool = True) -> Counts:
    """Return the possible numbers of placeholders. Links, footnotes, check boxes and long texts in square brackets may
    be none, and so may the same one again unless `repeated`. Other brackets and blanks are placeholders only if the
    quote, the words of the demand, shows no square ones."""
    without, all_of_it = _bodies(text)
    sure = [inner for inner, link in _SQUARE.findall(without) if not link and not _NO_PLACEHOLDER.fullmatch(inner)]
    least = len(sure if repeated else set(sure))
    others = 0 if "[" in quote else len(_OTHER_BRACKETS.findall(all_of_it))
    if "[" not in quote and not _SQUARE_NAMED.search(quote):
        others += len(_ROUND_BRACKETS.findall(all_of_it))
    return range(least, len(_LONG_SQUARE.findall(all_of_it)) + others + 1)
