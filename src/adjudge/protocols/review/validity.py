"""Task checks before rating: what makes a task invalid, each with its own answer. Identical responses are valid."""

from __future__ import annotations

from ...models.cases import Review
from ...text.control_tokens import without_end_markers
from ...text.language import LANGUAGE_NAMES, language_of
from ...text.words import count_words

_WORDS = 4  # from which the language of a text can be told, for this purpose


def why_invalid(case: Review, languages: tuple[str, ...] = ()) -> str | None:
    """Why this task cannot be rated, or None. `languages`: the ISO codes in scope; none given means all are."""
    if not case.prompt.strip():
        return "The prompt is missing, so there is nothing to rate the responses against."
    missing = [str(number) for number, text in enumerate((case.a, case.b), start=1) if not is_text(text)]
    if len(missing) == 2:
        return "Both responses are missing."
    if missing:
        return f"Response {missing[0]} is missing, so there is nothing to compare the other with."
    if not count_words(case.prompt):
        return "The prompt holds no words: it cannot be answered in any meaningful way."
    return _out_of_scope(case, languages)


def is_text(response: str) -> bool:
    """Is there a response? End-of-turn markers alone are none."""
    return bool(without_end_markers(response).strip())


def are_identical(case: Review) -> bool:
    """Do both responses say the same, word for word?"""
    a, b = (" ".join(without_end_markers(text).split()) for text in (case.a, case.b))
    return a == b


def _out_of_scope(case: Review, languages: tuple[str, ...]) -> str | None:
    if not languages:
        return None
    codes = {language_of(text, _WORDS) for text in (case.prompt, case.a, case.b)}
    # One text in scope is enough: whether the others should be is a matter of rating, not of routing.
    if None in codes or codes & set(languages):
        return None
    names = ", ".join(sorted(LANGUAGE_NAMES[code] for code in codes if code is not None))
    scope = ", ".join(LANGUAGE_NAMES.get(code, code) for code in languages)
    return f"The prompt and both responses are in {names}, which is out of scope (in scope: {scope})."
