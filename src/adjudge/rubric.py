"""A rubric: criteria with scale, weight and guidance, read from YAML; errors name the line.

A rubric is data: its author gives it a version, its content identifies it, and a user can supply another file.
In a review every criterion has its own scale, and the weights say which criterion breaks a tie of the Overalls first.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

import yaml
from pydantic import ValidationError

from .arithmetic import plain, rounded
from .errors import InputError, RubricError
from .models.calibration import SavedCalibration
from .models.cases import check_weight
from .spelling import did_you_mean
from .yaml_nodes import NodeReader, compose, kind_of_node

OVERALL = "overall_quality"
MAX_RUBRIC_BYTES = 200_000
MAX_CRITERIA = 40
MAX_SCALE_STEPS = 101

_FIELDS = {"name", "version", "protocol", "calibration"}
_NEEDED = ("name", "version", "protocol")
_SCALE_FIELDS = {"scale", "tie_band", "bands"}
_CRITERION_FIELDS = {"key", "name", "weight", "guidance"}
_AGAIN = "calibrate again with `adjudge calibrate`, or remove the section"


@dataclass(frozen=True)
class Scale:
    """The values a score may take: from `low` to `high` in steps, or these `levels`, which may be unevenly spaced."""

    low: Decimal
    high: Decimal
    step: Decimal = Decimal(1)
    levels: tuple[Decimal, ...] = ()

    @cached_property
    def values(self) -> tuple[Decimal, ...]:
        if self.levels:
            return self.levels
        count = int((self.high - self.low) / self.step) + 1
        return tuple(plain(self.low + self.step * index) for index in range(count))


HOW_BAD = Scale(Decimal(1), Decimal(3))
TOO_LITTLE_TOO_MUCH = Scale(Decimal(-2), Decimal(2))
ONE_TO_FIVE = Scale(Decimal(1), Decimal(5))
LIKERT = Scale(Decimal(1), Decimal(7))


@dataclass(frozen=True, slots=True)
class Criterion:
    """One thing that is scored. A protocol may say more of its own in a subclass, and give each its own scale."""

    key: str
    name: str
    weight: Decimal
    guidance: str
    scale: Scale
    bands: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, eq=False)
class Rubric:
    """What is scored, on which scale, and how much each criterion counts.

    `numbers` are those that only this protocol's rubrics have, by name. `source` is the whole text. The calibration
    (the last section) does not affect verdicts, so the digest omits it.
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
    numbers: Mapping[str, Decimal] = field(default_factory=dict)

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


def named_after(key: str) -> str:
    """Return the name of a criterion whose rubric gives none."""
    return key.replace("_", " ").capitalize()


@dataclass(frozen=True, slots=True)
class RubricNumber:
    """A number that a protocol's rubrics may give: its default, and what is allowed."""

    default: Decimal
    low: Decimal
    high: Decimal


@dataclass(frozen=True, slots=True)
class RubricField:
    """A field of a rubric or of one of its criteria, as a form shows it.

    `lines` are `key: value` pairs, one a line. `flag` is a checkbox that writes the first of `choices`; a field of kind
    `choice` has one of them. A field that is not needed is left out of the file if it is empty.
    """

    name: str
    label: str
    widget: Literal["line", "text", "number", "lines", "flag", "choice"] = "line"
    hint: str = ""
    needed: bool = False
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CriterionKind:
    """A kind of criterion that a protocol's rubrics have: the field that only it has, and all its fields in order."""

    name: str
    label: str
    fields: tuple[RubricField, ...]


KEY_FIELD = RubricField("key", "Key", hint="a letter, then letters, digits or _", needed=True)
NAME_FIELD = RubricField("name", "Name", hint="in reports; by default made of the key")
_SCALE_FIELD = RubricField("scale", "Scale", "lines", "min, max and perhaps step, one a line, as min: 1")
_BANDS_FIELD = RubricField("bands", "Bands", "lines", "what scores mean, one a line, as 1-3: poor")
_WEIGHED = (KEY_FIELD, NAME_FIELD, RubricField("weight", "Weight", "number", needed=True))
_GUIDANCE_FIELD = RubricField("guidance", "Guidance", "text", "what the judge is asked to look at", needed=True)


