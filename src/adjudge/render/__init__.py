"""Verdict → outside shapes: JSON for programs, text for a terminal, Markdown and HTML for people.

A renderer shows what a verdict says and decides nothing. Each is imported when it is first used.
"""

from __future__ import annotations

from typing import Literal

from ..cases import Comparison, Dialogue, Review
from ..rubric import Rubric
from ..verdicts import ComparisonVerdict, DialogueVerdict, ReviewVerdict

Format = Literal["json", "text", "markdown", "html"]
FORMATS: tuple[Format, ...] = ("json", "text", "markdown", "html")
ReviewFormat = Literal["text", "markdown", "html"]
REVIEW_FORMATS: tuple[ReviewFormat, ...] = ("text", "markdown", "html")

PLAIN_WIDTH = 100


def render_comparison(
    verdict: ComparisonVerdict,
    case: Comparison,
    rubric: Rubric,
    format: Format,  # noqa: A002 -- the word users say
) -> str:
    """A comparison's verdict in one of the formats; text comes without colour."""
    if format == "json":
        from .json import comparison_json

        return comparison_json(verdict, case).decode()
    if format == "text":
        from .text import comparison_text

        return comparison_text(verdict, case, colour=False, width=PLAIN_WIDTH, rubric=rubric)
    if format == "markdown":
        from .markdown import comparison_markdown

        return comparison_markdown(verdict, case, rubric)
    if format == "html":
        from .html import comparison_html

        return comparison_html(verdict, case, rubric)
    raise _unknown(format)


def render_dialogue(
    verdict: DialogueVerdict,
    case: Dialogue,
    rubric: Rubric,
    format: Format,  # noqa: A002 -- the word users say
) -> str:
    """A dialogue's verdict in one of the formats; JSON is the contract's object, text comes without colour."""
    if format == "json":
        from .dialogue_json import dialogue_json

        return dialogue_json(verdict, case).decode()
    if format == "text":
        from .dialogue_text import dialogue_text

        return dialogue_text(verdict, case, colour=False, width=PLAIN_WIDTH, rubric=rubric)
    if format == "markdown":
        from .dialogue_markdown import dialogue_markdown

        return dialogue_markdown(verdict, case, rubric)
    if format == "html":
        from .dialogue_html import dialogue_html

        return dialogue_html(verdict, case, rubric)
    raise _unknown(format)


def render_review(
    verdict: ReviewVerdict,
    case: Review,
    rubric: Rubric,
    format: ReviewFormat,  # noqa: A002 -- the word users say
) -> str:
    """A review's verdict in one of the formats; text comes without colour."""
    if format == "text":
        from .review_text import review_text

        return review_text(verdict, case, colour=False, width=PLAIN_WIDTH, rubric=rubric)
    if format == "markdown":
        from .review_markdown import review_markdown

        return review_markdown(verdict, case, rubric)
    if format == "html":
        from .review_html import review_html

        return review_html(verdict, case, rubric)
    raise _unknown(format, REVIEW_FORMATS)


def _unknown(name: str, formats: tuple[str, ...] = FORMATS) -> ValueError:
    return ValueError(f"format: {name!r}; one of {', '.join(formats)}")
