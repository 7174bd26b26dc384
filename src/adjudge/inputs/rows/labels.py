"""What people said of a case, in the words of many tools → ours: A, B or tie, and of a dialogue a number.

Nothing is guessed: what is not in the table is refused with what is allowed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from ...arithmetic import mean, rounded, to_decimal
from ...errors import InputError
from ...rubric import Scale
from ..text import kind_of

# Folded (lower case, without spaces, `_` and `-`) → ours. "left" and "right" are how arenas ask.
WINNERS = {
    **dict.fromkeys(("a", "modela", "responsea", "answera", "outputa", "assistanta", "[[a]]", "a>b", "left"), "A"),
    **dict.fromkeys(("model1", "response1", "answer1", "output1", "first"), "A"),
    **dict.fromkeys(("b", "modelb", "responseb", "answerb", "outputb", "assistantb", "[[b]]", "b>a", "right"), "B"),
    **dict.fromkeys(("model2", "response2", "answer2", "output2", "second"), "B"),
    **dict.fromkeys(("tie", "tie(bothbad)", "bothbad", "bothgood", "both", "neither", "[[c]]", "c"), "tie"),
    **dict.fromkeys(("draw", "equal", "same", "a=b"), "tie"),
}
ALLOWED = "A, B or tie; model_a, model_b; 1, 2 (0.5 or 1.5 for a tie); or the name of one of the two systems"
_HALF = Decimal("0.5")


def winner_from(value: Any, systems: tuple[str, str] | None) -> str | None:
    """`A`, `B` or `tie`; None where nothing was said.

    A number between 1 and 2 is a preference for the nearer end, as AlpacaEval writes it. 0 is a tie to some tools and
    B to others, and is refused.
    """
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    if isinstance(value, bool) or not isinstance(value, str | int | float | Decimal):
        raise InputError("label", f"expected a winner, found {kind_of(value)}", ALLOWED)
    written = str(value).strip()
    if systems and systems[0] != systems[1] and written in systems:
        return "AB"[systems.index(written)]
    number = None if written[0].isalpha() else to_decimal(written)
    if number is None:
        found = WINNERS.get(re.sub(r"[ _\t-]", "", written.lower()))
    elif number in (_HALF, 1 + _HALF):
        found = "tie"
    else:
        found = ("A" if number < 1 + _HALF else "B") if 1 <= number <= 2 else None
    if found is None:
        why = "is a tie to some and B to others" if number == 0 else "is not a winner"
        raise InputError("label", f"{written!r:.60} {why}", ALLOWED)
    return found


def winner_of_three(values: Sequence[Any]) -> str | None:
    """The winner where three columns say by 1 or 0 whether it was A, B or a tie."""
    said = [to_decimal(int(value) if isinstance(value, bool) else value) for value in values]
    if all(value is None or value == "" for value in values):
        return None
    if [number for number in said if number not in (0, 1)] or sum(number or 0 for number in said) != 1:
        found = ", ".join(f"{value!r:.20}" for value in values)
        raise InputError("label", f"{found} for A, B and tie", "1 in one of the three, 0 in the others")
    return ("A", "B", "tie")[said.index(Decimal(1))]


def ratings_from(value: Any, scale: Scale) -> tuple[tuple[int, ...], str | None]:
    """The ratings that are whole numbers, and the mean of all as text; nothing where nothing was said."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return (), None
    parts = value.strip().strip("[]").split(",") if isinstance(value, str) else value
    numbers = [to_decimal(part) for part in (parts if isinstance(parts, list | tuple) else [parts])]
    given = [number for number in numbers if number is not None and scale.low <= number <= scale.high]
    if len(given) < len(numbers):
        allowed = f"a number from {scale.low} to {scale.high}, or several"
        raise InputError("label", f"{value!r:.60} is not a rating", allowed)
    whole = tuple(int(number) for number in given if number == int(number))
    return whole if len(whole) == len(given) else (), str(rounded(mean(given))) if given else None