@dataclass(frozen=True)
class RubricRules:
    """What the rubric of a protocol may say, beyond what all rubrics may.

    `calibrated` is what a calibration predicts. If criteria have their own scales, `own_scales` is the default one;
    otherwise the rubric has one scale, which must be given. `ties`: totals closer than the tie band may be a tie.
    `weights_are_for` says what the weights are used for, if not for a weighted total. `check` returns what is wrong and
    what is allowed, or None.

    A protocol whose criteria have other fields reads each with `read_criterion`; the file then lists them under the
    name `listed`, and has no scale, tie band and bands. `numbers` are further fields of the whole rubric. `summary`
    returns the lines in which `adjudge rubric FILE` shows what was read, if the usual table does not say it. `worth`
    returns what a criterion counts, if that may be less than nothing, and `about` what a page says of it besides.
    `own_kinds` are the kinds of such criteria, the more special ones first: the first whose field an entry has is its.
    """

    calibrated: str
    own_scales: Scale | None = None
    ties: bool = False
    weights_are_for: str = ""
    check: Callable[[Rubric], tuple[str, str] | None] = lambda _: None
    listed: str = "criteria"
    read_criterion: Callable[[NodeReader, yaml.Node], Criterion] | None = None
    numbers: Mapping[str, RubricNumber] = field(default_factory=dict)
    summary: Callable[[Rubric], Iterable[str]] | None = None
    worth: Callable[[Any], Decimal] = lambda criterion: Decimal(criterion.weight)
    about: Callable[[Any], str] | None = None
    own_kinds: tuple[CriterionKind, ...] = ()

    @property
    def kinds(self) -> tuple[CriterionKind, ...]:
        """The kinds of criteria, with the fields that a form shows."""
        own_scale = (_SCALE_FIELD, _BANDS_FIELD) if self.own_scales else ()
        return self.own_kinds or (CriterionKind("guidance", "Criterion", (*_WEIGHED, *own_scale, _GUIDANCE_FIELD)),)

    @property
    def own_fields(self) -> tuple[RubricField, ...]:
        """The fields of the whole rubric that a form shows."""
        named = (RubricField("name", "Name", needed=True), RubricField("version", "Version", needed=True))
        numbers = tuple(
            RubricField(name, name.replace("_", " ").capitalize(), "number", f"{one.low} to {one.high}")
            for name, one in self.numbers.items()
        )
        if self.own_scales:
            return (*named, *numbers)
        tie = (RubricField("tie_band", "Tie band", "number", "totals closer than this may be a tie"),) * self.ties
        return (*named, *numbers, replace(_SCALE_FIELD, needed=True), *tie, _BANDS_FIELD)

    @property
    def fields(self) -> set[str]:
        """The fields that a rubric may have."""
        return {*_FIELDS, self.listed, *self.numbers, *(() if self.read_criterion else _SCALE_FIELDS)}


def read(text: str, place: str, rules: Callable[[str], RubricRules], protocols: tuple[str, ...]) -> Rubric:
    """Read a rubric from its YAML text. Errors refer to it as `place`. `rules` returns a protocol's."""
    return _Reader(place, text, rules, protocols).rubric(compose(text, place))


class _Reader(NodeReader):
    def __init__(
        self, place: str, source: str, rules: Callable[[str], RubricRules], protocols: tuple[str, ...]
    ) -> None:
        super().__init__(place)
        self.rules = rules
        self.protocols = protocols
        self.source = source

    def rubric(self, root: yaml.Node | None) -> Rubric:
        rules = self._rules_for(root)
        fields = self.mapping(root, "the rubric", rules.fields, (*_NEEDED, rules.listed))
        protocol = self.text(fields["protocol"], "protocol")
        if rules.own_scales is None and "scale" not in fields:
            self.refuse(root, "the rubric has no scale", f"needed: {', '.join((*_NEEDED, rules.listed, 'scale'))}")
        scale = self.scale(fields["scale"]) if "scale" in fields else rules.own_scales
        assert scale is not None
        nodes = self.sequence(fields[rules.listed], rules.listed)
        if not 1 <= len(nodes) <= MAX_CRITERIA:
            found = f"{rules.listed}: {len(nodes)} given"
            self.refuse(fields[rules.listed], found, f"1 to {MAX_CRITERIA} are allowed")
        criteria: list[Criterion] = []
        for node in nodes:
            criterion = (
                rules.read_criterion(self, node)
                if rules.read_criterion
                else self.criterion(node, scale, own_scale=rules.own_scales is not None)
            )
            if any(criterion.key == earlier.key for earlier in criteria):
                self.refuse(node, f"{rules.listed}: {criterion.key} appears twice", "each key once")
            criteria.append(criterion)
        if not rules.read_criterion and not any(criterion.weight for criterion in criteria):
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
            numbers={name: self._own_number(fields.get(name), name, one) for name, one in rules.numbers.items()},
        )
        if wrong := rules.check(made):
            self.refuse(fields[rules.listed], *wrong)
        return self.calibrated(made, rules, root, fields["calibration"]) if "calibration" in fields else made

    def _rules_for(self, root: yaml.Node | None) -> RubricRules:
        """Return the rules of the protocol that the file names. Which fields it may have depends on that."""
        known = f"one of {', '.join(self.protocols)}"
        if not isinstance(root, yaml.MappingNode):
            found = f"the rubric: expected key: value lines, found {kind_of_node(root)}"
            self.refuse(root, found, f"`adjudge rubric PROTOCOL` prints one to start from; PROTOCOL is {known}")
        node = next((value for key, value in root.value if key.value == "protocol"), None)
        if node is None:
            self.refuse(root, "the rubric has no protocol", known)
        protocol = self.text(node, "protocol")
        if protocol not in self.protocols:
            self.refuse(node, f"protocol: {protocol!r}", did_you_mean(protocol, self.protocols) + known)
        return self.rules(protocol)

    def _own_number(self, node: yaml.Node | None, name: str, rule: RubricNumber) -> Decimal:
        if node is None:
            return rule.default
        number = self.number(node, name)
        if not rule.low <= number <= rule.high:
            self.refuse(node, f"{name}: {number}", f"a number from {rule.low} to {rule.high} is allowed")
        return number

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
        key = self.key(fields["key"])
        try:
            weight = check_weight(f"{key}.weight", self.number(fields["weight"], f"{key}.weight"))
        except RubricError:
            raise
        except InputError as error:
            self.refuse(fields["weight"], f"{error.place}: {error.found}", error.allowed)
        name = self.line(fields["name"], f"{key}.name") if "name" in fields else named_after(key)
        guidance = self.text(fields["guidance"], f"{key}.guidance").strip()
        return Criterion(key, name, weight, guidance, scale, self.bands(fields))
