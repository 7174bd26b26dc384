"""Is a text in the language it should be in? Most of it, a stray sentence or paragraph, or all is well.

A few foreign words, names, titles, short quotations, code, and what is copied from the prompt's own material are no
issue. Which language it should be in is asked elsewhere (`asked_language`).
"""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from .language_guess import (
    Language,
    Reading,
    are_close,
    language_of,
    plain_code,
    read_language,
    weight_of,
    without_code,
)
from .language_names import LANGUAGE_NAMES, language_name, named_languages
from .patterns import put_off
from .sentences import CLOSERS, SENTENCE_ENDS, rough_words, sentence_spans
from .spots import Spot

__all__ = ["LANGUAGE_NAMES", "Language", "find_language", "foreign_language", "language_of"]

_LOOKED_AT = 30_000  # characters in which stray sentences are looked for
_SHOWN = 5
_WORDS = 5  # a stretch below is a few words, not a sentence
_UNPUNCTUATED = 10  # words from which a stretch counts even if nothing ends it: below it may be a title
_LIST = 40  # words from which a text without sentences is enough to be certain
_CHUNK = 16  # characters that are looked up in the prompt's material
_QUOTED = put_off(r"[\"“„«‹「『]([^\"“”„«»‹›「」『』\n]{1,160})[\"”“»›」』]|(?<!\w)[*_]([^*_\n]{1,80})[*_](?!\w)")
TRANSLATE = put_off(r"translat|tradu[czi]|übersetz|翻[译譯訳]|번역|अनुवाद|ترجم|перев", re.IGNORECASE)
_QUOTING = put_off(r"\s*(?:>|[\"“„«‹「『*_(（|])")


class _Piece(NamedTuple):
    """A sentence: what it says weighs `weight`; `foreign` if it is in another language than wanted."""

    start: int
    end: int
    weight: int
    reading: Reading | None
    foreign: bool


def foreign_language(text: str) -> str | None:
    """The English name of a text's language if that is surely not English."""
    language = language_of(text)
    if language is None or not language.sure or language.code == "en":
        return None
    return language_name(language.code)


def find_language(text: str, wanted: str, beside: str = "") -> list[Spot]:
    """Where a text leaves the wanted language: one spot if most of it does, else each stray stretch."""
    wanted = plain_code(wanted)
    prose = without_code(text[:_LOOKED_AT])
    pieces = _pieces(prose, wanted, beside)
    foreign = sum(piece.weight for piece in pieces if piece.foreign)
    everything = sum(piece.weight for piece in pieces)
    if not everything:
        return []
    if 2 * foreign > everything:
        return [_mostly(text, prose, pieces, wanted)]
    own = sum(piece.weight for piece in pieces if piece.reading is not None and piece.reading.code == wanted)
    if 2 * own < everything and (spot := _scattered(prose, wanted, beside)):
        return [spot]
    return _strays(prose, pieces, wanted, beside)


def _pieces(prose: str, wanted: str, beside: str) -> list[_Piece]:
    pieces = []
    known: str | None = None
    for start, end in sentence_spans(prose):
        sentence = prose[start:end]
        # Short quotations are terms and titles; a sentence that is nothing but a quotation is looked at as it is.
        kept = _QUOTED.sub(lambda match: " " * len(match[0]), sentence)
        if 3 * weight_of(kept) < weight_of(sentence):
            kept = sentence
        weight = weight_of(kept)
        reading = read_language(kept, wanted) if weight else None
        foreign = reading is not None and reading.code != wanted and _is_sentence(kept) and not _may_be(reading, wanted)
        if foreign:
            known = _plain(beside) if known is None else known
            if _copied(sentence, known):
                continue
        pieces.append(_Piece(start, end, weight, reading, foreign))
    return pieces


def _is_sentence(piece: str) -> bool:
    """Enough to be one; titles, headings and lists of names are not."""
    words = rough_words(piece)
    if words < _WORDS or (words < _UNPUNCTUATED and not piece.rstrip(CLOSERS).endswith(tuple(SENTENCE_ENDS))):
        return False
    spelled = [word for word in piece.split() if word[0].isalpha()]
    capital = sum(word[0].isupper() for word in spelled)
    return piece.isupper() or 2 * capital <= len(spelled) + 1


def _may_be(reading: Reading, wanted: str) -> bool:
    """Whether an unsure guess may as well be the wanted language: too few small words that only the other has."""
    if reading.sure or (reading.kin and not are_close(reading.code, wanted)):
        return False
    own, its = reading.small.get(reading.code, frozenset()), reading.small.get(wanted, frozenset())
    return are_close(reading.code, wanted) or len(own - its) < 2 or len(own - its) <= 2 * len(its - own)


