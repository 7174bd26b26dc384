"""Quotes and reasons of a reply about a dialogue, checked against its transcript, and mended after a repair round."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import Any, NamedTuple

from typing_extensions import TypedDict

from ...models import Mark, Objection, Utterance, Warning
from ...models.cases import Dialogue, Speaker
from ...text.evidence import Haystack
from ...text.reasons import WordChecker, scored
from ...text.sentences import QUOTATION, sentences
from ...text.words import count_words
from .base import Reading

MAX_QUOTES = 3
MIN_WORDS = 3  # or the whole utterance, if it is shorter
_INLINE = re.compile(rf"\b(SYSTEM|USER):\s*(?:{QUOTATION.pattern})")
_OPEN_MARK = re.compile(r'(?<!\d)"')  # behind a digit it is the sign for inches
_QUOTATION_MARKS = str.maketrans("", "", '"“”„«»')


class Quote(TypedDict):
    """A quote as a model gives it."""

    speaker: Speaker
    quote: str


class UnusableQuote(NamedTuple):
    """A quote that cannot be used, and why."""

    criterion: str
    why: str


class UnusableReason(NamedTuple):
    """A reason that cannot be used as it is: invented quotations in it, or more than one sentence (`long`)."""

    criterion: str
    why: str
    words: str
    long: bool
    missing: str = ""


class TranscriptChecker:
    """A dialogue that quotes and quotations are looked up in, and what cannot be used in one reply.

    `also` is what the judge was shown beside the transcript.
    """

    def __init__(self, case: Dialogue, also: Iterable[str] = ()) -> None:
        self._turns = [(turn, Haystack(turn.text)) for turn in case.turns]
        self._words = WordChecker((*(haystack for _, haystack in self._turns), *also))

    def locate(self, criterion: str, quotes: Iterable[Quote]) -> tuple[tuple[Utterance, ...], list[UnusableQuote]]:
        """Where the quotes stand, and those that stand nowhere under their speaker."""
        found: dict[tuple[int, int, int], Utterance] = {}
        bad: list[UnusableQuote] = []
        for quote in list(quotes)[:MAX_QUOTES]:
            place = self._find(quote["speaker"], quote["quote"])
            if place is None:
                other = "USER" if quote["speaker"] == "SYSTEM" else "SYSTEM"
                said = f"the quote {quote['quote'][:120]!r} does not stand in any utterance of {quote['speaker']}"
                said += f" with at least {MIN_WORDS} words"
                if self._find(other, quote["quote"]) is not None:
                    said += f"; {other} said it"
                bad.append(UnusableQuote(criterion, said))
            else:
                found.setdefault((place.turn, place.start, place.end), place)
        return tuple(found.values()), bad

    def _find(self, speaker: str, quote: str) -> Utterance | None:
        for number, (turn, haystack) in enumerate(self._turns):
            if turn.speaker == speaker and (span := haystack.find(quote)) is not None:
                words = turn.text[span.start : span.end]
                if count_words(words) >= max(1, min(MIN_WORDS, haystack.word_count)):
                    return Utterance(
                        speaker=turn.speaker, quote=words, turn=number, line=turn.line, start=span.start, end=span.end
                    )
        return None

    def bad_reason(self, criterion: str, words: str, missing: str = "") -> UnusableReason | None:
        """What is wrong with a reason: a quotation that nobody said, or more than one sentence."""
        for match in _INLINE.finditer(words):
            quote = next(filter(None, match.groups()[1:]), "")
            if self._find(match[1], quote) is None:
                why = f"the quote {quote[:120]!r} in the reason was never said by {match[1]}"
                return UnusableReason(criterion, why, words, long=False, missing=missing)
        # Beside the quotes that are named behind it, a mark that is not closed would quote what nobody said.
        left = _OPEN_MARK.search(QUOTATION.sub("", words))
        open_mark = "a quotation mark in the reason is not closed" if left else ""
        if why := self._words.invented_quote(words) or open_mark:
            return UnusableReason(criterion, why, words, long=False, missing=missing)
        if (count := len(sentences(words))) > 1:
            return UnusableReason(criterion, f"the reason has {count} sentences; one is needed", words, True, missing)
        return None


def with_missing(words: str, missing: str = "") -> str:
    """A reason with what the judge finds missing, which is never in quotation marks, for nobody said it."""
    absent = " ".join(missing.translate(_QUOTATION_MARKS).split()).rstrip(".!?")
    first = next(iter(sentences(absent)), "").rstrip(".!?")
    return f"{words.rstrip('.!?')}; missing: {first}." if first else words


def replaced(bad: UnusableReason, value: Decimal, quotes: tuple[Utterance, ...]) -> str:
    """What stands in the place of a bad reason: its first sentence, with a quote before it if it has none; or ours."""
    if not bad.long:
        return scored(value)
    first = sentences(bad.words)[0]
    quoted = f"{quotes[0].shown} – {first}" if quotes and not _INLINE.search(first) else first
    return with_missing(quoted, bad.missing)


class Repaired(NamedTuple):
    """By criterion, the quotes and reasons that came in a repair round; and warnings of what is still lost."""

    quotes: Mapping[str, tuple[Utterance, ...]]
    reasons: Mapping[str, str]
    warnings: tuple[Warning, ...]


def read_replacements(check: TranscriptChecker, first: Reading[Any], given: Mapping[str, Any]) -> Repaired:
    """What came in a repair round, and which of the first reply's quotes and reasons are still lost."""
    quotes: dict[str, list[Quote]] = {}
    for item in given.get("quotes", []):
        quotes.setdefault(item["criterion"], []).append({"speaker": item["speaker"], "quote": item["quote"]})
    found = {key: check.locate(key, items)[0] for key, items in quotes.items()}
    told = ((item["criterion"], " ".join(item["words"].split())) for item in given.get("reasons", []))
    reasons = {key: words for key, words in told if words and check.bad_reason(key, words) is None}
    # A quote for whose criterion a good one came is replaced, not lost.
    left = [
        bad
        for bad in first.unusable
        if not (reasons.get(bad.criterion) if isinstance(bad, UnusableReason) else found.get(bad.criterion))
    ]
    return Repaired(found, reasons, warnings_of(left))


