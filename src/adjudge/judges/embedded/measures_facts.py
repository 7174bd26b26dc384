"""Measures that rest on what code finds for certain: cut-off ends, repetition, refusals, pleasantries, broken code."""

from __future__ import annotations

import math
import re

from ...facts.injection import find_injection
from ...facts.patterns import holds_any, plain_words, put_off
from ...facts.pleasantries import find_pleasantries
from ...facts.refusal import find_refusal
from ...facts.repetition import find_repetition
from ...facts.sentences import word_set
from ...facts.spots import Spot
from ...facts.truncation import find_truncation
from .measurement import Info, Measurement, several
from .reading import READ, Answer, Task

_TASK, _CLARITY, _REASON = "task_understanding", "clarity_structure", "correctness_reasoning"

INFO = {
    "cut_off": Info("a cut-off end", _CLARITY, "flaw", -1),
    "repetition": Info("repeated sentences", _CLARITY, "flaw", -1),
    "refusal": Info("declining", _TASK, "flaw", -1),
    "plain_flaws": Info("plain flaws", _TASK, "flaw", -1),
    "disclaimer": Info("speaking as an AI", _TASK, "style", -1),
    "apology": Info("apologising", _TASK, "style", -1),
    "pleasantries": Info("pleasantries", _CLARITY, "style"),
    "lead_in": Info("a lead-in", _CLARITY, "style"),
    "broken_code": Info("code that does not parse", _REASON, "flaw", -1),
    "open_end": Info("no full stop at the end", _CLARITY, "flaw", -1),
    "other_script": Info("letters of another script", _CLARITY, "flaw", -1),
    "lacks_information": Info("says it lacks information", _TASK, "style", -1),
    "conclusion": Info("a conclusion", _CLARITY, "form", 1),
}

_FOR_A_CONCLUSION = 20_000  # characters that are read
_OFTEN = 0.3  # of its sentences; a refrain is none
_TIMES = 3  # said twice is a slip, said three times a loop
_AS_AN_AI = put_off(
    r"\bas an? (?:AI|artificial|language model|virtual)|\bI(?:'m| am) (?:just )?an? (?:AI|language model)", re.I
)
_SORRY = put_off(r"\b(?:sorry|apologi[sz]e|unfortunately)\b", re.I)
_LEAD = put_off(
    r"\A\W{0,3}(?:sure|certainly|of course|absolutely|okay|ok|great|here(?:'s| is| are)|"
    r"yes, )\b",
    re.I,
)
_LACKS = put_off(
    r"\b(?:could you (?:please )?(?:provide|clarify|specify)|please provide|(?:need|without) more (?:information|"
    r"context|details)|"
    r"not (?:enough|sufficient) (?:information|context)|(?:don't|do not|doesn't|does not) (?:have|"
    r"provide) (?:access|enough|any|information)|"
    r"I(?:'m| am) not sure|I (?:don't|do not) know|unclear|it is not possible to|cannot be determined)\b",
    re.I,
)
_CONCLUSION = put_off(r"\b(?:in conclusion|overall|in summary|to sum up|ultimately|in short)\b,?", re.I)
# One of these stands in every phrase above: the expressions see only the answers that have one.
_HINTS = {
    "disclaimer": ("a ai", "n ai", "a artificial", "n artificial", "a virtual", "n virtual", "language model"),
    "apology": ("sorry", "apologi", "unfortunately"),
    "lead_in": ("sure", "certainly", "of course", "absolutely", "ok", "great", "here", "yes"),
    "lacks_information": (
        "could you", "please provide", "more inf", "more cont", "more det", "not enough", "not suff", "t have acc",
        "t have eno", "t have any", "t have inf", "t provide acc", "t provide eno", "t provide any", "t provide inf",
        "not sure", "not know", "n't know", "unclear", "not possible", "be determined",
    ),
    "conclusion": ("in conclusion", "overall", "in summary", "to sum up", "ultimately", "in short"),
}  # fmt: skip
_CONCLUDING = word_set("conclusion overall summary sum ultimately short")
_ENDS = ".!?:;\"')]}`*…。！？」|>”’"
_LATIN = put_off(r"[A-Za-z]")
_OTHER = put_off(r"[\u0370-\u1fff\u2e80-\ud7ff]")


