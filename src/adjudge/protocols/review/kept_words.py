"""May a person's justification stand? Only if code finds it specific, English and true to the response.

Nothing is sent to a judge for this: it never sees what a person entered. In doubt ours stands.
"""

from __future__ import annotations

import re

from ...cases import Review
from ...evidence import Haystack
from ...facts.language import LANGUAGE_NAMES, language_of
from ...facts.sentences import word_set
from ...rubric import Criterion
from ...verdicts import Fact, Label
from ...words import count_words, split_words
from .consistency import best

_MIN_WORDS = 4
_QUOTED = re.compile(r"[\"“«]([^\"”»\n]{2,400})[\"”»]")
_COUNT = re.compile(r"\b(\d{2,5}) words\b", re.IGNORECASE)
_CUT_OFF = re.compile(r"\btruncat|\bcut[ -]?off\b|\bcuts off\b|\bbreaks off\b", re.IGNORECASE)
_NOT = re.compile(r"\b(?:not|isn't|no|never|without)\b[^.]{0,20}\Z", re.IGNORECASE)
_FAULTLESS = re.compile(
    r"\bno (?:real |major |minor |significant |obvious )?(?:issues?|problems?|errors?|mistakes?)\b|\bperfect(?:ly)?\b|"
    r"\bflawless\b",
    re.IGNORECASE,
)
_GRAVE = re.compile(r"\b(?:major|serious|severe|significant) (?:issue|problem|error|mistake|fault)", re.IGNORECASE)
# Words that fit any response: a justification of these alone says nothing about this one.
_GENERIC = word_set(
    "about accurate accurately all also and answer answers any appropriate are aspects because been being but clarity "
    "clear clearly complete completely concise content contains correct correctly could does english error errors "
    "everything excellent factual fine fluent follow followed following follows from fully good great harmful harmless "
    "harmlessness have helpful information instruction instructions issue issues just language length localization "
    "locale minor model more most much natural naturally nice none nothing okay overall perfect problem problems "
    "prompt provides quality quite rating real really request requested response responses right safe satisfying "
    "seems should some structured style that their there these they this those true truthful truthfulness user using "
    "verbosity very well what when which while with without would wrong"
)


def why_not_kept(words: str, value: int, criterion: Criterion, case: Review, label: Label, facts: list[Fact]) -> str:
    """Why a person's justification of a kept rating cannot stand; empty if it can."""
    if language := _foreign(words):
        return f"it is in {language}, not in English"
    if false := _untrue(words, value, criterion, case, label, facts):
        return false
    if not _is_specific(words, case, label):
        return "it names nothing from the response"
    return ""


def _foreign(words: str) -> str:
    language = language_of(_QUOTED.sub(" ", words))
    if language is None or not language.sure or language.code == "en":
        return ""
    return LANGUAGE_NAMES.get(language.code, language.code)


def _untrue(words: str, value: int, criterion: Criterion, case: Review, label: Label, facts: list[Fact]) -> str:
    texts = [Haystack(text) for text in (case.answer(label), case.prompt, case.system_prompt, case.history) if text]
    for match in _QUOTED.finditer(words):
        if not any(text.find(match[1]) for text in texts):
            return f"it quotes “{_cut(match[1])}”, which does not stand in the response"
    cut = _CUT_OFF.search(words)
    claims_cut = cut is not None and not _NOT.search(words[: cut.start()])
    if claims_cut and not any(fact.name == "truncation" for fact in facts):
        return "it says that the response is cut off, which it is not"
    for match in _COUNT.finditer(words):
        claimed, counted = int(match[1]), count_words(case.answer(label))
        asked = re.search(rf"\b{claimed}\b", case.prompt) is not None
        if not asked and abs(claimed - counted) * 10 > counted:
            return f"it counts {claimed} words where there are {counted}"
    if value != best(criterion) and _FAULTLESS.search(words) and count_words(words) < 12:
        return "it finds no fault where the rating does"
    if value == best(criterion) and _GRAVE.search(words):
        return "it speaks of a major issue where the rating finds none"
    return ""


def _is_specific(words: str, case: Review, label: Label) -> bool:
    if count_words(words) < _MIN_WORDS:
        return False
    if _QUOTED.search(words) or _COUNT.search(words):
        return True
    own = {word.lower() for word in split_words(words)}
    telling = {word for word in own if (len(word) > 3 or word.isdigit()) and word not in _GENERIC}
    texts = " ".join((case.answer(label), case.prompt, case.system_prompt)).lower()
    shared = telling & set(split_words(texts[:200_000]))
    return len(shared) >= 2 or (len(shared) == 1 and len(telling) >= 4)


def _cut(text: str, room: int = 60) -> str:
    return text if len(text) <= room else text[:room].rsplit(" ", 1)[0] + " …"
