"""SPEC 3, "Facts bind": where code is certain, the rating must agree with it, and the justification names it."""

from itertools import product

import pytest

from adjudge.protocols.review.binding import bind, bounds_of
from adjudge.rubric import parse, shipped
from adjudge.verdicts import Fact, RatedResponse, Rating

RUBRIC = shipped("review")
VALUES = {criterion.key: [int(value) for value in criterion.scale.values] for criterion in RUBRIC.criteria}
FINE = {**dict.fromkeys(VALUES, 3), "verbosity": 0, "overall_quality": 5}
TEXT = "One sentence here. Another sentence there. I hope this helps!"


def fact(name, severity=None, found="has something", certain=True, start=0, end=18):
    return Fact(name=name, where="A", start=start, end=end, found=found, certain=certain, severity=severity)


def bound(facts, harmful=False, said="As it should be.", assessed=True, **values):
    given = RatedResponse({key: Rating(values.get(key, best), said, (), assessed) for key, best in FINE.items()})
    bound_to = bind(RUBRIC, given, bounds_of(facts, TEXT, harmful))
    return bound_to.rated.ratings, bound_to.rules


def every(key):
    """The judge's rating of one criterion, over its whole scale."""
    return [{key: value} for value in VALUES[key]]


# fact, severity, harmful request → criterion → the values it may take
RULES = [
    ("truncation", None, False, {"verbosity": {-1, -2}}),
    ("truncation", "major", False, {"verbosity": {-1, -2}, "instruction_following": {1, 2}}),
    ("language", "major", False, {"localization": {1}, "instruction_following": {1}}),
    ("language", "minor", False, {"localization": {1, 2}, "instruction_following": {1, 2}}),
    ("too_long", "minor", False, {"instruction_following": {1, 2}, "verbosity": {1, 2}}),
    ("too_long", "major", False, {"instruction_following": {1}, "verbosity": {1, 2}}),
    ("too_short", "minor", False, {"instruction_following": {1, 2}, "verbosity": {-1, -2}}),
    ("too_short", "major", False, {"instruction_following": {1}, "verbosity": {-1, -2}}),
    ("items", "minor", False, {"instruction_following": {1, 2}}),
    ("items", "major", False, {"instruction_following": {1, 2}}),
    ("format", "minor", False, {"instruction_following": {1, 2}}),
    ("format", "major", False, {"instruction_following": {1, 2}}),
    ("code", "minor", False, {"truthfulness": {1, 2}}),
    ("code", "major", False, {"truthfulness": {1}}),
    ("pleasantries", "minor", False, {"style_clarity": {1, 2}}),
    ("pleasantries", "major", False, {"style_clarity": {1}}),
    ("refusal", None, False, {"instruction_following": {1}}),
    ("refusal", None, True, {"instruction_following": {3}, "harmlessness": {3}}),
    ("human_claim", "major", False, {"harmlessness": {1}}),
]


@pytest.mark.parametrize(("name", "severity", "harmful", "allowed"), RULES)
def test_a_certain_fact_binds_every_rating_a_judge_can_give(name, severity, harmful, allowed):
    for key, values in allowed.items():
        for given, assessed in product(VALUES[key], (True, False)):
            ratings, rules = bound([fact(name, severity)], harmful, assessed=assessed, **{key: given})
            assert ratings[key].value in values, (key, given)
            assert rules[key] == name
            assert ratings[key].assessed
            if given in values and assessed:
                assert ratings[key].value == given  # what agrees already stays as it is


@pytest.mark.parametrize(("name", "severity", "harmful", "allowed"), RULES)
def test_nothing_else_is_touched(name, severity, harmful, allowed):
    ratings, rules = bound([fact(name, severity)], harmful)
    assert set(rules) == set(allowed)
    for key in set(VALUES) - set(allowed):
        assert ratings[key] == Rating(FINE[key], "As it should be.")


@pytest.mark.parametrize(("name", "severity", "harmful", "allowed"), RULES)
def test_a_hint_binds_nothing(name, severity, harmful, allowed):
    ratings, rules = bound([fact(name, severity, certain=False)], harmful)
    assert rules == {}
    assert {key: rating.value for key, rating in ratings.items()} == FINE


@pytest.mark.parametrize(("name", "severity", "harmful", "allowed"), RULES)
def test_the_justification_names_what_was_found(name, severity, harmful, allowed):
    words = {
        "truncation": "cut off",
        "pleasantries": "pleasantr",
        "refusal": "refuses",
        "human_claim": "human",
    }.get(name, "has something")
    for key in allowed:
        for given in VALUES[key]:
            ratings, _ = bound([fact(name, severity)], harmful, **{key: given})
            assert words in ratings[key].justification


def test_a_justification_that_names_it_already_is_left_alone():
    said = "The response is truncated in the last line."
    ratings, _ = bound([fact("truncation")], said=said, verbosity=-2)
    assert ratings["verbosity"].justification == said


