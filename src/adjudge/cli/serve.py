"""`adjudge serve`: the service, its pages and its HTTP API."""

from __future__ import annotations

import argparse
import ipaddress
import socket
from contextlib import closing

from ..engine import CompareSettings, rubric_for
from ..errors import InputError, SetupError, plain_reason
from ..files import user_path
from ..server.app import create_app
from ..server.connections import server_for
from ..server.database import default_file
from ..server.tokens import TokenStore
from ..server.users import UserStore
from .asking import check_folders, say
from .people import database_url, opened_database


def run(args: argparse.Namespace) -> int:
    """Serve until interrupted."""
    if not 0 <= args.port <= 65535:
        raise InputError("--port", str(args.port), "0 to 65535 is allowed")
    local = _is_loopback(args.host)
    if args.tokens and not user_path(args.tokens).is_file():
        raise InputError("--tokens", f"{args.tokens}: file not found", "`adjudge token add NAME` makes it")
    database = opened_database(args)
    tokens = TokenStore(database)
    if args.auth and not UserStore(database).listed():
        how = "`adjudge user add NAME --role admin` makes a person"
        raise SetupError(f"--auth: there is nobody who could sign in; {how}")
    if not local and not args.auth and not tokens.listed():
        raise SetupError(
            f"--host {args.host}: others can reach the service there, and it has no token; "
            "make one with `adjudge token add NAME`, or people with `adjudge user add NAME` and give --auth, "
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
    rubric = rubric_for("compare", args.rubric)
    settings = CompareSettings(judge=args.judge, rubric=rubric, one_order=args.one_order, search=args.search)
    try:
        app = create_app(
            settings,
            allowed_judges=tuple(args.allow_judge),
            journal=args.journal or database_url(args),
            data=user_path(args.data) if args.data else None,
            tokens=tokens,
            token_required=not local or bool(args.tokens),
            auth=args.auth,
            hosts=(args.host, *args.allow_host),
            demo=args.demo,
        )
    except InputError as error:
        options = {"judge": "--judge", "allowed_judges": "--allow-judge", "search": "--search"}
        raise error.renamed(options) from None

    def ready(address: str) -> None:
        say(f"open {address} in a browser; Ctrl+C ends the service")
        if args.open:
            import webbrowser

            webbrowser.open(address)

    server = server_for(app, args.host, args.port, ready=ready, on_exit=app.state.adjudge.runs.closing.set)
    try:
        server.run()
    except SystemExit:  # the server has said why it could not start
        return 2
    return 0 if server.started else 2


def _check_not_left_open(args: argparse.Namespace, tokens: TokenStore) -> None:
    """Refuse to be open where tokens of an earlier version would have closed the service: they stay where they were."""
    before = default_file()
    named = args.data or database_url(args)
    if named and not args.tokens and not args.auth and before.exists() and not tokens.listed():
        with closing(TokenStore(before)) as others:
            if others.listed():
                raise SetupError(
                    f"{before} has tokens, and {tokens.database.place} has none: the service would be open; "
                    "add a token there, or name the file with --tokens"
                )


def _is_loopback(host: str) -> bool:
    """Whether only this machine can reach the service there."""
    try:
        # An empty name means all addresses, as it does for whoever listens there.
        found = socket.getaddrinfo(host or None, 0, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        reason = plain_reason(error) if isinstance(error, OSError) else "not a host's name"
        raise InputError("--host", f"{host}: {reason}", "an address of this machine, or its name") from None
    return all(ipaddress.ip_address(address[0]).is_loopback for *_, address in found)
