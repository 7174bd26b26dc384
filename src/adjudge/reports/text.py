"""A verdict for a terminal: who won and by how much, criterion by criterion, with one quote for each answer.

Plain string building; colour is a choice of the caller. The answers themselves are not shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..models import LABELS, ComparisonVerdict, CriterionVerdict, DialogueVerdict, Label, ReviewVerdict, Warning
from ..models.cases import Comparison
from ..rubric import Rubric
from . import wording
from .columns import cut
from .escaping import one_line
from .terminal import QUOTE_COLUMNS, REASON_COLUMNS, Page

_TASK_COLUMNS = 200


def comparison_text(
    verdict: ComparisonVerdict, case: Comparison, *, colour: bool, width: int, rubric: Rubric | None = None
) -> str:
    """The verdict as lines of at most `width` columns, 40 at the least; the rubric lends the criteria their names."""
    page = Page(colour, width)
    names = wording.criterion_names(verdict.criteria, rubric)
    _summary(page, verdict, case)
    _table(page, verdict, names)
    for key, criterion in verdict.criteria.items():
        page.line()
        page.paragraph(names[key], style="strong")
        for label in LABELS:
            _answer(page, label, criterion)
    warnings(page, verdict.warnings)
    page.line()
    for lookup in verdict.lookups:
        found = lookup.error or f"{len(lookup.findings)} found"
        page.paragraph(f"Looked up with {lookup.provider}: {lookup.query} ({found})", hanging=2, style="faint")
    closing(page, verdict)
    return page.text


def warnings(page: Page, found: Sequence[Warning]) -> None:
    """What a reader should know before trusting the verdict; nothing where there is nothing."""
    if found:
        page.line()
    for warning in found:
        page.paragraph(f"Warning ({warning.code}): {warning.message}", hanging=2, style="warning")


def closing(page: Page, verdict: ComparisonVerdict | DialogueVerdict | ReviewVerdict) -> None:
    """Who judged, what it cost, and the verdict's id."""
    page.paragraph(f"Judge: {verdict.provenance.judge}; {wording.cost_sentence(verdict.calls)}", style="faint")
    page.paragraph(f"Verdict {verdict.verdict_id}", style="faint")


def _summary(page: Page, verdict: ComparisonVerdict, case: Comparison) -> None:
    page.paragraph(wording.headline(verdict), style="strong")
    page.paragraph(wording.confidence_sentence(verdict), style="" if verdict.decided else "warning")
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


def _table(page: Page, verdict: ComparisonVerdict, names: Mapping[str, str]) -> None:
    rows: list[tuple[str, ...]] = [("Criterion", "Weight", "A", "B")]
    rows += [
        (
            names[key],
            wording.number(criterion.weight),
            *(wording.score(criterion.scores[label]) for label in LABELS),
        )
        for key, criterion in verdict.criteria.items()
    ]
    rows.append(("Weighted total", "", *(wording.number(verdict.overall[label].weighted_total) for label in LABELS)))
    page.table(rows)


def _answer(page: Page, label: Label, criterion: CriterionVerdict) -> None:
    score = criterion.scores[label]
    justification = cut(one_line(score.justification), REASON_COLUMNS)
    page.paragraph(f"{label} {wording.score(score)}  {justification}", indent=2, hanging=3)
    against = criterion.scores[wording.other(label)].value
    item = wording.telling_quote(criterion.evidence[label], score.value, against)
    if item is not None:
        mark = wording.sign(item)
        quote = cut(one_line(item.quote), QUOTE_COLUMNS)
        page.paragraph(f"{mark} “{quote}”", indent=5, hanging=2, style=mark)
