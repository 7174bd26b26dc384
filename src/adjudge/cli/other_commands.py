"""The other commands: `replay`, `rubric`, `judges`, `doctor`, `completion` and `embedded`, and `serve`, `token` and
`user` for the service.

This file only has their options and help. The code that does the work is imported when a command is run.
"""

from __future__ import annotations

import argparse
from typing import Any

from ..protocols import registry
from ..protocols.registry import names
from .common import (
    add_command,
    add_journal_argument,
    add_later,
    add_setting,
    describe,
    journal_place,
    option,
    switches_last,
)

_FIT = """\
Fit a model of the embedded judge to your own labels, and use it with --judge embedded:FILE.
LABELS is JSONL, one pair per line, with task, response_a, response_b and human (A, B or tie); at least 30 pairs.
Before the model is saved it is tested on tasks it has not seen (cross-validation by task). It should be right more
often than always choosing the longer answer.
"""
_COMPLETION = """\
Print a script with which your shell completes commands, options and files of adjudge. To install it:
  bash  adjudge completion bash > ~/.local/share/bash-completion/completions/adjudge
  zsh   adjudge completion zsh > ~/.zfunc/_adjudge    (with `fpath+=~/.zfunc` before `compinit` in ~/.zshrc)
  fish  adjudge completion fish > ~/.config/fish/completions/adjudge.fish
"""
_ROLES = ("viewer", "annotator", "reviewer", "admin")


def register(commands: Any) -> None:
    """Add the commands besides judging and runs."""
    _add_tools(commands)
    _add_embedded(commands)
    add_later(commands, "serve", "service.run_serve", "serve the pages and the HTTP API", _add_serve_options)
    _add_people(commands)


def _add_tools(commands: Any) -> None:
    about = "Make a verdict again from its stored replies, free and offline, and check that it is the same."
    parser = add_command(commands, "replay", "tools.run_replay", "make a verdict again from stored replies", about)
    option(parser, "verdict VERDICT", "a verdict's id (a unique beginning is enough)")
    option(parser, "-o --output FILE", "write the JSON here instead of printing it")
    add_journal_argument(parser)
    *others, last = protocols = tuple(registry.summaries())
    known = f"{', '.join(others)} or {last}"
    about = f"Print the rubric of a protocol ({known}), or check your own file and show what was read."
    parser = add_command(
        commands, "rubric", "tools.run_rubric", "print a rubric to start from, or check your own", about
    )
    option(parser, f"name {'|'.join(protocols)}|FILE", "a protocol's name, or a YAML file")
    option(parser, "--new", "write a rubric to start from, with comments, for the protocol of this name")
    option(parser, "-o --output FILE", "with --new: write it to this new file instead of printing it")
    about = "List the judges that --judge takes, and which are ready to use."
    add_command(commands, "judges", "tools.run_judges", "list the judges and which are ready", about)
    about = "Check this installation. With --judge, also ask that judge one small real question."
    parser = add_command(commands, "doctor", "tools.run_doctor", "say what is missing and how to fix it", about)
    option(parser, "--judge JUDGE", "a judge to try; costs one small call")
    add_journal_argument(parser)
    parser = add_command(
        commands, "completion", "completion.run_completion", "print what completes commands in your shell", _COMPLETION
    )
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="your shell")


def _add_embedded(commands: Any) -> None:
    about = "Fit or show the embedded judge's model: a weight for each of its measures, fitted to people's judgments."
    parser = add_command(commands, "embedded", None, "fit the embedded judge to your own labels", about)
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    fit = add_command(actions, "fit", "tools.run_fit", "fit a model to labelled pairs", _FIT)
    option(fit, "labels LABELS", "a JSONL file")
    option(fit, "-o --output FILE", "where to save the model (default: embedded.json)", default="embedded.json")
    option(fit, "--seed N", "seed of the cross-validation (default: 1)", default=1)
    option(fit, "--even-if-worse", "save it even if choosing the longer answer does as well")
    show = add_command(
        actions, "show", "tools.run_show", "print a model's weights", "Print the weight of each measure."
    )
    option(show, "model FILE", "a fitted model (default: the shipped one)", nargs="?")


