"""Justifications: may a person's stand, and what does the Likert's say?

Code checks of a person's words what it can: English, real quotations, the facts named. Whether they are specific and
true is asked of the judge; where it did not assess the rating itself, the words stand with it. The Likert's first
sentence is the verdict, written by rule; the reasons behind it are the judge's where they fit the final tables, and
else composed from the tables.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ...judges.base import Candidate
from ...models import LABELS, Fact, FinalRating, JudgedWords, Label, ReviewOpinion
from ...rubric import OVERALL, Criterion, Rubric
from ...text.reasons import WordChecker, misstated_rating, not_english
from ...text.sentences import sentences
from .binding import names_fact
from .consistency import NO_PREFERENCE, badness, dimensions

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


def contradicted(opinion: ReviewOpinion, tables: Tables, likert: int, rubric: Rubric) -> bool:
    """Whether the judge's reasons name a response or a rating that the final tables contradict.

    They were written for its own ratings, so they fit as long as the preferred side stands, and in every criterion they
    name the better side, and the ratings they give.
    """
    ratings = {c.name: (tables["A"][c.key].value, tables["B"][c.key].value) for c in rubric.criteria}
    if _side(opinion.preference) != _side(likert) or misstated_rating(opinion.reasons, ratings):
        return True
    told = opinion.reasons.casefold()
    given = set(re.findall(r"\d", told)) - {"1", "2"}
    for criterion in rubric.criteria:
        if criterion.name.casefold() not in told and criterion.key.replace("_", " ") not in told:
            continue
        own = {label: opinion.responses[label].ratings[criterion.key].value for label in LABELS}
        final = _values(criterion, tables)
        if _better(criterion, own) != _better(criterion, final):
            return True
        if own != final and given & {str(abs(value)) for value in own.values()}:
            return True
    return False


def with_verdict(likert: int, reasons: str) -> str:
    """Reasons behind the verdict sentence."""
    return f"{VERDICTS[likert]} {reasons}"


def composed(likert: int, tables: Tables, rubric: Rubric) -> str:
    """A justification from the tables alone, always of three or four sentences."""
    overalls = [tables[label][OVERALL].value for label in LABELS]
    order = sorted(dimensions(rubric), key=lambda criterion: -criterion.weight)
    differing = [c for c in order if tables["A"][c.key].value != tables["B"][c.key].value]
    # What speaks for the better side comes first; the Overall closes.
    telling = [c for c in differing if _better(c, _values(c, tables)) == _side(likert)] or differing
    a, b = tables["A"], tables["B"]
    said = [
        f"On {c.name}, Response 1 is rated {a[c.key].value} and Response 2 is rated {b[c.key].value}."
        for c in telling[:2]
    ] or ["The two responses have the same rating in every dimension."]
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


def _values(criterion: Criterion, tables: Tables) -> dict[Label, int]:
    return {label: tables[label][criterion.key].value for label in LABELS}


def _better(criterion: Criterion, values: Mapping[Label, int]) -> Label | None:
    """Which side is better in one criterion."""
    a, b = (badness(criterion, values[label]) for label in LABELS)
    return None if a == b else "A" if a < b else "B"


# -- a person's words --------------------------------------------------------------------------------------------------

NOT_SPECIFIC, NOT_TRUE = "it is not specific", "it is not true"


def settled(final: FinalRating, facts: tuple[Fact, ...], check: WordChecker, *, likert: bool = False) -> FinalRating:
    """A line with its words as far as code can tell: ours, or the person's for now where nothing speaks against it."""
    words = " ".join(final.original_justification.split())
    if not words:
        return final
    if final.action != "kept":
        why = "no rating came with it" if final.action == "filled" else "its rating was not kept"
        return rewritten(final, why)
    if why := not_english(words):
        return rewritten(final, why.replace("; English is needed", ", not in English"))
    if why := check.invented_quote(words):
        return rewritten(final, f"{NOT_TRUE} ({why})")
    # What binds must be named, and a person may have rated by it without naming it.
    if not all(names_fact(words, fact) for fact in facts):
        return rewritten(final, "ours names what was measured")
    if likert and not LEAST <= (count := len(sentences(words))) <= MOST:
        return rewritten(final, f"it has {count} sentence{'' if count == 1 else 's'}; {LEAST} to {MOST} are needed")
    return final.updated(justification=words, justification_action="kept", justification_reason="", quotes=())


def rewritten(final: FinalRating, why: str) -> FinalRating:
    """The line with our words, and why the person's do not stand."""
    return final.updated(justification_action="rewritten", justification_reason=why)


def candidate(key: str, about: str, final: FinalRating) -> Candidate | None:
    """What a judge is asked about: words that stand so far, beside a rating that the judge assessed."""
    if final.justification_action != "kept" or not final.assessed:
        return None
    return Candidate(key, about, final.value, final.justification)


def judged(kept: FinalRating, ours: FinalRating, said: JudgedWords | None) -> FinalRating:
    """A line after the judge spoke of its words; where it said nothing, they stand."""
    if said is None or said.stand:
        return kept
    why = NOT_TRUE if not said.true else NOT_SPECIFIC
    return rewritten(ours, f"{why} ({said.reason})" if said.reason else why)
