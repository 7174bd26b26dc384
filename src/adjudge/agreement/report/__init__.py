"""The agreement report: how far a judge agrees with people, in the order in which it should be read.

First comes whether the judge may stand in for a person, and its agreement with one, beside other people and simple
rules; then how far it agrees with itself, bias, disagreements and corrections. The report holds only numbers;
`reports/agreement` puts them into words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pydantic import Field

from ...errors import InputError
from ...judges.specs import single_judges
from ...models.base import Frozen
from ...models.figures import Figure
from ...protocols.base import protocol_of
from ...protocols.measured import MeasureRules
from ...results.conduct import StoredConduct, stored_conduct
from ...results.run import Run
from ...statistics.bias import BiasReport, CurvePoint, bias_report, win_curve
from ...statistics.calibration import Calibration, ConfidenceBin, LearnedWeights, calibration_error, confidence_bins
from ...statistics.correction import Corrected
from ...statistics.ratings import Confusion
from ...statistics.resampling import DRAWS, mean_by_unit
from ...statistics.stand_in import MARGIN, StandIn
from ..labels.sources import OWN_COLUMN, load_labels
from .changes import EarlierRun, OtherJudge, against, earlier_run, judge_of
from .corrected import MOST_SYSTEMS, CorrectionFacts, corrected_of
from .disagreements import Disputed, find_disputed
from .joining import JoinedRun, LabelledCase, join_labels, juries_agree, read_pairs
from .measures import SMALLER_IS_BETTER, FigureRow, confusion_of, criteria_of
from .people import JUDGE, BestGuesses, agreement_of, best_guesses, more_for_headline, people_alpha
from .remedies import MarginBin, ScoreBin, learned_map, margin_curve, score_curve, weights_of
from .slices import Slices, slices_of


class LabelFacts(Frozen):
    """Where the labels come from. `at_random` is None if it is unknown how the cases were chosen; then all count."""

    source: str
    annotators: tuple[str, ...]
    cases: int
    at_random: int | None
    notes: tuple[str, ...] = ()
    named: bool = Field(default=True, exclude=True)  # whether the annotators are people, not what a column is called


class Consistency(Frozen):
    """How consistent the judge is over the whole run, without labels. None means not known in this run.

    `orders` is the share of cases with the same winner in both orders, `jurors` the share in which all members of a
    jury agree, and `critic` the share in which a Critic objects to nothing.
    """

    orders: Figure | None = None
    jurors: Figure | None = None
    critic: Figure | None = None


class AgreementReport(Frozen):
    """The whole report. Every figure says how many cases it is based on, and why it or its interval is missing.

    `left_out` counts labelled cases that are in no figure, by reason. `floor_figures` says what `--fail-under` takes.
    """

    run: str
    protocol: str
    judge: str
    rubric: str
    created: str
    cases: int
    sampled: bool = Field(description="Whether the run is so large that figures about all cases come from a sample.")
    labels: LabelFacts
    counted: int = Field(description="Labelled cases that the judge decided, also those on which people disagree.")
    tied: int = Field(description="Counted cases in which people's votes are tied: they have no joint label.")
    more_for_headline: int | None = Field(description="Labels missing for a headline, ±10 points; null if enough.")
    left_out: dict[str, int]
    conduct: StoredConduct | None = Field(description="How the judge behaved; null if the run has not stored it.")
    consistency: Consistency
    base_rates: dict[str, float]
    metrics: dict[str, Figure]
    best_guesses: BestGuesses | None = Field(description="The same with undecided cases; null if there are none.")
    more_labels: dict[str, int | None] = Field(
        description="How many more labels an interval of ±5 points would need; null with fewer than 20 cases."
    )
    beside: tuple[FigureRow, ...] = Field(description="Against one person: the judge, other people, and simple rules.")
    ahead: Figure | None = Field(description="How much more the judge agrees with a person than another person does.")
    stand_in: StandIn = Field(description="Whether the judge may stand in for a person, and each person held out.")
    people_alpha: Figure | None
    confusion: Confusion | None
    by_criterion: tuple[FigureRow, ...]
    bias: BiasReport | None
    biases: dict[str, bool | None] = Field(description="Whether a bias is found; null if it is not known.")
    own_sources: tuple[str, ...]
    length_curve: tuple[CurvePoint, ...]
    disputed: Disputed
    corrected: dict[str, Corrected]
    correction: CorrectionFacts | None
    weights: LearnedWeights | None
    confidence_curve: tuple[ConfidenceBin, ...]
    calibration_error: float | None
    by_margin: tuple[MarginBin, ...]
    calibration: Calibration | None
    score_curve: tuple[ScoreBin, ...]
    slices: Slices
    against: OtherJudge | None = None
    earlier: tuple[EarlierRun, ...] = ()

    @property
    def measured(self) -> MeasureRules:
        """How the verdicts of its protocol are compared with labels."""
        return protocol_of(self.protocol).measured

    @property
    def two_sides(self) -> bool:
        """Whether two answers are compared."""
        return protocol_of(self.protocol).table.two_sides


def build_report(
    run: Run,
    source: str | None = None,
    *,
    annotators: Sequence[str] = (),
    other: Run | None = None,
    earlier: Sequence[Run] = (),
    own_sources: Sequence[str] = (),
    group: str | None = None,
    by: Sequence[str] = (),
    limit: int = 20,
    draws: int = DRAWS,
    margin: float = MARGIN,
) -> AgreementReport:
    """Build the report on a run with labels from `source` (see `load_labels`). `own_sources` are the judge's own
    systems. `group` names the column of cases that are not independent (see `group_column`), and `by` the columns
    whose slices are measured (see `slices_of`). `draws` is the number of draws in each bootstrap: fewer are faster but
    give rougher intervals. `margin` is that of the test whether the judge may stand in for a person."""
    if not 0 <= margin < 1:
        raise InputError("--margin", f"{margin:g}", "0 or more, and less than 1: 0.15 is 15 points")
    labels = load_labels(run, source, annotators)
    joined = join_labels(run, labels, group=group)
    joined.check_columns("--group", [group] if group else [])
    sample = joined.of_sample
    if not sample:
        allowed = "give labels of all cases, or label with a larger --n: a random half is drawn by default"
        raise InputError(labels.source, "no labelled case was drawn at random, so nothing can be measured", allowed)
    counted = joined.counted
    # A label counts only where the judge decides; this share of new labels will.
    share = len(joined.voted) / sum(bool(case.votes) for case in sample) if joined.voted else 1.0
    # Check first what may raise an error, before the slow part.
    own = own_systems(joined, own_sources)
    beside_it = None if other is None else against(joined, other, draws)
    sliced = slices_of(joined, by, source)
    before = [earlier_run(joined, each, source, annotators, draws, group) for each in earlier]
    two_sides, of_numbers = run.protocol.table.two_sides, run.protocol.measured.of_numbers
    pairs = read_pairs(joined) if two_sides else []
    bias = bias_report(pairs, own) if pairs else None
    calibration = learned_map(run, counted) if of_numbers else None
    is_own = source == OWN_COLUMN or (source is None and labels.at_random is None)
    own_note = run.protocol.labelling.own_note if is_own else ""
    corrected, correction = corrected_of(joined, labels)
    sure = ((case.row.confidence, case.row.value == case.human) for case in counted)
    bins = confidence_bins((confidence, right) for confidence, right in sure if confidence is not None)
    return AgreementReport(
        run=run.name,
        protocol=run.protocol.name,
        judge=judge_of(run, joined.rows),
        rubric=run.rubric.reference,
        created=str(run.config.get("created") or ""),
        cases=joined.cases,
        sampled=joined.sampled,
        labels=LabelFacts(
            source=labels.source,
            annotators=labels.annotators,
            cases=len(labels.by_case),
            at_random=None if labels.at_random is None else len(labels.at_random),
            notes=(*labels.notes, *([own_note] if own_note else [])),
            named=labels.named,
        ),
        counted=len(joined.voted),
        more_for_headline=more_for_headline(joined.voted, share),
        left_out=_left_out(sample),
        conduct=stored_conduct(run.folder),
        consistency=_consistency(joined),
        best_guesses=best_guesses(run, sample, margin, draws),
        people_alpha=people_alpha(run.protocol, sample, draws),
        confusion=confusion_of(run, counted),
        by_criterion=criteria_of(run, sample, draws),
        bias=bias,
        biases=bias.found if bias else {},
        own_sources=tuple(own),
        length_curve=win_curve(pairs, lambda pair: pair.lengths),
        disputed=find_disputed(run, joined.labelled, limit, labels.at_random is not None),
        corrected=corrected,
        correction=correction,
        weights=weights_of(run, sample),  # undecided cases count too: they have scores and labels
        confidence_curve=bins,
        calibration_error=calibration_error(bins),
        by_margin=margin_curve(counted) if two_sides and not of_numbers else (),
        calibration=calibration,
        score_curve=() if calibration is None else score_curve(counted, calibration),
        slices=sliced,
        against=beside_it,
        earlier=tuple(sorted(before, key=lambda found: found.created)),
        **agreement_of(run, joined.voted, margin, draws, share),
    )


# -- what the figures rest on -----------------------------------------------------------------------------------------


def _left_out(sample: Sequence[LabelledCase]) -> dict[str, int]:
    """Count the labelled cases that are in no figure, each once, by reason."""
    found: Counter[str] = Counter()
    for case in sample:
        if case.row.ending != "verdict":
            found[case.row.ending] += 1
        elif not case.votes:
            found["no vote on the whole"] += 1
    return dict(found.most_common())


def _consistency(joined: JoinedRun) -> Consistency:
    rows = joined.whole
    found = {
        "orders": [(row.consistent, row.unit) for row in rows if row.consistent is not None],
        "jurors": juries_agree(joined),
        "critic": [(row.unopposed, row.unit) for row in rows if row.unopposed is not None],
    }
    return Consistency(**{name: mean_by_unit(known) for name, known in found.items() if known})


# -- bias -------------------------------------------------------------------------------------------------------------


def own_systems(joined: JoinedRun, named: Sequence[str] = ()) -> list[str]:
    """Return the systems that are the judge itself: the given ones, else those named like the judge's model."""
    known = sorted({system for row in joined.rows.values() for system in row.systems or ()})
    if strange := [name for name in named if name not in known]:
        allowed = f"one of {', '.join(known[:MOST_SYSTEMS])}" if known else "the rows of this run name no systems"
        raise InputError("--own", f"no answer is by {strange[0]!r:.60}", allowed)
    judges = single_judges(judge_of(joined.run))
    return list(named) or [system for system in known if any(_same_model(system, judge) for judge in judges)]


