"""Loads the prompts (the Markdown files in the protocols' folders) and fills them in.

A prompt file has a version line and named parts. Inserted values are not searched for placeholders again, so a judged
text cannot become part of the instructions.
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
    """The prompts of one role."""

    name: str
    version: str
    parts: Mapping[str, str]
    source: str

    @cached_property
    def reference(self) -> str:
        """Version and content hash in one string, as a verdict records it."""
        return f"{self.version}#{hashlib.sha256(self.source.encode()).hexdigest()[:12]}"

    def render(self, part: str, **values: str) -> str:
        """Fill in the `$names` of a part. Raise KeyError for a name without a value."""
        return _PLACE.sub(lambda name: values[name[1]], self.parts[part]).strip()

    def message(self, part: str, **values: str | Message) -> Message:
        """Fill in a part whose values may be fenced texts. `$code` is replaced by the fence code."""
        named = {"code": CODE, **values}
        words = _PLACE.split(self.parts[part])
        return Message.of(*(named[word] if at % 2 else word for at, word in enumerate(words))).stripped()


@lru_cache(maxsize=32)
def load(folder: Path, name: str) -> PromptFile:
    """Load a prompt file from a protocol's folder of prompts."""
    source = (folder / f"{name}.md").read_text("utf-8")
    version = _VERSION.match(source)
    if version is None:
        raise ValueError(f"{name}.md does not begin with its version")
    pieces = _PART.split(source)
    return PromptFile(name, version[1], dict(zip(pieces[1::2], pieces[2::2], strict=True)), source)


def changed_since(recorded: Mapping[str, str], shipped: Mapping[str, str]) -> str:
    """Return how the references of prompts that a verdict recorded differ from the shipped ones, or an empty string."""
    changed: list[tuple[str, str]] = []
    for name, before in recorded.items():
        now = shipped.get(name, "")
        if before != now:
            versions = before.partition("#")[0], now.partition("#")[0]
            # The versions say enough, unless the text was changed without raising it.
            was, is_now = versions if versions[0] != versions[1] else (before, now)
            changed.append((f"{name} {was}", f"{name} {is_now}" if now else f"no {name}"))
    if not changed:
        return ""
    before, now = (" and ".join(names) for names in zip(*changed, strict=True))
    return f"recorded with {before}; this version asks with {now}"
