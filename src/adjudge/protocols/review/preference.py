"""The Likert justification: its first sentence is the verdict, two or three reasons follow, and code checks the story.

The verdict sentence is written by rule. Reasons are the judge's where they fit the final tables, and else composed
from the tables themselves.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ...facts.language import foreign_language
from ...facts.sentences import sentence_spans
from ...rubric import OVERALL, Criterion, Rubric
from ...verdicts import LABELS, FinalRating, Label
from .consistency import NO_PREFERENCE, dimensions, severity
from .naming import NUMBER, NUMBER_OF, names, plain, responses_in
from .polarity import Hit, hits
from .preference_claims import denies_a_lead, leads, says_equal, stated, strength

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
# How a sentence says that a criterion does not decide.
_EVEN = re.compile(
    r"\bboth\b|\bneither\b|\bequal|\bsame\b|\bdiffer|\bapart\b|\beach\b|\balike\b|\bdespite\b|\balthough\b|"
    r"\bwhile\b|\bsimilar|\bcomparable|\bon (?:a )?par\b|\bidentical|\btie[ds]?\b|\beven(?:ly)?\b|\bmatch",
    re.IGNORECASE,
)
_STRENGTH = {"soft": {3, 5}, "hard": {1, 2, 6, 7}, "": set(VERDICTS)}


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
        counted = "1 sentence" if len(said) == 1 else f"{len(said)} sentences"
        problems.append(f"{counted} with the verdict; {LEAST} to {MOST} are allowed")
    if language := foreign_language(text):
        problems.append(f"written in {language}; English is needed")
    if said and not _is_verdict(said[0], likert):
        problems.append(f"the first sentence is not the verdict; it should say: {VERDICTS[likert]}")
    for sentence in said:
        problems += _against_the_tables(sentence, likert, tables, rubric)
    for sentence in said[1:]:
        problems += _idle_reasons(sentence, likert, tables, rubric)
    differing = [c for c in rubric.criteria if tables["A"][c.key].value != tables["B"][c.key].value]
    if likert != NO_PREFERENCE and differing and not any(_tells_of(text, criterion) for criterion in differing):
        listed = ", ".join(criterion.name for criterion in differing)
        problems.append(f"names none of the criteria in which the responses differ ({listed})")
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


def _tells_of(text: str, criterion: Criterion) -> bool:
    return names(text, criterion) or (criterion.key != OVERALL and bool(hits(text, criterion.key, general=False)))


def _is_verdict(sentence: str, likert: int) -> bool:
    sentence, side = plain(sentence), _side(likert)
    winners = {lead.winner for lead in leads(sentence)}
    if sentence.rstrip().endswith("?"):
        return False
    if side is None:
        return says_equal(sentence) and not winners
    return winners == {side} and likert in _STRENGTH[strength(sentence)] and not denies_a_lead(sentence)


def _against_the_tables(sentence: str, likert: int, tables: Tables, rubric: Rubric) -> list[str]:
    """Claims of one sentence that the tables contradict."""
    sentence = plain(sentence)
    problems = [
        f"says that Response {NUMBER_OF[label]} has {value} on {criterion.name}; the tables have "
        f"{tables[label][criterion.key].value}"
        for criterion, label, value in stated(sentence, rubric.criteria)
        if tables[label][criterion.key].value != value
    ]
    for clause in _clauses(sentence):
        problems += _false_leads(clause, likert, tables, rubric)
        problems += _false_tone(clause, tables, rubric)
    return problems


def _idle_reasons(sentence: str, likert: int, tables: Tables, rubric: Rubric) -> list[str]:
    """Criteria given as a reason in which the responses do not differ."""
    if likert == NO_PREFERENCE or _EVEN.search(sentence):
        return []
    return [
        f"gives {c.name} as a reason, where both responses are rated {tables['A'][c.key].value}"
        for c in rubric.criteria
        if c.name.lower() in sentence.lower() and tables["A"][c.key].value == tables["B"][c.key].value
    ]


_APART = re.compile(r";|,?\s+\b(?:but|while|whereas|although|though|however)\b|,?\s+\band\s+(?=Response [12]\b)", re.I)


def _clauses(sentence: str) -> list[str]:
    """The clauses of a plain sentence; one that names no response goes on about the last one named."""
    clauses: list[str] = []
    for piece in _APART.split(sentence):
        carried = re.findall(r"\bResponse [12]\b", clauses[-1])[:1] if clauses else []
        goes_on = re.match(r"\s*,?\s*(?:it )?(?=(?:is|was|has|gets|makes|contains|names|gives)\b)", piece)
        clauses.append(f"{carried[0]} {piece[goes_on.end() :]}" if carried and goes_on else piece)
    return clauses


def _false_leads(clause: str, likert: int, tables: Tables, rubric: Rubric) -> list[str]:
    problems: list[str] = []
    for lead in leads(clause):
        about = [criterion for criterion in rubric.criteria if criterion.key != OVERALL and names(clause, criterion)]
        if lead.quality:
            about = [c for c in dimensions(rubric) if _tells_of(lead.quality, c)]
        number = NUMBER_OF[lead.winner]
        if about:
            unfit = [c.name for c in about if _favours(c, tables) not in (lead.winner, None)]
            unfit += [c.name for c in about if _favours(c, tables) is None and not (lead.soft or lead.quality)]
            if unfit and len(unfit) == len(about):
                problems.append(f"says that Response {number} is better on {unfit[0]}; the tables do not")
        elif lead.winner != _side(likert) and not lead.quality:
            problems.append(f"says that Response {number} is better, against the preference")
    return problems


# What a clause says of the response that it is about, up to where it explains.
_SUBJECT = re.compile(
    r"(?<!in )(?<!of )(?<!by )(?<!to )(?<!for )(?<!from )(?<!with )(?<!than )\bResponse ([12])\b(?!'s)"
    r"(?:(?!\b(?:because|since|which|that|when|where|if|so|as)\b)[^:()])*"
)
_OF_BOTH = re.compile(
    r"\s*(?:although |while |though )?both(?: responses| answers)? ((?:are|were|follow|have)\b(?:(?!, |Response).)*)",
    re.I,
)


def _false_tone(clause: str, tables: Tables, rubric: Rubric) -> list[str]:
    """A fault where the response has none, or a praise where it has a major one, in a clause about one or both."""
    if both := _OF_BOTH.match(clause):
        return [problem for label in LABELS for problem in _unfit(both[1], label, tables, rubric)]
    subject = _SUBJECT.search(clause)
    if subject is None or len(set(responses_in(clause))) != 1 or leads(clause) or _EVEN.search(clause):
        return []
    return _unfit(subject[0], NUMBER[subject[1]], tables, rubric)


def _unfit(clause: str, label: Label, tables: Tables, rubric: Rubric) -> list[str]:
    """What is said of one response that fits none of the criteria it may be said of."""
    table, who = tables[label], f"Response {NUMBER_OF[label]}"
    said = {c.key: hits(clause, c.key, general=False) for c in dimensions(rubric)}
    found = [(c, hit) for c in dimensions(rubric) for hit in said[c.key] if hit.kind != "nothing major"]
    problems: list[str] = []
    for criterion, hit in found:
        # A word may belong to several criteria: it is false only if it fits none of them.
        fitting = [c for c, same in found if (same.start, same.kind) == (hit.start, hit.kind)]
        if criterion == fitting[0] and not any(_fits(hit, c, table[c.key].value) for c in fitting):
            problems.append(f"says “{hit.words}” of {who}, whose {criterion.name} is {table[criterion.key].value}")
    flawless = [hit for hit in hits(clause, "", general=True) if hit.kind == "praise" and hit.grade == "all"]
    if flawless and not found and table[OVERALL].value < 4:
        problems.append(f"says “{flawless[0].words}” of {who}, whose Overall Quality is {table[OVERALL].value}")
    return problems


def _fits(hit: Hit, criterion: Criterion, value: int) -> bool:
    rated = severity(criterion, value)
    if hit.kind == "praise":
        return rated is None or (rated == "minor" and hit.grade != "all")
    return rated is not None and not (hit.side and hit.side * value < 0)
