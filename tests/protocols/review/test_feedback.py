"""SBQ: two to four bullets that name the pattern behind the corrections."""

from dataclasses import replace
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.models.common import Fact
from adjudge.protocols.review.case import Original, Review
from adjudge.protocols.review.consistency import HARMFUL, SAFE, Binding, allowed_likerts, allowed_overalls
from adjudge.protocols.review.correcting import correct_response
from adjudge.protocols.review.feedback import LEAST, MOST, ReviewAudit, feedback, is_lesson
from adjudge.protocols.review.verdict import FinalRating, RatedResponse, Rating
from adjudge.protocols.rubrics import parse, shipped

RUBRIC = shipped("review")
SCALES = {criterion.key: [int(value) for value in criterion.scale.values] for criterion in RUBRIC.criteria}
BEST = {**dict.fromkeys(SCALES, 3), "verbosity": 0, "overall_quality": 5}


def audit(a=None, b=None, originals_a=None, originals_b=None, entered_likert="", facts=(), rules=None):
    """Our ratings of both responses beside what a person entered."""
    ours = [with_overall({**BEST, **(a or {})}), with_overall({**BEST, **(b or {})})]
    entered = [
        {key: given if isinstance(given, Original) else Original(str(given)) for key, given in (table or {}).items()}
        for table in (originals_a, originals_b)
    ]
    case = Review("Where is it?", "It is here.", "It is there.", "", "", "", *entered, Original(entered_likert))
    tables = {}
    for label, values in zip("AB", ours, strict=True):
        rated = RatedResponse(
            ratings={key: Rating(value=value, justification=f"Ours on {key}.") for key, value in values.items()}
        )
        bound = {key: (fact(name, label),) for key, name in (rules or {}).get(label, {}).items()}
        tables[label] = correct_response(RUBRIC, Binding(rated, bound, {}), case.originals(label))
    value = allowed_likerts(RUBRIC, *ours)[0]
    action = "kept" if entered_likert == str(value) else "replaced" if entered_likert else "filled"
    return ReviewAudit(RUBRIC, case, tables, final(value, action, Original(entered_likert) or None), tuple(facts))


def final(value, action="filled", original=None):
    return FinalRating(
        value=value, justification="", action=action, reason="", justification_action="filled", justification_reason="",
        original=original,
    )  # fmt: skip


def with_overall(values):
    return {**values, "overall_quality": allowed_overalls(RUBRIC, values, unusable=False, still_good=False)[0]}


def entered(**values):
    return {**BEST, **values}


def fact(name, where="A"):
    return Fact(name=name, where=where, start=0, end=2, found="is so", certain=True)


def first(*args, **kwargs):
    return feedback(audit(*args, **kwargs))[0]


def test_truthfulness_and_instruction_following_confused_is_named_as_such():
    said = first({"truthfulness": 1}, None, entered(instruction_following=1, overall_quality=2), entered())
    assert said.startswith("Truthfulness and Instruction Following were confused in Response 1")
    assert "marked under Instruction Following belongs to Truthfulness" in said
    said = first(None, {"instruction_following": 2}, entered(), entered(truthfulness=2, overall_quality=4))
    assert "confused in Response 2: what was marked under Truthfulness belongs to Instruction Following" in said


OVERLOOKED = [
    ("truncation", "verbosity", -1, "Response 1 breaks off"),
    ("language", "localization", 1, "not in the language asked for"),
    ("too_long", "instruction_following", 1, "The length limit was not measured in Response 1"),
    ("too_short", "instruction_following", 2, "The length limit was not measured in Response 1"),
    ("items", "instruction_following", 2, "The number of items in Response 1 was not counted"),
    ("format", "instruction_following", 2, "The format that was asked for was not checked in Response 1"),
    ("wording", "instruction_following", 2, "Words that were asked for, or not wanted, were not looked up in"),
    ("pleasantries", "style_clarity", 2, "Pleasantries in Response 1 were not rated"),
    ("human_claim", "harmlessness", 1, "Response 1 poses as a human"),
    (SAFE, "instruction_following", 1, "A refusal was let pass"),
]  # fmt: skip


def test_an_overlooked_fact_is_named():
    for name, key, value, says in OVERLOOKED:
        said = first({key: value}, None, entered(), entered(), facts=[fact(name)], rules={"A": {key: name}})
        assert says in said, name


def test_words_about_a_system_prompt_are_no_demand_of_one():
    missing = fact("wording").updated(found="does not contain “system prompt”, as was asked for")
    rules = {"A": {"instruction_following": "wording"}}
    said = first({"instruction_following": 2}, None, entered(), entered(), facts=[missing], rules=rules)
    assert said.startswith("Words that were asked for, or not wanted, were not looked up in Response 1")


def test_a_right_refusal_that_was_marked_down():
    said = first(
        None, None, entered(instruction_following=1, overall_quality=2), entered(),
        facts=[fact(HARMFUL)], rules={"A": {"instruction_following": HARMFUL}},
    )  # fmt: skip
    assert "it is the right answer" in said


def test_pleasantries_counted_as_length():
    said = first({"style_clarity": 2}, None, entered(verbosity=1, overall_quality=4), facts=[fact("pleasantries")])
    assert said.startswith("Pleasantries were counted as length")


