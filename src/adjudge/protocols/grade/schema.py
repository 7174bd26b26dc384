"""JSON schemas of checks. A schema may refer only to itself, and never in a circle that does not end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import orjson
import yaml

from ...yaml_nodes import NodeReader, kind_of_node

# Where a schema applies another one to the same value. A circle of these never ends.
_IN_PLACE = ("$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas")


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
def validator(schema: Schema) -> Any:
    """Return what tells whether data fits. Its patterns are matched in linear time, and nothing is fetched."""
    import jsonschema_rs

    def refuse(uri: str) -> Any:
        raise ValueError(f"{uri} is not part of the schema")

    return jsonschema_rs.validator_for(
        orjson.loads(schema.text), retriever=refuse, pattern_options=jsonschema_rs.RegexOptions()
    )


def read_schema(reader: NodeReader, node: yaml.Node, place: str) -> Schema | None:
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
        validator(schema)
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
