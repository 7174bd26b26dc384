"""May a person's justification stand? Code checks what it can: English, real quotations, the facts named.

Whether it is specific and true is judgment and asked of the judge. Where the judge did not assess the rating itself,
the words stand with it.
"""

from __future__ import annotations

from ...judges.base import Candidate
from ...models import Fact, FinalRating, JudgedWords
from ...models.cases import Review
from ...text.reasons import WordChecker, not_english
from ...text.sentences import sentences
from .binding import names_fact
from .preference import LEAST, MOST

NOT_SPECIFIC, NOT_TRUE = "it is not specific", "it is not true"


def checker_of(case: Review) -> WordChecker:
    """Checks words against the texts of a review."""
    return WordChecker((case.a, case.b, case.prompt, case.system_prompt, case.history, case.task_config))


def settled(final: FinalRating, facts: tuple[Fact, ...], check: WordChecker, *, likert: bool = False) -> FinalRating:
    """A line with its words as far as code can tell: ours, or the person's for now where nothing speaks against it."""
    words = " ".join(final.original_justification.split())
    if not words:
        return final
    if final.action != "kept":
        why = "no rating came with it" if final.action == "filled" else "its rating was not kept"
        return rewritten(final, why)
    if not_english(words):
        return rewritten(final, not_english(words).replace("; English is needed", ", not in English"))
    if check.invented_quote(words):
        return rewritten(final, f"{NOT_TRUE} ({check.invented_quote(words)})")
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
