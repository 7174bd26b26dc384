"""Verdict → outside shapes: JSON for programs, text for a terminal, Markdown and HTML for people.

A renderer shows what a verdict says and decides nothing. Each is imported when it is first used.
"""

from __future__ import annotations

from typing import Any, Literal

from ..models import ComparisonVerdict, DialogueVerdict, ErrorReport, Failure, FailureDetails, ReviewVerdict, spent
from ..models.base import to_json
from ..rubric import Rubric, shipped
from .escaping import one_line

Format = Literal["json", "text", "markdown", "html", "tags"]
FORMATS: tuple[Format, ...] = ("json", "text", "markdown", "html")
REVIEW_FORMATS: tuple[Format, ...] = (*FORMATS, "tags")

PLAIN_WIDTH = 100


def render(
    verdict: ComparisonVerdict | DialogueVerdict | ReviewVerdict,
    format: Format = "text",  # noqa: A002 -- the word users say
    *,
    rubric: Rubric | None = None,
    colour: bool = False,
    width: int = PLAIN_WIDTH,
    home: str = "",
) -> str:
    """A verdict as the command line shows it: `json`, `text`, `markdown`, `html`, and for a review also `tags`.

    JSON is the documented object, on several lines; of a dialogue the contract's. `rubric` is the one it was judged by
    unless another is given. `home` is where an HTML page's list of cases is, if it belongs to one.
    """
    if isinstance(verdict, ComparisonVerdict):
        return _comparison(verdict, format, rubric or verdict.rubric or shipped("compare"), colour, width, home)
    if isinstance(verdict, DialogueVerdict):
        return _dialogue(verdict, format, rubric or verdict.rubric or shipped("dialogue"), colour, width, home)
    return _review(verdict, format, rubric or verdict.rubric or shipped("review"), colour, width, home)


def _comparison(verdict: ComparisonVerdict, form: str, rubric: Rubric, colour: bool, width: int, home: str) -> str:
    if form == "json":
        return to_json(verdict, indent=True).decode()
    if form == "text":
        from .text import comparison_text

        return comparison_text(verdict, verdict.case, colour=colour, width=width, rubric=rubric)
    if form == "markdown":
        from .markdown import comparison_markdown

        return comparison_markdown(verdict, verdict.case, rubric)
    if form == "html":
        from .html import comparison_html

        return comparison_html(verdict, verdict.case, rubric, home=home)
    raise _unknown(form)


def _dialogue(verdict: DialogueVerdict, form: str, rubric: Rubric, colour: bool, width: int, home: str) -> str:
    if form == "json":
        return to_json(verdict.output, indent=True).decode()
    if form == "text":
        from .dialogue_text import dialogue_text

        return dialogue_text(verdict, verdict.case, colour=colour, width=width, rubric=rubric)
    if form == "markdown":
        from .dialogue_markdown import dialogue_markdown

        return dialogue_markdown(verdict, verdict.case, rubric)
    if form == "html":
        from .dialogue_html import dialogue_html

        return dialogue_html(verdict, verdict.case, rubric, home=home)
    raise _unknown(form)


def _review(verdict: ReviewVerdict, form: str, rubric: Rubric, colour: bool, width: int, home: str) -> str:
    if form == "json":
        return to_json(verdict, indent=True).decode()
    if form == "tags":
        from .review_tags import review_tags

        return review_tags(verdict, rubric)
    if form == "text":
        from .review_text import review_text

        return review_text(verdict, verdict.case, colour=colour, width=width, rubric=rubric)
    if form == "markdown":
        from .review_markdown import review_markdown

        return review_markdown(verdict, verdict.case, rubric)
    if form == "html":
        from .review_html import review_html

        return review_html(verdict, verdict.case, rubric, home=home)
    raise _unknown(form, REVIEW_FORMATS)


def _unknown(name: str, formats: tuple[str, ...] = FORMATS) -> ValueError:
    return ValueError(f"format: {name!r}; one of {', '.join(formats)}")


def error_report(failure: Failure) -> ErrorReport:
    """A judgment that did not come about: the one line every client shows, and what is known beside it."""
    paid: dict[str, Any] = spent(failure.calls)
    return ErrorReport(
        error=one_line(f"no verdict from {failure.judge} ({failure.reason}): {failure.message}"),
        failure=FailureDetails(reason=failure.reason, message=failure.message, judge=failure.judge, **paid),
    )
