"""The checks of a rubric: conditions on the final answer that code decides alone, each yes or no.

Patterns are matched in linear time, JSON is read with a limit on nesting, and a schema may refer only to itself: no
answer and no rubric can make a check slow.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import orjson
import yaml

from ...constraints.counting import character_counts, counts_in_characters, word_counts
from ...text.asked_language import language_for
from ...text.language import are_close, code_named, language_name
from ...yaml_nodes import NodeReader, kind_of_node
from .verdict import CheckResult

Conditions = tuple[tuple[str, Any], ...]
_MOST = 1_000_000  # words or characters
_SHOWN = 80
_FENCED = re.compile(r"\A(`{3,}|~{3,})[\w+-]*[ \t]*\n(.*?)\n?[ \t]*\1\Z", re.DOTALL)
_NESTED_TOO_DEEPLY = "depth limit"  # in orjson's message
# Where a schema applies another one to the same value. A circle of these never ends.
_IN_PLACE = ("$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas")


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


def _one_text(reader: NodeReader, node: yaml.Node, place: str) -> str:
    return reader.text(node, place)


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


# -- JSON --------------------------------------------------------------------------------------------------------------


class Schema:
    """A JSON schema. It is compared by its text, so that rubrics with the same one are equal."""

    def __init__(self, data: Any) -> None:
        self.text = orjson.dumps(data)

    @property
    def refers(self) -> bool:
        """Whether it has references. To say where a value does not fit may then take time exponential in its depth,
        while whether it fits is known at once."""
        return b'"$ref"' in self.text or b'"$dynamicRef"' in self.text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Schema) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)


@lru_cache(maxsize=64)
def _validator(schema: Schema) -> Any:
    import jsonschema_rs

    def refuse(uri: str) -> Any:
        raise ValueError(f"{uri} is not part of the schema")

    return jsonschema_rs.validator_for(
        orjson.loads(schema.text), retriever=refuse, pattern_options=jsonschema_rs.RegexOptions()
    )


def _schema(reader: NodeReader, node: yaml.Node, place: str) -> Schema | None:
    """Read `true`, or a schema; None stands for `true`."""
    if isinstance(node, yaml.ScalarNode):
        if node.value == "true":
            return None
        reader.refuse(node, f"{place}: {kind_of_node(node)}", "true, or a JSON schema, is allowed")
    data = reader.json_data(node)
    if not isinstance(data, dict):
        reader.refuse(node, f"{place}: {kind_of_node(node)}", "true, or a JSON schema, is allowed")
    if circle := _circle(data):
        allowed = "a reference may lead back only from inside a property or an item"
        reader.refuse(node, f"{place}: the reference {circle} goes in a circle", allowed)
    schema = Schema(data)
    try:
        _validator(schema)
    except ValueError as error:  # what jsonschema-rs raises is one
        reader.refuse(node, f"{place}: {str(error).splitlines()[0][:200]}", "a valid JSON schema is needed")
    return schema


def _circle(schema: dict[str, Any]) -> str:
    """Return a reference by which a schema applies itself to the same value again, or an empty string."""
    done: set[int] = set()
    for start in _schemas(schema):
        # Depth first without recursion; `path` holds the schemas that lead here.
        path: dict[int, str] = {}
        stack: list[tuple[str, Any, bool]] = [("", start, False)]
        while stack:
            by, node, leave = stack.pop()
            if leave:
                path.pop(id(node))
                done.add(id(node))
            elif id(node) in path:
                return by or "#"
            elif id(node) not in done:
                path[id(node)] = by
                stack.append((by, node, True))
                stack += [(name, each, False) for name, each in _in_place(node, schema)]
    return ""


def _schemas(node: Any) -> Iterator[dict[str, Any]]:
    nodes = [node]
    while nodes:
        one = nodes.pop()
        if isinstance(one, dict):
            yield one
            nodes += one.values()
        elif isinstance(one, list):
            nodes += one


def _in_place(node: dict[str, Any], root: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for name in _IN_PLACE:
        given = node.get(name)
        if name in ("$ref", "$dynamicRef"):
            target = _resolved(given, root) if isinstance(given, str) else None
            if isinstance(target, dict):
                yield str(given), target
        elif name == "dependentSchemas" and isinstance(given, dict):
            yield from ((name, each) for each in given.values() if isinstance(each, dict))
        else:
            yield from (
                (name, each) for each in (given if isinstance(given, list) else [given]) if isinstance(each, dict)
            )


def _resolved(reference: str, root: dict[str, Any]) -> Any:
    """Return the part of a schema that a local reference names, or None."""
    if not reference.startswith("#"):
        return None
    if reference[1:2] not in ("", "/"):
        anchors = ("$anchor", "$dynamicAnchor")
        return next((one for one in _schemas(root) if reference[1:] in [one.get(name) for name in anchors]), None)
    part: Any = root
    for piece in reference[2:].split("/") if len(reference) > 1 else ():
        name = piece.replace("~1", "/").replace("~0", "~")
        if isinstance(part, Mapping):
            part = part.get(name)
        else:
            part = part[int(name)] if isinstance(part, list) and name.isdigit() and int(name) < len(part) else None
    return part


def _json(schema: Schema | None, text: str) -> Tested:
    bare = text.strip("\ufeff \t\r\n")
    if fenced := _FENCED.match(bare):
        bare = fenced[2]
    try:
        data = orjson.loads(bare)
    except orjson.JSONDecodeError as error:
        deep = _NESTED_TOO_DEEPLY in str(error) or "recursion" in str(error)
        why = "is nested too deeply" if deep else f"is not JSON: {error.msg} at character {error.pos}"
        return Tested(False, why)
    if schema is None:
        return Tested(True, "is JSON")
    if _validator(schema).is_valid(data):
        return Tested(True, "is JSON that fits the schema")
    if schema.refers:
        return Tested(False, "does not fit the schema")
    wrong = next(iter(_validator(schema).iter_errors(data)))
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


def _several(counts: range, unit: str) -> str:
    low, high = counts[0], counts[-1]
    many = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    return f"has {many} {unit}{'' if many == '1' else 's'}"


def _words(text: str) -> tuple[range, str]:
    return word_counts(text), "character" if counts_in_characters(text) else "word"


def _min_words(least: int, text: str) -> Tested:
    counts, unit = _words(text)
    return Tested(counts[-1] >= least, _several(counts, unit))


def _max_words(most: int, text: str) -> Tested:
    counts, unit = _words(text)
    return Tested(counts[0] <= most, _several(counts, unit))


def _max_characters(most: int, text: str) -> Tested:
    counts = character_counts(text)
    return Tested(counts[0] <= most, _several(counts, "character"))


CONDITIONS: dict[str, Condition] = {
    "contains": Condition(_texts, lambda words: f"contains {_listed(words, 'and')}", _contains),
    "contains_any": Condition(_texts, lambda words: f"contains {_listed(words, 'or')}", _contains_any),
    "excludes": Condition(_texts, lambda words: f"does not contain {_listed(words, 'or')}", _excludes),
    "equals": Condition(_one_text, lambda words: f"is {_short(words)}", _equals),
    "matches": Condition(_pattern, lambda pattern: f"matches the pattern {_short(pattern)}", _matches),
    "json": Condition(_schema, lambda schema: "is JSON that fits the schema" if schema else "is JSON", _json),
    "language": Condition(_language, lambda code: f"is in {language_name(code)}", _in_language),
    "min_words": Condition(_amount, lambda least: f"has at least {least:,} words", _min_words),
    "max_words": Condition(_amount, lambda most: f"has at most {most:,} words", _max_words),
    "max_characters": Condition(_amount, lambda most: f"has at most {most:,} characters", _max_characters),
}
