"""What becomes of what a person entered: ratings kept where they agree with ours, replaced, filled in or refused where
not; their words kept or rewritten; and the changelog that tells so, one line for each correction with its reason.

Pure: ours were made without theirs (`Independent first`), and here the two meet. What was entered is read without
guessing: a half point, a range or a word is refused with its reason, never rounded to a value nearby. Code checks of a
person's words what it can: English, real quotations, the facts named. Whether they are specific and true is asked of
the judge; where it did not assess the rating itself, the words stand with it. The Likert's first sentence is the
verdict, written by rule; the reasons behind it are the judge's where they fit the final tables, and else composed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any, NamedTuple

from ...judges.base import Candidate
from ...models import LABELS, Fact, FinalRating, JudgedWords, Label, RatedResponse, Rating, RatingAction, ReviewOpinion
from ...models.cases import Original
from ...models.rows import NO_PREFERENCE
from ...rubric import OVERALL, Criterion, Rubric, Scale
from ...text.reasons import WordChecker, misstated_rating, not_english
from ...text.sentences import sentences
from .consistency import Binding, allowed_overalls, better, by_weight, dimensions, names_fact, nearest, severity

Tables = Mapping[Label, Mapping[str, FinalRating]]

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
    text = words.strip().translate(_SIGNS)
    if not text:
        return None
    # ASCII digits, whatever keyboard they were typed on.
    text = "".join(str(unicodedata.decimal(char, char)) for char in text).lstrip(_DECORATION)
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


# -- ratings ----------------------------------------------------------------------------------------------------------

NOT_GIVEN = "no rating was given"
NO_WORDS = "no justification was given"
AS_ENTERED = "Kept as entered; this judge did not assess it."


def fate(entered: int | OffScale | None, value: int, why: str) -> tuple[RatingAction, str]:
    """What became of the rating that was entered, and why; `why` is for one that was replaced."""
    if entered is None:
        return "filled", NOT_GIVEN
    if isinstance(entered, OffScale):
        return "refused", entered.why
    return ("kept", "") if entered == value else ("replaced", why)


def final_rating(given: Original, scale: Scale, value: int, words: str, why: str, **more: Any) -> FinalRating:
    """The line of a rating in our own words."""
    action, reason = fate(read_rating(given.rating, scale), value, why)
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


def correct_response(rubric: Rubric, binding: Binding, originals: Mapping[str, Original]) -> dict[str, FinalRating]:
    """The final table of one response, in our own words."""
    table: dict[str, FinalRating] = {}
    # The Overall last, for it follows from the others.
    for criterion in sorted(rubric.criteria, key=lambda criterion: criterion.key == OVERALL):
        key, given = criterion.key, originals.get(criterion.key, Original())
        entered = read_rating(given.rating, criterion.scale)
        if key == OVERALL:
            ours, rule = _overall(rubric, binding.rated, values_of(table), entered)
        else:
            ours, facts = binding.rated.ratings[key], binding.facts.get(key)
            rule = facts[0].name if facts else ""
        value, words = ours.value, ours.justification
        if isinstance(entered, int) and entered in binding.open_to.get(key, ()):
            value = entered
        if isinstance(entered, int) and not ours.assessed:
            value, words = entered, AS_ENTERED
        about = {"dimension": criterion.name, "key": key, "quotes": ours.quotes, "assessed": ours.assessed}
        why = first_sentence(words)
        table[key] = final_rating(given, criterion.scale, value, words, why, rule=rule, **about)
    return {criterion.key: table[criterion.key] for criterion in rubric.criteria}


def values_of(table: Mapping[str, FinalRating]) -> dict[str, int]:
    """The ratings of a table."""
    return {key: line.value for key, line in table.items()}


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
    kinds = ("major", "minor")
    named = {kind: [c.name for c in dimensions(rubric) if severity(c, values[c.key]) == kind] for kind in kinds}
    told = [
        f"{len(names)} {kind} issue{'' if len(names) == 1 else 's'} ({', '.join(names)})"
        for kind, names in named.items()
        if names
    ]
    return f"Follows from the ratings above: {' and '.join(told) or 'no issue in any dimension'}."


def first_sentence(words: str) -> str:
    """A reason short enough for one line of the changelog."""
    return next(iter(sentences(words)), words)


# -- words ------------------------------------------------------------------------------------------------------------

NOT_SPECIFIC, NOT_TRUE = "it is not specific", "it is not true"
LEAST, MOST = 3, 4  # sentences of the Likert's justification
VERDICTS = {
    1: "Response 1 is much better overall.",
    2: "Response 1 is better overall.",
    3: "Response 1 is slightly better overall.",
    4: "Neither response is better overall.",
    5: "Response 2 is slightly better overall.",
    6: "Response 2 is better overall.",
    7: "Response 2 is much better overall.",
}


def contradicted(opinion: ReviewOpinion, tables: Tables, likert: int, rubric: Rubric) -> bool:
    """Whether the judge's reasons name a response or a rating that the final tables contradict.

    They were written for its own ratings, so they fit as long as the preferred side stands, and in every criterion they
    name the better side, and the ratings they give.
    """
    ratings = {c.name: _pair(c, tables) for c in rubric.criteria}
    if _side(opinion.preference) != _side(likert) or misstated_rating(opinion.reasons, ratings):
        return True
    told = opinion.reasons.casefold()
    given = set(re.findall(r"\d", told)) - {"1", "2"}
    for c in rubric.criteria:
        if c.name.casefold() not in told and c.key.replace("_", " ") not in told:
            continue
        first, second = (opinion.responses[label].ratings[c.key].value for label in LABELS)
        moved = (first, second) != ratings[c.name]
        if better(c, first, second) != better(c, *ratings[c.name]):
            return True
        if moved and given & {str(abs(first)), str(abs(second))}:
            return True
    return False


def composed(likert: int, tables: Tables, rubric: Rubric, *, same: bool = False) -> str:
    """A justification from the tables alone, always of three or four sentences; `same`: of identical responses."""
    if same:
        told = "The two responses are identical, word for word. All ratings are therefore the same, with an Overall"
        return f"{VERDICTS[likert]} {told} Quality of {tables['A'][OVERALL].value} for both."
    differing = [c for c in by_weight(rubric) if len(set(_pair(c, tables))) > 1]
    # What speaks for the better side comes first; the Overall closes.
    telling = [c for c in differing if better(c, *_pair(c, tables)) == _side(likert)] or differing
    rated = [(c.name, *_pair(c, tables)) for c in telling[:2]]
    said = [f"On {name}, Response 1 is rated {a} and Response 2 is rated {b}." for name, a, b in rated]
    said = said or ["The two responses have the same rating in every dimension."]
    a, b = (tables[label][OVERALL].value for label in LABELS)
    closing = f"Overall Quality is {a} for Response 1 and {b} for Response 2."
    return " ".join((VERDICTS[likert], *said, closing if a != b else f"Both have an Overall Quality of {a}."))


def _side(likert: int) -> Label | None:
    return None if likert == NO_PREFERENCE else "A" if likert < NO_PREFERENCE else "B"


def _pair(criterion: Criterion, tables: Tables) -> tuple[int, int]:
    return tables["A"][criterion.key].value, tables["B"][criterion.key].value


def settled(final: FinalRating, facts: tuple[Fact, ...], check: WordChecker, likert: bool = False) -> FinalRating:
    """A line with its words as far as code can tell: ours, or the person's for now where nothing speaks against it."""
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
    # What binds must be named, and a person may have rated by it without naming it.
    if not all(names_fact(words, fact) for fact in facts):
        return rewritten(final, "ours names what was measured")
    if likert and not LEAST <= (count := len(sentences(words))) <= MOST:
        return rewritten(final, f"it has {count} sentence{'' if count == 1 else 's'}; {LEAST} to {MOST} are needed")
    return final.updated(justification=words, justification_action="kept", justification_reason="", quotes=())


