"""Checks: what code decides alone, at once whatever the answer and the rubric hold."""

import pytest
from protocols.grade.judging import HEAD, rubric_of
from quick import within

from adjudge.errors import RubricError
from adjudge.protocols.grade.check import check
from adjudge.protocols.rubrics import parse

ENGLISH = (
    "The capital of Norway is Oslo, a city of about seven hundred thousand people at the end of a long fjord. "
    "Many visitors come in the summer, when the days are long and the islands can be reached by boat."
)
FRENCH = (
    "La capitale de la Norvège est Oslo, une ville de sept cent mille habitants au bout d’un long fjord. "
    "Beaucoup de visiteurs viennent en été, quand les jours sont longs et que les îles sont proches."
)
CHINESE = (
    "奥斯陆是挪威的首都，也是挪威最大的城市，位于奥斯陆峡湾的尽头。"
    "夏天的白天很长，许多游客坐船去附近的小岛游玩，晚上再回到城里吃饭休息。"
)


def checked(condition, text):
    item = rubric_of(("x", 1, f"check: {{{condition}}}")).criteria[0]
    return check(item.checks, text)


CONDITIONS = [
    ("contains: Oslo", "It is Oslo.", "It is oslo."),
    ("contains: [Oslo, Norway]", "Oslo, Norway", "Oslo"),
    ("contains: café", "A cafe\u0301.", "A cafe."),
    ("contains_any: [Oslo, Bergen]", "In Bergen.", "In Moss."),
    ("excludes: sorry", "Oslo.", "I am sorry."),
    ("excludes: [sorry, unable]", "Oslo.", "I am unable."),
    ("equals: Oslo", " Oslo\n", "Oslo."),
    ("matches: '^[A-Z]\\w+\\.$'", "Oslo.", "oslo."),
    ("matches: '(?i)OSLO'", "in oslo", "in Bergen"),
    ("json: true", '```json\n{"a": 1}\n```', 'Here it is: {"a": 1}'),
    ("json: true", "[1]", ""),
    ("json: {type: object, required: [a], properties: {a: {type: integer}}}", '{"a": 1}', '{"a": "1"}'),
    ("language: en", ENGLISH, FRENCH),
    ("language: English", ENGLISH, CHINESE),
    ("min_words: 2", "well-known", "Oslo"),
    ("max_words: 1", "well-known", "It is Oslo"),
    ("max_characters: 6", "a b c d", "abcdefg"),
]


def test_check_is_all_or_nothing():
    for condition, yes, no in CONDITIONS:
        assert [one.met for one in checked(condition, yes)] == [True], condition
        assert [one.met for one in checked(condition, no)] == [False], condition


def test_several_conditions_are_each_said():
    found = checked("contains: Oslo, max_words: 2, language: en", "It is Oslo")
    assert [(one.name, one.met) for one in found] == [("contains", True), ("max_words", False), ("language", None)]
    assert found[1].asked == "has at most 2 words"
    assert found[1].found == "has 3 words"


def at_once(condition, text):
    with within(20):  # only a hang takes longer
        (found,) = checked(condition, text)
    return found


def test_hostile_patterns_and_texts_are_decided_in_linear_time():
    many = "a" * 100_000
    assert at_once("matches: '^(a+)+$'", many + "!").met is False
    assert at_once("matches: '(a+)+$'", many).met is True
    assert at_once("json: {type: string, pattern: '^(a+)+$'}", f'"{many}!"').met is False
    # a code fence that is never closed
    assert at_once("json: true", "```\n" + " " * 900_000 + "x").met is False
    assert at_once("json: true", "```json\n" + " " * 900_000 + "[1]\n```").met is True
    for schema in ("true", "{type: array}"):
        found = at_once(f"json: {schema}", "[" * 10**6 + "]" * 10**6)
        assert (found.met, found.found) == (False, "is nested too deeply")


def test_a_schema_may_refer_to_itself_inside_a_property():
    tree = "json: {type: object, required: [name], properties: {name: {type: string}, left: {$ref: '#'}}}"
    assert checked(tree, '{"name": "a", "left": {"name": "b"}}')[0].met is True
    assert checked(tree, '{"name": "a", "left": {"name": 3}}')[0].met is False
    flat = "json: {properties: {left: {properties: {name: {type: string}}}}}"
    wrong = checked(flat, '{"left": {"name": 3}}')[0]
    assert (wrong.met, "left.name" in wrong.found) == (False, True)


def test_a_deep_answer_and_a_schema_that_refers_to_itself_twice_are_decided_at_once():
    twice = "json: {type: object, required: [b], properties: {a: {anyOf: [{$ref: '#'}, {$ref: '#'}]}}}"
    for depth in (30, 500):
        nested = '{"b": 1, "a": ' * depth + "{%s}" + "}" * depth
        assert at_once(twice, nested % '"b": 1').met is True
        assert at_once(twice, nested % "").met is False


BAD = {
    "json: {$ref: '#/$defs/a', $defs: {a: {$ref: '#/$defs/b'}, b: {$ref: '#/$defs/a'}}}": "goes in a circle",
    "json: {allOf: [{$ref: '#'}]}": "goes in a circle",
    "json: {$ref: '#'}": "goes in a circle",
    "json: {$ref: 'http://127.0.0.1:9/x.json'}": "a valid JSON schema is needed",
    "json: {$ref: 'file:///etc/hostname'}": "a valid JSON schema is needed",
    "json: {type: objekt}": "a valid JSON schema is needed",
    "json: yes please": "true, or a JSON schema, is allowed",
    "matches: '(?=a)b'": "RE2's syntax",
    "matches: '(a'": "RE2's syntax",
    "language: Klingonese": "a language such as English",
    "min_words: 1.5": "a whole number from 0 to 1,000,000 is allowed",
    "contains: []": "a text, or a list of texts",
    "contain: x": "unknown field of x.check; did you mean contains? one of contains",
    "": "x.check: empty",
}


def test_a_bad_check_is_refused_with_its_item_and_line():
    for condition, says in BAD.items():
        with pytest.raises(RubricError) as refused:
            parse(f"{HEAD}items:\n  - key: x\n    points: 1\n    check: {{{condition}}}\n", "mine.yaml")
        told = str(refused.value)
        assert told.startswith("mine.yaml:7: ") and says in told and "x.check" in told, condition
