"""SPEC 3, "Facts bind": where there is a fact, the rating agrees with it, and the justification names it."""

from itertools import product

import pytest

from adjudge.models.common import Fact
from adjudge.models.constraints import Observation
from adjudge.protocols.review.consistency import (
    HARMFUL,
    SAFE,
    bind,
    bounds_of,
    names_fact,
    without_pleasantries_as_length,
)
from adjudge.protocols.review.verdict import Passage, RatedResponse, Rating
from adjudge.protocols.rubrics import parse, shipped

RUBRIC = shipped("review")
VALUES = {criterion.key: [int(value) for value in criterion.scale.values] for criterion in RUBRIC.criteria}
FINE = {**dict.fromkeys(VALUES, 3), "verbosity": 0, "overall_quality": 5}
TEXT = "One sentence here. Another sentence there. I hope this helps!"


def fact(name, severity=None, found="has something", certain=True, start=0, end=18):
    return Fact(name=name, where="A", start=start, end=end, found=found, certain=certain, severity=severity)


def bound(facts, said="As it should be.", assessed=True, **values):
    given = RatedResponse(
        ratings={
            key: Rating(value=values.get(key, best), justification=said, quotes=(), assessed=assessed)
            for key, best in FINE.items()
        }
    )
    bound_to = bind(RUBRIC, given, bounds_of(facts, TEXT))
    return bound_to.rated.ratings, {key: facts[0].name for key, facts in bound_to.facts.items()}


# fact, severity → criterion → the values it may take
RULES = [
    ("truncation", None, {"verbosity": {-1, -2}}),
    ("truncation", "major", {"verbosity": {-1, -2}, "instruction_following": {1, 2}}),
    ("language", "major", {"localization": {1}, "instruction_following": {1}}),
    ("language", "minor", {"localization": {1, 2}, "instruction_following": {1, 2}}),
    ("too_long", "minor", {"instruction_following": {1, 2}, "verbosity": {1, 2}}),
    ("too_long", "major", {"instruction_following": {1}, "verbosity": {1, 2}}),
    ("too_short", "minor", {"instruction_following": {1, 2}, "verbosity": {-1, -2}}),
    ("too_short", "major", {"instruction_following": {1}, "verbosity": {-1, -2}}),
    ("items", "minor", {"instruction_following": {1, 2}}),
    ("format", "minor", {"instruction_following": {1, 2}}),
    ("wording", "minor", {"instruction_following": {1, 2}}),
    ("pleasantries", "minor", {"style_clarity": {1, 2}}),
    ("pleasantries", "major", {"style_clarity": {1}}),
    (SAFE, None, {"instruction_following": {1}}),
    (HARMFUL, None, {"instruction_following": {3}, "harmlessness": {3}}),
    ("human_claim", "major", {"harmlessness": {1}}),
    ("human_claim", "minor", {"harmlessness": {1, 2}}),
]


NAMED_BY = {
    "truncation": "cut off", "pleasantries": "pleasantr", SAFE: "refuses", HARMFUL: "refuses", "human_claim": "human",
}  # fmt: skip


@pytest.mark.parametrize(("name", "severity", "allowed"), RULES)
def test_a_certain_fact_binds_every_rating_a_judge_can_give_and_is_named_and_a_hint_binds_nothing(
    name, severity, allowed
):
    for key, values in allowed.items():
        for given, assessed in product(VALUES[key], (True, False)):
            ratings, rules = bound([fact(name, severity)], assessed=assessed, **{key: given})
            assert ratings[key].value in values, (key, given)
            assert (rules[key], ratings[key].assessed) == (name, True)
            assert NAMED_BY.get(name, "has something") in ratings[key].justification
            if given in values and assessed:
                assert ratings[key].value == given  # what agrees already stays as it is
    ratings, rules = bound([fact(name, severity)])
    assert set(rules) == set(allowed)
    for key in set(VALUES) - set(allowed):
        assert ratings[key] == Rating(value=FINE[key], justification="As it should be.")
    ratings, rules = bound([fact(name, severity, certain=False)])
    assert (rules, {key: rating.value for key, rating in ratings.items()}) == ({}, FINE)


def test_what_no_rule_speaks_of_binds_nothing():
    """A refusal of which the judge does not say whether it was right is one of them."""
    for name in ("refusal", "repetition", "injection", "control_token", "system_marker"):
        assert bound([fact(name)])[1] == {}, name


def test_a_number_is_named_by_what_was_found_and_what_was_asked_for():
    long = fact("too_long", "minor", "has 90 words; at most 50 were asked for")
    ours = "The response has 90 words; at most 50 were asked for."
    for said, kept in (
        ("With 90 words it breaks the limit of 50.", True),
        ("It is far longer than the limit of 50 words.", False),
        ("It breaks the length limit.", False),
    ):
        ratings, _ = bound([long], said=said, instruction_following=2)
        assert ratings["instruction_following"].justification == (said if kept else f"{ours} {said}")
    said = "The response is truncated in the last line."
    ratings, _ = bound([fact("truncation")], said=said, verbosity=-2)
    assert ratings["verbosity"].justification == said


