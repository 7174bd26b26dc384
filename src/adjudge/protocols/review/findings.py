"""The task checks and the facts of a review: what code finds alone, and what it derives from the judge's lists.

A task that cannot be rated gets a reason instead of ratings. Certain facts bind the ratings; the others are hints,
shown to the judge and to people.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise
from unicodedata import category, normalize

from ...constraints.english import demands_in_english
from ...constraints.together import measure_together
from ...models.common import LABELS, Fact, Label, Severity
from ...models.constraints import Constraint, Observation
from ...text.control_tokens import find_system_markers, without_end_markers
from ...text.countries import languages_covered, names_a_country
from ...text.findings import cut_off_facts, facts_of, hostile_facts
from ...text.flaws import find_repetition
from ...text.language import (
    COMMONER,
    LANGUAGE_NAMES,
    are_close,
    code_named,
    is_throughout_in,
    language_name,
    language_of,
    languages_in,
    named_languages,
    plain_code,
    running_text,
)
from ...text.sentences import sentence_spans
from ...text.words import count_words, each_word
from .case import Review

_STRETCH = 8  # this many words in another language are more than a term
_MANY_PLEASANTRIES = 3
_REPEATED = 4  # one letter or word, this many times and nothing else, is no prompt
_PROMPT_WORDS = 4  # the fewest words that show the language of a prompt
_LOCALE = re.compile(r"(?<![\w-])([a-z]{2})[-_](?:[A-Z]{2}|419|Han[st]|Latn|Cyrl)(?!\w)")
_LABELLED = re.compile(r"\b(?:locale|language|lang)\b\W{1,4}([^\W\d_]{2,20})", re.IGNORECASE)
_ANY_LANGUAGE = re.compile(r"[\u30a1-\u30fc]{2,}語")  # in Japanese: テルグ語
_OBSERVED = {
    "cut_off": ("truncation", "breaks off before its end"),
    "human_claim": ("human_claim", "claims to be human"),
    "pleasantry": ("pleasantries", "contains a pleasantry"),
    "other_language": ("language", "has a stretch in another language"),
}
_REFUSALS = {
    None: ("refusal", "declines to answer"),
    False: ("refusal_of_a_safe_request", "declines a request that is safe to answer"),
    True: ("refusal_of_a_harmful_request", "declines a harmful request"),
}
BY_THE_SYSTEM_PROMPT = " (by the system prompt)"
# The name of the fact for an unmet constraint, by its kind; all other kinds are "wording".
_NAMES = {
    **dict.fromkeys(("words", "characters"), "length"),
    **dict.fromkeys(("sentences", "paragraphs", "items", "sections", "highlights", "placeholders"), "items"),
    **dict.fromkeys(("list", "table", "json", "code_block", "title", "quotation_marks"), "format"),
    "language": "language",
}
_BY = {"system_prompt": BY_THE_SYSTEM_PROMPT, "conversation": " (by the conversation)", "prompt": ""}


# -- task checks -------------------------------------------------------------------------------------------------------


def why_invalid(case: Review, languages: tuple[str, ...] = ()) -> str | None:
    """Return why this task cannot be rated, or None. `languages` are the ISO codes in scope; if empty, all are."""
    if not case.prompt.strip():
        return "The prompt is missing, so there is nothing to rate the responses against."
    # A text of only end-of-turn markers counts as missing.
    missing = [n for n, text in enumerate((case.a, case.b), start=1) if not without_end_markers(text).strip()]
    if missing:
        one = f"Response {missing[0]} is missing, so there is nothing to compare the other with."
        return one if len(missing) == 1 else "Both responses are missing."
    if why := _why_nonsense(case.prompt):
        return f"{why}: it cannot be answered in any meaningful way."
    if not languages:
        return None
    codes = {language_of(text, _PROMPT_WORDS) for text in (case.prompt, case.a, case.b)}
    # One text in scope is enough; whether the others have the right language is for the ratings to judge.
    if None in codes or codes & set(languages):
        return None
    names = ", ".join(sorted(LANGUAGE_NAMES[code] for code in codes if code is not None))
    scope = ", ".join(LANGUAGE_NAMES.get(code, code) for code in languages)
    return f"The prompt and both responses are in {names}, which is out of scope (in scope: {scope})."


def _why_nonsense(prompt: str) -> str:
    """Return why a prompt means nothing in any language, or an empty string. A judge that reads may say more."""
    text = normalize("NFC", prompt.casefold())
    # Accents and vowel signs belong to the letter before them: का and की are not the same.
    marked = "".join(char for char in text if char.isalnum() or category(char)[0] == "M")
    starts = [at for at, char in enumerate(marked) if char.isalnum()]
    if not starts:
        return "The prompt holds no letter and no digit"
    characters = [marked[start:end] for start, end in pairwise([*starts, len(marked)])]
    words = list(each_word(text))
    for pieces in (characters, words):
        if len(pieces) >= _REPEATED and len(set(pieces)) == 1 and any(map(str.isalpha, pieces[0])):
            return f"The prompt only repeats “{pieces[0][:40]}”"
    return ""


# -- facts -------------------------------------------------------------------------------------------------------------


def facts_alone(case: Review) -> tuple[Fact, ...]:
    """Return what code finds without a judge. Only the facts on SPEC's short list are certain."""
    facts = [
        *hostile_facts("task", case.prompt),
        *hostile_facts("context", case.history, case.prompt),
        *hostile_facts("system_prompt", case.system_prompt),
        *hostile_facts("task_config", case.task_config),
    ]
    hints = [
        constraint.model_copy(update={"certain": False})
        for constraint in demands_in_english(case.system_prompt, case.prompt)
    ]
    for label in LABELS:
        text = case.answer(label)
        body = without_end_markers(text)
        facts += facts_of("system_marker", label, find_system_markers(text))
        facts += cut_off_facts(label, text, f"{case.system_prompt}\n{case.prompt}")
        facts += _language_alone(case, label)
        facts += _missed(case, label, hints)
        facts += facts_of("repetition", label, find_repetition(body))
        facts += hostile_facts(label, body, case.prompt)
    return tuple(facts)


