"""The sections of an agreement report in reading order; here where judge and people differ, and how to read it."""

from __future__ import annotations

from dataclasses import replace

from ...agreement.report.build import AgreementReport
from ...agreement.report.disagreements import DisputedCase
from ...rubric import Rubric
from ..run.document import Grid
from ..run.wording import many, number, rounded_percent
from ..wording import criterion_names
from .measured import agreement_section, bias_section, consistency_section
from .other_runs import against_section, over_time_section
from .parts import AgreementSection, DisputedCard
from .remedies import calibration_section, corrected_section, weights_section
from .wording import (
    side,
    told_once,
)

_LONG = 240


def sections_of(report: AgreementReport, rubric: Rubric) -> tuple[AgreementSection, ...]:
    """Those that have something to say."""
    sections = [consistency_section(report), agreement_section(report), bias_section(report), _disputed(report, rubric)]
    sections += [corrected_section(report), weights_section(report, rubric), calibration_section(report)]
    sections += [against_section(report), over_time_section(report), _how_to_read(report)]
    found = [replace(it, grids=tuple(filter(_has_figures, it.grids))) for it in sections if it is not None]
    bare = [it for it in found if it.why_bare and not (it.grids or it.pictures)]
    shown = [it for it in found if it not in bare]
    if bare:
        left = told_once((it.short, it.why_bare) for it in bare)
        shown[-1] = replace(
            shown[-1], sentences=(*shown[-1].sentences, f"Left out for lack of figures: {' '.join(left)}")
        )
    return tuple(shown)


def _has_figures(grid: Grid) -> bool:
    """Whether a table says anything: a dash is no figure, and how many cases there are is none of the judge's."""
    counts = {at for at, name in enumerate(grid.head) if name == "Cases" and len(grid.head) > grid.names + 1}
    return any(cell != "–" for row in grid.rows for at, cell in enumerate(row) if at >= grid.names and at not in counts)


def _disputed(report: AgreementReport, rubric: Rubric) -> AgreementSection | None:
    found = report.disputed
    if not found.labelled:
        return None
    if not found.total:
        said = f"Judge and people say the same of all {many(found.labelled, 'labelled and decided case')}."
        return AgreementSection("differ", "Where they differ", "Where they differ", (said,))
    names = criterion_names([group.name for group in found.by_criterion], rubric)
    first = "most confident" if report.protocol == "compare" else "farthest apart"
    said = f"{found.total:,} of {many(found.labelled, 'labelled and decided case')}, {first} first."
    if report.labels.at_random is not None:
        said += " Cases picked for their doubts are among them: these counts are no rates of the run."
    grids = []
    if found.by_kind:
        grids.append(Grid(("Kind", "Cases"), tuple((kind, f"{count:,}") for kind, count in found.by_kind.items())))
    if groups := [group for group in found.by_criterion if group.differ]:
        rows = tuple((names[group.name], f"{group.differ:,}", f"{group.cases:,}") for group in groups)
        grids.append(Grid(("Criterion that moved the verdict", "They differ", "Labelled cases it moved"), rows))
    cards = tuple(_card(report, each, rubric) for each in found.cases)
    rest = found.total - len(cards)
    after = (f"{many(rest, 'more is', 'more are')} not listed: --limit shows more.",) if rest else ()
    hint = "A first look mostly finds something the rubric does not say: read the first few before blaming the judge."
    return AgreementSection(
        "differ", "Where they differ", "Where they differ", (said, hint), tuple(grids), cards=cards, after=after
    )


def _card(report: AgreementReport, found: DisputedCase, rubric: Rubric) -> DisputedCard:
    votes = ""
    if len(found.votes) > 1:
        votes = f" ({', '.join(f'{name} {side(vote, report.protocol)}' for name, vote in found.votes.items())})"
    about = list(found.kinds)
    if found.confidence is not None:
        about.append(f"{rounded_percent(found.confidence)} sure")
    if found.margin is not None and report.protocol != "review":
        about.append(f"{number(found.margin)} apart")
    if found.stratum is not None:
        about.append("drawn at random" if found.stratum == "random" else "picked for its doubts")
    criterion = "" if found.criterion is None else criterion_names([found.criterion], rubric)[found.criterion]
    return DisputedCard(
        case=found.case,
        opening=found.opening,
        judge=f"judge {side(found.judge, report.protocol)}",
        people=f"people {side(found.human, report.protocol)}{votes}",
        about=", ".join(about),
        criterion=criterion,
        reason=found.reason if len(found.reason) <= _LONG else f"{found.reason[: _LONG - 1].rstrip()}…",
        quotes=found.quotes,
    )


def _how_to_read(report: AgreementReport) -> AgreementSection:
    said = [
        "Kappa is agreement beyond what the two base rates alone would give: 0 is none, 1 is all. Read it beside the "
        "base rate: where nearly all labels are the same, it is low however good the judge.",
        "Intervals hold 95 %: of draws of cases with replacement, or by Wilson’s formula for a share of independent "
        "cases. Copies of a case are drawn together.",
        "People’s word on a case is the label of most of them, or the median of numbers. Where votes draw, the case is "
        "in no figure.",
    ]
    if report.protocol == "compare":
        said.append("Rank correlations take how far A’s total is ahead of B’s.")
    if report.protocol == "dialogue":
        said.append("Distances are in points of the rubric’s scale. Rank correlations take the weighted average.")
    return AgreementSection("reading", "How to read it", "How to read it", tuple(said))
