"""SPEC 3: keep, replace, fill, refuse."""

from itertools import product

from adjudge.models.common import Fact
from adjudge.protocols.review.case import Original
from adjudge.protocols.review.consistency import Binding
from adjudge.protocols.review.correcting import correct_response
from adjudge.protocols.review.verdict import RatedResponse, Rating
from adjudge.protocols.rubrics import shipped

RUBRIC = shipped("review")
SCALES = {criterion.key: [int(value) for value in criterion.scale.values] for criterion in RUBRIC.criteria}
DIMENSIONS = [key for key in SCALES if key != "overall_quality"]
BEST = {**dict.fromkeys(SCALES, 3), "verbosity": 0, "overall_quality": 5}


FEW = Fact(name="items", where="A", start=0, end=9, found="has 3 items; 5 were asked for", certain=True)


def ours(assessed=True, **values):
    ratings = {
        key: Rating(value=values.get(key, best), justification=f"Ours on {key}.", quotes=(), assessed=assessed)
        for key, best in BEST.items()
    }
    return RatedResponse(ratings=ratings)


def corrected(rated, originals=None, facts=None, open_to=None):
    given = {key: value if isinstance(value, Original) else Original(value) for key, value in (originals or {}).items()}
    return correct_response(RUBRIC, Binding(rated, facts or {}, open_to or {}), given)


def test_every_pair_of_original_and_ours_is_kept_if_equal_and_else_replaced():
    for key in DIMENSIONS:
        for mine, theirs in product(SCALES[key], repeat=2):
            final = corrected(ours(**{key: mine}), {key: str(theirs)})[key]
            assert final.value == mine
            assert final.action == ("kept" if mine == theirs else "replaced")
            assert final.reason == ("" if mine == theirs else f"Ours on {key}.")
            assert final.original_rating == str(theirs), key


def test_a_missing_rating_is_filled():
    for key in SCALES:
        final = corrected(ours())[key]
        assert (final.value, final.action, final.reason) == (BEST[key], "filled", "no rating was given"), key


def test_a_value_that_is_not_on_the_scale_is_refused_and_says_why():
    for entered in ["7", "-3", "2.5", "2/4", "good", "1 or 2"]:
        for key in SCALES:
            final = corrected(ours(), {key: entered})[key]
            assert final.value == BEST[key]
            assert final.action == "refused"
            assert final.reason.startswith("it "), key


def test_words_around_a_rating_do_not_matter():
    final = corrected(ours(verbosity=-1, truthfulness=2), {"verbosity": "−1", "truthfulness": "2 (minor)"})
    assert final["verbosity"].action == final["truthfulness"].action == "kept"


def test_what_the_judge_cannot_assess_stands_as_it_was_entered():
    for key in DIMENSIONS:
        for theirs in SCALES[key]:
            final = corrected(ours(assessed=False), {key: str(theirs)})[key]
            assert (final.value, final.action, final.assessed) == (theirs, "kept", False), key


def test_what_a_fact_leaves_open_and_the_judge_cannot_assess_stands_as_it_was_entered():
    for entered, kept in (("1", True), ("2", True), ("3", False)):
        rated = ours().updated(
            ratings={**ours().ratings, "instruction_following": Rating(value=2, justification="It has 3 items.")}
        )
        table = corrected(
            rated, {"instruction_following": entered}, facts={"instruction_following": (FEW,)},
            open_to={"instruction_following": (2, 1)},
        )  # fmt: skip
        final = table["instruction_following"]
        assert final.value == (int(entered) if kept else 2)
        assert final.action == ("kept" if kept else "replaced")
        assert final.justification == "It has 3 items."


OVERALLS = [
    (1, "1", 1), (1, "2", 2), (1, "4", 2), (2, "1", 1), (2, "2", 2), (2, "5", 2), (1, "", 2), (2, "", 1), (0, "", 4),
]  # fmt: skip


def test_an_overall_nobody_assessed_may_be_any_that_the_dimensions_can_have():
    for majors, entered, final in OVERALLS:
        ratings = dict.fromkeys(("truthfulness", "harmlessness")[:majors], "1")
        table = corrected(ours(assessed=False, overall_quality=4), {**ratings, "overall_quality": entered})
        assert table["overall_quality"].value == final, (majors, entered)


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


def test_a_reason_is_not_cut_at_an_abbreviation():
    words = "It credits “Dr. Marlowe”, who did not write it. The rest is fine."
    rated = ours().updated(ratings={**ours().ratings, "truthfulness": Rating(value=1, justification=words)})
    final = corrected(rated, {"truthfulness": "3"})["truthfulness"]
    assert final.reason == "It credits “Dr. Marlowe”, who did not write it."
