"""Every error a user can meet, and how they hang together.

    AdjudgeError
    ├── InputError            what was given cannot be judged        exit 2, HTTP 400
    │   ├── TooLargeError     … because it is too large              exit 2, HTTP 413
    │   ├── RubricError       a rubric file is wrong at a line       exit 2, HTTP 400
    │   └── JudgeSpecError    a judge's name cannot be read          exit 2, HTTP 400
    ├── NotFoundError         there is none of this id               exit 2, HTTP 404
    ├── ConflictError         it does not fit what is there          exit 2, HTTP 409
    ├── SetupError            a key, an extra or a file is missing   exit 2, HTTP 503
    └── JournalError          the journal cannot be read or written  exit 2, HTTP 503
        └── NotJournalledError  a replay needs a reply nobody stored exit 2, HTTP 404

A judgment that failed is not an error: it is a `models.Failure`, a value.
"""

from __future__ import annotations

from collections.abc import Mapping

from .redaction import redact


class AdjudgeError(Exception):
    """The root; its text is one line a person can act on, and holds no secret."""

    def __init__(self, message: str) -> None:
        super().__init__(redact(message))


class InputError(AdjudgeError):
    """Says the place, what was found there and what is allowed."""

    def __init__(self, place: str, found: str, allowed: str = "") -> None:
        self.place = place
        self.found = found
        self.allowed = allowed
        super().__init__(f"{place}: {found}" + (f"; {allowed}" if allowed else ""))

    def __reduce__(self) -> tuple[type[InputError], tuple[str, str, str]]:
        # Pickled as it was made: it may come from another process.
        return type(self), (self.place, self.found, self.allowed)

    def renamed(self, names: Mapping[str, str]) -> InputError:
        """The same error in the words of the door it came through (`a` → `responseA`)."""
        head, dot, rest = self.place.partition(".")
        return type(self)(names.get(head, head) + dot + rest, self.found, self.allowed)


class TooLargeError(InputError):
    """A text or a request over the limit."""


class RubricError(InputError):
    """A rubric that cannot be used; the place is `file:line`."""


class JudgeSpecError(InputError):
    """A judge string that names no judge."""


class NotFoundError(AdjudgeError):
    """There is none of this id that the caller may see."""


class ConflictError(AdjudgeError):
    """It cannot be done as things stand; the text says what stands in the way."""


class SetupError(AdjudgeError):
    """Something must be installed or set first; the text says what and how."""


class JournalError(AdjudgeError):
    """The journal file or database does not do its work."""


class NotJournalledError(JournalError):
    """A replay asked for a reply that was never stored."""


def plain_reason(error: OSError) -> str:
    """Why a file cannot be read or written, in plain words."""
    if isinstance(error, FileNotFoundError):
        return "file not found"
    if isinstance(error, IsADirectoryError):
        return "is a folder, not a file"
    return (error.strerror or str(error)).lower()
