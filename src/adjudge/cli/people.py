"""`adjudge token` and `adjudge user`: which programs and which people may use the service, and where that is kept."""

from __future__ import annotations

import argparse
import getpass
import os
import sys
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..files import user_path
from .asking import add_command, journal_place, option, say

if TYPE_CHECKING:
    from ..server.database import ServiceDatabase

_ROLES = ("viewer", "annotator", "reviewer", "admin")
_ACTOR = "command line"  # no name of a person, for it holds a blank


def register(commands: Any) -> None:
    """Add the commands."""
    about = "Tokens for the HTTP API. Once there is one, every request needs one, or a person who signed in."
    token = add_command(commands, "token", None, "say which programs may use the service", about)
    actions = token.add_subparsers(title="commands", metavar="COMMAND", required=True)
    about = "Make a token and print it, once."
    add = _add_action(actions, "add", "people.run_token", "make a token and print it", about, "whose it is")
    add.add_argument("--role", choices=_ROLES, default="reviewer", help="what it may do (default: reviewer)")
    option(add, "--budget USD", "dollars its requests may cost in all (default: no limit)")
    option(add, "--rate N", "requests a minute (default: no limit)")
    _add_action(actions, "list", "people.run_token", "show all tokens", "Show all tokens, without their secrets.")
    about = "Refuse a token from now on, and stop its runs; no restart is needed."
    _add_action(actions, "revoke", "people.run_token", "refuse a token from now on", about, "whose it was")

    about = "People who sign in with a password, where the service was started with --auth."
    user = add_command(commands, "user", None, "say which people may use the service", about)
    actions = user.add_subparsers(title="commands", metavar="COMMAND", required=True)
    about, name = "Add a person; the password is asked for twice.", "letters, digits, dots, hyphens and underscores"
    add = _add_action(actions, "add", "people.run_user", "add a person", about, name)
    add.add_argument("--role", choices=_ROLES, default="viewer", help="what they may do (default: viewer)")
    _add_action(actions, "list", "people.run_user", "show all people", "Show all people and their roles.")
    about = "Refuse a person from now on, and stop their runs; no restart is needed."
    _add_action(actions, "remove", "people.run_user", "refuse a person from now on", about, "who")
    about = "Give a person another role, from now on."
    role = _add_action(actions, "role", "people.run_user", "give another role", about, "who")
    role.add_argument("role", metavar="ROLE", choices=_ROLES, help=", ".join(_ROLES))
    about = "Give a person another password, which ends all their sessions."
    password = _add_action(actions, "password", "people.run_user", "give another password", about, "who")
    for parser in (add, password):
        option(parser, "--password-stdin", "read it from standard input instead: a line")


def _add_action(
    actions: Any, name: str, run: str, summary: str, description: str, who: str = ""
) -> argparse.ArgumentParser:
    """A command about tokens or people; `who` says what its NAME is, if it takes one."""
    parser = add_command(actions, name, run, summary, description)
    parser.set_defaults(action=name)
    if who:
        option(parser, "name NAME", who)
    add_place_arguments(parser, "the folder that the service has its data in, if it was named")
    return parser


# -- where they are kept ----------------------------------------------------------------------------------------------


def add_place_arguments(parser: argparse.ArgumentParser, data: str) -> None:
    """The options that say where people and tokens are kept; `data` is the help of --data."""
    about = "keep all on a Postgres server, the journal too: postgresql://user@host/database (default: $ADJUDGE_DB)"
    option(parser, "--db URL", about, type=journal_place)
    option(parser, "--data DIR", data)
    option(parser, "--tokens FILE", "keep tokens and people in this file instead of service.db")


def database_url(args: argparse.Namespace) -> str | None:
    """The server that is named for everything, if one is."""
    from ..journal.address import is_server, masked

    url: str | None = args.db or os.environ.get("ADJUDGE_DB") or None
    if url is not None and not (url.startswith("postgres") and is_server(url)):
        allowed = "postgresql://user@host/database; files are named with --journal and --data"
        raise InputError("--db" if args.db else "ADJUDGE_DB", masked(url), allowed)
    return url


def opened_database(args: argparse.Namespace) -> ServiceDatabase:
    """Where people and tokens are kept, as the options say."""
    from ..server.database import default_file, open_database

    url = database_url(args)
    if args.tokens:
        if args.db:
            raise InputError("--tokens", "given together with --db", "one place is allowed")
        return open_database(user_path(args.tokens))
    try:
        return open_database(url or (user_path(args.data) / "service.db" if args.data else default_file()))
    except InputError as error:
        raise error.renamed({"journal": "--db" if args.db else "ADJUDGE_DB"}) from None


# -- what is done -----------------------------------------------------------------------------------------------------


def run_token(args: argparse.Namespace) -> int:
    """Make a token, show all, or refuse one."""
    from ..server.audit import AuditLog
    from ..server.tokens import TokenStore

    try:
        budget = Decimal(args.budget) if args.action == "add" and args.budget is not None else None
    except InvalidOperation:
        raise InputError("--budget", f"{args.budget!r}", "a number of dollars") from None
    database = opened_database(args)
    tokens, audit = TokenStore(database), AuditLog(database)
    if args.action == "add":
        secret = tokens.add(args.name, budget=budget, rate=args.rate, role=args.role)
        audit.record(_ACTOR, "token.added", args.name, role=args.role)
        print(secret)
        say(f"the token of {args.name} is shown only now; {database.place} keeps its hash")
    elif args.action == "revoke":
        tokens.revoke(args.name)
        audit.record(_ACTOR, "token.revoked", args.name)
    else:
        for token in tokens.listed():
            limit = "no limit" if token.budget is None else f"${token.budget:f}"
            rate = "no limit" if token.rate is None else f"{token.rate:,} a minute"
            spent = f"spent ${token.spent.normalize():f}, budget {limit}, rate {rate}"
            print(f"{token.name}: {token.role}, made {_day(token.created)}, {spent}")
    return 0


def run_user(args: argparse.Namespace) -> int:
    """Add a person, show all, refuse one, or give one another role or password."""
    from ..server.audit import AuditLog
    from ..server.users import UserStore, check_name

    database = opened_database(args)
    users, audit = UserStore(database), AuditLog(database)
    if args.action == "add":
        check_name(args.name)
        users.add(args.name, _password(args), args.role)
        audit.record(_ACTOR, "person.added", args.name, role=args.role)
        say(f"{args.name} can sign in where the service is started with --auth")
    elif args.action == "remove":
        users.remove(args.name)
        audit.record(_ACTOR, "person.removed", args.name)
    elif args.action == "role":
        users.set_role(args.name, args.role)
        audit.record(_ACTOR, "person.role", args.name, role=args.role)
    elif args.action == "password":
        users.check_known(args.name)
        users.set_password(args.name, _password(args))
        audit.record(_ACTOR, "person.password", args.name)
    else:
        for user in users.listed():
            print(f"{user.name}: {user.role}, since {_day(user.created)}")
    return 0


def _password(args: argparse.Namespace) -> str:
    if args.password_stdin:
        return sys.stdin.readline().rstrip("\r\n")
    if not sys.stdin.isatty():
        raise InputError("password", "standard input is no terminal", "--password-stdin reads it from there")
    password = getpass.getpass(f"Password of {args.name}: ")
    if getpass.getpass("Again: ") != password:
        raise InputError("password", "is not the same the second time", "nothing was changed")
    return password


def _day(seconds: float) -> str:
    return str(datetime.fromtimestamp(seconds, UTC).date())
