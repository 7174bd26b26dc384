"""Corrects what a person entered. Ratings that agree with ours are kept, others are replaced, filled in or refused;
justifications are kept or rewritten; the changelog has one line for each correction, with its reason.

Pure functions. Our ratings were made without the person's (`Independent first`); here both are compared. Entries are
read without guessing: a half point, a range or a word is refused with the reason, never rounded to a value nearby. Code
checks that a justification is English, quotes correctly and names the facts. The judge is asked whether it is specific
and true; if the judge did not assess the rating, the justification is kept with it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any, NamedTuple

from ...models.common import LABELS, Fact, Label
from ...rubric import LIKERT, OVERALL, Criterion, Rubric, Scale
from ...text.reasons import WordChecker, not_english
from ...text.sentences import sentences
from .case import Original
from .consistency import Binding, allowed_overalls, dimensions, names_fact, nearest, severity
from .questions import Candidate
from .verdict import FinalRating, JudgedWords, RatedResponse, Rating, RatingAction, ReviewVerdict

Tables = Mapping[Label, Mapping[str, FinalRating]]

# -- reading what was entered ------------------------------------------------------------------------------------------

_SIGNS = str.maketrans({**dict.fromkeys("−–‐‑‒－﹣", "-"), "＋": "+", "．": ".", "，": ",", "／": "/"})
_DECORATION = "*_`\"'“”([ "
# A label that repeats what the cell is for: "Rating: 2", "Score 2", "**Likert:** 6".
_LABEL = re.compile(r"(?:likert(?:\s+(?:rating|score))?|rating|score)(?:[*_\s]*[:：=]|(?=[*_\s]*\s))", re.IGNORECASE)
_NUMBER = re.compile(r"([+-]?[0-9]+)(.*)", re.DOTALL)
_OF_TOP = re.compile(r"\s*/\s*([0-9]{1,6})(?![0-9])")
# At most two zeros, because 1.000 can mean one or a thousand.
_ZEROS = re.compile(r"[.,]0{1,2}(?![0-9])")
# Two numbers are a range, a choice or a fraction; but "2 (3 typos)" and "2: 3 typos" are one rating.
_BETWEEN = r"(?:[-—/,;~|&]|\.\.+|…|or\b|to\b|and\b|(?:out )?of\b)"
_ANOTHER = re.compile(rf"[*_`\"'“”)\]]*(?:\s*{_BETWEEN}\s*|\s+)[+-]?[0-9]", re.IGNORECASE)
_NOT_WHOLE = re.compile(r"\.[0-9]|[^\W_]|\s*(?:[+%]|-\s*$)")
_MOST_DIGITS = 6


class SharedEntries(NamedTuple):
    """The ratings that were entered for either of two identical responses, and the name of the other response."""

    values: Mapping[str, int]
    other: str


class OffScale(NamedTuple):
    """An entry that is not a value of the scale, and why."""

    words: str
    why: str


def read_rating(words: str, scale: Scale) -> int | OffScale | None:
    """Read the value at the beginning of an entry. Return None if the entry is empty."""
    text = words.strip().translate(_SIGNS)
    if not text:
        return None
    # Convert the digits of all scripts to ASCII.
    text = "".join(str(unicodedata.decimal(char, char)) for char in text).lstrip(_DECORATION)
    if label := _LABEL.match(text):
        text = text[label.end() :].lstrip().lstrip(_DECORATION)
    number = _NUMBER.match(text)
    if number is None:
        return OffScale(words, "it does not begin with a number")
    whole, rest = number[1], _ZEROS.sub("", number[2], count=1) if _ZEROS.match(number[2]) else number[2]
    # 4/5 is a four if the scale ends at five. On a scale from below zero it is not read like this.
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


def checked_rating(verdict: ReviewVerdict, criterion: Criterion | None, line: FinalRating) -> int | None:
    """Return the rating that was entered, if it is on its scale and the judge assessed it; None if not. The preference
    has no `criterion`. A share of corrected ratings is a share of these, on every page.

    If no dimension was assessed, the Overall and the preference, which follow from them, were not assessed either.
    """
    entered = read_rating(line.original_rating, criterion.scale if criterion else LIKERT)
    if not isinstance(entered, int) or not line.assessed:
        return None
    if criterion is None or criterion.key == OVERALL:
        dimensions = (one for label in LABELS for key, one in verdict.table(label).items() if key != OVERALL)
        return entered if any(one.assessed for one in dimensions) else None
    return entered


# -- ratings ----------------------------------------------------------------------------------------------------------

NOT_GIVEN = "no rating was given"
NO_WORDS = "no justification was given"
AS_ENTERED = "Kept as entered; this judge did not assess it."


def rating_action(entered: int | OffScale | None, value: int, why: str) -> tuple[RatingAction, str]:
    """Return what became of the rating that was entered, and the reason; `why` is the reason if it was replaced."""
    if entered is None:
        return "filled", NOT_GIVEN
    if isinstance(entered, OffScale):
        return "refused", entered.why
    return ("kept", "") if entered == value else ("replaced", why)


def final_rating(given: Original, scale: Scale, value: int, words: str, why: str, **more: Any) -> FinalRating:
    """Build the final line of a rating with our own justification."""
    action, reason = rating_action(read_rating(given.rating, scale), value, why)
    return FinalRating(
        value=value,
        justification=words,
        action=action,
        reason=reason,
        justification_action="filled",
        justification_reason=NO_WORDS,
        original=given or None,
        **more,
    )


def correct_response(
    rubric: Rubric,
    binding: Binding,
    originals: Mapping[str, Original],
    shared: SharedEntries | None = None,
    blank_overall: int | None = None,
) -> dict[str, FinalRating]:
    """Build the final table of one response with our own justifications.

    `shared` is for identical responses. `blank_overall` is the Overall to assume if none was entered and the judge did
    not assess it.
    """
    table: dict[str, FinalRating] = {}
    # The Overall comes last, because it follows from the others.
    for criterion in sorted(rubric.criteria, key=lambda criterion: criterion.key == OVERALL):
        key, given = criterion.key, originals.get(criterion.key, Original())
        own = read_rating(given.rating, criterion.scale)
        entered = own if shared is None else shared.values.get(key)
        if key == OVERALL:
            ours, rule = _overall(rubric, binding.rated, values_of(table), entered, blank_overall)
        else:
            ours, facts = binding.rated.ratings[key], binding.facts.get(key)
            rule = facts[0].name if facts else ours.rule
        value, words = ours.value, ours.justification
        if isinstance(entered, int) and entered in binding.open_to.get(key, ()):
            value = entered
        if isinstance(entered, int) and not ours.assessed:
            value, words = entered, AS_ENTERED
            if shared is not None and own != entered:
                words = f"Rated like {shared.other}, to which it is identical."
        about = {"dimension": criterion.name, "key": key, "quotes": ours.quotes, "assessed": ours.assessed}
        why = first_sentence(words)
        table[key] = final_rating(given, criterion.scale, value, words, why, rule=rule, **about)
    return {criterion.key: table[criterion.key] for criterion in rubric.criteria}


def values_of(table: Mapping[str, FinalRating]) -> dict[str, int]:
    """Return the ratings of a table by key."""
    return {key: line.value for key, line in table.items()}


def _overall(
    rubric: Rubric,
    rated: RatedResponse,
    values: Mapping[str, int],
    entered: int | OffScale | None,
    blank: int | None,
) -> tuple[Rating, str]:
    """Return the judge's Overall, changed to the nearest one that the dimensions allow, and the rule if it changed."""
    judged = rated.ratings[OVERALL]
    if judged.assessed:
        allowed = allowed_overalls(rubric, values, unusable=rated.unusable, still_good=bool(rated.still_good))
        value = nearest(allowed, judged.value)
        if value == judged.value:
            return judged, ""
    else:
        # The judge did not say whether it is largely unusable or good in parts, so accept what was entered for either.
        allowed = allowed_overalls(rubric, values, unusable=True, still_good=True)
        value = next((known for known in (blank, judged.value) if known in allowed), allowed[0])
        value = nearest(allowed, entered) if isinstance(entered, int) else value
    words = by_the_dimensions(rubric, values)
    if value == 2 and rated.still_good:
        words += f" Still of use: {rated.still_good.rstrip('.')}."
    return Rating(value=value, justification=words), "overall" if judged.assessed else ""


