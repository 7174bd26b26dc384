"""The ways in which a judge may misbehave: invented quotes, repairs, positions, ties, scores that say nothing. Each is
a share with an interval, and a threshold decides what it means.

A threshold counts as passed only if the whole interval is above it. docs/judges.md has the same table for readers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..models.figures import Figure
from ..protocols.figures import TraitKey

# not_known: it was not recorded, or this judge does nothing of the kind.
Level = Literal["fine", "look_at", "not_fit", "too_few", "not_known"]
ENOUGH = 20  # replies, or cases; with fewer a share has no level


@dataclass(frozen=True, slots=True)
class Trait:
    """A way to misbehave: its name, the share above which to look at it, and the one above which the judge is not fit.

    `about` is what it concerns, in a word; `sentence` is what is written of a share, with `{}` in its place. Without a
    second threshold it never makes a judge unfit. `reason` says why the thresholds are where they are. `warning` is the
    code of the warning that a verdict has for it.
    """

    key: TraitKey
    name: str
    about: str
    sentence: str
    look_at: float
    not_fit: float | None
    reason: str
    of_replies: bool = False  # else 20 cases are needed
    warning: str = ""


TRAITS: dict[TraitKey, Trait] = {
    trait.key: trait
    for trait in (
        Trait(
            "invented",
            "Quotes that are not in their text",
            "quotes",
            "{} of the quotes are invented",
            0.05,
            0.5,
            "up to one in twenty is copied carelessly even by good models and is mended or dropped; above one in two, "
            "more of the evidence is made up than read",
            of_replies=True,
        ),
        Trait(
            "unusable",
            "Cases without a usable reply",
            "unusable replies",
            "{} of the cases have no usable reply",
            0.05,
            0.5,
            "failed cases are in no figure, so above one in twenty the figures may be about the easier cases only; "
            "above one in two they are about the smaller part of the run",
        ),
        Trait(
            "repaired",
            "Replies that had to be repaired",
            "repairs",
            "{} of the replies had to be repaired",
            0.5,
            None,
            "a reply to a comparison has 14 quotes or more, so a judge that slips in one of twenty has half of its "
            "replies repaired; above that the run costs half again as much. A repaired reply is as good as another, so "
            "repairs alone make no judge unfit",
            of_replies=True,
        ),
        Trait(
            "orders",
            "Orders that disagree",
            "orders",
            "the two orders disagree in {} of the cases",
            0.2,
            0.5,
            "a judge that names the better answer nine times in ten in each order disagrees with itself in 18 %; "
            "one that throws a coin, in 50 %",
        ),
        Trait(
            "position",
            "Preferences that follow the position",
            "positions",
            "the preference follows the position in {} of the cases",
            0.2,
            0.5,
            "the same: two independent preferences that are right nine times in ten follow the position in 18 %, "
            "coins in 50 %",
            warning="preference_follows_position",
        ),
        Trait(
            "ties",
            "Equal totals",
            "ties",
            "both answers score the same in {} of the cases",
            1 / 3,
            2 / 3,
            "above one third there are more ties than a choice of A, B and tie by lot would give; above two thirds "
            "the judge leaves open twice as much as it decides. Answers that differ little may be the reason, too",
        ),
        Trait(
            "flat",
            "Answers with the same score for every criterion",
            "criteria",
            "every criterion gets the same score in {} of the answers",
            0.5,
            None,
            "a very good or a very bad answer may deserve it; above one in two the criteria are not told apart. "
            "The totals may still be right, so it makes no judge unfit",
        ),
        Trait(
            "unvaried",
            "Scores that are their criterion’s usual one",
            "scores",
            "{} of the scores are their criterion’s usual one",
            0.9,
            None,
            "above nine in ten the scores hardly depend on the case. The cases may be alike, so it makes no judge "
            "unfit",
        ),
    )
}


def level_of(trait: Trait, figure: Figure, based_on: int) -> Level:
    """Return what a share says, decided by its interval; `based_on` counts the replies or cases behind it."""
    if based_on < ENOUGH or figure.interval is None:
        return "too_few"
    low = figure.interval[0]
    if trait.not_fit is not None and low > trait.not_fit:
        return "not_fit"
    return "look_at" if low > trait.look_at else "fine"