def _add_serve_options(parser: argparse.ArgumentParser) -> None:
    from ..protocols.base import protocol_of
    from ..protocols.settings import JUDGE

    *others, last = (registry.about(name).path for name in names())
    about = f"single cases under {', '.join(others)} and {last}, files of cases under /api/runs; /docs describes it."
    describe(parser, f"Serve the pages for a browser, and the HTTP API: {about}")
    about = "where to listen (default: 127.0.0.1, this machine only); others need a token, or people and --auth"
    parser.add_argument("--host", default="127.0.0.1", help=about)
    about = "another name that requests may be addressed to, such as a proxy's; can be repeated"
    option(parser, "--allow-host NAME", about, action="append", default=[])
    option(parser, "--auth", "people sign in with a password; `adjudge user add NAME` adds them")
    parser.add_argument("--port", type=int, default=8000, help="the port (default: 8000); 0 takes any free one")
    add_setting(parser, JUDGE, JUDGE.serve)
    about = "another judge that a request may name; can be repeated"
    option(parser, "--allow-judge JUDGE", about, action="append", default=[])
    kept = "runs and rubrics in the folder service beside the journal, service.db in your data folder"
    _add_place(parser, f"where runs, rubrics and service.db are kept (default: {kept})")
    option(parser, "--rubric FILE", "your own criteria for comparisons (YAML)")
    own = {name: one for each in names() for name, one in protocol_of(each).settings.own().items()}
    for one in switches_last(one for name, one in own.items() if one.serve and name != JUDGE.name):
        add_setting(parser, one, one.serve)
    option(parser, "--demo", "add examples and runs of all protocols, to click through")
    option(parser, "--open", "open the first page in your browser")
    add_journal_argument(parser)


def _add_people(commands: Any) -> None:
    about = "Manage tokens for the HTTP API. Once there is one, every request needs a token or a signed-in person."
    token = add_command(commands, "token", None, "manage which programs may use the service", about)
    actions = token.add_subparsers(title="commands", metavar="COMMAND", required=True)
    about = "Make a token and print it; it is shown only this once."
    add = _add_action(actions, "add", "service.run_token", "make a token and print it", about, "whose it is")
    add.add_argument("--role", choices=_ROLES, default="reviewer", help="what it may do (default: reviewer)")
    option(add, "--budget USD", "dollars its requests may cost in all (default: no limit)")
    option(add, "--rate N", "requests a minute (default: no limit)")
    _add_action(actions, "list", "service.run_token", "show all tokens", "Show all tokens, without their secrets.")
    about = "Refuse a token from now on, and stop its runs; no restart is needed."
    _add_action(actions, "revoke", "service.run_token", "refuse a token from now on", about, "whose it was")

    about = "Manage the people who sign in with a password, if the service was started with --auth."
    user = add_command(commands, "user", None, "manage which people may use the service", about)
    actions = user.add_subparsers(title="commands", metavar="COMMAND", required=True)
    about, name = "Add a person; the password is asked for twice.", "letters, digits, dots, hyphens and underscores"
    add = _add_action(actions, "add", "service.run_user", "add a person", about, name)
    add.add_argument("--role", choices=_ROLES, default="viewer", help="what they may do (default: viewer)")
    _add_action(actions, "list", "service.run_user", "show all people", "Show all people and their roles.")
    about = "Refuse a person from now on, and stop their runs; no restart is needed."
    _add_action(actions, "remove", "service.run_user", "refuse a person from now on", about, "who")
    about = "Give a person another role, from now on."
    role = _add_action(actions, "role", "service.run_user", "give another role", about, "who")
    role.add_argument("role", metavar="ROLE", choices=_ROLES, help=", ".join(_ROLES))
    about = "Give a person another password, which ends all their sessions."
    password = _add_action(actions, "password", "service.run_user", "give another password", about, "who")
    for parser in (add, password):
        option(parser, "--password-stdin", "read it from standard input instead: one line")


def _add_action(
    actions: Any, name: str, run: str, summary: str, description: str, who: str = ""
) -> argparse.ArgumentParser:
    """Add a command about tokens or people; `who` is the help of its NAME argument, if it takes one."""
    parser = add_command(actions, name, run, summary, description)
    parser.set_defaults(action=name)
    if who:
        option(parser, "name NAME", who)
    _add_place(parser, "the --data folder of the service, if it was started with one")
    return parser


def _add_place(parser: argparse.ArgumentParser, data: str) -> None:
    """Add the options that say where people and tokens are kept; `data` is the help of --data."""
    about = "keep all data and the journal on a Postgres server: postgresql://user@host/database (default: $ADJUDGE_DB)"
    option(parser, "--db URL", about, type=journal_place)
    option(parser, "--data DIR", data)
    option(parser, "--tokens FILE", "keep tokens and people in this file instead of service.db")
