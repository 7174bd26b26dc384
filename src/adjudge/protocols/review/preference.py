"""The words of the preference: a verdict sentence by rule, then two or three sentences that fit the final tables.

A judge's sentence is used if what it favours is what the tables favour and if the names and ratings in it are right.
What is missing is written by rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ...models.common import LABELS, Label, Warning
from ...rubric import OVERALL, Criterion, Rubric
from ...text.reasons import misstated_rating
from .consistency import better, by_weight, dimensions
from .correcting import LEAST, MOST, Tables
from .verdict import OVERALL_SIDE, Argument, Favours, ReviewOpinion, side_of

VERDICTS = {
    1: "Response 1 is much better overall.",
    2: "Response 1 is better overall.",
    3: "Response 1 is slightly better overall.",
    4: "Neither response is better overall.",
    5: "Response 2 is slightly better overall.",
    6: "Response 2 is better overall.",
    7: "Response 2 is much better overall.",
}
_FAVOURS: dict[Label | None, Favours] = {"A": "1", "B": "2", None: "neither"}


def favoured(tables: Tables, likert: int, rubric: Rubric) -> dict[str, Favours]:
    """Return the better response in each dimension that was assessed for both, and overall by the Likert."""
    assessed = [c for c in dimensions(rubric) if all(tables[label][c.key].assessed for label in LABELS)]
    sides = {c.key: _FAVOURS[better(c, *_pair(c, tables))] for c in assessed}
    return {**sides, OVERALL_SIDE: _FAVOURS[side_of(likert)]}


def fitting(
    opinion: ReviewOpinion, tables: Tables, likert: int, rubric: Rubric
) -> tuple[tuple[Argument, ...], tuple[Warning, ...]]:
    """Return the rater's sentences that fit the final tables, and a warning for each of the others."""
    fit: list[Argument] = []
    dropped: list[Warning] = []
    sides = favoured(tables, likert, rubric)
    for argument in opinion.reasons:
        if why := argument.contradiction(sides) or contradicted(argument.sentence, opinion, tables, likert, rubric):
            dropped.append(Warning(code="dropped_sentence", message=f"reasons, “{argument.sentence[:120]}”: {why}"))
        else:
            fit.append(argument)
    return tuple(fit), tuple(dropped)


def contradicted(words: str, opinion: ReviewOpinion, tables: Tables, likert: int, rubric: Rubric) -> str:
    """Return how the final tables contradict the names and ratings in a judge's words, or an empty string.

    The words were written for the judge's own ratings. They still fit if the preferred side is the same, and so are,
    for every criterion that they name, the better side and the ratings that they give.
    """
    ratings = {c.name: _pair(c, tables) for c in rubric.criteria}
    if side_of(opinion.preference) != side_of(likert):
        return f"the judge preferred another side; the tables say: {VERDICTS[likert]}"
    if why := misstated_rating(words, ratings):
        return why
    lowered = words.casefold()
    given = set(re.findall(r"\d", lowered)) - {"1", "2"}
    for c in rubric.criteria:
        if c.name.casefold() not in lowered and c.key.replace("_", " ") not in lowered:
            continue
        first, second = (opinion.responses[label].ratings[c.key].value for label in LABELS)
        moved = (first, second) != ratings[c.name]
        if better(c, first, second) != better(c, *ratings[c.name]):
            return f"by the tables another side is better in {c.name} than by the judge's ratings"
        if moved and given & {str(abs(first)), str(abs(second))}:
            return f"it gives a rating of {c.name} that the tables changed"
    return ""


def explained(likert: int, arguments: Iterable[Argument], tables: Tables, rubric: Rubric) -> str:
    """Return the verdict and up to three of a judge's sentences; if these are too few, add sentences by rule."""
    used = list(arguments)[: MOST - 1]
    words, about = [one.sentence for one in used], {one.dimension for one in used}
    # What the judge speaks of needs no second sentence by rule, unless there is nothing else to say.
    ours = sorted(by_rule(likert, tables, rubric), key=lambda one: one[0] in about)
    return " ".join((VERDICTS[likert], *words, *(words for _, words in ours[: max(0, LEAST - 1 - len(words))])))


def composed(likert: int, tables: Tables, rubric: Rubric, *, same: bool = False) -> str:
    """Compose a justification of three or four sentences from the tables; `same` means identical responses."""
    if same:
        sentence = "The two responses are identical, word for word. All ratings are therefore the same, with an Overall"
        return f"{VERDICTS[likert]} {sentence} Quality of {tables['A'][OVERALL].value} for both."
    return " ".join((VERDICTS[likert], *(words for _, words in by_rule(likert, tables, rubric))))


def by_rule(likert: int, tables: Tables, rubric: Rubric) -> list[tuple[str, str]]:
    """Compose two or three sentences from the tables, each with what it is about: a dimension's key or `overall`."""
    differing = [c for c in by_weight(rubric) if len(set(_pair(c, tables))) > 1]
    # What favours the better side comes first, and the Overall last.
    telling = [c for c in differing if better(c, *_pair(c, tables)) == side_of(likert)] or differing
    rated = [(c.key, c.name, *_pair(c, tables)) for c in telling[:2]]
    sentences = [(key, f"On {name}, Response 1 is rated {a} and Response 2 is rated {b}.") for key, name, a, b in rated]
    sentences = sentences or [("", "The two responses have the same rating in every dimension.")]
    a, b = (tables[label][OVERALL].value for label in LABELS)
    closing = f"Overall Quality is {a} for Response 1 and {b} for Response 2."
    return [*sentences, (OVERALL_SIDE, closing if a != b else f"Both have an Overall Quality of {a}.")]


def _pair(criterion: Criterion, tables: Tables) -> tuple[int, int]:
    return tables["A"][criterion.key].value, tables["B"][criterion.key].value
