"""Code that the commands share: options, reading texts from arguments and files, and messages on standard error."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import InputError
from ..files import user_path
from ..redaction import redact

if TYPE_CHECKING:
    from ..models.common import Failure
    from ..protocols.settings import Settings

    S = TypeVar("S", bound=Settings[Any])

FORMATS = ("json", "text", "markdown", "html")
GROUP = "a column of the input: cases with the same cell are not independent (default: group, else the same task)"
MAX_FILE_BYTES = 8_000_000

# -- options ----------------------------------------------------------------------------------------------------------


def add_command(
    commands: Any,
    name: str,
    run: str | None,
    summary: str,
    description: str,
    epilog: str | None = None,
) -> argparse.ArgumentParser:
    """Add a command that calls `run`, given as "module.function" of this package. It is None if actions follow.

    The function is imported when the command is run. A description of several lines is shown as it is written; a single
    line is wrapped.
    """
    shown = argparse.RawDescriptionHelpFormatter if "\n" in description else argparse.HelpFormatter
    parser: argparse.ArgumentParser = commands.add_parser(
        name, help=summary, description=description, epilog=epilog, formatter_class=shown
    )
    if run is not None:
        parser.set_defaults(run=run)
    return parser


def option(parser: Any, written: str, about: str, **more: Any) -> None:
    """Add an option as its help shows it: `--seed N` takes a whole number, `--trust` is a switch.

    An argument is written with the name it has in Python: `file FILE`.
    """
    *names, last = written.split()
    if last.startswith("-"):
        parser.add_argument(*names, last, action="store_true", help=about, **more)
    else:
        parser.add_argument(*names, metavar=last, help=about, **({"type": int} if last == "N" else {}), **more)


def add_judging_group(parser: argparse.ArgumentParser) -> Any:
    """Add the group of judging options, with --judge as its first."""
    group = parser.add_argument_group("judging")
    option(group, "--judge JUDGE", "who judges; `adjudge judges` lists all (default: embedded)", default="embedded")
    return group


def add_asking_arguments(group: Any, protocol: str) -> None:
    """Add the options that say how the judge is asked."""
    option(group, "--rubric FILE", f"your own criteria (YAML); `adjudge rubric {protocol}` prints one to edit")
    option(group, "--seed N", "seed for everything random (default: 0)", default=0)
    option(
        group,
        "--sample N",
        "another number gives an independent answer, even if a reply is stored (default: 0)",
        default=0,
    )
    option(group, "--temperature T", "0 to 2 (default: 0)", type=float, default=0.0)
    option(group, "--max-tokens N", "longest reply in tokens (default: 8192)", default=8192)
    about = "where a text tries to steer the judge, judge once more without these passages: twice the calls"
    option(group, "--recheck-attempts", about)


def settings_from(settings: type[S], args: argparse.Namespace) -> S:
    """Build the settings from the options."""
    from ..protocols.review.settings import codes_in
    from ..protocols.rubrics import rubric_for

    given = {each.name: getattr(args, each.name) for each in fields(settings) if hasattr(args, each.name)}
    given["rubric"] = rubric_for(settings.protocol, args.rubric)
    if settings.protocol == "dialogue":
        given |= {"evaluator": args.evaluator or args.judge, "critic": args.critic or args.judge}
    elif settings.protocol == "review":
        given["languages"] = codes_in(args.languages)
    return settings(**given)


def add_output_arguments(parser: argparse.ArgumentParser, formats: tuple[str, ...] = FORMATS) -> None:
    """Add the options that say where the result goes, and in which format."""
    output = parser.add_argument_group("output")
    piped = "tags (the five blocks)" if "tags" in formats else "json"
    about = f"default: text on a terminal, {piped} when piped, or by -o's suffix"
    output.add_argument("--format", choices=formats, help=about)
    option(output, "-o --output FILE", "write here instead of printing")
    add_journal_argument(output)


def add_journal_argument(parser: Any) -> None:
    """Add the option that names the journal."""
    about = (
        "where replies and verdicts are stored: a file, or postgresql://user@host/database "
        "(default: $ADJUDGE_JOURNAL, else a file in your data folder)"
    )
    option(parser, "--journal FILE|URL", about, type=journal_place)


def journal_place(given: str) -> str:
    """Check that a journal's URL has no password: other users of this machine can read the command line."""
    from ..journal import masked

    if masked(given) != given:
        instead = "put it in PGPASSWORD or ~/.pgpass, or the whole address in ADJUDGE_JOURNAL"
        raise argparse.ArgumentTypeError(f"the command line must not contain a password; {instead}")
    return given


def check_folders(args: argparse.Namespace) -> None:
    """Refuse an output or a journal that is a folder, or whose folder is missing, before anything is paid."""
    for name in ("output", "journal"):
        value = getattr(args, name, None)
        if not value or value == "-" or "://" in value:
            continue
        path = user_path(value)
        if path.is_dir():
            raise InputError(f"--{name}", f"{value}: is a folder, not a file")
        if not path.parent.is_dir():
            raise InputError(f"--{name}", f"{value}: folder not found", "create it first, or give another place")


# -- texts ------------------------------------------------------------------------------------------------------------


def read_cases(path: str, wanted: str) -> tuple[bytes, str]:
    """Return the bytes of a file of cases and its name in error messages; an empty file is refused."""
    raw, place = _read_file(path)
    if not raw.strip():
        raise InputError(place, "empty", wanted)
    return raw, place


def read_text(value: str, option: str) -> str:
    """Return the text of an argument: the argument itself, a file's text (`@FILE`) or standard input (`-`)."""
    from ..inputs.text import decode

    if value == "-" or value.startswith("@"):
        raw, place = _read_file(value.removeprefix("@"), f"{option}: ")
    else:
        raw, place = value.encode("utf-8", "surrogateescape"), option
    return decode(raw, place, numbered=False)


def _read_file(path: str, option: str = "") -> tuple[bytes, str]:
    """Return a file's bytes (`-` is standard input) and its name in error messages."""
    from ..inputs.rows.records import Source

    source = Source(path)
    source.name = option + source.name
    return source.whole(MAX_FILE_BYTES), source.name


# -- messages ---------------------------------------------------------------------------------------------------------


def say(message: str) -> None:
    """Print one line on standard error, escaped because text from providers or files may hold terminal commands."""
    from ..rendering.escaping import one_line

    with suppress(OSError):  # the terminal may be gone
        print(f"adjudge: {one_line(redact(message))}", file=sys.stderr)


class Warnings(logging.Handler):
    """Shows the user the warnings that are logged while a block runs."""

    def __init__(self, tell: Callable[[str], None] = say) -> None:
        super().__init__(logging.WARNING)
        self._tell = tell

    def emit(self, record: logging.LogRecord) -> None:
        self._tell(record.getMessage())

    def __enter__(self) -> None:
        logging.getLogger("adjudge").addHandler(self)

    def __exit__(self, *_: object) -> None:
        logging.getLogger("adjudge").removeHandler(self)


def say_failure(failure: Failure, what: str) -> None:
    """Print a failure and, if a new reply may help, how to ask for one."""
    say(f"{what} failed ({failure.reason}): {failure.message}")
    if failure.reason in ("malformed", "cut_off", "refused"):
        say("the reply is stored in the journal; --sample 1 asks for another")
