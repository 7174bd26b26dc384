"""What languages are called: their English names, and their names in the languages people give instructions in.

Codes are ISO 639-1. The names in other languages stand in `language_names.txt`, which is read when first asked for.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

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


# A named language is marked by its code between these two, which no text has a use for.
OPEN, CLOSE = "\ue000", "\ue001"
_MARK = re.compile(f"{OPEN}([a-z]{{2}}){CLOSE}")
_SPELLED = re.compile(r"[^\W\d_]+")
_LATIN = re.compile(r"[a-z\u00c0-\u024f]+")


def language_name(code: str) -> str:
    """The English name of a language, or its code where we have none."""
    return LANGUAGE_NAMES.get(code, code)


def mark_names(text: str) -> str:
    """The text with every language's name, in any of the languages we know it in, replaced by its marked code."""
    text = text.replace(OPEN, " ").replace(CLOSE, " ")
    if not text.isascii():
        text = _elsewhere().sub(lambda match: _marked(_names()[match[1]]), text)
    return _SPELLED.sub(_mark_spelled, text)


def named_languages(text: str) -> set[str]:
    """The codes of the languages that a text speaks of."""
    return set(_MARK.findall(mark_names(text)))


def code_named(name: str) -> str | None:
    """The code of a language by its code or one of its names."""
    lowered = name.lower()
    return lowered if lowered in LANGUAGE_NAMES else _names().get(lowered)


def _marked(code: str) -> str:
    return f"{OPEN}{code}{CLOSE}"


def _mark_spelled(match: re.Match[str]) -> str:
    word = match[0].lower()
    code = _names().get(word)
    # German inflects: "ins Deutsche", "im Französischen".
    if code is None and word.endswith(("sche", "schen")):
        code = _names().get(word.removesuffix("n").removesuffix("e"))
    if code is None or match[0] == "polish":
        return match[0]
    return _marked(code)


@cache
def _names() -> dict[str, str]:
    names = {name.lower(): code for code, name in LANGUAGE_NAMES.items()}
    for line in Path(__file__).with_name("language_names.txt").read_text("utf-8").splitlines():
        if not line.startswith("#"):
            code, _, others = line.partition(": ")
            names |= dict.fromkeys(others.split(", "), code)
    return names


@cache
def _elsewhere() -> re.Pattern[str]:
    """Names in scripts that write words together, or with particles and endings."""
    names = sorted((name for name in _names() if not _LATIN.match(name)), key=len, reverse=True)
    return re.compile(rf"({'|'.join(map(re.escape, names))})(?:(?<=[а-яіїє])[а-яіїє]+)?")
