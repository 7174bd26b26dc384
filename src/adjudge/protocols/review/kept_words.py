"""May a person's justification stand? Only if code finds it specific, English and true to the response.

Nothing is sent to a judge for this: it never sees what a person entered. In doubt ours stands, and every reason given
is one that can be read in the person's own words.
"""

from __future__ import annotations

import re

from ...cases import Review
from ...facts.language import foreign_language
from ...facts.sentences import word_set
from ...rubric import OVERALL, Criterion
from ...verdicts import Fact, Label
from ...words import count_words, split_words
from .consistency import best, severity
from .kept_claims import QUOTED, false_claim, own_clauses
from .polarity import Hit, hits, names_feared

_MIN_WORDS = 4
_ENOUGH = 6  # words around a name from the response
_NAME = re.compile(r"(?<=[a-z,;:] )[A-Z][a-z]{2,}\b")
# Words that fit any response: a justification of these alone says nothing about this one.
_GENERIC = word_set(
    "about accurate accurately all also and answer answers any appropriate are aspects because been being but clarity "
    "clear clearly complete completely concise content contains correct correctly could does english error errors "
    "everything excellent factual fine fluent follow followed following follows from fully good great harmful harmless "
    "harmlessness have helpful information instruction instructions issue issues just language length localization "
    "locale minor model more most much natural naturally nice none nothing okay overall perfect problem problems "
    "prompt provides quality quite rating real really request requested response responses right safe satisfying "
    "seems should some structured style that their there these they this those true truthful truthfulness user using "
    "verbosity very well were what when which while with without would wrong"
)
# What a task asks for by number and form: naming one that this task has is specific.
_NUMBER_WORDS = word_set("one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty hundred")
_FORM_WORDS = word_set(
    "sentence paragraph word character line bullet list item table row column json yaml csv xml html markdown code "
    "heading title essay poem haiku letter email summary step point example verse stanza"
)
# Where one of these stands, a sentence of praise may go on to tell of a fault.
_BUT = re.compile(
    r"\b(?:but|however|though|although|yet|except|apart|aside|besides|other than|only|instead|despite|while|whereas|"
    r"should|could(?! not)|until|unless)\b(?!n't)",
    re.IGNORECASE,
)
_PERHAPS = re.compile(
    r"\d|\b(?:not|\w+n't|no|without|would|rather|too|most|mostly|partly|partially|almost|nearly|some\w*|than|less|lack\w*|"
    r"miss\w*|omit\w*|extra|more|over|under|exceeds?|repeat\w*|fail\w*|where|out of|slight\w*)\b",
    re.IGNORECASE,
)


def why_not_kept(words: str, value: int, criterion: Criterion, case: Review, label: Label, facts: list[Fact]) -> str:
    """Why a person's justification of a kept rating cannot stand; empty if it can."""
    words = " ".join(words.split())
    if language := foreign_language(QUOTED.sub(" ", words)):
        return f"it is in {language}, not in English"
    if false := false_claim(words, case, label, facts):
        return false
    if against := _against_the_rating(own_clauses(words, label), value, criterion, case):
        return against
    if not _is_specific(words, value, criterion, case, label):
        return "it names nothing from the response"
    return ""


