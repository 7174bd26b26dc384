"""Agreement by slice: by system, language, length, the criterion that moved the verdict, and columns of the input.

A case counts with the judge's mean agreement with a person, so cases on which people differ count too; an undecided one
counts with the judge's best guess. The test of each slice against the rest is in `statistics/slices`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from statistics import fmean
from typing import Any, Literal

from pydantic import Field

from ...arithmetic import to_decimal
from ...models.base import Frozen
from ...models.figures import Figure
from ...protocols.labelling import LabelRules
from ...results.run import Reader
from ...statistics.slices import compare_parts
from ...text.language import language_name, language_of
from ..labels.given import words_in
from ..labels.sources import OWN_COLUMN
from .disagreements import moved_by
from .joining import JoinedRun, LabelledCase

SYSTEM, LANGUAGE, LENGTH, CRITERION = "system", "language", "length", "criterion"
_LEAST_WORDS = 5  # for a slice, a guess at the language of a short task is good enough
_MOST_VALUES = 20  # of a column, to count as a category
_MOST_LISTED = 200  # positions
_PARTS = 3


class Slice(Frozen):
    """The cases with one `name` in one respect (`by`): a system, a language, a cell of a column.

    `agreement` is the judge's mean agreement with a person or, of numbers, their mean distance. `rest` is that of
    the other cases of which this respect is known. `adjusted` is the p-value of no difference, corrected for all
    slices; `better` is None if that is chance. `differ` counts the cases in which at least one person differs from the
    judge; `differing` are the positions of the first of them, worst first.
    """

    by: str
    name: str
    agreement: Figure
    rest: float
    p: float
    adjusted: float
    better: bool | None
    differ: int
    differing: tuple[int, ...]


class Slices(Frozen):
    """All slices, the worst first: those that are worse than the rest beyond chance, then by how far they are from the
    rest. `too_small` counts slices that have too few independent cases, or leave too few outside, by respect; `units`
    is the number of independent cases. `alike` are the columns asked for in which all cases are the same; `unknown`
    counts cases of no known language."""

    measure: Literal["accuracy", "mae"]
    cases: int
    units: int
    guessed: int
    slices: tuple[Slice, ...] = ()
    too_small: dict[str, int] = Field(default_factory=dict)
    alike: tuple[str, ...] = ()
    unknown: int = 0


def slices_of(joined: JoinedRun, columns: Sequence[str] = (), labels: str | None = None) -> Slices:
    """Measure the slices of the labelled sample. `columns` are those of the input to slice by; without them, all with
    a few different words. `labels` is the source of labels: its columns are none to slice by."""
    joined.check_columns("--by", columns)
    cases = [case for case in joined.of_sample if case.votes and case.row.judged]
    measured = joined.run.protocol.measured
    distance = measured.numeric
    values = []
    for case in cases:
        value, votes = case.row.value or 0.0, case.votes.values()
        if distance:
            values.append(fmean(abs(float(vote) - float(value)) for vote in votes))
        else:
            values.append(fmean(measured.class_of(vote) == case.row.winner for vote in votes))
    of_labels = {OWN_COLUMN, *(name.strip() for name in (labels or "").split(","))}
    parts, unknown = _parts(joined, cases, columns, of_labels)
    known: dict[str, set[int]] = defaultdict(set)
    for (by, _), places in parts.items():
        known[by].update(places)
    # A slice with all cases (the only language, a system that is in every pair) has nothing to be compared with.
    sides = {key: (places, sorted(rest)) for key, places in parts.items() if (rest := known[key[0]].difference(places))}
    tested = compare_parts(values, [case.row.unit for case in cases], sides, are_shares=not distance)
    found, apart = [], [value if distance else 1 - value for value in values]
    for (by, name), part in tested.items():
        mean = part.mean.value or 0.0
        ahead = part.rest - mean if distance else mean - part.rest
        differing = [at for at in sorted(parts[by, name], key=lambda at: -apart[at]) if apart[at] > 0]
        made = Slice(
            by=by,
            name=name,
            agreement=part.mean,
            rest=part.rest,
            p=part.p,
            adjusted=part.adjusted,
            better=ahead > 0 if part.differs else None,
            differ=len(differing),
            differing=tuple(cases[at].row.position for at in differing[:_MOST_LISTED]),
        )
        found.append((made.better is not False, ahead, made))
    too_small: dict[str, int] = defaultdict(int)
    for by, _ in sides.keys() - tested.keys():
        too_small[by] += 1
    return Slices(
        measure="mae" if distance else "accuracy",
        cases=len(cases),
        units=len({case.row.unit for case in cases}),
        guessed=sum(case.row.ending == "undecided" for case in cases),
        slices=tuple(made for *_, made in sorted(found, key=lambda it: it[:2])),
        too_small={by: too_small[by] for by in dict.fromkeys(by for by, _ in parts) if by in too_small},
        alike=tuple(column for column in dict.fromkeys(columns) if not any(by == column for by, _ in sides)),
        unknown=unknown,
    )


# -- which cases belong to which slice --------------------------------------------------------------------------------


def _parts(
    joined: JoinedRun, cases: Sequence[LabelledCase], columns: Sequence[str], of_labels: set[str]
) -> tuple[dict[tuple[str, str], list[int]], int]:
    """Return the places of the cases of each slice, and how many cases are in no known language."""
    by_slice: dict[tuple[str, str], list[int]] = defaultdict(list)
    lengths, cells, unknown = [], [], 0
    protocol = joined.run.protocol
    with Reader(joined.run) as reader:
        for at, case in enumerate(cases):
            row, line = case.row, reader.case(case.row.position)
            for system in dict.fromkeys(row.systems or ()):
                by_slice[SYSTEM, system].append(at)
            language = language_of(row.opening, _LEAST_WORDS)
            unknown += language is None
            if language is not None:
                by_slice[LANGUAGE, language_name(language)].append(at)
            if protocol.measured.length is not None:
                lengths.append((protocol.measured.length(line["input"]), at))
            elif row.words:
                lengths.append((sum(row.words), at))
            # The criterion of a number depends on people's label, so slices by it would differ by construction.
            if not protocol.measured.numeric and (criterion := moved_by(joined.run, case)) is not None:
                by_slice[CRITERION, criterion].append(at)
            cells.append({name: line["extra"].get(name) for name in joined.columns})
    for name, places in _thirds(lengths, protocol.measured.unit):
        by_slice[LENGTH, name] += places
    systems = {system for by, system in by_slice if by == SYSTEM}
    for column in columns or [name for name in joined.columns if name not in of_labels]:
        own = [each[column] for each in cells]
        if columns or _is_category(own, systems, protocol.labelling):
            for at, word in enumerate(map(words_in, own)):
                if word:
                    by_slice[column, word].append(at)
    return by_slice, unknown


def _thirds(lengths: Sequence[tuple[int, int]], what: str) -> Iterator[tuple[str, list[int]]]:
    """Yield the shortest, middle and longest third of the cases. Equal lengths stay together."""
    ordered = sorted(lengths)
    ends = sorted({ordered[len(ordered) * part // _PARTS - 1][0] for part in range(1, _PARTS)}) if ordered else []
    low = 0
    for end in (*ends, None):
        places = [at for length, at in ordered if length >= low and (end is None or length <= end)]
        name = f"more than {low - 1}" if end is None else f"{low} to {end}" if low else f"up to {end}"
        if places and len(places) < len(ordered):
            yield f"{name} {what}", places
        low = (end or 0) + 1


def _is_category(cells: Sequence[Any], systems: Collection[str], labelling: LabelRules) -> bool:
    """Check whether a column has a few different words. Numbers are often ratings, lists are several people's labels,
    and words that name a class are labels of other people or judges: agreement differs between them by construction.
    """
    known = [cell for cell in cells if words_in(cell)]
    different = set(map(words_in, known))
    if not 2 <= len(different) <= min(_MOST_VALUES, len(known) // 2):
        return False
    if any(not isinstance(cell, str | bool) or str(cell).startswith(("[", "{")) for cell in known):
        return False
    labels = all(word in systems or labelling.names_class(word) for word in different)
    return not labels and not all(to_decimal(word) is not None for word in different)
