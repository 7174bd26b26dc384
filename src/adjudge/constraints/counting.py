"""Counting what stands in a text: words, characters, sentences, paragraphs, list items.

A text may allow several readings (a hyphen, a heading, a closing line, an abbreviation): all of them are given, so that
nobody is blamed for one of them.
"""

from __future__ import annotations

import re

from ..text.sentences import ends_a_sentence, hide_code
from ..text.structure import read_structure
from ..text.words import count_words

_LOOKED_AT = 30_000  # characters; lists and paragraphs are asked for in tens
_UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3400-\u9fff]")  # Thai and Chinese
_KANA = re.compile(r"[\u3040-\u30ff]")
_LETTER = re.compile(r"[^\W\d_]")
_LETTERED = re.compile(r"^[ \t]*(?:[a-h]|[IVX]{1,4})[.)][ \t]", re.MULTILINE)
_BLANK_LINE = re.compile(r"\n[ \t]*\n\s*")
_FIRST, _SECOND = (re.compile(rf"^[ \t]*{n}[.)]", re.MULTILINE) for n in (1, 2))
# A stop behind a number, an initial or a short word may end no sentence, in any language: "am 3. Oktober", "А. С.",
# "Sra.", "Vol."; and an exclamation mark may belong to a name.
_BEFORE_A_STOP = re.compile(r"(?<!\w)(\d{1,4}|[^\W\d_]{1,4}|[^\W\d_]\.[^\W\d_])[.!]\s*\Z")
_SHORT_FORMS = (
    "dr", "mr", "mrs", "ms", "prof", "sr", "sra", "jr", "gen", "sen", "st", "inc", "ltd", "co", "corp", "vs", "etc",
    "pp", "ca", "ul", "bzw", "ecc", "usw", "fig", "no", "vol", "tel", "ext",
)  # fmt: skip
_UNSTOPPED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")  # scripts that part sentences by spaces
_ENDS_IN_QUOTES = re.compile(r"[.!?…。！？][\"”’»」』](?=\s*\S)")


def outside_code(text: str) -> str:
    """A text without its code blocks, or all of it if there is nothing else."""
    rest = hide_code(text)
    return rest if rest.strip() else text


def counts_in_characters(text: str) -> bool:
    """Whether a length of this text is counted in characters: Chinese and Thai are."""
    sample = text[:_LOOKED_AT]
    unspaced, kana = len(_UNSPACED.findall(sample)), len(_KANA.findall(sample))
    # A text with a good share of kana is Japanese, whose words ICU tells.
    return unspaced * 2 > len(_LETTER.findall(sample)) and kana * 10 < unspaced


def count_characters(text: str) -> int:
    """Characters that are not white space."""
    return sum(map(len, text.split()))


def word_counts(text: str) -> list[int]:
    """The words of a text: as Unicode parts them and as spaces do ("well-known" is one or two), without code blocks and
    with them, for what was asked for may stand in one."""
    return [
        count
        for body in dict.fromkeys((outside_code(text), text))
        for count in (count_words(body), sum(any(map(str.isalnum, piece)) for piece in body.split()))
    ]


def sentence_counts(text: str) -> frozenset[int]:
    """How many sentences a text may be said to have; none where a list or a heading makes that a matter of taste."""
    from icu4py.breakers import SentenceBreaker

    structure = read_structure(text)
    if structure.listings or structure.headings or structure.has_code or _UNSTOPPED.search(text):
        return frozenset()
    lines = [line for line in text[:_LOOKED_AT].split("\n") if any(map(str.isalnum, line))]
    pieces = [
        piece for line in lines for piece in SentenceBreaker(line, "en@ss=standard") if any(map(str.isalnum, piece))
    ]
    ended = sum(map(ends_a_sentence, pieces))
    doubtful = len(_ENDS_IN_QUOTES.findall(text[:_LOOKED_AT])) + sum(map(_is_doubtful, pieces[:-1]))
    least = max(1, min(ended, len(pieces)) - doubtful) if pieces else 0
    return frozenset(range(least, len(pieces) + 1))


def _is_doubtful(piece: str) -> bool:
    """Whether the stop at the end of a piece may end no sentence: behind a number, an initial or an abbreviation."""
    match = _BEFORE_A_STOP.search(piece)
    if match is None:
        return False
    word = match[1]
    if len(word) == 1 or word.isdigit() or "." in word or word.lower() in _SHORT_FORMS:
        return True
    return word[0].isupper() and len(piece.split()) > 1


def paragraph_counts(text: str) -> frozenset[int]:
    """How many paragraphs a text may be said to have: its blocks, its blocks of whole sentences, its lines."""
    counts = {count for body in {outside_code(text), text.replace("```", "")} for count in _blocks(body[:_LOOKED_AT])}
    return frozenset(range(min(counts), max(counts) + 1))


def _blocks(body: str) -> tuple[int, int, int]:
    blocks = [block for block in _BLANK_LINE.split(body) if any(map(str.isalnum, block))]
    whole = [block for block in blocks if "\n" in block.strip() or ends_a_sentence(block)]
    lines = [line for line in body.split("\n") if any(map(str.isalnum, line))]
    return len(blocks), len(whole), len(lines)


def item_counts(text: str) -> frozenset[int]:
    """How many items a text may be said to list; none where it has no list, table or headings to count.

    A list that is less than half of the text may be about something else (sources, say): then nothing is said.
    """
    structure = read_structure(text)
    counts = [listing.count for listing in structure.listings]
    listed = sum(listing.end - listing.start for listing in structure.listings)
    if not structure.headings and not structure.bold_leads and (listed * 2 < len(text) or _LETTERED.search(text)):
        return frozenset()
    # A title above or a closing line below may be one of the headings; several lists may be the items of one.
    headings = (structure.headings, structure.headings - 1, structure.headings - 2) if structure.headings else ()
    # A list that begins with 2 has its first item in the line above.
    unnumbered = 1 if _SECOND.search(text) and not _FIRST.search(text) else 0
    ways = {*counts, sum(counts), *headings, structure.bold_leads, len(counts), *(n + unnumbered for n in counts)}
    # A single entry is no list: "1. Introduction" says nothing of how many items there are.
    return frozenset(way for way in ways if way > 1)
