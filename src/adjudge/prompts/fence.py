"""Puts untrusted text between marker lines that it cannot contain.

The judged text is data and must stay between its two markers. The markers carry a code that is computed from the whole
message and the journal's secret, so nobody can write a text that contains the code of its own message.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain, count

import orjson

from ..text.control_tokens import defuse


@dataclass(frozen=True, slots=True)
class Message:
    """A message whose fence code is not filled in yet; the code goes between each two pieces.

    No text can imitate the gap, because it is not made of characters; so different messages have different pieces.
    """

    pieces: tuple[str, ...]

    @classmethod
    def of(cls, *parts: str | Message) -> Message:
        """Join the parts into one message."""
        pieces = [""]
        for part in parts:
            first, *rest = part.pieces if isinstance(part, Message) else (part,)
            pieces[-1] += first
            pieces += rest
        return cls(tuple(pieces))

    def stripped(self) -> Message:
        """Remove white space at both ends."""
        *most, last = self.pieces
        first, *rest = (*most, last.rstrip())
        return Message((first.lstrip(), *rest))

    def with_code(self, code: str) -> str:
        """Return the text to send, with the code filled in."""
        return code.join(self.pieces)

    def code(self, secret: bytes, earlier: str = "") -> str:
        """Return a code that no piece contains, ignoring case: `earlier` if it is given and fits, else a new one."""
        folded = [piece.casefold() for piece in self.pieces]
        digests = (hmac.digest(secret, orjson.dumps([number, self.pieces]), "sha256") for number in count())
        codes = chain([earlier] if earlier else [], (digest.hex()[:16] for digest in digests))
        return next(code for code in codes if not any(code in piece for piece in folded))


CODE = Message(("", ""))


def fenced(name: str, text: str) -> Message:
    """Put a text between its two marker lines."""
    return Message.of(f"<<<{name} ", CODE, f">>>\n{defuse(text)}\n<<<END {name} ", CODE, ">>>")


def in_one_line(text: str) -> str:
    """Join a text into one line, so that it cannot start a line that looks like one of the program's own entries."""
    return " ".join(text.split())


def all_fenced(texts: Mapping[str, str]) -> Message:
    """Fence several named texts, one below the other."""
    return Message.of(*(Message.of("\n" if at else "", fenced(*text)) for at, text in enumerate(texts.items())))
