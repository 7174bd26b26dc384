"""A rubric is data; a bad file is refused with the line and what is allowed."""

from decimal import Decimal

import pytest

from adjudge.errors import RubricError
from adjudge.protocols.rubrics import load, parse, shipped

GOOD = """\
name: mine
version: "3"
protocol: compare
scale: {min: 1, max: 5, step: 0.5}
criteria:
  - key: kindness
    weight: 0.1
    guidance: Is it kind?
  - key: wit
    name: Wit
    weight: 0.2
    guidance: Is it funny?
"""


def test_the_shipped_rubric_has_the_contracts_criteria_weights_and_scale():
    rubric = shipped("compare")
    assert [(criterion.key, criterion.weight) for criterion in rubric.criteria] == [
        ("task_understanding", Decimal(1)),
        ("correctness_reasoning", Decimal(2)),
        ("depth_coverage_usefulness", Decimal("1.5")),
        ("actionability_specificity", Decimal("1.5")),
        ("clarity_structure", Decimal(1)),
        ("constraints_tradeoffs_uncertainty", Decimal("0.5")),
        ("insight_originality", Decimal("0.5")),
    ]
    assert rubric.scale.values == tuple(map(Decimal, range(1, 11)))
    assert rubric.tie_band == Decimal("0.5")
    assert dict(rubric.bands) == {"1-3": "poor", "4-6": "mixed", "7-8": "good", "9-10": "excellent"}