def with_the_judges(
    case: Review, alone: tuple[Fact, ...], constraints: Iterable[Constraint], observations: Iterable[Observation]
) -> tuple[Fact, ...]:
    """Return all facts in the order of the responses. A finding of the judge replaces a hint of the same name.

    That a response is not in the prompt's language is a hint if the judge lists a demand on the language, unless the
    demand itself is a hint and the response is not in that language either.
    """
    constraints = tuple(constraints)
    languages = [one for one in constraints if one.kind == "language"]
    if languages:
        excused = {label for label in LABELS if _may_be_asked_for(_language_of_the_response(case, label), languages)}
        alone = tuple(
            one.model_copy(update={"certain": False}) if one.name == "language" and one.where in excused else one
            for one in alone
        )
    found: list[Fact] = []
    for label in LABELS:
        found += _missed(case, label, constraints)
        found += _observed(case, label, [seen for seen in observations if seen.response == label])
    listed = {(fact.name, fact.where) for fact in found}
    kept = [fact for fact in alone if fact.certain or (fact.name, fact.where) not in listed]
    return tuple(sorted((*kept, *found), key=lambda fact: {"A": 1, "B": 2}.get(fact.where, 0)))


def _missed(case: Review, label: Label, constraints: Iterable[Constraint]) -> list[Fact]:
    """Return a fact for each constraint that a response does not meet, and a hint if it does so only in part."""
    text = case.answer(label)
    facts = []
    for one, measured in measure_together(tuple(constraints), text):
        if measured.in_part or not measured.met:
            name = _NAMES.get(one.kind, "wording")
            if name == "length":
                name = "too_long" if measured.over else "too_short"
            found = measured.says + _BY[one.source]
            certain = one.certain and not measured.in_part
            facts.append(_fact(name, label, 0, len(text), found, certain, measured.severity))
    return facts


def _observed(case: Review, label: Label, seen: list[Observation]) -> list[Fact]:
    """Return a fact for each of the judge's observations in one response, at the place of its quote."""
    polite = len(_apart([one for one in seen if one.kind == "pleasantry"]))
    foreign = _foreign_share(case.answer(label), [one for one in seen if one.kind == "other_language"])
    facts = []
    for one in seen:
        name, found = _OBSERVED.get(one.kind) or _REFUSALS[one.harmful]
        severities: dict[str, Severity | None] = {
            "cut_off": "major" if one.part_missing else None,
            "human_claim": "minor" if one.mild else "major",
            "pleasantry": "major" if polite >= _MANY_PLEASANTRIES else "minor",
            "other_language": foreign,
        }
        severity = severities.get(one.kind)
        if name == "language" and severity == "major":
            found = "is mostly in another language"
        # A few words in another language are not an issue.
        certain = one.certain and not (name == "language" and severity is None)
        facts.append(_fact(name, label, one.start, one.end, found, certain, severity))
    return facts


