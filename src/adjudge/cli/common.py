"""Code that the commands share: options, settings from options, and messages on standard error."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import NOTE, InputError
from ..files import user_path
from ..redaction import redact

if TYPE_CHECKING:
    from ..models.common import Failure
    from ..protocols.options import Setting
    from ..protocols.settings import Settings

    S = TypeVar("S", bound=Settings[Any])

_LOGGER = logging.getLogger("adjudge")
FORMATS = ("json", "text", "markdown", "html")
GROUP = "a column of the input: cases with the same cell are not independent (default: group, else the same task)"

# -- options ----------------------------------------------------------------------------------------------------------


def add_command(
    commands: Any, name: str, run: str | None, summary: str, description: str, epilog: str | None = None
) -> argparse.ArgumentParser:
    """Add a command that calls `run`, given as "module.function" of this package. It is None if actions follow.

    The function is imported when the command is run.
    """
    parser: argparse.ArgumentParser = commands.add_parser(name, help=summary)
    describe(parser, description, epilog)
    if run is not None:
        parser.set_defaults(run=run)
    return parser


def add_later(
    commands: Any, name: str, run: str, summary: str, fill: Callable[[argparse.ArgumentParser], None]
) -> None:
    """Add a command whose description and options need a protocol: `fill` adds them when the command is used."""
    commands.choices.fill[name] = partial(fill, add_command(commands, name, run, summary, ""))


def describe(parser: argparse.ArgumentParser, description: str, epilog: str | None = None) -> None:
    """Set what a command's help says. A description of several lines is shown as it is; a single line is wrapped."""
    parser.description, parser.epilog = description, epilog
    parser.formatter_class = argparse.RawDescriptionHelpFormatter if "\n" in description else argparse.HelpFormatter


class LazyCommands(dict[str, argparse.ArgumentParser]):
    """The parsers of the commands. Some are filled in when they are looked up, because the help of all commands is
    shown often and should not wait until the protocols are loaded."""

    def __init__(self) -> None:
        super().__init__()
        self.fill: dict[str, Callable[[], None]] = {}

    def __getitem__(self, name: str) -> argparse.ArgumentParser:
        self.fill.pop(name, lambda: None)()
        return super().__getitem__(name)

    def items(self) -> Any:
        return [(name, self[name]) for name in self]


def option(parser: Any, written: str, about: str, **more: Any) -> None:
    """Add an option as its help shows it: `--seed N` takes a whole number, `--trust` is a switch.

    An argument is written with the name it has in Python: `file FILE`.
    """
    *names, last = written.split()
    if last.startswith("-"):
        parser.add_argument(*names, last, action="store_true", help=about, **more)
    else:
        parser.add_argument(*names, metavar=last, help=about, **({"type": int} if last == "N" else {}), **more)


def add_setting(group: Any, one: Setting, about: str) -> None:
    """Add the option of a setting with this help."""
    if not one.metavar:
        option(group, one.option, about)
        return
    # What is not given is known by None: another judge takes the place of one, and texts are parsed later.
    later = one.parse is not None or (one.service == "judge" and one.name != "judge")
    group.add_argument(
        one.option,
        metavar=one.metavar,
        help=f"{about} (default: {one.shown_default})" if one.shown_default else about,
        type=one.type if one.type in (int, float) else str,
        default=None if later else one.default,
    )


def add_asking_arguments(group: Any, protocol: str) -> None:
    """Add the options that say how the judge is asked, whatever the protocol."""
    from ..protocols.settings import Settings

    option(group, "--rubric FILE", f"your own criteria (YAML); `adjudge rubric {protocol}` prints one to edit")
    for one in switches_last(each for each in Settings.described().values() if each.help):
        add_setting(group, one, one.help)


def switches_last(settings: Iterable[Setting]) -> list[Setting]:
    """Return the settings, those that take no value last."""
    return sorted(settings, key=lambda one: not one.metavar)


def settings_from(settings: type[S], args: argparse.Namespace) -> S:
    """Build the settings from the options. --judge names every judge that has no option of its own."""
    from ..protocols.rubrics import rubric_for

    given: dict[str, Any] = {"rubric": rubric_for(settings.protocol, args.rubric)}
    for name, one in settings.described().items():
        value = getattr(args, name, None)
        if one.service == "judge":
            given[name] = value or args.judge
        elif hasattr(args, name):
            given[name] = value if one.parse is None else one.parse(value)
    return settings(**given)


def add_output_arguments(parser: argparse.ArgumentParser, formats: Iterable[str] = (), piped: str = "json") -> None:
    """Add the options that say where the result goes, and in which format; `formats` are added to the usual ones."""
    output = parser.add_argument_group("output")
    about = f"how to write it (default: text on a terminal, {piped} when piped, or by -o's suffix)"
    output.add_argument("--format", choices=(*formats, *FORMATS), help=about)
    option(output, "-o --output FILE", "write here instead of printing")
    add_journal_argument(output)


