"""How a case is judged, in words that can be stored with the verdict and read back for a replay."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..llm.base import Sampling
from ..protocols.compare import CompareOptions
from ..protocols.dialogue import DialogueOptions, check_weights_add_up
from ..rubric import Rubric, load, shipped

if TYPE_CHECKING:
    from ..protocols.review import ReviewOptions


def rubric_for(protocol: str, given: str | Path | Rubric | None) -> Rubric:
    """The rubric that was given, as itself or by its file; else the one that comes with the protocol."""
    return given if isinstance(given, Rubric) else load(given, protocol) if given else shipped(protocol)


@dataclass(frozen=True, kw_only=True)
class _Asking:
    """What all protocols have in common: how a model is asked.

    `attempt`: a question whose stored reply is unusable is asked anew, up to this attempt; the first one is 0.
    """

    seed: int = 0
    sample: int = 0
    attempt: int = 0
    temperature: float = 0.0
    max_tokens: int = 8192

    def __post_init__(self) -> None:
        if not 0 <= self.temperature <= 2:
            raise InputError("temperature", str(self.temperature), "0 to 2 is allowed")
        if not 0 <= self.seed < 2**31:
            raise InputError("seed", str(self.seed), "0 to 2147483647 is allowed")
        if not 0 <= self.sample < 10**6:
            raise InputError("sample", str(self.sample), "0 to 999999 is allowed")
        if not 0 <= self.attempt < 10**6:
            raise InputError("attempt", str(self.attempt), "0 to 999999 is allowed")
        if not 64 <= self.max_tokens <= 200_000:
            raise InputError("max_tokens", str(self.max_tokens), "64 to 200000 is allowed")

    @property
    def sampling(self) -> Sampling:
        return Sampling(self.temperature, self.seed, self.max_tokens)

    def stored(self) -> dict[str, Any]:
        """Everything but the rubric, which is stored with its text."""
        return {name: value for name, value in self.__dict__.items() if name != "rubric"}


@dataclass(frozen=True, kw_only=True)
class CompareSettings(_Asking):
    """How a comparison is run."""

    judge: str = "embedded"
    rubric: Rubric = field(default_factory=lambda: shipped("compare"))
    one_order: bool = False
    search: str | None = None

    @property
    def options(self) -> CompareOptions:
        return CompareOptions(self.one_order, self.seed, self.sample, self.temperature)


@dataclass(frozen=True, kw_only=True)
class DialogueSettings(_Asking):
    """How a dialogue is judged: by whom it is scored, and by whom the scores are challenged."""

    evaluator: str = "embedded"
    critic: str = "embedded"
    rubric: Rubric = field(default_factory=lambda: shipped("dialogue"))

    def __post_init__(self) -> None:
        super().__post_init__()
        check_weights_add_up(self.rubric)

    @property
    def options(self) -> DialogueOptions:
        return DialogueOptions(self.seed, self.sample, self.temperature)


@dataclass(frozen=True, kw_only=True)
class ReviewSettings(_Asking):
    """How a review is made. `languages`: the ISO codes in scope, such as `("en", "es")`; none means all."""

    judge: str = "embedded"
    rubric: Rubric = field(default_factory=lambda: shipped("review"))
    languages: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.languages, str):
            raise InputError("languages", repr(self.languages), "a list of ISO codes such as en, es")
        object.__setattr__(self, "languages", tuple(self.languages))
        if self.languages:
            from ..text.language_names import LANGUAGE_NAMES

            for code in self.languages:
                if code not in LANGUAGE_NAMES:
                    raise InputError("languages", repr(code), f"one of {', '.join(sorted(LANGUAGE_NAMES))}")

    @property
    def options(self) -> ReviewOptions:
        # The review's rules and detectors are loaded by those who review.
        from ..protocols.review import ReviewOptions

        return ReviewOptions(self.seed, self.sample, self.temperature, self.languages)