def by_the_dimensions(rubric: Rubric, values: Mapping[str, int]) -> str:
    """Return a sentence that says how an Overall follows from its dimensions."""
    kinds = ("major", "minor")
    named = {kind: [c.name for c in dimensions(rubric) if severity(c, values[c.key]) == kind] for kind in kinds}
    parts = [
        f"{len(names)} {kind} issue{'' if len(names) == 1 else 's'} ({', '.join(names)})"
        for kind, names in named.items()
        if names
    ]
    return f"Follows from the ratings above: {' and '.join(parts) or 'no issue in any dimension'}."


def first_sentence(words: str) -> str:
    """Return the first sentence, which is short enough for one line of the changelog."""
    return next(iter(sentences(words)), words)


# -- words ------------------------------------------------------------------------------------------------------------

NOT_SPECIFIC, NOT_TRUE = "it is not specific", "it is not true"
LEAST, MOST = 3, 4  # sentences of the Likert's justification


def settled(final: FinalRating, facts: tuple[Fact, ...], check: WordChecker, likert: bool = False) -> FinalRating:
    """Choose the justification of a line as far as code can: the person's if it passes all checks here, else ours."""
    words = " ".join(final.original_justification.split())
    if not words:
        return final
    if final.action != "kept":
        why = "no rating came with it" if final.action == "filled" else "its rating was not kept"
        return rewritten(final, why)
    if why := not_english(words):
        return rewritten(final, why.replace("; English is needed", ", not in English"))
    if why := check.invented_quote(words):
        return rewritten(final, f"{NOT_TRUE} ({why})")
    # The binding facts must be named; the person may have rated by them without naming them.
    if not all(names_fact(words, fact) for fact in facts):
        return rewritten(final, "ours names what was measured")
    if likert and not LEAST <= (count := len(sentences(words))) <= MOST:
        return rewritten(final, f"it has {count} sentence{'' if count == 1 else 's'}; {LEAST} to {MOST} are needed")
    return final.updated(justification=words, justification_action="kept", justification_reason="", quotes=())


