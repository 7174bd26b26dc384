"""A dialogue's verdict for a terminal: the overall experience, six rows from Evaluator to Referee, and the audit.

Plain string building; colour is a choice of the caller. The transcript itself is not shown.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..models import DialogueVerdict, Utterance
from ..models.cases import Dialogue
from ..protocols.audit import evidence_used
from ..rubric import Rubric
from . import dialogue_wording as wording
from .columns import cut
from .escaping import one_line
from .terminal import QUOTE_COLUMNS, REASON_COLUMNS, Page
from .text import closing, warnings
from .wording import criterion_names, hundredths, number


def dialogue_text(verdict: DialogueVerdict, case: Dialogue, *, colour: bool, width: int, rubric: Rubric) -> str:
    """The verdict as lines of at most `width` columns, 40 at the least."""
    page = Page(colour, width)
    names = criterion_names(verdict.rulings, rubric)
    average = hundredths(verdict.final_average)
    page.paragraph(f"{wording.headline(verdict, rubric)} (weighted average {average})", style="strong")
    page.paragraph(wording.objections(verdict))
    page.paragraph(f"Dialogue {verdict.dialogue_id}: {len(case.turns):,} utterances", style="faint")
    page.paragraph(wording.judge_note(verdict), style="warning")
    page.line()
    _table(page, verdict, names)
    for key in verdict.rulings:
        page.line()
        page.paragraph(names[key], style="strong")
        _criterion(page, verdict, key)
    _audit(page, verdict)
    warnings(page, verdict.warnings)
    page.line()
    closing(page, verdict)
    return page.text


def _table(page: Page, verdict: DialogueVerdict, names: dict[str, str]) -> None:
    rows = [("Criterion", "Evaluator", "Critic", "Referee")]
    notes = ["Rule"]
    for key in verdict.rulings:
        ruling = verdict.rulings[key]
        given = number(verdict.marks[key].value)
        rows.append((names[key], given, wording.view(verdict.objections[key]), number(ruling.value)))
        notes.append(wording.rule(ruling.rule))
    rows.append(("Average", hundredths(verdict.evaluator_average), "", hundredths(verdict.final_average)))
    page.table(rows, notes=(*notes, ""))


def _criterion(page: Page, verdict: DialogueVerdict, key: str) -> None:
    mark, objection, ruling = verdict.marks[key], verdict.objections[key], verdict.rulings[key]
    _opinion(page, f"Evaluator {number(mark.value)}", mark.reason, mark.quotes)
    _opinion(page, f"Critic {wording.view(objection)}", objection.comment, objection.quotes)
    page.paragraph(f"Referee {number(ruling.value)}  {wording.rule(ruling.rule)}.", indent=2, hanging=3)


def _opinion(page: Page, who: str, reason: str, quotes: Iterable[Utterance]) -> None:
    page.paragraph(f"{who}  {cut(one_line(reason), REASON_COLUMNS)}", indent=2, hanging=3)
    for quote in quotes:
        _quote(page, quote)


def _quote(page: Page, quote: Utterance) -> None:
    words = cut(one_line(quote.quote), QUOTE_COLUMNS)
    page.paragraph(f"“{words}” ({wording.place(quote)})", indent=5, hanging=2, style="faint")


def _audit(page: Page, verdict: DialogueVerdict) -> None:
    page.line()
    page.paragraph("Audit", style="strong")
    for sentence in wording.decisions(verdict):
        page.paragraph(sentence, indent=2, hanging=3)
    page.paragraph(verdict.output.audit.weighted_calc, indent=2, hanging=3)
    page.paragraph(verdict.output.audit.mapping_rule, indent=2, hanging=3)
    used = evidence_used(verdict.rulings.values())
    if used:
        page.paragraph("Evidence used:", indent=2)
    for quote in used:
        _quote(page, quote)
