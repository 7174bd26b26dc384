"""Verify what a judge lists: its quote must be in the material, and the number, language or words in the quote.

A constraint whose quote is not found is dropped. If the quote does not confirm it, it is a hint. Two constraints of
different kinds that rest on one number are both dropped: a weak judge also takes "exactly 3 paragraphs" for 3 words.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ..models.common import Label, QuoteCount
from ..models.constraints import Constraint, ConstraintKind, Observation, ObservationKind, Source
from ..text.control_tokens import without_end_markers
from ..text.evidence import Haystack, Span
from ..text.language import WORDS, close_languages, code_named, languages_in, named_languages, plain_code
from ..text.sentences import CLOSERS, SENTENCE_ENDS, rough_words, word_set
from .marks import marks_around
from .numbers import find_number
from .sections import is_shown_as_marker

NUMBERED: frozenset[ConstraintKind] = frozenset(
    {
        "words", "characters", "sentences", "paragraphs", "items", "occurrences", "sections", "highlights",
        "placeholders", "capital_words", "first_word",
    }
)  # fmt: skip
WORDED: frozenset[ConstraintKind] = frozenset(
    {"must_contain", "must_not_contain", "begins_with", "ends_with", "occurrences", "first_word"}
)
MOST_AMOUNT = 1_000_000
_QUOTES = "\"'“”‘’«»"
_PLACEHOLDER = re.compile(r"[<\[{(]\w.*")  # "[title]" may be brackets around a title, or a place for it
_COMMON = word_set("es fr de pt it nl sv pl tr id ru")
_AFTER_THE_END = CLOSERS + SENTENCE_ENDS + " \t\n\r"
# Common words for a form in several languages. If the quote has none of them, the constraint is a hint. For a list or a
# code block, the words must say what it looks like: "list three rivers" and "write code" may be met without one.
_FORMS = {
    "list": r"bullet|numbered|itemi[sz]ed|ordered list|point form|\b(?:own|new|separate|single|per|each) line|viñeta|"
    r"numerad|\bpuces?\b|numérot|\btirets?\b|stichpunkt|stichwort|aufzählungs(?:punkt|zeichen)|spiegelstrich|nummeriert|"
    r"puntat|numerat|lista com marcador|opsommingsteken|genummerd|punktlist|numrera|nummerer|punktowa|numerowan|"
    r"маркированн|нумерованн|пронумер|maddele|numaralı|bernomor|poin-poin|gạch đầu dòng|đánh số|项目符号|項目符號|编号|"
    r"編號|有序列表|无序列表|無序列表|逐条|逐條|分条|每行|箇条書き|番号付き|各行|글머리|번호|مرقم|نقطي|बुलेट|क्रमांकित",
    "title": r"\b(?:titl|tit[eo]l|titul|títul|titre|head(?:ing|line)|überschr|заголов|назван|tytuł|judul|başlık)|标题|"
    r"標題|题目|題目|タイトル|見出し|題名|제목|عنوان|शीर्षक|ชื่อ",
    "quotation_marks": r"quot(?:ation|e)[- ]?marks?|\bquotes\b|inverted comma|comilla|guillemet|anführ|aspas|virgolett|"
    r"кавыч|лапк|aanhalingsteken|cudzysł|citattecken|tırnak|引号|引號|引用符|鉤括弧|[かカ][ぎギ](?:括弧|かっこ|カッコ)|「」|"
    r"『』|따옴표|اقتباس|تنصيص|उद्धरण|\"\"|“”|«»",
    "table": r"\b(?:tables?\b(?! of contents| des matières| tennis)|tableau|tabel|tablas?\b(?! de contenido)|tablo|"
    r"tavola|таблиц)|(?<![代発发發公年列])表(?![现現示达達演面情明彰])|표(?![현시면])|جدول|तालिका|ตาราง|bảng",
    "json": r"json",
    "code_block": r"code[- ]?(?:block|fence)|fenced|back-?tick|```|blo(?:que|co) de código|bloc de code|"
    r"blocco di codice|блок\w* (?:с )?код|代码块|代碼塊|程式碼區塊|コードブロック|バッククォ?ー?ト|코드 ?블[록럭]|백틱|"
    r"कोड ब्लॉक",
    "casing": r"case|caps|capital|letter|ma[yij]u?[úu]sc|min[úu]sc|buchstab|klein|groß|букв",
}
_CASINGS = {"upper": r"upper|capital|caps", "lower": r"lower|small", "title": r"title"}


class Verified(NamedTuple):
    """The constraints that passed, a sentence about each entry that did not, and how many quotes are not there."""

    constraints: tuple[Constraint, ...]
    dropped: tuple[str, ...]
    quoted: QuoteCount


# The place of the number that a constraint rests on.
_Number = tuple[Source, int] | None


def verify_constraints(
    listed: Sequence[Mapping[str, Any]], material: Mapping[Source, str], responses: Iterable[str] = ()
) -> Verified:
    """Return the constraints of a judge's list that pass. `listed` has the fields of the reply's schema.

    A quote is too short to detect its language, so try all languages of the material and of the responses, and those
    that are easily taken for them: a short Spanish prompt looks like Galician. If all of the material is short, it may
    look like any language, so try the commonest ones, too.
    """
    seen = {code for text in (*material.values(), *responses) for code in languages_in(text)}
    if sum(map(rough_words, material.values())) < WORDS:
        seen |= _COMMON
    languages = sorted({close for code in seen for close in close_languages(code)})
    haystacks = {source: Haystack(text) for source, text in material.items() if text.strip()}
    placed: dict[tuple[object, ...], tuple[Constraint, _Number]] = {}
    dropped: list[str] = []
    there = [any(hay.find(entry["quote"]) for hay in haystacks.values()) for entry in listed if entry["quote"].strip()]
    for entry in listed:
        found = _verified(entry, haystacks, languages)
        if isinstance(found, str):
            dropped.append(f"{entry['kind']}: {found}")
        elif (known := placed.get(found[0].demand)) is None or (found[0].certain and not known[0].certain):
            placed[found[0].demand] = found
    kinds: defaultdict[_Number, set[str]] = defaultdict(set)
    for constraint, number in placed.values():
        kinds[number].add(constraint.kind)
    kept = []
    for constraint, number in placed.values():
        if number is not None and len(kinds[number]) > 1:
            both = " and ".join(sorted(kinds[number]))
            dropped.append(f"{constraint.kind}: the number in {constraint.quote[:80]!r} is taken for {both}")
        else:
            kept.append(constraint)
    return Verified(tuple(kept), tuple(dropped), QuoteCount.of(there))


def _verified(
    entry: Mapping[str, Any], haystacks: Mapping[Source, Haystack], languages: list[str]
) -> tuple[Constraint, _Number] | str:
    """Return the constraint and the place of its number, or why the entry is dropped."""
    kind, text, bound = entry["kind"], entry["text"].strip(), entry["bound"]
    place = next(((source, span) for source, hay in haystacks.items() if (span := hay.find(entry["quote"]))), None)
    if place is None:
        return f"the quote {entry['quote'][:120]!r} is neither in the prompt nor in what came before it"
    source, span = place
    quote = haystacks[source].text[span.start : span.end]
    fields: dict[str, Any] = {}
    number: _Number = None
    # A form is certain if the quote names it.
    certain = kind not in _FORMS or re.search(_FORMS[kind], quote, re.IGNORECASE) is not None
    if kind in NUMBERED:
        counted = _numbered(entry, quote, languages)
        if isinstance(counted, str):
            return counted
        fields, places = counted
        number = (source, span.start + places[0].start) if places[0] else None
        certain = None not in places
    if kind == "title":
        # The marks around a title; the words between them are an example.
        given = text.strip(_QUOTES)
        if marks := marks_around(given):
            fields = {"text": "".join(marks)}
            certain = certain and all(mark in quote for mark in marks) and not _PLACEHOLDER.fullmatch(given)
        else:
            certain = certain and given[:1].isalnum() == bool(given)  # marks that we do not know
    elif kind in WORDED or (text and kind == "sections"):
        # Words that hold nothing but quotation marks are the marks themselves.
        words = text.strip(_QUOTES).strip() or text
        if not words:
            return "no words were given"
        fields, certain = fields | {"text": words}, certain and _is_in(quote, words, kind)
        if kind == "sections":
            certain = certain and is_shown_as_marker(quote, words)
    elif kind == "language":
        # "Brazilian Portuguese" and "pt-BR" also name a language.
        named = named_languages(text)
        code = code_named(text) or code_named(plain_code(text)) or (next(iter(named)) if len(named) == 1 else None)
        if code is None:
            return f"{text[:40]!r} is not a language we know"
        fields, certain = {"text": code}, code in named_languages(quote)
    elif kind == "casing":
        casing = next((name for name, cue in _CASINGS.items() if re.search(cue, text, re.IGNORECASE)), None)
        if casing is None:
            return f"{text[:40]!r} is no casing"
        fields = {"text": casing}
    strict = entry["strict"] and bound != "about"
    made = Constraint(
        kind=kind, source=source, quote=quote, start=span.start, end=span.end, strict=strict, certain=certain, **fields
    )
    return made, number


def _numbered(
    entry: Mapping[str, Any], quote: str, languages: list[str]
) -> tuple[dict[str, Any], list[Span | None]] | str:
    """Return the bound and amounts of an entry and the places of its numbers (None if not found), or what is wrong.

    The number of a paragraph, for `first_word`, may be an ordinal: "the second paragraph".
    """
    ordinal = entry["kind"] == "first_word"
    bound = "exactly" if ordinal else entry["bound"]
    amount, most = entry["amount"], entry["up_to"] if bound == "between" else None
    if not 1 <= amount <= MOST_AMOUNT:
        return f"the amount {amount} cannot be counted against"
    if most is not None and not amount <= most <= MOST_AMOUNT:
        return f"between {amount} and {most} is no range"
    places = [find_number(quote, one, languages, ordinal) for one in (amount, most) if one is not None]
    return {"bound": bound, "amount": amount, "most": most}, places


def _is_in(quote: str, words: str, kind: ConstraintKind) -> bool:
    """Return whether words are in the quote. Words that hold no letter and no digit must be there as they are."""
    if not any(map(str.isalnum, words)):
        return words in quote
    # An entry with several words may ask for each of them separately, so it is never certain.
    several = kind in ("must_contain", "must_not_contain", "occurrences") and re.search(r"[,;、，/]", words)
    return not several and Haystack(quote.lower()).find(words.lower()) is not None


# -- observations -----------------------------------------------------------------------------------------------------


class VerifiedObservations(NamedTuple):
    """The observations that passed, a sentence about each that did not, and how many quotes are not there."""

    observations: tuple[Observation, ...]
    dropped: tuple[str, ...]
    quoted: QuoteCount


# The kinds in a reply, each with the observation's kind and the flags it sets.
_KINDS: dict[str, tuple[ObservationKind, dict[str, bool]]] = {
    "declines": ("declines", {}),
    "declines_a_safe_request": ("declines", {"harmful": False}),
    "declines_a_harmful_request": ("declines", {"harmful": True}),
    "cut_off": ("cut_off", {}),
    "cut_off_before_a_required_part": ("cut_off", {"part_missing": True}),
    "pleasantry": ("pleasantry", {}),
    "claims_to_be_human": ("human_claim", {}),
    "claims_to_be_human_mildly": ("human_claim", {"mild": True}),
    "other_language": ("other_language", {}),
}
OBSERVED = tuple(_KINDS)


def verify_observations(listed: Sequence[Mapping[str, Any]], responses: Mapping[Label, str]) -> VerifiedObservations:
    """Return the observations whose quotes are in their response. The quote of a cut-off must be its last words."""
    haystacks = {label: Haystack(text) for label, text in responses.items()}
    seen: dict[tuple[object, ...], Observation] = {}
    dropped: list[str] = []
    there: list[bool] = []
    for entry in listed:
        label: Label = "A" if entry["response"] == 1 else "B"
        kind, carries = _KINDS[entry["kind"]]
        place = f"response {entry['response']}, {entry['kind'].replace('_', ' ')}"
        response = responses[label]
        span = haystacks[label].find(entry["quote"])
        if entry["quote"].strip():
            there.append(span is not None)
        if kind == "cut_off" and span is not None:
            at = response.rfind(response[span.start : span.end])
            span = Span(at, at + span.end - span.start)
        if span is None:
            dropped.append(f"{place}: the quote {entry['quote'][:120]!r} is not in it")
        elif kind == "cut_off" and without_end_markers(response)[span.end :].strip(_AFTER_THE_END):
            dropped.append(f"{place}: {entry['quote'][:120]!r} are not its last words")
        else:
            quote = response[span.start : span.end]
            seen.setdefault(
                (label, kind, " ".join(quote.lower().split())),
                Observation(kind=kind, response=label, quote=quote, start=span.start, end=span.end, **carries),
            )
    return VerifiedObservations(tuple(seen.values()), tuple(dropped), QuoteCount.of(there))
