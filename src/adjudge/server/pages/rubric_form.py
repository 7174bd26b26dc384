"""A rubric as a form of fields: what it shows of a text, and the text after it was sent. The text is the only state.

Which fields there are is said by the rules of the rubric's protocol. Both views of a rubric write the same text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TypedDict

import yaml

from ...errors import RubricError
from ...protocols.base import names, protocol_of
from ...rubric import MAX_CRITERIA, CriterionKind, RubricField, RubricRules, named_after
from ...yaml_nodes import compose
from ..rubric_text import PLACE, Changes, ListEntry, RubricText, pairs, pairs_of, scalar

MAX_FIELDS = 1_000  # of the largest rubric, with room to spare
_COMMENT = re.compile(r"(?m)(^|[ \t])#")
_ITEM = re.compile(r"\s|[-*+•>|#`~]|\w+[.):]")  # what begins a line that is one of its own
_ENDED = re.compile(r"[.:;?!][\"'”’)*_]*\s*$")
_KEPT = re.compile(r"```|~~~|[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
_WRAPPED = 60  # characters; shorter lines were not wrapped
_PAIR = re.compile(r"\s*(\S.*?)\s*:(?:\s+(.*\S))?\s*")


class ShownField(TypedDict):
    """A field with its value; `id` names it in the form and in the page."""

    id: str
    label: str
    widget: str
    hint: str
    needed: bool
    choices: Sequence[str]
    value: str
    error: str


class ShownEntry(TypedDict):
    """A criterion or item with its fields."""

    at: int
    title: str
    kind: str
    fields: list[ShownField]
    error: str


class RubricForm(TypedDict):
    """All fields of a rubric. `kinds` are those of its entries, by name and label."""

    protocol: str
    listed: str
    fields: list[ShownField]
    entries: list[ShownEntry]
    kinds: list[tuple[str, str]]
    full: bool
    has_comments: bool


def shown_form(text: str, error: RubricError | None = None) -> RubricForm:
    """Return the form of a text, with the error beside the field whose line it names.

    Raise RubricError if the text cannot be shown as a form.
    """
    protocol, rules = _rules(text)
    parts = RubricText(text, rules.listed)
    line = _line_of(error)
    entries = [_shown_entry(entry, at, rules) for at, entry in enumerate(parts.entries)]
    form = RubricForm(
        protocol=protocol,
        listed=rules.listed,
        fields=[_shown(field, parts.fields.get(field.name), field.name) for field in rules.own_fields],
        entries=entries,
        kinds=[(kind.name, kind.label) for kind in rules.kinds],
        full=len(entries) >= MAX_CRITERIA,
        has_comments=bool(_COMMENT.search(text)),
    )
    if error is not None and line:
        _place_error(form, parts, line, error)
    return form


def sent_text(text: str, sent: Mapping[str, str]) -> str:
    """Return the text with the values that were sent, after the action that was asked for."""
    _, rules = _rules(text)
    parts = RubricText(text, rules.listed)
    entries = [_sent_entry(parts, at, rules, sent) for at in range(len(parts.entries))]
    action, _, place = sent.get("action", "").partition(".")
    at = int(place) if place.isdecimal() and len(place) < 4 else -1
    if action == "add" and len(entries) < MAX_CRITERIA:
        kind = next((kind for kind in rules.kinds if kind.name == sent.get("new_kind")), rules.kinds[0])
        entries.append(parts.new_entry({each.name: _node(each, _first(each)) for each in kind.fields if each.needed}))
    elif 0 <= at < len(entries):
        to = {"up": at - 1, "down": at + 1}.get(action, -1)
        if action == "remove":
            del entries[at]
        elif 0 <= to < len(entries):
            entries[at], entries[to] = entries[to], entries[at]
    order = [field.name for field in rules.own_fields]
    return parts.changed(_sent_changes(rules.own_fields, parts.fields, "", sent), order, entries)


def _rules(text: str) -> tuple[str, RubricRules]:
    root = compose(text, PLACE)
    entries = root.value if isinstance(root, yaml.MappingNode) else ()
    for key, value in entries:
        if key.value == "protocol" and value.value in names():
            return str(value.value), protocol_of(value.value).rubric
    raise RubricError(f"{PLACE}:1", "no protocol that is known", f"protocol: one of {', '.join(names())}")


# -- what is shown ----------------------------------------------------------------------------------------------------


def _shown_entry(entry: ListEntry, at: int, rules: RubricRules) -> ShownEntry:
    found = {str(key.value): value for key, value in entry.node.value}
    kind = _kind(found, rules)
    known = {field.name: field for each in rules.kinds for field in each.fields}
    for key, _ in entry.node.value:
        if key.value not in known:
            allowed = f"one of {', '.join(sorted(known))}"
            raise RubricError(f"{PLACE}:{key.start_mark.line + 1}", f"{key.value}: unknown field", allowed)
    own = [field.name for field in kind.fields]
    # What its kind does not have is shown, too, so that it can be emptied.
    fields = [*kind.fields, *(known[name] for name in found if name not in own)]
    key, name = (node.value if isinstance(node, yaml.ScalarNode) else "" for node in map(found.get, ("key", "name")))
    return ShownEntry(
        at=at,
        title=name or named_after(key),
        kind=kind.name,
        fields=[_shown(field, found.get(field.name), f"entry.{at}.{field.name}") for field in fields],
        error="",
    )


def _kind(found: Mapping[str, yaml.Node], rules: RubricRules) -> CriterionKind:
    return next((kind for kind in rules.kinds if kind.name in found), rules.kinds[-1])


def _shown(field: RubricField, node: yaml.Node | None, place: str) -> ShownField:
    return ShownField(
        id=place,
        label=field.label,
        widget=field.widget,
        hint=field.hint,
        needed=field.needed,
        choices=field.choices,
        value=_value(field, node),
        error="",
    )


def _value(field: RubricField, node: yaml.Node | None) -> str:
    """Return what the form shows of a value. Raise RubricError if it is of another kind than the field's."""
    if node is None:
        return ""
    if field.widget == "lines" and isinstance(node, yaml.MappingNode):
        return "\n".join(f"{key}: {value}".rstrip() for key, value in pairs_of(node))
    if not isinstance(node, yaml.ScalarNode) or (field.widget == "lines" and str(node.value).strip()):
        expected = "key: value lines" if field.widget == "lines" else "one value"
        raise RubricError(
            f"{PLACE}:{node.start_mark.line + 1}", f"{field.name}: not {expected}", f"{expected} is needed"
        )
    if field.widget == "flag":
        return field.choices[0] if node.value == field.choices[0] else ""
    return unwrapped(str(node.value)) if field.widget == "text" else str(node.value)