def test_a_verbosity_reset_because_of_pleasantries_is_no_lesson_about_style():
    rated = audit(None, None, entered(verbosity=1, overall_quality=4), facts=[fact("pleasantries")])
    line = rated.tables["A"]["verbosity"].updated(rule="pleasantries")
    bullets = feedback(replace(rated, tables={**rated.tables, "A": {**rated.tables["A"], "verbosity": line}}))
    assert bullets[0].startswith("Pleasantries were counted as length")
    assert not any("were not rated under Style" in bullet for bullet in bullets)


def test_the_sign_of_verbosity_reversed():
    assert "sign of Verbosity was reversed" in first({"verbosity": -1}, None, entered(verbosity=1, overall_quality=4))


def test_a_likert_that_contradicts_the_table_it_came_with():
    said = first(None, {"truthfulness": 1}, entered(), entered(truthfulness=1, overall_quality=2), "6")
    assert said == "The Likert contradicted the table it came with: Overalls of 5 and 2 call for 1 or 2, not 6."


def test_an_overall_that_does_not_follow_from_the_ratings_beside_it():
    said = first({"truthfulness": 1}, None, entered(truthfulness=1, overall_quality=4), entered())
    assert "did not follow from the ratings entered beside it: they allow 1 or 2, not 4" in said


def test_all_corrections_one_way():
    low = {"truthfulness": 1, "instruction_following": 2, "style_clarity": 2}
    assert "too lenient: all 3 corrections" in first(low, None, entered(), entered())
    strict = entered(truthfulness=2, localization=2, style_clarity=2, overall_quality=3)
    assert "too severe: all 3 corrections" in first(None, None, strict, entered())


def test_one_response_favoured_throughout():
    said = first({"truthfulness": 2, "localization": 2}, None, entered(), entered(harmlessness=2, overall_quality=4))
    assert said.startswith("Response 1 was rated too high and Response 2 too low throughout")


def test_the_same_dimension_wrong_in_both():
    said = feedback(audit({"localization": 2}, {"localization": 2}, entered(), entered()))
    assert any(line.startswith("Localization was rated too high in both responses") for line in said)


def test_values_off_the_scale_and_blanks():
    assert any("not on its scale" in line for line in feedback(audit(None, None, entered(truthfulness=9), entered())))
    assert any("left blank" in line for line in feedback(audit(None, None, {"truthfulness": 3}, {})))


def test_a_single_correction_without_a_pattern_is_told_with_its_reason():
    said = first({"harmlessness": 2}, None, entered(), entered())
    assert said == "Harmlessness/Safety of Response 1 was rated too high (3, not 2): Ours on harmlessness."


def test_all_right_is_said_too():
    assert feedback(audit(None, None, entered(), entered(), "4"))[0].startswith("Every rating was right")


def test_it_is_no_list_of_the_corrections():
    low = {"truthfulness": 1, "instruction_following": 1, "style_clarity": 1, "localization": 1, "harmlessness": 1}
    said = feedback(audit(low, low, entered(), entered(), "4"))
    assert len(said) <= MOST
    assert sum("Ours on" in line for line in said) <= 1


VALUES = st.fixed_dictionaries({key: st.sampled_from(values) for key, values in SCALES.items()})
ENTERED = st.fixed_dictionaries(
    {}, optional={key: st.sampled_from([*map(str, values), "", "9", "good"]) for key, values in SCALES.items()}
)


@settings(max_examples=50)
@given(VALUES, VALUES, ENTERED, ENTERED, st.sampled_from(["", *"12345678"]))
def test_there_are_always_two_to_four_bullets_each_once(a, b, theirs_a, theirs_b, preference):
    said = feedback(audit(a, b, theirs_a, theirs_b, preference))
    assert LEAST <= len(said) <= MOST
    assert len(set(said)) == len(said)
    assert all(line.strip() and "\n" not in line for line in said)


def test_no_originals_give_takeaways_of_the_task():
    for a, b in product([{}, {"truthfulness": 1}, {"verbosity": 1}], repeat=2):
        said = feedback(audit(a, b))
        assert len(said) == LEAST
        if a != b:
            assert said[0].startswith("What decides here is")


def test_a_rubric_without_harmlessness_can_tell_of_a_refusal_too():
    rubric = parse(
        """
name: own
version: "1"
protocol: review
criteria:
  - {key: instruction_following, weight: 1, guidance: "Does it?", scale: {min: 1, max: 3}}
  - {key: overall_quality, weight: 0, guidance: "All in all?", scale: {min: 1, max: 5}}
""",
        "own.yaml",
    )
    case = Review("Say hello.", "I can't help.", "Hello.", ratings_a={"instruction_following": Original("3")})
    rated = RatedResponse(
        ratings={
            "instruction_following": Rating(value=1, justification="Refuses."),
            "overall_quality": Rating(value=2, justification="Bad."),
        }
    )
    bound = {"instruction_following": (fact(SAFE),)}
    tables = {label: correct_response(rubric, Binding(rated, bound, {}), case.originals(label)) for label in "AB"}
    assert feedback(ReviewAudit(rubric, case, tables, final(4), ()))[0].startswith("A refusal was let pass")


def test_praise_and_what_a_task_teaches_everybody_are_no_lessons_and_corrections_are():
    nothing = [{}, {"truthfulness": 1}, {"truthfulness": 2, "style_clarity": 2}]
    for found in nothing:
        right = with_overall({**BEST, **found})
        for table in (None, right):
            bullets = feedback(audit(found, None, table, table and with_overall(BEST)))
            assert not [bullet for bullet in bullets if is_lesson(bullet)], bullets
    high = feedback(audit({"truthfulness": 2}, None, {**BEST, "overall_quality": 4}, BEST))
    assert is_lesson(high[0]), high
