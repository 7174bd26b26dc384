"""The Likert justification: its first sentence is the verdict, two or three reasons follow, and code checks the story.

The verdict sentence is written by rule. Reasons are the judge's where they fit the final tables, and else composed
from the tables themselves.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ...facts.language import LANGUAGE_NAMES, language_of
from ...facts.sentences import sentence_spans
from ...rubric import OVERALL, Criterion, Rubric
from ...verdicts import FinalRating, Label
from .consistency import NO_PREFERENCE, dimensions, severity

Tables = Mapping[Label, Mapping[str, FinalRating]]
LEAST, MOST = 3, 4  # sentences
VERDICTS = {
    1: "Response 1 is much better overall.",
    2: "Response 1 is better overall.",
    3: "Response 1 is slightly better overall.",
    4: "Neither response is better overall.",
    5: "Response 2 is slightly better overall.",
    6: "Response 2 is better overall.",
    7: "Response 2 is much better overall.",
}
_ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|approx|cf|Dr|Mr|Mrs|Ms|No|St|Fig)\.|\b[A-Z]\.)\Z")
_BETTER = r"(?:much |far |clearly |slightly |somewhat |a (?:bit|little) |significantly )*"
_SAYS_BETTER = re.compile(
    rf"\bresponse (1|2)\b(?: \w+){{0,2}}? (?:is|was|wins|comes out|performs) {_BETTER}"
    r"(?:better|stronger|superior|preferable|the better|the stronger|best|ahead)",
    re.IGNORECASE,
)
_PREFERS = re.compile(r"\b(?:prefer|favou?r)(?:s|red|able)? (?:is |to )?response (1|2)\b", re.IGNORECASE)
_NEITHER = re.compile(
    r"\bneither\b|\bno (?:clear |real )?preference\b|\bboth responses (?:are|were)[^.]{0,40}(?:equal|equivalent|same)|"
    r"\bequally (?:good|bad|strong|weak)\b|\b(?:essentially |nearly )?(?:equivalent|identical|tied?)\b",
    re.IGNORECASE,
)
# How a sentence says that a criterion does not decide.
_EVEN = re.compile(
    r"\bboth\b|\bneither\b|\bequal|\bsame\b|\bno difference\b|\bapart\b|\beach\b|\balike\b|\bdespite\b|\balthough\b|"
    r"\bwhile\b|\bsimilar",
    re.IGNORECASE,
)
_STRENGTH = (
    (re.compile(r"\bslight|\bmarginal|\ba (?:bit|little) better", re.IGNORECASE), {3, 5}),
    (re.compile(r"\bmuch better|\bfar better|\bsignificantly better|\bby far", re.IGNORECASE), {1, 2, 6, 7}),
)


def sentences(text: str) -> list[str]:
    """The sentences of a text; an abbreviation's full stop ends none, and neither does one inside a quotation."""
    found: list[str] = []
    for start, end in sentence_spans(text):
        piece = text[start:end]
        if found and (_is_open(found[-1]) or piece[0].islower()):
            found[-1] = f"{found[-1]} {piece}"
        else:
            found.append(piece)
    return found


def _is_open(sentence: str) -> bool:
    quoting = sentence.count("“") > sentence.count("”") or sentence.count('"') % 2 == 1
    return quoting or _ABBREVIATION.search(sentence) is not None


def problems_of(text: str, likert: int, tables: Tables, rubric: Rubric) -> tuple[str, ...]:
    """What is wrong with a Likert justification; nothing if it can stand."""
    problems: list[str] = []
    said = sentences(text)
    if not LEAST <= len(said) <= MOST:
        problems.append(f"{len(said)} sentences with the verdict; {LEAST} to {MOST} are allowed")
    language = language_of(text)
    if language is not None and language.sure and language.code != "en":
        problems.append(f"written in {LANGUAGE_NAMES.get(language.code, language.code)}; English is needed")
    if said and not _is_verdict(said[0], likert):
        problems.append(f"the first sentence is not the verdict; it should say: {VERDICTS[likert]}")
    for sentence in said[1:]:
        problems += _against_the_tables(sentence, likert, tables, rubric)
    differing = [c for c in rubric.criteria if tables["A"][c.key].value != tables["B"][c.key].value]
    if likert != NO_PREFERENCE and differing and not any(_names(text, criterion) for criterion in differing):
        names = ", ".join(criterion.name for criterion in differing)
        problems.append(f"names none of the criteria in which the responses differ ({names})")
    return tuple(dict.fromkeys(problems))


def with_verdict(likert: int, reasons: str) -> str:
    """Reasons behind the verdict sentence; a verdict sentence of their own is dropped."""
    said = sentences(reasons)
    if said and _is_verdict(said[0], likert) and len(said) > 1:
        said = said[1:]
    return " ".join((VERDICTS[likert], *said))


