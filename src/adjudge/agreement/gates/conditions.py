"""Reads the conditions of a gate, such as `pass_rate < 0.9`, and says which figures a run of a protocol offers.

It needs no run, so that a bad condition is refused before anything is paid.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast

from ...errors import InputError
from ...protocols.base import Protocol
from ...protocols.figures import GateFigure
from ...rubric import Rubric
from ...spelling import did_you_mean
from . import COMMON_FIGURES, COST, FAILED, UNDECIDED_SHARE
from .meant import hint

Operator = Literal["<", "<=", ">", ">="]
_DISTANCES = ("mae", "mae_average")  # of the measures of agreement; the others are between −1 and 1
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)"
_CONDITION = re.compile(
    rf"(?P<name>\w+)\s*(?P<operator><=|>=|<|>)\s*"
    rf"(?:(?P<limit>{_NUMBER})|(?P<baseline>baseline)(?:\s*(?P<sign>[+-])\s*(?P<margin>{_NUMBER.removeprefix('[+-]?')}))?)"
)
_FORM = "FIGURE < NUMBER, or with <=, > or >=, such as pass_rate < 0.9"
_RELATIVE = "with --against also FIGURE < baseline, or baseline - NUMBER, such as pass_rate < baseline - 0.02"


@dataclass(frozen=True, slots=True)
class OfferedFigure:
    """A figure that a gate may name. `of_cases` says how it is computed from the cases, if it is a share or a mean of
    them; `ends` are the least and the greatest value that it can have."""

    name: str
    about: str
    ends: tuple[float, float]
    share: bool = False
    of_cases: GateFigure | None = None


@dataclass(frozen=True, slots=True)
class GateCondition:
    """What must not be true, in words and in numbers. If it is `relative`, the limit is one of the difference to the
    baseline."""

    text: str
    figure: OfferedFigure
    operator: Operator
    limit: float
    relative: bool = False

    @property
    def counts(self) -> bool:
        """Whether it asks if any case, or every case, has something: that is counted, and needs no interval."""
        return self.figure.share and not self.relative and self.limit in self.figure.ends


def offered_figures(protocol: Protocol, rubric: Rubric) -> dict[str, OfferedFigure]:
    """Return the figures that a run of this protocol has, by name."""
    found = [OfferedFigure(own.name, own.about, own.scale(rubric), own.share, own) for own in protocol.table.gates]
    found.append(OfferedFigure(FAILED, COMMON_FIGURES[FAILED], (0.0, 1.0), share=True))
    if protocol.table.outcome.undecided != "false":
        found.append(OfferedFigure(UNDECIDED_SHARE, COMMON_FIGURES[UNDECIDED_SHARE], (0.0, 1.0), share=True))
    found.append(OfferedFigure(COST, COMMON_FIGURES[COST], (0.0, float("inf"))))
    for name in protocol.measured.measures:
        ends = (0.0, float("inf")) if name in _DISTANCES else (-1.0, 1.0)
        found.append(OfferedFigure(name, "of agreement with people's labels", ends))
    return {each.name: each for each in found}


def read_conditions(
    given: Sequence[str], protocol: Protocol, rubric: Rubric, *, against: bool = False
) -> tuple[GateCondition, ...]:
    """Read conditions. Raise InputError for one that cannot be read, or whose figure the run does not have. `against`
    says whether there is a baseline."""
    offered = offered_figures(protocol, rubric)
    found = tuple(_read(text, protocol, offered, against) for text in given)
    if against and not any(each.relative for each in found):
        raise InputError(
            "--against", "no condition compares with it", "such as --fail-if 'pass_rate < baseline - 0.02'"
        )
    return found


def needs_labels(conditions: Sequence[GateCondition], protocol: Protocol) -> bool:
    """Return whether a condition is on agreement with people."""
    return any(each.figure.name in protocol.measured.measures for each in conditions)


def _read(text: str, protocol: Protocol, offered: dict[str, OfferedFigure], against: bool) -> GateCondition:
    place, shown = "--fail-if", f"{text!r:.80}"
    read = _CONDITION.fullmatch(text.strip())
    if read is None:
        shares = {figure.name: figure.ends[1] == 1 for figure in offered.values()}
        meant = hint(text, _CONDITION.fullmatch, shares)
        raise InputError(place, f"{shown} is not a condition", f"{meant}{_FORM}; {_RELATIVE}")
    name, operator = read["name"], cast(Operator, read["operator"])
    if name not in offered:
        known = f"{did_you_mean(name, [*offered])}one of {', '.join(offered)}"
        raise InputError(place, f"{shown}: a {protocol.name} run has no figure {name!r:.60}", known)
    figure = offered[name]
    if read["baseline"] is not None:
        if not against:
            raise InputError(place, f"{shown}: there is no baseline", "name its run with `adjudge gate RUN --against`")
        margin, sign = read["margin"] or "0", read["sign"] or "+"
        written = f"{name} {operator} baseline" + (f" {sign} {margin}" if read["margin"] else "")
        return GateCondition(written, figure, operator, float(sign + margin), relative=True)
    limit, (low, high) = float(read["limit"]), figure.ends
    # Scores from 0 to 100 are often written as shares, and every run would pass `mean_score < 0.7`.
    if not low <= limit <= high or (high >= 100 and high < float("inf") and 0 < limit <= 1):
        allowed = f"{low:g} or more" if high == float("inf") else f"{low:g} to {high:g}"
        raise InputError(place, f"{shown}: {name} cannot be compared with {limit:g}", f"{allowed} ({figure.about})")
    return GateCondition(f"{name} {operator} {read['limit']}", figure, operator, limit)
