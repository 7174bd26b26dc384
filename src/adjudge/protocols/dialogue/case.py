"""A dialogue: a conversation between SYSTEM (the assistant) and USER (the customer), with SYSTEM's use of tools."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BeforeValidator, model_validator

from ...errors import InputError, TooLargeError
from ...models.cases import MAX_TEXT_BYTES, Case, Positional, check_text, checked_id
from ...text.injection import without_attempts

MAX_TURNS = 10_000

MAX_RATING = 999


def _check_ratings(place: str, ratings: tuple[int, ...]) -> None:
    for rating in ratings:
        if abs(rating) > MAX_RATING:
            raise InputError(place, f"{rating!s:.20} is not a rating", f"{-MAX_RATING} to {MAX_RATING} is allowed")


Speaker = Literal["SYSTEM", "USER", "TOOL"]


class Turn(Positional, kw_only=False):
    """One utterance, its line in the input, and the annotators' notes on it (which no judge ever sees).

    TOOL is a step of SYSTEM that is no speech: the call of a tool, or what the tool returned.
    """

    speaker: Speaker
    text: str
    line: int
    act: str | None = None
    ratings: tuple[int, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _texts_are_text(cls, given: Any) -> Any:
        # A line without an utterance is kept for its annotations, so the text may be empty.
        for text in (given.get("text", ""), given.get("act") or "") if isinstance(given, Mapping) else ():
            check_text(f"line {given.get('line')}", text, may_be_empty=True)
        return given

    def model_post_init(self, _: Any) -> None:
        _check_ratings(f"line {self.line}", self.ratings)


class Dialogue(Case, kw_only=False):
    """A conversation between SYSTEM (the assistant) and USER (the customer)."""

    protocol: ClassVar[str] = "dialogue"

    dialogue_id: Annotated[int | str, BeforeValidator(checked_id)]
    turns: tuple[Turn, ...]
    overall_ratings: tuple[int, ...] = ()

    def model_post_init(self, _: Any) -> None:
        _check_ratings("overall_ratings", self.overall_ratings)
        if len(self.turns) > MAX_TURNS:
            raise TooLargeError("dialogue", f"{len(self.turns):,} utterances", f"at most {MAX_TURNS:,} are allowed")
        if self.size > MAX_TEXT_BYTES:
            raise TooLargeError("dialogue", "too much text", f"at most {MAX_TEXT_BYTES:,} characters are allowed")
        speakers = {turn.speaker for turn in self.turns if turn.text.strip() and turn.speaker != "TOOL"}
        if not speakers:
            raise InputError("dialogue", "no utterance", "at least one SYSTEM and one USER line are needed")
        if len(speakers) < 2:
            missing = "USER" if "SYSTEM" in speakers else "SYSTEM"
            raise InputError("dialogue", f"no {missing} line", "both SYSTEM and USER must speak")

    @property
    def size(self) -> int:
        """The number of characters of all utterances."""
        return sum(len(turn.text) for turn in self.turns)

    @property
    def has_tools(self) -> bool:
        """Whether SYSTEM used a tool."""
        return any(turn.speaker == "TOOL" for turn in self.turns)

    def without_attempts(self) -> Self:
        return self.updated(turns=tuple(turn.updated(text=without_attempts(turn.text)) for turn in self.turns))
