"""`adjudge.review`: a person's side-by-side ratings, from slots in any form we read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..cases import Review
from ..errors import InputError
from ..judges.base import Judge
from ..readers.slots import read_reviews, review_from
from ..rubric import Rubric, load, shipped
from ..verdicts import Failure, ReviewVerdict
from .core import open_engine
from .settings import ReviewSettings
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
    chosen = rubric if isinstance(rubric, Rubric) else load(rubric, "review") if rubric else shipped("review")
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
        return await engine.review(case, settings, None if isinstance(judge, str) else judge)


def review_sync(*args: Any, **kwargs: Any) -> ReviewVerdict | Failure:
    """`review` for code that is not async; it takes and gives the same."""
    return run_sync(lambda: review(*args, **kwargs))


def one_review(slots: str | Mapping[str, Any] | Review, rubric: Rubric) -> Review:
    """The one review in some slots."""
    if isinstance(slots, Review):
        return slots
    if not isinstance(slots, str):
        return review_from(slots, rubric)
    found = read_reviews(slots.encode("utf-8", "surrogatepass"), "slots", rubric)
    if len(found) != 1:
        raise InputError("slots", f"{len(found)} reviews", "one review is allowed here")
    return found[0]
