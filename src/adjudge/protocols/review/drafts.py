"""A review that is given in pieces, in any order. Each piece is checked and stored at once.

A draft is the list of its additions in the journal; the last value of a slot counts. The prompt and the two responses
are required, everything else is optional. Drafts made through the service have an owner, and their number, size and age
are limited; drafts made on the command line or in Python have no owner and are kept.
"""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from ...engine import named_judge, open_engine, run_sync
from ...errors import InputError, NotJournalledError, TooLargeError
from ...journal import Journal, open_journal
from ...judges.base import Judge
from ...models.common import Failure
from ...rubric import Rubric
from ..rubrics import shipped
from .case import Review
from .reading import NEEDED, REVIEW_ID, SLOTS, merged, slot_from, slots_in, without_own_tags
from .settings import ReviewSettings
from .verdict import ReviewVerdict

# What the person is asked for, by slot.
MEANINGS = {
    "taskconfig": "the task's configuration, such as locale and category",
    "system_prompt": "the system prompt, if there was one",
    "conversation_history": "the conversation before the prompt, if there was any",
    "prompt": "the last user prompt, with any reference text",
    "response1": "Response 1",
    "response2": "Response 2",
    "response1_original_ratings": "the original ratings of Response 1",
    "response2_original_ratings": "the original ratings of Response 2",
    "original_likert_and_justification": "the original Likert and its justification",
}
# Limits for one owner.
MAX_DRAFTS = 100
MAX_DRAFT_BYTES = 64_000_000
MAX_DRAFT_PIECES = 1_000
EXPIRY_DAYS = 30
_ID = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True)
class Draft:
    """The slots of a review that were given so far, in the form in which they were given."""

    draft_id: str
    slots: Mapping[str, Any] = field(default_factory=dict)
    owner: str | None = None

    def given(self, rubric: Rubric) -> tuple[str, ...]:
        """Return the slots that are not empty."""
        return tuple(name for name in SLOTS if name in self.slots and slot_from(name, self.slots[name], rubric))

    def needed(self, rubric: Rubric) -> tuple[str, ...]:
        """Return the required slots that are still missing."""
        given = self.given(rubric)
        return tuple(name for name in NEEDED if name not in given)

    def optional(self, rubric: Rubric) -> tuple[str, ...]:
        """Return the optional slots that are still missing."""
        given = self.given(rubric)
        return tuple(name for name in SLOTS if name not in given and name not in NEEDED)

    def message(self, rubric: Rubric) -> str:
        """Return a sentence for the person: what is still needed, and what is optional."""
        needed, optional = self.needed(rubric), self.optional(rubric)
        sentence = f"Still needed: {_listing(needed)}." if needed else "Nothing more is needed."
        return f"{sentence} Optional: {_listing(optional)}." if optional else sentence

    def case(self, rubric: Rubric) -> Review:
        """Build the review. Raise InputError if a required slot is missing."""
        if needed := self.needed(rubric):
            raise InputError(needed[0], "still needed", f"add {', '.join(needed)} first")
        return merged(rubric, self.slots)


def _listing(slots: tuple[str, ...]) -> str:
    return "; ".join(f"{name} ({MEANINGS[name]})" for name in slots)


async def new_draft(journal: Journal, slots: Mapping[str, Any], rubric: Rubric, owner: str | None = None) -> Draft:
    """Create a draft under a new id, with the slots that are already known."""
    return await add_to_draft(journal, Draft(secrets.token_hex(8), owner=owner), slots, rubric)


async def add_to_draft(journal: Journal, draft: Draft, fields: Mapping[str, Any], rubric: Rubric) -> Draft:
    """Set some slots of the draft, or remove those given as None. All are checked before any is stored.

    Fields are named as in a file, including `likert` and `response1_localization`, and are stored as slots. A text may
    be inside the tags of its slot.
    """
    slots = slots_in(fields, rubric, draft.slots, strict=True)
    slots = {name: without_own_tags(name, one) if isinstance(one, str) else one for name, one in slots.items()}
    for name, value in slots.items():
        if value is not None and name != REVIEW_ID:
            slot_from(name, value, rubric)
    try:
        changes = orjson.dumps(slots, default=str)
    except (TypeError, ValueError) as error:
        raise InputError("slots", str(error), "text, numbers, lists and objects are allowed") from None
    if draft.owner is not None:
        await _keep_within_limits(journal, draft.owner, draft.draft_id, len(changes))
    await journal.put_draft(draft.draft_id, changes, draft.owner)
    return Draft(draft.draft_id, _added(draft.slots, orjson.loads(changes)), draft.owner)


