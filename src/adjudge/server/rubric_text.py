"""Changes fields and list entries in the YAML text of a rubric; the rest stays as it was written, comments included.

A comment is lost only inside a value of several lines that is replaced. What a rubric may say is not known here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import yaml

from ..errors import RubricError
from ..yaml_nodes import compose, kind_of_node

PLACE = "rubric"
Changes = Mapping[str, yaml.Node | None]  # the new value of each changed field; None: it is left out
_Span = tuple[int, int, str]  # from, to, and the text that replaces it
_WIDE = 1_000_000  # no line is broken


@dataclass(frozen=True)
class ListEntry:
    """An entry of the list: the blank and comment lines before it, its own text, and the node that was read."""

    before: str
    body: str
    node: yaml.MappingNode


class RubricText:
    """The text of a rubric as fields and a list of entries, each of which has fields. Raises RubricError if it cannot
    be taken apart."""

    def __init__(self, text: str, listed: str) -> None:
        self.text = text if text.endswith("\n") else f"{text}\n"
        root = compose(self.text, PLACE)
        if not isinstance(root, yaml.MappingNode) or root.flow_style:
            raise RubricError(f"{PLACE}:1", f"found {kind_of_node(root)}", "key: value lines are needed")
        self._root, self._listed = root, listed
        self.fields = _fields(root)
        if listed not in self.fields:
            raise RubricError(f"{PLACE}:1", f"the rubric has no {listed}", f"{listed} is needed")
        self._list = self.fields[listed]
        if not isinstance(self._list, yaml.SequenceNode) and str(self._list.value).strip():
            _refuse(self._list, f"{listed}: found {kind_of_node(self._list)}", "a list is needed")
        _refuse_aliases(root)
        self.start, self.end, self.indent, self.entries = self._take_apart()

    def changed(self, fields: Changes, order: Sequence[str], entries: Sequence[ListEntry]) -> str:
        """Return the text with these fields changed and with these entries in the list."""
        listed = "".join(entry.before + entry.body for entry in entries)
        spans = [(self.start, self.end, f"{self._heading(listed)}{listed}")]
        spans += _changes(self.text, self._root, len(self.text), fields, [*order, self._listed])
        return _spliced(self.text, 0, len(self.text), spans)

    def entry(self, at: int, changes: Changes, order: Sequence[str]) -> ListEntry:
        """Return an entry with these fields changed."""
        old = self.entries[at]
        first = str(old.node.value[0][0].value) if old.node.value else ""
        whole = old.node.flow_style or not first or (first in changes and changes[first] is None)
        if whole or not self._is_block:
            kept = {**_fields(old.node), **changes}
            found = {name: kept[name] for name in [*order, *kept] if kept.get(name) is not None}
            return self.new_entry({name: node for name, node in found.items() if node is not None}, old.before)
        start = self._starts[at]
        spans = _changes(self.text, old.node, start + len(old.body), changes, order)
        return ListEntry(old.before, _spliced(self.text, start, start + len(old.body), spans), old.node)

    def new_entry(self, fields: Mapping[str, yaml.Node], before: str = "") -> ListEntry:
        """Return a new entry with these fields."""
        node = _mapping(fields)
        body = _written(yaml.SequenceNode("tag:yaml.org,2002:seq", [node], flow_style=False))
        return ListEntry(before, _indented(body, self.indent), node)

    def _take_apart(self) -> tuple[int, int, int, list[ListEntry]]:
        """Return where the list starts and ends in the text, how far it is indented, and its entries."""
        key = next(key for key, value in self._root.value if value is self._list)
        places = [other.start_mark.index for other, _ in self._root.value]
        limit = min((place for place in places if place > key.start_mark.index), default=len(self.text))
        listed = self._list if isinstance(self._list, yaml.SequenceNode) else None
        nodes = list(listed.value) if listed else []
        for node in nodes:
            if not isinstance(node, yaml.MappingNode):
                _refuse(node, f"{self._listed}: found {kind_of_node(node)}", "key: value lines are needed")
        dashes = [_dash(self.text, node) for node in nodes]
        self._is_block = listed is not None and bool(nodes) and not listed.flow_style and None not in dashes
        starts = [_line_start(self.text, dash) for dash in dashes if dash is not None]
        self._starts = starts
        if not self._is_block:
            start, end = key.start_mark.index, _trimmed(self.text, key.start_mark.index, limit, 0)
            self.indent = 2
            return start, end, 2, [replace(self.new_entry(_fields(node)), node=node) for node in nodes]
        indent = int(dashes[0] or 0) - starts[0]
        ends = [_trimmed(self.text, start, upto, indent) for start, upto in pairwise([*starts, limit])]
        befores = [_line_end(self.text, key.end_mark.index), *ends]
        entries = [
            ListEntry(self.text[before:start], self.text[start:end], node)
            for before, start, end, node in zip(befores, starts, ends, nodes, strict=False)
        ]
        return befores[0], ends[-1], indent, entries

    def _heading(self, listed: str) -> str:
        """Return the line before the list, if the list's place begins with it."""
        if self._is_block:
            return ""
        return f"{self._listed}:\n" if listed else f"{self._listed}: []\n"


