"""Correction: a person's ratings beside ours, kept where they agree, replaced, filled in or refused where not; and the
changelog that tells so, one line for each correction with its reason.

Pure: ours were made without theirs (`Independent first`), and here the two meet. What was entered is read without
guessing: a half point, a range or a word is refused with its reason, never rounded to a value nearby.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import NamedTuple

from ...models import LABELS, FinalRating, Label, RatedResponse, Rating
from ...models.cases import Original
from ...rubric import OVERALL, Criterion, Rubric, Scale
from ...text.sentences import sentences
from .binding import Binding
from .consistency import allowed_overalls, dimensions, nearest, severity

# -- what was entered --------------------------------------------------------------------------------------------------

_SIGNS = str.maketrans({**dict.fromkeys("−–‐‑‒－﹣", "-"), "＋": "+", "．": ".", "，": ",", "／": "/"})
_DECORATION = "*_`\"'“”([ "
# "Rating: 2", "Score 2", "**Likert:** 6": what the cell holds, said once more in it.
_LABEL = re.compile(r"(?:likert(?:\s+(?:rating|score))?|rating|score)(?:[*_\s]*[:：=]|(?=[*_\s]*\s))", re.IGNORECASE)
_NUMBER = re.compile(r"([+-]?[0-9]+)(.*)", re.DOTALL)
_OF_TOP = re.compile(r"\s*/\s*([0-9]{1,6})(?![0-9])")
# Two at most: 1.000 is one to some and a thousand to others.
_ZEROS = re.compile(r"[.,]0{1,2}(?![0-9])")
# Two numbers make a range, a choice or a fraction; "2 (3 typos)" and "2: 3 typos" are one rating.
_BETWEEN = r"(?:[-—/,;~|&]|\.\.+|…|or\b|to\b|and\b|(?:out )?of\b)"
_ANOTHER = re.compile(rf"[*_`\"'“”)\]]*(?:\s*{_BETWEEN}\s*|\s+)[+-]?[0-9]", re.IGNORECASE)
_NOT_WHOLE = re.compile(r"\.[0-9]|[^\W_]|\s*(?:[+%]|-\s*$)")
_MOST_DIGITS = 6


class OffScale(NamedTuple):
    """Words that are no value of the scale, and why not."""

    words: str
    why: str


def read_rating(words: str, scale: Scale) -> int | OffScale | None:
    """The value that the words begin with; None if there are none."""
    text = _plain(words.strip())
    if not text:
        return None
    text = text.lstrip(_DECORATION)
    if label := _LABEL.match(text):
        text = text[label.end() :].lstrip().lstrip(_DECORATION)
    number = _NUMBER.match(text)
    if number is None:
        return OffScale(words, "it does not begin with a number")
    whole, rest = number[1], _ZEROS.sub("", number[2], count=1) if _ZEROS.match(number[2]) else number[2]
    # 4/5 is a four where five is the best there is; a scale from below zero is read in no such way.
    if scale.low >= 0 and (top := _OF_TOP.match(rest)) and int(top[1]) == scale.high:
        rest = rest[top.end() :]
    if _ANOTHER.match(rest):
        return OffScale(words, "it is more than one number")
    if _NOT_WHOLE.match(rest):
        return OffScale(words, "it is not a whole number")
    value = int(whole) if len(whole) <= _MOST_DIGITS else None
    if value is None or value not in scale.values:
        return OffScale(words, f"it is not on the scale from {scale.low} to {scale.high}")
    return value


def _plain(text: str) -> str:
    """The same with ASCII digits and signs, whatever keyboard they were typed on."""
    text = text.translate(_SIGNS)
    return "".join(str(unicodedata.decimal(char, char)) for char in text) if not text.isascii() else text


# -- what becomes of it ------------------------------------------------------------------------------------------------

NOT_GIVEN = "no rating was given"
NO_WORDS = "no justification was given"
AS_ENTERED = "Kept as entered; this judge did not assess it."


def correct_response(rubric: Rubric, binding: Binding, originals: Mapping[str, Original]) -> dict[str, FinalRating]:
    """The final table of one response, in our own words."""
    table: dict[str, FinalRating] = {}
    for criterion in dimensions(rubric):
        key, given = criterion.key, originals.get(criterion.key, Original())
        ours, entered = binding.rated.ratings[key], read_rating(given.rating, criterion.scale)
        if isinstance(entered, int) and entered in binding.open_to.get(key, ()):
            ours = ours.updated(value=entered)
        facts = binding.facts.get(key)
        table[key] = _settled(criterion, ours, given, facts[0].name if facts else "")
    overall = next(criterion for criterion in rubric.criteria if criterion.key == OVERALL)
    values, given = {key: final.value for key, final in table.items()}, originals.get(OVERALL, Original())
    ours, rule = _overall(rubric, binding.rated, values, read_rating(given.rating, overall.scale))
    table[OVERALL] = _settled(overall, ours, given, rule)
    return {criterion.key: table[criterion.key] for criterion in rubric.criteria}


def _overall(
    rubric: Rubric, rated: RatedResponse, values: Mapping[str, int], entered: int | OffScale | None
) -> tuple[Rating, str]:
    """The judge's Overall, moved to the nearest one that the dimensions allow."""
    judged = rated.ratings[OVERALL]
    if judged.assessed:
        allowed = allowed_overalls(rubric, values, unusable=rated.unusable, still_good=bool(rated.still_good))
        value = nearest(allowed, judged.value)
        if value == judged.value:
            return judged, ""
    else:
        # Whether it is largely unusable, or good in parts, nobody has said: what was entered may be right.
        allowed = allowed_overalls(rubric, values, unusable=True, still_good=True)
        value = judged.value if judged.value in allowed else allowed[0]
        value = nearest(allowed, entered) if isinstance(entered, int) else value
    words = by_the_dimensions(rubric, values)
    if value == 2 and rated.still_good:
        words += f" Still of use: {rated.still_good.rstrip('.')}."
    return Rating(value=value, justification=words), "overall" if judged.assessed else ""


