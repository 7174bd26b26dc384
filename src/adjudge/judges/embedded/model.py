"""The comparison model: a weight for each measure, and the ranges that the labels it was fitted to cover.

Each measure votes for the answer that has more (or less) of it, and the votes add up to the score. Swapping the answers
flips the sign of every vote and of the score exactly. Outside the range of its labels the model does not decide.
"""

from __future__ import annotations

import hashlib
import heapq
import json
import math
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, ValidationError

from ...errors import InputError, plain_reason
from ...files import user_path
from ...models.common import Winner
from .measures import COUNTS, MEASURES, Measured, measure_pair

NEAR = 0.5  # the difference, in units of a measure's usual difference, at which its vote is nearly full
NEVER = -60.0  # the tie level that rules out a tie
NEARLY_SAME = 0.7  # share of common words above which two answers count as partly the same
TASK_LENGTH = "task"  # the key of the task's length among the ranges
_NEEDED = "a model file written by `adjudge embedded fit` of this version is needed"


class Model(BaseModel):
    """The contents of a model file. `scales` are the usual differences by measure, `ranges` what the labels cover.
    `tie` holds the level of a tie (`alike` is added for similar words), `decide` the lowest confidence that decides."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[3] = 3
    weights: dict[str, float]
    scales: dict[str, float]
    ranges: dict[str, tuple[float, float]]
    tie: dict[str, float]
    sharpness: float = 1.0
    decide: float = 0.0
    about: dict[str, Any] = {}


class Vote(NamedTuple):
    """How far one measure moved the score: positive for A, negative for B."""

    measure: str
    moved: float


Doubt = Literal["", "unweighted", "declined", "range", "alike", "unsure"]


class Prediction(NamedTuple):
    """The model's prediction for one pair. `votes` add up to `score`. If the model does not decide, `doubt` says why.
    If measures are out of range, `outside` names them."""

    score: float
    votes: tuple[Vote, ...]
    chances: Mapping[Winner, float]
    winner: Winner
    confidence: float
    doubt: Doubt
    outside: tuple[str, ...] = ()

    @property
    def decided(self) -> bool:
        return not self.doubt

    @property
    def preference(self) -> Winner:
        """The better answer if ties are not allowed. It is "tie" only if the score is exactly 0."""
        return "A" if self.score > 0 else "B" if self.score < 0 else "tie"

    @property
    def preference_confidence(self) -> float:
        """The probability that the preferred answer is the better one, given that it is not a tie."""
        either = self.chances["A"] + self.chances["B"]
        return max(self.chances["A"], self.chances["B"]) / either if either else 0.5


def compare_pair(task: str, a: str, b: str, model: Model | None = None) -> tuple[Measured, Prediction]:
    """Measure both answers and predict which one people would prefer."""
    measured = measure_pair(task, a, b)
    return measured, predict(model or load_model(), measured)


def votes_of(model: Model, measured: Measured) -> tuple[Vote, ...]:
    """Return the vote of each measure that differs between the answers."""
    votes: list[Vote] = []
    if measured.same:
        return ()
    for name, weight in model.weights.items():
        apart = (measured.a[name].value - measured.b[name].value) / model.scales[name]
        if moved := weight * math.tanh(apart / NEAR):
            votes.append(Vote(name, moved))
    return tuple(votes)


def predict(model: Model, measured: Measured, counted: Collection[str] = MEASURES) -> Prediction:
    """Predict the better answer from the measures that count, with a confidence and the vote of each of them."""
    votes = tuple(vote for vote in votes_of(model, measured) if vote.measure in counted)
    if measured.same:
        return Prediction(0.0, (), {"A": 0.0, "B": 0.0, "tie": 1.0}, "tie", 1.0, "")
    score = 0.0
    for vote in votes:
        score += vote.moved
    level = model.tie.get("always", NEVER) + model.tie.get("alike", 0.0) * nearly_same(measured)
    chances = chances_of(model.sharpness * score, level)
    winner: Winner = "tie"
    if max(chances["A"], chances["B"]) > chances["tie"] and score != 0:
        winner = "A" if score > 0 else "B"
    # An empty or placeholder answer is recognised by that alone, so its other measures may be out of range.
    answers = [side for side in (measured.a, measured.b) if not side["empty"].value]
    seen = {name: [side[name].value for side in answers] for name in COUNTS} | {TASK_LENGTH: [measured.task]}
    outside = tuple(
        name for name, (low, high) in model.ranges.items() if not all(low <= value <= high for value in seen[name])
    )
    doubts: dict[Doubt, bool] = {
        "unweighted": not counted,
        # Whether it is right to decline depends on what was asked, which no measure can tell.
        "declined": any(measured.refusals),
        "range": bool(outside),
        # What sets nearly the same words apart may be a full stop, or a "not".
        "alike": winner == "tie" and nearly_same(measured) > 0,
        "unsure": winner == "tie" or chances[winner] < model.decide,
    }
    doubt: Doubt = next((name for name, holds in doubts.items() if holds), "")
    return Prediction(score, votes, chances, winner, chances[winner], doubt, outside)


def nearly_same(measured: Measured) -> float:
    """Return 0 to 1 as two answers share from 70% to all of their words, or 0 if one breaks more constraints."""
    if measured.a["broken"].value != measured.b["broken"].value:
        return 0.0
    return max(0.0, measured.alike - NEARLY_SAME) / (1 - NEARLY_SAME)


def chances_of(score: float, level: float) -> dict[Winner, float]:
    """Return the probabilities of A, B and a tie, which add up to 1."""
    top = max(abs(score), level)
    a, b, tie = math.exp(score - top), math.exp(-score - top), math.exp(level - top)
    total = a + b + tie
    return {"A": a / total, "B": b / total, "tie": tie / total}


@cache
def load_model() -> Model:
    """Load the shipped model."""
    return read_model(Path(__file__).with_name("model.json"))


def read_model(path: Path) -> Model:
    """Read a model from its file."""
    try:
        return parse_model(path.read_text("utf-8"), str(path))
    except OSError as error:
        raise InputError(str(path), plain_reason(error), _NEEDED) from None
    except UnicodeDecodeError:
        raise InputError(str(path), "not text", _NEEDED) from None


def parse_model(text: str, place: str) -> Model:
    """Parse a model from its JSON; `place` is named in errors."""
    try:
        model = Model.model_validate_json(text)
    except ValidationError as error:
        raise InputError(place, "not a model of the embedded judge", _NEEDED) from error
    if unknown := sorted(({*model.weights} - {*MEASURES}) | ({*model.ranges} - {*COUNTS, TASK_LENGTH})):
        raise InputError(place, f"unknown measures {', '.join(unknown)}", "fit it again")
    return model


def write_model(model: Model) -> str:
    """Return the model as JSON with sorted keys, so that the same fit gives the same bytes."""
    return json.dumps(model.model_dump(), indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def digest_of(model: Model) -> str:
    """Return a short hash of the whole model, to recognise it by."""
    return hashlib.sha256(write_model(model).encode()).hexdigest()[:12]


# -- sets it was developed on -----------------------------------------------------------------------------------------

# Results on sets that the judge was fitted to, or that we looked at while making it, prove nothing. A set is recognised
# by its texts, whatever its file is called: the package holds hashes of a few tasks of each set.
KEPT = 24  # hashes of each set; enough to recognise a random tenth of it in 92 of 100 draws
SEEN_SETS = Path(__file__).with_name("seen_sets.json")


def text_hash(text: str) -> str:
    """Return a short hash of a task or of a whole conversation, ignoring white space."""
    return hashlib.blake2b(" ".join(text.split()).encode(), digest_size=6).hexdigest()


def sketch(texts: Iterable[str]) -> list[str]:
    """Return the smallest hashes of the different texts. Sets that share some of them share texts."""
    return heapq.nsmallest(KEPT, set(map(text_hash, texts)))


def seen_sets(judges: Iterable[str], file: str, texts: Iterable[str]) -> tuple[str, ...]:
    """Return the sets that these texts come from and that an embedded judge among `judges` was developed on.

    A model that the user fitted also records the name of its file of labels, which is compared with `file`.
    """
    names = [name for name in judges if name.partition(":")[0] == "embedded"]
    if not names:
        return ()
    hashes = set(map(text_hash, texts))
    known = json.loads(SEEN_SETS.read_text("utf-8"))
    # Check the shipped sets for every model: a fit replaces only the weights for comparisons, not the dialogue rules.
    found = [name for name, kept in known.items() if hashes.intersection(kept)]
    for _, own, model in (name.partition(":") for name in names):
        if own and read_model(user_path(model)).about.get("labels") == file:
            found.append(file)
    return tuple(found)
