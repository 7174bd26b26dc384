"""Renders verdicts as JSON for programs, text for a terminal, and Markdown and HTML for people.

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
    """Render a verdict in one of the command line's formats; only a review has `tags`.

    JSON is the documented object, indented; for a dialogue it is the contract's output. `rubric` defaults to the one
    the case was judged by. `home` is the link from an HTML page to its list of cases, if there is one.
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
    """Return the protocol of a verdict."""
    return {ComparisonVerdict: "compare", DialogueVerdict: "dialogue", ReviewVerdict: "review"}[type(verdict)]


def view_of(verdict: ComparisonVerdict | DialogueVerdict | ReviewVerdict, rubric: Rubric | None = None) -> Any:
    """Build the plain data that reports show of a verdict, with the `view` module of its protocol."""
    build = import_module(f".{protocol_of(verdict)}.view", __package__).build
    return build(verdict, rubric or verdict.rubric or shipped(protocol_of(verdict)))


def error_report(failure: Failure) -> ErrorReport:
    """Build the error report for a failure: the one line that every client shows, and the details."""
    paid: dict[str, Any] = spent(failure.calls)
    return ErrorReport(
        error=one_line(f"no verdict from {failure.judge} ({failure.reason}): {failure.message}"),
        failure=FailureDetails(reason=failure.reason, message=failure.message, judge=failure.judge, **paid),
    )
