"""The embedded Rater: it assesses no dimension, so that a person's ratings and words stand."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.judges.base import RateQuestion
from adjudge.judges.embedded import EmbeddedJudge, rate
from adjudge.models import ReviewOpinion, ReviewVerdict
from adjudge.models.cases import Original, Review
from adjudge.protocols.review import review
from adjudge.rubric import shipped

RUBRIC = shipped("review")
RIVERS = "The Danube flows through Vienna, and then through Budapest and Belgrade."


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


@given(st.text(max_size=200), st.text(max_size=200), st.text(max_size=200))
@settings(max_examples=60, deadline=None)
def test_any_texts_give_values_on_their_scales_and_no_preference(prompt: str, a: str, b: str) -> None:
    opinion = rate(RateQuestion(Review(prompt, a, b), RUBRIC))
    assert opinion.preference == 4
    for criterion in RUBRIC.criteria:
        assert opinion.responses["A"].ratings[criterion.key].value in criterion.scale.values
