"""Human labels of a run's cases: the shape of a label, what a person is shown, and each person's own file.

Each label is appended to `labels/NAME.jsonl` in the run's folder and synced to disk. A change is another line, and the
last line of a case counts. Labels from other sources are read in `sources.py`.
"""

from __future__ import annotations

import getpass
import os
import re
import unicodedata
from datetime import UTC, datetime
from pathlib import Path

from pydantic import Field, ValidationError

from ...errors import ConflictError, InputError, plain_reason
from ...files import open_handle, try_lock
from ...models.base import Exact, Frozen, from_json, to_json
from ...models.cases import Case
from ...models.common import Order
from ...protocols.base import protocol_of
from ...protocols.labelling import RatedCriterion
from ...protocols.labelling import ShownCase as ShownCase
from ...results.run import Run
from ...rubric import Scale
from .sampling import FOLDER, Stratum, make_folder

MAX_ANNOTATOR_LENGTH = 64
SEEN = ".seen"
_NAME = re.compile(rf"\w[\w.-]{{0,{MAX_ANNOTATOR_LENGTH - 1}}}")
_NAMED = f"1 to {MAX_ANNOTATOR_LENGTH} letters, digits, dots, hyphens and underscores, starting with a letter or digit"


def now() -> str:
    """Return the current time in the format that labels use."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class HumanLabel(Frozen):
    """One person's label of one case: a class such as a winner, or a number on a scale; None if skipped.

    `value` and `criteria` are in the case's own terms, whatever order the person saw (`shown`). `texts` is a hash of
    what was shown. `stratum` is None if it is unknown how the case was chosen. A skipped criterion is None. If there is
    no value and `skipped` is false, the case is still open: a flag or a note alone is no answer. `unblinded` means that
    the label was given or changed after the person had seen the verdict.
    """

    case: str
    position: int
    annotator: str
    value: str | Exact | None = None
    criteria: dict[str, Exact | None] = Field(default_factory=dict)
    skipped: bool = False
    flagged: bool = False
    note: str = ""
    stratum: Stratum | None = None
    shown: Order | None = None
    texts: str = ""
    unblinded: bool = False
    time: str = ""


class SeenVerdicts(Frozen):
    """The cases whose verdicts a person has seen, stored in `labels/NAME.seen`: some cases, or the whole run."""

    all: bool = True
    positions: tuple[int, ...] = ()

    def has(self, position: int) -> bool:
        return self.all or position in self.positions


def overall_scale(run: Run) -> Scale | None:
    """Return the scale of a label's value; None if the value is a class."""
    scale = run.protocol.labelling.scale
    return None if scale is None else scale(run.rubric)


def rated_criteria(run: Run) -> list[RatedCriterion]:
    """Return the criteria that people may rate, in the order of the rubric."""
    if (criteria := run.protocol.labelling.criteria) is None:
        return []
    return sorted(criteria(run.rubric, "ab"), key=lambda rated: run.rubric.criteria.index(rated.criterion))


def criterion_scales(run: Run) -> dict[str, Scale]:
    """Return the scales of the criteria that people may rate, by column of the run's table."""
    return {rated.column: rated.criterion.scale for rated in rated_criteria(run)}


def shown_case(case: Case) -> ShownCase:
    """Return what a person may see of a case: no annotations, and no id, which may reveal who wrote which answer."""
    return protocol_of(case.protocol).labelling.show(case)


# -- a person's own file ----------------------------------------------------------------------------------------------


def annotator_name(given: str | None) -> str:
    """Return the given name, or else the system user's, normalized. Raise InputError if it cannot be a file name."""
    try:
        name = unicodedata.normalize("NFC", getpass.getuser() if given is None else given)
    except (KeyError, OSError):
        raise InputError("--annotator", "missing, and the system has no name for this user", _NAMED) from None
    if not _NAME.fullmatch(name):
        raise InputError("--annotator", f"{name!r:.80} cannot be the name of a file", _NAMED)
    return name


class LabelFile:
    """One person's labels in a run, by position: `with LabelFile(run, "ann") as file`. The file is locked while it is
    open. `torn` says that its last line was cut off when a process was killed; that line is removed."""

    def __init__(self, run: Run, annotator: str) -> None:
        self.path = run.folder / FOLDER / f"{annotator}.jsonl"
        self.annotator = annotator
        self.labels: dict[int, HumanLabel] = {}
        self.torn = False
        self.seen = read_seen(self.path.with_name(annotator + SEEN))

    def add(self, label: HumanLabel) -> HumanLabel:
        """Store a label and sync it to disk. Mark an answer given or changed after seeing the verdict as unblinded."""
        known = self.labels.get(label.position)
        if self.seen and self.seen.has(label.position) and _answer(label) != _answer(known):
            label = label.updated(unblinded=True)
        line = to_json(label)
        try:
            # Use one write, so that a killed process leaves either the whole line or a line without a newline.
            if os.write(self._handle, line) < len(line):
                raise OSError(None, "the disk is full")
            os.fsync(self._handle)
        except OSError as error:
            raise InputError(str(self.path), f"cannot be written: {plain_reason(error)}") from None
        self.labels[label.position] = label
        return label

    def __enter__(self) -> LabelFile:
        make_folder(self.path.parent)
        try:
            self._handle = open_handle(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        except OSError as error:
            raise InputError(str(self.path), f"cannot be written: {plain_reason(error)}") from None
        try:
            if not try_lock(self._handle):
                found = f"{self.path}: another process is labelling as {self.annotator}"
                raise ConflictError(f"{found}; finish there, or give another --annotator")
            labels, self.torn = read_label_file(self.path)
            self.labels = {label.position: label for label in labels}
            # Make sure that the next label begins on a new line.
            content = self.path.read_bytes()
            if self.torn:
                os.ftruncate(self._handle, content.rfind(b"\n") + 1)
            elif content and not content.endswith(b"\n"):
                os.write(self._handle, b"\n")
        except BaseException:
            os.close(self._handle)
            raise
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._handle)


def _answer(label: HumanLabel | None) -> tuple[object, ...]:
    return (None, {}, False) if label is None else (label.value, label.criteria, label.skipped)


def read_seen(path: Path) -> SeenVerdicts | None:
    """Read which verdicts a person has seen from `labels/NAME.seen`; all if it is empty, None if there is no file."""
    try:
        return from_json(SeenVerdicts, path.read_bytes() or b"{}")
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, ValidationError):
        raise InputError(str(path), "cannot be read", "restore the file that the service wrote") from None


def read_label_file(path: Path) -> tuple[list[HumanLabel], bool]:
    """Return the labels of a file that `adjudge label` wrote, in file order, and whether its last line was cut off."""
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise InputError(str(path), f"cannot be read: {plain_reason(error)}") from None
    labels = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            labels.append(from_json(HumanLabel, line))
        except (ValueError, TypeError, ValidationError):
            if number == len(lines):
                return labels, True
            allowed = "restore the line that `adjudge label` wrote"
            raise InputError(f"{path}, line {number}", "not a label", allowed) from None
    return labels, False
