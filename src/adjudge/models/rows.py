"""The flat table of a run: which columns each protocol has, what they mean, and how they are computed from a verdict.

The cells are computed once, when a case is judged, and stored with the verdict. A score that the judge could not
assess is left empty.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache, partial
from typing import Any, Literal, get_args
from unicodedata import normalize

from ..arithmetic import plain, rounded
from .calibration import CalibratedScore, SavedCalibration
from .common import LABELS, Label, repaired_replies
from .comparison import ComparisonVerdict, Totals
from .dialogue import AVERAGE, DialogueVerdict
from .review import FinalRating, RatingAction, ReviewVerdict

Protocol = Literal["compare", "dialogue", "review"]
Verdict = ComparisonVerdict | DialogueVerdict | ReviewVerdict
Kind = Literal["BIGINT", "DOUBLE", "BOOLEAN", "VARCHAR", "DECIMAL(24, 12)"]
Cells = dict[str, Any]
Truth = Literal["A", "B", "tie"]

NO_PREFERENCE = 4
CALIBRATED_PLACES = 4  # more would suggest a precision that no number of labels can give
_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)(e[+-]?[0-9]+)?", re.IGNORECASE)


def _nowhere(_: Any) -> None:
    return None


@dataclass(frozen=True, slots=True)
class Column:
    """A column's name, SQL type, meaning, and the function that computes its cell from a verdict.

    `score` marks the numbers of the judgment itself; two runs are compared by them.
    """

    name: str
    kind: Kind
    meaning: str
    of: Callable[[Any], Any] = _nowhere
    score: bool = False


# -- compare ----------------------------------------------------------------------------------------------------------


def _apart(verdict: ComparisonVerdict) -> Decimal:
    return rounded(verdict.totals.a - verdict.totals.b)


def _lead(verdict: ComparisonVerdict) -> Decimal:
    return rounded(verdict.totals.lead)


def _equal_totals(verdict: ComparisonVerdict) -> bool | None:
    """Return whether the totals of both answers are equal in every order; None for identical answers."""
    if verdict.decided_by == "identical":
        return None
    return all(not Totals.of(opinion.scores, verdict.weights).lead for opinion in verdict.opinions)


def _preferred_place(verdict: ComparisonVerdict) -> str | None:
    preferred = {opinion.order: opinion.preference for opinion in verdict.opinions}
    if len(preferred) < 2:
        return None
    places = {("A", "B"): "first", ("B", "A"): "second"}
    return places.get((preferred["ab"], preferred["ba"]), "none")


_EQUAL = "whether the judge gave both answers the same total, in every order; empty for identical answers"
_PLACE = "first or second, if the judge prefers the answer in that place in both orders; else none; empty for one order"
_BOTH_ORDERS = "whether both orders name the same winner; empty for one order"
_COMPARE = (
    Column("winner", "VARCHAR", "A, B or tie; the best guess where the judge did not decide", lambda v: v.winner),
    Column("decided", "BOOLEAN", "whether the judge was sure enough to decide", lambda v: v.decided),
    Column("confidence", "DOUBLE", "how sure it is, 0 to 1, if it says", lambda v: v.confidence),
    Column("total_a", "DOUBLE", "A's weighted total", lambda v: v.overall["A"].weighted_total, score=True),
    Column("total_b", "DOUBLE", "B's weighted total", lambda v: v.overall["B"].weighted_total, score=True),
    Column("difference", "DOUBLE", "total_a − total_b", _apart, score=True),
    Column("normalized_a", "DOUBLE", "A's total on the rubric's own scale", lambda v: v.overall["A"].normalized, True),
    Column("normalized_b", "DOUBLE", "B's total on the rubric's own scale", lambda v: v.overall["B"].normalized, True),
    Column("lead", "DOUBLE", "normalized_a − normalized_b: how far A is ahead", _lead, score=True),
    Column("decided_by", "VARCHAR", "the rule that decided", lambda v: v.decided_by),
    Column("order_consistent", "BOOLEAN", _BOTH_ORDERS, lambda v: v.order.consistent),
    Column("preferred_place", "VARCHAR", _PLACE, _preferred_place),
    Column("equal_totals", "BOOLEAN", _EQUAL, _equal_totals),
)


def _compared(key: str, name: str, called: str) -> Iterable[Column]:
    for label in LABELS:

        def cell(verdict: ComparisonVerdict, label: Label = label) -> Decimal | None:
            score = verdict.criteria[key].scores[label]
            return score.value if score.assessed else None

        yield Column(f"{called}_{label.lower()}", "DOUBLE", f"{name}: {label}'s score", cell, score=True)


# -- dialogue ---------------------------------------------------------------------------------------------------------


def _evaluated(verdict: DialogueVerdict, key: str) -> Any:
    return getattr(verdict.output.evaluator[key], "score", None)


def _changed(verdict: DialogueVerdict) -> int:
    return sum(ruling.value != _evaluated(verdict, key) for key, ruling in verdict.rulings.items())


_ROUNDED_DOWN = "the final average rounded down to a step of the scale"
_FINAL, _BEFORE = "the weighted average of the final scores", "the same before the Critic spoke"
_OBJECTIONS = "how many scores the Critic objected to"
_DIALOGUE = (
    Column("overall_experience", "DOUBLE", _ROUNDED_DOWN, lambda v: v.overall_experience, score=True),
    Column("average", "DOUBLE", _FINAL, lambda v: v.output.referee_final[AVERAGE], score=True),
    Column("evaluator_average", "DOUBLE", _BEFORE, lambda v: v.output.evaluator[AVERAGE], score=True),
    Column("objections", "BIGINT", _OBJECTIONS, lambda v: sum(not entry.agree for entry in v.output.critic)),
    Column("changed", "BIGINT", "how many scores the Referee changed", _changed),
)


def _talked(key: str, name: str, called: str) -> Iterable[Column]:
    def suggested(verdict: DialogueVerdict) -> Decimal | None:
        return next((entry.suggested_score for entry in verdict.output.critic if entry.criterion == key), None)

    yield Column(called, "DOUBLE", f"{name}: the final score", lambda v: v.rulings[key].value, score=True)
    yield Column(f"{called}_evaluator", "DOUBLE", f"{name}: the Evaluator's score", lambda v: _evaluated(v, key))
    yield Column(f"{called}_critic", "DOUBLE", f"{name}: what the Critic suggested, if it objected", suggested)


# -- review -----------------------------------------------------------------------------------------------------------


def _preferred(verdict: ReviewVerdict) -> Truth | None:
    if verdict.likert is None:
        return None
    value = verdict.likert.value
    return "tie" if value == NO_PREFERENCE else "A" if value < NO_PREFERENCE else "B"


def _counted(verdict: ReviewVerdict, action: str) -> int | None:
    if verdict.likert is None:
        return None
    lines = (verdict.likert, *verdict.response1_fixed_table, *verdict.response2_fixed_table)
    return sum(line.action == action for line in lines)


def _equal_ratings(verdict: ReviewVerdict) -> bool | None:
    """Return whether the judge itself rated both responses alike; None for identical responses, for invalid tasks, and
    if it did not assess everything."""
    opinion, (a, b) = verdict.opinion, (" ".join(text.split()) for text in (verdict.case.a, verdict.case.b))
    if opinion is None or verdict.likert is None or normalize("NFC", a) == normalize("NFC", b):
        return None
    rated = [each.ratings for each in opinion.responses.values()]
    if not all(one.assessed for ratings in rated for one in ratings.values()):
        return None  # what was not assessed has the same placeholder for both
    same = all(rated[0][key].value == one.value for key, one in rated[1].items())
    return same and opinion.preference == NO_PREFERENCE


def _entered(line: FinalRating | None) -> str | None:
    return line.original_rating or None if line else None


_SEVEN = "the preference: 1 response 1 is much better … 7 response 2 is much better"
_ALIKE = (
    "whether the judge gave both responses the same ratings and prefers neither; empty for identical responses, and "
    "where it did not assess everything"
)
_KIND = "what kind of task the judge took it for"
_REVIEW = (
    Column("winner", "VARCHAR", "A (response 1), B (response 2) or tie, as the preference says", _preferred),
    Column("likert", "BIGINT", _SEVEN, lambda v: v.likert and v.likert.value, score=True),
    Column("likert_entered", "VARCHAR", "the preference that was entered", lambda v: _entered(v.likert)),
    Column("likert_action", "VARCHAR", "kept, replaced, filled or refused", lambda v: v.likert and v.likert.action),
    Column("invalid", "VARCHAR", "why the task cannot be rated, if it cannot", lambda v: v.invalid),
    *(
        Column(action, "BIGINT", f"how many ratings were {action}", partial(_counted, action=action))
        for action in get_args(RatingAction)
    ),
    Column("task_type", "VARCHAR", _KIND, lambda v: v.opinion and v.opinion.task_type),
    Column("equal_totals", "BOOLEAN", _ALIKE, _equal_ratings),
)


def _rated(line: FinalRating | None) -> int | None:
    # If the judge could not assess it, a filled-in value is only a placeholder; a rating that was entered counts.
    return None if line is None or (not line.assessed and line.action == "filled") else line.value


def _reviewed(key: str, name: str, called: str) -> Iterable[Column]:
    for number, label in enumerate(LABELS, start=1):

        def cell(verdict: ReviewVerdict, of: Callable[[Any], Any], label: Label = label) -> Any:
            return of(verdict.table(label).get(key))

        column, about = f"{called}_{label.lower()}", f"{name} of response {number}"
        yield Column(column, "BIGINT", f"{about}: the final rating", partial(cell, of=_rated), score=True)
        yield Column(f"{column}_entered", "VARCHAR", f"{about}: what was entered", partial(cell, of=_entered))
        action = partial(cell, of=lambda line: line and line.action)
        yield Column(f"{column}_action", "VARCHAR", f"{about}: kept, replaced, filled or refused", action)


# -- all --------------------------------------------------------------------------------------------------------------

# The fixed columns of each protocol, and the function that makes those of one criterion.
_COLUMNS: dict[Protocol, tuple[tuple[Column, ...], Callable[[str, str, str], Iterable[Column]]]] = {
    "compare": (_COMPARE, _compared),
    "dialogue": (_DIALOGUE, _talked),
    "review": (_REVIEW, _reviewed),
}
# How the judge behaved. Verdicts of older versions do not have the last two.
CONDUCT = (
    Column(
        "replies",
        "BIGINT",
        "replies of models, each counted once however often it was repaired",
        lambda v: _replied(v)[0],
    ),
    Column(
        "repaired", "BIGINT", "how many of these had to be asked for again, wholly or partly", lambda v: _replied(v)[1]
    ),
    Column("quotes", "BIGINT", "quotes in these replies, as they first came", lambda v: v.quoted and v.quoted.given),
    Column("invented", "BIGINT", "how many of these are not in their text", lambda v: v.quoted and v.quoted.invented),
)
_EXPECTED = "what people would be expected to say, by the rubric's calibration for this judge"
_CALIBRATED = Column("calibrated", "DOUBLE", _EXPECTED, lambda v: v.calibrated and v.calibrated.value, score=True)


def _replied(verdict: Verdict) -> tuple[int, int]:
    return repaired_replies(call.purpose for call in verdict.calls)


def _codes(verdict: Verdict) -> str | None:
    """Return the distinct codes of the warnings, separated by spaces."""
    return " ".join(dict.fromkeys(warning.code for warning in verdict.warnings)) or None


FIRST = (
    Column("position", "BIGINT", "the case's place in the input, from 0"),
    Column("case", "VARCHAR", "the case's id"),
    Column("status", "VARCHAR", "verdict, failure, or skipped (a row that could not be judged)"),
)
LAST = (
    Column("judge", "VARCHAR", "who judged", lambda v: v.provenance.judge),
    Column("stage", "BIGINT", "which judge of a cascade decided, from 1", lambda v: len(v.stages) or None),
    Column("verdict_id", "VARCHAR", "the verdict's id, for `adjudge replay`"),
    Column("cost", "DECIMAL(24, 12)", "dollars; empty where the price is not known"),
    Column("input_tokens", "BIGINT", "tokens read by models"),
    Column("output_tokens", "BIGINT", "tokens written by models"),
    Column("tokens", "BIGINT", "both together"),
    Column("calls", "BIGINT", "replies behind the outcome"),
    Column("warnings", "VARCHAR", "codes of the verdict's warnings, separated by spaces", _codes),
    Column("reason", "VARCHAR", "why there is no verdict, in a word"),
    Column("message", "VARCHAR", "the same as a sentence"),
    Column("label", "VARCHAR", "what people said of the case"),
    Column("agrees", "BOOLEAN", "whether it says what the label says; undecided does not; empty for dialogues"),
    Column("system_a", "VARCHAR", "who wrote A"),
    Column("system_b", "VARCHAR", "who wrote B"),
)
WORDS = (
    Column("words_a", "BIGINT", "how many words A has"),
    Column("words_b", "BIGINT", "how many words B has"),
)


def own_columns(protocol: Protocol, criteria: Mapping[str, str], *, calibrated: bool = False) -> tuple[Column, ...]:
    """Return the columns of a protocol and these criteria (keys with names), plus one if the rubric is `calibrated`.

    If a column's name is already used by us or by an earlier criterion, the criterion is prefixed with `criterion_`.
    """
    fixed, of_criterion = _COLUMNS[protocol]
    made = [*fixed, *CONDUCT, *((_CALIBRATED,) if calibrated else ())]
    ours = {column.name.lower() for column in (*FIRST, *made, *LAST, *WORDS)}
    used: set[str] = set()
    for key, name in criteria.items():
        called, own = key, tuple(of_criterion(key, name, key))
        while called.lower() in ours or any(one.name.lower() in ours or one.name in used for one in own):
            called = f"criterion_{called}"
            own = tuple(of_criterion(key, name, called))
        made += own
        used |= {column.name for column in own}
    return tuple(made)


@lru_cache
def _filled(protocol: Protocol, keys: tuple[str, ...], calibrated: bool) -> tuple[Column, ...]:
    """Return the columns that are computed from a verdict. They are the same for all cases of a run."""
    columns = (*own_columns(protocol, dict.fromkeys(keys, ""), calibrated=calibrated), *LAST)
    return tuple(column for column in columns if column.of is not _nowhere)


def row_of(verdict: Verdict, label: str | None = None) -> Cells:
    """Compute the cells of a verdict; `label` is what people said of the case."""
    protocol: Protocol
    if isinstance(verdict, ComparisonVerdict):
        protocol, keys = "compare", tuple(verdict.criteria)
    elif isinstance(verdict, DialogueVerdict):
        protocol, keys = "dialogue", tuple(verdict.rulings)
    else:
        protocol, keys = "review", tuple(verdict.table("A"))
    columns = _filled(protocol, keys, verdict.calibrated is not None)
    cells = {column.name: column.of(verdict) for column in columns}
    return {**cells, "agrees": agreement(label, cells)}


def score_of(verdict: Verdict) -> Decimal | None:
    """Return the number that a calibration maps: A's lead on the rubric's scale, the average, or the preference."""
    if isinstance(verdict, ComparisonVerdict):
        return _lead(verdict)
    if isinstance(verdict, DialogueVerdict):
        return verdict.final_average
    return None if verdict.likert is None else Decimal(verdict.likert.value)


def calibrated_score(verdict: Verdict, calibration: SavedCalibration) -> CalibratedScore | None:
    """Map a verdict's number to the human scale. Return None if the calibration is for another judge or rubric."""
    made, score = verdict.provenance, score_of(verdict)
    if score is None or (made.judge, made.rubric) != (calibration.judge, calibration.rubric):
        return None
    value = plain(Decimal(repr(round(calibration.map.apply(float(score)), CALIBRATED_PLACES))))
    return CalibratedScore(what=calibration.what, value=value, method=calibration.map.kind, cases=calibration.cases)


def answer_of(verdict: Verdict) -> str:
    """Return a verdict as one word, to be counted and compared with a label."""
    if isinstance(verdict, ComparisonVerdict):
        return verdict.winner
    if isinstance(verdict, DialogueVerdict):
        return str(verdict.overall_experience)
    return "invalid" if verdict.likert is None else str(verdict.likert.value)


def agreement(label: object, cells: Mapping[str, Any]) -> bool | None:
    """Check whether a verdict agrees with a label: the same winner, or the same preference from 1 to 7.

    An undecided verdict agrees with no label. Return None if the two cannot be compared. A dialogue's rating is a
    number, of which we ask how far it is from people's, not whether it is the same: `adjudge agree` measures that.
    """
    if label is None or not cells:
        return None
    if (named := winner_of(label)) is not None:
        won = cells.get("winner")
        return None if won is None else bool(won == named and cells.get("decided") is not False)
    if not _NUMBER.fullmatch(said := str(label).strip()):
        return None
    given = cells.get("likert")
    return None if given is None else float(given) == float(said)


def winner_of(label: object) -> Truth | None:
    """Return the winner that a label names, or None."""
    names: dict[str, Truth] = {"a": "A", "b": "B", "tie": "tie"}
    return names.get(str(label).strip().lower())
