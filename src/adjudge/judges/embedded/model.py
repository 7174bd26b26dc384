"""The glass-box model: a weight for each measure, and what each of them moved; nothing to run but sums.

Every measure votes with its weight for the answer that has more (or less) of it, fully once the difference is plain.
The votes add up to the score; exchanging the answers turns the sign of every vote and of the score, to the last bit.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ...errors import InputError
from .harm_cues import is_harmful
from .measurement import Info
from .measures import MEASURES, Measured, measure_pair

if TYPE_CHECKING:
    from ...verdicts import Winner

PartName = Literal["helpful", "harmless"]
FORMAT = 1
NEAR, FAR = 0.15, 0.7  # in units of a measure's usual difference: where a vote is nearly full; the same by kind of task
SUPERFICIAL = 0.79  # no surer than this without a check or a flaw that speaks for the winner
NEVER = -60.0  # the level of a tie that cannot be
_HARD = 0.1  # how much these must speak for it
_UNKNOWN = frozenset(("math", "factual"))  # kinds of task that turn on what is not known here
_LESS = 0.6  # how much of the score counts for these
_LONG = "long"  # stands among the kinds: how much less another word counts in long answers


@dataclass(frozen=True, slots=True)
class Part:
    """One fitted comparison: `weights` by measure, `by_kind` by measure and kind of task, `tie` by shared measure."""

    scales: Mapping[str, float]
    weights: Mapping[str, float]
    by_kind: Mapping[str, Mapping[str, float]]
    tie: Mapping[str, float]
    sharpness: float


@dataclass(frozen=True, slots=True)
class Model:
    """Everything the shipped file holds; below `decide` a verdict is no decision."""

    parts: Mapping[str, Part]
    decide: float
    about: Mapping[str, Any] = field(default_factory=dict)


class Vote(NamedTuple):
    """What one measure moved: positive for A, negative for B."""

    measure: str
    moved: float

    @property
    def info(self) -> Info:
        """The measure itself."""
        return MEASURES[self.measure]


class Prediction(NamedTuple):
    """The model's word on one pair; `votes` add up to `score`, in their order."""

    score: float
    votes: tuple[Vote, ...]
    chances: Mapping[Winner, float]
    winner: Winner
    confidence: float
    decided: bool
    superficial: bool
    part: PartName

    @property
    def preference(self) -> Winner:
        """The better answer if it may not be a tie; a tie only where nothing at all speaks for either."""
        return "A" if self.score > 0 else "B" if self.score < 0 else "tie"

    @property
    def preference_confidence(self) -> float:
        """How likely the preferred answer is the better one, given that one of them is."""
        most = max(self.chances["A"], self.chances["B"])
        return most / (self.chances["A"] + self.chances["B"])

    def by_criterion(self) -> dict[str, float]:
        """What the measures of each criterion moved together."""
        moved: dict[str, float] = {}
        for vote in self.votes:
            moved[vote.info.criterion] = moved.get(vote.info.criterion, 0.0) + vote.moved
        return moved


def compare_pair(
    task: str, a: str, b: str, context: str = "", model: Model | None = None
) -> tuple[Measured, Prediction]:
    """Measure both answers and predict which one people would prefer; a harmful request has a model of its own."""
    model = load_model() if model is None else model
    part = part_for(model, task)
    measured = measure_pair(task, a, b, context, weighed=model.parts[part].scales)
    return measured, predict(model, measured, part)


def part_for(model: Model, task: str) -> PartName:
    """Which part of the model judges answers to this task."""
    return "harmless" if "harmless" in model.parts and _is_harmful(task) else "helpful"


_is_harmful = lru_cache(maxsize=64)(is_harmful)  # one task is often asked of many pairs


def predict(model: Model, measured: Measured, part: PartName = "helpful") -> Prediction:
    """Which answer, how sure, and what each measure moved."""
    fitted = model.parts[part]
    votes = cast_votes(fitted, measured)
    score = 0.0
    for vote in votes:
        score += vote.moved
    superficial = is_superficial(measured, votes, score)
    strength = fitted.sharpness * keenness(measured)
    chances = chances_of(strength * score, tie_level(fitted, measured), SUPERFICIAL if superficial else 1.0)
    winner: Winner = "tie"
    if max(chances["A"], chances["B"]) > chances["tie"] and score != 0:
        winner = "A" if score > 0 else "B"
    confidence = chances[winner]
    return Prediction(score, votes, chances, winner, confidence, confidence >= model.decide, superficial, part)


