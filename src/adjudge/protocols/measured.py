"""What a protocol says of its verdicts as figures: how they are compared with people's labels, and in which words.

A verdict is one of a few classes (who wins, pass or fail) or a number on a scale. A number may also prefer one of two
sides; then it is compared as the class of that side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..models.common import LABELS, Order, Winner
from ..rubric import Criterion, Scale

if TYPE_CHECKING:  # SciPy takes seconds to load
    from ..statistics.agreement import Level, Value

SIDES = (LABELS[0], "tie", LABELS[1])


@dataclass(frozen=True, kw_only=True)
class CalibrationWords:
    """What a calibration maps: the judge's number, and people's."""

    judge: str
    people: str


@dataclass(frozen=True, kw_only=True)
class LabelledSets:
    """The files with human labels that `adjudge bench` measures judges on. `text` returns that of a case by which a set
    is recognised. `plain_text` says whether cases are also read from text files."""

    text: Callable[[Any], str]
    plain_text: bool = False


@dataclass(frozen=True, kw_only=True)
class MeasureRules:
    """How verdicts are compared with labels.

    In SQL on the run's table `r`:
    - `value` is the verdict in the terms of labels; of an undecided one, the best guess.
    - `number` is the number behind it: the higher, the nearer to the first class, or to the top of the scale.
    - `confidence`, from 0 to 1, and `ending`: why a verdict is not counted, `undecided` or `invalid`.
    - `orders` says whether the verdict is the same in both orders of the answers, `critic` whether a second judge
      objects to nothing.

    As values:
    - `classes`, in their order; empty if verdicts are compared as numbers. `names` are their names in reports.
    - `middle` is the number that prefers neither side, if numbers prefer one: a lower one is for A.
    - `level` is that of people's labels, and `measures` are the figures of the judge against them.
    - `weighted`: the criteria's weights make up the number behind a verdict. `goodness` returns how good a score of a
      criterion is, None if the criterion only sums up the others.

    From a verdict or a case:
    - `jury_votes` returns what the members of a jury said, one set for each time they were asked.
    - `winners` returns the winner in each order, from a verdict as stored.
    - `explanation` returns the judge's reason and quotes with their sources, for a criterion if there is one.
    - `length` returns how long a case is, from the case as stored; `unit` is what it counts.

    `order` and `reading` are words for reports: what rank correlations rest on, and how to read the figures.
    """

    value: str
    number: str | None = None
    confidence: str | None = None
    ending: str | None = None
    orders: str | None = None
    critic: str | None = None

    classes: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    middle: int | None = None
    level: Level = "nominal"
    measures: tuple[str, ...] = ("accuracy", "kappa", "ac1", "alpha_nominal")
    weighted: bool = False
    goodness: Callable[[Criterion, float], float | None] = lambda _, score: score

    jury_votes: Callable[[Any], Sequence[set[Any]]] = lambda _: ()
    winners: Callable[[Mapping[str, Any]], Mapping[Order, Winner]] | None = None
    explanation: Callable[[Any, str | None], tuple[str, Iterable[tuple[str, str]]]] = lambda *_: ("", ())
    length: Callable[[Mapping[str, Any]], int] | None = None
    unit: str = "words"

    order: str = "the verdict"
    reading: str = ""
    calibration: CalibrationWords = CalibrationWords(judge="the judge’s number", people="people’s label as a number")
    sets: LabelledSets | None = None

    @property
    def numeric(self) -> bool:
        """Whether verdicts are compared by their distance, not by their class."""
        return not self.classes

    @property
    def of_numbers(self) -> bool:
        """Whether verdicts and labels are numbers, also if they are compared by the side that they prefer."""
        return self.numeric or self.middle is not None

    @property
    def headline(self) -> tuple[str, str]:
        """The measures for comparing judges, people, simple rules, and runs over time."""
        return ("mae", "spearman") if self.numeric else ("accuracy", "kappa")

    def class_of(self, value: Value | None, scale: Scale | None = None) -> Any:
        """Return the class of a verdict or label: the side that it prefers or, if verdicts are numbers, the nearest
        step of the scale (the lower of two)."""
        if value is None or isinstance(value, str):
            return value
        if self.middle is not None:
            return "A" if value < self.middle else "B" if value > self.middle else "tie"
        return value if scale is None else min(map(float, scale.values), key=lambda step: (abs(step - value), step))

    def place_of(self, value: Value | None) -> float | None:
        """Return a number, or the place of a class among all: −1, 0 and 1 for three."""
        return self.classes.index(value) - (len(self.classes) - 1) / 2 if isinstance(value, str) else value

    def worth_of(self, value: Value) -> float:
        """Return a number, or how near a class is to the first: 1 if it is that one, ½ for a tie."""
        return 1 - self.classes.index(value) / (len(self.classes) - 1) if isinstance(value, str) else value

    def name_of(self, value: Value) -> str:
        """Write a class or a number for a report."""
        return self.names.get(value, value) if isinstance(value, str) else f"{value:g}"
