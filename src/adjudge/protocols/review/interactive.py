"""The dialog of `adjudge review --interactive`: asks for the name and text of each piece until the review is complete.

Every piece is saved before the next one is asked for. A piece pasted with its own tags needs no name.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from contextlib import closing

from ...engine import run_sync
from ...errors import InputError
from ...journal import Journal, open_journal
from ...rendering.escaping import clean
from ...rubric import Rubric
from .case import Review
from .drafts import MEANINGS, Draft, add_to_draft, find_draft, new_draft
from .reading import SLOTS

_KEPT_NOT = "this piece was not saved"
_TAG = re.compile(rf"<(/?)({'|'.join(SLOTS)})>", re.IGNORECASE)
_ON_ONE_LINE = re.compile(rf"<({'|'.join(SLOTS)})>(.*)</\1>", re.IGNORECASE)
_HELP = """\
Name a piece (a part of its name is enough), paste it, and end it with a line that holds only a full stop.
A piece with its tags, such as <PROMPT> … </PROMPT>, can be pasted without naming it.
`show` prints the draft, `judge` starts, `quit` leaves; the draft is kept."""


def ask_for_pieces(
    rubric: Rubric, journal: str | None, draft_id: str | None, say: Callable[[str], None]
) -> Review | None:
    """Ask for the pieces of a review and return it when the person starts judging; None if they leave before.

    An input that ends inside a piece is an error, because a truncated text would be judged. `say` prints other errors.
    """
    with closing(open_journal(journal)) as opened:
        draft = find_draft(opened, draft_id) if draft_id else run_sync(lambda: new_draft(opened, {}, rubric))
        _tell(f"Draft {draft.draft_id}; continue it later with: adjudge review --interactive --draft {draft.draft_id}")
        _tell(_HELP)
        _tell_pieces("Needed", draft.needed(rubric))
        _tell_pieces("Optional", draft.optional(rubric))
        return _talk(opened, draft, rubric, say)


class _CutOff(InputError):
    """The input ended inside a piece. The rest is missing, so the piece is not saved and nothing is judged."""


class _Mixed(InputError):
    """A tag was found inside another piece. If it is an opening tag, its piece is read next."""

    def __init__(self, name: str, line: str) -> None:
        super().__init__(name, f"{line[:40]!r} was found inside it", _KEPT_NOT)
        self.opening = "" if line.startswith("</") else line


def _talk(journal: Journal, draft: Draft, rubric: Rubric, say: Callable[[str], None]) -> Review | None:
    again = ""
    while True:
        needed = draft.needed(rubric)
        enough = "Nothing more is needed: `judge` starts, or add an optional piece."
        _tell(f"Still needed: {', '.join(needed)}." if needed else enough)
        line = again or _ask("piece> ")
        again = ""
        command = "judge" if line is None else line.strip()
        if command == "judge" and not needed:
            return draft.case(rubric)
        if line is None or command in ("quit", "q", "exit"):
            return None
        if command in ("help", "?", "h"):
            _tell(_HELP)
        elif command == "show":
            _show(draft, rubric)
        elif command not in ("", "judge"):
            try:
                name, text = _read_piece(command)
                draft = run_sync(lambda: add_to_draft(journal, draft, {name: text}, rubric))  # noqa: B023 -- run at once
            except _CutOff:
                raise
            except InputError as error:
                # This piece was not saved, but all others are.
                say(str(error))
                again = error.opening if isinstance(error, _Mixed) else ""


def _show(draft: Draft, rubric: Rubric) -> None:
    """Print the draft's contents as tagged slots, and the pieces that could still be added."""
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


def _read_piece(command: str) -> tuple[str, str]:
    """Return the slot that a line names or opens, and its text up to the closing tag or a line with a full stop."""
    if whole := _ON_ONE_LINE.fullmatch(command):
        if other := _TAG.search(whole[2]):
            raise InputError(whole[1].lower(), f"{other[0]!r} was found inside it", _KEPT_NOT)
        return whole[1].lower(), whole[2]
    tag = _TAG.fullmatch(command)
    if tag and tag[1]:
        raise InputError("piece", f"{command[:40]!r} closes nothing", f"<{tag[2].upper()}> opens it")
    name = tag[2].lower() if tag else _named(command)
    end = f"</{name}>" if tag else "."
    lines: list[str] = []
    while (line := _ask("")) is not None:
        # The closing tag of a table may be in a row of the table.
        bare = line.strip().strip("| \t") if tag else line.strip()
        if bare.lower() == end:
            return name, "\n".join(lines)
        if tag and (_TAG.fullmatch(bare) or _ON_ONE_LINE.fullmatch(bare)):
            raise _Mixed(name, bare)
        lines.append(line)
    wanted = end.upper() if tag else "the line with the full stop"
    raise _CutOff(name, f"the input ended before {wanted}", _KEPT_NOT)


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


def _ask(prompt: str) -> str | None:
    """Read a line without its end, or None at the end of the input. The prompt goes to standard error."""
    if prompt and sys.stdin.isatty():
        print(prompt, end="", file=sys.stderr, flush=True)
    line = sys.stdin.readline()
    return line.rstrip("\n").rstrip("\r") if line else None


def _tell(message: str) -> None:
    print(message, file=sys.stderr)
