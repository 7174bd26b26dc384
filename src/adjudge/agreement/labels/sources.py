"""Labels of a run from anywhere: from `adjudge label`, from files of other tools, from columns of the run's input.

A file has a row a label (`id, annotator, label`), or a column a person. Any label may be missing. What cannot be read,
names no case of the run, or contradicts itself is an error that names its place: no label is dropped silently.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from ...arithmetic import plain, to_decimal
from ...errors import InputError
from ...inputs.json import parse_cell
from ...inputs.rows import BadRow, Record, open_records
from ...inputs.rows.columns import DIALOGUE_IDS, LABELS, OVERALLS, fold_column
from ...inputs.rows.labels import winner_from
from ...inputs.text import kind_of
from ...models.base import from_json
from ...protocols.review.correcting import OffScale, read_rating
from ...results.run import CASES, Reader, Run
from ...rubric import LIKERT, ONE_TO_FIVE, Scale
from .files import HumanLabel, criterion_scales, overall_scale, read_label_file, shown_case
from .sampling import FOLDER, read_selection

OWN_COLUMN = "label"
_IDS = ("case", *DIALOGUE_IDS, "review_id")
ANNOTATORS = (
    *("annotator", "annotator_id", "rater", "rater_id", "labeler", "labeller", "person"),
    *("worker", "worker_id", "user", "user_id", "judge_id", "expert"),
)
_VALUES = ("value", *LABELS[0], *OVERALLS[0], "likert", "score")
_CRITERIA = ("criterion", "dimension", "aspect")
_WHOLE = ("", "overall")
_COLUMNS = "columns id, annotator and label, or id and a column a person, are needed"


@dataclass(frozen=True)
class LabelSet:
    """Labels of a run by position and annotator; a case that somebody skipped or did not see has no label of theirs.

    `source` is where they come from, `notes` what a reader should know of how they were read. `at_random` are the
    labelled cases that were drawn at random; None where nobody knows how the cases were chosen.
    """

    source: str
    annotators: tuple[str, ...]
    by_case: Mapping[int, Mapping[str, HumanLabel]]
    at_random: frozenset[int] | None = None
    notes: tuple[str, ...] = ()

    def ratings(
        self, annotator: str, positions: Sequence[int], criterion: str | None = None
    ) -> list[str | float | None]:
        """What one person said of these cases, of the whole or of one criterion; None for a gap."""
        found: list[str | float | None] = []
        for position in positions:
            label = self.by_case.get(position, {}).get(annotator)
            value = None if label is None else label.value if criterion is None else label.criteria.get(criterion)
            found.append(float(value) if isinstance(value, Decimal) else value)
        return found


class _Known(NamedTuple):
    """What of a case of the run is needed to read its labels."""

    position: int
    case: str
    label: str | None
    systems: tuple[str, str] | None
    extra: Mapping[str, Any]
    ratings: Sequence[int]
    entered: str


class _Said(NamedTuple):
    """One cell: where it stands, which case it is about, who said it, of what (None: the whole), and its words."""

    place: str
    about: _Known
    annotator: str
    criterion: str | None
    words: Any


@dataclass
class _Collected:
    """Labels as they are read, with the place of each to name where two contradict each other."""

    labels: dict[tuple[int, str], HumanLabel] = field(default_factory=dict)
    places: dict[tuple[int, str, str | None], str] = field(default_factory=dict)


def load_labels(run: Run, source: str | None = None, annotators: Sequence[str] = ()) -> LabelSet:
    """The labels of a run. `source` is a column of its input (or several, with commas), a file, or a folder of files
    that `adjudge label` wrote; without one, what people gave with `adjudge label`, else the input's label column.

    `annotators` are the people, or the columns of people, that count; all if none is named.
    """
    cases = _cases(run)
    own = run.folder / FOLDER
    path = own if source is None else Path(source).expanduser()
    if source is None and not list(own.glob("*.jsonl")):
        found = _columns(run, [OWN_COLUMN], cases, None)
    elif source is not None and (columns := _columns_named(source, cases)):
        found = _columns(run, columns, cases, source)
    elif path.is_dir():
        found = _own_labels(run, path, sorted(path.glob("*.jsonl")), cases)
    elif source != "-" and not path.exists():
        names = ", ".join((OWN_COLUMN, *dict.fromkeys(name for case in cases for name in case.extra)))
        raise InputError(str(source), "no such file, and no column of this run's input", f"a file, or one of {names}")
    elif _is_ours(path):
        found = _own_labels(run, path, [path], cases)
    else:
        found = _file(run, str(source), cases)
    return _among(found, annotators)


def _among(found: LabelSet, annotators: Sequence[str]) -> LabelSet:
    if unknown := [name for name in annotators if name not in found.annotators]:
        raise InputError(found.source, f"no labels by {unknown[0]}", f"one of {', '.join(found.annotators)}")
    if not annotators:
        return found
    chosen = {
        position: kept
        for position, labels in found.by_case.items()
        if (kept := {name: label for name, label in labels.items() if name in annotators})
    }
    at_random = None if found.at_random is None else found.at_random & chosen.keys()
    return LabelSet(found.source, tuple(annotators), chosen, at_random, found.notes)


def _cases(run: Run) -> list[_Known]:
    known = []
    with (run.folder / CASES).open("rb") as lines:
        for line in lines:
            if not line.endswith(b"\n"):
                continue  # a run that is being created
            read = orjson.loads(line)
            given = read["input"] or {}
            systems = tuple(read["systems"]) if read["systems"] else None
            ratings, entered = given.get("overall_ratings", ()), given.get("preference", {}).get("rating", "")
            known.append(
                _Known(read["position"], read["case"], read["label"], systems, read["extra"], ratings, entered)
            )
    return known


def _by_id(cases: Sequence[_Known]) -> Mapping[str, Sequence[_Known]]:
    found: dict[str, list[_Known]] = {}
    for case in cases:
        found.setdefault(case.case, []).append(case)
    return found


# -- what `adjudge label` wrote ---------------------------------------------------------------------------------------


def _own_labels(run: Run, place: Path, paths: Sequence[Path], cases: Sequence[_Known]) -> LabelSet:
    """People's own files, a person each; they may have labelled another run over the same cases."""
    if not paths:
        raise InputError(str(place), "no labels there", "NAME.jsonl files, as `adjudge label` writes them")
    labels: dict[tuple[int, str], HumanLabel] = {}
    notes = []
    with Reader(run) as reader:
        for path in paths:
            given, torn = read_label_file(path)
            if torn:
                notes.append(f"{path.name}: its last line was cut off and is left out")
            labels |= _placed(path, given, _by_id(cases), reader)
    drawn = {position for (position, _), label in labels.items() if label.stratum == "random"}
    if place == run.folder / FOLDER and (selection := read_selection(run)):
        # A case that was first picked for its doubts may have come up in the random order since.
        drawn |= {pick.position for pick in selection.picks if pick.stratum == "random"}
    return _label_set(str(place), labels, frozenset(drawn), tuple(notes))


