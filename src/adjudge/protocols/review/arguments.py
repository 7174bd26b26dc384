"""The sentences that explain a preference, each with what it is about and which response it favours.

The Rater and the Explainer are asked for them in the same form, and they are read in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple, get_args

from pydantic import BeforeValidator

from ...judges.role import object_of
from ...models.common import Warning
from ...prompts.fence import in_one_line
from ...rubric import OVERALL, Rubric
from ...text.sentences import sentences
from .verdict import OVERALL_SIDE, Argument, Favours

BECAUSE = "reasons"  # the field of a reply
FEWEST_REASONS = 2  # they follow the verdict sentence, which a rule writes
_MOST_REASONS = 10


def stance_of(rubric: Rubric) -> dict[str, Any]:
    """Return the fields that say what a sentence is about and which response it favours."""
    about = (*(item.key for item in rubric.criteria if item.key != OVERALL), OVERALL_SIDE)
    # Some models write the number of a response as a number.
    side = BeforeValidator(lambda given: str(given) if type(given) is int else given)
    return {"dimension": Literal[about], "favours": Annotated[Literal[get_args(Favours)], side]}


def reasons_of(rubric: Rubric) -> Any:
    """Return the type of the sentences in a reply."""
    return list[object_of("reason", {"sentence": str, **stance_of(rubric)})]  # type: ignore[misc]


def sentences_of(reply: Mapping[str, Any]) -> list[str]:
    """Return the sentences in a reply, as they came."""
    return [entry["sentence"] for entry in reply.get(BECAUSE, ())]


class Reasons(NamedTuple):
    """The sentences on a preference that can be used, warnings about the others, and what to ask for once more."""

    good: tuple[Argument, ...]
    dropped: tuple[Warning, ...]
    problems: tuple[str, ...]

    def or_better(self, repaired: Reasons) -> Reasons:
        """Return these or the repaired ones, whichever are enough; if neither are, the one with more sentences."""
        return max(self, repaired, key=lambda one: (not one.problems, len(one.good)))


def read_reasons(given: Sequence[Mapping[str, Any]], check: Callable[[Argument], Warning | None]) -> Reasons:
    """Read the sentences on a preference. Each entry must be one sentence: its fields say nothing of a second one.

    They are asked for once more only if fewer than two can be used; an empty list is not, there may be no need for it.
    """
    good: dict[str, Argument] = {}
    dropped: list[Warning] = []
    for number, entry in enumerate(given[:_MOST_REASONS], start=1):
        argument = Argument(**{**entry, "sentence": in_one_line(entry["sentence"])})
        count = len(sentences(argument.sentence))
        found = check(argument) if count == 1 else None
        if count != 1:
            why = f"{count} sentences; one is needed" if count else "empty"
            found = Warning(code="dropped_sentence", message=why)
        if found is None:
            good.setdefault(argument.sentence, argument)
        else:
            dropped.append(found.updated(message=f"{BECAUSE}, sentence {number}: {found.message}"))
    problems: tuple[str, ...] = ()
    if given and len(good) < FEWEST_REASONS:
        short = f"{BECAUSE}: {len(good)} of {len(given)} can be used; at least {FEWEST_REASONS} are needed"
        problems = (*(warning.message for warning in dropped), short)
    return Reasons(tuple(good.values()), tuple(dropped), problems)
