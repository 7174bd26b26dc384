"""The HTML of a text that is judged, with its marks: as it is, character by character, or as the Markdown it is.

Such texts are hostile. Only the tags below are written, all else is escaped, and no link, image or HTML of the text
becomes one. A rendered text hides the characters of its markup and nothing more: addresses are shown in full.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from .code import coloured
from .escaping import clean
from .highlighting import Piece

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

# A longer text is shown as it is: so many hostile characters take half a second, twice as many four times that.
LONGEST = 10_000
# Every row of a table is filled up to the width of its head, so a short text can have many cells.
_MOST_CELLS = 4_000
# The characters that can mark a cut while Markdown is parsed; one that the text does not have is taken. Punctuation,
# because that may be next to asterisks on either side without changing what they mean.
_CUTS = "⸱⸲⸳⸴⸵⸶⸷⸸"
# Tags by kind of token. Headings are paragraphs, as the page has an outline of its own.
_TAGS = {
    "paragraph": "p", "blockquote": "blockquote", "bullet_list": "ul", "ordered_list": "ol", "list_item": "li",
    "strong": "strong", "em": "em", "s": "s",
    "table": "table", "thead": "thead", "tbody": "tbody", "tr": "tr", "th": "th", "td": "td",
}  # fmt: skip
_OWN_DIRECTION = {"p", "li", "th", "td", "blockquote"}
# What a line begins with before its own text, and lines that are nothing but markup.
_MARKERS = re.compile(r"[ \t]*(?:(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t])|#{1,6}(?=[ \t])|\|)[ \t]*)*")
_MARKUP = re.compile(r"[*_`~#>|\[<&\\]|^[ \t]*(?:[-+]|\d{1,9}[.)])[ \t]|^    |^[ \t]*[-=]+[ \t]*$", re.MULTILINE)
_LINE = re.compile(r"(?P<own>[^\r\n]*)(?:\r\n|[\r\n]|\Z)")
_ONLY_MARKUP = re.compile(r"[ \t>]*+(?:(?:`{3,}|~{3,})[^`]*+|(?:[-*_=][ \t]*+){3,}+|[|:-][ \t|:-]*+|)")


def as_it_is(pieces: Sequence[Piece]) -> Markup:
    """Return the text with its marks, for an element that keeps white space."""
    return Markup("").join(
        part for piece in pieces for part in (_begin(piece), _marked(piece, escape(clean(piece.text))), _end(piece))
    )


def as_markdown(pieces: Sequence[Piece]) -> Markup | None:
    """Return the text rendered as Markdown with its marks; None if it has no markup or is too long, or if a mark would
    change what its markup means."""
    text = "".join(piece.text for piece in pieces)
    cut = next((each for each in _CUTS if each not in text), None)
    if len(text) > LONGEST or cut is None or not _MARKUP.search(text) or _cells(text) > _MOST_CELLS:
        return None
    plain = _parser().parse(text)
    places = [place for place in _allowed(text, plain, _between(pieces)) if place is not None]
    tokens = _parser().parse("".join(_with_cuts(text, places, cut))) if places else plain
    if places and list(_shape(tokens, cut)) != list(_shape(plain, cut)):
        return None
    writer = _Writer(pieces, cut)
    writer.write(tokens)
    return writer.done()


def _cells(text: str) -> int:
    """Return how many cells its tables have at most."""
    lines = text.split("\n")
    return max(line.count("|") for line in lines) * len(lines)


@lru_cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # only pages need it

    # A definition of a reference would disappear from the text, so there are none.
    rules = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    return rules.disable(["reference", "html_block", "html_inline"])


# -- where marks begin and end ----------------------------------------------------------------------------------------


def _between(pieces: Iterable[Piece]) -> list[int]:
    """Return the places where one piece ends and the next one begins."""
    return list(accumulate(len(piece.text) for piece in pieces))[:-1]


def _allowed(text: str, tokens: Iterable[Token], cuts: Iterable[int]) -> Iterator[int | None]:
    """Yield each cut at a place where it cannot change what Markdown makes of the text: not among the characters that a
    line begins or ends with, nor in a line that is markup only. None if no text follows."""
    code = {line for token in tokens if token.type == "fence" and token.map for line in range(*token.map)[1:-1]}
    spans = []
    for number, line in enumerate(_LINE.finditer(text)):
        if number in code:
            spans.append((line.start(), line.end("own"), line.end()))
        elif not _ONLY_MARKUP.fullmatch(line["own"]):
            begin = _MARKERS.match(line["own"])
            ended = len(line["own"].rstrip(" \t|"))
            spans.append((line.start() + (begin.end() if begin else 0), line.start() + ended, line.end()))
    ends = [behind - 1 for _, _, behind in spans]
    for cut in cuts:
        found = bisect_left(ends, cut)
        yield min(max(cut, spans[found][0]), spans[found][1]) if found < len(spans) else None


def _with_cuts(text: str, places: Sequence[int], cut: str) -> Iterator[str]:
    for number, (start, end) in enumerate(pairwise([0, *places, len(text)])):
        yield (cut if number else "") + text[start:end]


def _shape(tokens: Iterable[Token], cut: str) -> Iterator[tuple[str, str, str, int]]:
    """Yield what must be the same with cuts and without them. White space at the ends does not count: beside the border
    of a cell it is removed, and beside a cut it is not."""
    for token in tokens:
        address = str(token.attrs.get("href", token.attrs.get("src", "")))
        content = "" if token.children else token.content.replace(cut, "").strip()
        yield token.type, token.info + address, content, token.level
        yield from _shape(token.children or (), cut)


# -- marks ------------------------------------------------------------------------------------------------------------


def _begin(piece: Piece) -> Markup:
    return Markup("").join(Markup('<span class="at" id="at-{}"></span>').format(mark.ref) for mark in piece.begins)


def _end(piece: Piece) -> Markup:
    return Markup("").join(
        Markup('<a class="ref {}" dir="ltr" href="#why-{}" title="{}">{}</a>').format(
            mark.tone, mark.ref, clean(mark.title), clean(mark.shown)
        )
        for mark in piece.ends
    )


def _marked(piece: Piece, shown: Markup) -> Markup:
    """Return a part of the piece with its mark, if it has one and some of the part can be seen: a link needs that."""
    if not piece.inside or not any(each.isprintable() and not each.isspace() for each in shown):
        return shown
    classes = " ".join([piece.tone, *(f"q-{mark.ref}" for mark in piece.inside)])
    target = piece.nearest.ref
    return Markup('<mark class="{}"><a tabindex="-1" href="#why-{}">{}</a></mark>').format(classes, target, shown)


# -- Markdown ---------------------------------------------------------------------------------------------------------


class _Writer:
    """Writes tokens as HTML and counts cuts, so that every part of the text gets the marks of its piece."""

    def __init__(self, pieces: Sequence[Piece], cut: str) -> None:
        self._pieces, self._cut, self._at = pieces, cut, 0
        self._parts = [_begin(pieces[0])] if pieces else []
        self._last_text = 0  # where, among the parts, the last text is
        self._address: list[str] = []

    def done(self) -> Markup:
        """Return the HTML. Marks that end with the text end behind its last words, not after the last block."""
        rest = [_begin(piece) + _end(piece) for piece in self._pieces[self._at + 1 :]]
        last = [_end(self._pieces[self._at]), *rest] if self._pieces else []
        return Markup("").join([*self._parts[: self._last_text], *last, *self._parts[self._last_text :]])

    def write(self, tokens: Iterable[Token]) -> None:
        for token in tokens:
            match token.type:
                case "inline":
                    self.write(token.children or ())
                case "text" | "text_special":
                    self._text(token.content)
                case "code_inline":
                    self._tagged("code", token.content)
                case "fence" | "code_block":
                    self._code(token)
                case "softbreak" | "hardbreak":
                    self._parts.append(Markup("<br>"))
                case "hr":
                    self._parts.append(Markup("<hr>"))
                case "link_open" | "link_close":
                    self._link(token)
                case "image":
                    self._image(token)
                case _:
                    self._tag(token)

    def _tag(self, token: Token) -> None:
        kind = token.type.removesuffix("_open").removesuffix("_close")
        if token.hidden:  # a paragraph of a list whose items have no space between them
            return
        tag = "p" if kind == "heading" else _TAGS[kind]
        if token.nesting < 0:
            self._parts.append(Markup("</{}>").format(tag) + Markup("</div>" if tag == "table" else ""))
            return
        attributes = Markup(' dir="auto"') if tag in _OWN_DIRECTION else Markup("")
        if kind == "heading":
            attributes += Markup(' class="heading {}"').format(token.tag)
        if tag == "ol" and "start" in token.attrs:
            attributes += Markup(' start="{}"').format(token.attrs["start"])
        before = Markup('<div class="wide" tabindex="0">') if tag == "table" else Markup("")
        self._parts.append(before + Markup("<{}{}>").format(tag, attributes))

    def _text(self, content: str) -> None:
        for number, part in enumerate(content.split(self._cut)):
            if number:
                self._next()
            self._part(escape(clean(part)))

    def _part(self, shown: Markup) -> None:
        if self._pieces:
            self._parts.append(_marked(self._pieces[self._at], shown))
            self._last_text = len(self._parts)

    def _next(self) -> None:
        self._parts.append(_end(self._pieces[self._at]))
        self._at += 1
        self._parts.append(_begin(self._pieces[self._at]))
        self._last_text = len(self._parts)

    def _tagged(self, tag: str, content: str) -> None:
        self._parts.append(Markup("<{}>").format(tag))
        self._text(content)
        self._parts.append(Markup("</{}>").format(tag))

    def _code(self, token: Token) -> None:
        """Write a block of code, in colours if its language is named."""
        self._parts.append(Markup("<pre><code>"))
        content = token.content.removesuffix("\n")  # a line's end would make the block a line longer
        cuts = [found.start() - number for number, found in enumerate(re.finditer(self._cut, content))]
        at = 0
        for kind, part in coloured(content.replace(self._cut, ""), token.info):
            here = [cut - at for cut in cuts if at <= cut < at + len(part)]
            at += len(part)
            self._styled(kind, "".join(_with_cuts(part, here, self._cut)))
        self._text(self._cut * sum(cut >= at for cut in cuts))
        self._parts.append(Markup("</code></pre>"))

    def _styled(self, kind: str, content: str) -> None:
        if not kind:
            self._text(content)
            return
        self._parts.append(Markup('<span class="{}">').format(kind))
        self._text(content)
        self._parts.append(Markup("</span>"))

    def _link(self, token: Token) -> None:
        """Write the address behind the words that link to it: a link in a text that is judged leads nowhere."""
        if token.nesting > 0:
            self._address.append("" if token.markup == "autolink" else str(token.attrs.get("href", "")))
        else:
            self._shown_address(self._address.pop())

    def _image(self, token: Token) -> None:
        self._parts.append(Markup("[image: "))
        self.write(token.children or ())
        self._parts.append(Markup("]"))
        self._shown_address(str(token.attrs.get("src", "")))

    def _shown_address(self, address: str) -> None:
        if address:
            self._parts.append(Markup(' <span class="address" dir="ltr">({})</span>').format(clean(address)))
