"""Evaluator and Critic: show a transcript to a model, ask for scores, and check the quotes and reasons it gives. The
model sees only speakers and words, never acts, ratings or ids.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterable, Mapping
from decimal import Decimal
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

import orjson
import yaml

from ... import prompts
from ...judges.role import Reading, Role, Shape, object_of, scores_of
from ...models.common import QuoteCount, Warning
from ...prompts.fence import Message, fenced, in_one_line
from ...rubric import Rubric
from ...text.evidence import Haystack
from ...text.reasons import WordChecker, scored
from ...text.sentences import QUOTATION, sentences
from ...text.words import count_words
from .case import Dialogue, Speaker
from .questions import CriticizeQuestion, EvaluateQuestion
from .verdict import Critique, Evaluation, Mark, Objection, Utterance

Q = TypeVar("Q", EvaluateQuestion, CriticizeQuestion)
O = TypeVar("O", Evaluation, Critique)

_PROMPTS = Path(__file__).parent / "prompts"
_MAX_QUOTES = 3
_MAX_TOOL_QUOTES, _MAX_MARKS = 5, 60  # of a reason that quotes steps
_MIN_WORDS = 3  # or the whole utterance, if it is shorter
_INLINE = re.compile(rf"\b(SYSTEM|USER):\s*(?:{QUOTATION.pattern})")
_INLINE_WITH_TOOLS = re.compile(rf"\b(SYSTEM|USER|TOOL):\s*(?:{QUOTATION.pattern})")
_TOOL_QUOTE = re.compile(r'\bTOOL:\s*["“„«]')
# Where a quote of a tool's step may end. A mark that begins a string of JSON is after one of {[(:, or a space.
_QUOTE_END = re.compile(r'(?<![\s{\[(:,])["”“»](?=[\s.,;:!?…)]|\Z)')
_OPEN_MARK = re.compile(r'(?<!\d)"')  # after a digit it means inches
_QUOTATION_MARKS = str.maketrans("", "", '"“”„«»')
TOOL = "tool"  # the prompt file that explains the steps of tools


def _quote_fields(tools: bool) -> dict[str, Any]:
    return {"speaker": Speaker if tools else Literal["SYSTEM", "USER"], "quote": str}


# -- asking -----------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=16)
def _shape(file: str, rubric: Rubric, tools: bool) -> Shape:
    """Return the form of a reply. Each criterion has its own quote, in a required field.

    Quote and reason come before the score, so that the score follows from them.
    """
    fields: dict[str, Any] = {**_quote_fields(tools), "reason": str}
    if file == "critic":
        quotes: Any = list[object_of("quote", _quote_fields(tools))]  # type: ignore[misc]
        fields = {"quotes": quotes, "comment": str, "missing": str, "agree": bool, "contradicts": bool}
    entry = object_of("entry", {**fields, "score": scores_of(rubric.scale)})
    return Shape(object_of("reply", {"criteria": object_of("criteria", dict.fromkeys(rubric.weights, entry))}))


@lru_cache(maxsize=16)
def _replacements_shape(rubric: Rubric, reasons: bool, tools: bool) -> Shape:
    """Return the form of a repair reply: better quotes, and better reasons if some cannot be used."""
    key = {"criterion": Literal[tuple(rubric.weights)]}
    quote, reason = object_of("quote", {**key, **_quote_fields(tools)}), object_of("reason", {**key, "words": str})
    fields = {"quotes": list[quote], **({"reasons": list[reason]} if reasons else {})}  # type: ignore[valid-type]
    return Shape(object_of("replacements", fields))


@lru_cache(maxsize=1)
def example() -> dict[str, Any]:
    """Return the example that the prompts show, as data."""
    text = (_PROMPTS / "dialogue_example.yaml").read_text("utf-8")
    loaded: dict[str, Any] = yaml.safe_load(text)
    return loaded


def example_critique() -> dict[str, Any]:
    """Return the example's critique in the form of a reply."""
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


