"""Which language a text is in: its script first, then a small neural detector (CLD3) checked against small words.

The detector alone is confident even where it is wrong, so it is called sure only where the words of the language
agree. Code, addresses and chat markers are no language. It does not say which language a text should be in.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from ..prompts import CONTROL_TOKEN
from .patterns import put_off

_SAMPLE = 9_000  # characters of a long text that are looked at
_CODE = put_off(
    r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]{1,200}`|\$\$.{1,2000}?\$\$|\$[^$\n]{1,200}\$|"
    r"\b(?:https?|ftp)://\S{1,2000}|\bwww\.\S{1,500}|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}\.\w{2,10}|</?[A-Za-z][^<>\n]{0,200}>|"
    r"\b\w{1,64}(?:[_/\\.]\w{1,64})+\b|\\[A-Za-z]+",
    re.DOTALL,
)
# Letters with the marks that Indic and Arabic words are written with.
_WORD = put_off(
    r"(?:[^\W\d_]|[\u0300-\u036f\u064b-\u065f\u0670\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963\u200c\u200d])+"
)
_SCRIPTS = {
    "latin": "A-Za-zªºÀ-ÖØ-öø-ɏḀ-ỿ",
    "cyrillic": "Ѐ-ӿԀ-ԯ",
    "arabic": "ؠ-ٟٮ-ۿݐ-ݿﭐ-ﻼ",
    "devanagari": "ऀ-ॿ",
    "han": "㐀-䶿一-鿿々〇",
    "kana": "ぁ-ゖァ-ヺー",
    "ko": "가-힣ᄀ-ᇿㄱ-ㆎ",
    "th": "ก-ฺเ-๎", "el": "Ͱ-Ͽἀ-῿", "he": "א-ת", "hy": "Ա-և", "ka": "ა-ჺ", "bn": "ঀ-৿", "pa": "਀-੿", "gu": "઀-૿",
    "ta": "஀-௿", "te": "ఀ-౿", "kn": "ಀ-೿", "ml": "ഀ-ൿ", "si": "඀-෿", "lo": "ກ-ໟ", "km": "ក-៓", "my": "က-႟", "am": "ሀ-፼",
}  # fmt: skip
_NO_LETTERS = bytes(code for code in range(256) if not (code < 128 and chr(code).isalpha()))
# One sign of these says about as much as this many letters of an alphabet.
_WEIGHT = {"han": 3, "kana": 2, "ko": 2}
_SHARED = ("latin", "cyrillic", "arabic", "devanagari")
_LEAST = 8  # letters below which nothing is said
_LONGEST = 40  # letters of a word

# Languages that detectors and readers take for each other.
_CLOSE = tuple(
    frozenset(group.split())
    for group in (
        "es pt gl ca", "da no sv", "id ms jv su", "hr sr bs sl", "cs sk", "hi mr ne", "ru uk bg be mk sr", "nl af",
        "it co", "de lb", "tr az", "fi et", "zh ja", "ar fa ur ps sd", "zu xh st sn ny", "ga gd", "he yi", "no is",
    )
)  # fmt: skip
# Taken for a language with fewer writers, a text without a single word of its own is in the one with more.
_COMMONER = {
    "ms": ("id",), "jv": ("id",), "su": ("id",), "gl": ("es", "pt"), "ca": ("es",), "co": ("it",), "lb": ("de",),
    "af": ("nl",), "fy": ("nl",),
}  # fmt: skip
# Signs that running Chinese has and a Japanese title without kana has not; of the second kind it takes two.
_CHINESE = frozenset("我你她它这這请請么麼们們吗嗎吧呢把也很说說让讓没沒还還跟给个为将")
_MOSTLY_CHINESE = frozenset("的了是在有不都就到会會得個為給比")


class Language(NamedTuple):
    """An ISO 639-1 code, and whether code is sure of it."""

    code: str
    sure: bool


class Reading(NamedTuple):
    """A guess with what it rests on: `small` holds the distinct small words of each language that were found.

    `sure` of this language; `kin`: sure that it is this language or one that is easily taken for it.
    """

    code: str
    sure: bool
    kin: bool
    words: int
    small: dict[str, frozenset[str]]

    def is_not(self, other: str) -> bool:
        """Whether it is certain that this is not the other language: overwhelming evidence where they are close."""
        if self.code == other:
            return False
        if not are_close(self.code, other):
            return self.kin
        if not self.sure or {self.code, other} == {"zh", "ja"}:
            return self.sure
        own, its = self.small.get(self.code, frozenset()), self.small.get(other, frozenset())
        return self.words >= 25 and len(own - its) >= 6 and len(own - its) >= 6 * len(its - own)


def language_of(text: str) -> Language | None:
    """The language of a text as a whole, or None where there is too little to tell."""
    reading = read_language(without_code(_sample(text)))
    return None if reading is None else Language(reading.code, reading.sure)


def plain_code(code: str) -> str:
    """A language's code without its region or script, in its present form: pt-BR is pt, nb is no."""
    primary = re.split(r"[-_]", code.strip().lower())[0]
    return _OLD_CODES.get(primary, primary)