def _is_ours(path: Path) -> bool:
    """Whether a file begins with a label as `adjudge label` writes it."""
    try:
        with path.open("rb") as file:
            return path.suffix == ".jsonl" and bool(from_json(HumanLabel, file.readline()))
    except (OSError, ValueError, TypeError):
        return False


def _placed(
    path: Path, given: Sequence[HumanLabel], by_id: Mapping[str, Sequence[_Known]], reader: Reader
) -> dict[tuple[int, str], HumanLabel]:
    """The last label of each case, at the case's position in this run."""
    last = {label.position: (number, label) for number, label in enumerate(given, 1)}
    placed = {}
    for number, label in last.values():
        place = f"{path}, label {number}"
        fitting = by_id.get(label.case, ())
        case = next(
            (case for case in fitting if case.position == label.position), fitting[0] if len(fitting) == 1 else None
        )
        if case is None:
            raise _unknown(place, label.case, fitting)
        if label.texts and label.texts != shown_case(reader.given(case.position)).digest:
            allowed = "labels hold for the texts that were shown"
            raise InputError(place, f"the case {label.case!r} has other texts in this run", allowed)
        if label.value is not None:
            placed[case.position, label.annotator] = label.updated(position=case.position)
    return placed


def _unknown(place: str, name: str, fitting: Sequence[_Known]) -> InputError:
    if fitting:
        return InputError(
            place, f"{len(fitting)} cases of this run have the id {name!r:.60}", "an id must name one case"
        )
    return InputError(place, f"no case of this run has the id {name!r:.60}", "see `adjudge show DIR --columns case`")


def _label_set(
    source: str,
    labels: Mapping[tuple[int, str], HumanLabel],
    at_random: frozenset[int] | None = None,
    notes: tuple[str, ...] = (),
) -> LabelSet:
    if not labels:
        raise InputError(source, "no label there", "at least one is needed; `adjudge label DIR` asks a person for them")
    by_case: dict[int, dict[str, HumanLabel]] = {}
    for (position, annotator), label in sorted(labels.items(), key=lambda item: item[0][0]):
        by_case.setdefault(position, {})[annotator] = label
    annotators = tuple(dict.fromkeys(annotator for _, annotator in labels))
    return LabelSet(source, annotators, by_case, None if at_random is None else at_random & by_case.keys(), notes)


