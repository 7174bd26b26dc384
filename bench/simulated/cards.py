"""Report cards of people, strengths of systems, and what is learned from labels: maps and weights."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from scipy.sparse import csr_array  # type: ignore[import-untyped]

from adjudge.protocols.review.report_cards import ReportCard, ReviewedRating, report_cards
from adjudge.statistics.calibration import calibrate, learn_weights
from adjudge.statistics.rates import Units, clustered_change, design_effects, discounted_share, shrunk_rates
from adjudge.statistics.strengths import Games, fit, group, points, strengths

from .table import Interval, Line, alarms, coverage

SEED = 20_260_102
EXTREME = "the most extreme person"
Found = tuple[float, Interval, Interval]
# The true rates of people: all the same, very different, or all the same but one.
RATES: dict[str, Callable[[Any, int], Any]] = {
    "equal": lambda rng, people: np.full(people, 0.2),
    "very different": lambda rng, people: rng.beta(0.4, 0.6, people),
    "equal but one": lambda rng, people: np.array([0.7] + [0.1] * (people - 1)),
    "different": lambda rng, people: rng.beta(2, 8, people),
}


def lines(draws: int, costly: int) -> Iterator[Line]:
    yield from rates(costly)
    yield from overall(draws)
    yield from over_time(draws, costly)
    yield from directions(costly)
    yield from leaderboards(costly)
    yield from learned(costly)


# -- report cards -----------------------------------------------------------------------------------------------------


def reviewed(rng: Any, rate: float, ratings: int, size: int, correlation: float) -> Units:
    """Draw a person's ratings, in reviews of `size`: in some reviews all are right or all are wrong."""
    units = []
    for begin in range(0, ratings, size):
        here = min(size, ratings - begin)
        alike = rng.random() < correlation
        units.append((here * int(rng.random() < rate) if alike else int(rng.binomial(here, rate)), here))
    return units


def rates(draws: int) -> Iterator[Line]:
    for people, ratings in ((2, 20), (5, 20), (10, 20), (30, 20), (100, 20), (5, 5), (5, 100), (30, 5), (30, 100)):
        yield from _rates(draws, people, "equal", ratings, ("a person",))
        yield from _rates(draws, people, "very different", ratings, ("a person", EXTREME))
        yield from _rates(draws, people, "equal but one", ratings, (EXTREME,))
    for people, ratings, correlation in ((2, 6, 0.8), (2, 100, 0.3), (10, 6, 0.3), (10, 20, 0.8), (10, 100, 0.8)):
        yield from _rates(draws, people, "different", ratings, ("a person", EXTREME), correlation)


def _rates(
    draws: int, people: int, kind: str, ratings: int, told: Sequence[str], correlation: float = 0.0
) -> Iterator[Line]:
    rng = np.random.default_rng(SEED)
    known: dict[str, list[Found]] = {who: [] for who in told}
    for _ in range(draws):
        truths = RATES[kind](rng, people)
        found = shrunk_rates([reviewed(rng, rate, ratings, 2, correlation) for rate in truths.tolist()])
        for who, into in known.items():
            at = np.abs(truths - truths.mean()).argmax() if who == EXTREME else rng.integers(people)
            into.append((float(truths[at]), found[at].estimate.interval, found[at].counted.interval))
    said = f"{people} people, {kind} rates, {ratings} ratings each"
    said += f", correlation {correlation} in a review" if correlation else ""
    for who, draw in known.items():
        yield coverage("correction rate", f"{said}; {who}", _next(draw), draws, "beside: as counted")


def overall(draws: int) -> Iterator[Line]:
    """Rates of all dimensions together: a review has 30 ratings."""
    for people, reviews, correlation in ((1, 5, 0.05), (1, 20, 0.2), (5, 5, 0.05), (5, 20, 0.2), (5, 20, 0.0)):

        def simulate(rng: Any, people: int = people, reviews: int = reviews, correlation: float = correlation) -> Found:
            truths = rng.beta(2, 8, people).tolist()
            units = [_graded(rng, rate, reviews, 30, correlation) for rate in truths]
            found = discounted_share(units[0], design_effects(units)[0])
            alone = discounted_share(units[0], 1.0)
            return truths[0], found.interval, alone.interval

        said = f"{people} people, {reviews} reviews of 30 ratings, correlation {correlation}"
        yield coverage("corrections of a person", said, simulate, draws, "beside: as if independent")


