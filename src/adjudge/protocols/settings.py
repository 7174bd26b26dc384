"""The settings that all protocols share. A protocol's own settings class adds to them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Generic, TypeVar

from ..errors import InputError
from ..judges.at_hand import named
from ..llm.providers import refuse_password
from ..models.base import kind_of
from ..models.verdict import Verdict
from ..rubric import Rubric
from .options import Options, Service, Setting, setting, settings_of
from .rubrics import shipped

V = TypeVar("V", bound=Verdict)


JUDGE = Setting(
    name="judge",
    type=str,
    default="embedded",
    help="who judges; `adjudge judges` lists all, auto takes the best at hand",
    metavar="JUDGE",
    brief="see `adjudge judges`",
    http="One of the judges this service allows; default: its own.",
    serve="judges every request",
    service="judge",
)


def judge_setting(about: str = "") -> Any:
    """Return the field of a setting that names a judge. One that is not called `judge` says what it does, and its
    option defaults to --judge."""
    if not about:
        return field(default=JUDGE.default, metadata={"setting": JUDGE})
    http = f"{about.capitalize()}: one of the judges this service allows; default: `judge`."
    one = replace(JUDGE, help=about, brief=about, http=http, serve="")
    return field(default=JUDGE.default, metadata={"setting": one})


@dataclass(frozen=True, kw_only=True)
class Settings(Options, Generic[V]):
    """The settings of a judgment; `V` is the verdict of its protocol. The default rubric is the shipped one.

    `attempt`: a question whose stored reply is unusable is asked again, up to this attempt; the first one is 0.
    """

    protocol: ClassVar[str]
    rubric: Rubric = None  # type: ignore[assignment]  # replaced by the shipped one
    attempt: int = setting(0, between=(0, 10**6 - 1))
    max_tokens: int = setting(8192, "longest reply in tokens", metavar="N", between=(64, 200_000))

    def __post_init__(self) -> None:
        if self.rubric is None:
            object.__setattr__(self, "rubric", shipped(self.protocol))
        if not isinstance(self.rubric, Rubric):
            allowed = "a Rubric, such as adjudge.protocols.rubrics.load(PATH) returns, is needed"
            raise InputError("rubric", f"expected a rubric, found {kind_of(self.rubric)}", allowed)
        for name, judge in zip(self.named("judge"), named(*self.judges), strict=True):
            object.__setattr__(self, name, judge)
        for name, one in self.described().items():
            value = getattr(self, name)
            if one.between is not None and not one.allows(value):
                raise InputError(name, str(value), "{} to {} is allowed".format(*one.between))
        for name in self.named("judge", "search"):
            given = getattr(self, name) or ""
            if any("\ud800" <= sign <= "\udfff" for sign in given):  # from a command-line byte that is not UTF-8
                raise InputError(name, f"{given!a:.80} is not valid Unicode", "text is needed")
            refuse_password(name, given)

    @classmethod
    def described(cls) -> dict[str, Setting]:
        """Return all settings but the rubric, by name, with their type, default, range and help."""
        return settings_of(cls)

    @classmethod
    def requested(cls) -> dict[str, Setting]:
        """Return the settings that a request may change, by name, the shared ones last: all but the search service.

        `judge` is always there: where a protocol has several judges, it is for all of them.
        """
        known = {name: one for name, one in cls.described().items() if one.help and one.service != "search"}
        own_first = sorted(known.items(), key=lambda each: each[0] in Settings.described())
        judges = " and ".join(cls.named("judge"))
        for_all = replace(JUDGE, http=f"For {judges}: one of the judges this service allows.") if judges else JUDGE
        return {"judge": for_all, **dict(own_first)}

    @classmethod
    def offered(cls) -> dict[str, Setting]:
        """Return the settings that forms offer, by name."""
        return {name: one for name, one in cls.requested().items() if one.form}

    @classmethod
    def named(cls, *services: Service) -> tuple[str, ...]:
        """Return the settings that name services of these kinds, in the order in which they are asked."""
        return tuple(name for name, one in cls.described().items() if one.service in services)

    @classmethod
    def own(cls) -> dict[str, Setting]:
        """Return the settings that this protocol adds to the shared ones."""
        return {name: one for name, one in cls.described().items() if name not in Settings.described()}

    @property
    def judges(self) -> tuple[str, ...]:
        """The names of the judges, in the order in which they are asked."""
        return tuple(getattr(self, name) for name in self.named("judge"))

    def stored(self) -> dict[str, Any]:
        """Return all settings except the rubric, which is stored separately as its text."""
        return {name: value for name, value in self.__dict__.items() if name != "rubric"}
