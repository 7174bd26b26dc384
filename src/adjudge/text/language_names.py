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


_SPELLED = re.compile(r"[^\W\d_]+")
_ONE_LATIN_WORD = re.compile(r"[a-z\u00c0-\u024f]+")


def language_name(code: str) -> str:
    """The English name of a language, or its code where we have none."""
    return LANGUAGE_NAMES.get(code, code)


def named_languages(text: str) -> set[str]:
    """The codes of the languages that a text speaks of, in any of the languages we know their names in."""
    found = {_spelled_code(word) for word in _SPELLED.findall(text)}
    found |= {_names().get(match[0].lower()) for match in _elsewhere().finditer(text)}
    return {code for code in found if code is not None}


def code_named(name: str) -> str | None:
    """The code of a language by its code or one of its names."""
    lowered = name.lower()
    return lowered if lowered in LANGUAGE_NAMES else _names().get(lowered)


def _spelled_code(word: str) -> str | None:
    if word == "polish":  # the verb
        return None
    lowered = word.lower()
    # German inflects: "ins Deutsche", "im Französischen".
    stem = lowered.removesuffix("n").removesuffix("e") if lowered.endswith(("sche", "schen")) else lowered
    return _names().get(lowered) or _names().get(stem)


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
    """Names of several words, and in scripts that write words together, or with particles and endings."""
    names = sorted((name for name in _names() if not _ONE_LATIN_WORD.fullmatch(name)), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, names)), re.IGNORECASE)
