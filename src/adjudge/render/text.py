"""A verdict for a terminal: who won and by how much, criterion by criterion, with one quote for each answer.

Plain string building; colour is a choice of the caller. The answers themselves are not shown.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..cases import Comparison
from ..rubric import Rubric
from ..verdicts import LABELS, ComparisonVerdict, CriterionVerdict, Label
from . import wording
from .columns import cut, pad, width_of, wrap
from .escaping import one_line

MIN_WIDTH = 40
# Enough for a sentence or two: the whole text is in the other formats.
_JUSTIFICATION_COLUMNS = 300
_QUOTE_COLUMNS = 240
_TASK_COLUMNS = 200

_RESET = "\x1b[0m"
_STYLES = {"strong": "\x1b[1m", "faint": "\x1b[2m", "+": "\x1b[32m", "−": "\x1b[31m", "warning": "\x1b[33m"}


def comparison_text(
    verdict: ComparisonVerdict, case: Comparison, *, colour: bool, width: int, rubric: Rubric | None = None
) -> str:
    """The verdict as lines of at most `width` columns, 40 at the least; the rubric lends the criteria their names."""
    page = _Page(colour, max(width, MIN_WIDTH))
    names = {key: one_line(name) for key, name in wording.criterion_names(verdict, rubric).items()}
    _summary(page, verdict, case)
    _table(page, verdict, names)
    for key, criterion in verdict.criteria.items():
        page.line()
        page.paragraph(names[key], style="strong")
        for label in LABELS:
            _answer(page, label, criterion)
    if verdict.warnings:
        page.line()
        for warning in verdict.warnings:
            page.paragraph(f"Warning ({warning.code}): {warning.message}", hanging=2, style="warning")
    page.line()
    for lookup in verdict.lookups:
        found = lookup.error or f"{len(lookup.findings)} found"
        page.paragraph(f"Looked up with {lookup.provider}: {lookup.query} ({found})", hanging=2, style="faint")
    page.paragraph(f"Judge: {verdict.provenance.judge}; {wording.cost_sentence(verdict.calls)}", style="faint")
    page.paragraph(f"Verdict {verdict.verdict_id}", style="faint")
    return "\n".join(page.lines) + "\n"


class _Page:
    """The lines written so far; everything that reaches it as text is cleaned here, once."""

    def __init__(self, colour: bool, width: int) -> None:
        self.lines: list[str] = []
        self.colour = colour
        self.width = width

    def line(self, text: str = "") -> None:
        self.lines.append(text)

    def paragraph(self, text: str, *, indent: int = 0, hanging: int = 0, style: str = "") -> None:
        for number, line in enumerate(wrap(one_line(text), self.width - indent - hanging)):
            self.line(" " * (indent + (hanging if number else 0)) + self.styled(line, style))

    def styled(self, text: str, style: str) -> str:
        return f"{_STYLES[style]}{text}{_RESET}" if self.colour and style and text else text


def _summary(page: _Page, verdict: ComparisonVerdict, case: Comparison) -> None:
    page.paragraph(wording.headline(verdict.winner), style="strong")
    page.paragraph(verdict.rationale)
    page.line()
    page.paragraph(f"Task: {cut(one_line(case.task), _TASK_COLUMNS)}", hanging=6, style="faint")
    page.line()
    for label in LABELS:
        overall = verdict.overall[label]
        total = f"{wording.number(overall.weighted_total)} weighted, {wording.number(overall.normalized)} normalised"
        page.paragraph(f"{label}  {total}", hanging=3, style="strong" if verdict.winner == label else "")
    page.paragraph(f"Margin {wording.number(verdict.margin)}. {wording.decision(verdict)}")
    page.paragraph(wording.order_sentence(verdict.order), style="warning" if verdict.order.consistent is False else "")
    page.paragraph(wording.judge_note(verdict.provenance.judge), style="warning")
    page.line()


def _table(page: _Page, verdict: ComparisonVerdict, names: Mapping[str, str]) -> None:
    rows: list[tuple[str, ...]] = [("Criterion", "Weight", "A", "B")]
    rows += [
        (
            names[key],
            wording.number(criterion.weight),
            *(wording.number(criterion.scores[label].value) for label in LABELS),
        )
        for key, criterion in verdict.criteria.items()
    ]
    rows.append(("Weighted total", "", *(wording.number(verdict.overall[label].weighted_total) for label in LABELS)))
    numbers = [max(width_of(row[column]) for row in rows) + 2 for column in (1, 2, 3)]
    # A weight may have twelve decimals: the names give way, but not beyond reading.
    longest = max(width_of(row[0]) for row in rows)
    room = min(longest, max(page.width - sum(numbers), 10))
    for at, row in enumerate(rows):
        cells = [pad(cell, size, right=True) for cell, size in zip(row[1:], numbers, strict=True)]
        line = pad(cut(row[0], room), room) + "".join(cells)
        page.line(page.styled(line, "strong" if at in (0, len(rows) - 1) else ""))


def _answer(page: _Page, label: Label, criterion: CriterionVerdict) -> None:
    score = criterion.scores[label]
    justification = cut(one_line(score.justification), _JUSTIFICATION_COLUMNS)
    page.paragraph(f"{label} {wording.number(score.value)}  {justification}", indent=2, hanging=3)
    against = criterion.scores[wording.other(label)].value
    item = wording.telling_quote(criterion.evidence[label], score.value, against)
    if item is not None:
        mark = wording.sign(item)
        quote = cut(one_line(item.quote), _QUOTE_COLUMNS)
        page.paragraph(f"{mark} “{quote}”", indent=5, hanging=2, style=mark)