def measure(task: Task, answer: Answer, into: dict[str, Measurement]) -> None:
    """All measures of one answer that rest on detectors."""
    text = answer.text[:READ]
    cut_off, refusal = find_truncation(answer.text, task.text), find_refusal(answer.text, task.text)
    _from_spot("cut_off", cut_off, "it does not break off", into)
    said = {text[start:end] for start, end in answer.sentences}
    repeats = find_repetition(text) if len(said) < len(answer.sentences) else []
    again = {text[spot.start : spot.end] for spot in repeats}
    share = sum(1 for start, end in answer.sentences if text[start:end] in again) if again else 0
    first = repeats[0] if repeats else None
    into["repetition"] = Measurement(
        share / max(1, len(answer.sentences)) if repeats else 0.0,
        f"it has a sentence that {first.found}" if first else "it says no sentence twice",
        (first.start, first.end) if first else None,
    )
    _from_spot("refusal", refusal, "it does not decline", into)
    polite = find_pleasantries(text[:6000])
    into["pleasantries"] = Measurement(
        float(min(3, len(polite))),
        f"it has {several(len(polite), 'polite phrase')} that carry nothing"
        if polite
        else "it has no empty pleasantries",
        (polite[0].start, polite[0].end) if polite else None,
    )
    broken = _broken_code(text, task.text) if "```" in text else []
    unparsed = broken[0]._replace(found=f"has {broken[0].found}") if broken else None
    _from_spot("broken_code", unparsed, "it has no code that fails to parse", into)
    often = [
        spot._replace(found=f"has a sentence that {spot.found}")
        for spot in repeats
        if share >= _OFTEN * len(answer.sentences)
        and sum(text[start:end] == text[spot.start : spot.end] for start, end in answer.sentences) >= _TIMES
    ]
    steering = [spot._replace(certain=True) for spot in find_injection(text, task.text)]
    plain = [spot for spot in (cut_off, refusal, *often[:1], *steering[:1]) if spot is not None and spot.certain]
    into["plain_flaws"] = Measurement(
        float(len(plain)),
        "it " + " and ".join(spot.found for spot in plain) if plain else "it has none",
        (plain[0].start, plain[0].end) if plain else None,
    )
    _phrases(answer, into)
    _ends(task, answer, into)


def _broken_code(text: str, task: str) -> list[Spot]:
    from ...facts.code import find_broken_code  # its parsers are loaded for answers with code only

    return find_broken_code(text, task)


def _phrases(answer: Answer, into: dict[str, Measurement]) -> None:
    plain, lower = answer.plain, answer.lower
    for name, pattern, there, absent, read in (
        ("disclaimer", _AS_AN_AI, "it speaks of itself as an AI", "it does not speak of itself as an AI", 1500),
        ("apology", _SORRY, "it apologises", "it does not apologise", 400),
        ("lead_in", _LEAD, "it opens with a lead-in", "it opens without a lead-in", 100),
        ("lacks_information", _LACKS, "it says that it lacks information", "it does not ask for information", 1500),
    ):
        # Characters that lower-casing makes two of shift places, so it only says whether a look is worth it.
        match = pattern.search(plain[:read]) if holds_any(lower[: read + 200], _HINTS[name]) else None
        _say(name, match, there, absent, into)
    _say("conclusion", _conclusion(answer), "it draws a conclusion", "it draws no conclusion", into)


def _conclusion(answer: Answer) -> re.Match[str] | None:
    """Every such phrase begins with its hint, so what stands before the first of them need not be read."""
    said = answer.lower[: _FOR_A_CONCLUSION + 200]
    if said.isascii() and _CONCLUDING.isdisjoint(plain_words(said)):
        return None
    places = [at for at in map(said.find, _HINTS["conclusion"]) if at >= 0]
    if not places:
        return None
    return _CONCLUSION.search(answer.plain, min(places) if said.isascii() else 0, _FOR_A_CONCLUSION)


def _say(name: str, match: re.Match[str] | None, there: str, absent: str, into: dict[str, Measurement]) -> None:
    into[name] = Measurement(1.0 if match else 0.0, there if match else absent, match.span() if match else None)


def _ends(task: Task, answer: Answer, into: dict[str, Measurement]) -> None:
    body = answer.text.rstrip()
    open_end = bool(body) and body[-1] not in _ENDS and answer.count > 12
    into["open_end"] = Measurement(
        1.0 if open_end else 0.0,
        "it ends without a full stop" if open_end else "it ends properly",
        (len(body) - 1, len(body)) if open_end else None,
    )
    plain = answer.plain[:4000]
    strange = 0
    if (
        not plain.isascii()
        and not _OTHER.search(task.plain)
        and task.language is None
        and "translation" not in task.kinds
    ):
        strange = len(_OTHER.findall(plain))
    into["other_script"] = Measurement(
        math.log2(1 + strange) if _LATIN.search(task.plain) else 0.0,
        f"it has {several(strange, 'letter')} of another script" if strange else "it keeps to the task's script",
    )


def _from_spot(name: str, spot: Spot | None, absent: str, into: dict[str, Measurement]) -> None:
    if spot is None:
        into[name] = Measurement(0.0, absent)
    else:
        into[name] = Measurement(1.0 if spot.certain else 0.7, f"it {spot.found}", (spot.start, spot.end))