def cast_votes(part: Part, measured: Measured) -> tuple[Vote, ...]:
    """What each measure moves, those that move nothing left out."""
    votes = []
    a, b, short = measured.a, measured.b, brevity(measured)
    for name, scale in part.scales.items():
        difference = a[name].value - b[name].value
        if difference == 0:
            continue
        size = abs(difference) / scale
        moved = part.weights.get(name, 0.0) * math.tanh(size / NEAR)
        if name in part.by_kind:
            extra = 0.0
            for kind, weight in part.by_kind[name].items():
                if kind == _LONG or kind in measured.kinds:
                    extra += weight * (short if kind == _LONG else 1.0)
            moved += extra * math.tanh(size / FAR)
        if moved:
            votes.append(Vote(name, moved if difference > 0 else -moved))
    return tuple(votes)


def keenness(measured: Measured) -> float:
    """How much the score says: less where the task asks for a fact or a number."""
    return _LESS if measured.kinds & _UNKNOWN else 1.0


def brevity(measured: Measured) -> float:
    """Near 1 if both answers are short, near 0 if one of them has many hundred words."""
    return 1 / (1 + 2 ** measured.shared["longer"] / 200)


def tie_level(part: Part, measured: Measured) -> float:
    """How far the score must go for a winner: what speaks for a tie, from what both answers share."""
    level = part.tie.get("always", NEVER)
    for name, weight in part.tie.items():
        if name != "always":
            level += weight * measured.shared[name]
    return level


def chances_of(score: float, level: float, most: float = 1.0) -> dict[Winner, float]:
    """The chances of A, of B and of a tie, together 1; given that there is a winner, neither's is above `most`."""
    top = max(abs(score), level)
    better, worse, tie = math.exp(abs(score) - top), math.exp(-abs(score) - top), math.exp(level - top)
    either = better + worse
    total = either + tie
    if better > most * either:
        better, worse = most * either, (1 - most) * either
    first, second = (better, worse) if score > 0 else (worse, better)
    return {"A": first / total, "B": second / total, "tie": tie / total}


def is_superficial(measured: Measured, votes: tuple[Vote, ...], score: float) -> bool:
    """Whether nothing but the look of the answers speaks for the winner.

    To be sure takes checks or flaws that speak for it, as many key terms, and not twice the other's length; or that
    the other is no answer at all.
    """
    if measured.a["no_answer"].value != measured.b["no_answer"].value:
        return False
    hard = 0.0
    for vote in votes:
        if vote.info.theme in ("check", "flaw"):
            hard += vote.moved
    way = 1.0 if score > 0 else -1.0
    terms = measured.a["coverage"].value - measured.b["coverage"].value
    length = measured.a["length"].value - measured.b["length"].value
    return hard * way <= _HARD or terms * way < 0 or length * way >= 1


@lru_cache(maxsize=1)
def load_model() -> Model:
    """The shipped model."""
    return parse_model(Path(__file__).with_name("model.json").read_text("utf-8"), "model.json")


def read_model(path: Path) -> Model:
    """A user's own model."""
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise InputError(str(path), (error.strerror or str(error)).lower(), "a model that `fit` wrote") from None
    except UnicodeDecodeError:
        raise InputError(str(path), "not text", "a model that `fit` wrote") from None
    return parse_model(text, str(path))


def digest_of(model: Model) -> str:
    """A short name for exactly these weights."""
    import hashlib  # loads OpenSSL, which not everybody needs who comes by here

    return hashlib.sha256(write_model(model).encode()).hexdigest()[:12]


def parse_model(text: str, place: str) -> Model:
    """A model from its JSON."""
    try:
        data = json.loads(text)
        if data["format"] != FORMAT:
            raise InputError(place, f"format {data['format']}", f"this version reads format {FORMAT}; fit it again")
        parts = {
            name: Part(part["scales"], part["weights"], part["by_kind"], part["tie"], part["sharpness"])
            for name, part in data["parts"].items()
        }
        model = Model(parts, data["decide"], data.get("about", {}))
        unknown = sorted({name for part in parts.values() for name in part.scales} - set(MEASURES))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(place, "no embedded model", "a file that `fit` wrote") from error
    if unknown or "helpful" not in parts:
        raise InputError(
            place, f"unknown measures {', '.join(unknown)}" if unknown else "no helpful part", "fit it again"
        )
    return model


def write_model(model: Model) -> str:
    """The model as JSON: sorted, rounded, the same bytes for the same fit."""
    data = {
        "format": FORMAT,
        "decide": model.decide,
        "about": model.about,
        "parts": {
            name: {
                "scales": dict(part.scales),
                "weights": dict(part.weights),
                "by_kind": {measure: dict(kinds) for measure, kinds in part.by_kind.items()},
                "tie": dict(part.tie),
                "sharpness": part.sharpness,
            }
            for name, part in model.parts.items()
        },
    }
    return json.dumps(data, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
