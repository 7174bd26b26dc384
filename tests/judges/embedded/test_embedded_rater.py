"""The embedded Rater: it assesses no dimension, so that a person's ratings and words stand, and says a preference."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.judges.embedded import EmbeddedJudge
from adjudge.protocols.review.case import Original, Review
from adjudge.protocols.review.embedded import rate
from adjudge.protocols.review.questions import RateQuestion
from adjudge.protocols.review.rules import review
from adjudge.protocols.review.verdict import ReviewOpinion, ReviewVerdict
from adjudge.protocols.rubrics import shipped

RUBRIC = shipped("review")
RIVERS = "The Danube flows through Vienna, and then through Budapest and Belgrade."
TASK = "Give me three tips for helping bees on a farm. Use no more than 80 words."
GOOD = (
    "1. Sow a strip of wild flowers along each field, for example clover.\n"
    "2. Spray in the evening only, when bees do not fly.\n3. Leave some bare soil, since many wild bees nest in it."
)
POOR = "Bees are nice animals that fly around in the summer and make honey for people. " * 7


async def opinion_on(prompt: str, a: str, b: str) -> ReviewOpinion:
    opinion = await EmbeddedJudge().opine(RateQuestion(Review(prompt, a, b), RUBRIC))
    assert isinstance(opinion, ReviewOpinion)
    return opinion


@pytest.mark.parametrize("response", [RIVERS, RIVERS * 9, "I'm sorry, but I can't help with that.", "2 + 3 = 6"])
async def test_no_dimension_is_assessed(response: str) -> None:
    opinion = await opinion_on("Which rivers flow through Vienna?", response, RIVERS)
    for label in ("A", "B"):
        ratings = opinion.responses[label].ratings
        assert list(ratings) == [criterion.key for criterion in RUBRIC.criteria]
        assert not any(rating.assessed or rating.quotes for rating in ratings.values())
        assert (ratings["verbosity"].value, ratings["truthfulness"].value, ratings["overall_quality"].value) == (
            0,
            3,
            4,
        )


@pytest.mark.parametrize("entered", ["1", "2", "3"])
async def test_a_persons_rating_and_words_stand(entered: str) -> None:
    original = Original(entered, "The Danube is named, and Budapest and Belgrade follow.")
    case = Review("Which rivers flow through Vienna?", RIVERS, "The Wien.", ratings_a={"truthfulness": original})
    verdict = await review(case, EmbeddedJudge(), RUBRIC)
    assert isinstance(verdict, ReviewVerdict)
    final = verdict.tables[1]["truthfulness"]
    assert (final.value, final.action, final.assessed) == (int(entered), "kept", False)


async def test_the_preference_is_the_models_where_it_decides() -> None:
    assert (await opinion_on(TASK, GOOD, POOR)).preference in (1, 2)
    assert (await opinion_on(TASK, POOR, GOOD)).preference in (6, 7)
    assert (await opinion_on("Name a river.", "The Danube.", "The Wien.")).preference == 4


@given(st.text(max_size=200), st.text(max_size=200), st.text(max_size=200))
@settings(max_examples=60, deadline=None)
def test_exchanging_the_responses_turns_the_preference_round(prompt: str, a: str, b: str) -> None:
    one, two = (rate(RateQuestion(Review(prompt, *pair), RUBRIC)) for pair in ((a, b), (b, a)))
    assert one.preference == 8 - two.preference
    for criterion in RUBRIC.criteria:
        assert one.responses["A"].ratings[criterion.key].value in criterion.scale.values
