"""A review: a person's side-by-side ratings of two responses, with the task they respond to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Self

from pydantic import BeforeValidator, Field, ValidationInfo

from ...errors import InputError
from ...models.base import kind_of
from ...models.cases import AnyText, Case, Positional, checked_id
from ...text.injection import without_attempts


class Original(Positional, kw_only=False):
    """What a person entered for one rating: the rating as text, and the justification. Empty means not provided."""

    rating: AnyText = ""
    justification: AnyText = ""

    def __bool__(self) -> bool:
        return bool(self.rating or self.justification)


def _originals(given: object, field: ValidationInfo) -> dict[str, Original]:
    place = field.field_name
    if not isinstance(given, Mapping):
        raise InputError(str(place), f"expected a mapping, found {kind_of(given)}", "key: Original")
    for key in given:
        if not isinstance(key, str):
            raise InputError(f"{place}.{key!s:.60}", f"expected text, found {kind_of(key)}", "the key of a dimension")
    return {key: _original(entered, f"{place}.{key}") for key, entered in given.items()}


def _original(given: object, place: str = "preference") -> Original:
    if isinstance(given, Mapping) and given.keys() <= {"rating", "justification"}:
        return Original(**given)
    if not isinstance(given, Original):
        found = f"expected an Original, found {kind_of(given)}"
        raise InputError(place, found, 'Original("3", "why") is allowed')
    return given


_Originals = Annotated[dict[str, Original], BeforeValidator(_originals)]


def _checked_review_id(given: object, field: ValidationInfo) -> object:
    return None if given is None else checked_id(given, field)


class Review(Case, kw_only=False):
    """A person's side-by-side ratings of two responses, with the task they respond to.

    Any field may be missing; the protocol decides whether that makes the task invalid. Ratings are stored under the
    rubric's keys, and no judge ever sees them (`blind`). `review_id` is the owner's id, to join results to rows.
    """

    protocol: ClassVar[str] = "review"

    prompt: AnyText = ""
    a: AnyText = ""
    b: AnyText = ""
    task_config: AnyText = ""
    system_prompt: AnyText = ""
    history: AnyText = ""
    ratings_a: _Originals = Field(default_factory=dict)
    ratings_b: _Originals = Field(default_factory=dict)
    preference: Annotated[Original, BeforeValidator(_original)] = Original()
    review_id: Annotated[int | str | None, BeforeValidator(_checked_review_id)] = None

    def answer(self, label: str) -> str:
        """Return the text of response 1 (`A`) or 2 (`B`)."""
        return self.a if label == "A" else self.b

    def originals(self, label: str) -> Mapping[str, Original]:
        """Return what the person entered for response 1 (`A`) or 2 (`B`)."""
        return self.ratings_a if label == "A" else self.ratings_b

    @property
    def texts(self) -> tuple[str, ...]:
        """All texts of the task that a judge is shown."""
        return self.a, self.b, self.prompt, self.system_prompt, self.history, self.task_config

    @property
    def size(self) -> int:
        """The number of characters of these texts."""
        return sum(map(len, self.texts))

    @property
    def has_originals(self) -> bool:
        return bool(self.preference) or any(map(bool, (*self.ratings_a.values(), *self.ratings_b.values())))

    @property
    def has_words(self) -> bool:
        """Whether the person who rated gave a justification."""
        entered = (*self.ratings_a.values(), *self.ratings_b.values(), self.preference)
        return any(original.justification for original in entered)

    def blind(self) -> Review:
        """Return the task without the person's ratings and id: all that a judge may see."""
        return self.updated(ratings_a={}, ratings_b={}, preference=Original(), review_id=None)

    def without_attempts(self) -> Self:
        # The prompt, the system prompt and the configuration are left: judging needs them.
        texts = {name: without_attempts(getattr(self, name), self.prompt) for name in ("a", "b", "history")}
        return self.updated(**texts)
