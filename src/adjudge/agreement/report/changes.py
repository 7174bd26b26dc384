"""Compares agreement under another judge or rubric and in earlier runs: what changed, and is it more than noise?

For two judges of different cost, it also gives the cost and the agreement of a cascade of both, by threshold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial

from pydantic import Field

from ...errors import InputError
from ...judges.specs import single_judges
from ...models.base import Frozen
from ...models.figures import Change, Figure
from ...results.run import Run
from ...statistics.agreement import Value
from ...statistics.resampling import DRAWS, mean_by_unit
from ..labels.sources import load_labels
from .joining import JoinedRun, JudgedRow, LabelledCase, join_labels, read_rows
from .measures import MEASURES, compared, drifted

_POINTS = 40  # thresholds of a cascade; a curve cannot show more


@dataclass(frozen=True, slots=True)
class CascadeCase:
    """A labelled case that both judges judged. If `confidence` is None, the cheap judge counts as unsure. Cases of one
    `unit` are not independent."""

    unit: Hashable
    cheap: Value
    confidence: float | None
    cheap_cost: Decimal
    dear: Value
    dear_cost: Decimal
    human: Value


@dataclass(frozen=True, slots=True)
class CascadePoint:
    """For one threshold: the share of cases passed on, the cost per case, and the agreement with people.

    `threshold` is None for the dear judge alone, without the cheap one. `efficient` means that no other point is at
    least as good in both cost and agreement.
    """

    threshold: float | None
    passed_on: float
    cost: Decimal
    agreement: Figure
    efficient: bool = False


class CascadeCurve(Frozen):
    """The cost and agreement of asking the dear judge only where the cheap one is unsure. `by` says how that is
    measured: by its confidence, or by the margin between its totals. If there are no points, `reason` says why."""

    cheap: str
    dear: str
    by: str
    points: tuple[CascadePoint, ...] = ()
    reason: str = ""


class OtherJudge(Frozen):
    """Another run of the same cases, scored by the same labels. A difference is that run's figure minus this run's."""

    run: str
    judge: str
    rubric: str
    cases: int
    only_here: int
    metrics: dict[str, Change]
    gained: int
    lost: int
    jury: str = Field(default="", description="A jury of both judges, weighted by agreement; empty if there is none.")
    cascade: CascadeCurve | None = None


class EarlierRun(Frozen):
    """Agreement in an earlier run: over the same labelled cases if there are any, else over that run's own labels.

    `same_verdicts` is the share of equal verdicts on cases that both runs judged. A change is this run's figure minus
    the earlier one's. If the judge or the rubric differs, it does not measure drift of the judge.
    """

    run: str
    created: str
    judge: str
    rubric: str
    same_judge: bool
    paired: bool
    cases: int
    same_verdicts: Figure | None
    metrics: dict[str, Change]


def judge_of(run: Run, rows: Mapping[int, JudgedRow] | None = None) -> str:
    """Return the judge of a run from its settings, else from its rows."""
    settings = run.config.get("settings") or {}
    named = [str(settings[part]) for part in run.protocol.settings.named("judge") if settings.get(part)]
    return ", ".join(dict.fromkeys(named or [row.judge for row in (rows or {}).values() if row.judge]))


def against(joined: JoinedRun, other: Run, draws: int = DRAWS) -> OtherJudge:
    """Compare the labelled cases with another run of them, by another judge or rubric."""
    _same_protocol(joined, other, "--against")
    cases, measured = joined.counted, joined.run.protocol.measured
    rows = read_rows(other, {case.row.key for case in joined.of_sample})
    if not rows:
        raise InputError("--against", f"{other.folder}: none of the labelled cases is in it", "the same ids and texts")
    (first, second), pairs = measured.headline, _both(cases, rows)
    read = partial(MEASURES[first][1], measured)
    right = Counter(tuple(judge == human for judge, human in map(read, pair)) for pair in pairs)
    judges = judge_of(joined.run, joined.rows), judge_of(other, rows)
    metrics = {name: compared(measured, name, pairs, draws) for name in (first, second)}
    return OtherJudge(
        run=other.name,
        judge=judges[1],
        rubric=other.rubric.reference,
        cases=len(pairs),
        only_here=len(cases) - len(pairs),
        metrics=metrics,
        gained=right[False, True],
        lost=right[True, False],
        jury=_weighted_jury(judges, metrics[second]),
        cascade=None if measured.numeric else _cascade(joined, other, rows),
    )


def _weighted_jury(judges: Sequence[str], agreement: Change) -> str:
    """Return the name of a jury of the two judges, weighted by their kappa or rank correlation. Return "" if the judges
    are the same, one is not a single judge, or a weight is not above 0."""
    weights = [round(figure.value or 0.0, 2) for figure in (agreement.before, agreement.after)]
    single = all(single_judges(judge) == [judge] and "," not in judge for judge in judges)
    if judges[0] == judges[1] or not single or min(weights) <= 0:
        return ""
    return "jury(weighted):" + "+".join(f"{judge}*{weight:g}" for judge, weight in zip(judges, weights, strict=True))


def earlier_run(
    joined: JoinedRun,
    other: Run,
    source: str | None,
    annotators: Sequence[str],
    draws: int = DRAWS,
    group: str | None = None,
) -> EarlierRun:
    """Compare this run's agreement with that of an earlier run. `group` is as in `join_labels`; if the earlier run has
    no such column, its cases are grouped by task."""
    _same_protocol(joined, other, "--earlier")
    measured, here = joined.run.protocol.measured, joined.counted
    rows = read_rows(other, {row.key for row in joined.rows.values()})
    both = _both(here, rows)
    if both:
        before, pairs = [there for _, there in both], [(there, case) for case, there in both]
        metrics = {name: compared(measured, name, pairs, draws) for name in measured.headline}
    else:
        # Use the other run's own labels: the named column of its input, else what `load_labels` finds by default.
        try:
            labels = load_labels(other, source, annotators)
        except InputError:
            if source is None:
                raise
            labels = load_labels(other)  # the label file is for this run's cases
        before = join_labels(other, labels, group=group).counted
        metrics = {name: drifted(measured, name, before, here, draws) for name in measured.headline}
    shared = [(row, rows[row.key].value) for row in joined.whole if row.key in rows]
    same = [(row.value == old, row.unit) for row, old in shared if row.value is not None and old is not None]
    judge, rubric = judge_of(other, rows), other.rubric.reference
    return EarlierRun(
        run=other.name,
        created=str(other.config.get("created") or ""),
        judge=judge,
        rubric=rubric,
        same_judge=(judge, rubric) == (judge_of(joined.run, joined.rows), joined.run.rubric.reference),
        paired=bool(both),
        cases=len(before),
        same_verdicts=mean_by_unit(same) if same else None,
        metrics=metrics,
    )


def _both(cases: Sequence[LabelledCase], rows: Mapping[int, JudgedRow]) -> list[tuple[LabelledCase, LabelledCase]]:
    """Return the cases that both runs decided, as pairs of this run's and the other run's outcome, both with
    this run's unit."""
    found = [(case, replace(rows[case.row.key], unit=case.row.unit)) for case in cases if case.row.key in rows]
    return [(case, replace(case, row=row)) for case, row in found if row.decided is not None]


