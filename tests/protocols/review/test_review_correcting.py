"""SPEC 3: keep, replace, fill, refuse; and when a person's words may stand."""

from itertools import product

import pytest

from adjudge.cases import Original, Review
from adjudge.protocols.review.binding import Binding
from adjudge.protocols.review.correcting import correct_response
from adjudge.rubric import shipped
from adjudge.verdicts import Fact, RatedResponse, Rating

RUBRIC = shipped("review")
SCALES = {criterion.key: [int(value) for value in criterion.scale.values] for criterion in RUBRIC.criteria}
DIMENSIONS = [key for key in SCALES if key != "overall_quality"]
BEST = {**dict.fromkeys(SCALES, 3), "verbosity": 0, "overall_quality": 5}
RESPONSE = "The Danube flows through Vienna and Budapest. It reaches the Black Sea after 2,850 kilometres."


def ours(assessed=True, **values):
    ratings = {key: Rating(values.get(key, best), f"Ours on {key}.", (), assessed) for key, best in BEST.items()}
    return RatedResponse(ratings)


def corrected(rated, originals=None, facts=(), rules=None, open_to=None):
    given = {key: value if isinstance(value, Original) else Original(value) for key, value in (originals or {}).items()}
    case = Review(prompt="Where does the Danube flow?", a=RESPONSE, b="Elsewhere.", ratings_a=given)
    return correct_response(RUBRIC, Binding(rated, rules or {}, open_to or {}), case, "A", list(facts))


@pytest.mark.parametrize("key", DIMENSIONS)
def test_every_pair_of_original_and_ours_is_kept_if_equal_and_else_replaced(key):
    for mine, theirs in product(SCALES[key], repeat=2):
        final = corrected(ours(**{key: mine}), {key: str(theirs)})[key]
        assert final.value == mine
        assert final.action == ("kept" if mine == theirs else "replaced")
        assert final.reason == ("" if mine == theirs else f"Ours on {key}.")
        assert final.original_rating == str(theirs)


@pytest.mark.parametrize("key", SCALES)
def test_a_missing_rating_is_filled(key):
    final = corrected(ours())[key]
    assert (final.value, final.action, final.reason) == (BEST[key], "filled", "no rating was given")


@pytest.mark.parametrize("key", SCALES)
@pytest.mark.parametrize("entered", ["7", "-3", "2.5", "2/4", "good", "1 or 2"])
def test_a_value_that_is_not_on_the_scale_is_refused_and_says_why(key, entered):
    final = corrected(ours(), {key: entered})[key]
    assert final.value == BEST[key]
    assert final.action == "refused"
    assert final.reason.startswith("it ")


def test_words_around_a_rating_do_not_matter():
    final = corrected(ours(verbosity=-1, truthfulness=2), {"verbosity": "−1", "truthfulness": "2 (minor)"})
    assert final["verbosity"].action == final["truthfulness"].action == "kept"


@pytest.mark.parametrize("key", DIMENSIONS)
def test_what_the_judge_cannot_assess_stands_as_it_was_entered(key):
    for theirs in SCALES[key]:
        final = corrected(ours(assessed=False), {key: str(theirs)})[key]
        assert (final.value, final.action, final.assessed) == (theirs, "kept", False)


def test_what_a_fact_leaves_open_and_the_judge_cannot_assess_stands_as_it_was_entered():
    for entered, kept in (("1", True), ("2", True), ("3", False)):
        rated = ours()._replace(ratings={**ours().ratings, "instruction_following": Rating(2, "It has 3 items.")})
        table = corrected(
            rated, {"instruction_following": entered}, rules={"instruction_following": "items"},
            open_to={"instruction_following": (2, 1)},
        )  # fmt: skip
        final = table["instruction_following"]
        assert final.value == (int(entered) if kept else 2)
        assert final.action == ("kept" if kept else "replaced")
        assert final.justification == "It has 3 items."


