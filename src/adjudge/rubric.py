"""A rubric: criteria with scale, weight and guidance, read from YAML; errors name the line.

A rubric is data: its author gives it a version, its content identifies it, and a user can supply another file.
In a review every criterion has its own scale, and the weights say which criterion breaks a tie of the Overalls first.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any, NoReturn

import yaml
from pydantic import ValidationError

from .arithmetic import plain, rounded, to_decimal
from .errors import InputError, RubricError
from .models.calibration import SavedCalibration
from .models.cases import MAX_WEIGHT_PLACES, check_weight

OVERALL = "overall_quality"
MAX_RUBRIC_BYTES = 200_000
MAX_CRITERIA = 40
MAX_DEPTH = 20
MAX_NODES = 20_000
MAX_NAMED = 100
MAX_SCALE_STEPS = 101

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}\Z")
_FIELDS = {"name", "version", "protocol", "scale", "tie_band", "bands", "criteria", "calibration"}
_NEEDED = ("name", "version", "protocol", "criteria")
_CRITERION_FIELDS = {"key", "name", "weight", "guidance"}
_AGAIN = "calibrate again with `adjudge calibrate`, or remove the section"


@dataclass(frozen=True)
class Scale:
    """The values a score may take: from `low` to `high` in steps."""

    low: Decimal
    high: Decimal
    step: Decimal = Decimal(1)

    @cached_property
    def values(self) -> tuple[Decimal, ...]:
        count = int((self.high - self.low) / self.step) + 1
        return tuple(plain(self.low + self.step * index) for index in range(count))


HOW_BAD = Scale(Decimal(1), Decimal(3))
TOO_LITTLE_TOO_MUCH = Scale(Decimal(-2), Decimal(2))
ONE_TO_FIVE = Scale(Decimal(1), Decimal(5))
LIKERT = Scale(Decimal(1), Decimal(7))


@dataclass(frozen=True, slots=True)
class Criterion:
    """One thing that is scored. In a review, each criterion has its own scale."""

    key: str
    name: str
    weight: Decimal
    guidance: str
    scale: Scale
    bands: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, eq=False)
class Rubric:
    """What is scored, on which scale, and how much each criterion counts.

    `source` is the whole text. The calibration (the last section) does not affect verdicts, so the digest omits it.
    """

    name: str
    version: str
    protocol: str
    scale: Scale
    tie_band: Decimal
    bands: tuple[tuple[str, str], ...]
    criteria: tuple[Criterion, ...]
    source: str
    calibration: SavedCalibration | None = None
    uncalibrated: str = ""

    @cached_property
    def digest(self) -> str:
        return hashlib.sha256((self.uncalibrated or self.source).encode()).hexdigest()[:12]

    @cached_property
    def reference(self) -> str:
        """Name, version and content hash in one string, as a verdict records it."""
        return f"{self.name}@{self.version}#{self.digest}"

    @cached_property
    def weights(self) -> dict[str, Decimal]:
        return {criterion.key: criterion.weight for criterion in self.criteria}


@dataclass(frozen=True)
class RubricRules:
    """What the rubric of a protocol may say, beyond what all rubrics may.

    `calibrated` is what a calibration predicts. If criteria have their own scales, `own_scales` is the default one;
    otherwise the rubric has one scale, which must be given. `ties`: totals closer than the tie band may be a tie.
    `weights_are_for` says what the weights are used for, if not for a weighted total. `check` returns what is wrong and
    what is allowed, or None.
    """

    calibrated: str
    own_scales: Scale | None = None
    ties: bool = False
    weights_are_for: str = ""
    check: Callable[[Rubric], tuple[str, str] | None] = lambda _: None


class _BoundedLoader(yaml.SafeLoader):
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


def read(text: str, place: str, rules: Callable[[str], RubricRules], protocols: tuple[str, ...]) -> Rubric:
    """Read a rubric from its YAML text. Errors refer to it as `place`. `rules` returns a protocol's."""
    try:
        root = yaml.compose(text, Loader=_BoundedLoader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise RubricError(f"{place}:{line}", f"not YAML: {error.problem}", "see `adjudge rubric compare`") from None
    except yaml.YAMLError as error:
        raise RubricError(place, f"not YAML: {str(error).splitlines()[0]}") from None
    return _Reader(place, text, rules, protocols).rubric(root)


class _Reader:
    """Reads the YAML as nodes, which know their line numbers."""

    def __init__(
        self, place: str, source: str, rules: Callable[[str], RubricRules], protocols: tuple[str, ...]
    ) -> None:
        self.place = place
        self.rules = rules
        self.protocols = protocols
        self.source = source
        self.seen: set[int] = set()

    def rubric(self, root: yaml.Node | None) -> Rubric:
        fields = self.mapping(root, "the rubric", _FIELDS, _NEEDED)
        protocol = self.text(fields["protocol"], "protocol")
        if protocol not in self.protocols:
            self.refuse(fields["protocol"], f"protocol: {protocol!r}", f"one of {', '.join(self.protocols)}")
        rules = self.rules(protocol)
        if rules.own_scales is None and "scale" not in fields:
            self.refuse(root, "the rubric has no scale", f"needed: {', '.join((*_NEEDED, 'scale'))}")
        scale = self.scale(fields["scale"]) if "scale" in fields else rules.own_scales
        assert scale is not None
        nodes = self.sequence(fields["criteria"], "criteria")
        if not 1 <= len(nodes) <= MAX_CRITERIA:
            self.refuse(fields["criteria"], f"criteria: {len(nodes)} given", f"1 to {MAX_CRITERIA} are allowed")
        criteria: list[Criterion] = []
        for node in nodes:
            criterion = self.criterion(node, scale, own_scale=rules.own_scales is not None)
            if any(criterion.key == earlier.key for earlier in criteria):
                self.refuse(node, f"criteria: {criterion.key} appears twice", "each key once")
            criteria.append(criterion)
        if not any(criterion.weight for criterion in criteria):
            self.refuse(fields["criteria"], "criteria: every weight is zero", "at least one must be above 0")
        # Half a point on a scale from 1 to 10, and in proportion on any other.
        band = rounded(Fraction(scale.high - scale.low) / 18)
        if "tie_band" in fields:
            band = self.number(fields["tie_band"], "tie_band")
        if band < 0:
            self.refuse(fields["tie_band"], f"tie_band: {band} is negative", "a number ≥ 0 is allowed")
        made = Rubric(
            name=self.line(fields["name"], "name"),
            version=self.line(fields["version"], "version"),
            protocol=protocol,
            scale=scale,
            tie_band=band,
            bands=self.bands(fields),
            criteria=tuple(criteria),
            source=self.source,
        )
        if wrong := rules.check(made):
            self.refuse(fields["criteria"], *wrong)
        return self.calibrated(made, rules, root, fields["calibration"]) if "calibration" in fields else made

    def calibrated(self, rubric: Rubric, rules: RubricRules, root: yaml.Node | None, node: yaml.Node) -> Rubric:
        """Add the calibration to the rubric. It must have been made for this version of the rubric."""
        assert isinstance(root, yaml.MappingNode)
        key, value = root.value[-1]
        if value is not node:
            self.refuse(node, "calibration: other fields follow it", "it must be the last section")
        try:
            calibration = SavedCalibration.model_validate(self.plain_data(node))
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, ("calibration", *first["loc"])))
            self.refuse(node, f"{place}: {first['msg']}", _AGAIN)
        made = replace(rubric, calibration=calibration, uncalibrated=self.source[: key.start_mark.index - 1])
        if calibration.rubric != made.reference:
            found = f"calibration: made for {calibration.rubric}, and this rubric is {made.reference}"
            self.refuse(node, found, f"{_AGAIN}; the text before the section must stay exactly as it was")
        if calibration.what != rules.calibrated:
            self.refuse(node, f"calibration.what: {calibration.what}", f"{rules.calibrated} is allowed")
        return made

    def plain_data(self, node: yaml.Node) -> Any:
        """Convert a node to plain data, with all numbers left as text."""
        self.once(node)
        if isinstance(node, yaml.MappingNode):
            return {self.text(key, "a key"): self.plain_data(value) for key, value in node.value}
        if isinstance(node, yaml.SequenceNode):
            return [self.plain_data(each) for each in node.value]
        return str(node.value)

    def bands(self, fields: dict[str, yaml.Node]) -> tuple[tuple[str, str], ...]:
        bands = self.mapping(fields["bands"], "bands", None, ()) if "bands" in fields else {}
        return tuple((key, self.text(node, f"bands.{key}")) for key, node in bands.items())

    def scale(self, node: yaml.Node) -> Scale:
        fields = self.mapping(node, "scale", {"min", "max", "step"}, ("min", "max"))
        low, high = self.number(fields["min"], "scale.min"), self.number(fields["max"], "scale.max")
        step = self.number(fields["step"], "scale.step") if "step" in fields else Decimal(1)
        if step <= 0:
            self.refuse(fields["step"], f"scale.step: {step}", "a number above 0 is allowed")
        if high <= low:
            self.refuse(fields["max"], f"scale.max: {high} is not above min {low}", "max must be above min")
        if (high - low) % step or (high - low) / step >= MAX_SCALE_STEPS:
            self.refuse(
                node, f"scale: {low} to {high} by {step}", f"whole steps are needed, at most {MAX_SCALE_STEPS - 1}"
            )
        return Scale(low, high, step)

    def criterion(self, node: yaml.Node, scale: Scale, *, own_scale: bool) -> Criterion:
        allowed = _CRITERION_FIELDS | {"scale", "bands"} if own_scale else _CRITERION_FIELDS
        fields = self.mapping(node, "a criterion", allowed, ("key", "weight", "guidance"))
        if "scale" in fields:
            scale = self.scale(fields["scale"])
        key = self.text(fields["key"], "key")
        if not _KEY.match(key):
            self.refuse(fields["key"], f"key: {key!r}", "a letter, then letters, digits or _ (at most 64)")
        try:
            weight = check_weight(f"{key}.weight", self.number(fields["weight"], f"{key}.weight"))
        except RubricError:
            raise
        except InputError as error:
            self.refuse(fields["weight"], f"{error.place}: {error.found}", error.allowed)
        name = self.line(fields["name"], f"{key}.name") if "name" in fields else key.replace("_", " ").capitalize()
        guidance = self.text(fields["guidance"], f"{key}.guidance").strip()
        return Criterion(key, name, weight, guidance, scale, self.bands(fields))

    def mapping(
        self, node: yaml.Node | None, what: str, allowed: set[str] | None, needed: tuple[str, ...]
    ) -> dict[str, yaml.Node]:
        if not isinstance(node, yaml.MappingNode):
            self.refuse(node, f"{what}: expected key: value lines, found {_kind(node)}", _listing(allowed or needed))
        self.once(node)
        fields: dict[str, yaml.Node] = {}
        for key_node, value in node.value:
            key = self.text(key_node, "a key")
            if allowed is not None and key not in allowed:
                self.refuse(key_node, f"{key}: unknown field of {what}", _listing(allowed))
            if key in fields:
                self.refuse(key_node, f"{key}: appears twice in {what}", "each field once")
            fields[key] = value
        for key in needed:
            if key not in fields:
                self.refuse(node, f"{what} has no {key}", f"needed: {', '.join(needed)}")
        return fields

    def sequence(self, node: yaml.Node, what: str) -> list[yaml.Node]:
        if not isinstance(node, yaml.SequenceNode):
            self.refuse(node, f"{what}: expected a list, found {_kind(node)}", "lines that begin with `- `")
        return list(node.value)

    def line(self, node: yaml.Node, what: str) -> str:
        """Read a text that is shown in reports and on terminals, so it must be one line without control characters."""
        text = self.text(node, what)
        if _CONTROL.search(text):
            self.refuse(node, f"{what}: {text[:40]!r}", "one line without control characters is allowed")
        return text

    def text(self, node: yaml.Node, what: str) -> str:
        if not isinstance(node, yaml.ScalarNode) or not str(node.value).strip():
            self.refuse(node, f"{what}: expected text, found {_kind(node)}", "a non-empty string is allowed")
        if _SURROGATE.search(node.value):
            self.refuse(node, f"{what}: half of a surrogate pair", "text must be valid Unicode")
        return str(node.value)

    def number(self, node: yaml.Node, what: str) -> Decimal:
        number = to_decimal(node.value) if isinstance(node, yaml.ScalarNode) else None
        places = -int(number.as_tuple().exponent) if number is not None else 0
        if number is None or number.adjusted() > 15 or places > MAX_WEIGHT_PLACES:
            found = repr(node.value) if isinstance(node, yaml.ScalarNode) else _kind(node)
            self.refuse(node, f"{what}: {found} is not a number", "a number such as 1.5 is allowed")
        return plain(number)

    def once(self, node: yaml.Node) -> None:
        # An alias gives the same node twice. Expanding aliases could turn a small file into a huge one.
        if id(node) in self.seen:
            self.refuse(node, "an alias (*name)", "write it out")
        self.seen.add(id(node))

    def refuse(self, node: yaml.Node | None, found: str, allowed: str) -> NoReturn:
        line = node.start_mark.line + 1 if node is not None else 1
        raise RubricError(f"{self.place}:{line}", found, allowed)


def _kind(node: yaml.Node | None) -> str:
    if isinstance(node, yaml.MappingNode):
        return "key: value lines"
    if isinstance(node, yaml.SequenceNode):
        return "a list"
    return "nothing" if node is None or not str(node.value).strip() else f"{str(node.value)[:40]!r}"


def _listing(names: set[str] | tuple[str, ...]) -> str:
    return f"one of {', '.join(sorted(names) if isinstance(names, set) else names)}" if names else ""
