"""The conversation behind `adjudge review --interactive`: which piece, then its text, until there is enough.

Every piece is on disk before the next is asked for. What is pasted with its own tags needs no name.
"""

from __future__ import annotations

import json
import re
import sys
from typing import NamedTuple

from ..drafts import MEANINGS, Draft, add_to_draft, find_draft, new_draft
from ..engine import run_sync
from ..errors import InputError
from ..inputs.review import SLOTS
from ..journal import Journal, open_journal
from ..models.cases import Review
from ..reports.escaping import clean
from ..rubric import Rubric
from .asking import say

_END = "."
_KEPT_NOT = "nothing of this piece was kept"
_TAG = re.compile(rf"<(/?)({'|'.join(SLOTS)})>", re.IGNORECASE)
_HELP = """\
Name a piece (a part of its name is enough), paste it, and end it with a line that holds only a full stop.
A piece with its tags, such as <PROMPT> … </PROMPT>, can be pasted without naming it.
`show` prints the draft, `judge` starts, `quit` leaves; the draft is kept."""


def ask_for_pieces(rubric: Rubric, journal: str | None, draft_id: str | None) -> Review | None:
    """The review when all that is needed is there and the person says go; None if they leave before.

    An input that ends inside a piece is an error: it was cut, and so would be what is judged.
    """
    opened = open_journal(journal)
    try:
        draft = find_draft(opened, draft_id) if draft_id else run_sync(lambda: new_draft(opened, {}, rubric))
        _tell(f"Draft {draft.draft_id}; continue it later with: adjudge review --interactive --draft {draft.draft_id}")
        _tell(_HELP)
        _tell_pieces("Needed", draft.needed(rubric))
        _tell_pieces("Optional", draft.optional(rubric))
        return _talk(opened, draft, rubric)
    finally:
        opened.close()


class _CutOff(InputError):
    """The input ended inside a piece: nobody knows what is missing, so nothing of it is kept and nothing is judged."""


class _Mixed(InputError):
    """A tag inside another's piece; if it opens one, that is begun next."""

    def __init__(self, name: str, line: str, tag: _Tag) -> None:
        super().__init__(name, f"{line[:40]!r} stands inside it", _KEPT_NOT)
        self.opening = "" if tag.closes else line


class _Tag(NamedTuple):
    """A line that is a tag, or a whole piece with both of its tags."""

    name: str
    closes: bool
    text: str | None = None


def _talk(journal: Journal, draft: Draft, rubric: Rubric) -> Review | None:
    again = ""
    while True:
        needed = draft.needed(rubric)
        _tell(
            f"Still needed: {', '.join(needed)}."
            if needed
            else "Nothing more is needed: `judge` starts, or add an optional piece."
        )
        line = again or _ask("piece> ")
        again = ""
        if line is None:
            # The end of the input: whoever piped the pieces in has said all there is.
            return None if needed else draft.case(rubric)
        command = line.strip()
        if command in ("quit", "q", "exit"):
            return None
        if command in ("help", "?", "h"):
            _tell(_HELP)
        elif command == "show":
            _show(draft, rubric)
        elif command == "judge":
            if not needed:
                return draft.case(rubric)
        elif command:
            try:
                draft = _add(journal, draft, rubric, command)
            except _CutOff:
                raise
            except InputError as error:
                # Nothing of this piece was kept; all others are.
                say(str(error))
                again = error.opening if isinstance(error, _Mixed) else ""


def _show(draft: Draft, rubric: Rubric) -> None:
    """The draft's contents as tagged slots, and what could still be added."""
    given = draft.given(rubric)
    _tell(f"Given: {', '.join(given) or 'nothing yet'}.")
    for name in given:
        value = draft.slots[name]
        text = value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)
        _tell(f"<{name.upper()}>\n{clean(text)}\n</{name.upper()}>")
    _tell_pieces("Optional", draft.optional(rubric))


def _tell_pieces(title: str, names: tuple[str, ...]) -> None:
    if names:
        _tell("\n".join([f"{title}:", *(f"  {name:<34} {MEANINGS[name]}" for name in names)]))


def _add(journal: Journal, draft: Draft, rubric: Rubric, command: str) -> Draft:
    if tag := _tag_in(command):
        if tag.closes:
            raise InputError("piece", f"{command[:40]!r} closes nothing", f"<{tag.name.upper()}> opens it")
        name, text = tag.name, _pasted(tag.name, tagged=True) if tag.text is None else tag.text
        if tag.text is not None and (other := _TAG.search(text)):
            raise InputError(name, f"{other[0]!r} stands inside it", _KEPT_NOT)
    else:
        name = _named(command)
        text = _pasted(name, tagged=False)
    return run_sync(lambda: add_to_draft(journal, draft, {name: text}, rubric))


def _named(command: str) -> str:
    wanted = command.lower()
    matches = (
        [name for name in SLOTS if name == wanted]
        or [name for name in SLOTS if name.startswith(wanted)]
        or [name for name in SLOTS if wanted in name]
    )
    if len(matches) != 1:
        found = f"{command[:40]!r}: " + ("several pieces have this in their name" if matches else "no such piece")
        raise InputError("piece", found, f"one of {', '.join(matches or SLOTS)}")
    return matches[0]


def _pasted(name: str, *, tagged: bool) -> str:
    """The lines of a piece up to its closing tag, or up to the line with the full stop."""
    lines: list[str] = []
    while (line := _ask("")) is not None:
        # A table's closing tag may stand in a row of the table.
        bare = line.strip().strip("| \t") if tagged else line.strip()
        tag = _tag_in(bare) if tagged else None
        if tag == _Tag(name, closes=True) or (not tagged and bare == _END):
            return "\n".join(lines)
        if tag is not None:
            raise _Mixed(name, bare, tag)
        lines.append(line)
    end = f"</{name.upper()}>" if tagged else "the line with the full stop"
    raise _CutOff(name, f"the input ended before {end}", _KEPT_NOT)


def _tag_in(line: str) -> _Tag | None:
    if tag := _TAG.fullmatch(line):
        return _Tag(tag[2].lower(), bool(tag[1]))
    opening = _TAG.match(line)
    if opening is None or opening[1] or not line.lower().endswith(closing := f"</{opening[2].lower()}>"):
        return None
    return _Tag(opening[2].lower(), closes=False, text=line[opening.end() : -len(closing)])


def _ask(prompt: str) -> str | None:
    """A line without its end, or None at the end of the input; the prompt goes where it does not mix with results."""
    if prompt and sys.stdin.isatty():
        print(prompt, end="", file=sys.stderr, flush=True)
    line = sys.stdin.readline()
    return line.rstrip("\n").rstrip("\r") if line else None


def _tell(message: str) -> None:
    print(message, file=sys.stderr)
