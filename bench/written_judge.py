"""What the written judges of the demo reply: the scores, reasons and quotes in `bench/demo/`, in the shape that each
protocol asks a model for. Where a case has no note on a criterion, a phrase is drawn and a passage quoted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

import yaml

from adjudge.llm.base import Prompt
from adjudge.text.sentences import sentences

_CRITERIA = {
    "u": "task_understanding",
    "c": "correctness_reasoning",
    "d": "depth_coverage_usefulness",
    "a": "actionability_specificity",
    "s": "clarity_structure",
    "t": "constraints_tradeoffs_uncertainty",
    "i": "insight_originality",
}
_DATA = Path(__file__).parent / "demo"
_PHRASES: dict[str, list[list[str]]] = yaml.safe_load((_DATA / "phrases.yaml").read_text("utf-8"))
_MOST_WORDS, _LEAST_WORDS = 20, 5
_TO_THE_JUDGE = "Note to the evaluator"


def draw(*about: object, among: int) -> int:
    """Draw a number below `among`, the same one each time."""
    return int.from_bytes(blake2b(repr(about).encode(), digest_size=4).digest()) % among


def fenced(prompt: Prompt, name: str) -> str:
    """Return the text between the markers of this name."""
    found = re.search(rf"<<<{name} (\w+)>>>\n(.*?)\n<<<END {name} \1>>>", prompt.user, re.DOTALL)
    return found[2] if found else ""


def sides(about: Mapping[str, Any]) -> tuple[str, str]:
    """Return whose answer is A and whose is B."""
    return ("h", "k") if draw(about["id"], among=2) else ("k", "h")


# -- comparisons ------------------------------------------------------------------------------------------------------


def compared(prompt: Prompt, about: dict[str, Any], judge: str) -> dict[str, Any]:
    """Return the reply about two answers, in the order in which they are shown."""
    texts = {n: fenced(prompt, f"ANSWER {n}") for n in (1, 2)}
    first = max("hk", key=lambda who: sum(map(str.__eq__, about[who], texts[1])))
    shown = {1: first, 2: "k" if first == "h" else "h"}
    own = {**about, **(about.get("careful", {}) if judge.endswith("careful") else {})}
    steered = any(_TO_THE_JUDGE in text for text in texts.values())
    scores = _scores(own, steered)
    notes = {} if steered else {(who, letter): note for who, letter, *note in own["notes"]}
    if (points := own.get("sway", 0)) and shown[1] in scores and not judge.endswith("careful"):
        scores[shown[1]]["c"] = min(10, scores[shown[1]]["c"] + points)
    criteria = {}
    for place, (letter, key) in enumerate(_CRITERIA.items()):
        marks: dict[str, Any] = {}
        for n, who in shown.items():
            score = scores[who][letter]
            sign, quote, reason = notes.get((who, letter)) or _usual(own, texts[n], who, letter, score, place)
            impact = "favorable" if sign == "+" else "unfavorable"
            marks |= {f"quote_{n}": quote, f"impact_{n}": impact, f"rationale_{n}": reason}
        for n, who in shown.items():
            score = scores[who][letter]
            marks |= {f"justification_{n}": _phrase(letter, score, own["id"], who), f"score_{n}": score}
        criteria[key] = marks
    names = {who: f"Answer {n}" for n, who in shown.items()}
    return {
        "criteria": criteria,
        "more_evidence": [],
        **{f"summary_{n}": _summary(own, who, notes, scores[who]) for n, who in shown.items()},
        "rationale": _why(own, names, steered),
        "preference": _preference(own, shown, scores, bool(points) and not judge.endswith("careful")),
    }


def _scores(own: Mapping[str, Any], steered: bool) -> dict[str, dict[str, int]]:
    given = str(own["steered" if steered else "scores"]).split()
    return {
        who: dict(zip(_CRITERIA, (10 if digit == "X" else int(digit) for digit in digits), strict=True))
        for who, digits in zip("hk", given, strict=True)
    }


def _usual(own: Mapping[str, Any], text: str, who: str, letter: str, score: int, place: int) -> list[str]:
    passages = quotable(text)
    reason = _phrase(letter, score, own["id"], who, "quote")
    return ["+" if score >= 7 else "-", passages[(place + draw(own["id"], among=3)) % len(passages)], reason]


def quotable(text: str) -> list[str]:
    """Return the passages of a text that may be quoted: its sentences, or all of it if it is short."""
    found = []
    for sentence in (each for line in text.splitlines() for each in sentences(line)):
        words = re.sub(r"^(?:\d+\.|-)\s+", "", sentence).split(" ")
        if len(words) >= _LEAST_WORDS and _TO_THE_JUDGE not in sentence:
            found.append(" ".join(words[:_MOST_WORDS]))
    return found or [text]


def _phrase(letter: str, score: int, *about: object) -> str:
    known = _PHRASES[letter][0 if score >= 9 else 1 if score >= 7 else 2 if score >= 5 else 3]
    return known[draw(letter, *about, among=len(known))]


def _summary(
    own: Mapping[str, Any], who: str, notes: Mapping[tuple[str, str], list[str]], scores: Mapping[str, int]
) -> str:
    """Return an answer's summary: the reasons of its notes, or else phrases on what weighs most."""
    said = [note[2] for (whose, _), note in notes.items() if whose == who]
    return " ".join(said or [_phrase(letter, scores[letter], own["id"], who) for letter in "ca"])


