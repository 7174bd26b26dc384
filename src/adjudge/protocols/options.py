"""What a setting is. Its name, type, default, range and help are said once, in its field; the option of the command
line, the field of the HTTP body and of a form, the check of its range and its stored form are made from there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

Service = Literal["judge", "search"]
_LONGEST = 2_000  # characters of a text in a request


@dataclass(frozen=True, slots=True)
class FormField:
    """How a form offers a setting: its label, a hint, and its label `among` the settings of other protocols. A switch
    with an `opposite` is offered as a checkbox of that name, which is ticked if the setting is off."""

    label: str
    hint: str = ""
    among: str = ""
    opposite: str = ""


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One setting. Without `help` people cannot set it.

    `metavar` is what its option takes (nothing: a switch), `brief` its help beside the settings of other protocols, and
    `http` its description in the HTTP API, if that is not the help. `form`: forms offer it, too. `serve` is the help of
    the option with which the owner of a service sets it, if there is one, and `bench` of the one that sets it for
    `adjudge bench`. `between` is the allowed range. `service`: its value names a judge or a search service. `parse`
    makes the value from the text of the option, or from None.
    """

    name: str = ""
    type: Any = None
    default: Any = None
    help: str = ""
    metavar: str = ""
    brief: str = ""
    http: str = ""
    form: FormField | None = None
    serve: str = ""
    bench: str = ""
    between: tuple[int, int] | None = None
    service: Service | None = None
    parse: Callable[[str | None], Any] | None = None

    @property
    def option(self) -> str:
        """The option of the command line."""
        return "--" + self.name.replace("_", "-")

    @property
    def shown_default(self) -> str:
        """The default as the help of the option shows it; empty if there is nothing to show."""
        if self.service == "judge" and self.name != "judge":
            return "--judge"
        return f"{self.default:g}" if isinstance(self.default, int | float) else self.default or ""

    @property
    def description(self) -> str:
        """What the HTTP API says of it."""
        return self.http or f"{self.help[:1].upper()}{self.help[1:]}."

    @property
    def field(self) -> str:
        """The name of its field in a form."""
        return (self.form.opposite if self.form else "") or self.name

    @property
    def widget(self) -> Literal["checkbox", "judge", "number", "text"]:
        """What a form offers it as."""
        if self.service == "judge":
            return "judge"
        return "checkbox" if self.type is bool else "number" if self.type in (int, float) else "text"

    def allows(self, value: object) -> bool:
        """Check whether a value is within the range. A whole number is allowed where a fraction is."""
        low, high = self.between or (0, 0)
        kinds = (int, float) if isinstance(self.default, float) else (int,)
        return isinstance(value, kinds) and not isinstance(value, bool) and low <= value <= high


def setting(default: Any, help: str = "", **more: Any) -> Any:  # noqa: A002 -- the word users say
    """Return the field of a setting; `more` are the fields of `Setting`."""
    return field(default=default, metadata={"setting": Setting(help=help, **more)})


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options with which a case is judged, whatever its protocol.

    `sample` numbers independent answers to the same questions. `recheck_attempts`: if a text tries to steer the judge,
    judge the case again without those passages.
    """

    seed: int = setting(0, "seed for everything random", metavar="N", between=(0, 2**31 - 1))
    sample: int = setting(
        0,
        "another number gives an independent answer, even if a reply is stored",
        metavar="N",
        between=(0, 10**6 - 1),
    )
    temperature: float = setting(
        0.0,
        "how freely the model replies, 0 to 2",
        metavar="T",
        between=(0, 2),
        http="The model's temperature.",
    )
    recheck_attempts: bool = setting(
        False,
        "where a text tries to steer the judge, judge once more without these passages: twice the calls",
        http="If a text tries to steer the judge, judge again without those passages.",
    )


def settings_of(options: type[Any]) -> dict[str, Setting]:
    """Return the settings of a class by name, in the order of its fields."""
    known: Any = options  # mypy doubts that a class whose objects have a hash has one itself
    return _settings_of(known)


@cache
def _settings_of(options: type[Any]) -> dict[str, Setting]:
    types = get_type_hints(options)
    return {
        one.name: replace(one.metadata["setting"], name=one.name, type=types[one.name], default=one.default)
        for one in fields(options)
        if "setting" in one.metadata
    }


def http_fields(settings: Mapping[str, Setting], *, camel: bool = False, text: bool = False) -> dict[str, Any]:
    """Return the definitions of settings for `pydantic.create_model`, to be the fields of a request.

    A range is only described: the settings class checks it. With `camel` a field is called `oneOrder`. `text`: the
    fields come from a query or a form, where a list is text such as `en,es`.
    """
    from pydantic import AfterValidator, Field
    from pydantic.alias_generators import to_camel

    short: Any = Annotated[str, Field(max_length=_LONGEST)]
    made: dict[str, Any] = {}
    for name, one in settings.items():
        kind, default = one.type, one.default
        about: dict[str, Any] = {"description": one.description}
        if one.service is not None:
            kind, default = short | None, None
        elif kind in (str, str | None):
            kind = short if kind is str else short | None
        elif one.parse is not None and text:
            kind, default = Annotated[short, AfterValidator(one.parse)] | None, None
        elif get_origin(kind) is tuple:
            kind, default = list[get_args(kind)[0]] | None, None  # type: ignore[misc]
        if get_origin(one.type) is tuple and text:
            about["description"] += " Separated by commas."
        if one.between is not None:
            about["json_schema_extra"] = dict(zip(("minimum", "maximum"), one.between, strict=True))
        if camel and to_camel(name) != name:
            about["alias"] = to_camel(name)
        made[name] = kind, Field(default, **about)
    return made