@lru_cache(maxsize=32)
def _system(file: str, rubric: Rubric, tools: bool) -> str:
    """Return a role's system prompt: the criteria, the scale, the example if it fits the rubric, what TOOL is."""
    known = example()
    marks = known["evaluation"]
    scores = {Decimal(mark["score"]) for mark in marks.values()}
    fits = list(rubric.weights) == list(marks) and scores <= set(rubric.scale.values)
    scored = "" if file == "evaluator" else "".join(f"{key}: {m['score']}. {m['reason']}\n" for key, m in marks.items())
    reply = orjson.dumps({"criteria": marks if file == "evaluator" else example_critique()}).decode()
    words = prompts.load(_PROMPTS, file).render(
        "system",
        criteria="\n".join(f"- {item.key}: {' '.join(item.guidance.split())}" for item in rubric.criteria),
        example=f"An example, shortened\n{known['transcript']}{scored}{reply}" if fits else "",
        scale=", ".join(str(value) for value in rubric.scale.values),
        bands="; ".join(f"{value} {meaning}" for value, meaning in rubric.bands) or "low to high",
    )
    return f"{words}\n\n{prompts.load(_PROMPTS, TOOL).render('system')}" if tools else words


def tool_prompt() -> dict[str, str]:
    """Return the prompt that explains the steps of tools, by its name and reference, as a verdict records it."""
    return {TOOL: prompts.load(_PROMPTS, TOOL).reference}


def _shown(case: Dialogue) -> str:
    """Return the transcript as a model sees it. Later lines of an utterance are indented, so none looks like a turn."""
    return "\n".join(
        f"[{number}] {turn.speaker}: " + "\n    ".join(turn.text.splitlines())
        for number, turn in enumerate(case.turns, start=1)
    )


def _evaluated(question: CriticizeQuestion) -> list[str]:
    """Return the evaluation as the Critic sees it, one line per criterion."""
    marks = question.evaluation.marks
    return [f"{key}: {mark.value}. {in_one_line(mark.justification)}" for key, mark in marks.items()]


# -- reading ----------------------------------------------------------------------------------------------------------


