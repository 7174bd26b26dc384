"""Evaluator and Critic: how a transcript is shown to a model, what is asked of it, and how its quotes and reasons are
checked. Shown are speaker and words only; acts, ratings and ids stay behind.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from functools import lru_cache
from importlib import resources
from typing import Any, Literal, NamedTuple

import orjson
import yaml
from typing_extensions import TypedDict

from ... import prompts
from ...llm.base import BlankPrompt
from ...models import Critique, Evaluation, Mark, Objection, Utterance, Warning
from ...models.cases import Dialogue, Speaker
from ...prompts.fence import fenced
from ...rubric import Rubric
from ...text.evidence import Haystack
from ...text.reasons import WordChecker, scored
from ...text.sentences import QUOTATION, sentences
from ...text.words import count_words
from ..base import CriticizeQuestion, EvaluateQuestion
from .base import Reading, Role, Shape, object_of, scores_of

MAX_QUOTES = 3
MIN_WORDS = 3  # or the whole utterance, if it is shorter
_INLINE = re.compile(rf"\b(SYSTEM|USER):\s*(?:{QUOTATION.pattern})")
_OPEN_MARK = re.compile(r'(?<!\d)"')  # behind a digit it is the sign for inches
_QUOTATION_MARKS = str.maketrans("", "", '"“”„«»')


class Quote(TypedDict):
    """A quote as a model gives it."""

    speaker: Speaker
    quote: str


class _UnusableQuote(NamedTuple):
    """A quote that cannot be used, and why."""

    criterion: str
    why: str


class _UnusableReason(NamedTuple):
    """A reason that cannot be used as it is: invented quotations in it, or more than one sentence (`long`)."""

    criterion: str
    why: str
    words: str
    long: bool
    missing: str = ""


# -- asking -----------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=16)
def _evaluation_shape(rubric: Rubric) -> Shape:
    """Each criterion has a quote of its own, in a field that cannot be left out.

    Quote and reason stand before the score, so that the score follows from them.
    """
    return _by_criterion(rubric, {"speaker": Speaker, "quote": str, "reason": str, "score": scores_of(rubric)})


@lru_cache(maxsize=16)
def _critique_shape(rubric: Rubric) -> Shape:
    judged = {"comment": str, "missing": str, "agree": bool, "contradicts": bool, "score": scores_of(rubric)}
    return _by_criterion(rubric, {"quotes": list[Quote], **judged})


def _by_criterion(rubric: Rubric, fields: Mapping[str, Any]) -> Shape:
    entry = object_of("entry", fields)
    return Shape(object_of("reply", {"criteria": object_of("criteria", dict.fromkeys(rubric.weights, entry))}))


@lru_cache(maxsize=16)
def _replacements_shape(rubric: Rubric, reasons: bool) -> Shape:
    """The reply to a request for better quotes, and for better reasons where some cannot be used."""
    key: Any = Literal[tuple(rubric.weights)]
    quote = object_of("quote", {"criterion": key, "speaker": Speaker, "quote": str})
    reason = object_of("reason", {"criterion": key, "words": str})
    fields = {"quotes": list[quote], **({"reasons": list[reason]} if reasons else {})}  # type: ignore[valid-type]
    return Shape(object_of("replacements", fields))


@lru_cache(maxsize=1)
def example() -> dict[str, Any]:
    """The example in the prompts, as data."""
    text = (resources.files("adjudge") / "prompts" / "dialogue_example.yaml").read_text("utf-8")
    loaded: dict[str, Any] = yaml.safe_load(text)
    return loaded


@lru_cache(maxsize=32)
def _system(file: str, rubric: Rubric) -> str:
    """What a role is told before it sees a transcript: criteria, scale, and the example if it fits the rubric."""
    known = example()
    scores = {Decimal(mark["score"]) for mark in known["evaluation"].values()}
    fits = list(rubric.weights) == list(known["evaluation"]) and scores <= set(rubric.scale.values)
    if file == "evaluator":
        shown = _as_reply(known["evaluation"])
    else:
        told = "\n".join(f"{key}: {mark['score']}. {mark['reason']}" for key, mark in known["evaluation"].items())
        shown = f"{told}\n{_as_reply(example_critique())}"
    return prompts.load(file).render(
        "system",
        criteria="\n".join(f"- {item.key}: {' '.join(item.guidance.split())}" for item in rubric.criteria),
        example=f"An example, shortened\n{known['transcript']}{shown}" if fits else "",
        scale=", ".join(str(value) for value in rubric.scale.values),
        bands="; ".join(f"{value} {meaning}" for value, meaning in rubric.bands) or "low to high",
    )


def example_critique() -> dict[str, Any]:
    """The example's critique, in the form of a reply."""
    known = example()
    return {
        key: {
            "quotes": [{"speaker": entry["speaker"], "quote": entry["quote"]}] if "quote" in entry else [],
            "comment": entry["comment"],
            "missing": entry.get("missing", ""),
            "agree": entry["agree"],
            "contradicts": entry.get("contradicts", False),
            "score": entry.get("score", known["evaluation"][key]["score"]),
        }
        for key, entry in known["critique"].items()
    }


