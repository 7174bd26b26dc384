"""Detect the language of a text with CLD3, if there is enough prose and CLD3 is sure, and translate language names to
codes. Code, quotations, addresses, digits and chat markers do not count as prose.

Codes are ISO 639-1, or 639-2 for the few languages without one. Names in languages other than English are in
`language_names.txt`, which is read at first use.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from . import in_pieces
from .control_tokens import CONTROL_TOKEN
from .sentences import QUOTATION, ends_a_sentence, rough_words
from .words import each_word

LANGUAGE_NAMES = {
    "af": "Afrikaans", "am": "Amharic", "ar": "Arabic", "az": "Azerbaijani", "be": "Belarusian", "bg": "Bulgarian",
    "bn": "Bengali", "bs": "Bosnian", "ca": "Catalan", "co": "Corsican", "cs": "Czech", "cy": "Welsh", "da": "Danish",
    "de": "German", "el": "Greek", "en": "English", "eo": "Esperanto", "es": "Spanish", "et": "Estonian",
    "eu": "Basque", "fa": "Persian", "fi": "Finnish", "fr": "French", "fy": "Frisian", "ga": "Irish",
    "gd": "Scottish Gaelic", "gl": "Galician", "gu": "Gujarati", "ha": "Hausa", "he": "Hebrew", "hi": "Hindi",
    "hr": "Croatian", "ht": "Haitian Creole", "hu": "Hungarian", "hy": "Armenian", "id": "Indonesian", "ig": "Igbo",
    "is": "Icelandic", "it": "Italian", "ja": "Japanese", "jv": "Javanese", "ka": "Georgian", "kk": "Kazakh",
    "km": "Khmer", "kn": "Kannada", "ko": "Korean", "ku": "Kurdish", "ky": "Kyrgyz", "la": "Latin",
    "lb": "Luxembourgish", "lo": "Lao", "lt": "Lithuanian", "lv": "Latvian", "mg": "Malagasy", "mi": "Maori",
    "mk": "Macedonian", "ml": "Malayalam", "mn": "Mongolian", "mr": "Marathi", "ms": "Malay", "mt": "Maltese",
    "my": "Burmese", "ne": "Nepali", "nl": "Dutch", "no": "Norwegian", "ny": "Chichewa", "pa": "Punjabi",
    "pl": "Polish", "ps": "Pashto", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sd": "Sindhi",
    "si": "Sinhala", "sk": "Slovak", "sl": "Slovenian", "sm": "Samoan", "sn": "Shona", "so": "Somali",
    "sq": "Albanian", "sr": "Serbian", "st": "Sotho", "su": "Sundanese", "sv": "Swedish", "sw": "Swahili",
    "ta": "Tamil", "te": "Telugu", "tg": "Tajik", "th": "Thai", "tl": "Filipino", "tr": "Turkish", "uk": "Ukrainian",
    "ur": "Urdu", "uz": "Uzbek", "vi": "Vietnamese", "xh": "Xhosa", "yi": "Yiddish", "yo": "Yoruba", "zh": "Chinese",
    "zu": "Zulu",
}  # fmt: skip
# Known by name only: texts in them are not detected, or nobody measured how well.
_NAMED_ONLY = {
    "as": "Assamese", "ay": "Aymara", "bho": "Bhojpuri", "bo": "Tibetan", "br": "Breton", "ceb": "Cebuano",
    "dv": "Dhivehi", "ee": "Ewe", "fo": "Faroese", "gn": "Guarani", "haw": "Hawaiian", "hmn": "Hmong",
    "iu": "Inuktitut", "ln": "Lingala", "mai": "Maithili", "nah": "Nahuatl", "oc": "Occitan", "om": "Oromo",
    "or": "Odia", "qu": "Quechua", "rm": "Romansh", "rw": "Kinyarwanda", "sa": "Sanskrit", "sc": "Sardinian",
    "ti": "Tigrinya", "tk": "Turkmen", "tn": "Tswana", "tt": "Tatar", "tw": "Twi", "ug": "Uyghur",
    "wo": "Wolof", "yue": "Cantonese",
}  # fmt: skip


_SPELLED = re.compile(r"[^\W\d_]+")
_ACCENT = re.compile(r"[\u0300-\u036f]")
_LONG_NAME = 7  # letters
_ONE_LATIN_WORD = re.compile(r"[a-z\u00c0-\u024f]+")


def language_name(code: str) -> str:
    """Return the English name of a language, or its code if we have no name."""
    return LANGUAGE_NAMES.get(code) or _NAMED_ONLY.get(code, code)


def named_languages(text: str) -> set[str]:
    """Return the codes of the languages that a text mentions, in any language in which we know their names."""
    found = {_spelled_code(word[0]) for word in in_pieces(_SPELLED, text)}
    found |= {_names().get(match[0].lower()) for match in in_pieces(_elsewhere(), text)}
    return {code for code in found if code is not None}


def code_named(name: str) -> str | None:
    """Return the code of a language from its code or one of its names, or None."""
    lowered = name.lower()
    return lowered if lowered in LANGUAGE_NAMES or lowered in _NAMED_ONLY else _names().get(lowered)


def _spelled_code(word: str) -> str | None:
    if word == "polish":  # the verb
        return None
    lowered = word.lower()
    # German inflects: "ins Deutsche", "im Französischen".
    stem = lowered.removesuffix("n").removesuffix("e") if lowered.endswith(("sche", "schen")) else lowered
    return _names().get(lowered) or _names().get(stem) or _unaccented_names().get(unaccented(lowered))


@cache
def _names() -> dict[str, str]:
    names = {name.lower(): code for code, name in (LANGUAGE_NAMES | _NAMED_ONLY).items()}
    for line in Path(__file__).with_name("language_names.txt").read_text("utf-8").splitlines():
        if not line.startswith("#"):
            code, _, others = line.partition(": ")
            names |= dict.fromkeys(others.split(", "), code)
    return names


def unaccented(text: str) -> str:
    """Return a text without the accents of European alphabets."""
    return unicodedata.normalize("NFC", _ACCENT.sub("", unicodedata.normalize("NFD", text)))


@cache
def _unaccented_names() -> dict[str, str]:
    """Return the names without accents, which people leave out or add ("Télougou"). A short one may be another word."""
    latin = {name: code for name, code in _names().items() if _ONE_LATIN_WORD.fullmatch(name)}
    return {unaccented(name): code for name, code in latin.items() if len(name) >= _LONG_NAME}


@cache
def _elsewhere() -> re.Pattern[str]:
    """Return a pattern for names that are not one Latin word: several words, or scripts that join or inflect words."""
    names = sorted((name for name in _names() if not _ONE_LATIN_WORD.fullmatch(name)), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, names)), re.IGNORECASE)


# -- detection --------------------------------------------------------------------------------------------------------

RELIABLE = 0.95
WORDS = 20  # the least words of prose from which a language is detected
_CHARACTERS_A_WORD = 2  # in scripts without spaces
FIELD_WORDS = 12  # the least words of a field of one or two sentences that should be in English
_LOOKED_AT = 20_000
_NO_PROSE = re.compile(
    r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]{1,200}`|\$\$.{1,2000}?\$\$|\$[^$\n]{1,200}\$|"
    r"\b(?:https?|ftp)://\S{1,2000}|\bwww\.\S{1,500}|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}\.\w{2,10}|"
    r"</?[A-Za-z][^<>\n]{0,200}>|\b[^\W_]{1,64}(?:[_/\\.][^\W_]{1,64})+|\\[A-Za-z]+",
    re.DOTALL,
)
_QUOTED = re.compile(
    rf"{QUOTATION.pattern}|「[^「」]{{1,600}}」|『[^『』]{{1,600}}』|‹[^‹›]{{1,600}}›|(?<!\w)['‘][^'‘’\n]{{1,200}}['’](?!\w)"
)
_CODE_START = re.compile(r"\s*(?:#include|import |def |class |//|(?i:select\b.*\bfrom|insert into|delete from)\b)")
_CODE_MARK = re.compile(r"[{}=<>\\|$]|;\s*$|\(\)|\w\(|^\s*(?:- )?[\w-]+:(?:\s|$)")
_LINE_WORDS = 8  # a shorter line without an end mark is a heading, an item or a name
_WORDS_A_MARK = 8  # prose has more words than this for each character that is usual in code
_CODE_SHARE = 4  # if one line in four is code, short lines count as code too
_DIGITS = re.compile(r"\d+")
_UNSPACED_LETTER = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
# Languages that are easily confused with each other.
_CLOSE = tuple(
    tuple(group.split())
    for group in (
        "es pt gl ca", "sv no da", "id ms jv su", "hr sr bs sl", "cs sk", "hi mr ne", "ru uk bg be mk", "nl af fy",
        "it co", "de lb", "tr az", "fi et", "zh ja", "ar fa ur ps sd", "zu xh st sn ny", "ga gd", "he yi", "no is",
    )
)  # fmt: skip
# The language of a short text is easily confused with a rarer similar one.
COMMONER = {
    "gl": "es", "ca": "es", "co": "it", "lb": "de", "af": "nl", "fy": "nl", "ms": "id", "jv": "id", "su": "id",
}  # fmt: skip
_OLD_CODES = {"iw": "he", "fil": "tl", "nb": "no", "nn": "no", "in": "id", "jw": "jv", "ji": "yi", "cmn": "zh"}


def language_of(text: str, least_words: int = WORDS) -> str | None:
    """Return the ISO 639-1 code of a text as a whole, or None if there is too little prose or CLD3 is not sure."""
    prose = prose_of(text)
    code = _code_of(prose, least_words)
    # CLD3 may report the language of one foreign paragraph, so check that neither half is in another language.
    middle = len(prose) // 2
    halves = (prose[:middle], prose[middle:]) if code is not None and _has_words(prose, WORDS) else ()
    agreed = {code, None}.issuperset(map(_reliable_code, halves))
    return code if agreed and code in LANGUAGE_NAMES else None


def running_text(text: str) -> str:
    """Return the prose of a text without the lines that are no sentences: headings, items, names."""
    lines = prose_of(text).split("\n")
    return "\n".join(line for line in lines if ends_a_sentence(line) or _has_words(line, _LINE_WORDS))


def are_close(code: str, other: str) -> bool:
    """Return whether two languages are the same or easily confused with each other."""
    return code == other or any(code in group and other in group for group in _CLOSE)


def close_languages(code: str) -> frozenset[str]:
    """Return a language and all that are easily confused with it."""
    return frozenset({code}.union(*(group for group in _CLOSE if code in group)))


def languages_in(text: str) -> frozenset[str]:
    """Return every language that a text may contain, also in quotations. It surely contains no other."""
    plain = _DIGITS.sub(" ", _readable(text))
    # Check the first and last paragraphs, because instructions come before or after their material.
    paragraphs = [paragraph for paragraph in re.split(r"\n\s*", plain) if paragraph.strip()]
    pieces = [plain, prose_of(text), *paragraphs[:2], *paragraphs[-2:]]
    found = [_identifier().FindLanguage(text=piece) for piece in pieces if piece.strip()]
    found += _identifier().FindTopNMostFreqLangs(text=plain, num_langs=5)
    return frozenset(plain_code(one.language.removesuffix("-Latn")) for one in found if one.language != "und")


def is_throughout_in(code: str, text: str) -> bool:
    """Return whether both halves of a text look like this language. CLD3 misreads short texts, but rarely twice."""
    words = prose_of(text).split()
    halves = (words[: len(words) // 2], words[len(words) // 2 :])
    found = (_identifier().FindLanguage(text=" ".join(half)).language for half in halves if half)
    return all(are_close(plain_code(one), code) for one in found)


def foreign_language(text: str) -> str | None:
    """Return the English name of a few sentences' language if it is surely not English, or None. Ignore quotations."""
    plain = _without_quotations(text)
    letters = [char for char in plain if char.isalpha()]
    strange = [char for char in letters if not unicodedata.name(char, "").startswith("LATIN")]
    if len(strange) * 2 > len(letters):
        code = _reliable_code(plain)
        return language_name(code) if code not in (None, "en") else "another script"
    code = _code_of(plain, FIELD_WORDS)
    return language_name(code) if code not in (None, "en") else None


