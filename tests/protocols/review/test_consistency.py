"""SPEC 3: Overall from the dimensions, Likert from the Overalls; over the whole space."""

from itertools import product

from adjudge.protocols.review.consistency import allowed_likerts, allowed_overalls, deciding, nearest, severity
from adjudge.protocols.rubrics import parse, shipped

RUBRIC = shipped("review")
KEYS = ("localization", "instruction_following", "truthfulness", "style_clarity", "harmlessness")
ALL_DIMENSION_SETS = [
    {**dict(zip(KEYS, graded, strict=True)), "verbosity": verbosity}
    for graded in product((1, 2, 3), repeat=5)
    for verbosity in (-2, -1, 0, 1, 2)
]
ORDER = ("instruction_following", "truthfulness", "harmlessness", "verbosity", "localization", "style_clarity")
CLEAN = {**dict.fromkeys(KEYS, 3), "verbosity": 0}


def majors(values):
    return sum(values[key] == 1 for key in KEYS) + (abs(values["verbosity"]) == 2)


def minors(values):
    return sum(values[key] == 2 for key in KEYS) + (abs(values["verbosity"]) == 1)


def test_the_whole_space_has_three_to_the_fifth_times_five_sets():
    assert len(ALL_DIMENSION_SETS) == 3**5 * 5


def test_overall_from_the_dimensions_over_every_set():
    for still_good in [False, True]:
        for unusable in [False, True]:
            for values in ALL_DIMENSION_SETS:
                allowed = set(allowed_overalls(RUBRIC, values, unusable=unusable, still_good=still_good))
                if majors(values) == 0:
                    expected = {0: {4, 5}, 1: {4}}.get(minors(values), {3})
                elif majors(values) == 1:
                    expected = {1, 2} if unusable else {2}
                else:
                    expected = {1, 2} if still_good else {1}
                assert allowed == expected, values


def test_a_judges_overall_outside_the_allowed_set_is_moved_to_the_nearest_allowed_one():
    for values, given in product(ALL_DIMENSION_SETS, range(1, 6)):
        for unusable, still_good in product((False, True), repeat=2):
            allowed = allowed_overalls(RUBRIC, values, unusable=unusable, still_good=still_good)
            moved = nearest(allowed, given)
            assert moved in allowed
            assert abs(moved - given) == min(abs(option - given) for option in allowed)
            if given in allowed:
                assert moved == given


def test_five_is_never_given_with_any_issue():
    for values in ALL_DIMENSION_SETS:
        if values != CLEAN:
            assert 5 not in allowed_overalls(RUBRIC, values, unusable=False, still_good=True)


def test_likert_from_every_pair_of_overalls():
    for a, b in list(product(range(1, 6), repeat=2)):
        first, second = {**CLEAN, "overall_quality": a}, {**CLEAN, "overall_quality": b}
        allowed = set(allowed_likerts(RUBRIC, first, second))
        if a - b >= 2:
            assert allowed == {1, 2}
        elif b - a >= 2:
            assert allowed == {6, 7}
        else:
            assert allowed == {{1: 3, 0: 4, -1: 5}[a - b]}


def test_equal_overalls_are_decided_by_the_first_differing_dimension_over_every_pair_of_sets():
    # Every pair would be 1.5 million: every set against some that differ from it in each possible way.
    probes = ALL_DIMENSION_SETS[::97]
    for a, b in product(ALL_DIMENSION_SETS, probes):
        expected = {4}
        for key in ORDER:
            x, y = (abs(a[key]), abs(b[key])) if key == "verbosity" else (-a[key], -b[key])
            if x != y:
                expected = {3} if x < y else {5}
                break
        first, second = {**a, "overall_quality": 3}, {**b, "overall_quality": 3}
        assert set(allowed_likerts(RUBRIC, first, second)) == expected, (a, b)


def test_the_likert_never_contradicts_the_tables_whatever_the_judge_wishes():
    for a, b, wished in product(range(1, 6), range(1, 6), range(1, 8)):
        for values_a, values_b in product(ALL_DIMENSION_SETS[::151], repeat=2):
            first, second = {**values_a, "overall_quality": a}, {**values_b, "overall_quality": b}
            value = nearest(allowed_likerts(RUBRIC, first, second), wished)
            if a > b:
                assert value < 4
            if a < b:
                assert value > 4
            mirrored = nearest(allowed_likerts(RUBRIC, second, first), 8 - wished)
            assert mirrored == 8 - value


def test_a_wish_within_the_allowed_strength_is_taken():
    first, second = {**CLEAN, "overall_quality": 5}, {**CLEAN, "overall_quality": 2}
    assert [nearest(allowed_likerts(RUBRIC, first, second), wished) for wished in range(1, 8)] == [1, 2, 2, 2, 2, 2, 2]


def test_verbosity_too_short_and_too_long_by_the_same_step_decide_nothing():
    first, second = {**CLEAN, "verbosity": -1}, {**CLEAN, "verbosity": 1}
    assert deciding(RUBRIC, first, second) is None


def test_severity_follows_the_scale():
    by_key = {criterion.key: criterion for criterion in RUBRIC.criteria}
    assert [severity(by_key["truthfulness"], value) for value in (1, 2, 3)] == ["major", "minor", None]
    shown = [severity(by_key["verbosity"], value) for value in (-2, -1, 0, 1, 2)]
    assert shown == ["major", "minor", None, "minor", "major"]


def test_a_rubric_of_ones_own_is_held_to_the_same_rules():
    own = parse(
        """
name: mine
version: "1"
protocol: review
criteria:
  - {key: accuracy, weight: 2, guidance: right, scale: {min: 1, max: 3}}
  - {key: length, weight: 1, guidance: fitting, scale: {min: -2, max: 2}}
  - {key: overall_quality, weight: 0, guidance: all in all, scale: {min: 1, max: 5}}
""",
        "mine.yaml",
    )
    assert allowed_overalls(own, {"accuracy": 2, "length": 1}, unusable=False, still_good=False) == (3,)
    a = {"accuracy": 2, "length": 0, "overall_quality": 4}
    b = {"accuracy": 3, "length": 1, "overall_quality": 4}
    assert allowed_likerts(own, a, b) == (5,)