@pytest.mark.parametrize(
    ("majors", "entered", "final"),
    [(1, "1", 1), (1, "2", 2), (1, "4", 2), (2, "1", 1), (2, "2", 2), (2, "5", 2), (1, "", 2), (2, "", 1), (0, "", 4)],
)
def test_an_overall_nobody_assessed_may_be_any_that_the_dimensions_can_have(majors, entered, final):
    ratings = dict.fromkeys(("truthfulness", "harmlessness")[:majors], "1")
    table = corrected(ours(assessed=False, overall_quality=4), {**ratings, "overall_quality": entered})
    assert table["overall_quality"].value == final


def test_the_overall_follows_from_the_final_ratings_also_where_they_are_a_persons():
    final = corrected(ours(assessed=False), {"truthfulness": "1", "overall_quality": "4"})
    assert final["overall_quality"].value == 2
    assert final["overall_quality"].action == "replaced"
    assert "1 major issue (Truthfulness)" in final["overall_quality"].justification


def test_an_overall_the_dimensions_allow_stands_where_the_judge_cannot_tell():
    for entered in ("4", "5"):
        assert corrected(ours(assessed=False), {"overall_quality": entered})["overall_quality"].action == "kept"


def test_a_judges_overall_that_the_dimensions_do_not_allow_is_moved_and_explained():
    final = corrected(ours(truthfulness=2, overall_quality=5))["overall_quality"]
    assert (final.value, final.rule) == (4, "overall")
    assert final.justification == "Follows from the ratings above: 1 minor issue (Truthfulness)."


GOOD = "It names Vienna and Budapest, which the Danube does flow through."


def words(said, rating="3", **more):
    return corrected(ours(), {"truthfulness": Original(rating, said)}, **more)["truthfulness"]


def test_a_justification_that_is_specific_english_and_true_is_kept():
    final = words(GOOD)
    assert (final.justification, final.justification_action) == (GOOD, "kept")


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("Good response.", "names nothing from the response"),
        ("No issues at all, everything is accurate and correct here.", "names nothing from the response"),
        ("It says “flows through Prague”, which is right.", "which does not stand in the response"),
        ("The response about the Danube is truncated after Budapest.", "cut off, which it is not"),
        ("With its 150 words on the Danube and Vienna it is complete.", "counts 150 words where there are 15"),
        (
            "There is a major error about the Danube and Vienna.",
            "a major issue (“major error”) where the rating finds none",
        ),
        (
            "La respuesta nombra Viena y Budapest, dos ciudades por las que pasa el Danubio, y eso es correcto.",
            "in Spanish, not in English",
        ),
    ],
)
def test_one_that_is_not_is_rewritten_with_the_reason(said, why):
    final = words(said)
    assert final.action == "kept"
    assert final.justification == "Ours on truthfulness."
    assert final.justification_action == "rewritten"
    assert why in final.justification_reason


def test_a_claim_of_truncation_may_stand_where_the_response_is_cut_off():
    cut = Fact(name="truncation", where="A", start=0, end=5, found="ends with a comma", certain=False)
    assert (
        words("The response about the Danube is truncated after Budapest.", facts=[cut]).justification_action == "kept"
    )


def test_the_words_of_a_rating_that_was_not_kept_go_with_it():
    final = words(GOOD, rating="2")
    assert (final.action, final.justification_action) == ("replaced", "rewritten")
    assert final.justification == "Ours on truthfulness."


def test_no_words_are_filled_in():
    final = words("")
    assert (final.justification_action, final.justification) == ("filled", "Ours on truthfulness.")


def test_where_a_fact_binds_ours_stands_for_it_names_what_was_measured():
    final = words(GOOD, rules={"truthfulness": "code"})
    assert final.justification_action == "rewritten"


def test_pleasantries_are_no_length_in_a_persons_words_either():
    entered = {"verbosity": Original("1", 'The pleasantry "I hope this helps!" at the end.')}
    final = corrected(ours(assessed=False), entered)["verbosity"]
    assert (final.value, final.action, final.rule) == (0, "replaced", "pleasantries")


def test_a_reason_is_not_cut_at_an_abbreviation():
    words = "It credits “Dr. Marlowe”, who did not write it. The rest is fine."
    rated = ours()._replace(ratings={**ours().ratings, "truthfulness": Rating(1, words)})
    final = corrected(rated, {"truthfulness": "3"})["truthfulness"]
    assert final.reason == "It credits “Dr. Marlowe”, who did not write it."