# -- columns of the run's input ---------------------------------------------------------------------------------------


def _columns_named(source: str, cases: Sequence[_Known]) -> list[str]:
    """The columns of the input that a source names; none if it names no columns."""
    known = {OWN_COLUMN, *(name for case in cases for name in case.extra)}
    if source in known:
        return [source]
    names = [name.strip() for name in source.split(",")]
    return names if known.issuperset(names) else []


def _columns(run: Run, columns: Sequence[str], cases: Sequence[_Known], source: str | None) -> LabelSet:
    said = [
        each
        for case in cases
        for column in columns
        for each in _cell(f"case {case.case}", case, column, _own_cell(run, case, column))
    ]
    if not said and source is None:
        allowed = f"label some: adjudge label {run.folder}; or give a file or a column"
        raise InputError(str(run.folder), "no labels, and no label column in its input", allowed)
    if list(columns) != [OWN_COLUMN]:
        return _read(run, f"the input's {', '.join(columns)}", said)
    off = sum(isinstance(read_rating(case.entered, LIKERT), OffScale) for case in cases)
    notes = (f"entered preferences that are not on the scale are left out: {off}",) if off else ()
    return _read(run, "the input's label column", said, notes, five=True)


def _own_cell(run: Run, case: _Known, column: str) -> Any:
    if column in case.extra:
        return case.extra[column]
    if column != OWN_COLUMN:
        return None
    if run.protocol == "review":
        return None if isinstance(read_rating(case.entered, LIKERT), OffScale) else case.entered
    # Several people's ratings of a dialogue say more than their mean.
    return list(case.ratings) or case.label


def _cell(place: str, about: _Known, name: str, cell: Any) -> Iterator[_Said]:
    """What a cell says: one person's words, or several people's as a list or under their names, perhaps as JSON."""
    if isinstance(cell, str):
        cell = parse_cell(cell, place) or cell
    if isinstance(cell, Mapping):
        people = [(str(person), words) for person, words in cell.items()]
    elif isinstance(cell, list):
        people = [(f"{name} {number}", words) for number, words in enumerate(cell, 1)]
    else:
        people = [(name, cell)]
    for annotator, words in people:
        if words is not None and str(words).strip():
            yield _Said(place, about, annotator, None, words)


# -- files of other tools ---------------------------------------------------------------------------------------------


def _file(run: Run, source: str, cases: Sequence[_Known]) -> LabelSet:
    rows = []
    for row in open_records(source):
        if isinstance(row, BadRow):
            raise InputError(row.place, row.message)
        rows.append(row)
    name = "standard input" if source == "-" else source
    if not rows:
        raise InputError(name, "no label there", _COLUMNS)
    return _read(run, name, list(_said(name, rows, _by_id(cases))))


def _said(name: str, rows: Sequence[Record], by_id: Mapping[str, Sequence[_Known]]) -> Iterator[_Said]:
    columns = list(dict.fromkeys(column for row in rows for column in row.values))
    case_column = _one(columns, _IDS)
    annotator = _one(columns, ANNOTATORS)
    criterion = _one(columns, _CRITERIA)
    if case_column is None:
        raise InputError(name, f"no column with the ids of cases; columns found: {', '.join(columns)}", _COLUMNS)
    left = [column for column in columns if column not in (case_column, annotator, criterion)]
    values = [column for column in left if fold_column(column) in map(fold_column, _VALUES)]
    if annotator is not None or criterion is not None or len(values) == 1:
        if len(values) != 1:
            found = f"{'no column' if not values else 'several columns'} with labels: {', '.join(values or left)}"
            raise InputError(name, found, "one column called label is needed")
        people = values
    else:
        people = left
    if not people:
        raise InputError(name, f"no column with labels; columns found: {', '.join(columns)}", _COLUMNS)
    for row in rows:
        written = str(row.values.get(case_column) if row.values.get(case_column) is not None else "").strip()
        fitting = by_id.get(written, ())
        if len(fitting) != 1:
            raise _unknown(f"{row.place}, {case_column}", written, fitting)
        who = str(row.values.get(annotator) or "").strip() if annotator else None
        if who == "":
            raise InputError(f"{row.place}, {annotator}", "empty", "who gave this label is needed")
        rated = str(row.values.get(criterion) or "").strip() if criterion else ""
        for column in people:
            place = f"{row.place}, {column}"
            for each in _cell(place, fitting[0], who or column, row.values.get(column)):
                yield each._replace(criterion=None if rated.lower() in _WHOLE else rated)


