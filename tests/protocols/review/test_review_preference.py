"""SPEC 3: the Likert justification has 3–4 sentences, the first is the verdict, and it fits the tables."""

from itertools import product

import pytest
from protocols.review.tables import BEST, table

from adjudge.models import RatedResponse, Rating, ReviewOpinion
from adjudge.protocols.review.consistency import allowed_likerts, allowed_overalls
from adjudge.protocols.review.correcting import VERDICTS, composed, contradicted
from adjudge.rubric import shipped
from adjudge.text.sentences import sentences

RUBRIC = shipped("review")
EVEN = {"A": table(), "B": table()}


def test_what_is_composed_has_three_or_four_sentences_the_verdict_first_and_the_tables_numbers():
    graded = [key for key in BEST if key not in ("verbosity", "overall_quality")]
    samples = [
        {**dict(zip(graded, row, strict=True)), "verbosity": verbosity}
        for row in product((1, 2, 3), repeat=5)
        for verbosity in (-2, 0, 1)
    ][::19]
    names = {criterion.name: criterion.key for criterion in RUBRIC.criteria}
    for a, b in product(samples, samples[::3]):
        first = {**a, "overall_quality": allowed_overalls(RUBRIC, a, unusable=False, still_good=False)[0]}
        second = {**b, "overall_quality": allowed_overalls(RUBRIC, b, unusable=False, still_good=False)[0]}
        tables = {"A": table(**first), "B": table(**second)}
        for likert in allowed_likerts(RUBRIC, first, second):
            verdict, *reasons = sentences(composed(likert, tables, RUBRIC))
            assert verdict == VERDICTS[likert]
            assert 2 <= len(reasons) <= 3
            for name in [name for name in names if reasons[0].startswith(f"On {name},")]:
                key = names[name]
                assert f"1 is rated {first[key]} and Response 2 is rated {second[key]}." in reasons[0]


@pytest.mark.parametrize("overall", range(1, 6))
def test_identical_responses_have_a_justification_of_their_own(overall):
    one = table(overall_quality=overall)
    words = composed(4, {"A": one, "B": one}, RUBRIC, same=True)
    assert len(sentences(words)) == 3
    assert words.startswith(VERDICTS[4])
    assert "identical" in words
    assert f"Overall Quality of {overall}" in words


def opinion(a, b, preference, reasons):
    responses = {
        label: RatedResponse(
            ratings={key: Rating(value=value, justification="So.") for key, value in {**BEST, **values}.items()}
        )
        for label, values in (("A", a), ("B", b))
    }
    return ReviewOpinion(
        judge="j",
        task_type="other",
        invalid="",
        response1=responses["A"],
        response2=responses["B"],
        preference=preference,
        reasons=reasons,
    )


WRONG = {"truthfulness": 1, "overall_quality": 2}
SAID = opinion({}, WRONG, 2, "Truthfulness decides. Response 2 has the wrong date.")


def test_reasons_fit_as_long_as_the_tables_say_what_the_judge_said():
    assert not contradicted(SAID, {"A": table(), "B": table(**WRONG)}, 2, RUBRIC)


@pytest.mark.parametrize("likert", VERDICTS)
@pytest.mark.parametrize("preference", VERDICTS)
def test_they_are_contradicted_by_another_side(likert, preference):
    tables = {"A": table(), "B": table(**WRONG)}
    same = (likert < 4) == (preference < 4) and (likert > 4) == (preference > 4)
    assert contradicted(SAID.updated(preference=preference), tables, likert, RUBRIC) is not same


def test_and_by_a_criterion_they_name_in_which_another_side_is_better_now():
    assert contradicted(SAID, {"A": table(truthfulness=1), "B": table(**WRONG)}, 2, RUBRIC)
    assert not contradicted(SAID, {"A": table(verbosity=1), "B": table(**WRONG)}, 2, RUBRIC)


def test_a_worse_rating_of_the_same_side_is_the_same_story_unless_the_old_one_is_given():
    tables = {"A": table(), "B": table(instruction_following=1)}
    said = opinion({}, {"instruction_following": 2}, 2, "Instruction Following decides. Response 2 is longer.")
    assert not contradicted(said, tables, 2, RUBRIC)
    tables = {"A": table(overall_quality=5), "B": table(overall_quality=2)}
    said = opinion({}, {"overall_quality": 3}, 2, "Overall Quality is 3 for Response 2. That is less.")
    assert contradicted(said, tables, 2, RUBRIC)


@pytest.mark.parametrize(
    ("reasons", "fits"),
    [
        ("Truthfulness is 3 for Response 1 and 1 for Response 2. That decides.", True),
        ("Truthfulness is 3 for Response 1 and 2 for Response 2. That decides.", False),
        ("Response 2 is worse (Truthfulness: 2). That decides.", False),
        ("Response 2 is worse (Truthfulness: 1). That decides.", True),
        ("With a Verbosity of −1, Response 2 is too short. Truthfulness decides.", False),
        ("Truthfulness: 2 dates are wrong in Response 2. That decides.", True),
    ],
)
def test_a_judge_that_misstates_its_own_ratings_is_contradicted_too(reasons, fits):
    tables = {"A": table(), "B": table(**WRONG)}
    assert contradicted(opinion({}, WRONG, 2, reasons), tables, 2, RUBRIC) is not fits