def prose_of(text: str) -> str:
    """Return a text without code, quotations, addresses, digits and chat markers."""
    lines = [line for line in _without_quotations(text).split("\n") if line.strip()]
    kept = [line for line in lines if not _is_code(line)]
    if (len(lines) - len(kept)) * _CODE_SHARE >= len(lines):
        kept = [line for line in kept if rough_words(line) >= _WORDS_A_MARK]
    return "\n".join(kept)


def _code_of(prose: str, least_words: int) -> str | None:
    """Return the code of some prose, or None if it has too few words, CLD3 is not sure or only the names suggest it."""
    code = _reliable_code(prose) if _has_words(prose, least_words) else None
    if code is None:
        return None
    # Names say nothing about the language around them: the other words must be in it, too.
    others = " ".join(word for word in prose.split() if not _is_capitalised(word))
    found = _identifier().FindLanguage(text=others)
    return code if found.is_reliable and are_close(plain_code(found.language), code) else None


def _is_capitalised(word: str) -> bool:
    """Return whether a word begins with a capital. A text in capitals only has no names that can be told."""
    first = next(filter(str.isalpha, word), "")
    return first.isupper() and not (len(word) > 1 and word.isupper())


def _has_words(prose: str, least: int) -> bool:
    """Return whether there are so many words with a letter, or twice as many characters of scripts without spaces."""
    spaced, unspaced = _UNSPACED_LETTER.subn(" ", prose)
    lettered = (word for word in each_word(spaced) if any(map(str.isalpha, word)))
    return unspaced >= least * _CHARACTERS_A_WORD or sum(1 for _ in islice(lettered, least)) == least


