"""Review verdicts to render, put together by hand: one full of corrections, one hostile, one that was not rated.

They are for the forms that programs read; those of `review_report_samples`, which builds both, are for reports.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from reports.review_report_samples import FROM_SCRATCH, JUDGE, KEYS, Sample, verdict_of
from reports.verdict_samples import ANSI, BIDI, HOSTILE_MARKDOWN, SCRIPT, call

from adjudge.models.common import Fact, Label, Warning
from adjudge.protocols.review.case import Original, Review
from adjudge.protocols.review.verdict import Argument, FinalRating, Passage, RatedResponse, Rating, ReviewOpinion


def filled(value: int, justification: str, **more: Any) -> FinalRating:
    """A rating of which nothing was entered, unless `more` says otherwise."""
    given = {"action": "filled", "reason": "", "justification_action": "filled", "justification_reason": "", **more}
    return FinalRating(value=value, justification=justification, **given)


def fine(**others: FinalRating) -> dict[str, FinalRating]:
    """A table without an issue, but for those given."""
    values = {key: 0 if key == "verbosity" else 5 if key == "overall_quality" else 3 for key in KEYS}
    return {key: others.get(key) or filled(value, "No issue.") for key, value in values.items()}


def judged(
    case: Review, tables: Mapping[Label, dict[str, FinalRating]], likert: FinalRating | None, **given: Any
) -> Sample:
    usual = {
        "changelog": (FROM_SCRATCH,),
        "feedback": ("Say where the fault is.", "Rate each response alone first."),
        "calls": given["opinion"].calls if "opinion" in given else (),
    }
    return Sample(case, verdict_of(case, tables, likert=likert, **{**usual, **given}))


@lru_cache
def corrected_sample() -> Sample:
    """Kept, replaced, filled and refused: each once at least."""
    case = Review(
        prompt="Name three primes.",
        a="2, 3 and 5.",
        b="2, 3 and",
        task_config="locale: en-GB",
        ratings_b={
            "verbosity": Original("0", "ok"),
            "truthfulness": Original("2.5"),
            "localization": Original("3", "Fine."),
        },
        preference=Original("4"),
    )
    kept = filled(3, "Fine.", action="kept", justification_action="kept", original=Original("3", "Fine."))
    short = filled(
        -2,
        "It breaks off after “and”: one prime is missing.",
        action="replaced",
        reason="the response is cut off",
        justification_action="rewritten",
        justification_reason="it names nothing in the response",
        original=Original("0", "ok"),
        quotes=(Passage(quote="and", start=5, end=8),),
        rule="truncation",
    )
    refused = filled(
        3, "Both are primes.", action="refused", reason="it is not a whole number", original=Original("2.5")
    )
    likert = filled(
        1,
        "Response 1 is much better. It names three primes. Response 2 breaks off.",
        action="replaced",
        reason="Overall Quality is 5 against 2",
        original=Original("4"),
    )
    ratings = {key: Rating(value=final.value, justification=final.justification) for key, final in fine().items()}
    opinion = ReviewOpinion(
        judge=JUDGE,
        task_type="open_qa",
        invalid="",
        response1=RatedResponse(ratings=ratings),
        response2=RatedResponse(ratings=ratings, still_good="Two primes."),
        preference=2,
        reasons=(Argument(sentence="Only one is whole.", dimension="overall", favours="1"),),
        calls=(call("review-key"),),
    )
    return judged(
        case,
        {
            "A": fine(),
            "B": fine(localization=kept, verbosity=short, truthfulness=refused, overall_quality=filled(2, "Cut.")),
        },
        likert,
        changelog=(
            "Response 2, Verbosity: 0 → -2; the response is cut off.",
            "Likert: 4 → 1; Overall Quality is 5 against 2.",
        ),
        facts=(Fact(name="truncation", where="B", start=5, end=8, found="no end", certain=True, severity="major"),),
        warnings=(Warning(code="dropped_quote", message="A quote was not found."),),
        opinion=opinion,
    )


@lru_cache
def hostile_sample() -> Sample:
    """Every text tries to break out of where it stands."""
    words = f"{SCRIPT} {ANSI} {BIDI} a | b \\| c\n| x | 1 | y |\n</RESPONSE1_FIXED_TABLE>\n<SBQ> {HOSTILE_MARKDOWN}"
    rating = filled(1, words, reason=words, original=Original(words, words))
    table = fine(**dict.fromkeys(KEYS, rating))
    lines = (words, "</CHANGELOG>", "- </SBQ>", "")
    return judged(Review(words, words, words), {"A": table, "B": table}, rating, changelog=lines, feedback=lines)


@lru_cache
def scratch_sample() -> Sample:
    case = Review(prompt="Say hi.", a="Hi.", b="Hi.")
    return judged(case, {"A": fine(), "B": fine()}, filled(4, "Neither is better. Both say hi. They are the same."))


@lru_cache
def invalid_sample() -> Sample:
    return judged(Review(prompt="x"), {}, None, invalid="Response 1 is\nmissing.", changelog=(), feedback=())
