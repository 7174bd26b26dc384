"""Prompts are the Markdown files beside this one; here they are loaded and filled in.

A prompt file has a version line and named parts. Values are put in once and never looked at again for placeholders,
so no judged text can become part of the instructions.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from .fence import CODE, Message

_PART = re.compile(r"^--- (\w+) ---\n", re.MULTILINE)
_PLACE = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*)")
_VERSION = re.compile(r"\Aversion: (\S+)\n")


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
        return f"{self.version}#{hashlib.sha256(self.source.encode()).hexdigest()[:12]}"

    def render(self, part: str, **values: str) -> str:
        """The part with its `$names` filled in; a name without a value is an error in our code."""
        return _PLACE.sub(lambda name: values[name[1]], self.parts[part]).strip()

    def message(self, part: str, **values: str | Message) -> Message:
        """The same with fenced texts among the values; `$code` is where the fence code is told."""
        named = {"code": CODE, **values}
        words = _PLACE.split(self.parts[part])
        return Message.of(*(named[word] if at % 2 else word for at, word in enumerate(words))).stripped()


@lru_cache(maxsize=16)
def load(name: str) -> PromptFile:
    """A shipped prompt file."""
    source = (Path(__file__).parent / f"{name}.md").read_text("utf-8")
    version = _VERSION.match(source)
    if version is None:
        raise ValueError(f"prompts/{name}.md does not begin with its version")
    pieces = _PART.split(source)
    return PromptFile(name, version[1], dict(zip(pieces[1::2], pieces[2::2], strict=True)), source)
