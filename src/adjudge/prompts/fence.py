"""Untrusted text between marker lines that it cannot contain.

What is judged is data: whatever it says, it stays between its two markers. They carry a code that follows from all that
the message says and from the journal's secret, so that nobody can write a text that contains its own code.
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
    """A message whose fence code is still blank: it belongs between each two pieces.

    No text can imitate a blank, for it is not written in characters; so different messages have different pieces.
    """

    pieces: tuple[str, ...]

    @classmethod
    def of(cls, *parts: str | Message) -> Message:
        """The parts, one after the other."""
        pieces = [""]
        for part in parts:
            first, *rest = part.pieces if isinstance(part, Message) else (part,)
            pieces[-1] += first
            pieces += rest
        return cls(tuple(pieces))

    def stripped(self) -> Message:
        """Without white space at both ends."""
        *most, last = self.pieces
        first, *rest = (*most, last.rstrip())
        return Message((first.lstrip(), *rest))

    def with_code(self, code: str) -> str:
        """The text that is sent."""
        return code.join(self.pieces)

    def code(self, secret: bytes, earlier: str = "") -> str:
        """A code that no piece contains, in capitals or not: `earlier`, if that is given and fits, else a new one."""
        folded = [piece.casefold() for piece in self.pieces]
        digests = (hmac.digest(secret, orjson.dumps([number, self.pieces]), "sha256") for number in count())
        codes = chain([earlier] if earlier else [], (digest.hex()[:16] for digest in digests))
        return next(code for code in codes if not any(code in piece for piece in folded))


CODE = Message(("", ""))


def fenced(name: str, text: str) -> Message:
    """The text between its two marker lines."""
    return Message.of(f"<<<{name} ", CODE, f">>>\n{defuse(text)}\n<<<END {name} ", CODE, ">>>")


def in_one_line(text: str) -> str:
    """A text as part of one line of a list: it cannot begin another, as an entry of the program's own would."""
    return " ".join(text.split())


def all_fenced(texts: Mapping[str, str]) -> Message:
    """Texts by their names, one below the other."""
    return Message.of(*(Message.of("\n" if at else "", fenced(*text)) for at, text in enumerate(texts.items())))