def rewritten(final: FinalRating, why: str) -> FinalRating:
    """The line with our words, and why the person's do not stand."""
    return final.updated(justification_action="rewritten", justification_reason=why)


def candidates(lines: Mapping[str, FinalRating]) -> tuple[Candidate, ...]:
    """What a judge is asked about: a person's words that stand so far, beside a rating that the judge assessed."""
    asked = [(place, line) for place, line in lines.items() if line.justification_action == "kept" and line.assessed]
    sides = {"A": "Response 1, ", "B": "Response 2, "}
    return tuple(
        Candidate(place, sides.get(place[0], "") + (line.dimension or "the preference"), line.value, line.justification)
        for place, line in asked
    )


def judged(kept: FinalRating, ours: FinalRating, said: JudgedWords | None) -> FinalRating:
    """A line after the judge spoke of its words; where it said nothing, they stand."""
    if said is None or said.stand:
        return kept
    why = NOT_TRUE if not said.true else NOT_SPECIFIC
    return rewritten(ours, f"{why} ({said.reason})" if said.reason else why)


# -- the changelog -----------------------------------------------------------------------------------------------------

FROM_SCRATCH = "No original ratings provided, full evaluation done from scratch."
NOTHING_CHANGED = "No corrections: every original rating and the Likert stand as entered."