def unwrapped(text: str) -> str:
    """Return a text without the line breaks that only keep its lines short, so that a field can wrap it itself.

    Such a break comes where the next word would have made the line longer than all others, which are of some length.
    Breaks after the end of a sentence and around empty or indented lines and items of lists stay, and so do all breaks
    of a text with code or in a script without spaces.
    """
    lines = text.split("\n")
    if _KEPT.search(text):
        return text
    longest = max(map(len, lines))
    found = lines[:1]
    for before, line in pairwise(lines):
        fills = len(before) + 1 + len(line.partition(" ")[0]) > longest >= _WRAPPED
        if fills and before.strip() and line.strip() and not _ENDED.search(before) and not _ITEM.match(line):
            found[-1] += f" {line}"
        else:
            found.append(line)
    return "\n".join(found)


# -- what was sent ----------------------------------------------------------------------------------------------------


def _sent_entry(parts: RubricText, at: int, rules: RubricRules, sent: Mapping[str, str]) -> ListEntry:
    entry = parts.entries[at]
    if f"entry.{at}.key" not in sent:
        return entry
    found = {str(key.value): value for key, value in entry.node.value}
    known = {field.name: field for each in rules.kinds for field in each.fields}
    kind = before = _kind(found, rules)
    asked = sent.get(f"entry.{at}.kind", "")
    if asked != before.name:
        kind = next((each for each in rules.kinds if each.name == asked), before)
    own = [field.name for field in kind.fields]
    fields = [*kind.fields, *(known[name] for name in found if name in known and name not in own)]
    changes = dict(_sent_changes(fields, found, f"entry.{at}.", sent))
    if kind is not before:
        changes |= dict.fromkeys((name for name in found if name not in own), None)
        changes |= {
            each.name: _node(each, sent.get(f"entry.{at}.{each.name}") or _first(each))
            for each in kind.fields
            if each.needed and each.name not in found
        }
    return parts.entry(at, changes, own) if changes else entry


