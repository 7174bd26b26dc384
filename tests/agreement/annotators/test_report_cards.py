"""Report cards: rates by hand, small numbers drawn to the pool, and lessons by what they would save."""

import pytest

from adjudge.protocols.review.report_cards import ReviewedRating, report_cards
from adjudge.statistics.intervals import share_interval


def ratings(person, dimension, pairs, start=0, timed=True):
    return [
        ReviewedRating(
            *(person, dimension, original, final, (person, start + at), (person, start + at)),
            time=start + at if timed else None,
        )
        for at, (original, final) in enumerate(pairs)
    ]


def card_of(person, *parts):
    cards = {card.annotator: card for card in report_cards([rating for part in parts for rating in part], draws=49)}
    return cards[person]


RIGHT, HIGH, LOW = (3, 3), (3, 2), (2, 3)


def test_a_card_counts_corrections_by_dimension_with_their_direction():
    card = card_of("ann", ratings("ann", "truth", [HIGH] * 8 + [LOW] + [RIGHT] * 11))
    (rate,) = card.dimensions.values()
    assert (rate.counted.value, rate.counted.cases, rate.ways) == (0.45, 20, {"too high": 8, "too low": 1})
    assert rate.p == pytest.approx(20 / 512) and rate.direction == "too high"  # (1 + 9) × 2 of 2⁹
    assert list(dict(card.confused_values[0]).values()) == ["truth", 3, 2, 8]
    assert (card.reviews, card.ratings, card.correction_rate.value) == (20, 20, 0.45)
    both_ways = card_of("ann", ratings("ann", "truth", [HIGH] * 4 + [LOW] * 3))
    assert both_ways.dimensions["truth"].direction is None


def test_both_responses_of_a_review_count_once_for_a_direction():
    """Six reviews in which both responses were rated too high: six errors of one kind are not twelve."""
    both = [
        ReviewedRating("ann", "truth", 3, 2, (review, side), review)
        for review in range(6)
        for side in ("first", "second")
    ]
    rate = card_of("ann", both).dimensions["truth"]
    assert rate.ways == {"too high": 12} and rate.p == pytest.approx(2 / 2**6)
    assert rate.counted.cases == 12 and rate.counted.interval == pytest.approx(share_interval(6, 6), abs=0.01)


def test_few_ratings_are_drawn_to_the_pool_and_many_stay_where_they_are():
    """How far, is tested with the statistics of rates. Eight people have 100 ratings each, and rates of 5 to 40 %."""
    pool = [
        rating
        for hits in range(5, 45, 5)
        for rating in ratings(f"p{hits}", "truth", [HIGH] * hits + [RIGHT] * (100 - hits), timed=False)
    ]
    card = card_of("ann", ratings("ann", "truth", [HIGH] * 2), pool)
    rate = card.dimensions["truth"]
    assert rate.counted.value == 1
    assert 0.22 < rate.estimate.value < 0.5  # the pool has 22.5 %
    many = card_of("p40", pool).dimensions["truth"]
    assert many.counted.value == 0.4 and many.estimate.value == pytest.approx(0.4, abs=0.03)
    alone = card_of("ann", ratings("ann", "truth", [RIGHT] * 3)).dimensions["truth"]
    assert alone.counted.value == 0 and 0 < alone.estimate.value < 0.13


def test_improvement_over_time_is_said_beyond_noise_only():
    better = card_of("ann", ratings("ann", "truth", [HIGH] * 25 + [RIGHT] * 25 + [RIGHT] * 10))
    assert better.over_time.real and better.over_time.change.value < 0
    steady = card_of("ann", ratings("ann", "truth", [HIGH, RIGHT] * 25))
    assert not steady.over_time.real
    timeless = [ReviewedRating("ann", "truth", 3, 2, at, at) for at in range(30)]
    assert card_of("ann", timeless).over_time is None


def test_agreement_with_others_is_alpha_over_the_responses_rated_together():
    def rated(person, values):
        return [ReviewedRating(person, "truth", value, value, at, at) for at, value in enumerate(values)]

    alike, apart = rated("ann", [1, 2, 3, 3, 1]), rated("cat", [3, 1, 1, 2, 3])
    card = card_of("ann", alike, rated("ben", [1, 2, 3, 3, 1]))
    assert card.agreement_with_others["truth"].value == pytest.approx(1)
    assert card_of("cat", apart, alike).agreement_with_others["truth"].value < 0
    assert card_of("ann", alike).agreement_with_others["truth"].reason == "no case has two ratings"


def test_the_lessons_are_those_that_would_save_most_corrections():
    def cut_off(at):
        bullets = (f"Response {1 + at % 2} breaks off: read to the last line.", "Set the Likert last.")
        return [
            ReviewedRating("ann", name, 3, 2, ("c", at), ("c", at), rule="truncation", bullets=bullets)
            for name in ("verbosity", "following")
        ]

    card = card_of(
        "ann",
        [rating for at in range(4) for rating in cut_off(at)],
        ratings("ann", "truth", [HIGH] * 5 + [LOW] * 2),
        ratings("ann", "style", [HIGH] * 3, start=50),
        ratings("ann", "safety", [HIGH], start=80),
    )
    found = [(lesson.rule or lesson.dimension, lesson.direction, lesson.corrections) for lesson in card.lessons]
    assert found == [("truncation", "", 8), ("truth", "too high", 5), ("style", "too high", 3)]
    assert card.lessons[0].said == "A response breaks off: read to the last line."
    assert card.lessons[0].share == pytest.approx(8 / 19)
    # A single slip is no lesson.
    assert card_of("ann", ratings("ann", "truth", [HIGH, RIGHT])).lessons == ()
    assert report_cards([]) == ()
