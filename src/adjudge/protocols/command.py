"""What the command line needs of a protocol besides its settings: the command `adjudge <protocol>`, and a small case
with which `adjudge doctor` tries a judge. Its one-line summary is in the protocol's `__init__.py`, see `registry`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..models.cases import Case
from ..rubric import Rubric


@dataclass(frozen=True)
class CommandArgument:
    """An argument as its help shows it, such as `--id ID`, or `file FILE` where it has no dashes.

    `group` is the title under which the help lists it. A `needed` argument without dashes must be given. An option that
    may be given `several` times is a list.
    """

    written: str
    help: str
    group: str = ""
    needed: bool = False
    several: bool = False


@dataclass(frozen=True, kw_only=True)
class Given:
    """What the command was called with; `say` prints a message for the person who called it."""

    options: Mapping[str, Any]
    rubric: Rubric
    journal: str | None
    say: Callable[[str], None]


@dataclass(frozen=True)
class GivenCase:
    """A case to judge, its name in messages, and the fields with its own id that are put beside its result in JSON."""

    case: Case
    title: str
    ids: Mapping[str, int | str] = field(default_factory=dict)


@dataclass(frozen=True)
class StrictExit:
    """The exit code of a verdict: 0 if it is good enough, 1 if not, 3 if that is undecided; and the option's help."""

    help: str
    code: Callable[[Any], int]


@dataclass(frozen=True, kw_only=True)
class Command:
    """The command that judges given cases and prints the results.

    `read` reads the cases that the arguments name; without it, they are those of FILE. `examples` of `adjudge run` are
    shown in its help. `piped` is the format in a pipe, and how the help writes it. `named` adds its own ids to a
    verdict that is written as JSON. `head` is the heading of one of several results that are not JSON, from its ids,
    the format, and the reason if it failed. Afterwards a message says how many are `done`, or the `result` in a few
    words if the protocol judges one case at a time. `without_id` is the format that does not show the verdict's id.
    `advice` says what to do about a verdict, if anything. `strict`: with the option `--strict` the exit code says what
    the verdict is.
    """

    description: str = ""
    arguments: tuple[CommandArgument, ...] = (
        CommandArgument("file FILE", "a file with one or many cases, or - for standard input", needed=True),
    )
    read: Callable[[Given], Sequence[GivenCase]] | None = None
    examples: tuple[str, ...] = ()
    piped: tuple[str, str] = ("json", "json")
    named: Callable[[Any, Mapping[str, int | str]], Any] = lambda verdict, _: verdict
    head: Callable[[Mapping[str, int | str], str, str], str] = lambda *_: ""
    done: str = "judged"
    result: Callable[[Any], str] | None = None
    without_id: str = ""
    advice: Callable[[Any], str] = lambda _: ""
    strict: StrictExit | None = None


@dataclass(frozen=True, kw_only=True)
class Trial:
    """A small case with which a judge is tried, the settings besides its judges, and the verdict in a few words."""

    case: Case
    settings: Mapping[str, Any] = field(default_factory=dict)
    result: Callable[[Any], str]
