"""Count what a length or number in a task may refer to: words, characters, sentences, paragraphs, list items.

Some texts can be counted in several ways (a hyphen, a heading, a closing line, an abbreviation). These functions return
all possible counts. What was asked for is not known here.
"""

from __future__ import annotations

import re

from ..text.sentences import ends_a_sentence, hide_code
from ..text.structure import read_structure
from ..text.words import count_words

_LOOKED_AT = 30_000  # characters; tasks ask for tens of items or paragraphs, not for more
_UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3400-\u9fff]")  # Thai and Chinese
_KANA = re.compile(r"[\u3040-\u30ff]")
_LETTER = re.compile(r"[^\W\d_]")
_LETTERED = re.compile(r"^[ \t]*(?:[a-h]|[IVX]{1,4})[.)][ \t]", re.MULTILINE)
_BLANK_LINE = re.compile(r"\n[ \t]*\n\s*")
_FIRST, _SECOND = (re.compile(rf"^[ \t]*{n}[.)]", re.MULTILINE) for n in (1, 2))
# In any language, a stop after a number, initial or short word need not end a sentence: "am 3. Oktober", "А. С.",
# "Sra.", "Vol.". An exclamation mark may belong to a name.
_BEFORE_A_STOP = re.compile(r"(?<!\w)(\d{1,4}|[^\W\d_]{1,4}|[^\W\d_]\.[^\W\d_])[.!]\s*\Z")
_SHORT_FORMS = (
    "dr", "mr", "mrs", "ms", "prof", "sr", "sra", "jr", "gen", "sen", "st", "inc", "ltd", "co", "corp", "vs", "etc",
    "pp", "ca", "ul", "bzw", "ecc", "usw", "fig", "no", "vol", "tel", "ext",
)  # fmt: skip
_UNSTOPPED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")  # scripts that separate sentences by spaces
_ENDS_IN_QUOTES = re.compile(r"[.!?…。！？][\"”’»」』](?=\s*\S)")


def outside_code(text: str) -> str:
    """Return a text without its code blocks, or all of it if there is nothing else."""
    rest = hide_code(text)
    return rest if rest.strip() else text


def counts_in_characters(text: str) -> bool:
    """Return whether the length of this text is counted in characters, as for Chinese and Thai."""
    sample = text[:_LOOKED_AT]
    unspaced, kana = len(_UNSPACED.findall(sample)), len(_KANA.findall(sample))
    # A text with a good share of kana is Japanese, which ICU can split into words.
    return unspaced * 2 > len(_LETTER.findall(sample)) and kana * 10 < unspaced


def count_characters(text: str) -> int:
    """Count the characters that are not white space."""
    return sum(map(len, text.split()))


def word_counts(text: str) -> list[int]:
    """Count the words of a text as Unicode and as spaces separate them ("well-known" is two or one), each without and
    with code blocks, since what was asked for may be in one."""
    return [
        count
        for body in dict.fromkeys((outside_code(text), text))
        for count in (count_words(body), sum(any(map(str.isalnum, piece)) for piece in body.split()))
    ]


def sentence_counts(text: str) -> frozenset[int]:
    """Return the possible numbers of sentences. There are none if a list, heading or code makes counting arbitrary."""
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
    """Return whether the stop at the end of a piece may follow a number, an initial or an abbreviation."""
    match = _BEFORE_A_STOP.search(piece)
    if match is None:
        return False
    word = match[1]
    if len(word) == 1 or word.isdigit() or "." in word or word.lower() in _SHORT_FORMS:
        return True
    return word[0].isupper() and len(piece.split()) > 1


def paragraph_counts(text: str) -> frozenset[int]:
    """Return the possible numbers of paragraphs, counted as blocks, as blocks of whole sentences or as lines."""
    counts = {count for body in {outside_code(text), text.replace("```", "")} for count in _blocks(body[:_LOOKED_AT])}
    return frozenset(range(min(counts), max(counts) + 1))


def _blocks(body: str) -> tuple[int, int, int]:
    blocks = [block for block in _BLANK_LINE.split(body) if any(map(str.isalnum, block))]
    whole = [block for block in blocks if "\n" in block.strip() or ends_a_sentence(block)]
    lines = [line for line in body.split("\n") if any(map(str.isalnum, line))]
    return len(blocks), len(whole), len(lines)


def item_counts(text: str) -> frozenset[int]:
    """Return the possible numbers of list items. There are none if the text has no list, table or headings to count.

    A list that is less than half of the text may be about something else, such as sources, and is not counted.
    """
    structure = read_structure(text)
    counts = [listing.count for listing in structure.listings]
    listed = sum(listing.end - listing.start for listing in structure.listings)
    if not structure.headings and not structure.bold_leads and (listed * 2 < len(text) or _LETTERED.search(text)):
        return frozenset()
    # The headings may include a title above and a closing line below. Several lists may be the items of one list.
    headings = (structure.headings, structure.headings - 1, structure.headings - 2) if structure.headings else ()
    # If a list begins with 2, its first item is the line above it.
    unnumbered = 1 if _SECOND.search(text) and not _FIRST.search(text) else 0
    ways = {*counts, sum(counts), *headings, structure.bold_leads, len(counts), *(n + unnumbered for n in counts)}
    # A single entry is not a list: "1. Introduction" does not tell how many items there are.
    return frozenset(way for way in ways if way > 1)
