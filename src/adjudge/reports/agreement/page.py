"""An agreement report as one self-contained HTML page: no script, no network, pictures drawn in SVG."""

from __future__ import annotations

from ...agreement.report.build import AgreementReport
from ...rubric import Rubric
from ...version import __version__
from ..pages import environment
from .view import build


def page_of(report: AgreementReport, rubric: Rubric) -> str:
    """The page."""
    view = build(report, rubric)
    pages = environment("html", "adjudge.reports.run")
    return pages.get_template("agreement/html.j2").render(
        view=view,
        headline=f"{view.headline}: {report.run}",
        home="",
        software=__version__,
    )
