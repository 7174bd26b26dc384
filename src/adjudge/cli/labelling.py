"""The conversation behind `adjudge label`: a case, what is asked about it, and the keys that answer.

It shows what `agreement.labels.shown_case` lets a person see, and nothing else of a case.
"""

from __future__ import annotations

import shutil
import sys
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from ..agreement.labels import HumanLabel, LabelFile, ShownCase, now, shown_case, turned
from ..agreement.sampling import Pick, Selection, order_for
from ..models.comparison import Order
from ..reports.terminal import Terminal
from ..results.run import Reader, Run
from ..rubric import LIKERT, Scale
from .keys import Keys

_HELP = """\
s  skip this case: you cannot tell, or would rather not
f  flag it, as one to talk about; again to take the flag away
n  write a note about it
u  go back: to the question before, or to the case before to change its label
m  show the texts in full
q  quit; every label is kept, and the same command continues here
?  this help"""
_COMMANDS = "s skip · f flag · n note · u back · m more · q quit · ? help"
_MORE = "… m shows the rest"
_KEYS_AT_MOST = 9
_SHOWN_AS = ("Answer 1", "Answer 2")
Outcome = Literal["answered", "back", "quit"]


# -- questions --------------------------------------------------------------------------------------------------------


class _Asked(NamedTuple):
    """A question about a case: of what (None: the whole), its words, what each answer means, and what may be typed.

    `keys`: every answer is a single key.
    """

    criterion: str | None
    words: str
    meanings: Sequence[tuple[str, str]]
    answers: Mapping[str, Any]
    keys: bool = True


def _questions(run: Run, order: Order, *, criteria: bool) -> list[_Asked]:
    """What is asked about a case, in terms of what stands first on the screen."""
    if run.protocol == "compare":
        meanings = [("1", f"{_SHOWN_AS[0]} is better"), ("2", f"{_SHOWN_AS[1]} is better"), ("t", "tie")]
        return [_Asked(None, "Which answer is better?", meanings, {"1": "A", "2": "B", "t": "tie"})]
    if run.protocol == "dialogue":
        bands = dict(run.rubric.bands)
        asked = [_on_scale(None, "How good was the system in this conversation, all in all?", run.rubric.scale, bands)]
        rated = [
            _on_scale(each.key, f"{each.name}: {_first_line(each.guidance)}", each.scale, bands)
            for each in run.rubric.criteria
        ]
        return asked + (rated if criteria else [])
    far, near = "is much better", "is slightly better"
    one, two = _SHOWN_AS
    ends = {"1": f"{one} {far}", "3": f"{one} {near}", "4": "no preference", "5": f"{two} {near}", "7": f"{two} {far}"}
    asked = [_on_scale(None, "Which answer do you prefer?", LIKERT, ends)]
    rated = [
        _on_scale(
            f"{each.key}_{label}", f"{shown}, {each.name}: {_first_line(each.guidance)}", each.scale, dict(each.bands)
        )
        for shown, label in zip(_SHOWN_AS, order, strict=True)
        for each in run.rubric.criteria
    ]
    return asked + (rated if criteria else [])


def _on_scale(criterion: str | None, words: str, scale: Scale, bands: Mapping[str, str]) -> _Asked:
    """A question for a value of a scale: its digits are keys if they are single, else keys count its steps from 1.

    Where neither will do (-2 to 2, 1 to 10), the number is typed.
    """
    values = {str(value): value for value in scale.values}
    steps = {str(number): value for number, value in enumerate(scale.values, 1)}
    if all(len(name) == 1 for name in values):
        answers, named = values, dict.fromkeys(values, "")
    elif len(values) <= _KEYS_AT_MOST and not values.keys() & steps.keys():
        answers, named = {**steps, **values}, {key: str(value) for key, value in steps.items()}
    else:
        return _Asked(criterion, words, [(name, bands.get(name, "")) for name in values], values, keys=False)
    meanings = [
        (key, ": ".join(filter(None, (number, bands.get(str(answers[key]), ""))))) for key, number in named.items()
    ]
    return _Asked(criterion, words, meanings, answers)


def _first_line(guidance: str) -> str:
    return " ".join(guidance.split()).partition("? ")[0].rstrip("?") + "?"


# -- the session ------------------------------------------------------------------------------------------------------