async def _keep_within_limits(journal: Journal, owner: str, draft_id: str, more: int) -> None:
    """Delete all expired drafts, of any owner. Refuse a piece that would exceed the limits of this owner."""
    sizes = journal.draft_sizes()
    if expired := [known.draft_id for known in sizes if known.at < _oldest()]:
        await journal.remove_drafts(*expired)
    own = {known.draft_id: known for known in sizes if known.owner == owner and known.at >= _oldest()}
    remedy = "delete one you no longer need"
    if draft_id not in own and len(own) >= MAX_DRAFTS:
        raise TooLargeError("drafts", f"{len(own):,} are kept", f"at most {MAX_DRAFTS:,} are allowed; {remedy}")
    if draft_id in own and own[draft_id].pieces >= MAX_DRAFT_PIECES:
        raise TooLargeError("draft", f"{MAX_DRAFT_PIECES:,} pieces were added", "begin another draft")
    if (size := more + sum(known.size for known in own.values())) > MAX_DRAFT_BYTES:
        allowed = f"at most {MAX_DRAFT_BYTES:,} are allowed, replaced pieces included; {remedy}"
        raise TooLargeError("drafts", f"{size:,} bytes in all", allowed)


def _oldest() -> float:
    return time.time() - EXPIRY_DAYS * 86_400


def find_draft(journal: Journal, draft_id: str, owner: str | None = None) -> Draft:
    """Read a draft from the journal. If an owner is given, the draft must be theirs."""
    added = journal.get_draft(draft_id) if _ID.fullmatch(draft_id) else []
    known = journal.draft_owner(draft_id) if added else None
    expired = known is not None and known[1] < _oldest()
    if not added or expired or (owner is not None and (known is None or known[0] != owner)):
        raise NotJournalledError(f"{draft_id[:40]}: no such draft in this journal")
    slots: dict[str, Any] = {}
    for changes in added:
        slots = _added(slots, orjson.loads(changes))
    return Draft(draft_id, slots, known[0] if known else None)


def _added(slots: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in {**slots, **changes}.items() if value is not None}


class ReviewDraft:
    """A draft for use in Python: `draft = ReviewDraft(); draft.add(prompt=…); draft.message; draft.judge_sync()`.

    With an id, it continues a draft from the journal. When `add` returns, the piece is on disk.
    """

    def __init__(
        self, draft_id: str | None = None, *, rubric: Rubric | None = None, journal: str | Path | None = None
    ) -> None:
        self._journal = journal
        self._rubric = rubric or shipped("review")
        with closing(open_journal(journal)) as opened:
            if draft_id is None:
                self._draft = run_sync(lambda: new_draft(opened, {}, self._rubric))
            else:
                self._draft = find_draft(opened, draft_id)

    @property
    def draft_id(self) -> str:
        """The id under which the draft is stored."""
        return self._draft.draft_id

    @property
    def slots(self) -> dict[str, Any]:
        """The slots given so far, in the form in which they were given."""
        return dict(self._draft.slots)

    @property
    def given(self) -> tuple[str, ...]:
        """The slots that are not empty."""
        return self._draft.given(self._rubric)

    @property
    def needed(self) -> tuple[str, ...]:
        """The required slots that are still missing; empty if the review can be judged."""
        return self._draft.needed(self._rubric)

    @property
    def optional(self) -> tuple[str, ...]:
        """The optional slots that are still empty."""
        return self._draft.optional(self._rubric)

    @property
    def message(self) -> str:
        """What is still needed and what is optional, as a sentence for a person."""
        return self._draft.message(self._rubric)

    def add(self, **slots: Any) -> ReviewDraft:
        """Set some slots, named as in a file; None removes one."""
        with closing(open_journal(self._journal)) as opened:
            self._draft = run_sync(lambda: add_to_draft(opened, self._draft, slots, self._rubric))
        return self

    async def judge(
        self,
        judge: str | Judge = "embedded",
        *,
        languages: Sequence[str] = (),
        seed: int = 0,
        sample: int = 0,
        temperature: float = 0.0,
        max_tokens: int = 8192,
        recheck_attempts: bool = False,
    ) -> ReviewVerdict | Failure:
        """Judge the draft with its rubric and journal; the arguments mean the same as in `review`."""
        name, opened = named_judge(judge)
        settings = ReviewSettings(
            judge=name,
            rubric=self._rubric,
            languages=tuple(languages),
            seed=seed,
            sample=sample,
            temperature=temperature,
            max_tokens=max_tokens,
            recheck_attempts=recheck_attempts,
        )
        async with open_engine(self._journal) as engine:
            return await engine.judge(self._draft.case(self._rubric), settings, opened)

    def judge_sync(self, *args: Any, **kwargs: Any) -> ReviewVerdict | Failure:
        """`judge` for code that is not async."""
        return run_sync(lambda: self.judge(*args, **kwargs))
