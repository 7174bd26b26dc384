"""Reads labels of a run from `adjudge label`, from files of other tools, or from columns of the run's input.

A file has one row per label (`id, annotator, label`), or one column per person. Any label may be missing. A label that
cannot be read, names no case of the run, or contradicts another raises an error with its place; none is dropped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...arithmetic import plain
from ...errors import InputError
from ...files import user_path
from ...models.base import from_json
from ...protocols.labelling import LeftOut, read_number
from ...results.run import Reader, Run
from ...rubric import Scale
from .files import HumanLabel, criterion_scales, overall_scale, read_label_file, shown_case
from .given import (
    GivenLabel,
    about_case,
    case_lines,
    cases_called,
    is_called_label,
    labels_in_cell,
    labels_in_file,
    unknown_case,
)
from .sampling import FOLDER, Selection, read_selection

OWN_COLUMN = "label"


@dataclass(frozen=True)
class LabelSet:
    """Labels of a run by position and annotator. If a person skipped or did not see a case, their label is missing.

    `source` is where they come from, `notes` what a reader should know about how they were read. `at_random` are the
    labelled cases that were drawn at random; None if it is unknown how the cases were chosen. `selection` holds the
    run's picks, if the labels are of these. If nobody is `named`, the annotator is what the column is called.
    """

    source: str
    annotators: tuple[str, ...]
    by_case: Mapping[int, Mapping[str, HumanLabel]]
    at_random: frozenset[int] | None = None
    notes: tuple[str, ...] = ()
    selection: Selection | None = None
    named: bool = True


def load_labels(run: Run, source: str | None = None, annotators: Sequence[str] = ()) -> LabelSet:
    """Load the labels of a run. `source` is a column of its input (or several, with commas), a file, or a folder of
    files that `adjudge label` wrote. Without it, use the run's `adjudge label` files, else the input's label column.

    `annotators` are the people, or their columns, whose labels count; all if none is named.
    """
    path = run.folder / FOLDER if source is None else user_path(source)
    files = sorted(path.glob("*.jsonl"))
    whole = OWN_COLUMN if source is None else source
    several = [name.strip() for name in whole.split(",")]
    known, cells = _columns(run, [] if source is None and files else list(dict.fromkeys((whole, *several))))
    names = [whole] if whole in known else several
    is_column = set(names) <= set(known)
    place, at_random, notes, selection = str(source or run.folder), None, list[str](), None
    if (source is None and files) or (not is_column and (path.is_dir() or _is_ours(path))):
        place = str(path)
        # Picks tell about labels of this run only: those of another were picked for another judge's doubts.
        selection = read_selection(run) if path == run.folder / FOLDER else None
        given, at_random = _own_labels(run, path, files if path.is_dir() else [path], notes, selection)
        labels = _read(run, given, notes, stretch=False)
        # A case without an overall answer is still open.
        labels = {key: label for key, label in labels.items() if label.value is not None}
    elif is_column:
        given = []
        left_out = Counter[str]()
        for about, column, cell in cells:
            if isinstance(cell, LeftOut):
                left_out[cell.why] += 1
            elif column in names:
                named = not is_called_label(run, column)
                given += labels_in_cell(f"case {about['case']}", about, column, cell, named=named)
        if not given and source is None:
            allowed = f"label some: adjudge label {run.folder}; or give a file or a column"
            raise InputError(str(run.folder), "no labels, and no label column in its input", allowed)
        own = names == [OWN_COLUMN]
        notes += [f"{why} are left out: {count}" for why, count in left_out.items() if own]
        place = "the input's label column" if own else f"the input's {', '.join(names)}"
        labels = _read(run, given, notes, stretch=own or None)
    elif source != "-" and not path.exists():
        allowed = f"a file, or one of {', '.join(known)}"
        raise InputError(place, "neither a file nor a column of this run's input", allowed)
    else:
        place = "standard input" if source == "-" else place
        given = list(labels_in_file(run, str(source), place))
        labels = _read(run, given, notes)
    people = tuple(dict.fromkeys(annotator for _, annotator in labels))
    if not labels:
        raise InputError(place, "no labels found", "at least one is needed; `adjudge label DIR` asks a person for them")
    if unknown := [name for name in annotators if name not in people]:
        raise InputError(place, f"no labels by {unknown[0]}", f"one of {', '.join(people)}")
    by_case: dict[int, dict[str, HumanLabel]] = {}
    for (position, annotator), label in sorted(labels.items(), key=lambda item: item[0][0]):
        if not annotators or annotator in annotators:
            by_case.setdefault(position, {})[annotator] = label
    at_random = None if at_random is None else at_random & by_case.keys()
    named = any(label.named for label in given)
    return LabelSet(place, tuple(annotators) or people, by_case, at_random, tuple(notes), selection, named)


# -- what `adjudge label` wrote ---------------------------------------------------------------------------------------


def _own_labels(
    run: Run, place: Path, paths: Sequence[Path], notes: list[str], selection: Selection | None
) -> tuple[list[GivenLabel], frozenset[int] | None]:
    """Read the files of `adjudge label`, one per person, and which cases were drawn at random. The files may belong to
    another run over the same cases or have been edited, so they are checked like labels from other tools."""
    if not paths:
        raise InputError(str(place), "no labels found", "give NAME.jsonl files written by `adjudge label`")
    found, strata = [], set()
    read = [(path, *read_label_file(path)) for path in paths]
    by_id = cases_called(run, (label.case for _, given, _ in read for label in given))
    with Reader(run) as reader:
        for path, given, torn in read:
            notes += [f"{path.name}: its last line was cut off and is left out"] if torn else []
            last = {label.position: (number, label) for number, label in enumerate(given, 1) if not label.unblinded}
            if late := len({label.position for label in given if label.unblinded}):
                which = f"1 label of {path.stem} was" if late == 1 else f"{late} labels of {path.stem} were"
                notes.append(f"{which} given or changed after the verdict was seen; only earlier labels count")
            for number, label in last.values():
                spot = f"{path}, label {number}"
                position = _position(spot, label, by_id[label.case], reader)
                about = {"position": position, "case": label.case, "systems": None}
                for of, words in ((None, label.value), *label.criteria.items()):
                    found.append(GivenLabel(spot, about, label.annotator, of, None if words is None else str(words)))
                if label.value is not None:
                    strata.add((position, label.stratum))
    drawn = {position for position, stratum in strata if stratum == "random"}
    if selection:
        # A case that was first picked for its doubts may have moved to the random stratum since.
        drawn |= {pick.position for pick in selection.picks if pick.stratum == "random"}
    return found, frozenset(drawn) if any(stratum for _, stratum in strata) else None


def _position(place: str, label: HumanLabel, fitting: Sequence[Mapping[str, Any]], reader: Reader) -> int:
    """Return the position of a labelled case in this run. Raise InputError if it is not there or has other texts."""
    found = [case["position"] for case in fitting]
    if label.position not in found and len(found) != 1:
        raise unknown_case(place, label.case, fitting)
    position = label.position if label.position in found else found[0]
    if label.texts and label.texts != shown_case(reader.given(position)).digest:
        allowed = "a label counts only for the texts that were shown"
        raise InputError(place, f"the case {label.case!r} has different texts in this run", allowed)
    return int(position)


def _is_ours(path: Path) -> bool:
    """Return whether a file begins with a label as `adjudge label` writes it."""
    try:
        with path.open("rb") as file:
            return path.suffix == ".jsonl" and bool(from_json(HumanLabel, file.readline()))
    except (OSError, ValueError, TypeError):
        return False


# -- columns of the run's input ---------------------------------------------------------------------------------------


def _columns(run: Run, wanted: Sequence[str]) -> tuple[list[str], list[tuple[Mapping[str, Any], str, Any]]]:
    """Return the columns of the run's input that may hold labels, and the filled cells of the wanted columns."""
    known = dict.fromkeys((OWN_COLUMN,))
    cells: list[tuple[Mapping[str, Any], str, Any]] = []
    for case in case_lines(run):
        known |= dict.fromkeys(case["extra"])
        filled = [(name, cell) for name in wanted if (cell := _own_cell(run, case, name)) is not None]
        about = about_case(case) if filled else {}
        cells += [(about, name, cell) for name, cell in filled]
    return list(known), cells