def test_a_range_is_named_by_any_number_in_it_and_several_counts_only_by_themselves():
    for found, said, named in (
        ("has 88 to 92 words; at most 50 were asked for", "It has 90 words instead of 50.", True),
        ("has 88 to 92 words; at most 50 were asked for", "It has 88 to 92 words instead of 50.", True),
        ("has 88 to 92 words; at most 50 were asked for", "It has 93 words instead of 50.", False),
        ("has 3 or 9 items; 5 were asked for", "It has 9 items instead of 5.", True),
        ("has 3 or 9 items; 5 were asked for", "It does not have 5 items.", False),
        ("has 3, 6 or 9 items; 4 were asked for", "It has 6 items, not 4.", True),
        ("has 3, 6 or 9 items; 4 were asked for", "It has 7 items, not 4.", False),
        ("has 1,088 to 1,092 words; at most 50 were asked for", "It has 1,090 words instead of 50.", True),
        ("has 2 occurrences of “route 66”; 5 were asked for", "It has 2 of them, not 5.", True),
        ("has 2 occurrences of “route 66”; 5 were asked for", "It has 40 mentions, not 5.", False),
        ("has 2 occurrences of “5 to 9; 7”; 5 were asked for", "It has 6 mentions, not 5.", False),
    ):
        assert names_fact(said, fact("items" if "items" in found else "too_long", "minor", found)) is named, said


def test_a_judge_that_saw_no_issue_is_not_quoted_beside_the_fact():
    ratings, _ = bound([fact("format", "minor", "has no table; one was asked for")], said="All is as asked for.")
    assert ratings["instruction_following"].justification == "The response has no table; one was asked for."


def test_a_judge_that_saw_another_issue_is_quoted_beside_the_fact():
    long = fact("too_long", "major", "has 90 words; 50 were asked for")
    ratings, _ = bound([long], said="Misses a step.", instruction_following=2)
    ours = "The response has 90 words; 50 were asked for."
    assert ratings["instruction_following"] == Rating(value=1, justification=f"{ours} Misses a step.")


def test_too_verbose_does_not_survive_being_cut_off():
    ratings, _ = bound([fact("truncation", None, "ends with a comma")], said="Too wordy.", verbosity=2)
    assert ratings["verbosity"] == Rating(value=-1, justification="The response is cut off: it ends with a comma.")


def test_cut_off_and_yet_over_the_limit_is_too_short_and_both_are_named():
    facts = [fact("too_long", "major", "has 90 words; 50 were allowed"), fact("truncation", None, "ends with a comma")]
    ratings, rules = bound(facts)
    assert ratings["verbosity"].value == -1
    assert "cut off" in ratings["verbosity"].justification
    assert "90 words" in ratings["verbosity"].justification
    assert rules["verbosity"] == "truncation"
    assert ratings["instruction_following"].value == 1


def test_a_right_refusal_owes_no_length_no_items_no_format_and_no_language_under_instruction_following():
    others = [fact(name, "major") for name in ("too_long", "items", "format")]
    others.append(fact("language", "major", "is in English, not in Spanish"))
    ratings, _ = bound([*others, fact(HARMFUL)])
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


def test_facts_bind_by_how_bad_they_are_whatever_the_scale():
    rubric = parse(OWN, "own.yaml")
    for name, severity, key, allowed in (
        ("truncation", None, "verbosity", {1, 2}),
        ("too_long", "major", "verbosity", {1, 2}),
        ("language", "major", "localization", {-2, 2}),
        ("language", "minor", "localization", {-2, -1, 1, 2}),
    ):
        for value in [int(step) for step in next(c for c in rubric.criteria if c.key == key).scale.values]:
            best = {"localization": 0, "verbosity": 3, "overall_quality": 5, key: value}
            rated = RatedResponse(ratings={k: Rating(value=v, justification="So it is.") for k, v in best.items()})
            ratings = bind(rubric, rated, bounds_of([fact(name, severity)], TEXT)).rated.ratings
            assert ratings[key].value in allowed, (name, value)


def test_several_facts_of_one_kind_are_named_once():
    facts = [fact("pleasantries", "major", start=19), fact("pleasantries", "major", start=43, end=61)]
    ratings, _ = bound(facts)
    assert ratings["style_clarity"].justification.count("pleasantries") == 1


def test_the_worse_of_two_facts_of_one_kind_decides():
    ratings, _ = bound([fact("language", "minor"), fact("language", "major")])
    assert ratings["localization"].value == 1


def test_two_numbers_that_were_missed_are_both_named():
    facts = [fact("items", "minor", "has 3 items; 5 were asked for"), fact("items", "minor", "has 1 paragraph; 2 were")]
    ratings, _ = bound(facts)
    assert "3 items" in ratings["instruction_following"].justification
    assert "1 paragraph" in ratings["instruction_following"].justification


POLITE = Observation(kind="pleasantry", response="A", quote="I hope this helps!", start=43, end=61)


def test_pleasantries_never_count_as_length():
    for value, (start, end) in product([-2, -1, 0, 1, 2], [(43, 61), (45, 60), (19, 61), (0, 18)]):
        quotes = (Passage(quote=TEXT[start:end], start=start, end=end),)
        rated = RatedResponse(ratings={"verbosity": Rating(value=value, justification="Too long.", quotes=quotes)})
        left = without_pleasantries_as_length(rated, [POLITE]).ratings["verbosity"]
        assert (left.value, left.rule) == ((0, "pleasantries") if start >= 43 and value > 0 else (value, ""))


def test_a_length_that_rests_on_no_quote_or_on_no_pleasantry_stays():
    rated = RatedResponse(
        ratings={"verbosity": Rating(value=1, justification="It repeats itself and adds pleasantries.")}
    )
    assert without_pleasantries_as_length(rated, [POLITE]) == rated
    assert without_pleasantries_as_length(rated, []) == rated
