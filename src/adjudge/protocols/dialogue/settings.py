"""The settings of a dialogue."""

from __future__ import annotations

from dataclasses import dataclass

from ..settings import Settings, judge_setting
from .rubric import check_weights_add_up
from .verdict import DialogueVerdict


@dataclass(frozen=True, kw_only=True)
class DialogueSettings(Settings[DialogueVerdict]):
    """Settings of a dialogue: the judge that scores it, and the judge that challenges the scores."""

    protocol = "dialogue"
    evaluator: str = judge_setting("who scores")
    critic: str = judge_setting("who challenges the scores")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_weights_add_up(self.rubric, self.rubric.name)
