"""Reads YAML that people write, node by node: a node knows its line, so that an error can name it.

A text that is nested too deeply, or that expands aliases, is refused before it costs anything.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any, NoReturn

import yaml

from .arithmetic import plain, to_decimal
from .errors import RubricError
from .models.cases import MAX_WEIGHT_PLACES
from .spelling import did_you_mean

MAX_DEPTH = 20
MAX_NODES = 20_000
MAX_NAMED = 100

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}\Z")


class BoundedLoader(yaml.SafeLoader):
    """Stops as soon as a text is nested more deeply, or has more nodes or aliases, than any rubric needs.

    Not CSafeLoader: it overflows the stack on deep nesting, which ends the process.
    """

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self._depth = self._nodes = self._named = 0

    def get_event(self) -> Any:
        event = super().get_event()  # type: ignore[no-untyped-call]
        self._depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        self._nodes += isinstance(event, yaml.NodeEvent)
        self._named += isinstance(event, yaml.NodeEvent) and event.anchor is not None
        for what, count, most in (
            ("levels of nesting", self._depth, MAX_DEPTH),
            ("values", self._nodes, MAX_NODES),
            ("anchors and aliases", self._named, MAX_NAMED),
        ):
            if count > most:
                raise yaml.MarkedYAMLError(None, None, f"more than {most:,} {what}", event.start_mark)
        return event


def compose(text: str, place: str) -> yaml.Node | None:
    """Parse a text to nodes. Raise RubricError, which refers to it as `place`, if it is not YAML."""
    try:
        node: yaml.Node | None = yaml.compose(text, Loader=BoundedLoader)
        return node
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise RubricError(f"{place}:{line}", f"not YAML: {error.problem}", "see `adjudge rubric PROTOCOL`") from None
    except yaml.YAMLError as error:
        raise RubricError(place, f"not YAML: {str(error).splitlines()[0]}") from None


class NodeReader:
    """Reads nodes and refuses what is wrong with its place and what is allowed. Errors refer to the text as `place`."""

    def __init__(self, place: str) -> None:
        self.place = place
        self._seen: set[int] = set()

    def plain_data(self, node: yaml.Node) -> Any:
        """Convert a node to plain data, with all numbers left as text."""
        self.once(node)
        if isinstance(node, yaml.MappingNode):
            return {self.text(key, "a key"): self.plain_data(value) for key, value in node.value}
        if isinstance(node, yaml.SequenceNode):
            return [self.plain_data(each) for each in node.value]
        return str(node.value)

    def mapping(
        self, node: yaml.Node | None, what: str, allowed: set[str] | None, needed: tuple[str, ...]
    ) -> dict[str, yaml.Node]:
        if not isinstance(node, yaml.MappingNode):
            found = f"{what}: expected key: value lines, found {kind_of_node(node)}"
            self.refuse(node, found, _listing(allowed or needed))
        self.once(node)
        fields: dict[str, yaml.Node] = {}
        for key_node, value in node.value:
            key = self.text(key_node, "a key")
            if allowed is not None and key not in allowed:
                meant = did_you_mean(key, sorted(allowed))
                self.refuse(key_node, f"{key}: unknown field of {what}", meant + _listing(allowed))
            if key in fields:
                self.refuse(key_node, f"{key}: appears twice in {what}", "each field once")
            fields[key] = value
        for key in needed:
            if key not in fields:
                self.refuse(node, f"{what} has no {key}", f"needed: {', '.join(needed)}")
        return fields

    def sequence(self, node: yaml.Node, what: str) -> list[yaml.Node]:
        if not isinstance(node, yaml.SequenceNode):
            self.refuse(node, f"{what}: expected a list, found {kind_of_node(node)}", "lines that begin with `- `")
        return list(node.value)

    def key(self, node: yaml.Node) -> str:
        key = self.text(node, "key")
        if not _KEY.match(key):
            self.refuse(node, f"key: {key!r}", "a letter, then letters, digits or _ (at most 64)")
        return key

    def line(self, node: yaml.Node, what: str) -> str:
        """Read a text that is shown in reports and on terminals, so it must be one line without control characters."""
        text = self.text(node, what)
        if _CONTROL.search(text):
            self.refuse(node, f"{what}: {text[:40]!r}", "one line without control characters is allowed")
        return text

    def text(self, node: yaml.Node, what: str) -> str:
        if not isinstance(node, yaml.ScalarNode) or not str(node.value).strip():
            self.refuse(node, f"{what}: expected text, found {kind_of_node(node)}", "a non-empty string is allowed")
        if _SURROGATE.search(node.value):
            self.refuse(node, f"{what}: half of a surrogate pair", "text must be valid Unicode")
        return str(node.value)

    def number(self, node: yaml.Node, what: str) -> Decimal:
        number = to_decimal(node.value) if isinstance(node, yaml.ScalarNode) else None
        places = -int(number.as_tuple().exponent) if number is not None else 0
        if number is None or number.adjusted() > 15 or places > MAX_WEIGHT_PLACES:
            found = repr(node.value) if isinstance(node, yaml.ScalarNode) else kind_of_node(node)
            self.refuse(node, f"{what}: {found} is not a number", "a number such as 1.5 is allowed")
        return plain(number)

    def flag(self, node: yaml.Node, what: str) -> bool:
        if not isinstance(node, yaml.ScalarNode) or node.value not in ("true", "false"):
            self.refuse(node, f"{what}: {kind_of_node(node)}", "true or false is allowed")
        return bool(node.value == "true")

    def json_data(self, node: yaml.Node) -> Any:
        """Convert a node to what the same text is in JSON: numbers, true, false and null where YAML has them."""
        self.once(node)
        if isinstance(node, yaml.MappingNode):
            return {str(key.value): self.json_data(value) for key, value in node.value}
        if isinstance(node, yaml.SequenceNode):
            return [self.json_data(each) for each in node.value]
        kind = node.tag.rpartition(":")[2]
        if kind == "null":
            return None
        if kind == "bool":
            return node.value.lower() in ("true", "yes", "on")
        if kind in ("int", "float") and (number := to_decimal(node.value)) is not None:
            return int(number) if kind == "int" else float(number)
        return str(node.value)

    def once(self, node: yaml.Node) -> None:
        # An alias gives the same node twice. Expanding aliases could turn a small file into a huge one.
        if id(node) in self._seen:
            self.refuse(node, "an alias (*name)", "write it out")
        self._seen.add(id(node))

    def refuse(self, node: yaml.Node | None, found: str, allowed: str) -> NoReturn:
        line = node.start_mark.line + 1 if node is not None else 1
        raise RubricError(f"{self.place}:{line}", found, allowed)


def kind_of_node(node: yaml.Node | None) -> str:
    """Name what a node is, for messages."""
    if isinstance(node, yaml.MappingNode):
        return "key: value lines"
    if isinstance(node, yaml.SequenceNode):
        return "a list"
    return "nothing" if node is None or not str(node.value).strip() else f"{str(node.value)[:40]!r}"


def _listing(names: set[str] | tuple[str, ...]) -> str:
    return f"one of {', '.join(sorted(names) if isinstance(names, set) else names)}" if names else ""
