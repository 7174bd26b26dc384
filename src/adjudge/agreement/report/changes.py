"""The same labels under another judge or rubric, and agreement over time: what changed, and is it more than noise."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from ...errors import InputError
from ...models.base import Frozen
from ...results.run import Run
from ..labels.sources import LabelSet, load_labels
from ..statistics.cascades import CascadeCase, CascadePoint, cost_curve
from ..statistics.intervals import Difference, share
from ..statistics.metrics import Figure
from .joining import JoinedRun, JudgedRow, LabelledCase, join_labels, read_rows, side_of
from .scoring import HEADLINES, MEASURES, compared, drifted, rated


class CascadeCurve(Frozen):
    """What asking the dear judge only where the cheap one is unsure would cost and bring; `by` says what makes it
    unsure: its own confidence, or how far apart its totals are. Without points, `reason` says why."""

    cheap: str
    dear: str
    by: str
    points: tuple[CascadePoint, ...] = ()
    reason: str = ""


class OtherJudge(Frozen):
    """Another run of the same cases, scored by the same labels. A difference is that run's figure less this one's."""

    run: str
    judge: str
    rubric: str
    cases: int
    only_here: int
    metrics: dict[str, Difference]
    gained: int
    lost: int
    cascade: CascadeCurve | None = None


class EarlierRun(Frozen):
    """Agreement in an earlier run: over the same labelled cases where there are any, else over its own labels.

    `same_verdicts` is the judge against itself on cases that both runs judged. A change is this run's figure less the
    earlier one's; where the judge or the rubric is another, it is no drift of the judge.
    """

    run: str
    created: str
    judge: str
    rubric: str
    same_judge: bool
    paired: bool
    cases: int
    same_verdicts: Figure | None
    metrics: dict[str, Difference]


def judge_of(run: Run, rows: Sequence[JudgedRow] = ()) -> str:
    """Who judged a run, as its settings say it."""
    settings = run.config.get("settings") or {}
    named = [settings.get(part) for part in ("judge", "evaluator", "critic")]
    said = ", ".join(dict.fromkeys(str(name) for name in named if name))
    return said or ", ".join(dict.fromkeys(row.judge for row in rows if row.judge))


def against(joined: JoinedRun, other: Run) -> OtherJudge:
    """The labelled cases under another judge or rubric."""
    _same_protocol(joined, other, "--against")
    cases = joined.of_sample
    rows = read_rows(other, {case.row.key for case in cases})
    both = [
        (case, rows[case.row.key])
        for case in cases
        if case.human is not None and case.row.decided is not None and _decided(rows.get(case.row.key))
    ]
    if not rows:
        raise InputError("--against", f"{other.folder}: none of the labelled cases is in it", "the same ids and texts")
    pairs = [(rated(case), rated(_under(case, row))) for case, row in both]
    protocol = joined.run.protocol
    right = [(_agrees(case.row, case), _agrees(row, case)) for case, row in both]
    return OtherJudge(
        run=other.name,
        judge=judge_of(other, list(rows.values())),
        rubric=other.rubric.reference,
        cases=len(both),
        only_here=sum(case.human is not None and case.row.decided is not None for case in cases) - len(both),
        metrics={name: compared(name, MEASURES[protocol][name], pairs) for name in HEADLINES[protocol]},
        gained=sum(new and not old for old, new in right),
        lost=sum(old and not new for old, new in right),
        cascade=None if protocol == "dialogue" else _cascade(joined, other, cases, rows),
    )


def earlier_run(joined: JoinedRun, other: Run, source: str | None, annotators: Sequence[str]) -> EarlierRun:
    """How far the judge agreed in an earlier run."""
    _same_protocol(joined, other, "--earlier")
    protocol = joined.run.protocol
    rows = read_rows(other, {row.key for row in joined.rows.values()})
    here = [case for case in joined.of_sample if case.human is not None and case.row.decided is not None]
    both = [(case, rows[case.row.key]) for case in here if _decided(rows.get(case.row.key))]
    metrics: dict[str, Difference]
    if both:
        pairs = [(rated(_under(case, row)), rated(case)) for case, row in both]
        metrics = {name: compared(name, MEASURES[protocol][name], pairs) for name in HEADLINES[protocol]}
        cases = len(both)
    else:
        there = [case for case in _own_cases(other, source, annotators) if case.row.decided is not None]
        before, after = ([rated(case) for case in side if case.human is not None] for side in (there, here))
        metrics = {name: drifted(MEASURES[protocol][name], before, after) for name in HEADLINES[protocol]}
        cases = len(before)
    shared = [(row.value, rows[row.key].value) for row in joined.rows.values() if row.key in rows]
    shared = [(new, old) for new, old in shared if new is not None and old is not None]
    judges = judge_of(other, list(rows.values())), judge_of(joined.run, list(joined.rows.values()))
    return EarlierRun(
        run=other.name,
        created=str(other.config.get("created") or ""),
        judge=judges[0],
        rubric=other.rubric.reference,
        same_judge=judges[0] == judges[1] and other.rubric.reference == joined.run.rubric.reference,
        paired=bool(both),
        cases=cases,
        same_verdicts=share(sum(new == old for new, old in shared), len(shared)) if shared else None,
        metrics=metrics,
    )


def _own_cases(run: Run, source: str | None, annotators: Sequence[str]) -> list[LabelledCase]:
    """An earlier run's own labels: a column of its input if one was named, else what people gave it."""
    try:
        labels: LabelSet = load_labels(run, source, annotators)
    except InputError:
        if source is None:
            raise
        labels = load_labels(run)  # a file of labels is for the other run's cases
    return join_labels(run, labels).of_sample


