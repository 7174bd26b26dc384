"""The settings that all protocols share. A protocol's own settings class adds to them.

A setting has its name, type, default, range and help in one place, its field: the options of the command line, the
fields of the HTTP body and of the form, and the stored form are made from it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Generic, Literal, TypeVar

from ..errors import InputError
from ..llm.providers import refuse_password
from ..models.verdict import Verdict
from ..rubric import Rubric
from .procedure import Options
from .rubrics import shipped

V = TypeVar("V", bound=Verdict)

# The allowed range of each numeric setting.
RANGES = {
    "temperature": (0, 2),
    "seed": (0, 2**31 - 1),
    "sample": (0, 10**6 - 1),
    "attempt": (0, 10**6 - 1),
    "max_tokens": (64, 200_000),
}


def service(names: Literal["judge", "search"], default: str | None) -> Any:
    """Return a field whose value names a judge or a search service."""
    return field(default=default, metadata={"names": names})


@dataclass(frozen=True, kw_only=True)
class Settings(Options, Generic[V]):
    """The settings of a judgment; `V` is the verdict of its protocol. The default rubric is the shipped one.

    `attempt`: a question whose stored reply is unusable is asked again, up to this attempt; the first one is 0.
    """

    protocol: ClassVar[str]
    rubric: Rubric = None  # type: ignore[assignment]  # replaced by the shipped one
    attempt: int = 0
    max_tokens: int = 8192

    def __post_init__(self) -> None:
        if self.rubric is None:
            object.__setattr__(self, "rubric", shipped(self.protocol))
        for name, (low, high) in RANGES.items():
            value = getattr(self, name)
            is_number = isinstance(value, int | float if name == "temperature" else int) and not isinstance(value, bool)
            if not is_number or not low <= value <= high:
                raise InputError(name, str(value), f"{low} to {high} is allowed")
        for name in self.named("judge", "search"):
            given = getattr(self, name) or ""
            if any("\ud800" <= sign <= "\udfff" for sign in given):  # from a command-line byte that is not UTF-8
                raise InputError(name, f"{given!a:.80} is not valid Unicode", "text is needed")
            refuse_password(name, given)

    @classmethod
    def named(cls, *services: Literal["judge", "search"]) -> tuple[str, ...]:
        """Return the settings that name services of these kinds, in the order in which they are asked."""
        return tuple(one.name for one in fields(cls) if one.metadata.get("names") in services)

    @property
    def judges(self) -> tuple[str, ...]:
        """The names of the judges, in the order in which they are asked."""
        return tuple(getattr(self, name) for name in self.named("judge"))

    def stored(self) -> dict[str, Any]:
        """Return all settings except the rubric, which is stored separately as its text."""
        return {name: value for name, value in self.__dict__.items() if name != "rubric"}
