"""Labels in files of other tools, before their words are read: which case, which person, which criterion.

A file has a row for each label, or a column for each person; what annotation tools export is turned into such labels in
`annotation_tools.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import orjson

from ...errors import InputError
from ...inputs.json import parse_cell
from ...inputs.rows import BadRow, open_records
from ...inputs.rows.columns import IDS, fold_column
from ...inputs.text import kind_of
from ...results.run import CASES, Run
from .annotation_tools import ToolAnswer, answers_in
from .files import criterion_scales

ANNOTATORS = (
    *("annotator", "annotator_id", "rater", "rater_id", "labeler", "labeller", "person"),
    *("worker", "worker_id", "user", "user_id", "judge_id", "expert"),
)
_VALUES = (
    *("value", "label", "winner", "human", "preference", "human_label", "human_preference", "preferred"),
    *("overall", "rating", "score"),
)
_CRITERIA = ("criterion", "dimension", "aspect")
_WHOLE = ("", "overall")
_COLUMNS = "columns id, annotator and label, or id and one column per person, are needed"


class GivenLabel(NamedTuple):
    """One cell: its place, its case, its author, the rated criterion (None for the whole case), and its words, which
    are None if the person skipped it. If nobody is `named`, the author is what the column is called."""

    place: str
    about: Mapping[str, Any]
    annotator: str
    criterion: str | None
    words: Any
    named: bool = True


def case_lines(run: Run) -> Iterator[dict[str, Any]]:
    """Yield the stored cases of a run, with the columns that no judge sees."""
    with (run.folder / CASES).open("rb") as lines:
        # A line without a newline is still being written: the run is being created.
        yield from (orjson.loads(line) for line in lines if line.endswith(b"\n"))


def about_case(case: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is kept of a case in memory. Its texts are not: a run may have a million cases."""
    return {name: case[name] for name in ("position", "case", "systems")}


def cases_called(run: Run, ids: Iterable[str]) -> dict[str, list[Mapping[str, Any]]]:
    """Return the cases with each of these ids."""
    found: dict[str, list[Mapping[str, Any]]] = {name: [] for name in ids}
    for case in case_lines(run):
        if case["case"] in found:
            found[case["case"]].append(about_case(case))
    return found


def unknown_case(place: str, name: str, fitting: Sequence[object]) -> InputError:
    """Build the error for an id that names no case of the run, or several."""
    if fitting:
        found = f"{len(fitting)} cases of this run have the id {name!r:.60}"
        return InputError(place, found, "an id must name one case")
    return InputError(place, f"no case of this run has the id {name!r:.60}", "see `adjudge show DIR --columns case`")


def labels_in_cell(
    place: str, about: Mapping[str, Any], name: str, cell: Any, criterion: str | None = None, *, named: bool = True
) -> Iterator[GivenLabel]:
    """Yield the labels in a cell: one person's, or several people's as a list or by name, perhaps written as JSON."""
    if isinstance(cell, str):
        parsed = parse_cell(cell, place)
        cell = cell if parsed is None else parsed
    if isinstance(cell, Mapping):
        people, named = [(str(person), words) for person, words in cell.items()], True
    elif isinstance(cell, list):
        people = [(f"{name} {number}", words) for number, words in enumerate(cell, 1)]
    else:
        people = [(name, cell)]
    for annotator, words in people:
        if words is not None and str(words).strip():
            yield GivenLabel(place, about, annotator, criterion, words, named)


def is_called_label(run: Run, column: str) -> bool:
    """Say whether a column is called after what is in it, not after a person."""
    return fold_column(column) in {fold_column(name) for name in (*_VALUES, *run.protocol.labelling.value_columns)}


