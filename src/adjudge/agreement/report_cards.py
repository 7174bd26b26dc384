"""Report cards of the people whose ratings were reviewed: how often each was corrected, which way, and what would help.

A rate from few ratings is drawn towards the rate of all people in that dimension (empirical Bayes): the pool's rates
are taken as draws from a beta distribution whose strength, in ratings, is the most likely one under the beta-binomial
distribution, and a person's rate and interval are those of the posterior. Rates that were not drawn stand beside.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import optimize, stats  # type: ignore[import-untyped]

from ..results.statistics import CONFIDENCE, SIGNIFICANT, same_chance
from .intervals import Difference, drift, share
from .metrics import Figure, krippendorff_alpha

LESSONS = 3
_WEAKEST, _STRONGEST = 1.0, 200.0  # ratings that the pool may count for
_UNKNOWN_STRENGTH = 10.0  # with fewer than three people there is no spread to tell it by
_FEW_PEOPLE = 3


@dataclass(frozen=True, slots=True)
class ReviewedRating:
    """One rating that a person entered and what the review made of it.

    `response` names the response within all reviews; `time` sorts ratings (a timestamp, a sequence number). `rule` is
    the fact or rule behind a correction and `lesson` the review's bullet about it, where there is one.
    """

    person: str
    dimension: str
    original: float
    final: float
    response: Hashable
    time: float | None = None
    rule: str = ""
    lesson: str = ""

    @property
    def corrected(self) -> bool:
        return self.original != self.final


@dataclass(frozen=True, slots=True)
class CorrectionRate:
    """How often a person's ratings of a dimension were corrected: as counted, and drawn towards the pool.

    `too_high` and `too_low` count corrections by direction; `p` is the sign test of the two.
    """

    dimension: str
    counted: Figure
    shrunk: Figure
    too_high: int
    too_low: int
    p: float

    @property
    def direction(self) -> str:
        """Either "too high" or "too low" where the corrections lean beyond chance; else empty."""
        return "" if self.p >= SIGNIFICANT else "too high" if self.too_high > self.too_low else "too low"


@dataclass(frozen=True, slots=True)
class Lesson:
    """One thing to learn, and how many corrections it would have made needless; `said` is the review's own bullet."""

    dimension: str
    rule: str
    direction: str
    corrections: int
    share: float
    said: str = ""


@dataclass(frozen=True, slots=True)
class ReportCard:
    """One person's ratings against what the reviews made of them."""

    person: str
    responses: int
    overall: Figure
    dimensions: tuple[CorrectionRate, ...]
    confused: tuple[tuple[str, float, float, int], ...]
    over_time: Difference | None
    agreement: Mapping[str, Figure]
    lessons: tuple[Lesson, ...]


def report_cards(ratings: Sequence[ReviewedRating]) -> tuple[ReportCard, ...]:
    """A card for each person, by name."""
    people: dict[str, list[ReviewedRating]] = defaultdict(list)
    for rating in ratings:
        people[rating.person].append(rating)
    pools = {dimension: _pool(people, dimension) for dimension in dict.fromkeys(rating.dimension for rating in ratings)}
    return tuple(_card(person, people[person], ratings, pools) for person in sorted(people))


def _card(
    person: str,
    own: Sequence[ReviewedRating],
    everyone: Sequence[ReviewedRating],
    pools: Mapping[str, tuple[float, float]],
) -> ReportCard:
    by_dimension: dict[str, list[ReviewedRating]] = defaultdict(list)
    for rating in own:
        by_dimension[rating.dimension].append(rating)
    corrected = [rating for rating in own if rating.corrected]
    confused = Counter((rating.dimension, rating.original, rating.final) for rating in corrected)
    return ReportCard(
        person=person,
        responses=len({rating.response for rating in own}),
        overall=share(len(corrected), len(own)),
        dimensions=tuple(_rate(name, part, *pools[name]) for name, part in by_dimension.items()),
        confused=tuple((*what, count) for what, count in confused.most_common(5)),
        over_time=_over_time(own),
        agreement={name: _with_others(person, name, everyone) for name in by_dimension},
        lessons=_lessons(corrected),
    )