def add_journal_argument(parser: Any) -> None:
    """Add the option that names the journal."""
    about = (
        "where replies and verdicts are stored: a file, or postgresql://user@host/database "
        "(default: $ADJUDGE_JOURNAL, else a file in your data folder)"
    )
    option(parser, "--journal FILE|URL", about, type=journal_place)


def add_gate_arguments(parser: Any, *, needed: bool = False) -> None:
    """Add the conditions of a gate, and where its answer is written besides being printed."""
    about = "fail if this is true of the run, such as 'pass_rate < 0.9'; repeatable"
    option(parser, "--fail-if CONDITION", about, action="append", default=[], required=needed)
    about = "if a condition is too close to call: pass with a warning (default), or fail with exit code 3"
    parser.add_argument("--unsure", choices=("pass", "fail"), default="pass", help=about)
    option(parser, "--junit FILE", "also write the answer as JUnit XML")
    option(parser, "--summary FILE", "also append the answer to this file as Markdown, such as $GITHUB_STEP_SUMMARY")


def journal_place(given: str) -> str:
    """Check that a journal's URL has no password: other users of this machine can read the command line."""
    from ..journal import masked

    if masked(given) != given:
        instead = "put it in PGPASSWORD or ~/.pgpass, or the whole address in ADJUDGE_JOURNAL"
        raise argparse.ArgumentTypeError(f"the command line must not contain a password; {instead}")
    return given


def check_folders(args: argparse.Namespace) -> None:
    """Refuse an output or a journal that is a folder, or whose folder is missing, before anything is paid."""
    for name in ("output", "journal", "junit", "summary"):
        value = getattr(args, name, None)
        if not value or value == "-" or "://" in value:
            continue
        path = user_path(value)
        if path.is_dir():
            raise InputError(f"--{name}", f"{value}: is a folder, not a file")
        if not path.parent.is_dir():
            raise InputError(f"--{name}", f"{value}: folder not found", "create it first, or give another place")


# -- messages ---------------------------------------------------------------------------------------------------------


def say(message: str) -> None:
    """Print one line on standard error, escaped because text from providers or files may hold terminal commands."""
    from ..rendering.escaping import one_line

    with suppress(OSError):  # the terminal may be gone
        print(f"adjudge: {one_line(redact(message))}", file=sys.stderr)


def note(message: str) -> None:
    """Print one line on standard error that is neither an error nor a warning, unless --quiet is given."""
    if not is_quiet():
        say(message)


def note_judge_at_hand(judges: Iterable[str]) -> None:
    """If the embedded judge judged, name the judge of a provider whose key is set. No server is looked for here."""
    from ..judges.at_hand import EMBEDDED, judge_with_key

    if EMBEDDED in judges and (found := judge_with_key()) is not None:
        note(f"the embedded judge measures texts and checks no facts; {found.why}: --judge {found.judge} reads them")


def remark(line: str) -> None:
    """Print a line on standard error as it is, unless --quiet is given."""
    if not is_quiet():
        print(line, file=sys.stderr)


class Messages(logging.Handler):
    """Shows the user what is logged while a block runs, in place of the block around it. An error is shown as Python
    does it, with its traceback if it has one."""

    def __init__(self, show: Callable[[str, str], None] = lambda text, _: say(text)) -> None:
        super().__init__()
        self._show = show
        self._around: list[logging.Handler] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno >= logging.ERROR and logging.lastResort is not None:
            logging.lastResort.handle(record)
        else:
            self._show(record.getMessage(), "warning" if record.levelno >= logging.WARNING else "note")

    def __enter__(self) -> None:
        self._around = [handler for handler in _LOGGER.handlers if isinstance(handler, Messages)]
        for handler in self._around:
            _LOGGER.removeHandler(handler)
        _LOGGER.addHandler(self)

    def __exit__(self, *_: object) -> None:
        _LOGGER.removeHandler(self)
        for handler in self._around:
            _LOGGER.addHandler(handler)


# -- loudness: what is logged below a warning is for --verbose, notes are for everybody but --quiet --------------------


def add_loudness(parser: argparse.ArgumentParser) -> None:
    """Add --quiet and --verbose, which every command takes before and after its name."""
    group = parser.add_mutually_exclusive_group()
    option(group, "-q --quiet", "no progress and no notes, only warnings and errors", default=argparse.SUPPRESS)
    option(group, "-v --verbose", "also log each call, attempt and retry with its time", default=argparse.SUPPRESS)


def set_loudness(*, quiet: bool = False, verbose: bool = False) -> None:
    """Set what is shown of our log from now on."""
    _LOGGER.setLevel(logging.WARNING if quiet else logging.INFO if verbose else NOTE)


def is_quiet() -> bool:
    """Say whether --quiet is given."""
    return not _LOGGER.isEnabledFor(NOTE)


def say_failure(failure: Failure, what: str) -> None:
    """Print a failure and, if a new reply may help, how to ask for one."""
    say(f"{what} failed ({failure.reason}): {failure.message}")
    if failure.reason in ("malformed", "cut_off", "refused"):
        note("the reply is stored in the journal; --sample 1 asks for another")