def scalar(value: str, *, text: bool = False) -> yaml.ScalarNode:
    """Return the node of a value. As a text it is quoted where YAML would read a number; several lines are a block."""
    tag = "tag:yaml.org,2002:str" if text or not value else _resolved(value)
    return yaml.ScalarNode(tag, value, style="|" if "\n" in value else None)


def pairs(given: Iterable[tuple[str, str]]) -> yaml.MappingNode:
    """Return the node of `key: value` pairs. A value in brackets or braces is read as YAML."""
    return yaml.MappingNode(
        "tag:yaml.org,2002:map", [(scalar(key), _value(value)) for key, value in given], flow_style=False
    )


def pairs_of(node: yaml.MappingNode) -> list[tuple[str, str]]:
    """Return the pairs of a node, each as text in one line."""
    return [(str(key.value), _in_one_line(value)) for key, value in node.value]


def _value(value: str) -> yaml.Node:
    if value.startswith(("[", "{")):
        try:
            node = compose(value, PLACE)
        except RubricError:
            node = None
        if isinstance(node, yaml.CollectionNode):
            return node
    return scalar(value)


def _in_one_line(node: yaml.Node) -> str:
    if isinstance(node, yaml.ScalarNode):
        return " ".join(str(node.value).split())
    return _written(node, flow=True).strip()


def _resolved(value: str) -> str:
    return str(yaml.SafeLoader("").resolve(yaml.ScalarNode, value, (True, False)))  # type: ignore[no-untyped-call]


def _written(node: yaml.Node, *, flow: bool = False) -> str:
    if flow:
        node = _in_flow(node)
    return str(yaml.serialize(node, Dumper=yaml.SafeDumper, allow_unicode=True, width=_WIDE))


def _in_flow(node: yaml.Node) -> yaml.Node:
    """Return a copy of a node that is written in one line."""
    if isinstance(node, yaml.MappingNode):
        return yaml.MappingNode(node.tag, [(_in_flow(k), _in_flow(v)) for k, v in node.value], flow_style=True)
    if isinstance(node, yaml.SequenceNode):
        return yaml.SequenceNode(node.tag, [_in_flow(each) for each in node.value], flow_style=True)
    assert isinstance(node, yaml.ScalarNode)
    return yaml.ScalarNode(node.tag, node.value, style=None if node.style in ("|", ">") else node.style)


# -- places in the text -----------------------------------------------------------------------------------------------


