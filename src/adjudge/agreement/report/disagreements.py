"""Cases in which judge and people differ, most confident first, with the criterion that moved the verdict and quotes.

Most often they reveal a gap in the rubric and not in the model, so they are grouped by criterion and kind.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from pydantic import Field

from ...models.base import Frozen
from ...results.run import Reader, Run
from ...statistics.agreement import Value
from ...statistics.ratings import longer_of
from ..labels.files import overall_scale
from ..labels.sampling import Stratum
from .joining import LabelledCase

MOST_QUOTES = 3
_APART = 2  # steps between two preferences for the same side that count as a disagreement


class DisputedCase(Frozen):
    """A case in which judge and people disagree. `confidence` is None if the judge gives none. `margin` is how far
    apart the totals are, or how far the judge is from people. A quote consists of its source and its words."""

    position: int
    case: str
    opening: str
    judge: Value
    human: Value
    votes: dict[str, Value]
    kinds: tuple[str, ...]
    stratum: Stratum | None
    confidence: float | None
    margin: float | None
    criterion: str | None
    reason: str
    quotes: tuple[tuple[str, str], ...]


class DisputedGroup(Frozen):
    """A group of labelled cases, and in how many of them judge and people disagree."""

    name: str
    differ: int
    cases: int


class Disputed(Frozen):
    """All disagreements. `cases` lists the first of `total`, and `positions` where in the run all of them are. Groups
    count all labelled and decided cases, however they were chosen, so they are not rates for the run."""

    total: int
    labelled: int
    cases: tuple[DisputedCase, ...] = ()
    by_criterion: tuple[DisputedGroup, ...] = ()
    by_kind: dict[str, int] = Field(default_factory=dict)
    positions: tuple[int, ...] = ()


def find_disputed(run: Run, labelled: Sequence[LabelledCase], limit: int, strata: bool) -> Disputed:
    """Find the disagreements of a run. `strata` says whether it is known how the cases were chosen."""
    known = [case for case in labelled if case.row.decided is not None and case.human is not None]
    differing = [case for case in known if _differ(run, case)]
    differing.sort(key=lambda case: (-(case.row.confidence or 0.0), -(_margin(case) or 0.0), case.row.position))
    moved = {case.row.position: moved_by(run, case) for case in known}
    counted, wrong = Counter(moved.values()), Counter(moved[case.row.position] for case in differing)
    groups = [DisputedGroup(name=key, differ=wrong[key], cases=count) for key, count in counted.items() if key]
    with Reader(run) as reader:
        cases = tuple(_disputed(run, case, moved[case.row.position], reader, strata) for case in differing[:limit])
    return Disputed(
        total=len(differing),
        positions=tuple(case.row.position for case in differing),
        labelled=len(known),
        cases=cases,
        by_criterion=tuple(sorted(groups, key=lambda group: (-group.differ, group.cases))),
        by_kind=dict(Counter(kind for case in differing for kind in _kinds(run, case)).most_common()),
    )


def _apart(case: LabelledCase) -> float | None:
    """Return how much higher the judge's number is than people's; None for classes."""
    judge, human = case.row.value, case.human
    return judge - human if isinstance(judge, float) and isinstance(human, float) else None


def _differ(run: Run, case: LabelledCase) -> bool:
    apart, measured, scale = _apart(case), run.protocol.measured, overall_scale(run)
    if apart is None or scale is None:
        return case.row.value != case.human
    if measured.numeric:
        return abs(apart) >= scale.step
    return abs(apart) >= _APART or case.row.winner != measured.class_of(case.human)


def _margin(case: LabelledCase) -> float | None:
    apart = case.row.score if (apart := _apart(case)) is None else apart
    return None if apart is None else abs(apart)


def _kinds(run: Run, case: LabelledCase) -> Iterable[str]:
    """Yield the kinds of a disagreement, of two answers in words that do not depend on which is called A."""
    measured = run.protocol.measured
    judge, human = case.row.winner, measured.class_of(case.human)
    if measured.numeric:
        yield "the judge is too high" if (_apart(case) or 0) > 0 else "the judge is too low"
        return
    if judge == human:
        yield "the same side, with a different strength"
        return
    if not run.protocol.table.two_sides:
        yield f"the judge says {measured.name_of(judge or '')}, people {measured.name_of(human)}"
        return
    if "tie" in (judge, human):
        yield "the judge names a winner, people a tie" if human == "tie" else "the judge says tie, people name a winner"
    else:
        yield "opposite winners"
    longer = longer_of(*(case.row.words or (0, 0)))
    if "tie" not in (judge, longer):
        yield f"the judge prefers the {'longer' if judge == longer else 'shorter'} answer"


def moved_by(run: Run, case: LabelledCase) -> str | None:
    """Return the criterion that contributed most to the verdict, or to the distance from people's score, or None."""
    row, measured, gains = case.row, run.protocol.measured, {}
    sign = {"A": 1, "B": -1}.get(row.winner or "", 0)
    for criterion in run.rubric.criteria:
        known = [float(score) for score in row.scores[criterion.key] if score is not None]
        scores = [good for score in known if (good := measured.goodness(criterion, score)) is not None]
        if not scores or len(scores) < len(row.scores[criterion.key]):
            continue
        if run.protocol.table.two_sides:
            apart = scores[0] - scores[1]
        elif measured.numeric:
            apart, sign = scores[0] - float(case.human or 0), 1 if (_apart(case) or 0) > 0 else -1
        else:
            return None
        gains[criterion.key] = sign * apart * (float(criterion.weight) if measured.weighted else 1.0)
    best = max(gains, key=lambda key: gains[key], default=None)
    return best if best is not None and gains[best] > 0 else None


def _disputed(run: Run, case: LabelledCase, criterion: str | None, reader: Reader, strata: bool) -> DisputedCase:
    row, human = case.row, case.human
    assert row.value is not None and human is not None  # no disagreement otherwise
    reason, quotes = run.protocol.measured.explanation(reader.verdict(row.position), criterion)
    return DisputedCase(
        position=row.position,
        case=row.case,
        opening=row.opening,
        judge=row.value,
        human=human,
        votes=dict(case.votes),
        kinds=tuple(_kinds(run, case)),
        stratum=None if not strata else "random" if case.at_random else "disagreement",
        confidence=row.confidence,
        margin=_margin(case),
        criterion=criterion,
        reason=reason,
        quotes=tuple(quotes)[:MOST_QUOTES],
    )
