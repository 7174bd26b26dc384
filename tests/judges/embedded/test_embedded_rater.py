"""The embedded Rater: it assesses no dimension, so that a person's ratings and words stand, and says a preference."""

from hypothesis import given, settings
from hypothesis import strategies as st
from judges.embedded.samples import DECLINES, POOR, TASK, TIPS

from adjudge.judges.embedded import EmbeddedJudge
from adjudge.protocols.review.case import Original, Review
from adjudge.protocols.review.embedded import rate
from adjudge.protocols.review.questions import RateQuestion
from adjudge.protocols.review.rules import review
from adjudge.protocols.rubrics import shipped

RUBRIC = shipped("review")
RIVERS = "The Danube flows through Vienna, and then through Budapest and Belgrade."


def opinion_on(*texts):
    return rate(RateQuestion(Review(*texts), RUBRIC))


def test_no_dimension_is_assessed():
    for response in (RIVERS, RIVERS * 9, DECLINES, "2 + 3 = 6"):
        opinion = opinion_on("Which rivers flow through Vienna?", response, RIVERS)
        for label in ("A", "B"):
            ratings = opinion.responses[label].ratings
            assert list(ratings) == [criterion.key for criterion in RUBRIC.criteria]
            assert not any(rating.assessed or rating.quotes for rating in ratings.values())
            values = [ratings[key].value for key in ("verbosity", "truthfulness", "overall_quality")]
            assert values == [0, 3, 4]


async def test_a_persons_rating_and_words_stand():
    for entered in ("1", "2", "3"):
        original = Original(entered, "The Danube is named, and Budapest and Belgrade follow.")
        case = Review("Which rivers flow through Vienna?", RIVERS, "The Wien.", ratings_a={"truthfulness": original})
        final = (await review(case, EmbeddedJudge(), RUBRIC)).tables[1]["truthfulness"]
        assert (final.value, final.action, final.assessed) == (int(entered), "kept", False)


def test_the_preference_is_the_models_where_it_decides():
    assert opinion_on(TASK, TIPS, POOR * 2).preference in (1, 2)
    assert opinion_on(TASK, POOR * 2, TIPS).preference in (6, 7)
    assert opinion_on("Name a river.", "The Danube.", "The Wien.").preference == 4


@given(st.text(max_size=200), st.text(max_size=200), st.text(max_size=200))
@settings(max_examples=40)
def test_exchanging_the_responses_turns_the_preference_round(prompt, a, b):
    one, two = opinion_on(prompt, a, b), opinion_on(prompt, b, a)
    assert one.preference == 8 - two.preference
    for criterion in RUBRIC.criteria:
        assert one.responses["A"].ratings[criterion.key].value in criterion.scale.values