def by_the_dimensions(rubric: Rubric, values: Mapping[str, int]) -> str:
    """How an Overall follows from its dimensions, in a sentence."""
    named = {kind: [c.name for c in dimensions(rubric) if severity(c, values[c.key]) == kind] for kind in _KINDS}
    told = [
        f"{len(names)} {kind} issue{'' if len(names) == 1 else 's'} ({', '.join(names)})"
        for kind, names in named.items()
        if names
    ]
    return f"Follows from the ratings above: {' and '.join(told) or 'no issue in any dimension'}."


_KINDS = ("major", "minor")


def _settled(criterion: Criterion, ours: Rating, given: Original, rule: str) -> FinalRating:
    """The final value, and what became of the one that was entered."""
    entered = read_rating(given.rating, criterion.scale)
    final = FinalRating(
        dimension=criterion.name,
        key=criterion.key,
        value=ours.value,
        justification=ours.justification,
        action="kept",
        reason="",
        justification_action="filled",
        justification_reason=NO_WORDS,
        original=given or None,
        quotes=ours.quotes,
        rule=rule,
        assessed=ours.assessed,
    )
    if entered is None:
        return final.updated(action="filled", reason=NOT_GIVEN)
    if isinstance(entered, OffScale):
        return final.updated(action="refused", reason=entered.why)
    if not ours.assessed:
        return final.updated(value=entered, justification=AS_ENTERED)
    if entered == ours.value:
        return final
    return final.updated(action="replaced", reason=first_sentence(ours.justification))


def first_sentence(words: str) -> str:
    """A reason short enough for one line of the changelog."""
    return next(iter(sentences(words)), words)


# -- the changelog -----------------------------------------------------------------------------------------------------

FROM_SCRATCH = "No original ratings provided, full evaluation done from scratch."
NOTHING_CHANGED = "No corrections: every original rating and the Likert stand as entered."


def changelog(
    rubric: Rubric, tables: Mapping[Label, Mapping[str, FinalRating]], likert: FinalRating, *, originals: bool
) -> tuple[str, ...]:
    """What was changed in what a person entered, and why."""
    if not originals:
        return (FROM_SCRATCH,)
    lines: list[str] = []
    for number, label in enumerate(LABELS, start=1):
        table = tables[label]
        side = f"Response {number}"
        lines += [line for c in rubric.criteria if (line := _correction(f"{side}, {c.name}", table[c.key]))]
        lines += [
            f"{side}, {c.name}: {final.value} kept, justification rewritten: {final.justification_reason}."
            for c in rubric.criteria
            if (final := table[c.key]).action == "kept" and final.justification_action == "rewritten"
        ]
        blank = [c.name for c in rubric.criteria if table[c.key].action == "filled"]
        if blank:
            lines.append(f"{side}: filled in {', '.join(blank)}: {_none(blank, 'rating')} given.")
        lines += [
            f"{side}, {c.name}: the justification entered without a rating was replaced."
            for c in rubric.criteria
            if table[c.key].action == "filled" and table[c.key].justification_action == "rewritten"
        ]
        silent = [
            c.name
            for c in rubric.criteria
            if table[c.key].action == "kept" and table[c.key].justification_action == "filled"
        ]
        if silent:
            lines.append(f"{side}: justified {', '.join(silent)}: {_none(silent, 'justification')} given.")
    if line := _correction("Likert", likert):
        lines.append(line)
    elif likert.action == "filled":
        lines.append(f"Likert: filled in {likert.value}: none was given.")
    elif likert.justification_action == "rewritten":
        lines.append(f"Likert: {likert.value} kept, justification rewritten: {likert.justification_reason}.")
    elif likert.justification_action == "filled":
        lines.append(f"Likert: {likert.value} kept, justification filled in: none was given.")
    return tuple(lines) or (NOTHING_CHANGED,)


def _correction(place: str, final: FinalRating) -> str:
    """The line of a rating that was replaced or refused."""
    if not final.changed:
        return ""
    entered = " ".join(final.original_rating.split())[:60]
    if final.action == "refused":
        return f"{place}: “{entered}” refused, {final.value} set instead: {_stopped(final.reason)}"
    return f"{place}: {entered} changed to {final.value}: {_stopped(final.reason)}"


def _none(names: list[str], what: str) -> str:
    return f"no {what} was" if len(names) == 1 else f"no {what}s were"


def _stopped(sentence: str) -> str:
    return sentence if sentence[-1:] in ".!?”" else f"{sentence}."
