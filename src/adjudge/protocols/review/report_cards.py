"""Report cards of the people whose ratings were reviewed: how often each was corrected, which way, and what would help.

A rate from few ratings is shrunk towards the rate of all people in that dimension; the rate as counted is reported too.
Ratings entered in one review are not independent: intervals and tests take this into account.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import scipy  # type: ignore[import-untyped]

from ...models.base import Frozen
from ...models.figures import SIGNIFICANT, Change, Figure
from ...statistics.agreement import krippendorff_alpha
from ...statistics.changes import same_chance
from ...statistics.rates import Rate, clustered_change, design_effects, discounted_share, shrunk_rates
from ...statistics.ratings import consensus, units_of
from ...statistics.resampling import DRAWS, with_interval

LESSONS = 3
# How a rating was wrong: by its value, or by how bad an issue it reports. Too high and too lenient count as one
# direction, too low and too harsh as the opposite one.
WAYS = ("too high", "too low")
ISSUE_WAYS = ("too lenient", "too harsh")
_OPPOSITE = tuple(zip(WAYS, ISSUE_WAYS, strict=True))
REVERSED = "reversed"  # an equally bad issue, but the opposite one: too short instead of too long
_FEW_SWAPS = 3
_FEW_REVIEWS = 10  # in each half of the time; with fewer, no change is measured
_PLACE = re.compile(r"Response [12]|both responses")


@dataclass(frozen=True, slots=True)
class ReviewedRating:
    """One rating that a person entered, and its value after the review.

    `response` identifies the rated text across all reviews. `review` identifies the ratings entered together, which are
    drawn and counted as one because they are not independent. `time` sorts ratings (a timestamp, a sequence number).
    `issues` says how bad an issue was entered and how bad the review found it, for ratings that mean this: Verbosity −1
    and 1 are equally bad. A rating that `follows` from others (an Overall, a preference) is corrected with them. `rule`
    is the fact or rule behind a correction, and `bullets` are the review's feedback.
    """

    person: str
    dimension: str
    original: int
    final: int
    response: Hashable
    review: Hashable
    time: float | None = None
    issues: tuple[float, float] | None = None
    follows: bool = False
    rule: str = ""
    bullets: tuple[str, ...] = ()

    @property
    def corrected(self) -> bool:
        return self.original != self.final

    @property
    def way(self) -> str:
        """How the rating was wrong; empty if it was right."""
        if not self.corrected:
            return ""
        if self.issues is None:
            return WAYS[0] if self.original > self.final else WAYS[1]
        entered, found = self.issues
        return REVERSED if entered == found else ISSUE_WAYS[0] if entered < found else ISSUE_WAYS[1]


class CorrectionRate(Frozen):
    """How often a person's ratings of a dimension were corrected: as counted, and shrunk to the pool (`estimate`).

    `ways` counts corrections by how the rating was wrong. `direction` is the way in which they lean more than by
    chance, if they do. It ignores corrections that a confusion of two dimensions or another correction explains.
    `p` is the p-value of the sign test of the two opposite directions, in which a review counts once, adjusted for the
    number of such tests in all cards (Benjamini and Hochberg).
    """

    counted: Figure
    estimate: Figure
    ways: dict[str, int]
    direction: str | None
    p: float


class ConfusedValues(Frozen):
    """A value that was corrected to another, and how often."""

    dimension: str
    entered: int
    final: int
    count: int


class Swap(Frozen):
    """Two dimensions that a person confuses: an issue entered under `blamed` that the review found under `meant`.

    `responses` counts the responses in which both were corrected in this way, `of` those in which at least one was.
    """

    blamed: str
    meant: str
    responses: int
    of: int


class Lesson(Frozen):
    """One thing to learn, and how many corrections it would have avoided.

    It is about a rule, about two confused dimensions, or about a dimension and a direction. `said` is the feedback
    bullet most typical of these corrections.
    """

    dimension: str
    rule: str
    direction: str
    corrections: int
    share: float
    said: str = ""
    meant: str = ""


class ReportCard(Frozen):
    """One person's ratings compared with the corrected ones. `has_pattern` says whether any pattern is significant.

    `over_time` compares the earlier with the later half of the person's reviews; its p is adjusted for the number of
    people (Benjamini and Hochberg).
    """

    annotator: str
    reviews: int
    ratings: int
    left_blank: int = 0
    off_scale: int = 0
    correction_rate: Figure
    has_pattern: bool
    dimensions: dict[str, CorrectionRate]
    confused_values: tuple[ConfusedValues, ...]
    confused_dimensions: tuple[Swap, ...]
    over_time: Change | None
    agreement_with_others: dict[str, Figure]
    lessons: tuple[Lesson, ...]


def report_cards(ratings: Sequence[ReviewedRating], draws: int = DRAWS) -> tuple[ReportCard, ...]:
    """Build a card for each person, sorted by name, with `draws` draws in each bootstrap."""
    parts: dict[tuple[str, str], list[ReviewedRating]] = defaultdict(list)  # by person and dimension
    entered: dict[str, dict[Hashable, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    by_person: dict[str, list[ReviewedRating]] = defaultdict(list)
    for rating in ratings:
        by_person[rating.person].append(rating)
        parts[rating.person, rating.dimension].append(rating)
        entered[rating.dimension][rating.response][rating.person] = rating.original
    people = dict(sorted(by_person.items()))
    rates: dict[tuple[str, str], Rate] = {}
    for name in entered:
        keys = [key for key in parts if key[1] == name]
        rates |= dict(zip(keys, shrunk_rates([_by_review(parts[key]) for key in keys]), strict=True))
    reviews = [_by_review(own) for own in people.values()]
    effects = dict(zip(people, design_effects(reviews), strict=True))
    swaps = {person: _swaps(own) for person, own in people.items()}
    wrong = {person: _to_learn_from(own, swaps[person]) for person, own in people.items()}
    # Test whether one direction is more frequent than the opposite one by more than chance.
    leaning = {key: _leaning([each for each in wrong[key[0]] if each[0].dimension == key[1]]) for key in parts}
    chances = _adjusted({key: same_chance(one, other) for key, (one, other, _) in leaning.items() if one + other})
    changes = {person: _over_time(own, effects[person]) for person, own in people.items()}
    drifts = _adjusted({person: change.p for person, change in changes.items() if change and change.p is not None})
    cards = []
    for person, own in people.items():
        dimensions = {}
        for name in entered:
            if (key := (person, name)) in parts:
                p = chances.get(key, 1.0)
                dimensions[name] = CorrectionRate(
                    counted=rates[key].counted,
                    estimate=rates[key].estimate,
                    ways=dict(Counter(it.way for it in parts[key] if it.corrected).most_common()),
                    direction=leaning[key][2] if p < SIGNIFICANT else None,
                    p=p,
                )
        confused = Counter((it.dimension, it.original, it.final) for it in own if it.corrected).most_common(5)
        change = changes[person]
        if change is not None:
            change = replace(change, p=drifts.get(person))
        directions = [rate.direction for rate in dimensions.values()]
        card = ReportCard(
            annotator=person,
            reviews=len({it.review for it in own}),
            ratings=len(own),
            correction_rate=discounted_share(_by_review(own), effects[person]),
            has_pattern=any((*swaps[person], *directions, change and change.real)),
            dimensions=dimensions,
            confused_values=tuple(
                ConfusedValues(dimension=name, entered=was, final=final, count=count)
                for (name, was, final), count in confused
            ),
            confused_dimensions=swaps[person],
            over_time=change,
            agreement_with_others={
                name: _with_others(person, entered[name], {it.response: it.review for it in own}, draws)
                for name in dimensions
            },
            lessons=_lessons(own, wrong[person]),
        )
        cards.append(card)
    return tuple(cards)


def _adjusted(chances: Mapping[Any, float]) -> dict[Any, float]:
    """Adjust p-values for their number (false discovery rate)."""
    if not chances:
        return {}
    return dict(zip(chances, scipy.stats.false_discovery_control(list(chances.values())).tolist(), strict=True))


def _to_learn_from(own: Sequence[ReviewedRating], swaps: Sequence[Swap]) -> list[tuple[ReviewedRating, Swap | None]]:
    """Return the corrections, each with the confusion of two dimensions that explains it, if there is one. Leave out
    corrections that only follow from others of the same review."""
    wrong = {it.review for it in own if it.corrected and not it.follows}
    ways = {(it.response, it.dimension): it.way for it in own}
    found = []
    for rating in own:
        if rating.corrected and not (rating.follows and rating.review in wrong):
            fitting = (swap for swap in swaps if rating.dimension in (swap.meant, swap.blamed))
            both = ((swap, [ways.get((rating.response, it)) for it in (swap.meant, swap.blamed)]) for swap in fitting)
            found.append((rating, next((swap for swap, corrected in both if corrected == list(ISSUE_WAYS)), None)))
    return found


def _by_review(own: Sequence[ReviewedRating]) -> list[tuple[int, int]]:
    """Return the number of corrected ratings and of all ratings of each review, in order of time."""
    reviews = units_of(own, lambda rating: rating.review)
    reviews.sort(key=lambda part: min(rating.time or 0.0 for rating in part))
    return [(sum(rating.corrected for rating in part), len(part)) for part in reviews]


def _over_time(own: Sequence[ReviewedRating], effect: float) -> Change | None:
    """Compare the correction rates of the later and the earlier half of the reviews.

    Return None if there are too few reviews with a time. `effect` is the person's design effect.
    """
    reviews = _by_review([rating for rating in own if rating.time is not None])
    middle = len(reviews) // 2
    return clustered_change(reviews[:middle], reviews[middle:], effect) if middle >= _FEW_REVIEWS else None


def _swaps(own: Sequence[ReviewedRating]) -> tuple[Swap, ...]:
    """Find pairs of dimensions that are repeatedly corrected in opposite ways in the same responses.

    These must be at least half of the responses in which either dimension was corrected in that way: a person who
    makes unrelated errors in both would seldom make them in the same response.
    """
    wrong: dict[str, dict[str, set[Hashable]]] = {way: defaultdict(set) for way in ISSUE_WAYS}
    for rating in own:
        if rating.way in wrong and not rating.follows:
            wrong[rating.way][rating.dimension].add(rating.response)
    lenient, harsh = wrong.values()
    found = [
        Swap(blamed=blamed, meant=meant, responses=len(both), of=len(marked | missed))
        for blamed, marked in harsh.items()
        for meant, missed in lenient.items()
        if len(both := marked & missed) >= _FEW_SWAPS and 2 * len(both) >= len(marked | missed)
    ]
    return tuple(sorted(found, key=lambda swap: (-swap.responses, swap.blamed, swap.meant)))


def _leaning(wrong: Sequence[tuple[ReviewedRating, Swap | None]]) -> tuple[int, int, str]:
    """Return in how many reviews the corrections lean one way and in how many the other, and the name of the more
    frequent way. Corrections in one review are not independent, so they count once; those that a confusion of two
    dimensions explains do not count."""
    ways = Counter(rating.way for rating, swap in wrong if swap is None)
    net: Counter[Hashable] = Counter()
    for rating, swap in wrong:
        if swap is None:
            net[rating.review] += (rating.way in _OPPOSITE[0]) - (rating.way in _OPPOSITE[1])
    one, other = (sum(sign * each > 0 for each in net.values()) for sign in (1, -1))
    return one, other, max(_OPPOSITE[0 if one > other else 1], key=lambda way: ways[way])


def _with_others(
    person: str, entered: Mapping[Hashable, Mapping[str, float]], reviews: Mapping[Hashable, Hashable], draws: int
) -> Figure:
    """Return the ordinal alpha between a person's ratings and the median of others' ratings of the same responses.

    Ratings of one review are drawn together.
    """
    found = [
        ([own, others], reviews[response])
        for response, row in entered.items()
        if (own := row.get(person)) is not None
        if (others := consensus(vote for other, vote in row.items() if other != person)) is not None
    ]
    alpha = krippendorff_alpha([row for row, _ in found], "ordinal")
    return with_interval(alpha, [review for _, review in found], draws)


def _lessons(
    own: Sequence[ReviewedRating], corrected: Sequence[tuple[ReviewedRating, Swap | None]]
) -> tuple[Lesson, ...]:
    """Return the habits behind most corrections. Each correction counts for one habit: a confusion of two dimensions,
    else the rule behind it, else its dimension and direction."""
    habits: dict[tuple[str, str, str, str], list[ReviewedRating]] = defaultdict(list)
    for rating, swap in corrected:
        if swap is not None:
            habit = (swap.blamed, swap.meant, "", "")
        else:
            # A rule (such as truncation) changes several dimensions but is one thing to learn.
            habit = ("", "", rating.rule, "") if rating.rule else (rating.dimension, "", "", rating.way)
        habits[habit].append(rating)
    found: list[Lesson] = []
    for (dimension, meant, rule, direction), part in sorted(habits.items(), key=lambda item: (-len(item[1]), item[0])):
        if len(part) < 2:
            break  # a single correction is no habit
        bullet = _bullet(part, own, {lesson.said for lesson in found})
        lesson = Lesson(
            dimension=dimension,
            rule=rule,
            direction=direction,
            corrections=len(part),
            share=len(part) / len(corrected),
            said=bullet,
            meant=meant,
        )
        found.append(lesson)
    return tuple(found[:LESSONS])


def _bullet(part: Sequence[ReviewedRating], own: Sequence[ReviewedRating], used: Collection[str]) -> str:
    """Return the unused bullet most typical of these corrections compared with the person's other reviews, or ""."""
    there = {rating.review: rating.bullets for rating in part}
    elsewhere = {rating.review: rating.bullets for rating in own if rating.review not in there}
    beside, others = (
        Counter(bullet for each in group.values() for bullet in {_PLACE.sub("a response", one): None for one in each})
        for group in (there, elsewhere)
    )
    gains = {
        bullet[:1].upper() + bullet[1:]: count / len(there) - others[bullet] / max(len(elsewhere), 1)
        for bullet, count in beside.items()
        if count > 1
    }
    best = sorted((bullet for bullet in gains if bullet not in used), key=lambda bullet: -gains[bullet])
    return best[0] if best and gains[best[0]] > 0 else ""
