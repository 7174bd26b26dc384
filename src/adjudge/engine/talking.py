"""`adjudge.dialogue`: a conversation, from a transcript in any form we read."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..inputs.transcript import read_dialogues
from ..judges.base import Judge
from ..models import DialogueVerdict, Failure
from ..models.cases import Dialogue
from ..rubric import Rubric
from .core import open_engine
from .settings import DialogueSettings, rubric_for
from .sync import run_sync


async def dialogue(
    transcript: str | Sequence[Mapping[str, Any]] | Dialogue,
    *,
    dialogue_id: int | str | None = None,
    judge: str | Judge = "embedded",
    evaluator: str | Judge | None = None,
    critic: str | Judge | None = None,
    rubric: str | Path | Rubric | None = None,
    seed: int = 0,
    sample: int = 0,
    temperature: float = 0.0,
    max_tokens: int = 8192,
    journal: str | Path | None = None,
) -> DialogueVerdict | Failure:
    """Judge one conversation: the Evaluator scores it, the Critic challenges the scores, the Referee settles them.

    `transcript` is text in any form that `adjudge dialogue` reads, a list of `{"role", "content"}` messages, or a
    `Dialogue`. `judge` does both parts unless `evaluator` or `critic` names another.
    """
    case = one_dialogue(transcript, dialogue_id)
    chosen = rubric_for("dialogue", rubric)
    first, second = evaluator or judge, critic or judge
    settings = DialogueSettings(
        evaluator=first if isinstance(first, str) else first.name,
        critic=second if isinstance(second, str) else second.name,
        rubric=chosen,
        seed=seed,
        sample=sample,
        temperature=temperature,
        max_tokens=max_tokens,
    )
    async with open_engine(journal) as engine:
        return await engine.dialogue(
            case,
            settings,
            None if isinstance(first, str) else first,
            None if isinstance(second, str) else second,
        )


def dialogue_sync(*args: Any, **kwargs: Any) -> DialogueVerdict | Failure:
    """`dialogue` for code that is not async; it takes and gives the same."""
    return run_sync(lambda: dialogue(*args, **kwargs))


def one_dialogue(
    transcript: str | Sequence[Mapping[str, Any]] | Dialogue, dialogue_id: int | str | None = None
) -> Dialogue:
    """The one dialogue in a transcript."""
    if isinstance(transcript, Dialogue):
        return transcript if dialogue_id is None else transcript.updated(dialogue_id=dialogue_id)
    if isinstance(transcript, str):
        place, raw = "transcript", transcript.encode("utf-8", "surrogatepass")
    else:
        place = "messages"
        try:
            raw = json.dumps(list(transcript)).encode()
        except (TypeError, ValueError) as error:
            raise InputError(place, str(error), "text, or a list of {role, content} objects") from None
    found = read_dialogues(raw, place, first_id=dialogue_id)
    if len(found) != 1:
        raise InputError(place, f"{len(found)} dialogues", "one dialogue is allowed here")
    return found[0]
