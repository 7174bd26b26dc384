"""What the rubric of a grading may say: a list of items, each of one kind, and the score at which an answer passes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any, Literal

import yaml

from ...arithmetic import plain
from ...models.cases import MAX_WEIGHT
from ...rubric import (
    KEY_FIELD,
    NAME_FIELD,
    Criterion,
    CriterionKind,
    Rubric,
    RubricField,
    RubricNumber,
    RubricRules,
    Scale,
    named_after,
)
from ...yaml_nodes import NodeReader
from .check import CONDITIONS, in_words, read_conditions
from .verdict import Kind

Source = Literal["", "context", "reference", "both", "task"]
MOST_LEVELS = 11
YES_OR_NO = Scale(Decimal(0), Decimal(1))
SHARE = Scale(Decimal(0), Decimal(1), Decimal("0.01"))
_SOURCES: dict[str, tuple[Source, ...]] = {
    "claims": ("context", "reference", "both"),
    "covers": ("reference",),
    "constraints": ("task",),
}
_KINDS = ("ask", *_SOURCES, "check")
# What reports, pages and docs call the kinds.
KIND_WORDS: Mapping[Kind, str] = {
    "ask": "yes or no",
    "scale": "levels",
    "claims": "claims against sources",
    "covers": "points of the reference",
    "constraints": "demands of the task",
    "check": "check by code",
}
_COMMON = {"key", "name", "points", "required", "at_least", *_KINDS}
_SENTENCES = {
    "context": "Every factual claim of the answer is supported by the context.",
    "reference": "Every factual claim of the answer is supported by the reference.",
    "both": "Every factual claim of the answer is supported by the context or the reference.",
}


@dataclass(frozen=True, slots=True)
class Item(Criterion):
    """One item: a criterion with points. `guidance` is the question, or what the item demands in words.

    `scale` has 0 and 1 for yes/no, the levels of a scale (`bands` has their words), and 0 to 1 for a share. `weight`
    is what an item can earn: its points, or 0 for a fault. `at_least` is what a required item must reach: a level,
    a share, or 1 for yes. `quote` is false if a yes needs no quote. `checks` are names with values.
    """

    kind: Kind = "ask"
    points: Decimal = Decimal(1)
    required: bool = False
    at_least: Decimal = Decimal(1)
    quote: bool = True
    source: Source = ""
    checks: tuple[tuple[str, Any], ...] = ()

    @property
    def is_fault(self) -> bool:
        """Whether its points are negative: it costs when found."""
        return self.points < 0

    @property
    def is_share(self) -> bool:
        """Whether it earns a share of what was listed."""
        return self.kind in _SOURCES

    @property
    def needed_share(self) -> Fraction:
        """What share of its points meets it, if it is required."""
        low, high = Fraction(self.scale.low), Fraction(self.scale.high)
        return (Fraction(self.at_least) - low) / (high - low)


def items_of(rubric: Rubric) -> tuple[Item, ...]:
    """Return the items of a rubric for this protocol."""
    return tuple(one for one in rubric.criteria if isinstance(one, Item))


def pass_at(rubric: Rubric) -> Decimal:
    """Return the score at which an answer passes."""
    return rubric.numbers["pass_at"]


def read_item(reader: NodeReader, node: yaml.Node) -> Item:
    """Read one item. Errors name it by its key."""
    fields = reader.mapping(node, "an item", {*_COMMON, "scale", "quote"}, ("key", "points"))
    key = reader.key(fields["key"])
    kinds = [kind for kind in _KINDS if kind in fields]
    if len(kinds) != 1:
        found = f"{key}: {' and '.join(kinds)}" if kinds else f"{key}: no kind"
        reader.refuse(node, found, f"exactly one of {', '.join(_KINDS)} is needed")
    named = kinds[0]
    kind: Kind = "scale" if "scale" in fields else named  # type: ignore[assignment]
    for field, owner in (("scale", "ask"), ("quote", "ask")):
        if field in fields and named != owner:
            reader.refuse(fields[field], f"{key}.{field}: not for {named}", f"only for {owner}")
    source: Source = ""
    checks: tuple[tuple[str, Any], ...] = ()
    scale = YES_OR_NO
    bands: tuple[tuple[str, str], ...] = ()
    if named == "ask":
        guidance = reader.text(fields["ask"], f"{key}.ask").strip()
        if kind == "scale":
            scale, bands = _levels(reader, fields["scale"], key)
    elif named == "check":
        checks = read_conditions(reader, fields["check"], key)
        guidance = in_words(checks)
    else:
        source = _source(reader, fields[named], key, named)
        scale, guidance = SHARE, _demand(named, source)
    points = _points(reader, fields["points"], key, kind)
    required = "required" in fields and reader.flag(fields["required"], f"{key}.required")
    return Item(
        key=key,
        name=reader.line(fields["name"], f"{key}.name") if "name" in fields else named_after(key),
        weight=max(points, Decimal(0)),
        guidance=guidance,
        scale=scale,
        bands=bands,
        kind=kind,
        points=points,
        required=required,
        at_least=_at_least(reader, fields.get("at_least"), key, kind, scale, required),
        quote=_needs_quote(reader, fields.get("quote"), key),
        source=source,
        checks=checks,
    )


def _points(reader: NodeReader, node: yaml.Node, key: str, kind: Kind) -> Decimal:
    points = reader.number(node, f"{key}.points")
    if not points:
        reader.refuse(node, f"{key}.points: 0", "a number above 0, or below 0 for a fault")
    if abs(points) > MAX_WEIGHT:
        reader.refuse(node, f"{key}.points: {points}", f"at most {MAX_WEIGHT:,} is allowed")
    if points < 0 and kind not in ("ask", "check"):
        reader.refuse(node, f"{key}.points: {points}", "below 0 only for a yes/no ask and for check")
    return points


def _source(reader: NodeReader, node: yaml.Node, key: str, kind: str) -> Source:
    given = reader.text(node, f"{key}.{kind}")
    found = next((source for source in _SOURCES[kind] if source == given), None)
    if found is None:
        reader.refuse(node, f"{key}.{kind}: {given!r}", f"{' or '.join(_SOURCES[kind])} is allowed")
    return found


def _demand(kind: str, source: Source) -> str:
    if kind == "claims":
        return _SENTENCES[source]
    return (
        "The answer covers every main point of the reference."
        if kind == "covers"
        else "The answer meets every explicit, countable demand of the task."
    )


def _levels(reader: NodeReader, node: yaml.Node, key: str) -> tuple[Scale, tuple[tuple[str, str], ...]]:
    place = f"{key}.scale"
    given = reader.mapping(node, place, None, ())
    if not 2 <= len(given) <= MOST_LEVELS:
        reader.refuse(
            node,
            f"{place}: {len(given)} level{'' if len(given) == 1 else 's'}",
            f"2 to {MOST_LEVELS} are allowed, as `1: words`",
        )
    levels: dict[Decimal, str] = {}
    assert isinstance(node, yaml.MappingNode)
    for level_node, words in node.value:
        level = reader.number(level_node, f"{place}, a level")
        if level in levels:
            reader.refuse(level_node, f"{place}: {level} appears twice", "each level once")
        levels[level] = " ".join(reader.text(words, f"{place}.{level}").split())
    ordered = sorted(levels)
    step = min(high - low for low, high in pairwise(ordered))
    scale = Scale(ordered[0], ordered[-1], plain(step), tuple(ordered))
    return scale, tuple((f"{level:f}", levels[level]) for level in ordered)


def _at_least(
    reader: NodeReader, node: yaml.Node | None, key: str, kind: Kind, scale: Scale, required: bool
) -> Decimal:
    if node is None:
        return scale.high
    place = f"{key}.at_least"
    if not required:
        reader.refuse(node, f"{place}: the item is not required", "only with `required: true`")
    if kind in ("ask", "check"):
        reader.refuse(node, f"{place}: not for {kind}", "only for a scale, claims, covers and constraints")
    least = reader.number(node, place)
    if kind == "scale" and least not in scale.levels:
        reader.refuse(node, f"{place}: {least}", f"one of the levels {', '.join(map(str, scale.levels))}")
    if not scale.low <= least <= scale.high:
        reader.refuse(node, f"{place}: {least}", "a share from 0 to 1 is allowed")
    return least


def _needs_quote(reader: NodeReader, node: yaml.Node | None, key: str) -> bool:
    if node is None:
        return True
    if (given := reader.text(node, f"{key}.quote")) != "none":
        reader.refuse(node, f"{key}.quote: {given!r}", "`none` is allowed, or leave it out")
    return False


def _wrong(rubric: Rubric) -> tuple[str, str] | None:
    if any(item.points > 0 for item in items_of(rubric)):
        return None
    return "items: every item has negative points", "at least one item with points above 0 is needed"


def _summary(rubric: Rubric) -> Iterable[str]:
    """Say how the points add up, and which items need which source."""
    items = items_of(rubric)
    most = sum((item.weight for item in items), Decimal(0))
    yield f"passes at {pass_at(rubric)} of {plain(most)} points that can be earned"
    yield "  points  share  kind         item"
    for item in items:
        share = f"{float(100 * item.weight / most):.0f} %" if not item.is_fault else "cost"
        least = f", at least {item.at_least}" if item.kind == "scale" or item.is_share else ""
        notes = f"  (required{least})" if item.required else ""
        yield f"  {item.points!s:>6}  {share:>5}  {item.kind:<11}  {item.key}{notes}"
    for source, words in (("context", "the context"), ("reference", "the reference")):
        if needing := [item.key for item in items if item.source == source]:
            yield f"need {words}: {', '.join(needing)}"
    if needing := [item.key for item in items if item.source == "both"]:
        yield f"need the context or the reference: {', '.join(needing)}"


def _about(item: Item) -> str:
    """Say what kind of item it is, what it needs, and whether it is required."""
    levels = f", {item.scale.low} to {item.scale.high}" if item.kind == "scale" else ""
    source = {"both": "context or reference", "": ""}.get(item.source, item.source)
    needs = f" ({source})" if item.kind == "claims" else ""
    kind = KIND_WORDS[item.kind].capitalize()
    least = f", at least {item.at_least}" if item.kind == "scale" or item.is_share else ""
    return f"{kind}{levels}{needs}{f'; required{least}' if item.required else ''}"


_POINTS = RubricField("points", "Points", "number", "above 0; below 0 for a fault that costs when found", needed=True)
_EARNED = RubricField("points", "Points", "number", "above 0", needed=True)
_REQUIRED = RubricField("required", "Required", "flag", "or the answer does not pass", choices=("true",))
_LEAST = RubricField("at_least", "At least", "number", "what a required item must reach; by default all of it")
_ASK = RubricField("ask", "Question", "text", needed=True)
_NO_QUOTE = RubricField("quote", "Needs no quote", "flag", "for what no passage can show", choices=("none",))
_LEVELS = RubricField("scale", "Levels", "lines", f"2 to {MOST_LEVELS}, one a line, as 1: not at all", needed=True)
_CONDITIONS = RubricField(
    "check", "Conditions", "lines", f"all must be met; one a line, as max_words: 150, of {', '.join(CONDITIONS)}", True
)


def _kind(name: Kind, *fields: RubricField) -> CriterionKind:
    return CriterionKind(name, KIND_WORDS[name].capitalize(), (KEY_FIELD, NAME_FIELD, *fields))


def _share_kind(name: Kind, source: str) -> CriterionKind:
    of = RubricField(name, source, "choice", needed=True, choices=_SOURCES[name])
    return _kind(name, _EARNED, _REQUIRED, _LEAST, of)


_ITEM_KINDS = (
    _kind("scale", _EARNED, _REQUIRED, _LEAST, _ASK, _LEVELS, _NO_QUOTE),
    _kind("ask", _POINTS, _REQUIRED, _ASK, _NO_QUOTE),
    _share_kind("claims", "Supported by"),
    _share_kind("covers", "Points of"),
    _share_kind("constraints", "Demands of"),
    _kind("check", _POINTS, _REQUIRED, _CONDITIONS),
)

RULES = RubricRules(
    calibrated="passed",
    own_scales=YES_OR_NO,
    check=_wrong,
    listed="items",
    read_criterion=read_item,
    numbers={"pass_at": RubricNumber(Decimal("0.7"), Decimal(0), Decimal(1))},
    weights_are_for="are the points that an item can earn",
    summary=_summary,
    worth=lambda item: item.points,
    about=_about,
    own_kinds=_ITEM_KINDS,
)