def composed(likert: int, tables: Tables, rubric: Rubric) -> str:
    """A justification from the tables alone, always of three or four sentences."""
    overalls = [tables[label][OVERALL].value for label in ("A", "B")]
    order = sorted(dimensions(rubric), key=lambda criterion: -criterion.weight)
    differing = [c for c in order if tables["A"][c.key].value != tables["B"][c.key].value]
    # What speaks for the better side comes first; the Overall closes.
    telling = [c for c in differing if _favours(c, tables) == _side(likert)] or differing
    a, b = tables["A"], tables["B"]
    said = [
        f"On {c.name}, Response 1 is rated {a[c.key].value} and Response 2 is rated {b[c.key].value}."
        for c in telling[:2]
    ]
    if not telling:
        same = "have the same rating in every dimension"
        said = [f"The two responses {same}.", f"Both have an Overall Quality of {overalls[0]}."]
        if overalls[0] != overalls[1]:
            said[1] = f"Overall Quality is {overalls[0]} for Response 1 and {overalls[1]} for Response 2."
        return " ".join((VERDICTS[likert], *said))
    closing = f"Overall Quality is {overalls[0]} for Response 1 and {overalls[1]} for Response 2."
    if overalls[0] == overalls[1]:
        closing = f"Both have an Overall Quality of {overalls[0]}."
    return " ".join((VERDICTS[likert], *said, closing))


def identical(tables: Tables) -> str:
    """The justification for two responses that are one and the same."""
    overall = tables["A"][OVERALL].value
    return (
        f"{VERDICTS[NO_PREFERENCE]} The two responses are identical, word for word. "
        f"All ratings are therefore the same, with an Overall Quality of {overall} for both."
    )


def _side(likert: int) -> Label | None:
    return None if likert == NO_PREFERENCE else "A" if likert < NO_PREFERENCE else "B"


def _favours(criterion: Criterion, tables: Tables) -> Label | None:
    """Which side is better in one criterion."""
    if criterion.key == OVERALL:
        a, b = (-tables[label][OVERALL].value for label in ("A", "B"))
    else:
        a, b = (_RANK[severity(criterion, tables[label][criterion.key].value)] for label in ("A", "B"))
    return None if a == b else "A" if a < b else "B"


_RANK = {None: 0, "minor": 1, "major": 2}
_NUMBER: Mapping[str, Label] = {"1": "A", "2": "B"}


def _is_verdict(sentence: str, likert: int) -> bool:
    side = _side(likert)
    named = {_NUMBER[match] for pattern in (_SAYS_BETTER, _PREFERS) for match in pattern.findall(sentence)}
    if side is None:
        return _NEITHER.search(sentence) is not None and not named
    fits = all(likert in allowed for pattern, allowed in _STRENGTH if pattern.search(sentence))
    return named == {side} and fits and not re.search(r"\bnot (?:\w+ )?better\b", sentence)


def _against_the_tables(sentence: str, likert: int, tables: Tables, rubric: Rubric) -> list[str]:
    """Claims of one sentence that the tables contradict."""
    problems: list[str] = []
    about = [criterion for criterion in rubric.criteria if _names(sentence, criterion)]
    if likert != NO_PREFERENCE and not _EVEN.search(sentence):
        problems += [
            f"gives {c.name} as a reason, where both responses are rated {tables['A'][c.key].value}"
            for c in about
            if c.name.lower() in sentence.lower() and tables["A"][c.key].value == tables["B"][c.key].value
        ]
    for pattern in (_SAYS_BETTER, _PREFERS):
        for match in pattern.finditer(sentence):
            claimed = _NUMBER[match[1]]
            if about:
                wrong = [c.name for c in about if _favours(c, tables) not in (claimed, None)]
                wrong += [c.name for c in about if _favours(c, tables) is None]
                if len(wrong) == len(about):
                    problems.append(f"says that Response {match[1]} is better on {wrong[0]}; the tables do not")
            elif claimed != _side(likert):
                problems.append(f"says that Response {match[1]} is better, against the preference")
    return problems


def _names(text: str, criterion: Criterion) -> bool:
    lowered = text.lower()
    names = {criterion.name.lower(), criterion.key.replace("_", " "), *_ALSO.get(criterion.key, ())}
    return any(name in lowered for name in names)


# How people call the shipped criteria in running text.
_ALSO = {
    "instruction_following": ("instruction", "follow"),
    "truthfulness": ("truthful", "accura", "factual", "correct", "error"),
    "verbosity": ("verbos", "length", "too long", "too short", "concise", "padded", "cut off", "truncat"),
    "style_clarity": ("style", "clarity", "clear", "pleasantr", "readab"),
    "harmlessness": ("harmless", "safety", "harmful", "unsafe"),
    "localization": ("locali", "language", "natural"),
    "overall_quality": ("overall quality",),
}
