"""Writes the file of pieces that `literals` reads: `python -m adjudge.facts.asking.keeping`, after a lexicon changed.

What is not in the file is read off its pattern as it is met: a file that lags costs time and changes nothing.
"""

from __future__ import annotations

import json

from .asian import CHINESE, JAPANESE, KOREAN
from .eastern import ARABIC, HINDI
from .english import ENGLISH
from .gallic import FRENCH, ITALIAN
from .german import GERMAN
from .iberian import PORTUGUESE, SPANISH
from .literals import KEPT, key_of, read_literals

_LEXICONS = (
    ENGLISH, SPANISH, FRENCH, GERMAN, PORTUGUESE, ITALIAN, CHINESE, JAPANESE, KOREAN, HINDI, ARABIC,
)  # fmt: skip


def pieces_file() -> str:
    """What the file should hold: a line for each pattern of the lexicons."""
    patterns = dict.fromkeys(pattern for lexicon in _LEXICONS for pattern in lexicon.sought())
    kept = {key_of(pattern): read_literals(pattern) for pattern in patterns}
    lines = [f"{json.dumps(key)}: {json.dumps(kept[key], ensure_ascii=False)}" for key in sorted(kept)]
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    KEPT.write_text(pieces_file(), "utf-8")
