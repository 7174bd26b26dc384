import subprocess
import sys
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from adjudge.facts.code import find_broken_code


def fenced(tag: str, code: str) -> str:
    return (
        f"Here:\n\n```{tag}\n{code}\n```\n\nThat is all there is to say about it, in many more words than the code has."
    )


def test_the_place_is_the_line_that_breaks() -> None:
    text = fenced("python", "x = 1\nprint(x\ny = 2")
    (spot,) = find_broken_code(text)
    assert text[spot.start : spot.end] == "print(x"
    assert spot.found == "Python code that does not parse: line 2: '(' was never closed"
    assert spot.certain and spot.severity == "minor"


@pytest.mark.parametrize("indent", ["   ", "> ", "\t"])
def test_an_indented_or_quoted_fence_is_read_without_its_prefix(indent: str) -> None:
    lines = ["```python", "def f():", "    return 1", "```"]
    assert find_broken_code("1. Do:\n" + "\n".join(indent + line for line in lines)) == []
    lines[2] = "    return (1"
    text = "1. Do:\n" + "\n".join(indent + line for line in lines)
    (spot,) = find_broken_code(text)
    assert text[spot.start : spot.end] == "return (1"


@pytest.mark.parametrize(
    ("text", "asked", "severity"),
    [
        (fenced("js", "let x = ;"), "", "minor"),
        (fenced("js", "let x = ;"), "Write a function that adds.", "major"),
        (fenced("js", "let x = ;"), "Escribe una función que sume.", "major"),
        (fenced("js", "let x = ;"), "関数を書いてください。", "major"),
        ("```js\nlet x = ;\nlet y = 3;\n```", "", "major"),
    ],
)
def test_broken_code_is_major_where_code_is_the_answer(text: str, asked: str, severity: str) -> None:
    assert [spot.severity for spot in find_broken_code(text, asked)] == [severity]


@pytest.mark.parametrize(
    "text",
    [
        "Look:\n```python\ndef f(:\n",  # cut off: truncation's matter
        fenced("python", 'print "hello"'),
        fenced("python", "type Pair[T] = tuple[T, T]\nx = f'{d['a']}'"),
        fenced("json", '{"a": 1, // a comment\n "b": 2,}'),
        fenced("json", "{'a': 1, b: 2}"),
        fenced("json", '{"a": <your key>, "b": ...}'),
        "This is wrong:\n```python\nprint('hello)\n```\nHere is why, in a few words more than the code needs.",
        fenced("python", "print('hello)  # SyntaxError"),
        '```\n{"a": 1, "b": [1, 2}\n```',
    ],
)
def test_what_a_version_a_dialect_or_a_lesson_explains_is_never_certain(text: str) -> None:
    assert not any(spot.certain for spot in find_broken_code(text))


def test_code_quoted_from_the_task_is_never_certain() -> None:
    assert not any(spot.certain for spot in find_broken_code(fenced("python", "print('x"), "Explain: print('x"))


@pytest.mark.parametrize(
    "text",
    [
        "No code here.",
        fenced("console", "$ if [ then"),
        fenced("text", "def f(:"),
        fenced("", "def f(:"),
        fenced("diff", "- x = (\n+ y = ("),
        fenced("python", ""),
        "{curly} braces open this sentence about {templates}",
    ],
)
def test_what_is_no_code_in_a_known_language_is_left_alone(text: str) -> None:
    assert find_broken_code(text) == []


def test_an_untagged_block_counts_where_the_task_names_the_language() -> None:
    text = "```\ndef add(a, b:\n    return a + b\n```"
    assert find_broken_code(text, "Tell me about bees.") == []
    (spot,) = find_broken_code(text, "Write a Python function.")
    assert not spot.certain


TAGS = ["python", "js", "ts", "java", "c", "c++", "go", "rust", "sql", "html", "json", "yaml", "sh"]
PIECES = st.sampled_from(
    [*"(){}[]<>'\"`;:,.=-+*/\\#@$%&|!?~^ \n\t", "if ", "def f", "class A", "</b>", "case ", "1", "é", "\0"]
)


@given(st.sampled_from(TAGS), st.lists(PIECES, max_size=60).map("".join), st.text(max_size=40))
@example("python", "\ud800", "")
@settings(max_examples=300, deadline=None)
def test_any_code_gives_places_inside_the_text(tag: str, code: str, asked: str) -> None:
    text = f"x\n```{tag}\n{code}\n```\n"
    for spot in find_broken_code(text, asked):
        assert 0 <= spot.start < spot.end <= len(text)


@pytest.mark.parametrize("tag", TAGS)
@pytest.mark.parametrize(
    "piece", ["(", "- ", "{ x = ) ", "'", '"', "a b ", "if x ", "[", "not ", "x\n", "<a ", '{"a":', "? "]
)
def test_hostile_code_is_bounded_in_time_and_does_not_crash(tag: str, piece: str) -> None:
    for size in (20_000, 1_000_000):
        text = f"```{tag}\n{(piece * size)[:size]}\n```"
        start = time.process_time()
        find_broken_code(text)
        assert time.process_time() - start < 0.6, "three times the limit, for slow machines"


def test_nothing_is_executed_and_no_warning_escapes() -> None:
    assert find_broken_code(fenced("python", "raise SystemExit\nx = '\\d'\nassert (1, 'x')\n1 is 1")) == []


def test_parsers_are_loaded_only_for_code() -> None:
    script = (
        "import sys, adjudge.facts.code as code; before = 'tree_sitter' in sys.modules or 'yaml' in sys.modules;"
        "code.find_broken_code('no code'); print(before, 'tree_sitter' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split()[1] == "False"
