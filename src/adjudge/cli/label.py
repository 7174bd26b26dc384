"""`adjudge label`: shows a person the cases of a run one by one, blind, and saves the label given to each.

It shows only the parts of a case that `agreement.labels.files.shown_case` returns.
"""

from __future__ import annotations

import argparse
import io
import os
import shlex
import shutil
import sys
from collections import deque
from collections.abc import Sequence
from decimal import Decimal
from functools import partial
from typing import Literal

from ..agreement.labels.exporting import export_labels
from ..agreement.labels.files import (
    HumanLabel,
    LabelFile,
    annotator_name,
    criterion_scales,
    read_label_file,
    shown_case,
)
from ..agreement.labels.questions import SHOWN_AS, answered, as_shown, begun_label, questions, skipped
from ..agreement.labels.sampling import FOLDER, MAX_PICKS, Pick, Selection, order_for, select_cases
from ..arithmetic import to_decimal
from ..errors import InputError
from ..models.common import Order
from ..protocols.base import names, protocol_of
from ..protocols.labelling import LabelQuestion, ShownCase
from ..rendering.document import grid_text
from ..rendering.terminal import Terminal
from ..results.run import Reader, Run, open_run
from .common import note, say
from .outputs import terminal_width

try:
    import termios
    import tty
except ImportError:  # Windows
    termios = tty = None  # type: ignore[assignment]

_HELP = """\
s  skip this case or criterion, if you cannot tell or prefer not to
f  flag it for discussion; press again to remove the flag
n  write a note about it
u  go back to the previous question, or to the previous case to change its label
q  quit; every label is saved, and the same command continues here
?  this help"""
_COMMANDS = "s skip · f flag · n note · u back · q quit · ? help"
_SEEN = "You have seen its verdict: changes are still saved, but marked and left out of all figures."
Ending = Literal["answered", "back", "quit"]
_print = partial(print, flush=True)


def run(args: argparse.Namespace) -> int:
    """Ask for labels until all cases are done or the person quits."""
    annotator = annotator_name(args.annotator)
    if args.n is not None and not 1 <= args.n <= MAX_PICKS:
        raise InputError("--n", str(args.n), f"1 to {MAX_PICKS:,}")
    share = _share(args.random_share)
    opened = open_run(args.run_directory)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # the terminal's encoding may lack some characters
    if args.list:
        return _list(opened, annotator)
    if args.export:
        sys.stdout.buffer.write(export_labels(opened, args.export))
        return 0
    labelling = opened.protocol.labelling
    if args.criteria and labelling.criteria is None:
        *first, last = [name for name in names() if protocol_of(name).labelling.criteria]
        rated = f"{', '.join(first)} and {last}" if first else last
        raise InputError("--criteria", labelling.without_criteria, f"it is for {rated} runs")
    owner = annotator if args.separate else None
    selection = select_cases(opened, args.n, seed=args.seed, random_share=share, annotator=owner)
    queue = selection.of(owner)[: args.n]
    if args.n is not None and len(queue) < args.n:
        left = "have no verdict that a label can be compared with, are copies, or belong to someone else"
        note(f"only {len(queue)} cases can be picked: the others {left}")
    with LabelFile(opened, annotator) as file, Reader(opened) as reader:
        if file.torn:
            say(f"{file.path}: the last line was cut off when it was written, and is left out")
        session = LabelSession(opened, selection, queue, file, reader, criteria=args.criteria)
        todo = _changed(args.change, queue) if args.change else [pick for pick in queue if session.is_open(pick)]
        resume = ["adjudge", "label", args.run_directory]
        resume += ["--annotator", annotator] if args.annotator else []
        resume += ["--separate"] if args.separate else []
        return session.run(todo, shlex.join(resume))


def _share(given: str | None) -> Decimal | None:
    share = to_decimal(given)
    if given is not None and (share is None or not 0 <= share <= 1):
        raise InputError("--random-share", f"{given!r:.40}", "a number from 0 to 1")
    return share


def _changed(ids: Sequence[str], queue: Sequence[Pick]) -> list[Pick]:
    for name in ids:
        if not any(pick.case == name for pick in queue):
            allowed = "choose one of the picked cases; --n picks more"
            raise InputError("--change", f"{name!r:.60} is not among the cases to label", allowed)
    return [pick for pick in queue if pick.case in ids]


