"""What instructions ask for that can be counted, as data; and whose word counts when several texts ask.

It reads nothing: `requests` fills these from text, and `length`, `items` and `format` hold answers against them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, TypeVar

Source = Literal["system prompt", "conversation", "prompt"]
LengthKind = Literal["about", "plain", "at_most", "at_least", "range"]
ItemsKind = Literal["exactly", "at_least", "at_most", "range"]
FormatName = Literal[
    "list", "bulleted list", "numbered list", "table", "json", "code", "html", "csv", "yaml", "xml", "plain text",
    "markdown", "emojis",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class LengthWish:
    """How long the whole answer should be; `upper` is the far end of a range, `exact` that "exactly" was said."""

    kind: LengthKind
    count: int
    unit: Literal["words", "characters"]
    start: int
    end: int
    words: str
    upper: int | None = None
    exact: bool = False
    source: Source = "prompt"


@dataclass(frozen=True, slots=True)
class ItemsWish:
    """How many items, sentences or paragraphs the answer should have."""

    kind: ItemsKind
    count: int
    unit: Literal["items", "sentences", "paragraphs"]
    start: int
    end: int
    words: str
    upper: int | None = None
    source: Source = "prompt"

    def is_met(self, found: int) -> bool:
        """Whether so many are what was asked for."""
        least, most = self.bounds
        return (least is None or found >= least) and (most is None or found <= most)

    @property
    def bounds(self) -> tuple[int | None, int | None]:
        """The fewest and the most that are allowed; None where nothing was said."""
        match self.kind:
            case "at_least":
                return self.count, None
            case "at_most":
                return None, self.count
            case "range":
                return self.count, self.upper
            case _:
                return self.count, self.count


@dataclass(frozen=True, slots=True)
class FormatWish:
    """A format the answer should have, or must not have; `only` that nothing may stand around it."""

    name: FormatName
    forbidden: bool
    start: int
    end: int
    words: str
    language: str | None = None
    only: bool = False
    source: Source = "prompt"


class Requests(NamedTuple):
    """The countable wishes of one text, or of several combined; None and empty mean that nothing was said."""

    length: LengthWish | None = None
    items: ItemsWish | None = None
    sentences: ItemsWish | None = None
    paragraphs: ItemsWish | None = None
    formats: tuple[FormatWish, ...] = ()

    @property
    def asks_for_code(self) -> bool:
        """Whether the answer is to be code, so that its code blocks are no running text."""
        return any(wish.name == "code" and not wish.forbidden for wish in self.formats)


Wish = TypeVar("Wish", LengthWish, ItemsWish, FormatWish)

_NONE = Requests()
_LISTS: frozenset[FormatName] = frozenset({"list", "bulleted list", "numbered list"})
_MARKED: frozenset[FormatName] = _LISTS | {"table", "code", "markdown"}
# An answer that is one of these is nothing else besides.
_WHOLE: frozenset[FormatName] = frozenset({"json", "csv", "yaml", "xml", "html", "plain text"})


def combined(system_prompt: Requests = _NONE, history: Requests = _NONE, prompt: Requests = _NONE) -> Requests:
    """One set of wishes: the system prompt's, else the prompt's, else what the conversation asked for from then on.

    `history` should have been read with `persistent_only`.
    """
    return Requests(
        length=_first(system_prompt.length, prompt.length, history.length),
        items=_first(system_prompt.items, prompt.items, history.items),
        sentences=_first(system_prompt.sentences, prompt.sentences, history.sentences),
        paragraphs=_first(system_prompt.paragraphs, prompt.paragraphs, history.paragraphs),
        formats=_formats(system_prompt.formats, history.formats, prompt.formats),
    )


def _first(system: Wish | None, prompt: Wish | None, history: Wish | None) -> Wish | None:
    if system is not None:
        return replace(system, source="system prompt")
    if prompt is not None:
        return replace(prompt, source="prompt")
    return None if history is None else replace(history, source="conversation")


def _formats(
    system: tuple[FormatWish, ...], history: tuple[FormatWish, ...], prompt: tuple[FormatWish, ...]
) -> tuple[FormatWish, ...]:
    kept = [replace(wish, source="system prompt") for wish in system]
    later = [replace(wish, source="prompt") for wish in prompt]
    if not prompt:
        later = [replace(wish, source="conversation") for wish in history]
    kept += [wish for wish in later if not any(_contradict(wish, ruling) for ruling in system)]
    return tuple(kept)


def _contradict(wish: FormatWish, ruling: FormatWish) -> bool:
    """Whether both cannot be granted, or are about the same thing so that the first one settles it."""
    if wish.name == ruling.name:
        return True
    same_family = {wish.name, ruling.name} <= _LISTS and "list" in (wish.name, ruling.name)
    if wish.forbidden == ruling.forbidden:
        whole = wish.name in _WHOLE or ruling.name in _WHOLE
        return not wish.forbidden and (same_family or whole)
    asked, banned = (ruling, wish) if wish.forbidden else (wish, ruling)
    return same_family or (banned.name == "markdown" and asked.name in _MARKED)