def _same_model(system: str, judge: str) -> bool:
    """Return whether a system has the name of a judge's model, perhaps with its provider: the judge `openai:gpt-5.1` or
    `http://host/v1#gpt-5.1` is `gpt-5.1`, `openai/gpt-5.1` or `openai:gpt-5.1`. A model's own name may have a colon."""
    model = judge.partition("#")[2] or judge.partition(":")[2] or judge
    short, called = model.rpartition("/")[2].lower(), system.strip().lower()
    return called == short or called.endswith((f"/{short}", f":{short}", f"#{short}"))


# -- a floor for CI ---------------------------------------------------------------------------------------------------


def floor_figures(report: AgreementReport) -> dict[str, Figure]:
    """Return the figures that may have a floor: those of agreement and consistency of which more is better."""
    found = {name: figure for name, figure in report.metrics.items() if name not in SMALLER_IS_BETTER}
    judge = next(row.figures for row in report.beside if row.name == JUDGE)
    called = {"accuracy": "person_agreement"}
    found |= {called.get(it, f"person_{it}"): judge[it] for it in report.measured.headline if it in found}
    found["winning_rate"] = Figure(report.stand_in.winning_rate, report.counted, report.stand_in.reason)
    found["advantage"] = report.stand_in.advantage
    consistency = {"order_consistency": report.consistency.orders, "juror_consistency": report.consistency.jurors}
    found |= {name: figure for name, figure in consistency.items() if figure is not None}
    for habit in report.bias.habits if report.bias else ():
        if habit.balanced_agreement is not None and habit.name == "length":
            found["length_controlled_agreement"] = habit.balanced_agreement
    return found