def _own_cell(run: Run, case: Mapping[str, Any], column: str) -> Any:
    if column in case["extra"]:
        return case["extra"][column]
    return run.protocol.labelling.own_label(case) if column == OWN_COLUMN else None


# -- words → labels ---------------------------------------------------------------------------------------------------


def _read(
    run: Run, given: Sequence[GivenLabel], notes: list[str], stretch: bool | None = None
) -> dict[tuple[int, str], HumanLabel]:
    """Parse the cells into labels. With `stretch`, ratings on the protocol's usual scale are stretched to the rubric's
    scale; with None, only if some of them are not on the rubric's scale."""
    scale, usual = overall_scale(run), None if stretch is False else run.protocol.labelling.usual_scale
    if scale is None or usual is None or not _is_on(usual, given, scale, whatever=bool(stretch)):
        usual = None
    else:
        ends = f"from {scale.low} to {scale.high}"
        notes.append(f"ratings from {usual.low} to {usual.high} were stretched to the rubric's scale {ends}")
    labels: dict[tuple[int, str], HumanLabel] = {}
    places: dict[tuple[int, str, str | None], str] = {}
    for each in given:
        key, case = (each.about["position"], each.annotator), each.about["case"]
        label = labels.get(key) or HumanLabel(case=case, position=key[0], annotator=key[1])
        before = label.value if each.criterion is None else label.criteria.get(each.criterion)
        value = before if each.words is None else _value(run, each, scale, usual)
        if before is not None and before != value:
            found = f"{key[1]} gives {value} to {case!r}, but {before} in {places[*key, each.criterion]}"
            raise InputError(each.place, found, "one label per person and case")
        places[*key, each.criterion] = each.place
        if each.criterion is None:
            labels[key] = label.updated(value=value)
        else:
            labels[key] = label.updated(criteria={**label.criteria, each.criterion: value})
    return labels