def _pool(people: Mapping[str, Sequence[ReviewedRating]], dimension: str) -> tuple[float, float]:
    """The prior of a dimension: the rate of all people together, and how many ratings it counts for."""
    parts = [[rating.corrected for rating in part if rating.dimension == dimension] for part in people.values()]
    hits, sizes = (np.array([count(part) for part in parts if part]) for count in (sum, len))
    rate = (hits.sum() + 0.5) / (sizes.sum() + 1)  # never 0 or 1, which no number of ratings could move
    if len(sizes) < _FEW_PEOPLE:
        return float(rate), _UNKNOWN_STRENGTH

    def unlikely(log_strength: float) -> float:
        strength = np.exp(log_strength)
        return -float(stats.betabinom.logpmf(hits, sizes, rate * strength, (1 - rate) * strength).sum())

    ends = (float(np.log(_WEAKEST)), float(np.log(_STRONGEST)))
    return float(rate), float(np.exp(optimize.minimize_scalar(unlikely, bounds=ends, method="bounded").x))


def _rate(dimension: str, part: Sequence[ReviewedRating], pooled: float, strength: float) -> CorrectionRate:
    hits, size = sum(rating.corrected for rating in part), len(part)
    posterior = stats.beta(pooled * strength + hits, (1 - pooled) * strength + size - hits)
    low, high = posterior.interval(CONFIDENCE)
    high_count = sum(rating.original > rating.final for rating in part)
    return CorrectionRate(
        dimension=dimension,
        counted=share(hits, size),
        shrunk=Figure(float(posterior.mean()), size, "", (float(low), float(high))),
        too_high=high_count,
        too_low=hits - high_count,
        p=same_chance(high_count, hits - high_count),
    )


def _over_time(own: Sequence[ReviewedRating]) -> Difference | None:
    """Corrections in the later half of the responses against the earlier half; None without times or with one response.

    What is drawn is a response with all its dimensions.
    """
    by_response: dict[Hashable, list[ReviewedRating]] = defaultdict(list)
    for rating in own:
        if rating.time is not None:
            by_response[rating.response].append(rating)
    ordered = sorted(by_response.values(), key=lambda part: min(rating.time or 0.0 for rating in part))
    if len(ordered) < 2:
        return None
    shares = [(sum(rating.corrected for rating in part), len(part)) for part in ordered]
    middle = len(shares) // 2
    return drift(_share_of_sums, shares[:middle], shares[middle:])


def _share_of_sums(parts: Sequence[tuple[int, int]]) -> Figure:
    return Figure(sum(hits for hits, _ in parts) / sum(size for _, size in parts), len(parts))


def _with_others(person: str, dimension: str, everyone: Sequence[ReviewedRating]) -> Figure:
    """Ordinal alpha of what people entered for the responses that this person and others rated."""
    entered: dict[Hashable, dict[str, float]] = defaultdict(dict)
    for rating in everyone:
        if rating.dimension == dimension:
            entered[rating.response][rating.person] = rating.original
    return krippendorff_alpha([list(row.values()) for row in entered.values() if person in row], "ordinal")


def _lessons(corrected: Sequence[ReviewedRating]) -> tuple[Lesson, ...]:
    """The habits behind most corrections: what rests on one rule, or leans one way in one dimension, is one lesson."""
    habits: dict[tuple[str, str, str], list[ReviewedRating]] = defaultdict(list)
    for rating in corrected:
        direction = "too high" if rating.original > rating.final else "too low"
        # A rule (say, truncation) moves several dimensions, and is learned once.
        key = ("", rating.rule, "") if rating.rule else (rating.dimension, "", direction)
        habits[key].append(rating)
    found = []
    for (dimension, rule, direction), part in sorted(habits.items(), key=lambda item: (-len(item[1]), item[0])):
        if len(part) < 2:
            break  # once is a slip
        bullets = Counter(rating.lesson for rating in part if rating.lesson)
        said = bullets.most_common(1)[0][0] if bullets else ""
        found.append(Lesson(dimension, rule, direction, len(part), len(part) / len(corrected), said))
    return tuple(found[:LESSONS])
