"""Prompts are files; this renders them and fences what must not be obeyed.

A prompt file has a version line and named parts. Values are put in once and never looked at again for placeholders,
so no judged text can become part of the instructions.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

_PART = re.compile(r"^--- (\w+) ---\n", re.MULTILINE)
_PLACE = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*)")
_VERSION = re.compile(r"\Aversion: (\S+)\n")

# Markers that chat templates of common local models treat as the end of a turn, even inside a user's text.
CONTROL_TOKEN = re.compile(
    r"<\|[^|<>\n]{1,40}\|>|</?s>|<(?:bos|eos|pad|unk|start_of_turn|end_of_turn|turn_end)>|\[/?INST\]|<</?SYS>>|<｜[^｜<>\n]{1,40}｜>"
)
_WORD_JOINER = "\u2060"


@dataclass(frozen=True)
class PromptFile:
    """One role's prompts."""

    name: str
    version: str
    parts: Mapping[str, str]
    source: str

    @cached_property
    def reference(self) -> str:
        """Version and content in one string, as a verdict records it."""
        import hashlib  # loads OpenSSL, which not everybody needs who comes by here

        return f"{self.version}#{hashlib.sha256(self.source.encode()).hexdigest()[:12]}"

    def render(self, part: str, **values: str) -> str:
        """The part with its `$names` filled in; a name without a value is an error in our code."""
        pieces = self._cut[part].copy()
        # Every second piece is a name: only these change from case to case.
        pieces[1::2] = map(values.__getitem__, pieces[1::2])
        return "".join(pieces).strip()

    @cached_property
    def _cut(self) -> dict[str, list[str]]:
        """Each part in pieces, text and names in turn."""
        return {part: _PLACE.split(text) for part, text in self.parts.items()}


@lru_cache(maxsize=16)
def load(name: str) -> PromptFile:
    """A shipped prompt file."""
    source = (Path(__file__).parent / "prompts" / f"{name}.md").read_text("utf-8")
    version = _VERSION.match(source)
    if version is None:
        raise ValueError(f"prompts/{name}.md does not begin with its version")
    pieces = _PART.split(source)
    return PromptFile(name, version[1], dict(zip(pieces[1::2], pieces[2::2], strict=True)), source)


@dataclass(frozen=True)
class Fence:
    """Marks off untrusted texts with a code that none of them contains.

    The code is drawn from the texts themselves: it is the same for the same case, and a text cannot carry its own.
    """

    code: str

    @classmethod
    def around(cls, *texts: str) -> Fence:
        import hashlib  # loads OpenSSL, which not everybody needs who comes by here

        digest = hashlib.sha256()
        for text in texts:
            encoded = text.encode()
            digest.update(len(encoded).to_bytes(8, "big"))
            digest.update(encoded)
        code = digest.hexdigest()[:16]
        while any(code in text for text in texts):
            code = hashlib.sha256(code.encode()).hexdigest()[:16]
        return cls(code)

    def wrap(self, name: str, text: str) -> str:
        """The text between its two marker lines."""
        return f"<<<{name} {self.code}>>>\n{defuse(text)}\n<<<END {name} {self.code}>>>"


def defuse(text: str) -> str:
    """Break chat-template markers with an invisible character: still readable, no longer a marker.

    Quotes are found all the same: evidence is located without invisible characters.
    """
    if "<" not in text and "[" not in text:
        return text
    return CONTROL_TOKEN.sub(lambda match: match[0][0] + _WORD_JOINER + match[0][1:], text)
