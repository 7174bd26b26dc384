"""The model: a weight for each measure, added up; and what the labels it was fitted to looked like.

Each measure votes for the answer that has more (or less) of it. The votes add up to the score; exchanging the answers
turns the sign of every vote and of the score, to the last bit. Outside the range of its labels it does not decide.
"""

from __future__ import annotations

import hashlib
import heapq
import json
import math
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, ValidationError

from ...errors import InputError, plain_reason
from ...files import user_path
from ...models import Winner
from .measures import DECLINED, MEASURES, Measured, measure_pair

NEAR = 0.5  # in units of a measure's usual difference: where a vote is nearly full
NEVER = -60.0  # the level of a tie that cannot be
NEARLY_SAME = 0.7  # share of common words from which on two answers begin to be the same
TASK_LENGTH = "task"  # stands among the ranges
_NEEDED = "a file that `adjudge embedded fit` of this version wrote is needed"


class Model(BaseModel):
    """Everything a model file holds: weights and usual differences by measure, the ranges of the labels, how a tie is
    told (`always`, and `alike` for answers with nearly the same words), and from which confidence on it decides."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[2] = 2
    weights: dict[str, float]
    scales: dict[str, float]
    ranges: dict[str, tuple[float, float]]
    tie: dict[str, float]
    sharpness: float = 1.0
    decide: float = 0.0
    about: dict[str, Any] = {}


class Vote(NamedTuple):
    """What one measure moved: positive for A, negative for B."""

    measure: str
    moved: float


Doubt = Literal["", "unsure", "range", "declined"]


class Prediction(NamedTuple):
    """The model's word on one pair; `votes` add up to `score`. `doubt` says why it does not decide, if so; of a doubt
    about the range `outside` names the measures."""

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
        """The better answer if it may not be a tie; a tie only where nothing at all speaks for either."""
        return "A" if self.score > 0 else "B" if self.score < 0 else "tie"

    @property
    def preference_confidence(self) -> float:
        """How likely the preferred answer is the better one, given that one of them is."""
        either = self.chances["A"] + self.chances["B"]
        return max(self.chances["A"], self.chances["B"]) / either if either else 0.5


def compare_pair(task: str, a: str, b: str, model: Model | None = None) -> tuple[Measured, Prediction]:
    """Measure both answers and predict which one people would prefer."""
    measured = measure_pair(task, a, b)
    return measured, predict(model or load_model(), measured)


def predict(model: Model, measured: Measured) -> Prediction:
    """Which answer, how sure, and what each measure moved."""
    a, b = measured.a, measured.b
    apart = {name: (a[name].value - b[name].value) / model.scales[name] for name in model.weights}
    moved = {name: weight * math.tanh(apart[name] / NEAR) for name, weight in model.weights.items()}
    votes = tuple(Vote(name, by) for name, by in moved.items() if by)
    if measured.alike == 1 and not votes:
        # The same words as often are a tie, whatever they are about.
        return Prediction(0.0, (), {"A": 0.0, "B": 0.0, "tie": 1.0}, "tie", 1.0, "")
    score = 0.0
    for vote in votes:
        score += vote.moved
    level = model.tie.get("always", NEVER) + model.tie.get("alike", 0.0) * nearly_same(measured)
    chances = chances_of(model.sharpness * score, level)
    winner: Winner = "tie"
    if max(chances["A"], chances["B"]) > chances["tie"] and score != 0:
        winner = "A" if score > 0 else "B"
    # What is no answer at all is known without its other measures.
    answers = [side for side in (a, b) if side["no_answer"].value < 1]
    seen = {name: [side[name].value for side in answers] for name in MEASURES} | {TASK_LENGTH: [measured.task]}
    outside = tuple(
        name for name, (low, high) in model.ranges.items() if not all(low <= value <= high for value in seen[name])
    )
    doubt: Doubt = "unsure" if chances[winner] < model.decide else "range" if outside else ""
    # Whether it was right to decline depends on what was asked, and that no measure tells.
    if not doubt and (a["no_answer"].value == DECLINED) != (b["no_answer"].value == DECLINED):
        doubt = "declined"
    return Prediction(score, votes, chances, winner, chances[winner], doubt, outside)


def nearly_same(measured: Measured) -> float:
    """From 0 to 1 as two answers share from most to all of their words; 0 where one breaks what the other keeps."""
    if measured.a["broken"].value != measured.b["broken"].value:
        return 0.0
    return max(0.0, measured.alike - NEARLY_SAME) / (1 - NEARLY_SAME)


def chances_of(score: float, level: float) -> dict[Winner, float]:
    """The chances of A, of B and of a tie, together 1."""
    top = max(abs(score), level)
    a, b, tie = math.exp(score - top), math.exp(-score - top), math.exp(level - top)
    total = a + b + tie
    return {"A": a / total, "B": b / total, "tie": tie / total}


@cache
def load_model() -> Model:
    """The shipped model."""
    return read_model(Path(__file__).with_name("model.json"))


def read_model(path: Path) -> Model:
    """A model from its file."""
    try:
        return parse_model(path.read_text("utf-8"), str(path))
    except OSError as error:
        raise InputError(str(path), plain_reason(error), _NEEDED) from None
    except UnicodeDecodeError:
        raise InputError(str(path), "not text", _NEEDED) from None


def parse_model(text: str, place: str) -> Model:
    """A model from its JSON."""
    try:
        model = Model.model_validate_json(text)
    except ValidationError as error:
        raise InputError(place, "not a model of the embedded judge", _NEEDED) from error
    if unknown := sorted({*model.weights, *model.ranges} - {*MEASURES, TASK_LENGTH}):
        raise InputError(place, f"unknown measures {', '.join(unknown)}", "fit it again")
    return model


def write_model(model: Model) -> str:
    """The model as JSON: sorted, the same bytes for the same fit."""
    return json.dumps(model.model_dump(), indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def digest_of(model: Model) -> str:
    """A short name for exactly these weights."""
    return hashlib.sha256(write_model(model).encode()).hexdigest()[:12]


# -- what it was made with --------------------------------------------------------------------------------------------

# Nothing can be claimed on sets that the judge was fitted to, or that were looked at while it was made. A set is
# recognised by its texts, whatever its file is called: the package has hashes of a few of each set's tasks.
KEPT = 24  # of each set: a random tenth of it is still recognised in 92 of 100 draws
SEEN_SETS = Path(__file__).with_name("seen_sets.json")


def text_hash(text: str) -> str:
    """A short hash of a task or of a whole conversation; white space aside."""
    return hashlib.blake2b(" ".join(text.split()).encode(), digest_size=6).hexdigest()


def sketch(texts: Iterable[str]) -> list[str]:
    """The smallest hashes of different texts, by which a set that shares them is recognised."""
    return heapq.nsmallest(KEPT, set(map(text_hash, texts)))


def seen_sets(judges: Iterable[str], file: str, texts: Iterable[str]) -> tuple[str, ...]:
    """The sets with texts among these that an embedded judge among `judges` saw while it was made.

    Of a model that the user fitted, the name of the file of labels is known too.
    """
    names = [name for name in judges if name.partition(":")[0] == "embedded"]
    if not names:
        return ()
    hashes = set(map(text_hash, texts))
    known = json.loads(SEEN_SETS.read_text("utf-8"))
    # The rules of dialogues are the same for every model, and only the weights of comparisons are fitted anew.
    found = [name for name, kept in known.items() if hashes.intersection(kept)]
    for _, own, model in (name.partition(":") for name in names):
        if own and read_model(user_path(model)).about.get("labels") == file:
            found.append(file)
    return tuple(found)
