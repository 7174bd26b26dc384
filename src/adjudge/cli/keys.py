"""A person's answers: single keys on a terminal, lines from a pipe or where a terminal gives no single keys."""

from __future__ import annotations

import os
import sys

from ..errors import InputError

try:
    import termios
    import tty
except ImportError:  # Windows
    termios = tty = None  # type: ignore[assignment]

END_OF_INPUT = "\x04"


class Keys:
    """Reads standard input. `at_terminal`: there is a person who can be asked again."""

    def __init__(self) -> None:
        self.at_terminal = sys.stdin.isatty()
        self._line = 0

    def key(self, prompt: str) -> str | None:
        """One key, or one line of a pipe; None at the end of the input."""
        if not self.at_terminal or termios is None:
            return self.line(prompt)
        handle = sys.stdin.fileno()
        before = termios.tcgetattr(handle)
        try:
            # This forgets what was typed ahead: nobody answers a question that they have not seen.
            tty.setcbreak(handle)
            _print(prompt)
            pressed = os.read(handle, 64).decode("utf-8", "replace")
        finally:
            termios.tcsetattr(handle, termios.TCSADRAIN, before)
        if pressed in ("", END_OF_INPUT):
            _print("\n")
            return None
        # An arrow key, or something pasted, comes as several characters: no answer.
        answer = pressed if len(pressed) == 1 and pressed.isprintable() else ""
        _print(f"{answer}\n")
        return answer

    def line(self, prompt: str) -> str | None:
        """One line without its end; None at the end of the input."""
        _print(prompt)
        try:
            line = sys.stdin.readline()
        except UnicodeDecodeError:
            raise InputError(f"standard input, line {self._line + 1}", "not UTF-8", "UTF-8 text is needed") from None
        self._line += 1
        if not self.at_terminal:
            _print("\n")
        return line.strip() if line else None

    def refused(self, answer: str, allowed: str) -> str:
        """What to tell a person whose answer is none; from a pipe it is an error, as all that follow would be wrong."""
        found = f"{answer!r:.60} is not an answer here" if answer else "no answer"
        if not self.at_terminal:
            raise InputError(f"standard input, line {self._line}", found, allowed)
        return f"{found}; {allowed}"


def _print(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