class _Checker:
    """Checks the quotes and reasons of one reply against a transcript, and records which cannot be used.

    `again` is the reply to a repair round. `also` is what the judge was shown besides the transcript.
    """

    def __init__(self, case: Dialogue, again: Mapping[str, Any], also: Iterable[str] = ()) -> None:
        self._turns = [(turn, Haystack(turn.text)) for turn in case.turns]
        self._words = WordChecker((*(haystack for _, haystack in self._turns), *also))
        self._has_tools = case.has_tools
        self._inline = _INLINE_WITH_TOOLS if case.has_tools else _INLINE
        self.again: dict[str, list[Mapping[str, str]]] = {}
        for item in again.get("quotes", []):
            self.again.setdefault(item["criterion"], []).append(item)
        given = ((item["criterion"], in_one_line(item["words"])) for item in again.get("reasons", []))
        self._reasons = {key: words for key, words in given if words and not self._fault(words)}
        self.bad_reasons = False
        self.problems: list[str] = []
        self.warnings: list[Warning] = []
        self.there: list[bool] = []  # for each quote of the first reply, whether its speaker said it

    def quotes(self, key: str, given: Iterable[Mapping[str, str]], *, needed: bool = True) -> tuple[Utterance, ...]:
        """Locate the quotes of a criterion. If quotes are needed, record those that their speaker never said."""
        first = list(given)[:_MAX_QUOTES]
        self.there += [self._said(item["speaker"], item["quote"]) for item in first if item["quote"].strip()]
        found, wrong = self._locate(first)
        came, _ = self._locate(self.again.get(key, ()))
        if needed:
            self.problems += [f"{key}: {why}" for why in wrong]
            # If a good quote came for the criterion, the bad one is replaced and needs no warning.
            self.warnings += [Warning(code="dropped_quote", message=f"{key}: {why}") for why in wrong if not came]
        return tuple(dict.fromkeys((*found, *came)))

    def reason(self, key: str, words: str, value: Decimal, quotes: tuple[Utterance, ...], missing: str = "") -> str:
        """Return the reason if it is usable, else its replacement, else its first sentence or a sentence of our own.

        What the judge finds missing is appended without quotation marks, because nobody said it.
        """
        if why := self._fault(words):
            self.bad_reasons = True
            self.problems.append(f"{key}: {why}")
            if key in self._reasons:
                words = self._reasons[key]
            elif self._invented(words):
                self.warnings.append(Warning(code="replaced_reason", message=f"{key}: {why}"))
                return scored(value)
            else:
                # Find the first sentence with a tool's quotes hidden, and cut it out of the words themselves.
                hidden = self._hide_tool_quotes(words)
                first = sentences(hidden)[0]
                words = words[(at := hidden.index(first)) : at + len(first)]
                if quotes and not self._inline.search(words):
                    words = f"{quotes[0].shown} – {words}"
        absent = in_one_line(missing.translate(_QUOTATION_MARKS)).rstrip(".!?")
        first = next(iter(sentences(absent)), "").rstrip(".!?")
        return f"{words.rstrip('.!?')}; missing: {first}." if first else words

    def _locate(self, quotes: Iterable[Mapping[str, str]]) -> tuple[list[Utterance], list[str]]:
        found: list[Utterance] = []
        wrong: list[str] = []
        for speaker, quote in [(item["speaker"], item["quote"]) for item in quotes][:_MAX_QUOTES]:
            if place := self._find(speaker, quote):
                found.append(place)
                continue
            others = [other for other in get_args(Speaker) if other != speaker and self._find(other, quote)]
            hint = f"; {others[0]} said it" if others else ""
            problem = f"the quote {quote[:120]!r} is in no utterance of {speaker}"
            wrong.append(f"{problem} with at least {_MIN_WORDS} words{hint}")
        return found, wrong

    def _said(self, speaker: str, quote: str) -> bool:
        return any(turn.speaker == speaker and haystack.find(quote) is not None for turn, haystack in self._turns)

    def _find(self, speaker: str, quote: str) -> Utterance | None:
        for number, (turn, haystack) in enumerate(self._turns):
            if turn.speaker == speaker and (span := haystack.find(quote)) is not None:
                words = turn.text[span.start : span.end]
                if count_words(words) >= max(1, min(_MIN_WORDS, haystack.word_count)):
                    return Utterance(
                        speaker=turn.speaker, quote=words, turn=number, line=turn.line, start=span.start, end=span.end
                    )
        return None

    def _fault(self, words: str) -> str:
        """Return what is wrong with a reason: a quotation that was never said, or more than one sentence."""
        words = self._hide_tool_quotes(words)
        count = len(sentences(words))
        return self._invented(words) or (f"the reason has {count} sentences; one is needed" if count > 1 else "")

    def _hide_tool_quotes(self, words: str) -> str:
        """Overwrite the verified quotes `TOOL: "…"`, which often hold quotation marks of their own.

        Only so many quotes with so many marks are tried: a reason that copies a step of a thousand is not read for
        seconds, and its quotes count as invented.
        """
        at = 0
        for _ in range(_MAX_TOOL_QUOTES):
            if not self._has_tools or (opened := _TOOL_QUOTE.search(words, at)) is None:
                break
            at, end = opened.end(), 0
            # The quote reaches to the last mark up to which the words are those of one step.
            for mark in islice(_QUOTE_END.finditer(words, at), _MAX_MARKS):
                quote = words[at : mark.start()]
                if not self._said("TOOL", quote):
                    break
                # With an odd number of marks inside, this one closes a string of the step's JSON.
                if quote.count('"') % 2 == 0 and self._find("TOOL", quote):
                    end = mark.end()
            if end:
                words = words[: at - 1] + "x" * (end - at + 1) + words[end:]
        return words

    def _invented(self, words: str) -> str:
        words = self._hide_tool_quotes(words)
        for match in self._inline.finditer(words):
            quote = next(filter(None, match.groups()[1:]), "")
            if self._find(match[1], quote) is None:
                return f"the quote {quote[:120]!r} in the reason was never said by {match[1]}"
        # Quotes may be appended to the reason, so an unclosed mark would turn words in between into a quotation.
        left = _OPEN_MARK.search(QUOTATION.sub("", words))
        return self._words.invented_quote(words) or ("a quotation mark in the reason is not closed" if left else "")


