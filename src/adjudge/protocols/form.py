"""The form on which a person enters one case of a protocol, and its shipped examples. The settings that it offers are
those whose fields in the settings class say so.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Literal

from ..arithmetic import to_decimal
from ..journal import Journal
from ..rubric import Rubric
from .settings import Settings

_WEIGHT = "weights."


@dataclass(frozen=True, slots=True)
class Field:
    """A text field: its name, its label, and what belongs in it. `needed` says what to do if it is empty; without it
    the field is optional. Fields of `side` A and B are next to each other, and those `folded` are at the end, hidden
    until they are wanted."""

    name: str
    label: str
    hint: str
    rows: int
    needed: str = ""
    side: Literal["", "A", "B"] = ""
    folded: bool = False
    placeholder: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExampleRun:
    """A run of the service's demo, made of files in the protocol's folder: its name, its cases (`only` those with this
    value in this column), the settings that are not the usual ones, and when it is dated (ISO).

    `replies` are those of its judge, if that is a written one. `labelling` says how it is labelled, with cases drawn at
    random, and `labels` what people answered. `acts` are what people did about its verdicts: entries of the audit log.
    """

    name: str
    file: str
    only: tuple[str, str] | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    rubric: str = ""
    created: str = ""
    replies: str = ""
    labelling: Mapping[str, Any] | None = None
    labels: str = ""
    acts: str = ""


@dataclass(frozen=True, slots=True)
class RecordedExample:
    """A shipped journal with one verdict of a judge that is not shipped, and the replies behind it."""

    title: str
    journal: str


@dataclass(frozen=True, kw_only=True)
class Drafts:
    """Stores unfinished forms. `find` returns the fields of a draft and a sentence on what is missing; `save` stores
    fields as a new draft or, with an id, instead of those of an earlier one, and returns its id."""

    find: Callable[[Journal, str, str | None, Rubric], tuple[dict[str, str], str]]
    save: Callable[[Journal, Mapping[str, str], Rubric, str | None, str], Awaitable[str]]


@dataclass(frozen=True, kw_only=True)
class Form:
    """How one case is entered on a page.

    `case` makes a case from the fields, and raises InputError under a field's name. `fill` makes the fields from a
    whole case, in any format that case files have, and `whole` says which that may be. `many` says what a run of such
    cases judges; `row` is an example of one in a JSONL file. `reweighted` returns a verdict with the weights that the
    parameters of a page ask for, if a case may bring its own weights: then form and page have sliders.
    """

    heading: str
    lead: str
    whole: str
    many: str
    row: str
    fields: tuple[Field, ...]
    case: Callable[[Mapping[str, str], Rubric], Any]
    fill: Callable[[str, Rubric], dict[str, str]]
    example: str  # the file in the protocol's folder
    example_title: str
    example_rubric: str = ""  # the file of the rubric that fits the example, if that is not the shipped one
    example_runs: tuple[ExampleRun, ...] = ()
    recorded: tuple[RecordedExample, ...] = ()
    folded: str = ""  # the heading of the fields that are folded
    drafts: Drafts | None = None
    reweighted: Callable[[Any, Mapping[str, str]], Any] | None = None

    @property
    def groups(self) -> list[tuple[bool, list[Field]]]:
        """The fields that are not folded, in groups, and whether those of a group are on two sides."""
        shown = (each for each in self.fields if not each.folded)
        return [(sided, list(fields)) for sided, fields in groupby(shown, lambda each: bool(each.side))]

    def field(self, name: str) -> Field | None:
        """Return the field of this name, if there is one."""
        return next((each for each in self.fields if each.name == name), None)

    def missing(self, values: Mapping[str, str]) -> dict[str, str]:
        """Return what to do about each needed field that is empty, by its name."""
        return {each.name: each.needed for each in self.fields if each.needed and not values.get(each.name, "").strip()}


def weights_in(fields: Mapping[str, str]) -> dict[str, Any]:
    """Return the weights sent by sliders, one field each. A value that is not a number is kept and refused later."""
    given = {name.removeprefix(_WEIGHT): value for name, value in fields.items() if name.startswith(_WEIGHT)}
    return {key: value if (exact := to_decimal(value)) is None else exact for key, value in given.items()}


def sent_settings(settings: type[Settings[Any]], values: Mapping[str, str]) -> dict[str, str]:
    """Return the settings that a form was sent with, as text by name. A box that is not ticked is not sent."""
    sent = {"judge": values["judge"]} if "judge" in values else {}
    for name, one in settings.offered().items():
        if one.widget == "checkbox":
            sent[name] = str((one.field in values) == (one.field == name)).lower()
        elif values.get(name, "").strip():
            sent[name] = values[name]
    return sent


def shown_settings(settings: Settings[Any], values: Mapping[str, str] | None) -> dict[str, bool | str]:
    """Return what a form shows in the fields of settings, by field: the values that were sent, or else those of the
    settings themselves. That of a checkbox is true or false."""
    shown: dict[str, bool | str] = {}
    for name, one in settings.offered().items():
        own = getattr(settings, name)
        if one.widget == "checkbox":
            shown[one.field] = own == (one.field == name) if values is None else one.field in values
        else:
            text = ",".join(own) if isinstance(own, tuple) else "" if own is None else str(own)
            shown[name] = text if values is None else values.get(name, text)
    return shown