def changelog(rubric: Rubric, tables: Tables, likert: FinalRating, *, originals: bool) -> tuple[str, ...]:
    """What was changed in what a person entered, and why."""
    if not originals:
        return (FROM_SCRATCH,)
    told: list[str] = []
    for number, label in enumerate(LABELS, start=1):
        side = f"Response {number}"
        lines = [(c.name, tables[label][c.key]) for c in rubric.criteria]
        told += [said for name, line in lines if (said := _correction(f"{side}, {name}", line))]
        told += [said for name, line in lines if (said := _other_words(f"{side}, {name}", line))]
        if blank := [name for name, line in lines if line.action == "filled"]:
            told.append(f"{side}: filled in {', '.join(blank)}: {_none(blank, 'rating')} given.")
        told += [
            f"{side}, {name}: the justification entered without a rating was replaced."
            for name, line in lines
            if line.action == "filled" and line.justification_action == "rewritten"
        ]
        if silent := [n for n, line in lines if line.action == "kept" and line.justification_action == "filled"]:
            told.append(f"{side}: justified {', '.join(silent)}: {_none(silent, 'justification')} given.")
    if said := _correction("Likert", likert) or _other_words("Likert", likert):
        told.append(said)
    elif likert.action == "filled":
        told.append(f"Likert: filled in {likert.value}: none was given.")
    elif likert.justification_action == "filled":
        told.append(f"Likert: {likert.value} kept, justification filled in: none was given.")
    return tuple(told) or (NOTHING_CHANGED,)


def _correction(place: str, final: FinalRating) -> str:
    """The line of a rating that was replaced or refused."""
    if not final.changed:
        return ""
    entered, reason = " ".join(final.original_rating.split())[:60], final.reason
    stop = "" if reason[-1:] in ".!?”" else "."
    if final.action == "refused":
        return f"{place}: “{entered}” refused, {final.value} set instead: {reason}{stop}"
    return f"{place}: {entered} changed to {final.value}: {reason}{stop}"


def _other_words(place: str, final: FinalRating) -> str:
    """The line of a rating that was kept without its words."""
    if final.action != "kept" or final.justification_action != "rewritten":
        return ""
    return f"{place}: {final.value} kept, justification rewritten: {final.justification_reason}."


def _none(names: list[str], what: str) -> str:
    return f"no {what} was" if len(names) == 1 else f"no {what}s were"
