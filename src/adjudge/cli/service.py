"""`adjudge serve` starts the service with its pages and HTTP API. `adjudge token` and `adjudge user` manage the
programs and people that may use it, and store them in the service's database."""

from __future__ import annotations

import argparse
import ctypes
import getpass
import ipaddress
import os
import secrets
import socket
import sys
from contextlib import closing, suppress
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation

from ..errors import InputError, SetupError, plain_reason
from ..files import user_path
from ..journal import is_server, masked
from ..protocols.compare.settings import CompareSettings
from ..server.app import create_app
from ..server.audit import AuditLog
from ..server.database import ServiceDatabase, default_file, open_database
from ..server.guard import server_for
from ..server.users import TokenStore, UserStore, check_name
from .common import check_folders, note, settings_from

_ACTOR = "command line"  # contains a space, so it cannot be a person's name
_ARENA_MAX = -8  # M_ARENA_MAX in malloc.h


def run_serve(args: argparse.Namespace) -> int:
    """Serve until interrupted."""
    if not 0 <= args.port <= 65535:
        raise InputError("--port", str(args.port), "0 to 65535 is allowed")
    local = _is_loopback(args.host)
    if args.tokens and not user_path(args.tokens).is_file():
        raise InputError("--tokens", f"{args.tokens}: file not found", "`adjudge token add NAME` makes it")
    database = _opened_database(args)
    tokens = TokenStore(database)
    setup_code = None
    if args.auth and all(user.role != "admin" for user in UserStore(database).listed()):
        setup_code = secrets.token_urlsafe(16)
    if not local and not args.auth and not tokens.listed():
        raise SetupError(
            f"--host {args.host}: others can reach the service there, and it has no token; "
            "make one with `adjudge token add NAME`, or add people with `adjudge user add NAME` and give --auth, "
            "or leave --host out"
        )
    _check_not_left_open(args, tokens)
    try:
        family = socket.AF_INET6 if ":" in args.host else socket.AF_INET
        socket.create_server((args.host, args.port), family=family).close()
    except OSError as error:
        found = plain_reason(error).partition(" (while")[0]
        allowed = "give another --host or --port; port 0 takes any free one"
        raise InputError(f"{args.host}:{args.port}", found, allowed) from None
    check_folders(args)
    _share_memory()
    app = create_app(
        settings_from(CompareSettings, args),
        allowed_judges=tuple(args.allow_judge),
        journal=args.journal or _database_url(args),
        data=user_path(args.data) if args.data else None,
        tokens=tokens,
        token_required=not local or bool(args.tokens),
        auth=args.auth,
        setup_code=setup_code,
        hosts=(args.host, *args.allow_host),
        demo=args.demo,
    )

    def ready(address: str) -> None:
        note(f"open {address} in a browser; Ctrl+C ends the service")
        if setup_code is not None:
            note(f"there is no admin yet: {address.rstrip('/')}/setup makes one, with the code {setup_code}")
        if args.open:
            import webbrowser

            webbrowser.open(address)

    server = server_for(app, args.host, args.port, ready=ready, on_exit=app.state.adjudge.runs.closing.set)
    try:
        server.run()
    except SystemExit:  # the server has already printed why it could not start
        return 2
    return 0 if server.started else 2


def _check_not_left_open(args: argparse.Namespace, tokens: TokenStore) -> None:
    """Refuse to start an open service with --data or --db if the default file, used by earlier versions, has tokens."""
    before = default_file()
    named = args.data or _database_url(args)
    if named and not args.tokens and not args.auth and before.exists() and not tokens.listed():
        with closing(TokenStore(before)) as others:
            if others.listed():
                raise SetupError(
                    f"{before} has tokens, and {tokens.database.place} has none: the service would be open to "
                    "everyone; add a token there, or name the file with --tokens"
                )


def _share_memory() -> None:
    """Let all threads share two heaps of glibc: with one for each, what a large request leaves is hardly used again."""
    if "MALLOC_ARENA_MAX" in os.environ:
        return
    with suppress(OSError, AttributeError, TypeError):  # another C library
        ctypes.CDLL(None).mallopt(_ARENA_MAX, 2)


def _is_loopback(host: str) -> bool:
    """Return whether only this machine can reach the service at this host."""
    try:
        # An empty host means all addresses, as it does for a listening socket.
        found = socket.getaddrinfo(host or None, 0, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        reason = plain_reason(error) if isinstance(error, OSError) else "not a host's name"
        raise InputError("--host", f"{host}: {reason}", "an address of this machine, or its name") from None
    return all(ipaddress.ip_address(address[0]).is_loopback for *_, address in found)


def _database_url(args: argparse.Namespace) -> str | None:
    """Return the URL of the Postgres server for all data, or None if --db and ADJUDGE_DB are not set."""
    url: str | None = args.db or os.environ.get("ADJUDGE_DB") or None
    if url is not None and not (url.startswith("postgres") and is_server(url)):
        allowed = "postgresql://user@host/database; files are named with --journal and --data"
        raise InputError("--db" if args.db else "ADJUDGE_DB", masked(url), allowed)
    return url


def _opened_database(args: argparse.Namespace) -> ServiceDatabase:
    """Open the database of people and tokens that the options name."""
    url = _database_url(args)
    if args.tokens:
        if args.db:
            raise InputError("--tokens", "cannot be combined with --db", "give one of them")
        return open_database(user_path(args.tokens))
    try:
        return open_database(url or (user_path(args.data) / "service.db" if args.data else default_file()))
    except InputError as error:
        raise error.renamed({"journal": "--db" if args.db else "ADJUDGE_DB"}) from None


# -- tokens and people ------------------------------------------------------------------------------------------------


def run_token(args: argparse.Namespace) -> int:
    """Add a token, list all tokens, or revoke one."""
    try:
        budget = Decimal(args.budget) if args.action == "add" and args.budget is not None else None
    except InvalidOperation:
        raise InputError("--budget", f"{args.budget!r}", "a number of dollars") from None
    database = _opened_database(args)
    tokens, audit = TokenStore(database), AuditLog(database)
    if args.action == "add":
        secret = tokens.add(args.name, budget=budget, rate=args.rate, role=args.role)
        audit.record(_ACTOR, "token.added", args.name, role=args.role)
        print(secret)
        note(f"the token of {args.name} is shown only this once; {database.place} stores only its hash")
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
    """Add a person, list all people, remove one, or change a person's role or password."""
    database = _opened_database(args)
    users, audit = UserStore(database), AuditLog(database)
    if args.action == "add":
        check_name(args.name)
        users.add(args.name, _password(args), args.role)
        audit.record(_ACTOR, "person.added", args.name, role=args.role)
        note(f"{args.name} can sign in where the service is started with --auth")
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
        raise InputError("password", "standard input is not a terminal", "--password-stdin reads the password from it")
    password = getpass.getpass(f"Password of {args.name}: ")
    if getpass.getpass("Again: ") != password:
        raise InputError("password", "the two entries differ", "nothing was changed")
    return password


def _day(seconds: float) -> str:
    return str(datetime.fromtimestamp(seconds, UTC).date())
