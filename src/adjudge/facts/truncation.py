"""Is a text cut off? An unclosed code block, a dangling comma, bracket, list marker or little word, an open sentence.

It compares the end with the rest of the same text: where nothing else is punctuated prose, an open end says nothing.
It does not judge whether an answer is complete in substance.
"""

from __future__ import annotations

import re
from functools import lru_cache

from .language_guess import language_of
from .markers import real_end
from .patterns import put_off
from .sentences import CLOSERS, SENTENCE_ENDS, rough_words, word_set
from .spots import Spot
from .voices import asks_for_a_fragment

TAIL = 60  # how much of the end is shown
_LONG_LINE = 8  # words from which a line counts as prose rather than a title or an item
_SENTENCES = 3  # finished sentences that make a text punctuated prose

_FENCE = put_off(r"^[ \t>]*(`{3,})([^`\n]*)$", re.MULTILINE)
_ITEM = put_off(r"[ \t]*(?:[-*+•]|(\d{1,3})[.)])(?:[ \t]|$)")
_ENDED = put_off(r"[.!?…][\"'”’»)\]*_]{0,3}(?:\s|$)|[。！？｡؟۔।॥։]")
_CODE = put_off(r"[{};=<>\\|$]|\(\)|://|\w[@/]\w|^\s*(?:#|//)")

_COMBINING = put_off(r"[\u0900-\u0963\u064b-\u0652]")  # vowel signs count as letters
_COMMAS = ",،、，;；"
_BRACKETS = "([{（「『【"
# Words after which a sentence never ends, language by language: "die" and "an" are no such words everywhere.
_NEVER_LAST_IN = {
    "en": word_set("the an and or because although whereas than if unless my your their our whose"),
    "es": word_set("el la los las un una unos unas del al porque aunque sus cuyo cuya"),
    "fr": word_set("le la les un une des du aux et dans parce cette ces nos vos"),
    "de": word_set("und oder weil eine einen einem eines ein der die den dem des zum zur beim vom im ins sowie dass"),
    "pt": word_set("o os as um uma do da dos das no na nos nas pela pelo pelas pelos ao aos"),
    "it": word_set("il lo la gli le un una del della delle degli dei nella nel nelle dal dalla alla al perché"),
    "hi": word_set("और या लेकिन क्योंकि तथा एवं"),
    "ar": word_set("أو في إلى لأن التي الذي أن عن من"),
    "ko": word_set("그리고 하지만 또는 및 그러나 왜냐하면"),
}
_NEVER_LAST = frozenset(word for words in _NEVER_LAST_IN.values() for word in words)
# Of these a sentence may end with one for once ("just because"): certain only in a text of finished sentences.
_RARELY_LAST = word_set(
    "because although whereas than if unless porque aunque parce weil dass perché क्योंकि لأن 왜냐하면 عن"
)
# Words after which one seldom ends.
_SELDOM_LAST = word_set(
    "a of with by from as that which but while when into onto between is are was were be to for its our "
    "el la un de que y con por para pour avec ou der die ein mit für von zu e do da com di che per "
    "का के की में को से ने पर कि من على مع هذا هذه ثم لكن ولكن حيث 때문에 위해 대한 통해"
)
_BEFORE_A = word_set(
    "is was are be been with as in into by for such like has have had of and that on at from becomes called means"
)
# The same for scripts without spaces, as endings: Chinese and Japanese.
_NEVER_ENDS = (
    "以及", "因为", "因為", "并且", "並且", "而且", "或者", "如果", "由于", "由於", "对于", "對於", "但是", "因此",
    "和", "与", "與", "及び", "および", "または", "そして", "しかし", "なぜなら", "を",
)  # fmt: skip
_SELDOM_ENDS = (
    "的",
    "在",
    "是",
    "把",
    "被",
    "将",
    "於",
    "は",
    "が",
    "に",
    "の",
    "で",
    "と",
    "や",
    "へ",
    "から",
    "より",
)

# Where one of them is the second half of a word: 共和, 平和, 温和, 参与.
_HALF_A_WORD = put_off(r"[共平温溫饱飽缓緩调調昭中暖柔祥随融令总総亲親]和$|[参參给給授赋賦干贈赠]与$|[參給授]與$")

_IN_CODE = "ends inside a code block that was never closed"
_BEFORE_AN_ITEM = "ends with the number of a list item that never comes"
_A_PART_IS_MISSING = frozenset({_IN_CODE, _BEFORE_AN_ITEM})


@lru_cache(maxsize=4)  # a judge that measures looks for it again
def find_truncation(text: str, asked: str = "") -> Spot | None:
    """Where and how the text breaks off, or None; an open sentence is a hint where `asked` is for a fragment."""
    end = real_end(text)
    body = text[:end]
    if not body:
        return None
    reason = _unclosed_fence(body) or _dangling_marker(body) or _open_end(body)
    if reason is None:
        return None
    found, certain = reason
    if certain and found not in _A_PART_IS_MISSING and asks_for_a_fragment(asked):
        certain = False
    # A part that was begun and never came is missing; a sentence that breaks off may be the last one anyway.
    return Spot(_tail_start(body), end, found, certain, "major" if found in _A_PART_IS_MISSING else None)