def _against_the_rating(words: str, value: int, criterion: Criterion, case: Review) -> str:
    """What the words plainly say that the rating does not."""
    said = hits(words, criterion.key, about=case.prompt)
    faults = [hit for hit in said if hit.kind == "fault"]
    rated = _rated(criterion, value)
    if rated == "none" and faults:
        worst = next((hit for hit in faults if hit.grade == "major"), faults[0])
        what = "a major issue" if worst.grade == "major" else "an issue"
        return f"it speaks of {what} (“{worst.words}”) where the rating finds none"
    if rated in ("little", "minor") and (graves := [hit for hit in faults if hit.grade == "major"]):
        finds = "a minor one" if rated == "minor" else "no major one"
        return f"it speaks of a major issue (“{graves[0].words}”) where the rating finds {finds}"
    if rated == "major" and faults and all(hit.grade == "minor" for hit in faults):
        return f"it speaks of a minor issue (“{faults[0].words}”) where the rating finds a major one"
    sides = [hit for hit in faults if hit.side]
    if criterion.scale.low < 0 and sides and all(hit.side * value < 0 for hit in sides):
        return f"it says “{sides[0].words}” where the rating finds too {'much' if value > 0 else 'little'}"
    if rated in ("minor", "major") and not faults and (praise := _only_praise(words, said, rated, criterion, case)):
        return f"it says “{praise.words}” where the rating finds a {rated} issue"
    return ""


def _rated(criterion: Criterion, value: int) -> str:
    """How much fault a rating finds. An Overall of 4 fits both no issue and a minor one."""
    if criterion.key == OVERALL:
        return {5: "none", 4: "little", 3: "minor"}.get(value, "major")
    return "none" if value == best(criterion) else severity(criterion, value) or "none"


def _only_praise(words: str, said: list[Hit], rated: str, criterion: Criterion, case: Review) -> Hit | None:
    """A claim that leaves no room for the fault the rating finds."""
    if _BUT.search(words):
        return None
    for hit in said:
        if hit.grade == "all" or (hit.kind == "nothing major" and rated == "major"):
            return hit
    praises = [hit for hit in said if hit.kind == "praise"]
    asked = set(re.findall(r"\d+", f"{case.prompt} {case.system_prompt}"))
    rest = re.sub(r"\d+", lambda match: "" if match[0] in asked else match[0], words)
    if not praises or _PERHAPS.search(rest) or (criterion.key == OVERALL and rated == "minor"):
        return None
    pieces = [piece for piece in re.split(r"[.;:](?:\s|\Z)", words) if piece.strip()]
    praised = all(any(hit.kind == "praise" for hit in hits(piece, criterion.key)) for piece in pieces)
    return praises[0] if praised else None


def _is_specific(words: str, value: int, criterion: Criterion, case: Review, label: Label) -> bool:
    if count_words(words) < _MIN_WORDS:
        return False
    if QUOTED.search(words) or re.search(r"\b\d{2,5} words\b", words, re.IGNORECASE):
        return True
    own = {word.lower().removesuffix("'s") for word in split_words(words.replace("’", "'").replace("-", " "))}
    feared = names_feared(words, criterion.key)
    if value == best(criterion) and feared and feared + len(_constraints(own)) >= 2:
        return True
    telling = {word for word in own if (len(word) > 3 or word.isdigit()) and word not in _GENERIC}
    response = set(split_words(case.answer(label).lower()[:200_000]))
    task = set(split_words(" ".join((case.prompt, case.system_prompt)).lower()[:200_000].replace("-", " ")))
    shared = telling & (response | task)
    if count_words(words) >= _ENOUGH and _shared_names(words, case.answer(label)):
        return True
    asked = _constraints(own) & _constraints(task)
    if asked & _FORM_WORDS and (asked - _FORM_WORDS or len(_constraints(own)) > 1):
        return True
    return len(shared | asked) >= 2 or (len(shared | asked) == 1 and len(telling) >= 4)


def _shared_names(words: str, response: str) -> set[str]:
    """Capitalised words of the response; at the head of a sentence only if they stand elsewhere in it too."""
    return {
        name
        for name in re.findall(r"\b[A-Z][a-z]{2,}\b", words)
        if name.lower() not in _GENERIC and name in _NAME.findall(response)
    }


def _constraints(words: set[str]) -> set[str]:
    """Numbers, number words and words for forms, in the singular."""
    single = {word[:-1] if word.endswith("s") and word[:-1] in _FORM_WORDS else word for word in words}
    return {word for word in single if word.isdigit() or word in _NUMBER_WORDS or word in _FORM_WORDS}