class Session:
    """One person at work on a run; every label is on the disk before the next case is shown."""

    def __init__(
        self, run: Run, selection: Selection, queue: Sequence[Pick], file: LabelFile, reader: Reader, *, criteria: bool
    ) -> None:
        self._run, self._selection, self._queue, self._file, self._reader = run, selection, queue, file, reader
        self._criteria = criteria
        size = shutil.get_terminal_size((100, 24))
        self._seen = sys.stdout.isatty()
        self._height = size.lines
        self._terminal = Terminal(colour=self._seen, width=size.columns)
        self._keys = Keys()

    def is_open(self, pick: Pick) -> bool:
        label = self._file.labels.get(pick.position)
        return label is None or label.is_open

    def run(self, todo: Sequence[Pick], resume: str) -> int:
        """Ask about these cases, one after the other; `resume` is the command that continues."""
        waiting, wanted = deque(todo), {pick.position for pick in todo}
        if waiting:
            self._tell(f"{self._progress()} Labels are kept in {self._file.path}. Press ? for help.")
        try:
            while waiting:
                pick = waiting.popleft()
                outcome = self._ask_about(pick)
                if outcome == "quit":
                    self._tell(f"{self._progress()} Continue with: {resume}")
                    return 0
                if outcome == "answered":
                    wanted.discard(pick.position)
                    continue
                at = self._queue.index(pick)
                if at == 0:
                    self._tell("This is the first case.")
                if at == 0 or pick.position in wanted:
                    waiting.appendleft(pick)
                if at > 0:
                    before = self._queue[at - 1]
                    if before in waiting:
                        waiting.remove(before)
                    waiting.appendleft(before)
        except KeyboardInterrupt:
            self._tell(f"\nStopped. {self._progress()} Continue with: {resume}")
            return 130
        self._tell(self._progress())
        return 0

    def _progress(self) -> str:
        labels = [self._file.labels[pick.position] for pick in self._queue if pick.position in self._file.labels]
        labelled = sum(label.value is not None for label in labels)
        told = [f"{labelled} of {len(self._queue)} cases labelled by {self._file.annotator}"]
        for what in ("skipped", "flagged"):
            count = sum(getattr(label, what) for label in labels)
            told += [f"{count} {what}"] if count else []
        return f"{', '.join(told)}."

    def _ask_about(self, pick: Pick) -> Outcome:
        """Show a case and ask all that is asked about it; the label is kept when the last question is answered."""
        order = order_for(self._selection, self._file.annotator, pick.position)
        shown = shown_case(self._reader.given(pick.position))
        begun = HumanLabel(
            case=pick.case,
            position=pick.position,
            annotator=self._file.annotator,
            shown=order if shown.answers else None,
            texts=shown.digest,
        )
        label = self._file.labels.get(pick.position, begun).updated(stratum=pick.stratum, time=now())
        self._show(pick, shown, order)
        if not label.is_open:
            self._tell(f"Your label so far: {self._as_shown(label)}")
        questions = _questions(self._run, order, criteria=self._criteria)
        given: list[Any] = []
        while len(given) < len(questions):
            question = questions[len(given)]
            said = self._ask(question)
            command, _, rest = (said or "").partition(" ")
            if said is None or command == "q":
                return "quit"
            if said in question.answers:
                given.append(question.answers[said])
            elif command == "s":
                self._file.add(label.updated(value=None, criteria={}, skipped=True))
                return "answered"
            elif command == "u" and not given:
                return "back"
            elif command == "u":
                given.pop()
            elif command == "f":
                label = self._kept(label.updated(flagged=not label.flagged))
                self._tell("Flagged." if label.flagged else "No longer flagged.")
            elif command == "n":
                label = self._kept(label.updated(note=rest.strip() or self._keys.line("note: ") or ""))
            elif command == "m":
                self._show(pick, shown, order, whole=True)
            elif command == "?":
                self._help()
            else:
                allowed = f"{', '.join(key for key, _ in question.meanings)}; {_COMMANDS}"
                self._tell(self._keys.refused(said, allowed))
        values = dict(zip((question.criterion for question in questions), given, strict=True))
        whole = values.pop(None)
        value = turned(whole, order) if shown.answers else whole
        self._kept(label.updated(value=value, criteria=values or label.criteria, skipped=False))
        return "answered"

    def _kept(self, label: HumanLabel) -> HumanLabel:
        self._file.add(label)
        return label

    def _ask(self, question: _Asked) -> str | None:
        self._print("")
        self._tell(question.words, "strong")
        width = max(len(key) for key, _ in question.meanings)
        for key, meaning in question.meanings:
            self._print(self._terminal.item(key, meaning, indent=2, column=width))
        self._tell(_COMMANDS, "faint")
        return self._keys.key("> ") if question.keys else self._keys.line("number and Enter > ")

    def _as_shown(self, label: HumanLabel) -> str:
        """A label in the words of the screen."""
        if label.skipped:
            return "skipped"
        value = turned(label.value, label.shown) if label.shown else label.value
        return f"{_SHOWN_AS['AB'.index(str(value))]} is better" if value in ("A", "B") else str(value)

    def _show(self, pick: Pick, shown: ShownCase, order: Order, *, whole: bool = False) -> None:
        # Cut only for a person who can ask for more; half of the screen is for what is judged.
        cut = self._seen and not whole
        self._print("─" * self._terminal.width)
        self._tell(f"{self._queue.index(pick) + 1} of {len(self._queue)}", "strong")
        for titled in shown.before:
            lines = max(6, self._height // (4 if shown.answers else 1) - 12 * (shown.answers is None))
            self._print(self._terminal.blocks([titled], lines=lines if cut else None, more=_MORE))
        if shown.answers:
            first, second = shown.answers if order == "ab" else reversed(shown.answers)
            titled_answers = list(zip(_SHOWN_AS, (first, second), strict=True))
            lines = max(8, self._height // 2)
            self._print(self._terminal.blocks(titled_answers, lines=lines if cut else None, more=_MORE))

    def _help(self) -> None:
        self._print(_HELP)
        self._tell("What counts, in the words of the rubric:", "strong")
        for criterion in self._run.rubric.criteria:
            self._print(self._terminal.item("·", f"{criterion.name}: {criterion.guidance}", indent=2))

    def _tell(self, sentence: str, style: str = "") -> None:
        self._print(self._terminal.paragraph(sentence, style))

    def _print(self, text: str) -> None:
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()
