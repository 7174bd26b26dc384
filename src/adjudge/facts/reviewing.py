"""All facts about both responses of a review, held against what the task asks for, whoever asked for it.

Whose word counts: the system prompt's, then what the conversation asked for from then on, then the prompt's.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..cases import Review
from ..verdicts import LABELS, Fact, Label
from .asked_language import wanted_language
from .code import find_broken_code
from .finding import hostile, named
from .format import find_format
from .human_claims import find_human_claims
from .items import find_items
from .language import find_language
from .length import find_too_long, find_too_short
from .markers import find_system_markers, without_end_markers
from .pleasantries import find_pleasantries
from .refusal import find_refusal
from .repetition import find_repetition
from .requests import Requests, combined, read_requests
from .spots import Spot, maybe
from .truncation import find_truncation
from .voices import sets_limits
from .wishes import Source


def find_review_facts(case: Review) -> tuple[Fact, ...]:
    """What code finds in the conversation and in both responses."""
    requests = combined(
        read_requests(case.system_prompt),
        read_requests(case.history, persistent_only=True),
        read_requests(case.prompt),
    )
    wanted = wanted_language(case.system_prompt, case.history, case.prompt, case.task_config)
    task = f"{case.system_prompt}\n{case.prompt}".strip()
    free = not sets_limits(case.system_prompt)
    facts: list[Fact] = []
    if case.history:
        facts += hostile("context", case.history, case.prompt)
    for label in LABELS:
        text = case.answer(label)
        body = without_end_markers(text)
        facts += named("system_marker", label, find_system_markers(text))
        facts += named("truncation", label, maybe(find_truncation(text, case.prompt)))
        if wanted is not None:
            code, _, certain = wanted
            facts += named("language", label, _as_sure(find_language(body, code, case.prompt), certain))
        facts += _counted(label, body, requests, task)
        facts += named("code", label, find_broken_code(body, case.prompt))
        facts += named("pleasantries", label, find_pleasantries(body, task))
        facts += named("refusal", label, _as_sure(maybe(find_refusal(body, case.prompt)), free))
        facts += named("human_claim", label, find_human_claims(body, task))
        facts += named("repetition", label, find_repetition(body))
        facts += hostile(label, body, case.prompt)
    return tuple(facts)


def _counted(label: Label, text: str, requests: Requests, task: str) -> list[Fact]:
    facts: list[Fact] = []
    code = requests.asks_for_code
    if (length := requests.length) is not None:
        facts += named("too_long", label, _asked_by(length.source, maybe(find_too_long(text, length, code_task=code))))
        facts += named(
            "too_short", label, _asked_by(length.source, maybe(find_too_short(text, length, code_task=code)))
        )
    for wish in (requests.items, requests.sentences, requests.paragraphs):
        if wish is not None:
            facts += named("items", label, _asked_by(wish.source, maybe(find_items(text, wish))))
    for source in dict.fromkeys(wish.source for wish in requests.formats):
        wishes = tuple(wish for wish in requests.formats if wish.source == source)
        facts += named("format", label, _asked_by(source, find_format(text, wishes, task)))
    return facts


def _asked_by(source: Source, spots: Iterable[Spot]) -> list[Spot]:
    """Who asked for it is said where it was not the prompt."""
    return [spot if source == "prompt" else spot._replace(found=f"{spot.found} (by the {source})") for spot in spots]


def _as_sure(spots: Iterable[Spot], certain: bool) -> list[Spot]:
    """Findings are no surer than the wish they are held against."""
    return list(spots) if certain else [spot._replace(certain=False) for spot in spots]
