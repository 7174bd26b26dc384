"""`adjudge serve`: the service, its pages and its HTTP API."""

from __future__ import annotations

import argparse
import ipaddress
import socket
from contextlib import closing
from typing import TYPE_CHECKING, Any

from ..errors import InputError, SetupError, plain_reason
from ..files import user_path
from .asking import add_command, add_journal_argument, check_folders, say
from .people import add_place_arguments, database_url, opened_database

if TYPE_CHECKING:
    from ..server.users import TokenStore


def register(commands: Any) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "serve",
        run,
        "serve the pages and the HTTP API",
        "Serve the pages for a browser, and the same over HTTP: single cases under /api/evaluate, "
        "/api/dialogue and /api/review, files of cases under /api/runs; /docs describes it.",
    )
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        help="default: 127.0.0.1, this machine only; any other needs a token, or people and --auth",
    )
    parser.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help="another name that requests may be addressed to, such as a proxy's; can be repeated",
    )
    parser.add_argument(
        "--auth", action="store_true", help="people sign in with a password: `adjudge user add NAME` makes them"
    )
    parser.add_argument("--port", type=int, default=8000, help="default: 8000; 0 takes any free port")
    parser.add_argument("--judge", default="embedded", metavar="JUDGE", help="judges every request (default: embedded)")
    parser.add_argument(
        "--allow-judge",
        action="append",
        default=[],
        metavar="JUDGE",
        help="another judge that a request may name; can be repeated",
    )
    add_place_arguments(
        parser, data="where runs, rubrics and service.db are kept (default: service, beside the journal)"
    )
    parser.add_argument("--rubric", metavar="FILE", help="your own criteria for comparisons (YAML)")
    parser.add_argument("--search", metavar="SERVICE", help="look facts up: searxng:http://HOST:PORT or brave")
    parser.add_argument(
        "--one-order", action="store_true", help="compare once instead of in both orders: half the cost"
    )
    parser.add_argument(
        "--demo", action="store_true", help="come with judged examples of all three protocols, to click through"
    )
    parser.add_argument("--open", action="store_true", help="open the first page in your browser")
    add_journal_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Serve until interrupted."""
    from ..engine import CompareSettings, rubric_for
    from ..server.app import create_app
    from ..server.guard import server_for
    from ..server.users import TokenStore, UserStore

    if not 0 <= args.port <= 65535:
        raise InputError("--port", str(args.port), "0 to 65535 is allowed")
    local = _is_loopback(args.host)
    if args.tokens and not user_path(args.tokens).is_file():
        raise InputError("--tokens", f"{args.tokens}: file not found", "`adjudge token add NAME` makes it")
    database = opened_database(args)
    tokens = TokenStore(database)
    if args.auth and not UserStore(database).listed():
        raise SetupError(
            "--auth: there is nobody who could sign in; `adjudge user add NAME --role admin` makes a person"
        )
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
    from ..server.database import default_file
    from ..server.users import TokenStore

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
