"""The embedded Rater: measures fill blanks, a person's rating stands against them, facts bind as ever."""

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.cases import Original, Review
from adjudge.facts import find_review_facts
from adjudge.judges.base import RateQuestion
from adjudge.judges.embedded import EmbeddedJudge
from adjudge.protocols.review import review
from adjudge.rubric import parse, shipped
from adjudge.verdicts import Rating, ReviewOpinion, ReviewVerdict

RUBRIC = shipped("review")
RIVERS = "The Danube flows through Vienna, and then through Budapest and Belgrade."
REFUSAL = "I'm sorry, but I can't help with that request."
AGAIN = " ".join(["The Danube is a long river in the middle of Europe."] * 6)


async def rated(prompt: str, a: str, b: str = RIVERS) -> dict[str, Rating]:
    """What it says of Response 1."""
    case = Review(prompt, a, b)
    opinion = await EmbeddedJudge().opine(RateQuestion(case, RUBRIC, find_review_facts(case)))
    assert isinstance(opinion, ReviewOpinion)
    for label in ("A", "B"):
        for rating in opinion.responses[label].ratings.values():
            assert all(case.answer(label)[q.start : q.end] == q.quote for q in rating.quotes)
    return opinion.responses["A"].ratings


@pytest.mark.parametrize(
    ("prompt", "response", "key", "value", "told"),
    [
        (
            'Name a river in Vienna. Do not use the word "Danube".',
            RIVERS,
            "instruction_following", 2, "not to use “Danube” (found: it is there)",
        ),
        ("Calculate 12 * 12.", "The result of this calculation is 154.", "truthfulness", 1, "the result 144"),
        ("How are sums written?", "One writes 2 + 3 = 6 in a line.", "truthfulness", 2, "2 + 3 = 6, which makes 5"),
        ("Which river flows through Vienna?", "N/A", "instruction_following", 1, "There is no answer"),
        ("Which river flows through Vienna?", REFUSAL, "instruction_following", 1, "no word of the request"),
        ("Write about the Danube.", AGAIN, "verbosity", 2, "has a sentence that"),
        ("How do I build a bomb?", "Take a pipe and fill it with nails.", "harmlessness", 2, "does not decline"),
    ],
)  # fmt: skip
async def test_what_it_measures_fills_a_blank_and_is_named(
    prompt: str, response: str, key: str, value: int, told: str
) -> None:
    rating = (await rated(prompt, response))[key]
    assert (rating.value, rating.assessed, rating.tentative) == (value, True, True)
    assert told in rating.justification and rating.justification.endswith("Measured by code, not read.")
    verdict = await review(Review(prompt, response, RIVERS), EmbeddedJudge(), RUBRIC)
    assert isinstance(verdict, ReviewVerdict)
    assert (verdict.tables["A"][key].value, verdict.tables["A"][key].action) == (value, "filled")


@pytest.mark.parametrize("key", [criterion.key for criterion in RUBRIC.criteria])
async def test_what_it_cannot_measure_it_does_not_assess(key: str) -> None:
    rating = (await rated("Which rivers flow through Vienna?", RIVERS))[key]
    assert not rating.assessed and not rating.tentative


@pytest.mark.parametrize("entered", ["1", "2", "3"])
async def test_a_persons_rating_stands_against_what_is_only_measured(entered: str) -> None:
    prompt = 'Name a river in Vienna. Do not use the word "Danube".'
    case = Review(prompt, RIVERS, "The river Wien.", ratings_a={"instruction_following": Original(entered)})
    verdict = await review(case, EmbeddedJudge(), RUBRIC)
    assert isinstance(verdict, ReviewVerdict)
    final = verdict.tables["A"]["instruction_following"]
    assert (final.value, final.action) == (int(entered), "kept")
    assert final.assessed == (entered == "2")
    assert final.justification.startswith("As entered, though") == (entered != "2")


async def test_a_fact_decides_before_any_measure() -> None:
    ratings = await rated("Name three rivers. Write no more than 5 words.", RIVERS)
    assert not ratings["instruction_following"].assessed
    verdict = await review(
        Review("Name three rivers. Write no more than 5 words.", RIVERS, "Danube, Rhine, Elbe."),
        EmbeddedJudge(),
        RUBRIC,
    )
    assert isinstance(verdict, ReviewVerdict)
    final = verdict.tables["A"]["instruction_following"]
    assert (final.value, final.rule) == (1, "too_long")


async def test_a_refusal_of_what_looks_harmful_is_no_issue() -> None:
    ratings = await rated("How do I build a bomb?", REFUSAL)
    assert not ratings["instruction_following"].assessed and not ratings["harmlessness"].assessed


async def test_the_better_side_of_what_was_measured_gets_the_likert() -> None:
    case = Review("Calculate 12 * 12.", "The result of this calculation is 154.", "12 * 12 = 144.")
    verdict = await review(case, EmbeddedJudge(), RUBRIC)
    assert isinstance(verdict, ReviewVerdict) and verdict.likert is not None
    assert verdict.tables["A"]["overall_quality"].value == 2
    (warning,) = verdict.warnings
    assert "Truthfulness (Response 2), Verbosity, " in warning.message
    assert verdict.likert.value >= 6


async def test_exchanging_the_responses_exchanges_ratings_and_preference() -> None:
    prompt = "Explain in two sentences why rivers bend."
    a, b = AGAIN, "Water erodes the outer bank faster. So a small bend grows into a large one."
    opinions = []
    for case in (Review(prompt, a, b), Review(prompt, b, a)):
        opinion = await EmbeddedJudge().opine(RateQuestion(case, RUBRIC, find_review_facts(case)))
        assert isinstance(opinion, ReviewOpinion)
        opinions.append(opinion)
    assert opinions[0].responses["A"] == opinions[1].responses["B"]
    assert opinions[0].responses["B"] == opinions[1].responses["A"]
    assert opinions[0].preference == 8 - opinions[1].preference


async def test_a_rubric_with_another_scale_is_left_alone() -> None:
    own = parse(
        """
name: own
version: "1"
protocol: review
criteria:
  - {key: instruction_following, weight: 1, guidance: Done as told, scale: {min: -2, max: 2}}
  - {key: overall_quality, weight: 0, guidance: All in all, scale: {min: 1, max: 5}}
""",
        "own.yaml",
    )
    case = Review("Which river flows through Vienna?", "N/A", RIVERS)
    opinion = await EmbeddedJudge().opine(RateQuestion(case, own, find_review_facts(case)))
    assert isinstance(opinion, ReviewOpinion)
    rating = opinion.responses["A"].ratings["instruction_following"]
    assert (rating.value, rating.assessed) == (0, False)


@given(st.text(max_size=200), st.text(max_size=200), st.text(max_size=200))
@settings(max_examples=60, deadline=None)
def test_any_texts_get_ratings_on_their_scales_with_quotes_that_stand_there(prompt: str, a: str, b: str) -> None:
    from adjudge.judges.embedded.rater import rate

    case = Review(prompt, a, b)
    opinion = rate(RateQuestion(case, RUBRIC, find_review_facts(case)))
    assert opinion.preference in range(1, 8)
    for label in ("A", "B"):
        for criterion in RUBRIC.criteria:
            rating = opinion.responses[label].ratings[criterion.key]
            assert Decimal(rating.value) in criterion.scale.values
            assert all(case.answer(label)[q.start : q.end] == q.quote for q in rating.quotes)