def _as_reply(criteria: Mapping[str, Any]) -> str:
    return orjson.dumps({"criteria": criteria}).decode()


def shown(case: Dialogue) -> str:
    """The transcript as a model sees it; an utterance of several lines is indented, so that it cannot begin a turn."""
    return "\n".join(
        f"[{number}] {turn.speaker}: " + "\n    ".join(turn.text.splitlines())
        for number, turn in enumerate(case.turns, start=1)
    )


def _ask(file: str, rubric: Rubric, shape: Shape, schema_name: str, **texts: str) -> BlankPrompt:
    user = prompts.load(file).message("user", **{name: fenced(name.upper(), text) for name, text in texts.items()})
    return BlankPrompt(_system(file, rubric), user, shape.schema, schema_name)


def _replacements(rubric: Rubric, reading: Reading[Any]) -> Shape:
    return _replacements_shape(rubric, any(isinstance(bad, _UnusableReason) for bad in reading.unusable))


# -- reading ----------------------------------------------------------------------------------------------------------


class _Checker:
    """A dialogue that quotes and quotations are looked up in, and what cannot be used in one reply.

    `also` is what the judge was shown beside the transcript.
    """

    def __init__(self, case: Dialogue, also: Iterable[str] = ()) -> None:
        self._turns = [(turn, Haystack(turn.text)) for turn in case.turns]
        self._words = WordChecker((*(haystack for _, haystack in self._turns), *also))

    def locate(self, criterion: str, quotes: Iterable[Quote]) -> tuple[tuple[Utterance, ...], list[_UnusableQuote]]:
        """Where the quotes stand, and those that stand nowhere under their speaker."""
        found: dict[tuple[int, int, int], Utterance] = {}
        bad: list[_UnusableQuote] = []
        for quote in list(quotes)[:MAX_QUOTES]:
            place = self._find(quote["speaker"], quote["quote"])
            if place is None:
                other = "USER" if quote["speaker"] == "SYSTEM" else "SYSTEM"
                said = f"the quote {quote['quote'][:120]!r} does not stand in any utterance of {quote['speaker']}"
                said += f" with at least {MIN_WORDS} words"
                if self._find(other, quote["quote"]) is not None:
                    said += f"; {other} said it"
                bad.append(_UnusableQuote(criterion, said))
            else:
                found.setdefault((place.turn, place.start, place.end), place)
        return tuple(found.values()), bad

    def _find(self, speaker: str, quote: str) -> Utterance | None:
        for number, (turn, haystack) in enumerate(self._turns):
            if turn.speaker == speaker and (span := haystack.find(quote)) is not None:
                words = turn.text[span.start : span.end]
                if count_words(words) >= min(MIN_WORDS, count_words(turn.text)) and count_words(words):
                    return Utterance(
                        speaker=turn.speaker, quote=words, turn=number, line=turn.line, start=span.start, end=span.end
                    )
        return None

    def bad_reason(self, criterion: str, words: str, missing: str = "") -> _UnusableReason | None:
        """What is wrong with a reason: a quotation that nobody said, or more than one sentence."""
        for match in _INLINE.finditer(words):
            quote = next(filter(None, match.groups()[1:]), "")
            if self._find(match[1], quote) is None:
                why = f"the quote {quote[:120]!r} in the reason was never said by {match[1]}"
                return _UnusableReason(criterion, why, words, long=False, missing=missing)
        # Beside the quotes that are named behind it, a mark that is not closed would quote what nobody said.
        left = _OPEN_MARK.search(QUOTATION.sub("", words))
        open_mark = "a quotation mark in the reason is not closed" if left else ""
        if why := self._words.invented_quote(words) or open_mark:
            return _UnusableReason(criterion, why, words, long=False, missing=missing)
        if (count := len(sentences(words))) > 1:
            return _UnusableReason(criterion, f"the reason has {count} sentences; one is needed", words, True, missing)
        return None


