"""The form of a review, its drafts, and its shipped examples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from ...errors import InputError
from ...inputs.json import parse_object
from ...journal import Journal
from ...rubric import Rubric
from ..form import Drafts, ExampleRun, Field, Form
from .case import Review
from .reading import NEEDED, SLOTS, has_tags, slot_texts, slots_in

WANTED = "prompt, response1, response2, and optionally the other slots"
_TABLE = "The person’s table, as Markdown or JSON."
_RATED = "The text that was rated, as it was."
_LIKERT = "The person’s Likert and its justification."


def _case(values: Mapping[str, str], rubric: Rubric) -> Review:
    from .drafts import MEANINGS
    from .reading.rows import one_review

    slots = _slots(values)
    for name in NEEDED:
        if name not in slots:
            raise InputError(name, "empty", f"{MEANINGS[name]} is needed")
    return one_review(slots, rubric)


def _slots(values: Mapping[str, str]) -> dict[str, str]:
    return {name: values[name] for name in SLOTS if values.get(name, "").strip()}


def _fill(whole: str, rubric: Rubric) -> dict[str, str]:
    if has_tags(lines := whole.split("\n")):
        return {name.lower(): text.strip("\n") for name, (_, text) in slot_texts(lines, "whole").items()}
    return _written(slots_in(parse_object(whole.encode("utf-8", "surrogatepass"), "whole", WANTED), rubric))


def _written(slots: Mapping[str, Any]) -> dict[str, str]:
    """Return slots as text. Values that are not text become JSON, which the form accepts too."""
    return {
        name: value if isinstance(value, str) else orjson.dumps(value, option=orjson.OPT_INDENT_2, default=str).decode()
        for name, value in slots.items()
        if value is not None and name in SLOTS
    }


def _find(journal: Journal, draft_id: str, owner: str | None, rubric: Rubric) -> tuple[dict[str, str], str]:
    from .drafts import find_draft

    draft = find_draft(journal, draft_id, owner)
    return _written(draft.slots), draft.message(rubric)


async def _save(
    journal: Journal, values: Mapping[str, str], rubric: Rubric, owner: str | None, draft_id: str = ""
) -> str:
    from .drafts import add_to_draft, find_draft, new_draft

    slots = _slots(values)
    if not draft_id:
        return (await new_draft(journal, slots, rubric, owner or "")).draft_id
    known = find_draft(journal, draft_id, owner)
    gone = dict.fromkeys(name for name in known.slots if name not in slots)
    return (await add_to_draft(journal, known, {**gone, **slots}, rubric)).draft_id


FORM = Form(
    heading="Are these ratings right?",
    lead="A person’s side-by-side ratings, audited: kept, replaced, filled in or refused, each with its reason.",
    whole="The nine slots in tags, or JSON with their names.",
    many="People’s ratings",
    row='{"prompt": "Name a prime.", "response1": "7", "response2": "8", "likert": 2}',
    fields=(
        Field("prompt", "Prompt", "The last user prompt, with any reference text.", 3, needed="Enter a prompt"),
        Field("response1", "Response 1", _RATED, 9, needed="Enter response 1", side="A"),
        Field("response2", "Response 2", _RATED, 9, needed="Enter response 2", side="B"),
        Field("response1_original_ratings", "Ratings of Response 1", _TABLE, 8, side="A"),
        Field("response2_original_ratings", "Ratings of Response 2", _TABLE, 8, side="B"),
        Field("original_likert_and_justification", "Preference, 1 to 7", _LIKERT, 3),
        Field("taskconfig", "Task configuration", "Locale, category and the like.", 2, folded=True),
        Field("system_prompt", "System prompt", "If there was one.", 2, folded=True),
        Field("conversation_history", "Conversation", "The messages before the prompt, if any.", 4, folded=True),
    ),
    folded="Configuration, system prompt and conversation",
    case=_case,
    fill=_fill,
    example="example.txt",
    example_title="A person’s ratings of advice on a wet phone",
    example_runs=(
        ExampleRun(
            name="Ratings by Ines, Jonas and Mara",
            file="reviews.jsonl",
            created="2026-03-31T08:00:00+00:00",
            acts="demo/acts.jsonl",
        ),
    ),
    drafts=Drafts(find=_find, save=_save),
)
