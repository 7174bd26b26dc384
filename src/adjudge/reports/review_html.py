"""A review's verdict as one HTML file: the preference, both tables, and both responses with what was quoted in them."""

from __future__ import annotations

from ..models import ReviewVerdict
from ..models.cases import Review
from ..rubric import Rubric
from . import review_wording as wording
from .pages import fill
from .review_report import build
from .wording import judge_note


def review_html(verdict: ReviewVerdict, case: Review, rubric: Rubric, *, home: str = "") -> str:
    """The report of a review; `home` is where the list of cases is that it belongs to, if to any."""
    return fill(
        "review.html.j2",
        verdict,
        home=home,
        report=build(verdict, case, rubric),
        headline=wording.headline(verdict),
        favoured=wording.favoured(verdict),
        summary=wording.summary(verdict),
        judge_note=judge_note(verdict.provenance.judge),
    )