def _graded(rng: Any, rate: float, reviews: int, size: int, correlation: float) -> Units:
    """Draw reviews, each with a rate of its own around the person's (beta-binomial)."""
    if not correlation:
        return [(int(hits), size) for hits in rng.binomial(size, rate, reviews)]
    strength = 1 / correlation - 1
    own = rng.beta(rate * strength, (1 - rate) * strength, reviews)
    return [(int(hits), size) for hits in rng.binomial(size, own)]


def over_time(draws: int, costly: int) -> Iterator[Line]:
    for reviews, correlation in ((10, 0.0), (10, 0.1), (30, 0.1)):

        def change(rng: Any, reviews: int = reviews, correlation: float = correlation) -> Found:
            earlier = _graded(rng, 0.25, reviews, 15, correlation)
            later = _graded(rng, 0.15, reviews, 15, correlation)
            (effect,) = design_effects([[*earlier, *later]])
            return -0.1, clustered_change(earlier, later, effect).change.interval, None

        said = f"{reviews} reviews in each half, correlation {correlation}"
        yield coverage("change over time", said, change, draws)
    for what, later in (("false alarms", 0.2), ("power", 0.1)):
        rng = np.random.default_rng(SEED)
        accused = [_anybody(rng, later, _changed) for _ in range(costly)]
        rate = "nobody changes" if later == 0.2 else "all improve from 20 % to 10 %"
        yield alarms("change over time, any of 10 people", rate, what, accused, "Benjamini–Hochberg over people")


def _changed(card: ReportCard) -> bool:
    return card.over_time is not None and card.over_time.real


def _leans(card: ReportCard) -> bool:
    return any(rate.direction for rate in card.dimensions.values())


def directions(costly: int) -> Iterator[Line]:
    for what, up, alike in (("false alarms", 0.5, 0.0), ("false alarms", 0.5, 0.8), ("power", 0.8, 0.8)):
        rng = np.random.default_rng(SEED)
        accused = [_anybody(rng, 0.2, _leans, up, alike) for _ in range(costly)]
        said = f"{up:.0%} of errors are too high, {alike:.0%} of reviews err one way"
        yield alarms("direction, any of 10 people × 5 dimensions", said, what, accused, "Benjamini–Hochberg over all")


def _anybody(rng: Any, later: float, found: Callable[[ReportCard], bool], up: float = 0.5, alike: float = 0.5) -> bool:
    """Draw ten people with 30 reviews of two responses in five dimensions, and return whether any card shows this."""
    ratings = []
    for person in range(10):
        for review in range(30):
            rate = 0.2 if review < 15 else later
            for dimension in range(5):
                together, high = rng.random() < alike, rng.random() < up
                wrong_together = rng.random() < rate
                for side in "ab":
                    wrong = wrong_together if together else rng.random() < rate
                    way = high if together else rng.random() < up
                    final = 3 - (1 if way else -1) * int(wrong)
                    at = (person, review)
                    ratings.append(
                        ReviewedRating(f"p{person}", f"d{dimension}", 3, final, (*at, side), at, time=float(review))
                    )
    return any(map(found, report_cards(ratings, draws=99)))


# -- leaderboards -----------------------------------------------------------------------------------------------------


