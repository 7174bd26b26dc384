"""Builds the sections of an agreement report on the judge against itself and on disagreements, as plain data."""

from __future__ import annotations

from ...agreement.report import AgreementReport
from ...agreement.report.disagreements import DisputedCase
from ...protocols.base import protocol_of
from ...rendering.document import CaseCard, Grid, Section
from ...rendering.escaping import shorten
from ...rendering.wording import criterion_names, many, rounded, rounded_percent
from ...rubric import Rubric
from .charts import both

_LONG = 240
_FIRST_LOOK = "The cause is often something that the rubric does not say: read the first few before blaming the judge."


def consistency_section(report: AgreementReport) -> Section:
    """Build the section on how far the judge agrees with itself."""
    found = report.consistency
    jury = "prefer the same answer" if report.two_sides else "say the same"
    jury = f"rate the {protocol_of(report.protocol).noun} alike" if report.measured.numeric else jury
    figures = {
        "The same winner in both orders": found.orders,
        f"All members of the jury {jury}": found.jurors,
        "The Critic objects to nothing": found.critic,
    }
    for run in report.earlier:
        if run.same_judge:
            figures[f"The same verdict as in {run.run}, by the same judge and rubric"] = run.same_verdicts
    sentences = []
    for what, it in figures.items():
        if it is not None:
            value, bounds = both("accuracy", it)
            sentences.append(f"{what}: {value} of {many(it.cases, 'case')} ({bounds}).")
    nothing = (
        "This run judged every case once. Both orders, a jury, or an earlier run of the same judge (--earlier) would "
        "show how far the judge agrees with itself."
    )
    return Section("Consistency: the judge against itself", sentences or [nothing])


# -- where judge and people differ -----------------------------------------------------------------------------------


def disputed_section(report: AgreementReport, rubric: Rubric) -> Section | None:
    """Build the section of disagreements: counts, and a card for each case."""
    found, title = report.disputed, "Where they differ"
    if not found.labelled:
        return None
    labelled = many(found.labelled, "labelled and decided case")
    if not found.total:
        return Section(title, [f"Judge and people agree on all {labelled}."])
    names = criterion_names([group.name for group in found.by_criterion], rubric)
    first = "farthest apart" if report.measured.of_numbers else "most confident"
    counts = f"{found.total:,} of {labelled}, {first} first."
    if report.labels.at_random is not None:
        counts += " They include cases picked because the judge was unsure, so these counts are not rates of the run."
    kinds = [(kind, f"{count:,}") for kind, count in found.by_kind.items()]
    moved = [(names[it.name], f"{it.differ:,}", f"{it.cases:,}") for it in found.by_criterion if it.differ]
    head = ("Criterion that moved the verdict", "They differ", "Labelled cases it moved")
    rest = found.total - len(found.cases)
    return Section(
        title,
        [counts, _FIRST_LOOK],
        [Grid(("Kind", "Cases"), kinds), Grid(head, moved)],
        cards=[_card(report, each, rubric) for each in found.cases],
        after=[f"{many(rest, 'more is', 'more are')} not listed: --limit shows more."] if rest else [],
    )


def _card(report: AgreementReport, found: DisputedCase, rubric: Rubric) -> CaseCard:
    votes = [f"{name} {report.measured.name_of(vote)}" for name, vote in found.votes.items()]
    about = list(found.kinds)
    if found.confidence is not None:
        about.append(f"{rounded_percent(found.confidence)} sure")
    if found.margin is not None and report.measured.middle is None:
        about.append(f"{rounded(found.margin)} apart")
    if found.stratum is not None:
        about.append("drawn at random" if found.stratum == "random" else "picked as doubtful")
    return CaseCard(
        case=found.case,
        opening=found.opening,
        judge=f"judge {report.measured.name_of(found.judge)}",
        people=f"people {report.measured.name_of(found.human)}" + (f" ({', '.join(votes)})" if len(votes) > 1 else ""),
        about=", ".join(about),
        criterion="" if found.criterion is None else criterion_names([found.criterion], rubric)[found.criterion],
        reason=shorten(found.reason, _LONG),
        quotes=found.quotes,
    )