def _reason(words: str, missing: str = "") -> str:
    """A reason with what the judge finds missing, which is never in quotation marks, for nobody said it."""
    absent = " ".join(missing.translate(_QUOTATION_MARKS).split()).rstrip(".!?")
    first = next(iter(sentences(absent)), "").rstrip(".!?")
    return f"{words.rstrip('.!?')}; missing: {first}." if first else words


def _instead(bad: _UnusableReason, value: Decimal, quotes: tuple[Utterance, ...]) -> str:
    """What stands in the place of a bad reason: its first sentence, with a quote before it if it has none; or ours."""
    if not bad.long:
        return scored(value)
    first = sentences(bad.words)[0]
    quoted = f"{quotes[0].shown} – {first}" if quotes and not _INLINE.search(first) else first
    return _reason(quoted, bad.missing)


def _criteria(shape: Shape, text: str, field: str) -> Mapping[str, Any] | tuple[str, ...]:
    """What a reply says of each criterion, or why it cannot be used; `field` is the sentence that none may lack."""
    reply = shape.parse(text)
    if isinstance(reply, tuple):
        return reply
    criteria: dict[str, Any] = reply["criteria"]
    empty = tuple(f"{key}.{field}: empty" for key, given in criteria.items() if not given[field].strip())
    for given in criteria.values():
        given[field] = " ".join(given[field].split())
    return empty or criteria


class _Repaired(NamedTuple):
    """By criterion, the quotes and reasons that came in a repair round; and warnings of what is still lost."""

    quotes: Mapping[str, tuple[Utterance, ...]]
    reasons: Mapping[str, str]
    warnings: tuple[Warning, ...]


def _read_replacements(check: _Checker, first: Reading[Any], given: Mapping[str, Any]) -> _Repaired:
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
        if not (reasons.get(bad.criterion) if isinstance(bad, _UnusableReason) else found.get(bad.criterion))
    ]
    return _Repaired(found, reasons, _warnings(left))


def _warnings(unusable: Iterable[_UnusableQuote | _UnusableReason]) -> tuple[Warning, ...]:
    """What was dropped or replaced; a reason that was cut to its first sentence is neither."""
    return tuple(
        Warning(
            code="replaced_reason" if isinstance(bad, _UnusableReason) else "dropped_quote",
            message=f"{bad.criterion}: {bad.why}",
        )
        for bad in unusable
        if isinstance(bad, _UnusableQuote) or not bad.long
    )


def _told(unusable: Iterable[_UnusableQuote | _UnusableReason]) -> tuple[str, ...]:
    return tuple(f"{bad.criterion}: {bad.why}" for bad in unusable)


def _mended(
    given: Mapping[str, Mark] | Mapping[str, Objection],
    first: Reading[Any],
    again: _Repaired,
    value: Callable[[str, Any], Decimal],
    field: str,
) -> dict[str, Any]:
    """Marks or objections with the quotes and reasons that came; what is still bad is cut or replaced."""
    entries: dict[str, Any] = dict(given)
    for key in again.quotes:
        entry = entries[key]
        entries[key] = entry.updated(quotes=tuple(dict.fromkeys((*entry.quotes, *again.quotes[key]))))
    for bad in (bad for bad in first.unusable if isinstance(bad, _UnusableReason)):
        entry = entries[bad.criterion]
        came = again.reasons.get(bad.criterion)
        words = _reason(came, bad.missing) if came else _instead(bad, value(bad.criterion, entry), entry.quotes)
        entries[bad.criterion] = entry.updated(**{field: words})
    return entries