def _value(run: Run, label: GivenLabel, scale: Scale | None, usual: Scale | None) -> Any:
    labelling = run.protocol.labelling
    if label.criterion is not None:
        scales = criterion_scales(run)
        if label.criterion not in scales:
            whole = f"a {run.protocol.noun}'s label is {labelling.value}"
            allowed = f"one of {', '.join(scales)}" if scales else whole
            raise InputError(label.place, f"unknown criterion {label.criterion!r:.60}", allowed)
        scale = scales[label.criterion]
    if scale is None:
        try:
            systems = label.about["systems"]
            return labelling.class_from(label.words, tuple(systems) if systems else None)
        except InputError as error:
            raise InputError(label.place, error.found, error.allowed) from None
    number = labelling.read_number(label.words, scale)
    if usual is not None and number is not None:
        number = scale.low + (number - usual.low) / (usual.high - usual.low) * (scale.high - scale.low)
    if number is None or not scale.low <= number <= scale.high:
        raise InputError(label.place, f"{label.words!r:.60} is not on the scale", labelling.allowed(scale))
    return plain(number)


def _is_on(usual: Scale, given: Sequence[GivenLabel], scale: Scale, *, whatever: bool) -> bool:
    """Return whether the ratings are on the usual scale and not on the rubric's, or, with `whatever`, on the usual one.
    All ratings are considered together, because a single rating could be on either."""
    numbers = [number for each in given if (number := read_number(each.words)) is not None]
    fits = bool(numbers) and all(usual.low <= number <= usual.high for number in numbers)
    own = all(scale.low <= number <= scale.high for number in numbers)
    return scale != usual and fits and (whatever or not own)