@lru_cache(maxsize=1024)
def are_close(code: str, other: str) -> bool:
    """Whether two languages are easily taken for each other."""
    return any(code in group and other in group for group in _CLOSE)


def without_code(text: str) -> str:
    """The text with spaces where code, addresses and markers stood, so that places stay the same."""
    text = CONTROL_TOKEN.sub(_blank, text)
    return _CODE.sub(_blank, text)


def weight_of(text: str) -> int:
    """How much a text says, in letters of an alphabet."""
    return sum(_by_script(text).values())


def read_language(prose: str, hoped: str | None = None) -> Reading | None:
    """The language of prose that holds no code; where the small words say it is `hoped`, nothing more is asked."""
    prose = unicodedata.normalize("NFC", prose)
    letters = _by_script(prose)
    if sum(letters.values()) < _LEAST:
        return None
    asian = {script: letters[script] for script in ("han", "kana") if letters[script]}
    both = Counter({**letters, "han": sum(asian.values())})
    del both["kana"]
    script, weight = both.most_common(1)[0]
    clear = weight >= 0.7 * both.total()
    if script == "han":
        return _chinese_or_japanese(letters, clear, prose)
    if script not in _SHARED:
        sure = clear and weight >= 10
        return Reading(script, sure, sure, max(1, weight // 5), {})
    return _by_words(_words_of(prose, script), clear, hoped)


def _sample(text: str) -> str:
    """All of a short text; of a long one its start, middle and end."""
    if len(text) <= _SAMPLE:
        return text
    third, middle = _SAMPLE // 3, len(text) // 2
    return f"{text[:third]}\n{text[middle : middle + third]}\n{text[-third:]}"


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _by_script(text: str) -> Counter[str]:
    if text.isascii():
        return Counter(latin=len(text.encode().translate(None, _NO_LETTERS)))
    letters: Counter[str] = Counter()
    for sign, times in Counter(text).items():
        if (script := _script_of(sign)) is not None:
            letters[script] += times * _WEIGHT.get(script, 1)
    return letters


@lru_cache(20_000)
def _script_of(sign: str) -> str | None:
    return next((script for low, high, script in _ranges() if low <= sign <= high), None)


@cache
def _ranges() -> tuple[tuple[str, str, str], ...]:
    spans = ((script, *pair) for script, text in _SCRIPTS.items() for pair in re.findall(r"(.)-(.)|(.)", text))
    return tuple((low or one, high or one, script) for script, low, high, one in spans)


def _chinese_or_japanese(letters: Counter[str], clear: bool, prose: str) -> Reading:
    han, kana = letters["han"] // _WEIGHT["han"], letters["kana"] // _WEIGHT["kana"]
    if kana * 10 >= han + kana:
        sure = clear and kana * 5 >= han + kana and han + kana >= 6
        return Reading("ja", sure, clear and han + kana >= 6, (han + kana) // 2, {})
    sure = clear and kana * 50 <= han and han >= 5 and _is_running_chinese(set(prose))
    return Reading("zh", sure, clear and han >= 8, han // 2, {})


def _is_running_chinese(signs: set[str]) -> bool:
    return bool(signs & _CHINESE) or len(signs & _MOSTLY_CHINESE) >= 2


def _words_of(prose: str, script: str) -> list[str]:
    words = _WORD.findall(prose[:_SAMPLE])
    return [word for word in words if len(word) <= _LONGEST and _script_of(word[0]) == script]


@cache
def _small_words() -> dict[str, tuple[str, ...]]:
    """Each small word with the languages that have it."""
    lines = Path(__file__).with_name("language_words.txt").read_text("utf-8").splitlines()
    owners: dict[str, set[str]] = {}
    for line in lines:
        if not line.startswith("#"):
            code, *words = unicodedata.normalize("NFC", line).split()
            for word in words:
                owners.setdefault(word, set()).add(code)
    return {word: tuple(sorted(codes)) for word, codes in owners.items()}


@cache
def _listed() -> frozenset[str]:
    return frozenset(code for codes in _small_words().values() for code in codes)


def _by_words(written: list[str], clear: bool, hoped: str | None) -> Reading | None:
    words = [word.lower() for word in written]
    if len(set(words)) < 2:
        return None
    owners = _small_words()
    tally = Counter(words)
    # A letter in a name says where somebody comes from, not what language speaks of them.
    tally.update(f"*{sign}" for sign in set("".join(word for word in written if word == word.lower())))
    counts: Counter[str] = Counter()
    small: dict[str, set[str]] = {}
    for word, times in tally.items():
        for code in owners.get(word, ()):
            counts[code] += times
            small.setdefault(code, set()).add(word)
    found = {code: frozenset(own) for code, own in small.items()}
    if hoped in found and clear and all(_is_backed(hoped, 1, found, counts, len(words))):
        return Reading(hoped, True, True, len(words), found)
    guessed, probability = _detect(" ".join(words))
    settled = _settle(guessed, probability, found, counts, len(words))
    if settled is None:
        return None
    code = settled
    sure, kin = _is_backed(code, probability, found, counts, len(words))
    agreed = code == guessed or are_close(code, guessed)
    return Reading(code, clear and sure and code == guessed, clear and kin and agreed, len(words), found)


def _settle(
    guessed: str, probability: float, small: dict[str, frozenset[str]], counts: Counter[str], n: int
) -> str | None:
    """The detector's guess, unless the small words speak clearly for another language."""
    own = small.get(guessed, frozenset())
    best = max(small, key=lambda code: (len(small[code]), counts[code]), default=guessed)
    for common in sorted(_COMMONER.get(guessed, ()), key=lambda code: -len(small.get(code, ()))):
        gain = len(small.get(common, own) - own) - len(own - small.get(common, own))
        if common in small and (gain > 0 or (gain == 0 and (probability < 0.95 or common == "id"))):
            return common
    for_best, for_own = len(small.get(best, own) - own), len(own - small.get(best, own))
    if for_best >= (1 if probability < 0.7 else 2 if probability < 0.95 else 3) and for_best > 2 * for_own:
        return best
    # Of a language that we have no words of, only a clear guess on more than a few words is worth telling.
    if guessed not in _listed():
        return guessed if probability >= 0.9 and n >= 6 else None
    return guessed if own or probability >= 0.7 else None


def _is_backed(
    code: str, probability: float, small: dict[str, frozenset[str]], counts: Counter[str], n: int
) -> tuple[bool, bool]:
    """Whether the small words of a text of `n` words agree with the detector: on the language, and on its kin."""
    if code not in _listed():
        lone = n >= 20 and probability >= 0.99 and not any(len(its) > 3 for its in small.values())
        return lone, lone
    own = small.get(code, frozenset())
    if n < 4 or len(own) < 2 or probability < 0.7 or counts[code] * 7 < n:
        return False, False
    close = {it: its for it, its in small.items() if it != code and are_close(it, code)}
    others = {it: its for it, its in small.items() if it != code and not are_close(it, code)}
    kin = len(own) > 2 * max((len(its - own) for its in others.values()), default=0)
    # In a long text small words of many languages turn up; their share in the running text decides.
    kin = kin or (n >= 60 and counts[code] * 5 >= n and all(counts[code] > 2 * counts[it] for it in others))
    # A language with fewer writers needs more to raise a doubt.
    alone = all(
        len(own - its) > (1 if it in _COMMONER and code not in _COMMONER else 2) * len(its - own)
        for it, its in close.items()
    )
    return kin and alone, kin


@cache
def _detector() -> Any:
    import gcld3  # some milliseconds that only those who ask for a language spend

    return gcld3.NNetLanguageIdentifier(0, _SAMPLE)


_OLD_CODES = {"iw": "he", "nb": "no", "nn": "no", "fil": "tl", "in": "id", "ji": "yi", "jw": "jv"}


def _detect(prose: str) -> tuple[str, float]:
    """The detector's code and how much it trusts it; romanised languages come as their own, little trusted."""
    result = _detector().FindLanguage(prose)
    code = str(result.language)
    return plain_code(code), 0.3 if "-" in code else float(result.probability)
