"""Find out whether a text breaks off or repeats itself.

Only two endings prove that a text breaks off: the next number of a list with nothing after it, and a comma if the
paragraphs before it end with a full stop. All other open endings are left to the judge.
"""

from __future__ import annotations

import re

from . import Spot, in_pieces
from .control_tokens import real_end
from .sentences import code_spans, ends_a_sentence, rough_words, sentence_spans

TAIL = 60  # characters of the end that are shown
_LOOKED_AT = 10_000  # characters of a line whose words are counted
_LONG_LINE = 8  # words; a shorter line may be a title, a verse or an item instead of prose
_ITEM = re.compile(r"[ \t]*(\d{1,3})[.)](?:[ \t]|$)")
_LIST_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]")
_DATA = re.compile(r"[{};=<>\\|$]|\(\)|://")
_COMMAS = ",،、，"
# If the task asks for one of these, an open end may be intended.
_FRAGMENT = re.compile(
    r"\b(?:continue|complete|finish|fill|fragment|verse|poem|haiku|lyrics?|song|stanza|limerick|code|csv|json|data|"
    r"comma|truncat\w*|sentence starter|headline|title|slogan|list of words|"
    r"contin[uú]a|continuar|continuez|completa|completar|complète|complétez|termina|terminar|terminez|fragmento|"
    r"frammento|verso|versos|versi|estrofa|strofa|poemas?|poèmes?|poes[ií]a|poésie|canción|canzone|canção|chanson|"
    r"código|codice|datos|dados|dati|données|coma|vírgula|virgola|virgule|"
    r"setze|vervollständige|ergänze|bruchstück|gedichte?s?|liedtext|songtext|strophe|daten|komma|"
    r"продолжи|продолжите|дополни|закончи|фрагмент|стих\w*|песн\w*|код|кода|данные)\b|"
    r"续写|續寫|继续|繼續|补全|诗|詩|歌词|歌詞|代码|代碼|数据|資料|逗号|続き|続けて|コード|データ|이어서|가사|코드|데이터|"
    r"أكمل|تابع|قصيدة|أغنية|بيانات|जारी रख|कविता|गीत|कोड|डेटा",
    re.IGNORECASE,
)


def find_cut_off(text: str, asked: str = "") -> Spot | None:
    """Return where and how the text breaks off, or None. Also None if `asked` is for a fragment, verse or data."""
    end = real_end(text)
    body = text[:end]
    if _ends_on_a_number(body):
        found = "ends with the number of a list item that never comes"
    elif _ends_on_a_comma(body):
        found = "ends with a comma"
    else:
        return None
    if any(in_pieces(_FRAGMENT, asked)) or any(low < end <= high for low, high in code_spans(body)):
        return None
    start = max(0, end - TAIL)
    space = body.find(" ", start, end - TAIL // 2) if start else -1
    return Spot(space + 1 if space >= 0 else start, end, found, True)


def _ends_on_a_number(body: str) -> bool:
    """Return whether the last line is only a number, the next one after that of the last list item."""
    last = _ITEM.fullmatch(body, body.rfind("\n") + 1)
    if last is None:
        return False
    lines = [line for line in body.split("\n") if line.strip()]
    numbers = [match for line in lines[:-1] if (match := _ITEM.match(line)) and line[match.end() :].strip()]
    return bool(numbers) and int(last[1]) == int(numbers[-1][1]) + 1


def _ends_on_a_comma(body: str) -> bool:
    """Return whether the last line is prose that ends with a comma, and the paragraphs before end with a full stop."""
    if not body.endswith(tuple(_COMMAS)):
        return False
    *before, last = [line for line in body.split("\n") if line.strip()]
    if rough_words(last[-_LOOKED_AT:]) < _LONG_LINE or _DATA.search(last) or _LIST_ITEM.match(last):
        return False
    prose = [line for line in before if rough_words(line[:_LOOKED_AT]) >= _LONG_LINE]
    return bool(prose) and all(ends_a_sentence(line) for line in prose)


# -- repetition -------------------------------------------------------------------------------------------------------

_REPEATED_WORDS = 6
_SHOWN = 3


def find_repetition(text: str) -> list[Spot]:
    """Return the sentences that occur more than once, the most frequent first, each at its first repetition."""
    places: dict[str, list[tuple[int, int]]] = {}
    for start, end in sentence_spans(text):
        places.setdefault(text[start:end], []).append((start, end))
    repeated = [(len(found), found[1]) for sentence, found in places.items() if len(found) > 1 and _is_prose(sentence)]
    code = code_spans(text) if repeated else []
    outside = [(times, at) for times, at in repeated if not any(low <= at[0] < high for low, high in code)]
    outside.sort(key=lambda item: (-item[0], item[1]))
    return [Spot(*place, f"appears {times} times word for word", False) for times, place in outside[:_SHOWN]]


def _is_prose(sentence: str) -> bool:
    """Return whether a sentence is long enough and not a row or rule of a table."""
    return rough_words(sentence) >= _REPEATED_WORDS and not sentence.startswith("|") and any(map(str.isalpha, sentence))