def _same_protocol(joined: JoinedRun, other: Run, option: str) -> None:
    if other.protocol is not joined.run.protocol:
        raise InputError(
            option, f"{other.folder}: a {other.protocol.name} run", f"a {joined.run.protocol.name} run is needed"
        )


# -- cascades ---------------------------------------------------------------------------------------------------------


def _cascade(joined: JoinedRun, other: Run, rows: Mapping[int, JudgedRow]) -> CascadeCurve:
    measured = joined.run.protocol.measured
    pairs = [(case.human, case.row, rows.get(case.row.key)) for case in joined.of_sample if case.human is not None]
    known = [
        (human, one, replace(two, unit=one.unit))
        for human, one, two in pairs
        if one.winner and two is not None and two.winner
    ]
    names, reason = (joined.run.name, other.name), ""
    totals = [sum((row.cost for _, *both in known if (row := both[at]).cost is not None), Decimal()) for at in (0, 1)]
    if not known or any(row.cost is None for _, *both in known for row in both):
        reason = "the cost per case is not known for both judges"
    elif totals[0] == totals[1]:
        reason = "both judges cost the same"
    elif totals[0] > totals[1]:
        known, names = [(human, two, one) for human, one, two in known], names[::-1]
    if reason:
        return CascadeCurve(cheap=names[0], dear=names[1], by="confidence", reason=reason)
    by = "confidence" if all(cheap.confidence is not None for _, cheap, _ in known) else "margin"
    judged = [
        CascadeCase(
            unit=cheap.unit,
            cheap=cheap.winner or "",
            confidence=_sureness(cheap, by, measured.middle),
            cheap_cost=cheap.cost or Decimal(),
            dear=dear.winner or "",
            dear_cost=dear.cost or Decimal(),
            human=measured.class_of(human),
        )
        for human, cheap, dear in known
    ]
    return CascadeCurve(cheap=names[0], dear=names[1], by=by, points=cost_curve(judged))


def _sureness(row: JudgedRow, by: str, middle: int | None) -> float | None:
    """Return how sure the cheap judge is. As in a cascade, return None if its orders disagree or it did not decide."""
    if row.ending != "verdict" or row.consistent is False:
        return None
    if by == "confidence":
        return row.confidence
    if row.score is not None:
        return abs(row.score)
    return abs(row.value - middle) if isinstance(row.value, float) and middle is not None else None


def cost_curve(cases: Sequence[CascadeCase]) -> tuple[CascadePoint, ...]:
    """Return the cost–agreement curve, from the cheap judge alone (threshold 0) to the dear one alone.

    A threshold chosen by this curve is fitted to these labels: its agreement on new cases will be a little lower.
    """
    levels = sorted({case.confidence for case in cases if case.confidence is not None})
    points = []
    # At the lowest confidence, only cases without a confidence are passed on, if there are any. Passing everything on
    # costs more than the dear judge alone. At threshold 0 the cheap judge decides alone, even without a confidence.
    for threshold in (0.0, *levels[:1], *levels[1 :: max(len(levels) // _POINTS, 1)]):
        asked = [threshold > 0 and (case.confidence is None or case.confidence < threshold) for case in cases]
        if any(asked) or not threshold:
            routed = list(zip(cases, asked, strict=True))
            cost = sum((case.cheap_cost + case.dear_cost * passed for case, passed in routed), Decimal())
            agreement = mean_by_unit(
                ((case.dear if passed else case.cheap) == case.human, case.unit) for case, passed in routed
            )
            points.append(CascadePoint(threshold, sum(asked) / len(cases), cost / len(cases), agreement))
    alone = sum((case.dear_cost for case in cases), Decimal()) / len(cases)
    points.append(CascadePoint(None, 1.0, alone, mean_by_unit((case.dear == case.human, case.unit) for case in cases)))
    # A point is efficient if no different point is at least as cheap and agrees at least as well.
    ends = {point: (point.cost, -(point.agreement.value or 0.0)) for point in points}
    every = set(ends.values())
    return tuple(
        replace(point, efficient=not any(it != end and it[0] <= end[0] and it[1] <= end[1] for it in every))
        for point, end in ends.items()
    )
