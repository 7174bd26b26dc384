"""A review's verdict for a terminal: the preference, both tables, the changelog and the feedback.

Plain string building; colour is a choice of the caller. Task and responses are not shown.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..models import FinalRating, ReviewVerdict
from ..models.cases import Review
from ..rubric import Rubric
from . import review_wording as wording
from .columns import cut, pad, width_of
from .escaping import one_line
from .review_report import Report, Response, Row, build
from .terminal import REASON_COLUMNS, Page
from .text import closing, warnings
from .wording import judge_note

_GAP = 2
_NAME_COLUMNS = 10


def review_text(verdict: ReviewVerdict, case: Review, *, colour: bool, width: int, rubric: Rubric) -> str:
    """The verdict as lines of at most `width` columns, 40 at the least."""
    report = build(verdict, case, rubric)
    page = Page(colour, width)
    if report.likert is None:
        page.paragraph(wording.headline(verdict), style="strong")
        page.paragraph(verdict.invalid or "")
        page.paragraph(judge_note(verdict.provenance.judge), style="warning")
    else:
        _preference(page, verdict, report.likert)
        _tables(page, report)
    _listed(page, "Changelog", verdict.changelog)
    _listed(page, "Feedback", verdict.feedback)
    _facts(page, report)
    warnings(page, verdict.warnings)
    page.line()
    closing(page, verdict)
    return page.text


def _preference(page: Page, verdict: ReviewVerdict, likert: Row) -> None:
    page.paragraph(f"{wording.headline(verdict)} (Likert {likert.final} {likert.grade})", style="strong")
    page.paragraph(likert.rating.justification)
    page.line()
    if likert.entered:
        page.paragraph(f"Likert {_cell(likert)}")
    page.paragraph(wording.tally(verdict))
    page.paragraph(judge_note(verdict.provenance.judge), style="warning")


def _tables(page: Page, report: Report) -> None:
    page.line()
    if _fits(_lines(report.responses), page.width):
        _table(page, report.responses)
        return
    for at, response in enumerate(report.responses):
        if at:
            page.line()
        _table(page, (response,))


def _lines(responses: Sequence[Response]) -> list[tuple[str, ...]]:
    """The heading, then a line for each dimension with a cell for each response."""
    rows = zip(*(response.rows for response in responses), strict=True)
    names = tuple(response.name for response in responses)
    return [("Dimension", *names), *((one_line(row[0].name), *map(_cell, row)) for row in rows)]


def _fits(lines: Sequence[Sequence[str]], width: int) -> bool:
    columns = list(zip(*lines, strict=True))
    return sum(max(map(width_of, column)) for column in columns) + _GAP * (len(columns) - 1) <= width


def _table(page: Page, responses: Sequence[Response]) -> None:
    lines = _lines(responses)
    sizes = [max(map(width_of, column)) for column in zip(*lines, strict=True)]
    # A user's own rubric may have long names: they give way, but not beyond reading.
    sizes[0] = min(sizes[0], max(page.width - sum(sizes[1:]) - _GAP * len(responses), _NAME_COLUMNS))
    changed = [any(row.rating.changed for row in rows) for rows in zip(*(each.rows for each in responses), strict=True)]
    styles = ["strong", *("warning" if moved else "" for moved in changed)]
    for (name, *cells), style in zip(lines, styles, strict=True):
        padded = [pad(cell, size) for cell, size in zip((cut(name, sizes[0]), *cells), sizes, strict=True)]
        page.line(page.styled(cut((" " * _GAP).join(padded).rstrip(), page.width), style))


def _cell(row: Row) -> str:
    """A rating in short: `3 → 2 replaced, truncation`."""
    return f"{row.entered} → {row.final} {_fate(row.rating)}" if row.entered else f"{row.final} {_fate(row.rating)}"


def _fate(rating: FinalRating) -> str:
    bound = one_line(rating.rule).replace("_", " ") if wording.is_fact(rating.rule) else ""
    notes = [bound, "" if rating.assessed else "not assessed"]
    return ", ".join([rating.action, *filter(None, notes)])


def _listed(page: Page, heading: str, lines: Sequence[str]) -> None:
    if not lines:
        return
    page.line()
    page.paragraph(heading, style="strong")
    for line in lines:
        page.paragraph(f"- {cut(one_line(line), REASON_COLUMNS)}", indent=2, hanging=2)


def _facts(page: Page, report: Report) -> None:
    lines = [f"{found.name} in {found.place} ({found.certainty}): {found.fact.found}" for found in report.facts]
    _listed(page, "Facts", lines)