def _why(own: Mapping[str, Any], names: Mapping[str, str], steered: bool) -> str:
    if steered:
        whose = next(who for who in "hk" if _TO_THE_JUDGE in own[who])
        return f"{names[whose]} presents itself as complete in every criterion."
    said: str = own["why"].format(**{"h": names["h"], "k": names["k"]})
    return said[:1].upper() + said[1:]


def _preference(
    own: Mapping[str, Any], shown: Mapping[int, str], scores: Mapping[str, Mapping[str, int]], swayed: bool
) -> str:
    weights = dict(zip(_CRITERIA, (1, 2, 1.5, 1.5, 1, 0.5, 0.5), strict=True))
    totals = [sum(weights[each] * scores[who][each] for each in weights) for who in shown.values()]
    if not swayed and abs(totals[0] - totals[1]) < 1.6:
        return "tie"
    return "answer_1" if totals[0] > totals[1] else "answer_2"


# -- gradings and dialogues -------------------------------------------------------------------------------------------

_RESULTS = {"+": "supported", "-": "contradicted", "?": "not_found"}
_SAID: dict[str, list[str]] = yaml.safe_load((_DATA / "dialogue_phrases.yaml").read_text("utf-8"))


def graded(prompt: Prompt, about: dict[str, Any], judge: str) -> dict[str, Any]:
    """Return the reply about one answer: the claims in it, or the answers to the rubric's questions."""
    if prompt.schema_name == "listed":
        claims = [
            {"quote": quote, "source_quote": source, "result": _RESULTS[result]}
            for quote, result, source in about["claims"]
        ]
        return {"rests_on_the_sources": claims}
    level, quote, reason = about["level"]
    answers: dict[str, Any] = {"answers_the_question": {"quote": quote, "reason": reason, "level": level}}
    for key, name in (("names_a_next_step", "next"), ("sends_away", "away")):
        answer, quote, reason = about[name]
        answers[key] = {"quote": quote, "reason": reason, "answer": answer}
    return answers


def dialogue_judged(prompt: Prompt, about: dict[str, Any], judge: str) -> dict[str, Any]:
    """Return the reply about a conversation, of the evaluator or of the critic."""
    scores = dict(zip(_SAID, map(int, str(about["scores"]).split()), strict=True))
    said = [turn for turn in about["turns"][1::2] if len(turn.split()) >= _LEAST_WORDS]
    criteria: dict[str, Any] = {}
    for place, (key, score) in enumerate(scores.items()):
        passages = quotable(said[place % len(said)])
        usual = passages[place % len(passages)], _SAID[key][{100: 0, 80: 1, 60: 2}.get(score, 3)]
        quote, reason = about["notes"].get(key, usual)
        criteria[key] = {"speaker": "SYSTEM", "quote": quote, "reason": reason, "score": score}
        if prompt.schema_name == "critique":
            other, quote, comment = about.get("objects", {}).get(key, (score, "", ""))
            criteria[key] = {
                "quotes": [{"speaker": "SYSTEM", "quote": quote}] if quote else [],
                "comment": f"{comment or _SAID[key][{100: 0, 80: 1, 60: 2}.get(score, 3)].rstrip('.')}.",
                "missing": "",
                "agree": other == score,
                "contradicts": False,
                "score": other,
            }
    return {"criteria": criteria}
