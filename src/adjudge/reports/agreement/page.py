"""An agreement report as one self-contained HTML page: no script, no network, pictures drawn in SVG."""

from __future__ import annotations

from typing import Any

from ...agreement.report.build import AgreementReport
from ...rubric import Rubric
from ...version import __version__
from ..pages import environment
from .view import build


def page_of(report: AgreementReport, rubric: Rubric) -> str:
    """The page."""
    pages = environment("html", "adjudge.reports.run")
    return pages.get_template("agreement/html.j2").render(frame="page.html.j2", **page_values(report, rubric))


def page_values(report: AgreementReport, rubric: Rubric) -> dict[str, Any]:
    """What its template needs beside a frame."""
    view = build(report, rubric)
    return {"view": view, "headline": f"{view.headline}: {report.run}", "home": "", "software": __version__}
