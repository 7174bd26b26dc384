"""`adjudge token` and `adjudge user`: which programs and which people may use the service, and where that is kept."""

from __future__ import annotations

import argparse
import getpass
import os
import sys
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation

from ..errors import InputError
from ..files import user_path
from ..journal.address import is_server, masked
from ..server.audit import AuditLog
from ..server.database import ServiceDatabase, default_file, open_database
from ..server.tokens import TokenStore
from ..server.users import UserStore, check_name
from .asking import say

_ACTOR = "command line"  # no name of a person, for it holds a blank


def database_url(args: argparse.Namespace) -> str | None:
    """The server that is named for everything, if one is."""
    url: str | None = args.db or os.environ.get("ADJUDGE_DB") or None
    if url is not None and not (url.startswith("postgres") and is_server(url)):
        allowed = "postgresql://user@host/database; files are named with --journal and --data"
        raise InputError("--db" if args.db else "ADJUDGE_DB", masked(url), allowed)
    return url


def opened_database(args: argparse.Namespace) -> ServiceDatabase:
    """Where people and tokens are kept, as the options say."""
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