def warnings_of(unusable: Iterable[UnusableQuote | UnusableReason]) -> tuple[Warning, ...]:
    """What was dropped or replaced; a reason that was cut to its first sentence is neither."""
    return tuple(
        Warning(
            code="replaced_reason" if isinstance(bad, UnusableReason) else "dropped_quote",
            message=f"{bad.criterion}: {bad.why}",
        )
        for bad in unusable
        if isinstance(bad, UnusableQuote) or not bad.long
    )


def problems_of(unusable: Iterable[UnusableQuote | UnusableReason]) -> tuple[str, ...]:
    """What a repair round is told."""
    return tuple(f"{bad.criterion}: {bad.why}" for bad in unusable)


def mended(
    given: Mapping[str, Mark] | Mapping[str, Objection],
    first: Reading[Any],
    again: Repaired,
    value: Callable[[str, Any], Decimal],
    field: str,
) -> dict[str, Any]:
    """Marks or objections with the quotes and reasons that came; what is still bad is cut or replaced."""
    entries: dict[str, Any] = dict(given)
    for key in again.quotes:
        entry = entries[key]
        entries[key] = entry.updated(quotes=tuple(dict.fromkeys((*entry.quotes, *again.quotes[key]))))
    for bad in (bad for bad in first.unusable if isinstance(bad, UnusableReason)):
        entry = entries[bad.criterion]
        came = again.reasons.get(bad.criterion)
        words = with_missing(came, bad.missing) if came else replaced(bad, value(bad.criterion, entry), entry.quotes)
        entries[bad.criterion] = entry.updated(**{field: words})
    return entries