def test_a_users_rubric_is_read_with_exact_weights_and_steps(tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text(GOOD)
    rubric = load(file, "compare")
    assert rubric.weights == {"kindness": Decimal("0.1"), "wit": Decimal("0.2")}
    assert [str(value) for value in rubric.scale.values] == ["1", "1.5", "2", "2.5", "3", "3.5", "4", "4.5", "5"]
    assert [criterion.name for criterion in rubric.criteria] == ["Kindness", "Wit"]


def test_the_smallest_weight_has_twenty_decimals():
    least = "0.00000000000000000001"
    assert parse(GOOD.replace("0.1", least), "x").weights["kindness"] == Decimal(least)
    with pytest.raises(RubricError, match="is not a number"):
        parse(GOOD.replace("0.1", f"{least}1"), "x")


def test_a_changed_file_is_another_rubric():
    assert parse(GOOD, "x").reference.startswith("mine@3#")
    assert parse(GOOD, "x").reference != parse(GOOD.replace("kind?", "kinder?"), "x").reference


def test_a_mistake_is_refused_with_its_line_and_what_is_allowed():
    for old, new, line, says in (
        ("weight: 0.1", "wieght: 0.1", 7, "wieght: unknown field of a criterion; did you mean weight? one of guidance"),
        ("weight: 0.1", "weight: -1", 7, "kindness.weight: -1 is negative; a number ≥ 0 is allowed"),
        ("weight: 0.1", "weight: lots", 7, "kindness.weight: 'lots' is not a number; a number such as 1.5 is allowed"),
        ("weight: 0.1", "weight: .nan", 7, "kindness.weight: '.nan' is not a number; a number such as 1.5 is allowed"),
        (
            "weight: 0.1",
            "weight: 1e400",
            7,
            "kindness.weight: '1e400' is not a number; a number such as 1.5 is allowed",
        ),
        ("key: wit", "key: kindness", 9, "criteria: kindness appears twice; each key once"),
        ("key: wit", "key: the wit", 9, "key: 'the wit'; a letter, then letters, digits or _ (at most 64)"),
        ("    guidance: Is it funny?\n", "", 9, "a criterion has no guidance; needed: key, weight, guidance"),
        ("protocol: compare", "protocol: judge", 3, "protocol: 'judge'; one of compare"),
        ("protocol: compare", "protocol: comapre", 3, "protocol: 'comapre'; did you mean compare? one of compare"),
        ("protocol: compare\n", "", 1, "the rubric has no protocol; one of compare, dialogue, grade"),
        (GOOD, "", 1, "the rubric: expected key: value lines, found nothing; `adjudge rubric PROTOCOL` prints one"),
        ("max: 5", "max: 0", 4, "scale.max: 0 is not above min 1; max must be above min"),
        ("step: 0.5", "step: 0.3", 4, "scale: 1 to 5 by 0.3; whole steps are needed, at most 100"),
        ("step: 0.5", "step: 0.001", 4, "scale: 1 to 5 by 0.001; whole steps are needed, at most 100"),
        ("step: 0.5", "step: 0", 4, "scale.step: 0; a number above 0 is allowed"),
        ("name: mine", "nmae: mine", 1, "nmae: unknown field of the rubric; did you mean name? one of bands"),
        ("name: mine\n", "", 1, "the rubric has no name; needed: name, version, protocol, criteria"),
        ("name: mine", "name: mine\nname: yours", 2, "name: appears twice in the rubric; each field once"),
        ("scale: {min: 1, max: 5, step: 0.5}", "scale: 5", 4, "scale: expected key: value lines, found '5'"),
        ("name: mine", "name: [", 3, "not YAML: "),
        ("name: mine", 'name: "\\e[31m"', 1, r"name: '\x1b[31m'; one line without control characters is allowed"),
        ("Is it kind?", '"\\ud800"', 8, "kindness.guidance: half of a surrogate pair; text must be valid Unicode"),
        ("name: Wit", 'name: "W\\nit"', 10, r"wit.name: 'W\nit'; one line without control characters is allowed"),
    ):
        assert old in GOOD
        with pytest.raises(RubricError) as refused:
            parse(GOOD.replace(old, new, 1), "mine.yaml")
        assert str(refused.value).startswith(f"mine.yaml:{line}: {says}"), str(refused.value)
        assert "\n" not in str(refused.value)


def test_a_dialogues_weights_must_add_up_to_one(tmp_path):
    text = GOOD.replace("protocol: compare", "protocol: dialogue")
    with pytest.raises(RubricError) as refused:
        parse(text, "mine.yaml")
    assert str(refused.value) == "mine.yaml:6: the weights add up to 0.3; a dialogue's weights must add up to 1"
    assert parse(text.replace("weight: 0.1", "weight: 0.8"), "mine.yaml").protocol == "dialogue"


def test_aliases_are_refused_so_that_a_small_file_stays_small():
    text = GOOD.replace("  - key: kindness", "  - &x\n    key: kindness").replace(
        "  - key: wit\n    name: Wit\n    weight: 0.2\n    guidance: Is it funny?\n", "  - *x\n"
    )
    with pytest.raises(RubricError, match="an alias"):
        parse(text, "mine.yaml")


def test_all_weights_zero_are_refused():
    with pytest.raises(RubricError, match="every weight is zero"):
        parse(GOOD.replace("0.1", "0").replace("0.2", "0"), "mine.yaml")


def test_a_file_that_is_missing_not_text_or_too_large_is_refused_by_name(tmp_path):
    with pytest.raises(RubricError, match=r"none\.yaml: file not found"):
        load(tmp_path / "none.yaml", "compare")
    (tmp_path / "bytes.yaml").write_bytes(b"name: \xff")
    with pytest.raises(RubricError, match=r"bytes\.yaml:1: invalid UTF-8 at byte 6"):
        load(tmp_path / "bytes.yaml", "compare")
    (tmp_path / "large.yaml").write_text("#" * 300_000)
    with pytest.raises(RubricError, match="more than 200,000 bytes; at most 200,000"):
        load(tmp_path / "large.yaml", "compare")


@pytest.mark.parametrize("text", ["", "# only a comment", "[]", "just words", "- a\n- b", "\x00"])
def test_what_is_no_rubric_at_all_is_refused_not_raised(text):
    with pytest.raises(RubricError):
        parse(text, "mine.yaml")