def _list(opened: Run, annotator: str) -> int:
    path = opened.folder / FOLDER / f"{annotator}.jsonl"
    if not path.exists():
        people = ", ".join(sorted(other.stem for other in path.parent.glob("*.jsonl"))) or "nobody yet"
        raise InputError("--annotator", f"no labels by {annotator}", f"there are labels by: {people}")
    labels = {label.position: label for label in read_label_file(path)[0]}
    rows = [
        [label.case, _described(label), "flagged" if label.flagged else "", label.note, label.time]
        for label in labels.values()
    ]
    sys.stdout.write(grid_text(["case", "label", "flag", "note", "time"], rows, (), terminal_width()))
    return 0


def _described(label: HumanLabel) -> str:
    if label.value is None:
        value = "skipped" if label.skipped else "open"
    else:
        value = f"{label.value}, and {len(label.criteria)} criteria" if label.criteria else str(label.value)
    return f"{value}, after the verdict was seen" if label.unblinded else value


def _fitting_terminal() -> Terminal:
    """Return a terminal with the current width of the window."""
    return Terminal(colour=sys.stdout.isatty(), width=shutil.get_terminal_size((100, 24)).columns)


# -- the session ------------------------------------------------------------------------------------------------------


class LabelSession:
    """One person's labelling session. Every label is saved before the next case is shown."""

    def __init__(
        self, run: Run, selection: Selection, queue: Sequence[Pick], file: LabelFile, reader: Reader, *, criteria: bool
    ) -> None:
        self._run, self._selection, self._queue, self._file, self._reader = run, selection, queue, file, reader
        self._criteria, self._scales = criteria, criterion_scales(run)
        self._terminal = _fitting_terminal()
        self._keys = _Keys()

    def is_open(self, pick: Pick) -> bool:
        """Return whether a case has an open question."""
        label = self._file.labels.get(pick.position)
        if label is None or label.skipped:
            return label is None
        return label.value is None or (self._criteria and not self._scales.keys() <= label.criteria.keys())

    def run(self, todo: Sequence[Pick], resume: str) -> int:
        """Ask about these cases one by one and return the exit code; `resume` is the command that continues."""
        waiting, wanted = deque(todo), {pick.position for pick in todo}
        if waiting:
            self._write(f"{self._progress()} Each label is saved at once in {self._file.path}; ? explains the keys.")
        try:
            while waiting:
                pick = waiting.popleft()
                outcome = self._ask_about(pick)
                if outcome == "quit":
                    self._write(self._progress())
                    _print(f"Continue with: {resume}")
                    return 0
                if outcome == "answered":
                    wanted.discard(pick.position)
                    continue
                at = self._queue.index(pick)
                if at == 0:
                    self._write("This is the first case.")
                if at == 0 or pick.position in wanted:
                    waiting.appendleft(pick)
                if at > 0:
                    before = self._queue[at - 1]
                    if before in waiting:
                        waiting.remove(before)
                    waiting.appendleft(before)
        except KeyboardInterrupt:
            _print(f"\nStopped.\n{self._progress()}\nContinue with: {resume}")
            return 130
        self._write(self._progress())
        if not todo:
            self._write("Nothing is open: --change ID changes a label, and a larger --n picks more cases.")
        return 0

    def _progress(self) -> str:
        labels = [self._file.labels[pick.position] for pick in self._queue if pick.position in self._file.labels]
        labelled = sum(label.value is not None for label in labels)
        parts = [f"{labelled} of {len(self._queue)} cases labelled by {self._file.annotator}"]
        for what in ("skipped", "flagged"):
            count = sum(getattr(label, what) for label in labels)
            parts += [f"{count} {what}"] if count else []
        return f"{', '.join(parts)}."

    def _ask_about(self, pick: Pick) -> Ending:
        """Show a case and ask its open questions, or all again if none is open. Each answer is saved at once."""
        order = order_for(self._selection, self._file.annotator, pick.position)
        shown = shown_case(self._reader.given(pick.position))
        label = begun_label(self._file.labels.get(pick.position), pick, self._file.annotator, shown, order)
        asked = questions(self._run, order, criteria=self._criteria)
        at = 0
        self._show(pick, shown, order)
        if not self.is_open(pick):
            self._write(f"Your label so far: {as_shown(self._run, label, order)}")
            if self._file.seen and self._file.seen.has(pick.position):
                self._write(_SEEN, "warning")
        elif label.value is not None:
            at = next(number for number, each in enumerate(asked) if each.criterion not in (None, *label.criteria))
        while at < len(asked):
            question = asked[at]
            answer = self._ask(question)
            command, _, rest = (answer or "").partition(" ")
            if answer is None or command == "q":
                return "quit"
            if answer in question.answers or (command == "s" and at > 0):
                label = self._file.add(answered(label, question.criterion, question.answers.get(answer)))
                at += 1
            elif command == "s":
                self._file.add(skipped(label))
                return "answered"
            elif command == "u" and at == 0:
                return "back"
            elif command == "u":
                at -= 1
            elif command == "f":
                label = self._file.add(label.updated(flagged=not label.flagged))
                self._write("Flagged." if label.flagged else "No longer flagged.")
            elif command == "n":
                if (note := rest.strip() or self._keys.line("note: ")) is None:
                    return "quit"
                label = self._file.add(label.updated(note=note))
            elif command == "?":
                self._help()
            else:
                allowed = f"{', '.join(key for key, _ in question.meanings)}, or s f n u q ?"
                self._write(self._keys.refused(answer, allowed), "warning")
        return "answered"

    def _ask(self, question: LabelQuestion) -> str | None:
        _print("")
        self._write(question.words, "strong")
        width = max(len(key) for key, _ in question.meanings)
        for key, meaning in question.meanings:
            _print(self._terminal.item(key, meaning, indent=2, column=width))
        self._write(_COMMANDS, "faint")
        return self._keys.key("> ") if question.keys else self._keys.line("number and Enter > ")

    def _show(self, pick: Pick, shown: ShownCase, order: Order) -> None:
        self._terminal = _fitting_terminal()
        _print("─" * self._terminal.width)
        self._write(f"{self._queue.index(pick) + 1} of {len(self._queue)}", "strong")
        first, second = shown.answers or ("", "")
        answers = [*zip(SHOWN_AS, (first, second) if order == "ab" else (second, first), strict=True)]
        for block in (*([titled] for titled in shown.before), *([answers] if shown.answers else [])):
            _print("")
            _print(self._terminal.blocks(block))

    def _help(self) -> None:
        _print(_HELP)
        self._write("The criteria, in the rubric's words:", "strong")
        for criterion in self._run.rubric.criteria:
            _print(self._terminal.item("·", f"{criterion.name}: {criterion.guidance}", indent=2))

    def _write(self, sentence: str, style: str = "") -> None:
        _print(self._terminal.paragraph(sentence, style))


