"""The settings of a review."""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import InputError
from ...text.language import LANGUAGE_NAMES
from ..settings import Settings, judge_setting
from .rules import ReviewOptions
from .verdict import ReviewVerdict

MAX_LANGUAGES = 200
_SHOWN = 40  # characters of an unknown code


@dataclass(frozen=True, kw_only=True)
class ReviewSettings(Settings[ReviewVerdict], ReviewOptions):
    """Settings of a review. `languages` are the ISO codes in scope, such as `("en", "es")`; if empty, all are."""

    protocol = "review"
    judge: str = judge_setting()

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.languages, str):
            raise InputError("languages", repr(self.languages[:_SHOWN]), "a list of ISO codes such as en, es")
        object.__setattr__(self, "languages", tuple(self.languages))
        if len(self.languages) > MAX_LANGUAGES:
            raise InputError("languages", f"{len(self.languages):,} given", f"at most {MAX_LANGUAGES} are allowed")
        for code in self.languages:
            if code not in LANGUAGE_NAMES:
                allowed = f"one of {', '.join(sorted(LANGUAGE_NAMES))}"
                shown = f"{code[:_SHOWN]}…" if len(code) > _SHOWN else code
                raise InputError("languages", f"{shown!r} is not a known language code", allowed)