def _cascade(joined: JoinedRun, other: Run, cases: Sequence[LabelledCase], rows: dict[int, JudgedRow]) -> CascadeCurve:
    pairs = [(case, case.row, rows[case.row.key]) for case in cases if case.human and case.row.key in rows]
    pairs = [(case, one, two) for case, one, two in pairs if one.winner is not None and two.winner is not None]
    names = joined.run.name, other.name
    costs = [[row.cost for row in side] for side in zip(*((one, two) for _, one, two in pairs), strict=True)]
    known = [[cost for cost in side if cost is not None] for side in costs]
    if not pairs or any(len(side) < len(pairs) for side in known):
        reason = "what a case costs is not known for both judges"
        return CascadeCurve(cheap=names[0], dear=names[1], by="confidence", reason=reason)
    totals = [sum(side, Decimal()) for side in known]
    if totals[0] == totals[1]:
        reason = "both judges cost the same"
        return CascadeCurve(cheap=names[0], dear=names[1], by="confidence", reason=reason)
    if totals[0] > totals[1]:
        pairs, names = [(case, two, one) for case, one, two in pairs], names[::-1]
    by = "confidence" if all(cheap.confidence is not None for _, cheap, _ in pairs) else "margin"
    judged = [
        CascadeCase(
            cheap=cheap.winner or "tie",
            confidence=_sureness(cheap, by),
            cheap_cost=cheap.cost or Decimal(),
            dear=dear.winner or "tie",
            dear_cost=dear.cost or Decimal(),
            human=side_of(case.human) or "tie",
        )
        for case, cheap, dear in pairs
    ]
    return CascadeCurve(cheap=names[0], dear=names[1], by=by, points=cost_curve(judged))


def _sureness(row: JudgedRow, by: str) -> float | None:
    """How sure the cheap judge is. As in a cascade, one whose orders disagree or that did not decide is not."""
    if row.ending != "verdict" or row.consistent is False:
        return None
    if by == "confidence":
        return row.confidence
    if row.score is not None:
        return abs(row.score)
    return None if not isinstance(row.value, float) else abs(row.value - 4)


def _under(case: LabelledCase, row: JudgedRow) -> LabelledCase:
    return LabelledCase(row, case.votes, case.human, case.criteria, case.at_random)


def _decided(row: JudgedRow | None) -> bool:
    return row is not None and row.decided is not None


def _agrees(row: JudgedRow, case: LabelledCase) -> bool:
    if row.winner is not None:
        return side_of(row.winner) == side_of(case.human)
    return row.value == case.human


def _same_protocol(joined: JoinedRun, other: Run, option: str) -> None:
    if other.protocol != joined.run.protocol:
        raise InputError(option, f"{other.folder}: a {other.protocol} run", f"a {joined.run.protocol} run is needed")
