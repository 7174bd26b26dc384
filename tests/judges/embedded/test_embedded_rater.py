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
            "instruction_following", 2, "asks not to use “Danube”, and it is there",
        ),
        ("How are sums written?", "One writes 2 + 3 = 6 in a line.", "truthfulness", 2, "2 + 3 = 6, which makes 5"),
        ("Tell me about the Danube.", AGAIN, "verbosity", 1, "has a sentence that"),
        ("Which river flows through Vienna?", "<no output>", "instruction_following", 2, "There is no answer"),
    ],
)  # fmt: skip
async def test_what_it_measures_fills_a_review_that_nobody_rated(
    prompt: str, response: str, key: str, value: int, told: str
) -> None:
    rating = (await rated(prompt, response))[key]
    assert (rating.value, rating.assessed, rating.tentative) == (value, True, True)
    assert told in rating.justification and rating.justification.endswith("Measured by code, not read.")
    verdict = await review(Review(prompt, response, RIVERS), EmbeddedJudge(), RUBRIC)
    assert isinstance(verdict, ReviewVerdict)
    assert (verdict.tables["A"][key].value, verdict.tables["A"][key].action) == (value, "filled")


@pytest.mark.parametrize(
    ("prompt", "response"),
    [
        ("How do I crack an egg?", "Tap it on the edge of the pan and pull the shell apart."),
        ("My friend talks about suicide. What can I do?", "Listen, stay with them, and call a helpline together."),
        ("Which river flows through Vienna?", REFUSAL),
        ("Do I owe anything? Answer none or the sum.", "None"),
        ("Which value is missing?", "N/A."),
        ("Nenne drei Städte.", "Berlin, Hamburg und München."),
        ("Write a story without the letter e.", "A hairy cat sat on a mat and had a nap."),
        ("How do I write a good email?", "Say first what you want, and keep it short."),
        ("How do I boil rice? Give the steps.", "Step one: rinse it. Step two: boil it for twelve minutes."),
        ("Wie viel ist 10 / 4?", "10 / 4 = 2,5"),
        ("Half of a half?", "50% x 50% = 25%"),
        ("Is 2 + 2 = 5?", "No: 2 + 2 = 5 is wrong."),
        ("What is a 2x4?", "A piece of lumber."),
        (
            "Write a song.",
            "Row, row, row your boat. Life is but a dream. Row, row, row your boat. Life is but a dream.",
        ),
    ],
)
async def test_nothing_is_said_that_is_not_true_of_the_text(prompt: str, response: str) -> None:
    assert [key for key, rating in (await rated(prompt, response)).items() if rating.assessed] == []


@pytest.mark.parametrize("key", [criterion.key for criterion in RUBRIC.criteria])
async def test_what_it_cannot_measure_it_does_not_assess(key: str) -> None:
    rating = (await rated("Which rivers flow through Vienna?", RIVERS))[key]
    assert not rating.assessed and not rating.tentative


DANUBE = 'Name a river in Vienna. Do not use the word "Danube".'


@pytest.mark.parametrize("entered", ["1", "2", "3"])
async def test_a_persons_rating_stands_against_what_is_only_measured_and_the_doubt_is_told(entered: str) -> None:
    case = Review(
        DANUBE, RIVERS, "The river Wien.", ratings_a={"instruction_following": Original(entered, "I say so.")}
    )
    verdict = await review(case, EmbeddedJudge(), RUBRIC)
    assert isinstance(verdict, ReviewVerdict)
    final = verdict.tables["A"]["instruction_following"]
    assert (final.value, final.action, final.assessed) == (int(entered), "kept", False)
    told = [warning.message for warning in verdict.warnings if warning.code == "measured_doubt"]
    assert [message.partition(":")[0] for message in told] == (
        [] if entered == "2" else [f"Response 1, Instruction Following {entered}"]
    )


async def test_what_is_only_measured_moves_no_overall_and_no_likert_that_a_person_entered() -> None:
    case = Review(
        DANUBE,
        RIVERS,
        "The river Wien.",
        ratings_a={"overall_quality": Original("5")},
        ratings_b={"overall_quality": Original("4")},
        preference=Original("3"),
    )
    verdict = await review(case, EmbeddedJudge(), RUBRIC)
    assert isinstance(verdict, ReviewVerdict) and verdict.likert is not None
    assert [verdict.tables[label]["overall_quality"].value for label in ("A", "B")] == [5, 4]
    assert (verdict.likert.value, verdict.likert.action) == (3, "kept")


async def test_in_identical_responses_no_measure_replaces_a_rating() -> None:
    wrong = "One writes 2 + 3 = 6 in a line."
    case = Review("How are sums written?", wrong, wrong, ratings_b={"truthfulness": Original("3")})
    verdict = await review(case, EmbeddedJudge(), RUBRIC)
    assert isinstance(verdict, ReviewVerdict)
    assert [verdict.tables[label]["truthfulness"].value for label in ("A", "B")] == [3, 3]


async def test_a_fact_decides_before_any_measure() -> None:
    prompt = 'Name three rivers. Write no more than 5 words. Do not use the word "Danube".'
    verdict = await review(Review(prompt, RIVERS, "Danube, Rhine, Elbe."), EmbeddedJudge(), RUBRIC)
    assert isinstance(verdict, ReviewVerdict) and verdict.opinion is not None
    assert verdict.opinion.responses["A"].ratings["instruction_following"].tentative
    final = verdict.tables["A"]["instruction_following"]
    assert (final.value, final.rule) == (1, "too_long")


async def test_the_better_side_of_what_was_measured_gets_the_likert() -> None:
    case = Review("How much are twelve twelves?", "12 * 12 = 154, as you see.", "12 * 12 = 144, as you see.")
    verdict = await review(case, EmbeddedJudge(), RUBRIC)
    assert isinstance(verdict, ReviewVerdict) and verdict.likert is not None
    assert verdict.likert.value == 5
    (warning,) = verdict.warnings
    assert "Truthfulness (Response 2), Verbosity, " in warning.message


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
    case = Review(DANUBE, RIVERS, RIVERS)
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
