"""Verdict → outside shapes: JSON for programs, text for a terminal, Markdown and HTML for people.

A report shows what a verdict says and decides nothing. Templates and rich are imported when they are first used.
"""

from __future__ import annotations

from importlib import import_module
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
    allowed = REVIEW_FORMATS if isinstance(verdict, ReviewVerdict) else FORMATS
    if format not in allowed:
        raise ValueError(f"format: {format!r}; one of {', '.join(allowed)}")
    if format == "json":
        return to_json(verdict.output if isinstance(verdict, DialogueVerdict) else verdict, indent=True).decode()
    if format == "tags" and isinstance(verdict, ReviewVerdict):
        from .review.tags import review_tags

        return review_tags(verdict, rubric or verdict.rubric or shipped("review"))
    from .pages import environment

    protocol, view = protocol_of(verdict), view_of(verdict, rubric)
    values = {"view": view, "headline": view.headline, "home": home, "frame": "page.html.j2"}
    values["decision"] = None  # only the service lets people decide
    if format == "text":
        from .terminal import Terminal

        values["terminal"] = Terminal(colour=colour, width=width)
    return environment(format, own_words=False).get_template(f"{protocol}/{format}.j2").render(values) + "\n"


def protocol_of(verdict: ComparisonVerdict | DialogueVerdict | ReviewVerdict) -> str:
    """The protocol that gave it."""
    return {ComparisonVerdict: "compare", DialogueVerdict: "dialogue", ReviewVerdict: "review"}[type(verdict)]


def view_of(verdict: ComparisonVerdict | DialogueVerdict | ReviewVerdict, rubric: Rubric | None = None) -> Any:
    """What reports show of a verdict, as plain data, which the package of its protocol builds."""
    build = import_module(f".{protocol_of(verdict)}.view", __package__).build
    return build(verdict, rubric or verdict.rubric or shipped(protocol_of(verdict)))


def error_report(failure: Failure) -> ErrorReport:
    """A judgment that did not come about: the one line every client shows, and what is known beside it."""
    paid: dict[str, Any] = spent(failure.calls)
    return ErrorReport(
        error=one_line(f"no verdict from {failure.judge} ({failure.reason}): {failure.message}"),
        failure=FailureDetails(reason=failure.reason, message=failure.message, judge=failure.judge, **paid),
    )
