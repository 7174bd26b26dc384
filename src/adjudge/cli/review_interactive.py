"""The conversation behind `adjudge review --interactive`: which piece, then its text, until there is enough.

Every piece is on disk before the next is asked for. What is pasted with its own tags needs no name.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from .asking import say

if TYPE_CHECKING:
    from ..cases import Review
    from ..engine.drafts import Draft
    from ..journal import Journal
    from ..rubric import Rubric

_END = "."
_HELP = (
    "Name a piece (a beginning of its name is enough) and then paste it, with a line of only . at its end;\n"
    "or paste it with its tags. `judge` starts, `show` says what is there, `quit` leaves; the draft is kept."
)


def ask_for_pieces(rubric: Rubric, journal: str | None, draft_id: str | None) -> Review | None:
    """The review when all that is needed is there and the person says go; None if they leave before."""
    from ..engine import run_sync
    from ..engine.drafts import find_draft, new_draft
    from ..journal import open_journal

    opened = open_journal(journal)
    try:
        begun = (
            find_draft(opened, draft_id) if draft_id is not None else run_sync(lambda: new_draft(opened, {}, rubric))
        )
        _tell(f"Draft {begun.draft_id}. Go on with it later: adjudge review --interactive --draft {begun.draft_id}")
        _tell(_HELP)
        return _talk(opened, begun, rubric)
    finally:
        opened.close()


def _talk(journal: Journal, draft: Draft, rubric: Rubric) -> Review | None:
    from ..errors import InputError

    while True:
        needed = draft.needed(rubric)
        _tell(f"Still needed: {', '.join(needed)}." if needed else "Nothing more is needed: `judge` starts.")
        line = _ask("piece> ")
        if line is None:
            # The end of the input: whoever piped the pieces in has said all there is.
            return None if needed else draft.case(rubric)
        command = line.strip()
        if not command:
            continue
        if command in ("quit", "q", "exit"):
            return None
        if command in ("help", "?", "h"):
            _tell(_HELP)
        elif command == "show":
            _tell(f"Given: {', '.join(draft.given(rubric)) or 'nothing yet'}.")
        elif command == "judge":
            if not needed:
                return draft.case(rubric)
        else:
            try:
                draft = _add(journal, draft, rubric, command)
            except InputError as error:
                # Nothing of this piece was kept; all others are.
                say(str(error))


def _add(journal: Journal, draft: Draft, rubric: Rubric, command: str) -> Draft:
    from ..engine import run_sync
    from ..engine.drafts import add_to_draft
    from ..errors import InputError
    from ..readers.slots import SLOTS

    tagged = command.startswith("<") and command.endswith(">")
    wanted = command.strip("<>").lower()
    matches = [name for name in SLOTS if name == wanted] or [name for name in SLOTS if name.startswith(wanted)]
    if len(matches) != 1:
        found = f"{command[:40]!r}: " + ("several slots begin like this" if matches else "no such piece")
        raise InputError("piece", found, f"one of {', '.join(matches or SLOTS)}")
    name = matches[0]
    text = _read_until(f"</{name.upper()}>" if tagged else _END)
    changes = {name: text}
    return run_sync(lambda: add_to_draft(journal, draft, changes, rubric))


def _read_until(end: str) -> str:
    lines: list[str] = []
    while (line := _ask("")) is not None and not _is_end(line, end):
        lines.append(line)
    return "\n".join(lines)


def _is_end(line: str, end: str) -> bool:
    # A table's closing tag may stand in a row of the table.
    return line.strip() == end or (end.startswith("</") and line.strip().strip("| \t") == end)


def _ask(prompt: str) -> str | None:
    """A line without its end, or None at the end of the input; the prompt goes where it does not mix with results."""
    if prompt and sys.stdin.isatty():
        print(prompt, end="", file=sys.stderr, flush=True)
    line = sys.stdin.readline()
    return line.rstrip("\n").rstrip("\r") if line else None


def _tell(message: str) -> None:
    print(message, file=sys.stderr)
