"""What a protocol says of labels: what a person is shown and asked, how labels of other tools are read, and which
verdicts are worth a second look.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from types import MappingProxyType
from typing import Any, NamedTuple

import orjson

from ..arithmetic import to_decimal
from ..errors import InputError
from ..models.common import Order
from ..rubric import Criterion, Rubric, Scale

SHOWN_AS = ("Answer 1", "Answer 2")
_KEYS_AT_MOST = 9


@dataclass(frozen=True)
class ShownCase:
    """All that a person may see of a case: titled texts, and the two answers if it has two. No verdict, no source."""

    before: tuple[tuple[str, str], ...]
    answers: tuple[str, str] | None = None

    @property
    def digest(self) -> str:
        return hashlib.blake2b(orjson.dumps([self.before, self.answers]), digest_size=8).hexdigest()


class LabelQuestion(NamedTuple):
    """A question about a case: its criterion (None for the whole case), its words, the meaning of each answer, and the
    values of what may be typed. `keys` says whether every answer is a single key. The meanings refer to the answers as
    they are shown, the values to the case itself. `names` are shown on pages instead of numbers, by what is typed.
    """

    criterion: str | None
    words: str
    meanings: Sequence[tuple[str, str]]
    answers: Mapping[str, Any]
    keys: bool = True
    names: Mapping[str, str] = MappingProxyType({})


class RatedCriterion(NamedTuple):
    """A criterion that people may rate: its column in the run's table, the question, and its name in reports.

    `meanings` are those of values of its scale, `names` what pages show instead of them. `place` says which of two
    answers is rated: 0 or 1. `offered` has the values that people choose from, if not all of its scale.
    """

    criterion: Criterion
    column: str
    words: str
    name: str
    meanings: Mapping[str, str]
    place: int = 0
    offered: Scale | None = None
    names: Mapping[str, str] = MappingProxyType({})


class LeftOut(NamedTuple):
    """A cell of the input's own labels that does not count, and what such cells are."""

    why: str


def read_number(words: Any, _: Scale | None = None) -> Decimal | None:
    """Read a number; None if it is none."""
    return None if isinstance(words, bool) else to_decimal(words.strip() if isinstance(words, str) else words)


@dataclass(frozen=True, kw_only=True)
class LabelRules:
    """How people label the cases of a protocol. A label's value is one of a few classes or a number on a scale.

    The question:
    - `show` returns what a person may see of a case.
    - `choices` are the classes with the key and the meaning of each: `(("y", "yes", "it is right"), …)`. The two
      answers of a comparison are called as in `SHOWN_AS`, in the words of a scale too; the first is A.
    - `scale` is that of a number; `meanings` returns the words for its values.
    - `criteria` returns the criteria that people may rate besides, in the order of the questions, if they may rate any.
      `without_criteria` says why they may not.

    Labels of other tools:
    - `read_class` reads a class from a cell and the names of the two systems, if there are any; it raises InputError.
    - `read_number` reads a number for a scale; `allowed` says what numbers are read.
    - `usual_scale` is one on which people often rate instead; such ratings are stretched to `scale`.
    - `id_columns` and `value_columns` are names that their files often give to the columns of ids and of labels.
    - `own_label` returns the label in a stored case of the input, perhaps of several people. `own_note` is what a
      reader should know of such labels.
    - `value` names what a label is.

    Worth labelling:
    - `doubts` are reasons in the judge's own output to doubt a verdict, in SQL on the run's table `r`.
    - `margin` is how far a verdict is from a different one, in the same SQL.
    """

    question: str
    show: Callable[[Any], ShownCase]
    value: str = "one of its classes"
    choices: tuple[tuple[str, str, str], ...] = ()
    scale: Callable[[Rubric], Scale] | None = None
    meanings: Callable[[Rubric], Mapping[str, str]] = lambda _: {}
    criteria: Callable[[Rubric, Order], Iterable[RatedCriterion]] | None = None
    without_criteria: str = "people label a case of this run as a whole"
    read_class: Callable[[Any, tuple[str, str] | None], str | None] | None = None
    read_number: Callable[[Any, Scale], Decimal | None] = read_number
    allowed: Callable[[Scale], str] = lambda scale: f"a number from {scale.low} to {scale.high}"
    usual_scale: Scale | None = None
    id_columns: tuple[str, ...] = ()
    value_columns: tuple[str, ...] = ()
    own_label: Callable[[Mapping[str, Any]], Any] = lambda line: line["label"]
    own_note: str = ""
    doubts: Mapping[str, str] = field(default_factory=dict)
    margin: Callable[[Rubric], str] = lambda _: "0"

    def class_from(self, words: Any, systems: tuple[str, str] | None = None) -> str | None:
        """Read the class that a cell names. Raise InputError if it names none."""
        if self.read_class is not None:
            return self.read_class(words, systems)
        names = {value.lower(): value for _, value, _ in self.choices}
        if (found := names.get(str(words).strip().lower())) is None:
            raise InputError("label", f"{words!r:.60} is not a label", f"one of {', '.join(names.values())}")
        return found

    def names_class(self, words: str) -> bool:
        """Check whether words name a class."""
        try:
            return self.class_from(words) is not None
        except InputError:
            return False

    def questions(self, rubric: Rubric, order: Order, *, two_sides: bool, criteria: bool) -> list[LabelQuestion]:
        """Return the questions about a case whose answers, if it has two, are shown in this order."""
        turned = two_sides and order == "ba"
        if self.scale is None:
            swapped = {"A": "B", "B": "A"} if turned else {}
            meanings = [(key, words) for key, _, words in self.choices]
            answers = {key: swapped.get(value, value) for key, value, _ in self.choices}
            asked = LabelQuestion(None, self.question, meanings, answers)
        else:
            scale = self.scale(rubric)
            asked = on_scale(None, self.question, scale, self.meanings(rubric))
            if turned:
                both = scale.low + scale.high
                asked = asked._replace(answers={key: both - value for key, value in asked.answers.items()})
        rated = self.criteria(rubric, order) if criteria and self.criteria else ()
        return [asked, *map(_rating, rated)]


def on_scale(criterion: str | None, words: str, scale: Scale, meanings: Mapping[str, str]) -> LabelQuestion:
    """Build a question for a value on a scale. If all values are single digits, they are the keys; else the keys number
    the steps from 1. If neither works (-2 to 2, 1 to 10), the person types the number.
    """
    values = {str(value): value for value in scale.values}
    steps = {str(number): value for number, value in enumerate(scale.values, 1)}
    if all(len(name) == 1 for name in values):
        answers, named = values, dict.fromkeys(values, "")
    elif len(values) <= _KEYS_AT_MOST and not values.keys() & steps.keys():
        answers, named = {**steps, **values}, {key: str(value) for key, value in steps.items()}
    else:
        return LabelQuestion(criterion, words, [(name, meanings.get(name, "")) for name in values], values, keys=False)
    listed = [
        (key, ": ".join(filter(None, (number, meanings.get(str(answers[key]), ""))))) for key, number in named.items()
    ]
    return LabelQuestion(criterion, words, listed, answers)


def _rating(each: RatedCriterion) -> LabelQuestion:
    asked = on_scale(each.column, each.words, each.offered or each.criterion.scale, each.meanings)
    return asked._replace(names={key: each.names.get(str(value), str(value)) for key, value in asked.answers.items()})


def titled(*texts: tuple[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the titled texts that are not empty."""
    return tuple((title, text) for title, text in texts if text.strip())
