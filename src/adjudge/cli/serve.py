"""`adjudge serve`: the service, its pages and its HTTP API."""

from __future__ import annotations

import argparse
import ipaddress
import socket
from contextlib import closing
from typing import TYPE_CHECKING, Any

from ..errors import InputError, SetupError, plain_reason
from ..files import user_path
from .asking import add_command, add_journal_argument, check_folders, option, say
from .people import add_place_arguments, database_url, opened_database

if TYPE_CHECKING:
    from ..server.tokens import TokenStore


def register(commands: Any) -> None:
    """Add the command."""
    about = (
        "Serve the pages for a browser, and the same over HTTP: single cases under /api/evaluate, "
        "/api/dialogue and /api/review, files of cases under /api/runs; /docs describes it."
    )
    parser = add_command(commands, "serve", "serve.run", "serve the pages and the HTTP API", about)
    about = "default: 127.0.0.1, this machine only; any other needs a token, or people and --auth"
    parser.add_argument("--host", default="127.0.0.1", help=about)
    about = "another name that requests may be addressed to, such as a proxy's; can be repeated"
    option(parser, "--allow-host NAME", about, action="append", default=[])
    option(parser, "--auth", "people sign in with a password: `adjudge user add NAME` makes them")
    parser.add_argument("--port", type=int, default=8000, help="default: 8000; 0 takes any free port")
    option(parser, "--judge JUDGE", "judges every request (default: embedded)", default="embedded")
    about = "another judge that a request may name; can be repeated"
    option(parser, "--allow-judge JUDGE", about, action="append", default=[])
    add_place_arguments(parser, "where runs, rubrics and service.db are kept (default: service, beside the journal)")
    option(parser, "--rubric FILE", "your own criteria for comparisons (YAML)")
    option(parser, "--search SERVICE", "look facts up: searxng:http://HOST:PORT or brave")
    option(parser, "--one-order", "compare once instead of in both orders: half the cost")
    option(parser, "--demo", "come with judged examples of all three protocols, to click through")
    option(parser, "--open", "open the first page in your browser")
    add_journal_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Serve until interrupted."""
    from ..engine import CompareSettings, rubric_for
    from ..server.app import create_app
    from ..server.connections import server_for
    from ..server.tokens import TokenStore
    from ..server.users import UserStore

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
    from ..server.database import default_file
    from ..server.tokens import TokenStore

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
