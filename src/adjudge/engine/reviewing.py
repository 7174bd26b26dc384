"""`adjudge.review`: a person's side-by-side ratings, from slots in any form we read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..inputs.review import allowed_names, criterion_key, read_reviews, review_from
from ..inputs.text import kind_of
from ..judges.base import Judge
from ..models import Failure, ReviewVerdict
from ..models.cases import Original, Review
from ..rubric import Rubric
from .core import open_engine
from .settings import ReviewSettings, rubric_for
from .sync import run_sync


async def review(
    slots: str | Mapping[str, Any] | Review,
    *,
    judge: str | Judge = "embedded",
    rubric: str | Path | Rubric | None = None,
    languages: Sequence[str] = (),
    seed: int = 0,
    sample: int = 0,
    temperature: float = 0.0,
    max_tokens: int = 8192,
    journal: str | Path | None = None,
) -> ReviewVerdict | Failure:
    """Audit one person's ratings of two responses: rate blind, correct, fill in, explain, give feedback.

    `slots` is text with the nine tagged slots, an object with their names in lower case, or a `Review`.
    `languages` are the ISO codes in scope; a task in none of them is invalid. None given means that all are.
    """
    chosen = rubric_for("review", rubric)
    case = one_review(slots, chosen)
    settings = ReviewSettings(
        judge=judge if isinstance(judge, str) else judge.name,
        rubric=chosen,
        languages=tuple(languages.split(",") if isinstance(languages, str) else languages),
        seed=seed,
        sample=sample,
        temperature=temperature,
        max_tokens=max_tokens,
    )
    async with open_engine(journal) as engine:
        # What its owner calls a review is no part of what is judged, or its verdict's id would depend on it.
        return await engine.review(case.updated(review_id=None), settings, None if isinstance(judge, str) else judge)


def review_sync(*args: Any, **kwargs: Any) -> ReviewVerdict | Failure:
    """`review` for code that is not async; it takes and gives the same."""
    return run_sync(lambda: review(*args, **kwargs))


def one_review(slots: str | Mapping[str, Any] | Review, rubric: Rubric) -> Review:
    """The one review in some slots, its ratings under the rubric's keys."""
    if isinstance(slots, Review):
        return slots.updated(
            ratings_a=_under_keys("ratings_a", slots.ratings_a, rubric),
            ratings_b=_under_keys("ratings_b", slots.ratings_b, rubric),
        )
    if isinstance(slots, Mapping):
        return review_from(slots, rubric)
    if not isinstance(slots, str):
        raise InputError("slots", f"expected one review, found {kind_of(slots)}", "text, an object or a Review")
    found = read_reviews(slots.encode("utf-8", "surrogatepass"), "slots", rubric)
    if len(found) != 1:
        raise InputError("slots", f"{len(found)} reviews", "one review is allowed here")
    return found[0]


def _under_keys(place: str, ratings: Mapping[str, Original], rubric: Rubric) -> dict[str, Original]:
    """Ratings under the names of dimensions as in any slot, or under their keys → under their keys."""
    found: dict[str, Original] = {}
    for name, given in ratings.items():
        key = criterion_key(name, rubric) if isinstance(name, str) else None
        if key is None:
            raise InputError(f"{place}.{name!s:.60}", "unknown dimension", allowed_names(rubric))
        if key in found:
            raise InputError(f"{place}.{name}", "stands twice", "each dimension once")
        found[key] = given
    return found
