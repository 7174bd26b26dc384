"""Named measures of two answers to one task: each a number, the criterion it speaks to, words, and perhaps a place.

Every measure is taken by the same function for either answer, so exchanging the answers exchanges the measures.
Nothing here knows what a measure is worth; that is the model's business.
"""

from __future__ import annotations

import math
from collections.abc import Container, Mapping
from typing import NamedTuple

from . import measures_facts, measures_form, measures_substance, measures_task
from .check import Check
from .checks import check_answer
from .closeness import same_length, same_words
from .measurement import Info, Measurement
from .reading import Answer, Task, read_answer, read_context, read_task

__all__ = ["MEASURES", "Info", "Measured", "Measurement", "measure_pair"]

MEASURES: Mapping[str, Info] = {
    **measures_form.INFO,
    **measures_task.INFO,
    **measures_facts.INFO,
    **measures_substance.INFO,
}


_FIRST = 10  # words


class Measured(NamedTuple):
    """Both answers measured, with what is true of the pair as a whole; `shared` does not change when they swap."""

    a: Mapping[str, Measurement]
    b: Mapping[str, Measurement]
    shared: Mapping[str, float]
    kinds: frozenset[str]
    checks_a: tuple[Check, ...]
    checks_b: tuple[Check, ...]

    def swapped(self) -> Measured:
        """The same with the answers exchanged."""
        return Measured(self.b, self.a, self.shared, self.kinds, self.checks_b, self.checks_a)


def measure_pair(task: str, a: str, b: str, context: str = "", weighed: Container[str] = MEASURES) -> Measured:
    """All measures of both answers, but for costly ones of the surface that are not among those weighed."""
    read = read_task(task)
    first, second = read_answer(a), read_answer(b)
    passages = read_context(context)
    checks_a, checks_b = check_answer(read, first), check_answer(read, second)
    one: dict[str, Measurement] = {}
    two: dict[str, Measurement] = {}
    for own, other, checks, into in ((first, second, checks_a, one), (second, first, checks_b, two)):
        measures_form.measure(own, into, weighed)
        measures_task.measure(read, own, other, passages, checks, into)
        measures_facts.measure(read, own, into)
        measures_substance.measure(read, own, into)
    return Measured(
        a=one,
        b=two,
        shared=_shared(read, first, second, (checks_a, checks_b)),
        kinds=read.kinds,
        checks_a=tuple(checks_a),
        checks_b=tuple(checks_b),
    )


def _shared(task: Task, a: Answer, b: Answer, checks: tuple[list[Check], list[Check]]) -> dict[str, float]:
    """How alike and how long the two are, and how much could be checked; the same in either order."""
    both = len(a.content & b.content)
    either = len(a.content | b.content)
    least, most = min(a.count, b.count), max(a.count, b.count)
    groups = {check.group for side in checks for check in side}
    wording = 2 * len(a.fours & b.fours) / max(1, len(a.fours) + len(b.fours))
    # Whatever they share: where code saw one of them break more of what was asked for, they are not as good as one.
    broken_a, broken_b = (sum(not check.kept for check in side) for side in checks)
    near = 1.0 if broken_a == broken_b else 0.0
    return {
        "alike": both / either if either else 1.0,
        "same_wording": wording,
        "nearly_same": near * max(0.0, wording - 0.7) / 0.3,
        "shorter": math.log2(1 + least),
        "longer": math.log2(1 + most),
        "ratio": math.log2((most + 4) / (least + 4)),
        "task_words": math.log2(1 + len(task.words)),
        "checked": float(len(groups)),
        "same_words": near * same_words(a, b),
        "same_length": near * same_length(a, b),
        "identical": 1.0 if _same_but_for_spaces(a.plain, b.plain) else 0.0,
    }


def _same_but_for_spaces(one: str, two: str) -> bool:
    """Most texts differ in their first words, and then the rest need not be split."""
    return one.split(None, _FIRST)[:_FIRST] == two.split(None, _FIRST)[:_FIRST] and one.split() == two.split()