def leaderboards(draws: int) -> Iterator[Line]:
    situations = (
        (2, 30, 1, 0.0),
        (2, 100, 1, 0.0),
        (2, 30, 4, 2.0),
        (5, 30, 1, 0.0),
        (5, 30, 1, 1.5),
        (5, 100, 1, 1.5),
    )
    for systems, tasks, games, spread in situations:
        theta = np.linspace(0.6, -0.6, systems)
        many, _ = _played(np.random.default_rng(1), theta, 100_000 // systems, games, spread)
        truths = points(fit(many, many.count).theta, np.zeros(systems, int))

        def simulate(rng: Any, at: tuple[Any, ...] = (theta, tasks, games, spread), truths: Any = truths) -> Found:
            model, rows = _played(rng, *at)
            kinds, together = np.arange(len(model.first)), np.zeros(len(truths), int)
            ((found, _),) = strengths([(model, kinds)], np.ones(rows.shape[0], np.int64), rows, together, 400)
            one = rng.integers(len(truths))
            return float(truths[one]), found[one].interval, None

        said = f"{systems} systems, {tasks} tasks, {games} games of a pair on each"
        said += f", tasks differ (spread {spread})" if spread else ""
        yield coverage("strength", said, simulate, draws, "points")


def _played(rng: Any, theta: Any, tasks: int, games: int, spread: float) -> tuple[Games, Any]:
    """Draw games of every pair on every task. With `spread`, each system is better on some tasks than on others."""
    pairs = np.array(list(combinations(range(len(theta)), 2)))
    task = np.repeat(np.arange(tasks), len(pairs) * games)
    first, second = np.tile(np.repeat(pairs, games, axis=0), (tasks, 1)).T
    own = theta + rng.normal(0, spread, (tasks, len(theta)))
    half = (own[task, first] - own[task, second]) / 2
    odds = np.stack([np.exp(half), np.exp(-half), np.full(len(half), 0.5)])
    drawn = rng.random(len(half)) * odds.sum(axis=0)
    result = np.where(drawn < odds[0], 1, np.where(drawn < odds[0] + odds[1], -1, 0))
    whole = Games(first, second, result, np.zeros(len(half)), np.ones(len(half)), len(theta))
    model, of = group(whole, lengths=False)
    return model, csr_array((np.ones(len(half)), (task, of)), (tasks, len(model.first)))


# -- what is learned from labels --------------------------------------------------------------------------------------


def learned(draws: int) -> Iterator[Line]:
    for size in (40, 60, 200):
        for each in (1, 4):
            rng = np.random.default_rng(SEED)
            chosen = [_chosen(rng, size, each, useful=False) for _ in range(draws)]
            said = f"a judge that has nothing to do with people, {size} labels, {each} of a task"
            yield alarms("map of scores", said, "false alarms", chosen)
        rng = np.random.default_rng(SEED)
        chosen = [_chosen(rng, size, 1, useful=True) for _ in range(draws)]
        yield alarms("map of scores", f"a judge 15 points too kind that errs by 25, {size} labels", "power", chosen)
    for size in (60, 200):
        for what, weights in (("false alarms", (2.0, 1.5, 1.0)), ("power", (0.5, 0.5, 3.5))):
            rng = np.random.default_rng(SEED)
            better = [_weighed(rng, size, weights) for _ in range(draws)]
            said = "people weigh as the rubric does" if what == "false alarms" else "people weigh one criterion most"
            yield alarms("learned weights", f"{said}, {size} labels", what, better)


def _chosen(rng: Any, size: int, each: int, *, useful: bool) -> bool:
    tasks = np.repeat(np.arange(size // each), each)
    true = rng.uniform(20, 100, size // each)[tasks]
    scores = true + 15 + rng.normal(0, 25, size) if useful else rng.uniform(0, 100, size // each)[tasks]
    human = np.clip(np.round((true + rng.normal(0, 15, size)) / 20) * 20, 20, 100)
    return calibrate(np.clip(scores, 0, 100).tolist(), human.tolist(), tasks.tolist()).chosen is not None


def _weighed(rng: Any, size: int, weights: tuple[float, ...]) -> bool:
    defaults = {"correctness": 2.0, "depth": 1.5, "clarity": 1.0}
    apart = rng.integers(-4, 5, (size, 3)).astype(float)
    human = np.sign(apart @ np.array(weights) / 2 + rng.logistic(0, 2, size)) / 2
    rows = [dict(zip(defaults, row, strict=True)) for row in apart.tolist()]
    return learn_weights(rows, human.tolist(), defaults, of_two=True).better


def _next(known: list[Found]) -> Callable[[Any], Found]:
    """Return the draws one by one: several lines count the same draws."""
    waiting = iter(known)
    return lambda rng: next(waiting)
