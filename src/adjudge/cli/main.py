"""The entry point of `adjudge`: parses the command, runs it, and turns every error into one line and an exit code.

Exit codes: 0 done, 1 the judgment or a gate failed or a replay differs, 2 bad input or set-up, 3 too close to call or
undecided where that was asked for, 130 interrupted.
We use argparse instead of a larger framework: its help takes 40 ms of CPU, where the alternatives took 250.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import sys
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

from ..errors import AdjudgeError, InputError, SetupError, plain_reason
from ..protocols.registry import names, summaries
from ..redaction import names_secret
from ..spelling import did_you_mean, similar_name
from ..version import __version__
from . import judge_commands, other_commands, run_commands
from .common import LazyCommands, Messages, add_loudness, say, set_loudness

_COMMANDS = (judge_commands, run_commands, other_commands)
FOLDER = "CREDENTIALS_DIRECTORY"
_OTHERS = ("ADJUDGE_JOURNAL", "ADJUDGE_DB")  # their URLs may contain a password
_VARIABLE = re.compile(r"[A-Za-z_]\w*", re.ASCII)


class _Parser(argparse.ArgumentParser):
    """Reports a wrong option in one line, like every other error, and asks whether a similar one is meant."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        add_loudness(self)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        # The parser of a command knows its options, so it refuses an unknown one before the parser of all commands.
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(self._unknown([str(one) for one in unknown]))
        return found, unknown

    def _unknown(self, given: list[str]) -> str:
        options = [one.partition("=")[0] for one in given if one.startswith("--")]
        # Without the dashes, which all options share: they would make short names similar.
        known = {option.lstrip("-"): option for option in self._option_string_actions if option.startswith("--")}
        close = similar_name(options[0].lstrip("-"), [*known]) if options else None
        hint = f"did you mean {known[close]}?" if close else ""
        return f"{options[0] if options else ' '.join(given)}: unknown; {hint}".rstrip("; ")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        known = [str(one) for one in action.choices]
        hint = did_you_mean(str(value), known) or f"one of {', '.join(known)}"
        raise argparse.ArgumentError(action, f"{value!r} is unknown; {hint}".rstrip())

    def error(self, message: str) -> NoReturn:
        found = message.removeprefix("argument ")
        found = re.sub(r"invalid int value: (.+)", r"\1 is not a whole number", found)
        found = re.sub(r"invalid float value: (.+)", r"\1 is not a number", found)
        found = re.sub(r"the following arguments are required: (.+)", r"\1: missing", found)
        see = f"ee `{self.prog} --help`"
        say(f"{found} S{see}" if found.endswith("?") else f"{found}; s{see}")
        self.exit(2)


def build_parser() -> argparse.ArgumentParser:
    """Build the parser for all commands."""
    examples = [example for each in summaries().values() for example in each.examples]
    parser = _Parser(
        prog="adjudge",
        description="Judges what AI systems say, and shows why.",
        epilog="\n  ".join(["examples:", *examples, "adjudge serve --port 8000"]) + "\n",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(quiet=False, verbose=False)
    parser.add_argument("--version", action="version", version=f"adjudge {__version__}")
    commands: Any = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    commands.choices = commands._name_parser_map = LazyCommands()
    for module in _COMMANDS:
        module.register(commands)
    return parser


def main(argv: list[str] | None = None) -> int:
    """Run a command and return its exit code."""
    if sys.stdin is None:  # closed by the process that started us: then it is empty
        sys.stdin = Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115 – for as long as the process runs
    if sys.stdout is None:
        say("the output cannot be written: standard output is closed")
        return 2
    set_loudness()
    with Messages():
        return _run(argv)


def _run(argv: list[str] | None) -> int:
    args = argparse.Namespace()
    try:
        args = build_parser().parse_args(argv)
        set_loudness(quiet=args.quiet, verbose=args.verbose)
        read_credentials()
        module, _, name = args.run.partition(".")
        code: int = getattr(import_module(f".{module}", __package__), name)(args)
        sys.stdout.flush()
        return code
    except AdjudgeError as error:
        say(str(error.renamed(_options(args)) if isinstance(error, InputError) else error))
        return 2
    except BrokenPipeError:
        # The reader of our output has closed the pipe (`| head`). This is not an error, and we can write no more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        # Standard output is closed or its disk is full.
        say(f"the output cannot be written: {error.strerror or error}")
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 2
    except KeyboardInterrupt:
        say("interrupted; replies that were paid for are stored in the journal")
        return 130


def read_credentials() -> None:
    """Read keys from files, as systemd (`LoadCredential=`) and containers (`/run/secrets`) provide them.

    Each file in `$CREDENTIALS_DIRECTORY` named like a variable for a key or a password sets that variable in this
    process only, so the secret is in no command line and in no environment that `ps` shows. Variables that are already
    set are not changed.
    """
    folder = Path(os.environ.get(FOLDER) or os.devnull)
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        wanted = _VARIABLE.fullmatch(path.name) and (path.name in _OTHERS or names_secret(path.name))
        if not wanted or path.name in os.environ:
            continue
        try:
            os.environ[path.name] = path.read_text("utf-8").strip()
        except OSError as error:
            raise SetupError(f"{path}: {plain_reason(error)}; this user must be able to read it") from None
        except ValueError:  # not UTF-8, or a NUL
            raise SetupError(f"{path}: not text; a key or a password is needed") from None


def _options(args: argparse.Namespace) -> dict[str, str]:
    """Map each setting to its option, for error messages. A judge without an option of its own is named by --judge."""
    from ..protocols.base import protocol_of

    named = {"allowed_judges": "--allow-judge"}
    for protocol in names():
        for name, one in protocol_of(protocol).settings.described().items():
            named[name] = "--judge" if one.service == "judge" and not hasattr(args, name) else one.option
    return named


if __name__ == "__main__":
    sys.exit(main())