def rewritten(final: FinalRating, why: str) -> FinalRating:
    """Return the line with our justification, and the reason why the person's was not kept."""
    return final.updated(justification_action="rewritten", justification_reason=why)


def candidates(lines: Mapping[str, FinalRating]) -> tuple[Candidate, ...]:
    """Return the person's justifications that were kept so far and belong to ratings that the judge assessed."""
    asked = [(place, line) for place, line in lines.items() if line.justification_action == "kept" and line.assessed]
    sides = {"A": "Response 1, ", "B": "Response 2, "}
    return tuple(
        Candidate(place, f"{sides[place[0]]}{line.dimension}", line.value, line.justification)
        if place[0] in sides
        else Candidate(place, "the preference", line.value, words, tuple(sentences(words)))
        for place, line in asked
        if (words := line.justification)
    )


def judged(kept: FinalRating, ours: FinalRating, words: JudgedWords | None) -> FinalRating:
    """Apply the judge's view of a kept justification. Without a view, the justification stays."""
    if words is None or words.may_be_kept:
        return kept
    why = NOT_TRUE if not words.true or words.specific else NOT_SPECIFIC
    because = words.reason if not (words.specific and words.true) else words.contradiction
    return rewritten(ours, f"{why} ({because})" if because else why)


# -- the changelog -----------------------------------------------------------------------------------------------------

FROM_SCRATCH = "No original ratings provided, full evaluation done from scratch."
NOTHING_CHANGED = "No corrections: every original rating and the Likert stand as entered."


def changelog(rubric: Rubric, tables: Tables, likert: FinalRating, *, originals: bool) -> tuple[str, ...]:
    """List what was changed in what the person entered, and why."""
    if not originals:
        return (FROM_SCRATCH,)
    entries: list[str] = []
    for number, label in enumerate(LABELS, start=1):
        side = f"Response {number}"
        lines = [(c.name, tables[label][c.key]) for c in rubric.criteria]
        entries += [sentence for name, line in lines if (sentence := _correction(f"{side}, {name}", line))]
        entries += [sentence for name, line in lines if (sentence := _other_words(f"{side}, {name}", line))]
        if blank := [name for name, line in lines if line.action == "filled"]:
            entries.append(f"{side}: filled in {', '.join(blank)}: {_none(blank, 'rating')} given.")
        entries += [
            f"{side}, {name}: the justification entered without a rating was replaced."
            for name, line in lines
            if line.action == "filled" and line.justification_action == "rewritten"
        ]
        if silent := [n for n, line in lines if line.action == "kept" and line.justification_action == "filled"]:
            entries.append(f"{side}: justified {', '.join(silent)}: {_none(silent, 'justification')} given.")
    if sentence := _correction("Likert", likert) or _other_words("Likert", likert):
        entries.append(sentence)
    elif likert.action == "filled":
        entries.append(f"Likert: filled in {likert.value}: none was given.")
    elif likert.justification_action == "filled":
        entries.append(f"Likert: {likert.value} kept, justification filled in: none was given.")
    return tuple(entries) or (NOTHING_CHANGED,)


def _correction(place: str, final: FinalRating) -> str:
    """Return the line for a rating that was replaced or refused; empty for others."""
    if not final.changed:
        return ""
    entered, reason = " ".join(final.original_rating.split())[:60], final.reason
    stop = "" if reason[-1:] in ".!?”" else "."
    if final.action == "refused":
        return f"{place}: “{entered}” refused, {final.value} set instead: {reason}{stop}"
    return f"{place}: {entered} changed to {final.value}: {reason}{stop}"


def _other_words(place: str, final: FinalRating) -> str:
    """Return the line for a rating that was kept while its justification was rewritten; empty for others."""
    if final.action != "kept" or final.justification_action != "rewritten":
        return ""
    return f"{place}: {final.value} kept, justification rewritten: {final.justification_reason}."


def _none(names: list[str], what: str) -> str:
    return f"no {what} was" if len(names) == 1 else f"no {what}s were"