def _reliable_code(text: str) -> str | None:
    found = _identifier().FindLanguage(text=text)
    sure = found.is_reliable and found.probability >= RELIABLE and not found.language.endswith("-Latn")
    return plain_code(found.language) if sure else None


def _without_quotations(text: str) -> str:
    text = unicodedata.normalize("NFC", _readable(text))
    return _DIGITS.sub(" ", _QUOTED.sub(" ", _NO_PROSE.sub(" ", text)))


def _is_code(line: str) -> bool:
    marks = len(_CODE_MARK.findall(line))
    return _CODE_START.match(line) is not None or (marks > 0 and marks * _WORDS_A_MARK >= rough_words(line))


def _readable(text: str) -> str:
    """Return the beginning of a text without chat markers and without lone surrogates, which CLD3 refuses."""
    return CONTROL_TOKEN.sub(" ", text[:_LOOKED_AT]).encode(errors="ignore").decode()


def plain_code(code: str) -> str:
    """Return a language code without region or script and in its current form: pt-BR is pt, nb is no."""
    primary = re.split(r"[-_]", code.strip().lower())[0]
    return _OLD_CODES.get(primary, primary)


@cache
def _identifier() -> Any:
    import gcld3  # imported here because it loads the weights of a neural network

    return gcld3.NNetLanguageIdentifier(min_num_bytes=0, max_num_bytes=4 * _LOOKED_AT)