def labels_in_file(run: Run, source: str, name: str) -> Iterator[GivenLabel]:
    """Yield the labels in a file: a row for each, a column for each person, or the export of an annotation tool."""
    rows = []
    for row in open_records(source):
        if isinstance(row, BadRow):
            raise InputError(row.place, row.message)
        rows.append(row)
    if not rows:
        raise InputError(name, "no labels found", _COLUMNS)
    if (answers := answers_in(rows, ("case", *run.protocol.labelling.id_columns, *IDS))) is not None:
        yield from _from_tool(run, answers, name)
        return
    columns = list(dict.fromkeys(column for row in rows for column in row.values))
    labelling = run.protocol.labelling
    ids = ("case", *labelling.id_columns, *IDS)
    case_column, annotator, criterion = (find_column(columns, names) for names in (ids, ANNOTATORS, _CRITERIA))
    if case_column is None:
        raise InputError(name, f"no column with the ids of cases; columns found: {', '.join(columns)}", _COLUMNS)
    people = [column for column in columns if column not in (case_column, annotator, criterion)]
    values = [column for column in people if is_called_label(run, column)]
    if annotator is not None or criterion is not None or len(values) == 1:
        if len(values) != 1:
            found = f"{'no column' if not values else 'several columns'} with labels: {', '.join(values or people)}"
            raise InputError(name, found, "one column called label is needed")
        people = values
    if not people:
        raise InputError(name, f"no column with labels; columns found: {', '.join(columns)}", _COLUMNS)
    by_id = cases_called(run, (words_in(row.values.get(case_column)) for row in rows))
    for row in rows:
        written = words_in(row.values.get(case_column))
        fitting = by_id[written]
        if len(fitting) != 1:
            raise unknown_case(f"{row.place}, {case_column}", written, fitting)
        who, rated = (words_in(row.values.get(it)) if it else "" for it in (annotator, criterion))
        if annotator and not who:
            raise InputError(f"{row.place}, {annotator}", "empty", "name the person who gave this label")
        about = None if rated.lower() in _WHOLE else rated
        for column in people:
            place, named = f"{row.place}, {column}", bool(who) or column not in values
            yield from labels_in_cell(place, fitting[0], who or column, row.values.get(column), about, named=named)


def _from_tool(run: Run, answers: Sequence[ToolAnswer], name: str) -> Iterator[GivenLabel]:
    """Yield the labels among the answers of an annotation tool: to the question about the whole case, and to those that
    are called like a criterion. A comment, or a question about something else, is no label."""
    usual = {fold_column(each) for each in (*_VALUES, *_WHOLE, *run.protocol.labelling.value_columns)}
    criteria = {fold_column(each): each for each in criterion_scales(run)}
    asked = list(dict.fromkeys(each.question for each in answers))
    whole = [each for each in asked if fold_column(each) in usual]
    if not whole and len(asked) == 1 and fold_column(asked[0]) not in criteria:
        whole = asked
    known = dict.fromkeys(whole) | {each: criteria.get(fold_column(each)) for each in asked if each not in whole}
    if len(whole) > 1 or not (whole or any(known.values())):
        found = f"{'several questions' if whole else 'no question'} with labels: {', '.join(whole or asked) or 'none'}"
        raise InputError(name, found, "one called label is needed; others may be called like a criterion")
    by_id = cases_called(run, (each.case for each in answers))
    for each in answers:
        if each.question not in whole and known[each.question] is None:
            continue
        if isinstance(each.words, list | Mapping):
            # Several choices, a ranking or spans say more than one label can.
            raise InputError(each.place, f"expected one label, found {kind_of(each.words)}", "one choice is allowed")
        if len(by_id[each.case]) != 1:
            raise unknown_case(each.place, each.case, by_id[each.case])
        yield GivenLabel(each.place, by_id[each.case][0], each.annotator, known[each.question], each.words)


def words_in(cell: Any) -> str:
    """Return a cell as text without white space around it; empty if there is none."""
    return "" if cell is None else str(cell).strip()


def find_column(columns: Sequence[str], names: Sequence[str]) -> str | None:
    """Return the column with the first of these names that exists, or None."""
    folded = {fold_column(column): column for column in reversed(columns)}
    return next((folded[name] for name in map(fold_column, names) if name in folded), None)
