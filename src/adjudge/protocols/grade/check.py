"""The checks of a rubric: conditions on the final answer that code decides alone, each yes or no.

Patterns are matched in linear time, JSON is read with a limit on nesting, and a schema may refer only to itself: no
answer and no rubric can make a check slow.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import orjson
import yaml

from ...constraints.counting import character_counts, counts_in_characters, word_counts
from ...constraints.measuring import several
from ...text.asked_language import language_for
from ...text.language import are_close, code_named, language_name
from ...yaml_nodes import NodeReader
from .schema import Schema, read_schema, validator
from .verdict import CheckResult

Conditions = tuple[tuple[str, Any], ...]
_MOST = 1_000_000  # words or characters
_SHOWN = 80
_FENCE = re.compile(r"(`{3,}|~{3,})[\w+-]*[ \t]*\n")
_NESTED_TOO_DEEPLY = "depth limit"  # in orjson's message


class Tested(NamedTuple):
    """Whether a condition is met, None if nobody can tell, and what was found."""

    met: bool | None
    says: str


@dataclass(frozen=True)
class Condition:
    """One kind of condition: how its value is read, how it is said, and how a text is tested."""

    read: Callable[[NodeReader, yaml.Node, str], Any]
    asked: Callable[[Any], str]
    test: Callable[[Any, str], Tested]


def read_conditions(reader: NodeReader, node: yaml.Node, key: str) -> Conditions:
    """Read the conditions of a check. All of them must be met."""
    fields = reader.mapping(node, f"{key}.check", set(CONDITIONS), ())
    if not fields:
        reader.refuse(node, f"{key}.check: empty", f"one of {', '.join(CONDITIONS)} is needed")
    return tuple((name, CONDITIONS[name].read(reader, each, f"{key}.check.{name}")) for name, each in fields.items())


def in_words(conditions: Conditions) -> str:
    """Say what a check demands."""
    return f"The answer {' and '.join(CONDITIONS[name].asked(value) for name, value in conditions)}."


def check(conditions: Conditions, text: str) -> tuple[CheckResult, ...]:
    """Test a text against all conditions."""
    found = ((name, value, CONDITIONS[name].test(value, text)) for name, value in conditions)
    return tuple(
        CheckResult(name=name, asked=CONDITIONS[name].asked(value), met=one.met, found=one.says)
        for name, value, one in found
    )


# -- words -------------------------------------------------------------------------------------------------------------


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", text).replace("\r\n", "\n")


def _short(words: str) -> str:
    line = " ".join(words.split())
    return f"“{line[:_SHOWN]}{'…' if len(line) > _SHOWN else ''}”"


def _texts(reader: NodeReader, node: yaml.Node, place: str) -> tuple[str, ...]:
    nodes = reader.sequence(node, place) if isinstance(node, yaml.SequenceNode) else [node]
    if not nodes:
        reader.refuse(node, f"{place}: empty", "a text, or a list of texts, is allowed")
    return tuple(reader.text(each, place) for each in nodes)


def _listed(words: tuple[str, ...], between: str) -> str:
    *first, last = map(_short, words)
    return f"{', '.join(first)} {between} {last}" if first else last


def _none_of(words: tuple[str, ...]) -> str:
    return f"has none of {_listed(words, 'and')}" if len(words) > 1 else f"has no {_short(words[0])}"


def _there(words: tuple[str, ...], text: str) -> list[str]:
    plain = _plain(text)
    return [each for each in words if _plain(each) in plain]


def _contains(words: tuple[str, ...], text: str) -> Tested:
    there = _there(words, text)
    missing = tuple(each for each in words if each not in there)
    return Tested(not missing, f"lacks {_listed(missing, 'and')}" if missing else f"has {_listed(words, 'and')}")


def _contains_any(words: tuple[str, ...], text: str) -> Tested:
    there = _there(words, text)
    return Tested(bool(there), f"has {_listed(tuple(there), 'and')}" if there else _none_of(words))


def _excludes(words: tuple[str, ...], text: str) -> Tested:
    there = _there(words, text)
    return Tested(not there, f"has {_listed(tuple(there), 'and')}" if there else _none_of(words))


def _equals(wanted: str, text: str) -> Tested:
    same = _plain(wanted).strip() == _plain(text).strip()
    return Tested(same, "is the same text" if same else f"is {_short(text)}" if text.strip() else "is empty")


# -- patterns ----------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> Any:
    import re2  # of the checks only this one needs it

    options = re2.Options()
    options.log_errors = False
    return re2.compile(pattern, options)


def _pattern(reader: NodeReader, node: yaml.Node, place: str) -> str:
    import re2

    pattern = reader.text(node, place)
    try:
        _compiled(pattern)
    except re2.error as error:
        why = error.args[0].decode() if error.args and isinstance(error.args[0], bytes) else str(error)
        allowed = "a regular expression in RE2's syntax, which has no look-around and no backreferences"
        reader.refuse(node, f"{place}: {why}", allowed)
    return pattern


def _matches(pattern: str, text: str) -> Tested:
    found = _compiled(pattern).search(text)
    return Tested(found is not None, "has no match" if found is None else f"matches with {_short(found.group())}")


# -- JSON -------------------------------------------------------------------------------------------------------------


def _json(schema: Schema | None, text: str) -> Tested:
    bare = text.strip("\ufeff \t\r\n")
    if (fence := _FENCE.match(bare)) and bare.endswith(fence[1]) and len(bare) >= fence.end() + len(fence[1]):
        bare = bare[fence.end() : -len(fence[1])]
    try:
        data = orjson.loads(bare)
    except orjson.JSONDecodeError as error:
        deep = _NESTED_TOO_DEEPLY in str(error) or "recursion" in str(error)
        why = "is nested too deeply" if deep else f"is not JSON: {error.msg} at character {error.pos}"
        return Tested(False, why)
    if schema is None:
        return Tested(True, "is JSON")
    if validator(schema).is_valid(data):
        return Tested(True, "is JSON that fits the schema")
    if schema.refers:
        return Tested(False, "does not fit the schema")
    wrong = next(iter(validator(schema).iter_errors(data)))
    place = ".".join(map(str, wrong.instance_path))
    return Tested(False, f"does not fit the schema{f' at {place}' if place else ''}: {wrong.message[:200]}")


# -- language and length -----------------------------------------------------------------------------------------------


def _language(reader: NodeReader, node: yaml.Node, place: str) -> str:
    given = reader.text(node, place)
    code = code_named(given.strip())
    if code is None:
        reader.refuse(node, f"{place}: {given[:40]!r}", "a language such as English, or its ISO code, is allowed")
    return code


def _in_language(code: str, text: str) -> Tested:
    found = language_for(text, code)
    if found is None:
        return Tested(None, "is too short to tell its language")
    return Tested(are_close(found, code), f"is in {language_name(found)}")


def _amount(reader: NodeReader, node: yaml.Node, place: str) -> int:
    number = reader.number(node, place)
    if number != int(number) or not 0 <= number <= _MOST:
        reader.refuse(node, f"{place}: {number}", f"a whole number from 0 to {_MOST:,} is allowed")
    return int(number)


def _words(text: str) -> tuple[range, str]:
    return word_counts(text), "character" if counts_in_characters(text) else "word"


def _min_words(least: int, text: str) -> Tested:
    counts, unit = _words(text)
    return Tested(counts[-1] >= least, f"has {several(counts, unit)}")


def _max_words(most: int, text: str) -> Tested:
    counts, unit = _words(text)
    return Tested(counts[0] <= most, f"has {several(counts, unit)}")


def _max_characters(most: int, text: str) -> Tested:
    counts = character_counts(text)
    return Tested(counts[0] <= most, f"has {several(counts, 'character')}")


CONDITIONS: dict[str, Condition] = {
    "contains": Condition(_texts, lambda words: f"contains {_listed(words, 'and')}", _contains),
    "contains_any": Condition(_texts, lambda words: f"contains {_listed(words, 'or')}", _contains_any),
    "excludes": Condition(_texts, lambda words: f"does not contain {_listed(words, 'or')}", _excludes),
    "equals": Condition(NodeReader.text, lambda words: f"is {_short(words)}", _equals),
    "matches": Condition(_pattern, lambda pattern: f"matches the pattern {_short(pattern)}", _matches),
    "json": Condition(read_schema, lambda schema: "is JSON that fits the schema" if schema else "is JSON", _json),
    "language": Condition(_language, lambda code: f"is in {language_name(code)}", _in_language),
    "min_words": Condition(_amount, lambda least: f"has at least {least:,} words", _min_words),
    "max_words": Condition(_amount, lambda most: f"has at most {most:,} words", _max_words),
    "max_characters": Condition(_amount, lambda most: f"has at most {most:,} characters", _max_characters),
}
