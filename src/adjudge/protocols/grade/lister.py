"""The Lister finds the factual claims of an answer and the main points of a reference, and what the other text says of
each. Both are quotes, and both are looked up: what cannot be shown is not taken for shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Literal, NamedTuple, get_args

from ... import prompts
from ...judges.role import Reading, Role, Shape, object_of
from ...models.common import QuoteCount, Warning
from ...prompts.fence import Message, fenced
from .asker import PROMPTS
from .case import Grading
from .questions import ClaimsQuestion, Findings, ItemFinding
from .quotes import MIN_WORDS, TOO_SHORT, Texts, answer_shown, sources_shown
from .rubric import Item
from .verdict import Claim, ClaimResult, MainPoint, PointResult, Quote, merged

MOST_LISTED = 150  # entries of one item that are read
_SHOWN = 120
# The results that need a quote of the other text.
_SHOWN_BY = ("supported", "contradicted", "covered")
_WORSE = {"contradicted": 0, "not_found": 1, "missing": 1, "supported": 2, "covered": 2}


@lru_cache(maxsize=32)
def _shape(items: tuple[Item, ...], stepped: bool) -> Shape:
    return Shape(object_of("listed", {item.key: list[_entry(item, stepped)] for item in items}))  # type: ignore[misc]


def _entry(item: Item, stepped: bool) -> Any:
    if item.kind == "claims":
        return object_of("claim", {"quote": str, "source_quote": str, "result": Literal[get_args(ClaimResult)]})
    step = {"step": int} if stepped else {}
    return object_of("point", {"quote": str, "answer_quote": str, **step, "result": Literal[get_args(PointResult)]})


@lru_cache(maxsize=32)
def _replacements_shape(keys: tuple[str, ...], stepped: bool) -> Shape:
    fields = {"item": Literal[keys], "number": int, "quote": str, "other_quote": str}
    entry = object_of("replacement", {**fields, **({"step": int} if stepped else {})})
    return Shape(object_of("replacements", {"entries": list[entry]}))  # type: ignore[valid-type]


def _line(item: Item, case: Grading) -> str:
    if item.kind == "covers":
        step = ", with its number as `step`" if case.steps else ""
        return (
            f"- {item.key}: every main point of the REFERENCE, as a `quote` of the REFERENCE. `result` says what the "
            "answer does with it: covered, missing or contradicted. For covered and contradicted, `answer_quote` is the"
            f" passage of the answer that shows it{step}; for missing it is empty."
        )
    named = {"context": "the CONTEXT", "reference": "the REFERENCE", "both": "the CONTEXT and the REFERENCE"}
    last = f"step {case.final_step}" if case.steps else "the answer"
    return (
        f"- {item.key}: every factual claim of {last}, as a `quote` of it. `result` says what {named[item.source]} says"
        " of it: supported, contradicted or not_found. For supported and contradicted, `source_quote` is the passage "
        "that shows it; for not_found it is empty. What you know from elsewhere does not count."
    )


class Lister(Role[ClaimsQuestion, Findings]):
    """Asks for and reads lists of claims and of main points."""

    folder, file, schema_name = PROMPTS, "lister", "listed"
    terms = {"min_words": str(MIN_WORDS)}  # noqa: RUF012  # as in the base class

    def shape(self, question: ClaimsQuestion) -> Shape:
        return _shape(question.items, bool(question.case.steps))

    def messages(self, question: ClaimsQuestion) -> tuple[str, Message]:
        case, items = question.case, question.items
        lines = "\n".join(_line(item, case) for item in items)
        system = prompts.load(PROMPTS, "lister").render("system", items=lines, min_words=str(MIN_WORDS))
        read = {item.source for item in items}
        shown = sources_shown(
            case, context=bool(read & {"context", "both"}), reference=bool(read & {"reference", "both"})
        )
        user = self.prompts.message("user", task=fenced("TASK", case.task), sources=shown, answer=answer_shown(case))
        return system, user

    def build(
        self, question: ClaimsQuestion, reply: Mapping[str, Any], again: Mapping[str, Any], judge: str
    ) -> Reading[Findings]:
        texts = Texts(question.case)
        better = {(one["item"], one["number"]): one for one in again.get("entries", ())}
        found: dict[str, ItemFinding] = {}
        warnings: list[Warning] = []
        problems: list[str] = []
        there: list[bool] = []
        for item in question.items:
            entries = []
            for number, given in enumerate(reply[item.key][:MOST_LISTED], start=1):
                first = _read(item, given, texts)
                there += first.there
                if first.problems:
                    problems += [f"{item.key} {number}: {problem}" for problem in first.problems]
                    first = _better(item, first, given, better.get((item.key, number)), texts)
                entries.append(first)
                warnings += [one.updated(message=f"{item.key} {number}: {one.message}") for one in first.warnings]
            if (left := len(reply[item.key]) - MOST_LISTED) > 0:
                warnings.append(Warning(code="dropped_claim", message=f"{item.key}: {left} more than are read"))
            found[item.key] = _finding(item, entries, texts)
        opinion = Findings(judge=judge, items=found, warnings=tuple(warnings), quoted=QuoteCount.of(there))
        shape = _replacements_shape(tuple(item.key for item in question.items), bool(question.case.steps))
        return Reading(opinion, tuple(problems), reply, shape)


class _Entry(NamedTuple):
    """One claim or point as far as it can be shown: its own quote, its result, and the quote of the other text."""

    own: Quote | None
    result: Any
    other: Quote | None
    problems: tuple[str, ...]
    warnings: tuple[Warning, ...]
    there: tuple[bool, ...]


def _read(item: Item, given: Mapping[str, Any], texts: Texts) -> _Entry:
    claims = item.kind == "claims"
    own_words, other_words = given["quote"], given["source_quote" if claims else "answer_quote"]
    own = texts.in_answer(own_words, final=True) if claims else texts.in_source(own_words, item.source)
    result, other = given["result"], None
    problems: list[str] = []
    warnings: list[Warning] = []
    there = [_is_there(own)] if own_words.strip() else []
    if isinstance(own, str):
        problems.append(f"the quote {own_words[:_SHOWN]!r} {own}")
        warnings.append(Warning(code="dropped_claim", message=problems[-1]))
    if result in _SHOWN_BY:
        found = texts.in_source(other_words, item.source) if claims else texts.in_answer(other_words, given.get("step"))
        there += [_is_there(found)] if other_words.strip() else []
        if isinstance(found, Quote):
            other = found
        else:
            shown = f"the quote {other_words[:_SHOWN]!r} {found}" if other_words.strip() else "no quote shows it"
            problems.append(f"{result}: {shown}")
            result = "not_found" if claims else "missing"
            if not isinstance(own, str):
                warnings.append(Warning(code="not_found", message=f"{problems[-1]}; it counts as {result}"))
    own_quote = own if isinstance(own, Quote) else None
    return _Entry(own_quote, result, other, tuple(problems), tuple(warnings), tuple(there))


def _is_there(found: Quote | str) -> bool:
    return isinstance(found, Quote) or found == TOO_SHORT


def _better(item: Item, first: _Entry, given: Mapping[str, Any], new: Mapping[str, Any] | None, texts: Texts) -> _Entry:
    """Return the entry with the quotes of a repair round, where these are better. Its result is not asked for again."""
    if new is None:
        return first
    other = "source_quote" if item.kind == "claims" else "answer_quote"
    changed = {**given, **({"step": new["step"]} if "step" in new else {})}
    if first.own is None:
        changed["quote"] = new["quote"]
    if first.other is None and given["result"] in _SHOWN_BY:
        changed[other] = new["other_quote"]
    second = _read(item, changed, texts)
    return second if len(second.problems) < len(first.problems) else first


def _finding(item: Item, entries: Iterable[_Entry], texts: Texts) -> ItemFinding:
    listed = list(entries)
    kept = _each_once(listed)
    if not listed:
        what = "factual claim in the answer" if item.kind == "claims" else "main point in the reference"
        return ItemFinding(state="nothing", reason=f"The judge found no {what}.")
    if not kept:
        return ItemFinding(state="unassessed", reason="Nothing that the judge listed is in the text it names.")
    if item.kind == "claims":
        claims = tuple(Claim(claim=own, result=one.result, source=one.other) for own, one in kept)
        return ItemFinding(
            state="share", claims=claims, unclaimed=texts.unclaimed(claim.claim for claim in claims)
        ).counted()
    points = tuple(MainPoint(point=own, result=one.result, answer=one.other) for own, one in kept)
    return ItemFinding(state="share", main_points=points).counted()


def _each_once(entries: Iterable[_Entry]) -> list[tuple[Quote, _Entry]]:
    """Join entries whose own quotes overlap; the worse result counts, with the quote that shows it."""
    found = [(entry.own, entry) for entry in entries if entry.own is not None]
    kept: list[tuple[Quote, _Entry]] = []
    for own, entry in sorted(found, key=lambda one: (str(one[0].where), one[0].start)):
        last, before = kept[-1] if kept else (own, entry)
        if not kept or last.where != own.where or own.start >= last.end:
            kept.append((own, entry))
        else:
            kept[-1] = merged(last, own), min(before, entry, key=lambda one: _WORSE[one.result])
    return kept


LISTER = Lister()
