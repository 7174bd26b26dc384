import json
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.facts.format import find_format
from adjudge.facts.items import find_items
from adjudge.facts.length import find_too_long
from adjudge.facts.requests import read_requests
from adjudge.facts.wishes import FormatWish, ItemsWish, LengthWish

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

from request_detectors import load, score_answers

TABLE = "| a | b |\n| --- | --- |\n| 1 | 2 |"
PYTHON = "```python\ndef add(a, b):\n    return a + b\n```"


def wish(name, forbidden: bool = False, language: str | None = None, only: bool = False) -> FormatWish:
    return FormatWish(name, forbidden, 0, 1, "?", language, only)


def certainties(text: str, asked: FormatWish) -> list[bool]:
    return [spot.certain for spot in find_format(text, [asked])]


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("json", '{"a": [1, 2]}', "The result is one."),
        ("json", 'Here:\n```json\n{"a": 1}\n```\nDone.', '{"a": 1,}'),
        ("json", 'Here it is: {"a": 1}', "```json\n{'a': 1}\n```"),
        ("json", '{"a": 1}\n{"a": 2}', '{"a": 1 "b": 2}'),
        ("table", TABLE, "Cats are small."),
        ("table", "Anna | 3\nTom | 4", "Anna has 3, Tom has 4."),
        ("table", "<table><tr><td>1</td></tr></table>", "- cats\n- dogs"),
        ("bulleted list", "- a\n- b", "Cats and dogs."),
        ("numbered list", "1. a\n2. b", "Cats and dogs."),
        ("code", PYTHON, "You add both."),
        ("html", "<p>Hi</p>", "Hi"),
        ("xml", "<a>1</a>", "one"),
        ("csv", "a,b\n1,2", "a and b"),
        ("yaml", "port: 80", "the port is eighty"),
    ],
)
def test_a_missing_or_broken_format_is_certain(name, right: str, wrong: str) -> None:
    assert find_format(right, [wish(name)]) == []
    spots = find_format(wrong, [wish(name)])
    assert [(spot.certain, spot.severity, spot.start, spot.end) for spot in spots] == [(True, "major", 0, len(wrong))]


@pytest.mark.parametrize(
    ("name", "there", "place"),
    [
        ("code", "So:\n```\nx\n```", "```"),
        ("table", "So:\n" + TABLE, "| a | b |"),
        ("bulleted list", "So:\n- a\n- b", "- a"),
        ("list", "So:\n1. a\n2. b", "1. a"),
        ("markdown", "It is **bold**.", "**bold**"),
        ("emojis", "Hi 🌸", "🌸"),
        ("html", "Hi <b>you</b>", "<b>"),
    ],
)
def test_a_forbidden_format_is_certain_and_shown_where_it_stands(name, there: str, place: str) -> None:
    (spot,) = find_format(there, [wish(name, forbidden=True)])
    assert spot.certain and there[spot.start : spot.end].startswith(place)
    assert find_format("Nothing of the kind.", [wish(name, forbidden=True)]) == []


def test_only_json_allows_no_text_around_it() -> None:
    assert certainties('{"a": 1}', wish("json", only=True)) == []
    assert certainties('Sure! {"a": 1}', wish("json", only=True)) == [True]
    assert certainties('```json\n{"a": 1}\n```', wish("json", only=True)) == [False]


def test_doubtful_cases_are_hints() -> None:
    assert certainties("- a\n- b", wish("numbered list")) == [False]
    assert certainties("apples\npears\nplums", wish("bulleted list")) == [False]
    assert certainties("```js\nlet a\n```", wish("code", language="python")) == [False]
    assert certainties("It is **bold**.", wish("plain text")) == [False]
    assert certainties("– Who is there?\n– It is me!", wish("bulleted list", forbidden=True)) == [False]


def test_a_language_may_be_named_in_another_way() -> None:
    assert find_format("```py\nx = 1\n```", [wish("code", language="python")]) == []
    assert find_format("```\nx = 1\n```", [wish("code", language="python")]) == []


def test_an_empty_answer_has_no_format_to_be_judged() -> None:
    assert find_format(" <turn_end>", [wish("json")]) == []


def test_measured_certain_facts_are_right() -> None:
    assert len(load("answers.jsonl")) >= 120
    scores, wrong = score_answers()
    for name, counts in scores.items():
        floor = 0.97 if name.endswith("certain") else 0.95
        assert counts.right >= (counts.right + counts.false_alarms) * floor, wrong
    assert all(
        counts.right >= (counts.right + counts.missed) * 0.95 for name, counts in scores.items() if "all" in name
    )


@pytest.mark.parametrize(
    "text",
    ["{" * 1_000_000, "[1]" * 300_000, "- a\n" * 250_000, "word " * 200_000, "河" * 1_000_000,
     '"' * 1_000_000, "1. " * 330_000, "\n" * 1_000_000,
     "a" * 1_000_000, "```\n" * 250_000, "write 3 " * 125_000, "| a " * 250_000, "Human: a\n" * 110_000,
     "100 words " * 100_000, "in a table " * 90_000, "<ab>" * 250_000, "no code, " * 110_000],
    ids=lambda text: repr(text[:8]),
)  # fmt: skip
def test_a_megabyte_takes_no_longer_than_it_should(text: str) -> None:
    formats = [wish(name) for name in ("json", "table", "list", "code", "yaml")] + [wish("markdown", forbidden=True)]
    read_requests("Write 3 examples in about 50 words.")
    began = time.process_time()
    read_requests(text)
    find_format(text, formats)
    find_items(text, ItemsWish("exactly", 3, "items", 0, 1, "?"))
    find_too_long(text, LengthWish("about", 100, "words", 0, 1, "?"))
    assert time.process_time() - began < 0.5  # ten times what it takes here: busy machines run this


PIECES = st.sampled_from(
    [
        "{",
        "}",
        "[1]",
        '"a":',
        "1,",
        "```json\n",
        "```",
        "- a\n",
        "| a | b |\n",
        "|---|---|\n",
        "**x**",
        "<p>",
        "🌸",
        "\n",
        "\t",
        "\x00",
    ]
)
NAMES = [
    "list",
    "bulleted list",
    "numbered list",
    "table",
    "json",
    "code",
    "html",
    "csv",
    "yaml",
    "xml",
    "plain text",
    "markdown",
    "emojis",
]


@given(st.one_of(st.text(max_size=300), st.lists(PIECES, max_size=30).map("".join)))
def test_no_text_makes_it_raise_and_places_are_in_the_text(text: str) -> None:
    asked = [wish(name, forbidden=ban, only=True, language="python") for name in NAMES for ban in (False, True)]
    for spot in find_format(text, asked):
        assert 0 <= spot.start <= spot.end <= len(text)


def test_samples_are_valid_json_lines() -> None:
    assert all(json.dumps(sample) for sample in load("requests.jsonl"))
