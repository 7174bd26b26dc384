"""Report cards of the people whose ratings were reviewed: how often each was corrected, which way, and what would help.

A rate from few ratings is shrunk towards the rate of all people in that dimension (empirical Bayes). People's rates are
modelled as draws from a beta distribution, whose strength, in ratings, maximises the beta-binomial likelihood. A
person's rate and interval are those of the posterior. The unshrunk rates are reported too.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import optimize, stats  # type: ignore[import-untyped]

from ..models.base import Frozen
from ..models.figures import SIGNIFICANT, Change, Figure
from ..statistics.changes import same_chance
from ..statistics.figures import (
    DRAWS,
    against_others,
    difference,
    krippendorff_alpha,
    units_of,
    with_interval,
)
from ..statistics.intervals import CONFIDENCE, share

LESSONS = 3
# How a rating was wrong: by its value, or by how bad an issue it reports. Too high and too lenient count as one
# direction, too low and too harsh as the opposite one.
WAYS = ("too high", "too low")
ISSUE_WAYS = ("too lenient", "too harsh")
_OPPOSITE = tuple(zip(WAYS, ISSUE_WAYS, strict=True))
REVERSED = "reversed"  # an equally bad issue, but the opposite one: too short instead of too long
_WEAKEST, _STRONGEST = 1.0, 200.0  # limits of the pool's strength, in ratings
_UNKNOWN_STRENGTH = 10.0  # for fewer than three people, from whom the strength cannot be estimated
_FEW_PEOPLE = 3
_FEW_SWAPS = 3
_FEWER_FOR_ALPHA = 5  # divides the draws, because an alpha is computed for every person and dimension
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
    `p` is the p-value of the sign test of the two opposite directions, adjusted for the number of such tests in all
    cards (Benjamini and Hochberg).
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
    pools = {name: _pool([part for (_, of), part in parts.items() if of == name]) for name in entered}
    swaps = {person: _swaps(own) for person, own in people.items()}
    wrong = {person: _to_learn_from(own, swaps[person]) for person, own in people.items()}
    leaning = {
        (person, name): Counter(it.way for it, swap in wrong[person] if it.dimension == name and swap is None)
        for person, name in parts
    }
    # Test whether one direction is more frequent than the opposite one by more than chance.
    opposite = {key: [ways[it] + ways[other] for it, other in _OPPOSITE] for key, ways in leaning.items()}
    chances = _adjusted({key: same_chance(*both) for key, both in opposite.items() if any(both)})
    changes = {person: _over_time(own, draws) for person, own in people.items()}
    drifts = _adjusted({person: change.p for person, change in changes.items() if change and change.p is not None})
    cards = []
    for person, own in people.items():
        rates = {
            name: _rate(parts[key], *pools[name], leaning[key], chances.get(key, 1.0))
            for name in entered
            if (key := (person, name)) in parts
        }
        overall = with_interval(_share_of_sums, _by_review(own), draws)
        confused = Counter((it.dimension, it.original, it.final) for it in own if it.corrected).most_common(5)
        change = changes[person]
        if change is not None:
            change = replace(change, p=drifts.get(person))
        patterns = (*swaps[person], *(rate.direction for rate in rates.values()), change is not None and change.real)
        card = ReportCard(
            annotator=person,
            reviews=len({it.review for it in own}),
            ratings=len(own),
            correction_rate=overall if overall.interval else share(sum(it.corrected for it in own), len(own)),
            has_pattern=any(patterns),
            dimensions=rates,
            confused_values=tuple(
                ConfusedValues(dimension=name, entered=said, final=final, count=count)
                for (name, said, final), count in confused
            ),
            confused_dimensions=swaps[person],
            over_time=change,
            agreement_with_others={name: _with_others(person, entered[name], draws) for name in rates},
            lessons=_lessons(own, wrong[person]),
        )
        cards.append(card)
    return tuple(cards)


def _adjusted(chances: Mapping[Any, float]) -> dict[Any, float]:
    """Adjust p-values for their number (false discovery rate)."""
    if not chances:
        return {}
    return dict(zip(chances, stats.false_discovery_control(list(chances.values())).tolist(), strict=True))


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
            found.append((rating, next((swap for swap, said in both if said == list(ISSUE_WAYS)), None)))
    return found


def _by_review(own: Sequence[ReviewedRating]) -> list[tuple[int, int]]:
    """Return the number of corrected ratings and of all ratings of each review, in order of time."""
    reviews = units_of(own, lambda rating: rating.review)
    reviews.sort(key=lambda part: min(rating.time or 0.0 for rating in part))
    return [(sum(rating.corrected for rating in part), len(part)) for part in reviews]


def _share_of_sums(parts: Sequence[tuple[int, int]]) -> Figure:
    return Figure(sum(hits for hits, _ in parts) / sum(size for _, size in parts), len(parts))


def _over_time(own: Sequence[ReviewedRating], draws: int) -> Change | None:
    """Compare the correction rates of the later and the earlier half of the reviews, drawing whole reviews.

    Return None without times or with one review.
    """
    shares = _by_review([rating for rating in own if rating.time is not None])
    middle = len(shares) // 2
    return difference(_share_of_sums, _share_of_sums, [shares[:middle], shares[middle:]], draws) if middle else None


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


def _pool(parts: Sequence[Sequence[ReviewedRating]]) -> tuple[float, float]:
    """Return the prior of a dimension: the rate of all people together, and its strength in ratings."""
    hits, sizes = np.array([(sum(rating.corrected for rating in part), len(part)) for part in parts]).T
    rate = (hits.sum() + 0.5) / (sizes.sum() + 1)  # never 0 or 1: no number of ratings could change such a prior
    if len(sizes) < _FEW_PEOPLE:
        return float(rate), _UNKNOWN_STRENGTH

    def unlikely(log_strength: float) -> float:
        strength = np.exp(log_strength)
        return -float(stats.betabinom.logpmf(hits, sizes, rate * strength, (1 - rate) * strength).sum())

    ends = (float(np.log(_WEAKEST)), float(np.log(_STRONGEST)))
    return float(rate), float(np.exp(optimize.minimize_scalar(unlikely, bounds=ends, method="bounded").x))


def _rate(
    part: Sequence[ReviewedRating], pooled: float, strength: float, leaning: Counter[str], p: float
) -> CorrectionRate:
    hits, size = sum(rating.corrected for rating in part), len(part)
    posterior = stats.beta(pooled * strength + hits, (1 - pooled) * strength + size - hits)
    low, high = posterior.interval(CONFIDENCE)
    return CorrectionRate(
        counted=share(hits, size),
        estimate=Figure(float(posterior.mean()), size, "", (float(low), float(high))),
        ways=dict(Counter(rating.way for rating in part if rating.corrected).most_common()),
        direction=max((*WAYS, *ISSUE_WAYS), key=lambda way: leaning[way]) if p < SIGNIFICANT else None,
        p=p,
    )


def _with_others(person: str, entered: Mapping[Hashable, Mapping[str, float]], draws: int) -> Figure:
    """Return the ordinal alpha between a person's ratings and the median of others' ratings of the same responses."""
    rows = [[own, others] for row in entered.values() for who, own, others in against_others(row) if who == person]
    return with_interval(lambda drawn: krippendorff_alpha(drawn, "ordinal"), rows, draws // _FEWER_FOR_ALPHA)


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
        said = _bullet(part, own, {lesson.said for lesson in found})
        lesson = Lesson(
            dimension=dimension,
            rule=rule,
            direction=direction,
            corrections=len(part),
            share=len(part) / len(corrected),
            said=said,
            meant=meant,
        )
        found.append(lesson)
    return tuple(found[:LESSONS])


def _bullet(part: Sequence[ReviewedRating], own: Sequence[ReviewedRating], said: Collection[str]) -> str:
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
    best = sorted((bullet for bullet in gains if bullet not in said), key=lambda bullet: -gains[bullet])
    return best[0] if best and gains[best[0]] > 0 else ""