def _mostly(text: str, prose: str, pieces: list[_Piece], wanted: str) -> Spot:
    strange = [piece for piece in pieces if piece.foreign]
    everything, all_strange = sum(piece.weight for piece in pieces), sum(piece.weight for piece in strange)
    clear = sum(piece.weight for piece in strange if piece.reading is not None and piece.reading.is_not(wanted))
    whole = read_language("\n".join(prose[piece.start : piece.end] for piece in strange))
    certain = (
        whole is not None and whole.is_not(wanted) and (2 * clear > everything or 5 * all_strange >= 4 * everything)
    )
    weights: Counter[str] = Counter()
    for piece in strange:
        weights[_code(piece)] += piece.weight
    start, end = strange[0].start, len(text.rstrip()) if len(text) > _LOOKED_AT else strange[-1].end
    code, sure = weights.most_common(1)[0][0], False
    if whole is not None and whole.code != wanted:
        code, sure = whole.code, whole.sure
    return Spot(start, end, _is_in(code, wanted, sure), certain, "major")


def _scattered(prose: str, wanted: str, beside: str) -> Spot | None:
    """A text of short lines, each too little to tell, that as a whole is in another language."""
    whole = read_language(prose, wanted)
    if whole is None or whole.code == wanted or _may_be(whole, wanted):
        return None
    if rough_words(prose) < _WORDS or _copied(prose, _plain(beside)):
        return None
    start, end = len(prose) - len(prose.lstrip()), len(prose.rstrip())
    # Lines that are no sentences may be titles or names, unless there are very many of them.
    certain = (
        whole.is_not(wanted) and rough_words(prose) >= _LIST and whole.code not in named_languages(beside[:_LOOKED_AT])
    )
    return Spot(start, end, _is_in(whole.code, wanted, whole.sure), certain, "major")


def _is_in(code: str, wanted: str, sure: bool) -> str:
    if sure:
        return f"is in {language_name(code)}, not in {language_name(wanted)}"
    return f"is not in {language_name(wanted)} but probably in {language_name(code)}"


def _strays(prose: str, pieces: list[_Piece], wanted: str, beside: str) -> list[Spot]:
    runs: list[list[_Piece]] = []
    between = 0  # pieces since the last foreign one
    unclear = True  # and whether none of them is clearly in the wanted language
    for piece in pieces:
        if not piece.foreign:
            between += 1
            unclear = unclear and (piece.reading is None or not piece.reading.kin)
            continue
        if runs and between <= 2 and unclear and _same(_code(runs[-1][0]), _code(piece)):
            runs[-1].append(piece)
        else:
            runs.append([piece])
        between, unclear = 0, True
    named = named_languages(beside[:_LOOKED_AT]) if runs else set()
    # Beside a translation, a note in the language it was asked for in is no stray.
    if runs and TRANSLATE.search(beside) and (asking := language_of(beside)) is not None:
        named.add(asking.code)
    spots = [_stray(prose, run, wanted, named) for run in runs]
    spots.sort(key=lambda spot: (not spot.certain, spot.start - spot.end))
    return sorted(spots[:_SHOWN], key=lambda spot: spot.start)


def _same(code: str, other: str) -> bool:
    return code == other or are_close(code, other)


def _stray(prose: str, run: list[_Piece], wanted: str, named: set[str]) -> Spot:
    start, end = run[0].start, run[-1].end
    code = _code(run[0])
    whole = read_language(prose[start:end])
    certain = (
        whole is not None
        and whole.is_not(wanted)
        and any(piece.reading is not None and piece.reading.is_not(wanted) for piece in run)
        and code not in named
        # A line that is one quotation, an example in brackets or a table's row may well be meant to stand there.
        and not _QUOTING.match(prose[start:end])
    )
    what = "a sentence" if len(run) == 1 else f"{len(run)} sentences"
    probably = "" if whole is not None and whole.sure else "probably "
    return Spot(
        start, end, f"{what} {probably}in {language_name(code)}, not in {language_name(wanted)}", certain, "minor"
    )


def _code(piece: _Piece) -> str:
    return piece.reading.code if piece.reading is not None else ""


def _plain(text: str) -> str:
    return " ".join(text.lower().split())


def _copied(sentence: str, known: str) -> bool:
    """Whether most of a sentence stands in the prompt's own material, small changes aside."""
    if not known:
        return False
    plain = _plain(sentence)
    if plain in known:
        return True
    chunks = [plain[at : at + _CHUNK] for at in range(0, min(len(plain), 2000) - _CHUNK + 1, _CHUNK)]
    return bool(chunks) and sum(chunk in known for chunk in chunks) * 10 >= len(chunks) * 7