def _tail_start(body: str) -> int:
    start = max(0, len(body) - TAIL)
    space = body.find(" ", start, len(body) - TAIL // 2)
    return space + 1 if start and space >= 0 else start


def _unclosed_fence(body: str) -> tuple[str, bool] | None:
    if "`" not in body or "```" not in body:  # one character is found out ten times faster than three
        return None
    opened: re.Match[str] | None = None
    for match in _FENCE.finditer(body):
        if opened is None:
            opened = match
        elif len(match[1]) >= len(opened[1]) and not match[2].strip():
            opened = None
    # A fence closed in the middle of a line, or a bare last fence (the outer one of a nested pair), is closed badly:
    # nothing is missing.
    if opened is None or opened[1] in body[opened.end() :] or not body[opened.end() :].strip():
        return None
    return _IN_CODE, True


def _dangling_marker(body: str) -> tuple[str, bool] | None:
    at = body.rfind("\n") + 1
    last = _ITEM.match(body, at) if at else None
    if last is None or last.end() != len(body):
        return None
    before = next((line for line in reversed(body[max(0, at - 2000) : at].split("\n")) if line.strip()), "")
    item = _ITEM.match(before)
    if item is None or item.end() == len(before):
        return None
    if last[1] is None:
        return ("ends with an empty list item", False) if item[1] is None else None
    if item[1] is not None and int(last[1]) == int(item[1]) + 1:
        return _BEFORE_AN_ITEM, True
    return None


def _open_end(body: str) -> tuple[str, bool] | None:
    line = body[body.rfind("\n") + 1 :]
    last = line.rstrip(CLOSERS)[-1:] if line[-1] not in "`" else "."
    if not last or last in SENTENCE_ENDS:
        return None
    words = line.split()
    prose = rough_words(line) >= _LONG_LINE and not _CODE.search(line)
    if not prose or "```" in body[-400:]:
        return None
    char = body[-1]
    finished = _finished_sentences(body)
    certain = finished >= _SENTENCES
    if char in _BRACKETS and body[-2:-1] not in tuple(":;=-"):
        return "ends with an opened bracket", certain
    word = words[-1]
    if (broken := _never_last(body, line, word)) is not None:
        return broken
    if finished == 0 or not _others_end(body, line):
        return None
    if char in _COMMAS:
        return "ends with a comma", certain
    if finished < _SENTENCES:
        return None
    if word in _SELDOM_LAST or word.endswith(_SELDOM_ENDS):
        return f"ends with the word “{word[-12:]}”", False
    if (char.isalpha() or _COMBINING.match(char)) and not any(mark in word for mark in ".@/#:_"):
        return "ends in the middle of a sentence", False
    return None


def _never_last(body: str, line: str, word: str) -> tuple[str, bool] | None:
    """An end on a word that no sentence ends with; the text's own other lines must be prose."""
    ending = word
    if word.lower() not in _NEVER_LAST and not _is_lone_article(line):
        if word.isascii() or _HALF_A_WORD.search(word):
            return None
        ending = next((end for end in _NEVER_ENDS if word.endswith(end)), "")
        if not ending:
            return None
    finished = _finished_sentences(body)
    prose = _others_end(body, line) if finished or _has_peers(body, line) else not _ITEM.match(line)
    if not prose or _is_title(line):
        return None
    certain = word == word.lower() and (finished >= _SENTENCES or word not in _RARELY_LAST)
    if ending == word and certain and word != "a":
        language = language_of(body)
        certain = language is not None and word in _NEVER_LAST_IN.get(language.code, frozenset())
    return (f"ends with the word “{ending}”", certain) if finished or certain else None


def _is_lone_article(line: str) -> bool:
    """Whether a line ends with the English "a" behind a small word, and speaks of no other letters (of a to b)."""
    words = line.split()
    before = words[-2].lower() if len(words) > 1 else ""
    letters = {word.strip(".,;:()").lower() for word in words if len(word.strip(".,;:()")) == 1}
    return words[-1] == "a" and letters <= {"a", "i"} and before in _BEFORE_A


def _is_title(line: str) -> bool:
    spelled = [word for word in line.split() if word[0].isalpha() and len(word) > 3]
    return sum(word[0].isupper() for word in spelled) * 5 > len(spelled) * 4


def _finished_sentences(body: str) -> int:
    count = 0
    for count, _ in enumerate(_ENDED.finditer(body), start=1):
        if count >= _SENTENCES:
            break
    return count


def _others_end(body: str, last: str) -> bool:
    """Do the other lines of the same kind (items or paragraphs) end with a full stop or the like?

    In a poem, a list of phrases or a transcript they don't, and then the last line need not either.
    """
    peers = _peers(body, last)
    if not peers:
        return _ITEM.match(last) is None and _ENDED.search(last) is not None
    ended = sum(1 for line in peers if line.rstrip().rstrip(CLOSERS)[-1:] in tuple(SENTENCE_ENDS + ":"))
    return ended * 5 >= len(peers) * 4


def _has_peers(body: str, last: str) -> bool:
    return bool(_peers(body, last))


def _peers(body: str, last: str) -> list[str]:
    is_item = _ITEM.match(last) is not None
    return [
        line
        for line in body[: len(body) - len(last)][-8000:].split("\n")
        if line.strip() and (_ITEM.match(line) is not None) == is_item and rough_words(line) >= 4
    ]