class Evaluator(Role[EvaluateQuestion, Evaluation]):
    """A score, a one-sentence reason and a quote for every criterion of a conversation."""

    file = "evaluator"

    def prompt(self, question: EvaluateQuestion) -> BlankPrompt:
        shape = _evaluation_shape(question.rubric)
        return _ask("evaluator", question.rubric, shape, "evaluation", transcript=shown(question.case))

    def read(self, question: EvaluateQuestion, text: str, judge: str) -> Reading[Evaluation]:
        reply = _criteria(_evaluation_shape(question.rubric), text, "reason")
        if isinstance(reply, tuple):
            return Reading(None, reply)
        check = _Checker(question.case)
        marks: dict[str, Mark] = {}
        unusable: list[_UnusableQuote | _UnusableReason] = []
        for key in question.rubric.weights:
            given = reply[key]
            value = Decimal(str(given["score"]))
            # An empty field is no quote: it is missing, not wrong.
            quotes, wrong = check.locate(key, [given] if given["quote"].strip() else [])
            bad = check.bad_reason(key, given["reason"])
            unusable += [*wrong, *([bad] if bad else [])]
            reason = _instead(bad, value, quotes) if bad else given["reason"]
            marks[key] = Mark(value=value, reason=reason, quotes=quotes)
        opinion = Evaluation(judge=judge, marks=marks, warnings=(*_warnings(unusable), *_unsupported(marks)))
        missing = [f"{key}: no usable quote" for key, mark in marks.items() if not mark.quotes]
        return Reading(opinion, (*_told(unusable), *missing), tuple(unusable))

    def replacements(self, question: EvaluateQuestion, reading: Reading[Evaluation]) -> Shape:
        return _replacements(question.rubric, reading)

    def mend(
        self, question: EvaluateQuestion, first: Reading[Evaluation], given: Mapping[str, Any], judge: str
    ) -> Evaluation:
        assert first.opinion is not None
        again = _read_replacements(_Checker(question.case), first, given)
        marks = _mended(first.opinion.marks, first, again, lambda _, mark: mark.value, "reason")
        return first.opinion.updated(marks=marks, warnings=(*again.warnings, *_unsupported(marks)))


def _unsupported(marks: Mapping[str, Mark]) -> tuple[Warning, ...]:
    return tuple(
        Warning(code="missing_evidence", message=f"{key}: the evaluator gave no usable quote")
        for key, mark in marks.items()
        if not mark.quotes
    )


class Critic(Role[CriticizeQuestion, Critique]):
    """For every score of an evaluation, whether it holds, and if not, the quote that shows it."""

    file = "critic"

    def prompt(self, question: CriticizeQuestion) -> BlankPrompt:
        shape, transcript = _critique_shape(question.rubric), shown(question.case)
        evaluation = "\n".join(_evaluated(question))
        return _ask("critic", question.rubric, shape, "critique", transcript=transcript, evaluation=evaluation)

    def read(self, question: CriticizeQuestion, text: str, judge: str) -> Reading[Critique]:
        reply = _criteria(_critique_shape(question.rubric), text, "comment")
        if isinstance(reply, tuple):
            return Reading(None, reply)
        check = _Checker(question.case, _evaluated(question))
        entries: dict[str, Objection] = {}
        unusable: list[_UnusableQuote | _UnusableReason] = []
        for key in question.rubric.weights:
            given = reply[key]
            quotes, wrong = check.locate(key, given["quotes"])
            score = Decimal(str(given["score"]))
            agree = given["agree"] or score == question.evaluation.marks[key].value
            bad = check.bad_reason(key, given["comment"], given["missing"])
            # An agreement's quote is worth having, but not worth another call.
            unusable += [*(() if agree else wrong), *([bad] if bad else [])]
            value = question.evaluation.marks[key].value if agree else score
            entries[key] = Objection(
                agree=agree,
                comment=_instead(bad, value, quotes) if bad else _reason(given["comment"], given["missing"]),
                suggested=None if agree else score,
                contradicts=given["contradicts"] and not agree,
                quotes=quotes,
                wanted_quote=bool(given["quotes"]),
            )
        missing = [
            f"{key}: a disagreement needs a quote from the transcript"
            for key, entry in entries.items()
            if not entry.agree and not entry.wanted_quote
        ]
        opinion = Critique(judge=judge, entries=entries, warnings=_warnings(unusable))
        return Reading(opinion, (*_told(unusable), *missing), tuple(unusable))

    def replacements(self, question: CriticizeQuestion, reading: Reading[Critique]) -> Shape:
        return _replacements(question.rubric, reading)

    def mend(
        self, question: CriticizeQuestion, first: Reading[Critique], given: Mapping[str, Any], judge: str
    ) -> Critique:
        assert first.opinion is not None
        again = _read_replacements(_Checker(question.case, _evaluated(question)), first, given)
        marks = question.evaluation.marks

        def value(key: str, entry: Objection) -> Decimal:
            return marks[key].value if entry.suggested is None else entry.suggested

        entries = _mended(first.opinion.entries, first, again, value, "comment")
        for key in again.quotes:
            entries[key] = entries[key].updated(wanted_quote=True)
        return first.opinion.updated(entries=entries, warnings=again.warnings)


def _evaluated(question: CriticizeQuestion) -> list[str]:
    """The evaluation as the Critic sees it, a line for each criterion."""
    return [f"{key}: {mark.value}. {mark.justification}" for key, mark in question.evaluation.marks.items()]


EVALUATOR, CRITIC = Evaluator(), Critic()