# -- reading the answers -----------------------------------------------------------------------------------------------


class _Keys:
    """Reads single keys from a terminal, or lines from a pipe or a terminal without single-key input.

    `at_terminal` means that a person is there who can be asked again.
    """

    def __init__(self) -> None:
        self.at_terminal = sys.stdin.isatty()
        self._line = 0

    def key(self, prompt: str) -> str | None:
        """Read one key, or one line from a pipe; None at the end of the input."""
        if not self.at_terminal or termios is None:
            return self.line(prompt)
        handle = sys.stdin.fileno()
        before = termios.tcgetattr(handle)
        try:
            # This discards what was typed ahead, so that no one answers a question they have not seen.
            tty.setcbreak(handle)
            _print(prompt, end="")
            pressed = os.read(handle, 64).decode("utf-8", "replace")
        finally:
            termios.tcsetattr(handle, termios.TCSADRAIN, before)
        if pressed in ("", "\x04"):
            _print("")
            return None
        # An arrow key or pasted text arrives as several characters and is not an answer.
        answer = pressed if len(pressed) == 1 and pressed.isprintable() else ""
        _print(answer)
        return answer

    def line(self, prompt: str) -> str | None:
        """Read one line without its end; None at the end of the input."""
        _print(prompt, end="")
        try:
            line = sys.stdin.readline()
        except UnicodeDecodeError:
            raise InputError(f"standard input, line {self._line + 1}", "not UTF-8", "UTF-8 text is needed") from None
        self._line += 1
        if not self.at_terminal:
            _print("")
        return line.strip() if line else None

    def refused(self, answer: str, allowed: str) -> str:
        """Return the message for an invalid answer. From a pipe, raise an error: later answers would be wrong too."""
        found = f"{answer!r:.60} is not an answer here" if answer else "no answer"
        if not self.at_terminal:
            raise InputError(f"standard input, line {self._line}", found, allowed)
        return f"{found}; {allowed}"
