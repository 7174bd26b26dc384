"""What a judge calls Answer 1 and Answer 2 is put into the case's own labels: Response A and Response B.

It runs on every sentence of every reply, so there are two ways to the same result: all sentences in one quick look,
and one by one with the expressions that say what a name is.
"""

from __future__ import annotations

import re

from ...verdicts import Label

_NAMED = re.compile(
    r"\b(?:answer|response)[ _#]{0,2}(1|2|one|two)\b(?!\.\d)|\b(?:the )?(first|second) (?:answer|response)\b",
    re.IGNORECASE,
)
_NUMBER = {"1": 0, "one": 0, "first": 0, "2": 1, "two": 1, "second": 1}
_ORDERS: tuple[tuple[Label, Label], ...] = (("A", "B"), ("B", "A"))
_CALLED = {shown: {given: f"Response {shown[at]}" for given, at in _NUMBER.items()} for shown in _ORDERS}
_BOTH_NAMED = re.compile(r"\b(?:answers?|responses?) ([12])( and | or | & |/)([12])\b", re.IGNORECASE)

# Both of the above, for text in lower case, and from the noun on: what begins with fixed letters is searched fastest.
_BY_NOUN = tuple(
    (
        noun,
        noun[1:],
        noun[1:].upper(),
        re.compile(
            rf"{noun}(?:(?<!\w{noun})s? (?P<one>[12])(?P<between> and | or | & |/)(?P<other>[12])\b"
            rf"|(?<=\b(?P<first>first) {noun})\b|(?<=\b(?P<second>second) {noun})\b"
            rf"|(?<!\w{noun})[ _#]{{0,2}}(?P<number>1|2|one|two)\b(?!\.\d))"
        ),
    )
    for noun in ("answer", "response")
)
_THE = re.compile(r"\bthe ")
# Equal to an i and an s where case is ignored, but not so in lower case.
_ODD_LETTERS = "\u0131\u017f"
_BETWEEN = "\0"


def in_case_labels(texts: list[str], shown: tuple[Label, Label]) -> list[str]:
    """The texts, stripped, with the answers called by the case's labels; `shown` are these in the judge's order."""
    texts = [text.strip() for text in texts]
    whole = _BETWEEN.join(texts)
    names = _find_names(whole, shown)
    if names is not None:
        if not names:
            return texts
        pieces: list[str] = []
        done = 0
        for start, end, name in sorted(names):
            pieces += whole[done:start], name
            done = end
        named = ("".join(pieces) + whole[done:]).split(_BETWEEN)
        # A text may hold what was put between them.
        if len(named) == len(texts):
            return named
    return [_one_in_case_labels(text, shown) for text in texts]


def _find_names(text: str, shown: tuple[Label, Label]) -> list[tuple[int, int, str]] | None:
    """Where an answer is named, and what it is called instead; None if the spelling calls for a closer look."""
    lower = text.lower()
    if not text.isascii() and (len(lower) != len(text) or any(letter in text for letter in _ODD_LETTERS)):
        return None
    called = _CALLED[shown]
    names = []
    for noun, rest, capitals, pattern in _BY_NOUN:
        at = lower.find(noun)
        while at >= 0:
            if match := pattern.match(lower, at):
                if not text.startswith((rest, capitals), at + 1):
                    return None
                start, end = match.span()
                kind = match.lastgroup or ""
                if kind == "number":
                    name = called[match["number"]]
                elif kind == "other":
                    between = text[match.start("between") : match.end("between")]
                    name = f"Responses {shown[_NUMBER[match['one']]]}{between}{shown[_NUMBER[match['other']]]}"
                else:
                    name = called[kind]
                    start -= len(kind) + 1
                    if start >= 4 and _THE.match(lower, start - 4):
                        start -= 4
                names.append((start, end, name))
            at = lower.find(noun, at + 1)
    return names


def _one_in_case_labels(text: str, shown: tuple[Label, Label]) -> str:
    if "nswer" not in text and "esponse" not in text and "NSWER" not in text and "ESPONSE" not in text:
        return text
    if text.count("1") + text.count("2") > 1:
        label = {"1": shown[0], "2": shown[1]}
        text = _BOTH_NAMED.sub(lambda match: f"Responses {label[match[1]]}{match[2]}{label[match[3]]}", text)
    called = _CALLED[shown]
    # A number in odd letters (a long s) is none we know, and stays.
    return _NAMED.sub(lambda match: called.get((match[1] or match[2]).lower(), match[0]), text)