def _sent_changes(
    fields: Sequence[RubricField], found: Mapping[str, yaml.Node], place: str, sent: Mapping[str, str]
) -> Changes:
    changes: dict[str, yaml.Node | None] = {}
    for field in fields:
        if f"{place}{field.name}" not in sent and field.widget != "flag":
            continue
        value = sent.get(f"{place}{field.name}", "")
        if _same(field, value, _value(field, found.get(field.name))):
            continue
        changes[field.name] = _node(field, value) if value.strip() or field.needed else None
    return changes


def _same(field: RubricField, new: str, old: str) -> bool:
    """Whether a value is the one that was shown: a browser leaves out line ends in a field of one line."""
    return new.split() == old.split() if field.widget not in ("text", "lines") else new == old


def _node(field: RubricField, value: str) -> yaml.Node:
    if field.widget == "lines":
        lines = [line for line in value.splitlines() if line.strip()]
        return pairs((found[1], found[2] or "") if (found := _PAIR.fullmatch(line)) else (line, "") for line in lines)
    return scalar(value if field.widget == "text" else value.strip(), text=field.widget in ("line", "text"))


def _first(field: RubricField) -> str:
    """Return what a new entry has in a field."""
    return field.choices[0] if field.choices else "1" if field.widget == "number" else ""


# -- errors -----------------------------------------------------------------------------------------------------------


def _line_of(error: RubricError | None) -> int | None:
    found = re.search(r":(\d+)$", error.place) if error else None
    return int(found[1]) if found else None


def _place_error(form: RubricForm, parts: RubricText, line: int, error: RubricError) -> None:
    """Put an error beside the field that it names or whose line it is at, or else above the entry."""
    words = str(error).removeprefix(f"{error.place}: ")
    firsts = [entry.node.start_mark.line + 1 for entry in parts.entries]
    within = [at for at, first in enumerate(firsts) if first <= line]
    if within and line <= parts.entries[-1].node.end_mark.line + 1:
        shown, entry = form["entries"][within[-1]], parts.entries[within[-1]]
        lines = {f".{key.value}": key.start_mark.line + 1 for key, _ in entry.node.value}
        at_line = [name for name, begin in lines.items() if begin <= line and name != ".key"]
        named = [field for field in shown["fields"] if _names(words, field["id"].rpartition(".")[2])]
        if found := named or [field for field in shown["fields"] if at_line and field["id"].endswith(at_line[-1])]:
            found[0]["error"] = words
        elif line > firsts[0]:  # the first line may also mean the whole list
            shown["error"] = words
        return
    for field in form["fields"]:
        if _names(words, field["id"]):
            field["error"] = words
            return


def _names(words: str, name: str) -> bool:
    """Whether an error is about this field: `key.name: …`, `name: …`, or `… has no name`."""
    return re.match(rf"(?:\w+\.)?{name}(?:\.[\w-]+|, a level)?: |[^:;]* has no {name};", words) is not None
