"""Measure a response against a constraint: exact counts, and whether it has a form or a wording.

`KINDS` has one measuring function for each kind. Whether the task really demands it was decided before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import partial
from typing import NamedTuple
from unicodedata import normalize

from ..models.common import Severity
from ..models.constraints import Constraint, ConstraintKind
from ..text.asked_language import language_for
from ..text.control_tokens import without_end_markers
from ..text.language import LANGUAGE_NAMES, are_close, language_name
from .counting import (
    Counts,
    bullet_counts,
    character_counts,
    counts_in_characters,
    html_as_lines,
    item_counts,
    outside_code,
    paragraph_counts,
    sentence_counts,
    word_counts,
)
from .forms import (
    capital_word_counts,
    has_code_block,
    has_list,
    has_table,
    has_title,
    is_quoted,
    paragraph_starts,
    read_json,
)
from .marks import highlight_counts, marks_around, placeholder_counts
from .phrases import begins, contains, ends, occurrences
from .sections import section_counts

_LINE_END = re.compile("\r\n?|[\u2028\u2029]")
_FENCE_TAG = re.compile(r"(?<=```)[\w+#-]+$", re.MULTILINE)  # ```json: no word of the text
# How far a length may be off, as a share of what was asked for: met up to the first, a minor issue up to the second.
_LIMIT = Fraction(5, 100), Fraction(10, 100)
_STRICT = Fraction(0), Fraction(5, 100)
_ABOUT = Fraction(10, 100), Fraction(20, 100)
# 字 after a number are what a Chinese or Japanese text is counted in; 字符, 字元, 字母 and 文字 are always characters.
_HAN_UNIT = re.compile(r"(?:[\d一二三四五六七八九十百千万萬两兩〇零个個多余餘来]\s*[汉漢]?)字(?![符元母])|字[数數]")
# Words for bullet points in quotes. Other items need not be in a list: "name three rivers".
_BULLETS = re.compile(
    r"bullet|viñeta|\bpuces?\b|stichpunkt|aufzählungs(?:punkt|zeichen)|spiegelstrich|puntat[oi]|opsommingstekens?|"
    r"маркированн|项目符号|項目符號|箇条書き|글머리",
    re.IGNORECASE,
)
_JAPANESE_SCRIPT = re.compile("漢字|平仮名|片仮名|ひらがな|カタカナ")
_KANA, _HANGUL = re.compile(r"[\u3040-\u30ff]"), re.compile(r"[\uac00-\ud7af]")
# Words in quotes that say what should be JSON: the response, and not only some data in it.
_RESPONSE = re.compile(
    r"respon[sd]|respu|réponse|répond|resposta|rispost|antwort|answer|reply|output|result|salida|sortie|saída|ausgabe|"
    r"whole|entire|everything|only|complet|tout|ответ|вывод|回答|応答|出力|返答|全体|のみ|だけ|答え|回复|输出|輸出|回覆|전체|답변|응답|출력|إجابة|जवाब|उत्तर|คำตอบ",
    re.IGNORECASE,
)
_FENCE_LINE = re.compile(r"(?m)^[ \t]*(?:`{3,}|~{3,})[\w+-]*[ \t]*$")
_FEW = 3  # words that are named one by one
_SHORT_WORD = 4  # letters of words that need no capital in title case
_BOUNDS = {"below": "fewer than", "above": "more than"}
_RANK: dict[Severity | None, int] = {None: 0, "minor": 1, "major": 2}
CASINGS = {"upper": "capital letters", "lower": "small letters", "title": "title case"}


class Measurement(NamedTuple):
    """What was found in a response. `severity` is None if the constraint is met.

    `in_part` is True if it is met by some usual way of counting and missed by another, which is a hint.
    `over` is True for more and False for less than was asked for, and None if that does not apply.
    `says` is the predicate of a sentence about the response: "has 128 to 130 words; at most 100 were asked for".
    """

    says: str
    severity: Severity | None
    over: bool | None = None
    in_part: bool = False

    @property
    def met(self) -> bool:
        return self.severity is None


def kindest(first: Measurement, *others: Measurement | None) -> Measurement:
    """Return the first measurement with the severity that is kindest to the response. If it is a miss and another one
    is not, it is met in part."""
    severity = min((one.severity for one in (first, *others) if one is not None), key=_RANK.__getitem__)
    return first._replace(severity=severity, in_part=first.in_part or (severity is None and not first.met))


def measure(constraint: Constraint, response: str) -> Measurement | None:
    """Measure a response. Return None if that is not possible, for example the language of three words."""
    if constraint.kind != "json":  # a string of JSON may hold U+2028, but not "\n"
        response = with_plain_line_ends(response)
    return KINDS[constraint.kind](constraint, without_end_markers(response).strip())


def with_plain_line_ends(text: str) -> str:
    """Return a text in which every line ends with "\\n", wherever it was written."""
    return _LINE_END.sub("\n", text)


def _words(constraint: Constraint, text: str) -> Measurement:
    return _length(constraint, word_counts(text), "character" if counts_in_characters(text) else "word")


def _characters(constraint: Constraint, text: str) -> Measurement | None:
    if _JAPANESE_SCRIPT.search(constraint.quote) and _KANA.search(constraint.quote):
        return None  # only characters of one script should be counted
    in_characters = _length(constraint, character_counts(text), "character")
    if not _HAN_UNIT.search(constraint.quote):
        return in_characters
    in_words = _words(constraint, text)
    # In Japanese 字 are characters of any script, and Korean is counted in characters, too.
    both = _KANA.search(constraint.quote) or len(_HANGUL.findall(text)) * 2 > len(text.split())
    return kindest(in_characters, in_words) if both else in_words


def _length(constraint: Constraint, counts: Counts, unit: str) -> Measurement:
    """Measure a length, which may be off by a share of what was asked for."""
    about = constraint.bound == "about"
    none, minor = _ABOUT if about else _STRICT if constraint.strict else _LIMIT

    def severity(found: int) -> int:
        off, limit = _off(constraint, found)
        return (abs(off) > none * limit) + (abs(off) > minor * limit)

    return _graded(constraint, counts, unit, severity)


def _number(unit: str, counts: Callable[[str], Counts], constraint: Constraint, text: str) -> Measurement | None:
    """Measure a number of things, which is right or wrong. "About" allows one more or less."""
    possible, allowed = counts(text), constraint.bound == "about"
    if not possible:
        return None
    return _graded(constraint, possible, unit, lambda found: abs(_off(constraint, found)[0]) > allowed)


def _items(constraint: Constraint, text: str) -> Measurement | None:
    counts = bullet_counts if _BULLETS.search(constraint.quote) else item_counts
    return _number("item", partial(_in_html_too, counts), constraint, text)


def _in_html_too(counts: Callable[[str], Counts], text: str) -> Counts:
    """Return the possible counts in a text as it is and as its HTML is shown. There are none if either has none."""
    lines = html_as_lines(text)
    written = counts(text)
    shown = written if lines == text else counts(lines)
    if not written or not shown:
        return frozenset()
    if isinstance(written, range) and isinstance(shown, range):
        return range(min(written[0], shown[0]), max(written[-1], shown[-1]) + 1)
    return frozenset((*written, *shown))


def _graded(constraint: Constraint, counts: Counts, unit: str, severity: Callable[[int], int]) -> Measurement:
    """Grade the possible counts by the one that is kindest to the response."""
    ranked = sorted(_telling(counts, constraint), key=lambda count: (severity(count), abs(_off(constraint, count)[0])))
    kindest, worst = ranked[0], ranked[-1]
    missed, in_part = severity(kindest), severity(kindest) == 0 < severity(worst)
    over = _off(constraint, worst if in_part else kindest)[0] > 0 if missed or in_part else None
    says = f"has {several(counts, unit)}; {_asked(constraint)} asked for"
    return Measurement(says, (None, "minor", "major")[missed], over, in_part)


def _telling(counts: Counts, constraint: Constraint) -> Iterable[int]:
    """Return the counts that decide. Of a range these are its ends and the amounts asked for, since a count is worse
    the farther it is from what was asked for."""
    if isinstance(counts, frozenset):
        return counts
    ends = counts[0], counts[-1], *constraint.limits
    return (count for count in ends if count is not None and count in counts)


def _off(constraint: Constraint, found: int) -> tuple[int, int]:
    """Return how many there are too many (negative: too few), and the limit that is missed."""
    least, most = constraint.limits
    if most is not None and found > most:
        return found - most, most
    return (found - least, least) if least is not None and found < least else (0, 0)


def several(counts: Counts, unit: str) -> str:
    """Name the possible counts: "130 words", "128 to 130 words", "3 or 9 items"."""
    shown, between = ((counts[0], counts[-1]), "to") if isinstance(counts, range) else (sorted(counts), "or")
    *others, last = (f"{count:,}" for count in dict.fromkeys(shown))
    joined = f"{', '.join(others)} {between} {last}" if others else last
    return f"{joined} {unit}{'' if joined == '1' else 's'}"


def _asked(constraint: Constraint) -> str:
    if constraint.bound == "below" and constraint.amount == 1:
        return "none were"
    asked = f"{constraint.amount:,}"
    if constraint.bound == "between":
        asked += f" to {constraint.most:,}"
    elif constraint.bound != "exactly":
        asked = f"{_BOUNDS.get(constraint.bound, constraint.bound.replace('_', ' '))} {asked}"
    return f"{asked} {'was' if constraint.amount == 1 and constraint.most is None else 'were'}"


def _occurrences(constraint: Constraint, text: str) -> Measurement | None:
    words, counts = _times(constraint, text)
    measured = _number("occurrence", lambda _: counts, constraint, text)
    if measured is None:
        return None
    return measured._replace(
        says=re.sub("occurrences?", lambda unit: f"{unit[0]} of “{words}”", measured.says, count=1)
    )


def _sections(constraint: Constraint, text: str) -> Measurement | None:
    return _number("section", lambda text: section_counts(text, constraint.text), constraint, text)


def _highlights(constraint: Constraint, text: str) -> Measurement | None:
    # Labels are highlighted, too, but need not be among the "at most three parts".
    labels = constraint.limits[1] is None
    counts = partial(highlight_counts, quote=constraint.quote, labels=labels)
    return _number("highlighted part", counts, constraint, text)


def _placeholders(constraint: Constraint, text: str) -> Measurement | None:
    counts = partial(placeholder_counts, quote=constraint.quote, repeated=constraint.limits[1] is None)
    return _number("placeholder", counts, constraint, text)


def _capital_words(constraint: Constraint, text: str) -> Measurement | None:
    return _number("all-caps word", lambda text: capital_word_counts(text, constraint.quote), constraint, text)


def _form(what: str, there: Callable[[str], bool | None], constraint: Constraint, text: str) -> Measurement:
    """Check that something is there. If it may be there, that is a hint."""
    found = there(text)
    if found is None:
        return Measurement(f"may have no {what}; one was asked for", None, in_part=True)
    return Measurement(f"has {'a' if found else 'no'} {what}; one was asked for", None if found else "minor")


_JSON = {
    "whole": "is the JSON asked for",
    "in prose": "has other text around its JSON; JSON was asked for",
    "broken": "has JSON that does not parse; JSON was asked for",
    "none": "has no JSON; JSON was asked for",
}


def _json(constraint: Constraint, text: str) -> Measurement:
    found = read_json(text)
    if found == "in prose" and not _RESPONSE.search(constraint.quote):
        return Measurement(_JSON[found], None, in_part=True)
    return Measurement(_JSON[found], None if found == "whole" else "minor")


def _title(constraint: Constraint, text: str) -> Measurement:
    opening, closing = marks_around(constraint.text) or ("", "")
    marks = f" in {opening}{' ' if opening == closing else ''}{closing}" if opening else ""
    return _form(f"title{marks}", lambda text: has_title(text, constraint.text), constraint, text)


def _quotation_marks(constraint: Constraint, text: str) -> Measurement:
    found = is_quoted(text)
    says = "is not wrapped in quotation marks, as was asked for"
    return Measurement(says, "minor" if found is False else None, in_part=found is None)


def _first_word(constraint: Constraint, text: str) -> Measurement:
    number, word = constraint.amount or 1, " ".join(constraint.text.split())
    found = paragraph_starts(text, number)
    if not found:
        return Measurement(f"has no paragraph {number:,}, which should begin with “{word}”", "minor")
    met = any(begins(start, word, whole=True) for start in found)
    return Measurement(f"does not begin paragraph {number:,} with “{word}”, as was asked for", None if met else "minor")


def _language(constraint: Constraint, text: str) -> Measurement | None:
    found = language_for(text, constraint.text)
    if found is None:
        return None
    says = f"is in {language_name(found)}; {language_name(constraint.text)} was asked for"
    if constraint.text not in LANGUAGE_NAMES:  # a text in it is taken for one in another language
        return Measurement(says, None, in_part=True)
    return Measurement(says, None if are_close(found, constraint.text) else "major")


def _wording(says: str, holds: Callable[[str, str], bool], constraint: Constraint, text: str) -> Measurement:
    """Check for words at the beginning or the end."""
    words = " ".join(constraint.text.split())
    return Measurement(says.format(words), None if holds(text, words) else "minor")


def _must_contain(constraint: Constraint, text: str) -> Measurement:
    words, counts = _times(constraint, text)
    says = f"does not contain “{words}”, as was asked for"
    there = counts[0] or contains(text, words)
    if there or not counts[-1]:
        return Measurement(says, None if there else "minor")
    return Measurement(f"{says}, but another form of it", None, in_part=True)


def _must_not_contain(constraint: Constraint, text: str) -> Measurement:
    words, counts = _times(constraint, _FENCE_TAG.sub("", text))
    says = f"contains “{words}”, which was not wanted"
    if counts[0] or not counts[-1]:
        return Measurement(says, "minor" if counts[0] else None)
    return Measurement(f"{says}, but only in another form or a longer word", None, in_part=True)


def _times(constraint: Constraint, text: str) -> tuple[str, range]:
    """Return the words that a constraint is about, and how often they occur."""
    words = " ".join(constraint.text.split())
    return words, occurrences(text, words, constraint.quote)


def _casing(constraint: Constraint, text: str) -> Measurement:
    wrong = [
        word
        for word in re.findall(r"[^\W\d_]+", normalize("NFC", _FENCE_LINE.sub("", outside_code(text))))
        if _is_wrong(word, constraint.text)
    ]
    few = f" throughout ({', '.join(f'“{word}”' for word in wrong)})" if len(wrong) <= _FEW else ""
    return Measurement(f"is not in {CASINGS[constraint.text]}{few}, as was asked for", "minor" if wrong else None)


def _is_wrong(word: str, casing: str) -> bool:
    if casing == "upper":
        return any(char.islower() and char != char.upper() for char in word)
    return any(map(str.isupper, word)) if casing == "lower" else len(word) > _SHORT_WORD and word[0].islower()


KINDS: dict[ConstraintKind, Callable[[Constraint, str], Measurement | None]] = {
    "words": _words,
    "characters": _characters,
    "sentences": partial(_number, "sentence", partial(_in_html_too, sentence_counts)),
    "paragraphs": partial(_number, "paragraph", partial(_in_html_too, paragraph_counts)),
    "items": _items,
    "occurrences": _occurrences,
    "sections": _sections,
    "highlights": _highlights,
    "placeholders": _placeholders,
    "capital_words": _capital_words,
    "list": partial(_form, "list", has_list),
    "table": partial(_form, "table", has_table),
    "json": _json,
    "code_block": partial(_form, "code block", has_code_block),
    "title": _title,
    "quotation_marks": _quotation_marks,
    "first_word": _first_word,
    "language": _language,
    "must_contain": _must_contain,
    "must_not_contain": _must_not_contain,
    "begins_with": partial(_wording, "does not begin with “{}”, as was asked for", begins),
    "ends_with": partial(_wording, "does not end with “{}”, as was asked for", ends),
    "casing": _casing,
}
