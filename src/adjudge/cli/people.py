"""`adjudge token` and `adjudge user`: which programs and which people may use the service, and where that is kept."""

from __future__ import annotations

import argparse
import getpass
import os
import sys
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import InputError
from ..files import user_path
from .asking import journal_place, say

if TYPE_CHECKING:
    from ..server.audit import AuditLog
    from ..server.database import ServiceDatabase
    from ..server.users import TokenStore, UserStore

_ROLES = ("viewer", "annotator", "reviewer", "admin")
_ACTOR = "command line"  # no name of a person, for it holds a blank


def register(commands: Any) -> None:
    """Add the commands."""
    token = commands.add_parser(
        "token",
        help="say which programs may use the service",
        description="Tokens for the HTTP API. Once there is one, every request needs one, or a person who signed in.",
    )
    actions = token.add_subparsers(title="commands", metavar="COMMAND", required=True)
    add = _action(
        actions, "add", run_token_add, "make a token and print it", "Make a token and print it, once.", "whose it is"
    )
    _add_role(add, "what it may do", "reviewer")
    add.add_argument("--budget", metavar="USD", help="dollars its requests may cost in all (default: no limit)")
    add.add_argument("--rate", type=int, metavar="N", help="requests a minute (default: no limit)")
    _action(actions, "list", run_token_list, "show all tokens", "Show all tokens, without their secrets.")
    about = "Refuse a token from now on, and stop its runs; no restart is needed."
    _action(actions, "revoke", run_token_revoke, "refuse a token from now on", about, "whose it was")

    user = commands.add_parser(
        "user",
        help="say which people may use the service",
        description="People who sign in with a password, where the service was started with --auth.",
    )
    actions = user.add_subparsers(title="commands", metavar="COMMAND", required=True)
    about, name = "Add a person; the password is asked for twice.", "letters, digits, dots, hyphens and underscores"
    add = _action(actions, "add", run_user_add, "add a person", about, name)
    _add_role(add, "what they may do", "viewer")
    _action(actions, "list", run_user_list, "show all people", "Show all people and their roles.")
    about = "Refuse a person from now on, and stop their runs; no restart is needed."
    _action(actions, "remove", run_user_remove, "refuse a person from now on", about, "who")
    about = "Give a person another role, from now on."
    role = _action(actions, "role", run_user_role, "give another role", about, "who")
    role.add_argument("role", metavar="ROLE", choices=_ROLES, help=", ".join(_ROLES))
    about = "Give a person another password, which ends all their sessions."
    password = _action(actions, "password", run_user_password, "give another password", about, "who")
    for parser in (add, password):
        parser.add_argument("--password-stdin", action="store_true", help="read it from standard input instead: a line")


def _action(actions: Any, name: str, run: Any, about: str, description: str, who: str = "") -> argparse.ArgumentParser:
    """A command about tokens or people; `who` says what its NAME is, if it takes one."""
    parser: argparse.ArgumentParser = actions.add_parser(name, help=about, description=description)
    if who:
        parser.add_argument("name", metavar="NAME", help=who)
    add_place_arguments(parser, data="the folder that the service has its data in, if it was named")
    parser.set_defaults(run=run)
    return parser


def _add_role(parser: argparse.ArgumentParser, about: str, default: str) -> None:
    parser.add_argument("--role", choices=_ROLES, default=default, help=f"{about} (default: {default})")


# -- where they are kept ----------------------------------------------------------------------------------------------


def add_place_arguments(parser: argparse.ArgumentParser, data: str) -> None:
    """The options that say where people and tokens are kept."""
    parser.add_argument(
        "--db",
        type=journal_place,
        metavar="URL",
        help="keep all on a Postgres server, the journal too: postgresql://user@host/database (default: $ADJUDGE_DB)",
    )
    parser.add_argument("--data", metavar="DIR", help=data)
    parser.add_argument("--tokens", metavar="FILE", help="keep tokens and people in this file instead of service.db")


def database_url(args: argparse.Namespace) -> str | None:
    """The server that is named for everything, if one is."""
    from ..journal.address import is_server, masked

    url: str | None = args.db or os.environ.get("ADJUDGE_DB") or None
    if url is not None and not (url.startswith("postgres") and is_server(url)):
        place = "--db" if args.db else "ADJUDGE_DB"
        raise InputError(
            place, masked(url), "postgresql://user@host/database; files are named with --journal and --data"
        )
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


class _Stores(NamedTuple):
    """What the service keeps."""

    tokens: TokenStore
    users: UserStore
    audit: AuditLog


def _opened(args: argparse.Namespace) -> _Stores:
    from ..server.audit import AuditLog
    from ..server.users import TokenStore, UserStore

    database = opened_database(args)
    return _Stores(TokenStore(database), UserStore(database), AuditLog(database))


# -- tokens -----------------------------------------------------------------------------------------------------------


def run_token_add(args: argparse.Namespace) -> int:
    """Make a token."""
    try:
        budget = None if args.budget is None else Decimal(args.budget)
    except InvalidOperation:
        raise InputError("--budget", f"{args.budget!r}", "a number of dollars") from None
    service = _opened(args)
    secret = service.tokens.add(args.name, budget=budget, rate=args.rate, role=args.role)
    service.audit.record(_ACTOR, "token.added", args.name, role=args.role)
    print(secret)
    say(f"the token of {args.name} is shown only now; {service.tokens.database.place} keeps its hash")
    return 0


def run_token_list(args: argparse.Namespace) -> int:
    """Show all tokens."""
    for token in _opened(args).tokens.listed():
        budget = "no limit" if token.budget is None else f"${token.budget:f}"
        rate = "no limit" if token.rate is None else f"{token.rate:,} a minute"
        spent = f"spent ${token.spent.normalize():f}, budget {budget}, rate {rate}"
        print(f"{token.name}: {token.role}, made {_day(token.created)}, {spent}")
    return 0


def run_token_revoke(args: argparse.Namespace) -> int:
    """Refuse a token."""
    service = _opened(args)
    service.tokens.revoke(args.name)
    service.audit.record(_ACTOR, "token.revoked", args.name)
    return 0


# -- people -----------------------------------------------------------------------------------------------------------


def run_user_add(args: argparse.Namespace) -> int:
    """Add a person."""
    from ..server.users import check_name

    check_name(args.name)
    service = _opened(args)
    service.users.add(args.name, _password(args), args.role)
    service.audit.record(_ACTOR, "person.added", args.name, role=args.role)
    say(f"{args.name} can sign in where the service is started with --auth")
    return 0


def run_user_list(args: argparse.Namespace) -> int:
    """Show all people."""
    for user in _opened(args).users.listed():
        print(f"{user.name}: {user.role}, since {_day(user.created)}")
    return 0


def run_user_remove(args: argparse.Namespace) -> int:
    """Refuse a person."""
    service = _opened(args)
    service.users.remove(args.name)
    service.audit.record(_ACTOR, "person.removed", args.name)
    return 0


def run_user_role(args: argparse.Namespace) -> int:
    """Give another role."""
    service = _opened(args)
    service.users.set_role(args.name, args.role)
    service.audit.record(_ACTOR, "person.role", args.name, role=args.role)
    return 0


def run_user_password(args: argparse.Namespace) -> int:
    """Give another password."""
    service = _opened(args)
    service.users.check_known(args.name)
    service.users.set_password(args.name, _password(args))
    service.audit.record(_ACTOR, "person.password", args.name)
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
