"""All errors that a user can see, as a tree.

    AdjudgeError
    ├── InputError            the input cannot be judged             exit 2, HTTP 400
    │   ├── TooLargeError     the input is too large                 exit 2, HTTP 413
    │   ├── RubricError       a rubric file is wrong at a line       exit 2, HTTP 400
    │   └── JudgeSpecError    a judge's name cannot be read          exit 2, HTTP 400
    ├── NotFoundError         no object has this id                  exit 2, HTTP 404
    ├── ConflictError         the request conflicts with the state   exit 2, HTTP 409
    ├── SetupError            a key, an extra or a file is missing   exit 2, HTTP 503
    └── JournalError          the journal cannot be read or written  exit 2, HTTP 503
        └── NotJournalledError  a replay needs a reply not stored    exit 2, HTTP 404

A failed judgment is not an error but a value: `models.Failure`. What a user should know although nothing is wrong is
logged at the level `NOTE`.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping

from .redaction import redact

NOTE = logging.INFO + 5


class AdjudgeError(Exception):
    """The base class. The message is one line that tells a person what to do, with secrets redacted."""

    def __init__(self, message: str) -> None:
        super().__init__(redact(message))


class InputError(AdjudgeError):
    """Input that cannot be used; the message names the place, what was found there and what is allowed."""

    def __init__(self, place: str, found: str, allowed: str = "") -> None:
        self.place = place
        self.found = found
        self.allowed = allowed
        super().__init__(f"{place}: {found}" + (f"; {allowed}" if allowed else ""))

    def __reduce__(self) -> tuple[type[InputError], tuple[str, str, str]]:
        # The error may come from another process, so it must be possible to pickle it.
        return type(self), (self.place, self.found, self.allowed)

    def renamed(self, names: Mapping[str, str]) -> InputError:
        """Return the same error with the field name that the interface uses (`a` → `responseA`)."""
        head, dot, rest = self.place.partition(".")
        return type(self)(names.get(head, head) + dot + rest, self.found, self.allowed)


class TooLargeError(InputError):
    """A text or a request that exceeds the size limit."""


class RubricError(InputError):
    """A rubric that cannot be used; the place is `file:line`."""


class JudgeSpecError(InputError):
    """A string that does not name a judge."""


class NotFoundError(AdjudgeError):
    """No object with this id exists, or the caller may not see it."""


class ConflictError(AdjudgeError):
    """The request conflicts with the current state; the message says why."""


class SetupError(AdjudgeError):
    """Something must be installed or set first; the message says what and how."""


class JournalError(AdjudgeError):
    """The journal file or database cannot be read or written."""


class NotJournalledError(JournalError):
    """A replay needs a reply that was never stored."""


def plain_reason(error: OSError) -> str:
    """Describe in plain words why a file cannot be read or written."""
    if isinstance(error, FileNotFoundError):
        return "file not found"
    if isinstance(error, IsADirectoryError):
        return "is a folder, not a file"
    return (error.strerror or str(error)).lower()