def _changes(text: str, mapping: yaml.MappingNode, end: int, changes: Changes, order: Sequence[str]) -> Iterator[_Span]:
    """Yield what to replace so that the fields of a mapping, which ends there, have other values."""
    places = [*(key.start_mark.index for key, _ in mapping.value), end]
    column = mapping.value[0][0].start_mark.column
    ends: dict[str, int] = {}
    nodes = dict(_fields(mapping))
    for (key, _), start, following in zip(mapping.value, places, places[1:], strict=False):
        upto = end if following == end else _line_start(text, following)
        ends[str(key.value)] = _trimmed(text, start, upto, column)
    starts = {str(key.value): key.start_mark.index for key, _ in mapping.value}
    for name, node in changes.items():
        if name not in nodes:
            if node is None:
                continue
            earlier = [known for known in order[: order.index(name)] if known in ends] if name in order else []
            at = ends[earlier[-1] if earlier else next(iter(ends))]
            yield at, at, _indented(_written(_mapping({name: node})), column)
            continue
        start, old = starts[name], nodes[name]
        if node is None:
            yield _line_start(text, start), ends[name], ""
            continue
        written = _written(_mapping({name: node}))
        if written.count("\n") == 1 and _is_one_line(old):
            yield old.start_mark.index, old.end_mark.index, written.removeprefix(f"{name}: ").rstrip("\n")
        else:
            yield start, ends[name], _indented(written, column).lstrip(" ")


def _is_one_line(node: yaml.Node) -> bool:
    return (
        isinstance(node, yaml.ScalarNode)
        and node.style not in ("|", ">")
        and node.start_mark.line == node.end_mark.line
        and node.start_mark.index < node.end_mark.index  # an empty value has no place of its own
    )


def _spliced(text: str, start: int, end: int, spans: Iterable[_Span]) -> str:
    """Return a part of the text with the spans replaced. At the same place, insertions keep their order."""
    pieces, at = [], start
    for begin, upto, new in sorted(spans, key=lambda span: span[:2]):
        pieces += [text[at:begin], new]
        at = upto
    return "".join([*pieces, text[at:end]])


def _trimmed(text: str, start: int, end: int, column: int) -> int:
    """Return where the text from `start` ends without blank lines, and comments up to this column, at its end."""
    while end > start:
        begin = max(start, _line_start(text, end - 1))
        line = text[begin:end].rstrip("\n")
        bare = line.lstrip(" ")
        if begin == start or (bare and not (bare.startswith("#") and len(line) - len(bare) <= column)):
            return end
        end = begin
    return end


def _dash(text: str, node: yaml.Node) -> int | None:
    """Return where the dash of an entry is, or None if it is not in the line where the entry starts."""
    index = node.start_mark.index
    before = text[_line_start(text, index) : index]
    return _line_start(text, index) + before.index("-") if before.strip() == "-" else None


def _line_start(text: str, index: int) -> int:
    return text.rfind("\n", 0, index) + 1


def _line_end(text: str, index: int) -> int:
    return text.index("\n", index) + 1


def _indented(text: str, column: int) -> str:
    return "".join(" " * column + line if line.strip() else line for line in text.splitlines(keepends=True))


def _fields(mapping: yaml.MappingNode) -> dict[str, yaml.Node]:
    found: dict[str, yaml.Node] = {}
    for key, value in mapping.value:
        if not isinstance(key, yaml.ScalarNode) or str(key.value) in found:
            _refuse(key, f"{str(key.value)[:80]}: appears twice or is no name", "each field once")
        found[str(key.value)] = value
    return found


def _mapping(fields: Mapping[str, yaml.Node]) -> yaml.MappingNode:
    return yaml.MappingNode(
        "tag:yaml.org,2002:map", [(scalar(name), node) for name, node in fields.items()], flow_style=False
    )


def _refuse_aliases(root: yaml.Node) -> None:
    seen: set[int] = set()
    todo = [root]
    while todo:
        node = todo.pop()
        if id(node) in seen:
            _refuse(node, "an alias (*name)", "write it out")
        seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            todo += [each for pair in node.value for each in pair]
        elif isinstance(node, yaml.SequenceNode):
            todo += node.value


def _refuse(node: yaml.Node, found: str, allowed: str) -> None:
    raise RubricError(f"{PLACE}:{node.start_mark.line + 1}", found, allowed)
