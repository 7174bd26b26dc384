"""SPEC 3: the Likert justification has 3–4 sentences, the first is the verdict, and it fits the tables."""

from itertools import product

from protocols.review.tables import BEST, table

from adjudge.protocols.review.consistency import allowed_likerts, allowed_overalls, better
from adjudge.protocols.review.preference import VERDICTS, by_rule, composed, explained, favoured, fitting
from adjudge.protocols.review.verdict import Argument, RatedResponse, Rating, ReviewOpinion
from adjudge.protocols.rubrics import shipped
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


def test_identical_responses_have_a_justification_of_their_own():
    for overall in range(1, 6):
        one = table(overall_quality=overall)
        words = composed(4, {"A": one, "B": one}, RUBRIC, same=True)
        assert len(sentences(words)) == 3
        assert words.startswith(VERDICTS[4])
        assert "identical" in words
        assert f"Overall Quality of {overall}" in words


# -- a judge's sentences ----------------------------------------------------------------------------------------------


def opinion(a, b, preference, *reasons):
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
        reasons=tuple(said(*reason) for reason in reasons),
    )


def said(sentence, dimension="truthfulness", favours="1"):
    return Argument(sentence=sentence, dimension=dimension, favours=favours)


def fits(opinion, a, b, likert):
    """Whether each of the sentences fits these tables; a warning names each that does not."""
    kept, dropped = fitting(opinion, {"A": table(**a), "B": table(**b)}, likert, RUBRIC)
    assert len(kept) + len(dropped) == len(opinion.reasons)
    assert all(warning.code == "dropped_sentence" for warning in dropped)
    return [reason in kept for reason in opinion.reasons]


WRONG = {"truthfulness": 1, "overall_quality": 2}
SAID = opinion({}, WRONG, 2, ("Truthfulness decides.",), ("Response 2 has the wrong date.",))


def test_a_sentence_fits_if_it_favours_what_the_tables_favour_and_neither_counts_too():
    dimensions = [criterion for criterion in RUBRIC.criteria if criterion.key != "overall_quality"]
    for criterion in dimensions:
        for a, b in product([int(value) for value in criterion.scale.values], repeat=2):
            sides = {"A": "1", "B": "2", None: "neither"}
            right = sides[better(criterion, a, b)]
            values = {criterion.key: a}, {criterion.key: b}
            tables = {"A": table(**values[0]), "B": table(**values[1])}
            assert favoured(tables, 4, RUBRIC)[criterion.key] == right
            for favours in ("1", "2", "neither"):
                told = opinion(*values, 4, ("The one does more.", criterion.key, favours))
                assert fits(told, *values, 4) == [favours == right]


def test_overall_is_the_likerts_side():
    for favours in ["1", "2", "neither"]:
        for likert in VERDICTS:
            right = "neither" if likert == 4 else "1" if likert < 4 else "2"
            assert fits(opinion({}, {}, likert, ("So it is.", "overall", favours)), {}, {}, likert) == [
                favours == right
            ], (likert, favours)


PLAIN = [
    ("Response 2 is far better and right.", False),
    ("Overall, Response 1 is worse.", False),
    ("**Response 2** is the better one.", False),
    ("Response 1 is clearly better.", True),
    ("Response 2 is worse than Response 1.", True),
    ("Response 2 is no better at naming rivers.", True),
    ("Response 2 is better written, but Response 1 is right.", True),
    ("Although Response 2 is better in style, it is wrong.", True),
]  # fmt: skip


def test_a_sentence_that_plainly_calls_another_side_better_than_it_is_given_for_is_dropped():
    for sentence, kept in PLAIN:
        assert fits(opinion({}, {"truthfulness": 1}, 2, (sentence,)), {}, {"truthfulness": 1}, 2) == [kept], sentence


def test_a_sentence_about_a_dimension_that_was_not_assessed_is_dropped():
    tables = {"A": table(), "B": {**table(), "verbosity": table()["verbosity"].updated(assessed=False)}}
    told = opinion({}, {}, 4, ("Both are short.", "verbosity", "neither"), ("Both are right.", "overall", "neither"))
    kept, (dropped,) = fitting(told, tables, 4, RUBRIC)
    assert [reason.dimension for reason in kept] == ["overall"]
    assert dropped.message == "reasons, “Both are short.”: it is about verbosity, which was not assessed"


def test_reasons_fit_as_long_as_the_tables_say_what_the_judge_said():
    assert fits(SAID, {}, WRONG, 2) == [True, True]


def test_they_are_contradicted_by_another_side():
    for preference in VERDICTS:
        for likert in VERDICTS:
            same = (likert < 4) == (preference < 4) and (likert > 4) == (preference > 4)
            assert fits(SAID.updated(preference=preference), {}, WRONG, likert) == [same, same], (likert, preference)


def test_and_by_a_criterion_they_name_in_which_another_side_is_better_now():
    told = opinion({}, WRONG, 2, ("Truthfulness decides.", "overall", "1"), ("It is longer.", "overall", "1"))
    assert fits(told, {"truthfulness": 1}, WRONG, 2) == [False, True]
    assert fits(told, {"verbosity": 1}, WRONG, 2) == [True, True]


def test_a_worse_rating_of_the_same_side_is_the_same_story_unless_the_old_one_is_given():
    told = opinion({}, {"instruction_following": 2}, 2, ("Instruction Following decides.", "overall", "1"))
    assert fits(told, {}, {"instruction_following": 1}, 2) == [True]
    told = opinion({}, {"overall_quality": 3}, 2, ("Overall Quality is 3 for Response 2.", "overall", "1"))
    assert fits(told, {}, {"overall_quality": 2}, 2) == [False]


MISSTATED = [
    ("Truthfulness is 3 for Response 1 and 1 for Response 2.", True),
    ("Truthfulness is 3 for Response 1 and 2 for Response 2.", False),
    ("Response 2 is worse (Truthfulness: 2).", False),
    ("Response 2 is worse (Truthfulness: 1).", True),
    ("With a Verbosity of −1, Response 2 is too short.", False),
    ("Truthfulness: 2 dates are wrong in Response 2.", True),
]  # fmt: skip


def test_a_judge_that_misstates_its_own_ratings_is_contradicted_too():
    for sentence, right in MISSTATED:
        assert fits(opinion({}, WRONG, 2, (sentence,)), {}, WRONG, 2) == [right], sentence


def test_what_is_missing_is_written_by_rule_and_about_something_else():
    for dimension in ["truthfulness", "overall", "style_clarity"]:
        for count in range(5):
            tables = {"A": table(), "B": table(**WRONG)}
            told = [said(f"Sentence {number} says so.", dimension) for number in range(count)]
            verdict, *rest = sentences(explained(2, told, tables, RUBRIC))
            assert verdict == VERDICTS[2]
            assert rest[:count] == [one.sentence for one in told[:3]]
            assert 2 <= len(rest) <= 3
            ours = [(about, words) for about, words in by_rule(2, tables, RUBRIC) if words in rest]
            assert len(ours) == max(0, 2 - count)
            if count == 1:
                assert ours[0][0] != dimension


def test_reasons_that_an_earlier_version_recorded_as_text_are_read_as_none():
    told = SAID.model_dump()
    assert ReviewOpinion.model_validate({**told, "reasons": "Truthfulness decides. It is so."}).reasons == ()
    assert ReviewOpinion.model_validate(told).reasons == SAID.reasons