class _DialogueRole(Role[Q, O]):
    """What Evaluator and Critic have in common. `reason` names the field with the sentence every criterion needs."""

    extra_files = (TOOL,)
    reason: str

    def shape(self, question: Q) -> Shape:
        return _shape(self.file, question.rubric, question.case.has_tools)

    def messages(self, question: Q) -> tuple[str, Message]:
        texts = {"transcript": fenced("TRANSCRIPT", _shown(question.case))}
        if isinstance(question, CriticizeQuestion):
            texts["evaluation"] = fenced("EVALUATION", "\n".join(_evaluated(question)))
        return _system(self.file, question.rubric, question.case.has_tools), self.prompts.message("user", **texts)

    def build(self, question: Q, reply: Mapping[str, Any], again: Mapping[str, Any], judge: str) -> Reading[O]:
        criteria = {key: reply["criteria"][key] for key in question.rubric.weights}
        criteria = {key: {**given, self.reason: in_one_line(given[self.reason])} for key, given in criteria.items()}
        if empty := tuple(f"{key}.{self.reason}: empty" for key, given in criteria.items() if not given[self.reason]):
            return Reading(None, empty)
        also = _evaluated(question) if isinstance(question, CriticizeQuestion) else ()
        check = _Checker(question.case, again, also)
        opinion = self.opinion(question, criteria, check, judge)
        replacements = _replacements_shape(question.rubric, check.bad_reasons, question.case.has_tools)
        return Reading(opinion, tuple(check.problems), reply, replacements)

    @abstractmethod
    def opinion(self, question: Q, criteria: Mapping[str, Any], check: _Checker, judge: str) -> O:
        """Build the opinion. The checker records what cannot be used."""


class Evaluator(_DialogueRole[EvaluateQuestion, Evaluation]):
    """Asks for a score, a one-sentence reason and a quote for every criterion of a conversation."""

    folder, file, schema_name, reason = _PROMPTS, "evaluator", "evaluation", "reason"

    def opinion(
        self, question: EvaluateQuestion, criteria: Mapping[str, Any], check: _Checker, judge: str
    ) -> Evaluation:
        marks: dict[str, Mark] = {}
        for key, given in criteria.items():
            value = Decimal(str(given["score"]))
            # An empty field means that the quote is missing, not that it is wrong.
            quotes = check.quotes(key, [given] if given["quote"].strip() else [])
            marks[key] = Mark(value=value, reason=check.reason(key, given["reason"], value, quotes), quotes=quotes)
        for key in (key for key, mark in marks.items() if not mark.quotes):
            check.problems.append(f"{key}: no usable quote")
            message = f"{key}: the evaluator gave no usable quote"
            check.warnings.append(Warning(code="missing_evidence", message=message))
        return Evaluation(judge=judge, marks=marks, warnings=tuple(check.warnings), quoted=QuoteCount.of(check.there))


class Critic(_DialogueRole[CriticizeQuestion, Critique]):
    """Asks for every score of an evaluation whether it is right, and if not, for a quote that shows it."""

    folder, file, schema_name, reason = _PROMPTS, "critic", "critique", "comment"

    def opinion(
        self, question: CriticizeQuestion, criteria: Mapping[str, Any], check: _Checker, judge: str
    ) -> Critique:
        entries: dict[str, Objection] = {}
        for key, given in criteria.items():
            mark, score = question.evaluation.marks[key].value, Decimal(str(given["score"]))
            agree = given["agree"] or score == mark
            # A quote for an agreement is welcome, but not worth a repair call.
            quotes = check.quotes(key, given["quotes"], needed=not agree)
            entries[key] = Objection(
                agree=agree,
                comment=check.reason(key, given["comment"], mark if agree else score, quotes, given["missing"]),
                suggested=None if agree else score,
                contradicts=given["contradicts"] and not agree,
                quotes=quotes,
                wanted_quote=bool(given["quotes"]) or key in check.again,
            )
        for key in (key for key, entry in entries.items() if not entry.agree and not entry.wanted_quote):
            check.problems.append(f"{key}: a disagreement needs a quote from the transcript")
        return Critique(judge=judge, entries=entries, warnings=tuple(check.warnings), quoted=QuoteCount.of(check.there))


EVALUATOR, CRITIC = Evaluator(), Critic()
