"""How a jury combines what its members found, item by item.

Each member has one vote. *yes*, and likewise *not_applicable*, needs more than half of the votes given, else it is
*no*. Levels are combined by the jury's rule. Of lists, the member with the median share is shown and counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ...judges.jury import Jury, Vote
from .questions import AskQuestion, ClaimsQuestion, DemandsQuestion, Findings, ItemFinding, State
from .rubric import Item
from .verdict import MemberResult


def combine(
    jury: Jury, votes: list[Vote[Findings]], question: AskQuestion | ClaimsQuestion | DemandsQuestion
) -> Findings:
    """Combine the members' findings."""
    return Findings(judge=jury.name, items={item.key: _combined(jury, votes, item) for item in question.items})


def _combined(jury: Jury, votes: list[Vote[Findings]], item: Item) -> ItemFinding:
    given = [(opinion.items[item.key], weight) for opinion, weight in votes]
    if item.kind == "scale":
        made = _level(jury, given)
    elif item.kind == "ask":
        made = settled(item, [finding for finding, _ in given])
    else:
        made = _median([finding for finding, _ in given])
    members = (MemberResult(judge=opinion.judge, result=opinion.items[item.key].word) for opinion, _ in votes)
    return made.updated(members=tuple(members))


def settled(item: Item, findings: Sequence[ItemFinding]) -> ItemFinding:
    """Count the votes on a question. A yes without a quote is a no; for a required fault it is no vote at all.

    A required fault is unassessed if the votes that are missing could turn it.
    """
    strict = item.required and item.is_fault
    missing = {"unassessed", "unproven"} if strict else {"unassessed"}
    given = [finding for finding in findings if finding.state not in missing]
    left = len(findings) - len(given)
    if not given:
        return findings[0]
    state = _majority(given, len(given))
    if strict and left:
        found = sum(finding.state == "yes" for finding in given)
        if (2 * found > len(findings)) != (2 * (found + left) > len(findings)):
            return ItemFinding(state="unassessed", reason="The votes that are missing could turn it.")
    if state == "no" and not any(finding.state == "no" for finding in given):
        # Nobody said no: a yes that nobody could show, or no majority for anything.
        state = "unproven" if any(finding.state == "unproven" for finding in given) else "no"
    speakers = [finding for finding in given if finding.state == state]
    if not speakers:
        return ItemFinding(
            state=state, reason="The members of the jury do not agree, and yes needs more than half of them."
        )
    quotes = dict.fromkeys(quote for speaker in speakers for quote in speaker.evidence)
    return speakers[0].updated(evidence=tuple(quotes))


def _majority(given: Sequence[ItemFinding], votes: int) -> State:
    states: tuple[State, ...] = ("yes", "not_applicable")
    return next((one for one in states if 2 * sum(each.state == one for each in given) > votes), "no")


def _level(jury: Jury, given: Sequence[Vote[ItemFinding]]) -> ItemFinding:
    """Combine the levels exactly, with the words of the member nearest to the result."""
    assessed = [(finding, weight) for finding, weight in given if finding.level is not None]
    if not assessed:
        return given[0][0]
    level = jury.vote([(finding.level, weight) for finding, weight in assessed])
    nearest = min((finding for finding, _ in assessed), key=lambda one: abs((one.level or Fraction(0)) - level))
    return nearest.updated(level=level)


def _median(findings: Sequence[ItemFinding]) -> ItemFinding:
    """Return the finding with the median share; of an even number the lower of the middle two, of equals the first.

    If half or more have none, there is none: not applicable where all of these listed nothing, else unassessed.
    """
    shared = [finding for finding in findings if finding.share is not None]
    others = [finding for finding in findings if finding.share is None]
    if 2 * len(others) >= len(findings):
        return next((finding for finding in others if finding.state != "nothing"), others[0])
    ordered = sorted(shared, key=lambda finding: finding.share or Fraction(0))
    middle = ordered[(len(ordered) - 1) // 2].share
    return next(finding for finding in shared if finding.share == middle)