def _apart(seen: list[Observation]) -> list[tuple[int, int]]:
    """Return the spans that the quotes cover, with overlapping ones merged."""
    spans: list[tuple[int, int]] = []
    for start, end in sorted((one.start, one.end) for one in seen):
        if spans and start < spans[-1][1]:
            spans[-1] = spans[-1][0], max(end, spans[-1][1])
        else:
            spans.append((start, end))
    return spans


def _foreign_share(text: str, strange: list[Observation]) -> Severity | None:
    """Return major if more than half of the words are foreign, minor for a whole sentence or eight words, else None."""
    if not strange:
        return None
    words = [count_words(text[start:end]) for start, end in _apart(strange)]
    if 2 * sum(words) > count_words(without_end_markers(text)):
        return "major"
    # Measure a sentence from its first letter or digit to its last, since quotes may leave out its punctuation.
    letters = ([at for at in range(start, end) if text[at].isalnum()] for start, end in sentence_spans(text))
    bare = [(inside[0], inside[-1]) for inside in letters if inside]
    whole = any(one.start <= start <= end < one.end for one in strange for start, end in bare)
    return "minor" if whole or max(words) >= _STRETCH else None


def _language_of_the_response(case: Review, label: Label) -> str | None:
    return language_of(running_text(without_end_markers(case.answer(label))))


def _may_be_asked_for(language: str | None, demands: Iterable[Constraint]) -> bool:
    """Check whether a demand is certain, so that it alone decides, or may be for this language."""
    return any(one.certain or (language is not None and are_close(one.text, language)) for one in demands)


def _language_alone(case: Review, label: Label) -> list[Fact]:
    """Return a fact if the whole response is in a language that is neither the prompt's nor the locale's."""
    found = _language_of_the_response(case, label)
    if found is None:
        return []
    spoken, locale = languages_in(case.prompt), locale_of(case.task_config)
    # Placeholder text is written in Latin.
    if found == "la" or any(are_close(found, code) for code in spoken):
        return []
    prompts = _language_of_the_prompt(case.prompt, spoken, locale)
    wanted = prompts or locale
    if wanted is None or are_close(wanted, found):
        return []
    material = (case.system_prompt, case.history, case.prompt)
    if any(named_languages(text) or names_a_country(text) or _ANY_LANGUAGE.search(text) for text in material):
        return []
    # In a language whose names of countries we do not know, the prompt may name one. A prompt that may contain a second
    # language may be about a text in it. A conversation in the response's language may continue in it.
    certain = (
        prompts in languages_covered()
        and all(are_close(code, wanted) for code in spoken)
        and not (locale is not None and are_close(found, locale))
        and not any(are_close(found, code) for code in languages_in(case.history))
    )
    whose = "the prompt is in" if prompts is not None else "the locale's language is"
    says = f"is in {language_name(found)}; {whose} {language_name(wanted)}"
    return [_fact("language", label, 0, len(case.answer(label)), says, certain, "major")]


def _language_of_the_prompt(prompt: str, spoken: frozenset[str], locale: str | None) -> str | None:
    """Return the language of a prompt: the locale's if the prompt may be in it, else the one its words suggest."""
    if locale is not None and any(are_close(locale, code) for code in spoken):
        return locale
    few = language_of(prompt, _PROMPT_WORDS)
    if few is None or not is_throughout_in(few, prompt):
        return None
    return few if few == language_of(prompt) else COMMONER.get(few, few)


def locale_of(task_config: str) -> str | None:
    """Return the language of the locale that a task configuration names, or None."""
    named = [code for code in map(plain_code, _LOCALE.findall(task_config)) if code in LANGUAGE_NAMES]
    named += [code for word in _LABELLED.findall(task_config) if (code := code_named(word)) is not None]
    return named[0] if named else None


def _fact(name: str, label: Label, start: int, end: int, found: str, certain: bool, severity: Severity | None) -> Fact:
    return Fact(name=name, where=label, start=start, end=end, found=found, certain=certain, severity=severity)