def _one(columns: Sequence[str], names: Sequence[str]) -> str | None:
    """The column of the first of these names that is there."""
    folded = {fold_column(column): column for column in reversed(columns)}
    return next((folded[name] for name in map(fold_column, names) if name in folded), None)


# -- words → labels ---------------------------------------------------------------------------------------------------


def _read(run: Run, source: str, said: Sequence[_Said], notes: tuple[str, ...] = (), *, five: bool = False) -> LabelSet:
    """The labels that the words mean; `five`: a dialogue's ratings are known to be from 1 to 5."""
    scale = overall_scale(run)
    stretched = run.protocol == "dialogue" and scale is not None and _is_one_to_five(said, scale, five=five)
    if stretched and scale is not None:
        notes += (f"ratings from 1 to 5 were stretched to the rubric's scale from {scale.low} to {scale.high}",)
    collected = _Collected()
    for each in said:
        _collect(collected, each, _value(run, each, scale, stretched=stretched))
    return _label_set(source, collected.labels, None, notes)


def _collect(collected: _Collected, said: _Said, value: Any) -> None:
    key = said.about.position, said.annotator
    label = collected.labels.get(key) or HumanLabel(case=said.about.case, position=key[0], annotator=key[1])
    before = label.value if said.criterion is None else label.criteria.get(said.criterion)
    if before is not None and before != value:
        earlier = collected.places[*key, said.criterion]
        found = f"{said.annotator} says {value} of {said.about.case!r}, and {before} in {earlier}"
        raise InputError(said.place, found, "one label for a person and a case")
    collected.places[*key, said.criterion] = said.place
    criteria = label.criteria if said.criterion is None else {**label.criteria, said.criterion: value}
    collected.labels[key] = label.updated(value=value if said.criterion is None else label.value, criteria=criteria)


def _value(run: Run, said: _Said, scale: Scale | None, *, stretched: bool) -> Any:
    if said.criterion is not None:
        scales = criterion_scales(run)
        if said.criterion not in scales:
            allowed = f"one of {', '.join(scales)}" if scales else "a comparison's label is a winner"
            raise InputError(said.place, f"unknown criterion {said.criterion!r:.60}", allowed)
        scale = scales[said.criterion]
    if scale is None:
        try:
            return winner_from(said.words, said.about.systems)
        except InputError as error:
            raise InputError(said.place, error.found, error.allowed) from None
    if run.protocol == "review":
        value = read_rating(str(said.words), scale)
        if isinstance(value, int):
            return Decimal(value)
        why = value.why if isinstance(value, OffScale) else "it is empty"
        ends = ": 1 is Response 1 much better, 7 Response 2" if scale == LIKERT else ""
        raise InputError(
            said.place, f"{said.words!r:.60}: {why}", f"a whole number from {scale.low} to {scale.high}{ends}"
        )
    number = _number(said.words)
    allowed = f"a number from {scale.low} to {scale.high}"
    if number is None:
        found = kind_of(said.words) if not isinstance(said.words, str) else f"{said.words!r:.60}"
        raise InputError(said.place, f"{found} is not a rating", allowed)
    if stretched:
        number = scale.low + (number - ONE_TO_FIVE.low) * (scale.high - scale.low) / (
            ONE_TO_FIVE.high - ONE_TO_FIVE.low
        )
    if not scale.low <= number <= scale.high:
        raise InputError(said.place, f"{said.words} is not on the scale", f"{allowed}, or all of them from 1 to 5")
    return plain(number)


def _is_one_to_five(said: Sequence[_Said], scale: Scale, *, five: bool) -> bool:
    """Whether the ratings are on the scale of most people's forms and not on the rubric's. All of them say so, or none:
    a single rating could be either."""
    if scale == ONE_TO_FIVE:
        return False
    numbers = [number for each in said if (number := _number(each.words)) is not None]
    fits = bool(numbers) and all(ONE_TO_FIVE.low <= number <= ONE_TO_FIVE.high for number in numbers)
    return fits and (five or not all(scale.low <= number <= scale.high for number in numbers))


def _number(words: Any) -> Decimal | None:
    return None if isinstance(words, bool) else to_decimal(words.strip() if isinstance(words, str) else words)