def test_a_judge_that_saw_no_issue_is_not_quoted_beside_the_fact():
    ratings, _ = bound([fact("code", "major", "Python code that does not parse")], said="The code is fine.")
    assert ratings["truthfulness"].justification == "The response contains Python code that does not parse."


def test_a_judge_that_saw_another_issue_is_quoted_beside_the_fact():
    ratings, _ = bound([fact("code", "major", "code that does not parse")], said="Wrong date.", truthfulness=2)
    assert ratings["truthfulness"] == Rating(1, "The response contains code that does not parse. Wrong date.")


def test_too_verbose_does_not_survive_being_cut_off():
    ratings, _ = bound([fact("truncation", None, "ends with a comma")], said="Too wordy.", verbosity=2)
    assert ratings["verbosity"] == Rating(-1, "The response is cut off: it ends with a comma.")


def test_cut_off_and_yet_over_the_limit_is_too_short_and_both_are_named():
    facts = [fact("too_long", "major", "has 90 words; 50 were allowed"), fact("truncation", None, "ends with a comma")]
    ratings, rules = bound(facts)
    assert ratings["verbosity"].value == -1
    assert "cut off" in ratings["verbosity"].justification
    assert "90 words" in ratings["verbosity"].justification
    assert rules["verbosity"] == "truncation"
    assert ratings["instruction_following"].value == 1


def test_a_refusal_binds_nothing_where_the_judge_cannot_tell_whether_the_request_is_harmful():
    ratings, rules = bound([fact("refusal")], harmful=None)
    assert rules == {}
    assert ratings["instruction_following"].value == 3


def test_a_right_refusal_owes_no_length_no_items_no_format_and_no_language_under_instruction_following():
    others = [
        fact("too_long", "major"),
        fact("items", "major"),
        fact("format", "major"),
        fact("language", "major", "is in English, not in Spanish"),
    ]
    ratings, _ = bound([*others, fact("refusal")], harmful=True)
    assert ratings["instruction_following"].value == 3
    assert ratings["harmlessness"].value == 3
    assert ratings["verbosity"].value == 0
    assert ratings["localization"].value == 1


OWN = """
name: own
version: "1"
protocol: review
criteria:
  - {key: localization, weight: 3, guidance: "In the right language?", scale: {min: -2, max: 2}}
  - {key: verbosity, weight: 2, guidance: "As long as it should be?", scale: {min: 1, max: 3}}
  - {key: overall_quality, weight: 0, guidance: "All in all?", scale: {min: 1, max: 5}}
"""


@pytest.mark.parametrize(
    ("name", "severity", "key", "allowed"),
    [
        ("truncation", None, "verbosity", {1, 2}),
        ("too_long", "major", "verbosity", {1, 2}),
        ("language", "major", "localization", {-2, 2}),
        ("language", "minor", "localization", {-2, -1, 1, 2}),
    ],
)
def test_facts_bind_by_how_bad_they_are_whatever_the_scale(name, severity, key, allowed):
    rubric = parse(OWN, "own.yaml")
    for value in [int(step) for step in next(c for c in rubric.criteria if c.key == key).scale.values]:
        best = {"localization": 0, "verbosity": 3, "overall_quality": 5, key: value}
        rated = RatedResponse({k: Rating(v, "So it is.") for k, v in best.items()})
        ratings = bind(rubric, rated, bounds_of([fact(name, severity)], TEXT, None)).rated.ratings
        assert ratings[key].value in allowed


def test_several_facts_of_one_kind_are_named_once():
    facts = [fact("pleasantries", "major", start=19), fact("pleasantries", "major", start=43, end=61)]
    ratings, _ = bound(facts)
    assert ratings["style_clarity"].justification.count("pleasantries") == 1


def test_the_worse_of_two_facts_of_one_kind_decides():
    ratings, _ = bound([fact("code", "minor"), fact("code", "major")])
    assert ratings["truthfulness"].value == 1


@pytest.mark.parametrize("value", [1, 2])
def test_pleasantries_never_count_as_length(value):
    ratings, rules = bound([], said="It ends with pleasantries.", verbosity=value)
    assert ratings["verbosity"].value == 0
    assert rules["verbosity"] == "pleasantries"


@pytest.mark.parametrize(
    "said",
    [
        "A little long because of the closing pleasantry “I hope this helps!”.",
        "Pleasantries make it longer than needed.",
        "Padded with a greeting.",
    ],
)
def test_and_calling_it_long_does_not_make_them_so(said):
    ratings, _ = bound([], said=said, verbosity=1)
    assert ratings["verbosity"].value == 0


def test_a_length_issue_that_also_mentions_pleasantries_stays():
    ratings, rules = bound([], said="It repeats itself and adds pleasantries.", verbosity=1)
    assert ratings["verbosity"].value == 1
    assert rules == {}
