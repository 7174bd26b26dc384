"""How any protocol's judge lists a demand of a task, before `constraints/` verifies and measures it."""

from __future__ import annotations

from typing import Literal, get_args

from ..judges.role import object_of
from ..models.constraints import Bound, ConstraintKind

MOST_CONSTRAINTS = 20
LISTED_CONSTRAINT = object_of(
    "constraint",
    {
        "quote": str,
        "kind": Literal[get_args(ConstraintKind)],
        "bound": Literal[get_args(Bound)],
        "amount": int,
        "up_to": int,
        "text": str,
        "strict": bool,
    },
)
