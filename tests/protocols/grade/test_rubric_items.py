"""A rubric of items: what it may say, and errors that name file, line, item and what is allowed."""

from decimal import Decimal

import pytest
from protocols.grade.judging import HEAD

from adjudge.cli.main import main
from adjudge.errors import RubricError
from adjudge.protocols.rubrics import parse, shipped

GOOD = f"""\
{HEAD}pass_at: 0.6
items:
  - key: city
    name: Names the city
    points: 2.5
    required: true
    ask: Does it name the city?
  - key: rude
    points: -1
    quote: none
    ask: Is it rude?
  - key: clear
    points: 1
    required: true
    at_least: 3
    ask: How clear is it?
    scale: {{1: not at all, 3: partly, 10: fully}}
  - key: sources
    points: 3
    claims: context
  - key: short
    points: -0.5
    check: {{max_words: 40}}
"""


def test_the_shipped_rubric_is_the_contracts():
    rubric = shipped("grade")
    assert rubric.numbers == {"pass_at": Decimal("0.7")}
    assert [(one.kind, one.points, one.required, one.at_least, one.source) for one in rubric.criteria] == [
        ("scale", 3, True, 3, ""),
        ("covers", 3, False, 1, "reference"),
        ("claims", 3, False, 1, "context"),
        ("constraints", 2, False, 1, "task"),
        ("scale", 1, False, 5, ""),
    ]
    assert [list(one.scale.values) for one in rubric.criteria if one.kind == "scale"] == [[1, 2, 3, 4, 5]] * 2


def test_a_users_items_are_read_exactly():
    rubric = parse(GOOD, "mine.yaml")
    city, rude, clear, sources, short = rubric.criteria
    assert rubric.numbers["pass_at"] == Decimal("0.6")
    assert (city.name, city.points, city.required, city.quote, city.guidance) == (
        "Names the city", Decimal("2.5"), True, True, "Does it name the city?"
    )  # fmt: skip
    assert (rude.points, rude.weight, rude.quote, rude.is_fault) == (-1, 0, False, True)
    assert (clear.scale.values, clear.at_least) == ((1, 3, 10), 3)
    assert str(clear.needed_share) == "2/9"
    assert (sources.kind, sources.source, short.checks) == ("claims", "context", (("max_words", 40),))
    assert parse(GOOD.replace("pass_at: 0.6\n", ""), "mine.yaml").numbers["pass_at"] == Decimal("0.7")


SCALE = "scale: {1: not at all, 3: partly, 10: fully}"
NOT_REQUIRED = "clear.at_least: the item is not required; only with `required: true`"
MISTAKES = [
    ("pass_at: 0.6", "pass_at: 1.5", 4, "pass_at: 1.5; a number from 0 to 1 is allowed"),
    ("pass_at: 0.6", "scale: {min: 1, max: 5}", 4, "scale: unknown field of the rubric; one of calibration, items"),
    ("points: 2.5", "points: 0", 8, "city.points: 0; a number above 0, or below 0 for a fault"),
    ("points: 2.5", "points: many", 8, "city.points: 'many' is not a number"),
    ("points: 2.5", "weight: 2.5", 8, "weight: unknown field of an item; one of"),
    ("required: true", "required: maybe", 9, "city.required: 'maybe'; true or false is allowed"),
    ("    ask: Does it name the city?\n", "", 6,
     "city: no kind; exactly one of ask, claims, covers, constraints, check is needed"),
    ("    claims: context", "    claims: context\n    covers: reference", 21,
     "sources: claims and covers; exactly one of"),
    ("claims: context", "claims: task", 23, "sources.claims: 'task'; context or reference or both is allowed"),
    ("claims: context", "covers: context", 23, "sources.covers: 'context'; reference is allowed"),
    ("claims: context", "constraints: answer", 23, "sources.constraints: 'answer'; task is allowed"),
    ("points: 3", "points: -3", 22, "sources.points: -3; below 0 only for a yes/no ask and for check"),
    ("points: 1\n", "points: -1\n", 16, "clear.points: -1; below 0 only for a yes/no ask and for check"),
    ("at_least: 3", "at_least: 4", 18, "clear.at_least: 4; one of the levels 1, 3, 10"),
    ("    required: true\n    at_least: 3", "    at_least: 3", 17, NOT_REQUIRED),
    (SCALE, "scale: {1: fully}", 20, "clear.scale: 1 level; 2 to 11 are allowed"),
    (SCALE, "scale: {1: a, 1.0: b}", 20, "clear.scale: 1 appears twice; each level once"),
    (SCALE, "scale: {low: a, high: b}", 20, "clear.scale, a level: 'low' is not a number"),
    ("quote: none", "quote: optional", 13, "rude.quote: 'optional'; `none` is allowed, or leave it out"),
    ("    claims: context", "    claims: context\n    quote: none", 24, "sources.quote: not for claims; only for ask"),
    ("key: rude", "key: city", 11, "items: city appears twice; each key once"),
    ("key: rude", "key: the rude", 11, "key: 'the rude'; a letter, then letters, digits or _"),
]  # fmt: skip


def test_a_mistake_is_refused_with_file_line_item_and_what_is_allowed():
    for old, new, line, says in MISTAKES:
        assert old in GOOD
        with pytest.raises(RubricError) as refused:
            parse(GOOD.replace(old, new, 1), "mine.yaml")
        assert str(refused.value).startswith(f"mine.yaml:{line}: {says}"), str(refused.value)


def test_a_rubric_without_a_positive_item_is_refused():
    with pytest.raises(RubricError, match="at least one item with points above 0 is needed"):
        parse(f"{HEAD}items:\n  - {{key: x, points: -1, check: {{contains: x}}}}\n", "mine.yaml")


def test_adjudge_rubric_prints_how_the_points_add_up_and_which_items_need_which_source(tmp_path, capsys):
    file = tmp_path / "mine.yaml"
    file.write_text(GOOD + "  - {key: all, points: 3.5, required: true, at_least: 0.5, covers: reference}\n")
    assert main(["rubric", str(file)]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].endswith("a rubric for grade with 6 items")
    assert printed[1:] == [
        "passes at 0.6 of 10 points that can be earned",
        "  points  share  kind         item",
        "     2.5   25 %  ask          city  (required)",
        "      -1   cost  ask          rude",
        "       1   10 %  scale        clear  (required, at least 3)",
        "       3   30 %  claims       sources",
        "    -0.5   cost  check        short",
        "     3.5   35 %  covers       all  (required, at least 0.5)",
        "need the context: sources",
        "need the reference: all",
    ]


def test_adjudge_rubric_new_writes_a_commented_starting_file(tmp_path, capsys):
    assert main(["rubric", "--new", "grade"]) == 0
    text = capsys.readouterr().out
    rubric = parse(text, "new.yaml")
    assert {one.kind for one in rubric.criteria} == {"ask", "scale", "claims", "covers", "constraints", "check"}
    assert text.count("#") >= 10
    assert main(["rubric", "--new", "grade", "-o", str(tmp_path / "new.yaml")]) == 0
    assert (tmp_path / "new.yaml").read_text() == text
    assert main(["rubric", "--new", "grade", "-o", str(tmp_path / "new.yaml")]) == 2
    assert "exists" in capsys.readouterr().err
    assert main(["rubric", "--new", "compare"]) == 0
    assert capsys.readouterr().out == shipped("compare").source
