"""Which sentences of a text are instructions to whoever answers, and which are material that came with them.

Fences, quotations, pasted articles and other people's turns are left out; what remains keeps its offsets.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import NamedTuple

from ..patterns import put_off

_HEAD, _TAIL = 2000, 600
_LONG_HEAD = 10_000  # of a conversation, where a lasting wish may stand anywhere
_LONG_PARAGRAPH = 700  # characters from which a later paragraph is taken for pasted text
_BLANK = "\x00"

_FENCE = put_off(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_QUOTED = put_off(
    r"\"[^\"\n]{0,1500}\"|“[^”]{0,1500}”|«[^»]{0,1500}»|「[^」]{0,1500}」|『[^』]{0,1500}』|„[^“”]{0,1500}[“”]|"
    r"(?<![\w’'])['‘][^'’\n]{3,300}['’](?!\w)|^[ \t]*>[^\n]*$",
    re.MULTILINE,
)
_CLOSING_TAG = put_off(r"</(\w{2,20})>")
_TURN = put_off(r"^[ \t]*(human|user|assistant|ai|bot|model|q|a)[ \t]*:", re.MULTILINE | re.IGNORECASE)
_OTHERS = ("assistant", "ai", "bot", "model", "a")
_MATERIAL_NOUN = (
    r"text|articles?|passages?|paragraphs?|posts?|e-?mails?|documents?|sentences?|stor(?:y|ies)|essay|contents?|"
    r"conversation|dialogue|transcript|code|questions?|reviews?|poem|inputs?|contexts?|data|excerpt|notes|statement|"
    r"title|background|source|facts|abstract|problem|quote|"
    r"文章|本文|テキスト|記事|文|原文|段落|材料|内容|资料|新闻|텍스트|글|기사|본문|문서|texto|art[íi]culo|p[áa]rrafo|"
    r"texte|paragraphe|"
    r"artikel|absatz|testo|articolo|paragrafo|artigo|par[áa]grafo|पाठ|लेख|अनुच्छेद|النص|المقال|الفقرة"
)
_POINTER = (
    r"following|below|this|these|here|attached|given|siguientes?|suivante?s?|folgende[nrsm]?|seguintes?|seguenti?|"
    r"ci-dessous|abaixo|sotto|unten|以下|次の|下面|下列|다음|아래|निम्नलिखित|नीचे|التالي|التالية"
)
_MATERIAL = put_off(
    rf"^[^\n]{{0,300}}(?:{_POINTER})[^\n]{{0,60}}(?:{_MATERIAL_NOUN})[^\n:：]{{0,80}}[:：][ \t]*$"
    rf"|^[\W_]{{0,4}}(?:the )?(?:{_MATERIAL_NOUN})(?: \d)?[*_]{{0,2}} ?[:：]",
    re.MULTILINE | re.IGNORECASE,
)
_PARAGRAPH = put_off(r"\n[ \t]*\n")
_ENDS = put_off(
    r"(?:(?<!approx)(?<!\bmax)(?<!\bmin)(?<!\bca)(?<!aprox)(?<!\be\.g)(?<!\bi\.e)(?<!mind)[.!?](?=\s|\Z)|[。！？؟।]|"
    r";\s)"
    r"|\n(?![ \t]*[a-zà-ü(])|\n[ \t]*\n"
)
_LIMIT = 400  # sentences
_LONG_SENTENCE = 600  # characters, of which the rest is not read


class Sentence(NamedTuple):
    """A sentence of the instructions, and where it stands in the text."""

    text: str
    start: int
    first: bool = False


def read_sentences(text: str, *, lasting: bool = False) -> list[Sentence]:
    """The sentences that may hold wishes, in order; `lasting` reads a whole conversation's user turns."""
    head = _LONG_HEAD if lasting else _HEAD
    if len(text) <= head + _TAIL:
        sentences = _sentences(_mask(text, lasting), 0)
    else:
        # The two ends are masked apart, so that a quotation mark of the one does not pair with one of the other.
        at = len(text) - _TAIL
        cut = text.find("\n", at)
        at = cut if cut >= 0 else at
        sentences = _sentences(_mask(text[:head], lasting), 0) + _sentences(_mask(text[at:], lasting), at)
    if sentences:
        sentences[0] = Sentence(sentences[0].text, sentences[0].start, first=True)
    return sentences


def _mask(text: str, lasting: bool) -> str:
    text = _turns(text, lasting)
    if "```" in text or "~~~" in text:
        text = _FENCE.sub(_blank, text)
    text = _tagged(_QUOTED.sub(_blank, text))
    text = _material(text)
    return _long_paragraphs(text)


def _tagged(text: str) -> str:
    """Without what stands between a tag and its closing tag."""
    for closing in islice(_CLOSING_TAG.finditer(text), 50):
        start = text.find(f"<{closing[1]}>", 0, closing.start())
        if start >= 0:
            text = _cut(text, start, closing.end())
    return text


def _blank(match: re.Match[str]) -> str:
    return _BLANK * len(match[0])


def _cut(text: str, start: int, end: int) -> str:
    return text[:start] + _BLANK * (end - start) + text[end:]


def _turns(text: str, lasting: bool) -> str:
    """Of a transcript, the last user turn; of one read for lasting wishes, all user turns."""
    turns = list(islice(_TURN.finditer(text), 200)) if _has_colon(text) else []
    if not any(turn[1].lower() in _OTHERS for turn in turns) or not any(
        turn[1].lower() not in _OTHERS for turn in turns
    ):
        return text
    users = [turn for turn in turns if turn[1].lower() not in _OTHERS]
    for turn, after in zip(turns, [*(turn.start() for turn in turns[1:]), len(text)], strict=True):
        if turn[1].lower() in _OTHERS or (not lasting and turn is not users[-1]):
            text = _cut(text, turn.start(), after)
        else:
            text = _cut(text, turn.start(), turn.end())
    return text


def _material(text: str) -> str:
    """Blanks what follows "the following text:", except a short last paragraph, which may instruct again."""
    marker = _MATERIAL.search(text) if _has_colon(text) else None
    if marker is None:
        return text
    breaks = [found.end() for found in _PARAGRAPH.finditer(text, marker.end())]
    end = len(text)
    if len(breaks) > 1 and 0 < len(text) - breaks[-1] <= 400:
        end = breaks[-1]
    return _cut(text, marker.end(), end)


def _has_colon(text: str) -> bool:
    return ":" in text or "：" in text


def _long_paragraphs(text: str) -> str:
    start = 0
    for number, end in enumerate([*(found.start() for found in _PARAGRAPH.finditer(text)), len(text)]):
        if number and end - start > _LONG_PARAGRAPH:
            text = _cut(text, start, end)
        start = end
    return text


def _sentences(text: str, offset: int) -> list[Sentence]:
    found: list[Sentence] = []
    start = 0
    for end in [*(match.end() for match in islice(_ENDS.finditer(text), _LIMIT)), len(text)]:
        piece = text[start:end]
        if piece.strip(_BLANK + " \t\r\n"):
            lead = len(piece) - len(piece.lstrip())
            found.append(Sentence(piece[lead : lead + _LONG_SENTENCE].rstrip(), offset + start + lead))
        start = end
        if len(found) >= _LIMIT:
            break
    return found
