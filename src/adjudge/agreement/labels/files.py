"""What people say of the cases of a run: the shape of a label, what a person is shown, and each person's own file.

`labels/NAME.jsonl` in the run's folder is appended to and on the disk after each label; a change is another line, and
the last one of a case counts. Labels from elsewhere are read in `sources.py`.
"""

from __future__ import annotations

import getpass
import hashlib
import os
import re
import unicodedata
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import orjson
from pydantic import Field, ValidationError

from ...errors import ConflictError, InputError, plain_reason
from ...files import open_handle, try_lock
from ...models.base import Exact, Frozen, from_json, to_json
from ...models.cases import Comparison, Dialogue, Review
from ...models.common import LABELS
from ...models.comparison import Order, Winner
from ...results.run import Run
from ...rubric import LIKERT, Scale
from .sampling import FOLDER, Stratum, make_folder

MAX_ANNOTATOR_LENGTH = 64
SEEN = ".seen"
_NAME = re.compile(rf"\w[\w.-]{{0,{MAX_ANNOTATOR_LENGTH - 1}}}")
_NAMED = f"1 to {MAX_ANNOTATOR_LENGTH} letters, digits, dots, hyphens and underscores, a letter or digit first"


def now() -> str:
    """The time as labels have it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class HumanLabel(Frozen):
    """What one person says of one case: a winner, an overall score, or a preference from 1 to 7; None if skipped.

    `value` and `criteria` are in the case's own terms, whatever order the person saw (`shown`). `texts` is a hash of
    what was shown. `stratum` is None where nobody knows how the case was chosen. A criterion that was skipped is None.
    Without a value and not skipped, the case is still open: a flag or a note alone is no answer. `unblinded`: it was
    given or changed after its author had looked at the verdict.
    """

    case: str
    position: int
    annotator: str
    value: Winner | Exact | None = None
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
    """Whose verdicts somebody has looked at, in `labels/NAME.seen`: those of some cases, or of the whole run."""

    all: bool = True
    positions: tuple[int, ...] = ()

    def has(self, position: int) -> bool:
        return self.all or position in self.positions


def overall_scale(run: Run) -> Scale | None:
    """The scale of a label's value; None where it is a winner."""
    return {"compare": None, "dialogue": run.rubric.scale, "review": LIKERT}[run.protocol]


def criterion_scales(run: Run) -> dict[str, Scale]:
    """What may be rated beside the whole, under the names that the run's table has for it; nothing in comparisons."""
    if run.protocol == "compare":
        return {}
    if run.protocol == "dialogue":
        return {criterion.key: criterion.scale for criterion in run.rubric.criteria}
    return {
        f"{criterion.key}_{label.lower()}": criterion.scale for criterion in run.rubric.criteria for label in LABELS
    }


# -- what a person is shown -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ShownCase:
    """All that a person may see of a case: titled texts, and the two answers if it has two. No verdict, no source."""

    before: tuple[tuple[str, str], ...]
    answers: tuple[str, str] | None = None

    @property
    def digest(self) -> str:
        return hashlib.blake2b(orjson.dumps([self.before, self.answers]), digest_size=8).hexdigest()


def shown_case(case: Comparison | Dialogue | Review) -> ShownCase:
    """A case without what annotators wrote beside it, and without its id, which may name who wrote what."""
    if isinstance(case, Dialogue):
        said = (f"{turn.speaker}: {turn.text}" for turn in case.turns if turn.text.strip())
        return ShownCase((("Conversation", "\n".join(said)),))
    if isinstance(case, Comparison):
        before = [("Task", case.task), ("Context", case.context)]
    else:
        before = [
            ("Task configuration", case.task_config),
            ("System prompt", case.system_prompt),
            ("Conversation so far", case.history),
            ("Prompt", case.prompt),
        ]
    return ShownCase(tuple((title, text) for title, text in before if text.strip()), (case.a, case.b))


def turned(value: Winner | Decimal | None, order: Order) -> Winner | Decimal | None:
    """A winner or a preference from 1 to 7 as it was shown → as the case has it, and back."""
    if order == "ab" or value is None or value == "tie":
        return value
    if isinstance(value, Decimal):
        return LIKERT.low + LIKERT.high - value
    return "B" if value == "A" else "A"


# -- a person's own file ----------------------------------------------------------------------------------------------


def annotator_name(given: str | None) -> str:
    """The name that was given, or this user's, if it can be the name of a file."""
    try:
        name = unicodedata.normalize("NFC", getpass.getuser() if given is None else given)
    except (KeyError, OSError):
        raise InputError("--annotator", "missing, and this user has no name", _NAMED) from None
    if not _NAME.fullmatch(name):
        raise InputError("--annotator", f"{name!r:.80} cannot be the name of a file", _NAMED)
    return name


class LabelFile:
    """One person's labels in a run, by position: `with LabelFile(run, "ann") as file`. No other process can add to it
    meanwhile. `torn` says that its last line was cut off by a kill; that line is taken away."""

    def __init__(self, run: Run, annotator: str) -> None:
        self.path = run.folder / FOLDER / f"{annotator}.jsonl"
        self.annotator = annotator
        self.labels: dict[int, HumanLabel] = {}
        self.torn = False
        self.seen = read_seen(self.path.with_name(annotator + SEEN))

    def add(self, label: HumanLabel) -> HumanLabel:
        """Keep a label; it is on the disk when this returns. What is said after a look at the verdict is marked."""
        known = self.labels.get(label.position)
        if self.seen and self.seen.has(label.position) and _answer(label) != _answer(known):
            label = label.updated(unblinded=True)
        line = to_json(label)
        try:
            # One write: a kill leaves all of it or a line without an end.
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
            # Let the next line begin on a line of its own.
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
    """What a person has seen, as `labels/NAME.seen` says; an empty file says everything."""
    try:
        return from_json(SeenVerdicts, path.read_bytes() or b"{}")
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, ValidationError):
        raise InputError(str(path), "cannot be read", "the file as the service wrote it is needed") from None


def read_label_file(path: Path) -> tuple[list[HumanLabel], bool]:
    """The labels in a file that `adjudge label` wrote, in its order, and whether its last line was cut off."""
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
            allowed = "the line as `adjudge label` wrote it is needed"
            raise InputError(f"{path}, line {number}", "not a label", allowed) from None
    return labels, False
