"""Renders verdicts as JSON for programs, text for a terminal, and Markdown and HTML for people.

A report shows what a verdict says and decides nothing. Templates and rich are imported when they are first used.
"""

from __future__ import annotations

from typing import Any

from ..models.base import to_json
from ..models.common import ErrorReport, Failure, FailureDetails, spent
from ..models.verdict import Verdict
from ..protocols.base import protocol_of
from ..protocols.rubrics import shipped
from ..rendering.escaping import one_line
from ..rubric import Rubric

FORMATS = ("json", "text", "markdown", "html")
PLAIN_WIDTH = 100


def render(
    verdict: Verdict,
    format: str = "text",  # noqa: A002 -- the word users say
    *,
    rubric: Rubric | None = None,
    colour: bool = False,
    width: int = PLAIN_WIDTH,
    home: str = "",
) -> str:
    """Render a verdict in one of the command line's formats. A protocol may have further ones, such as `tags`.

    JSON is the documented object, indented. `rubric` defaults to the one the case was judged by. `home` is the link
    from an HTML page to its list of cases, if there is one.
    """
    protocol, judged_by = protocol_of(verdict.protocol), rubric or verdict.rubric
    allowed = (*FORMATS, *protocol.formats)
    if format not in allowed:
        raise ValueError(f"format: {format!r}; one of {', '.join(allowed)}")
    if format == "json":
        return to_json(verdict.document, indent=True).decode()
    if format in protocol.formats:
        return protocol.formats[format](verdict, judged_by or shipped(protocol.name))
    from ..rendering.pages import environment

    view = view_of(verdict, rubric)
    values = {"view": view, "headline": view.headline, "home": home, "frame": "page.html.j2"}
    values["decision"] = None  # only the service lets people decide
    if format == "text":
        from ..rendering.terminal import Terminal

        values["terminal"] = Terminal(colour=colour, width=width)
    templates = environment(format, protocol.package, own_words=False)
    return templates.get_template(f"{format}.j2").render(values) + "\n"


def view_of(verdict: Verdict, rubric: Rubric | None = None) -> Any:
    """Build the plain data that reports show of a verdict."""
    protocol = protocol_of(verdict.protocol)
    return protocol.view(verdict, rubric or verdict.rubric or shipped(protocol.name))


def error_report(failure: Failure) -> ErrorReport:
    """Build the error report for a failure: the one line that every client shows, and the details."""
    paid: dict[str, Any] = spent(failure.calls)
    return ErrorReport(
        error=one_line(f"no verdict from {failure.judge} ({failure.reason}): {failure.message}"),
        failure=FailureDetails(reason=failure.reason, message=failure.message, judge=failure.judge, **paid),
    )
