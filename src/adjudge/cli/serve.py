"""`adjudge serve`: the service, its pages and its HTTP API; and `adjudge token`: who may use it."""

from __future__ import annotations

import argparse
import ipaddress
import socket
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError, SetupError, plain_reason
from .asking import add_journal_argument, check_folders, say

if TYPE_CHECKING:
    from ..server.tokens import TokenStore


def register(commands: Any) -> None:
    """Add the commands."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "serve",
        help="serve the pages and the HTTP API",
        description="Serve the pages for a browser, and the same over HTTP: single cases under /api/evaluate, "
        "/api/dialogue and /api/review, files of cases under /api/runs; /docs describes it.",
    )
    parser.add_argument(
        "--host", default="127.0.0.1", help="default: 127.0.0.1, this machine only; any other needs a token"
    )
    parser.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help="another name that requests may be addressed to, such as a proxy's; can be repeated",
    )
    _add_tokens_argument(parser)
    parser.add_argument("--port", type=int, default=8000, help="default: 8000; 0 takes any free port")
    parser.add_argument("--judge", default="embedded", metavar="JUDGE", help="judges every request (default: embedded)")
    parser.add_argument(
        "--allow-judge",
        action="append",
        default=[],
        metavar="JUDGE",
        help="another judge that a request may name; can be repeated",
    )
    parser.add_argument(
        "--data", metavar="DIR", help="where runs and rubrics are kept (default: service, beside the journal)"
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
    parser.set_defaults(run=run)
    _register_token(commands)


def _register_token(commands: Any) -> None:
    token: argparse.ArgumentParser = commands.add_parser(
        "token",
        help="say who may use the service",
        description="Tokens for the HTTP API. Once there is one, every request needs one.",
    )
    actions = token.add_subparsers(title="commands", metavar="COMMAND", required=True)
    add = actions.add_parser("add", help="make a token and print it", description="Make a token and print it, once.")
    add.add_argument("name", metavar="NAME", help="whose it is")
    add.add_argument("--budget", metavar="USD", help="dollars its requests may cost in all (default: no limit)")
    add.add_argument("--rate", type=int, metavar="N", help="requests a minute (default: no limit)")
    add.set_defaults(run=run_add)
    listing = actions.add_parser("list", help="show all tokens", description="Show all tokens, without their secrets.")
    listing.set_defaults(run=run_list)
    revoke = actions.add_parser(
        "revoke", help="refuse a token from now on", description="Refuse a token from now on; no restart is needed."
    )
    revoke.add_argument("name", metavar="NAME", help="whose it was")
    revoke.set_defaults(run=run_revoke)
    for parser in (add, listing, revoke):
        _add_tokens_argument(parser)


def _add_tokens_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--tokens", metavar="FILE", help="where tokens are kept (default: a file in your data folder)")


def _tokens(args: argparse.Namespace) -> TokenStore:
    from ..server.tokens import TokenStore

    return TokenStore(Path(args.tokens).expanduser() if args.tokens else None)


def run_add(args: argparse.Namespace) -> int:
    """Make a token."""
    try:
        budget = None if args.budget is None else Decimal(args.budget)
    except InvalidOperation:
        raise InputError("--budget", f"{args.budget!r}", "a number of dollars") from None
    tokens = _tokens(args)
    print(tokens.add(args.name, budget=budget, rate=args.rate))
    say(f"the token of {args.name} is shown only now; {tokens.path} keeps its hash")
    return 0


def run_list(args: argparse.Namespace) -> int:
    """Show all tokens."""
    from datetime import UTC, datetime

    for token in _tokens(args).listed():
        budget = "no limit" if token.budget is None else f"${token.budget:f}"
        rate = "no limit" if token.rate is None else f"{token.rate:,} a minute"
        made = datetime.fromtimestamp(token.created, UTC).date()
        print(f"{token.name}: made {made}, spent ${token.spent.normalize():f}, budget {budget}, rate {rate}")
    return 0


def run_revoke(args: argparse.Namespace) -> int:
    """Refuse a token."""
    _tokens(args).revoke(args.name)
    return 0


def run(args: argparse.Namespace) -> int:
    """Serve until interrupted."""
    from ..engine import CompareSettings, rubric_for
    from ..server.app import create_app
    from ..server.connections import server_for

    if not 0 <= args.port <= 65535:
        raise InputError("--port", str(args.port), "0 to 65535 is allowed")
    tokens, local = _tokens(args), _is_loopback(args.host)
    if args.tokens and not tokens.path.is_file():
        raise InputError("--tokens", f"{args.tokens}: file not found", "`adjudge token add NAME` makes it")
    if not local and not tokens.listed():
        raise SetupError(
            f"--host {args.host}: others can reach the service there, and it has no token; "
            "make one with `adjudge token add NAME`, or leave --host out"
        )
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
            journal=args.journal,
            data=Path(args.data).expanduser() if args.data else None,
            tokens=tokens,
            token_required=not local or bool(args.tokens),
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


def _is_loopback(host: str) -> bool:
    """Whether only this machine can reach the service there."""
    try:
        # An empty name means all addresses, as it does for whoever listens there.
        found = socket.getaddrinfo(host or None, 0, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        reason = plain_reason(error) if isinstance(error, OSError) else "not a host's name"
        raise InputError("--host", f"{host}: {reason}", "an address of this machine, or its name") from None
    return all(ipaddress.ip_address(address[0]).is_loopback for *_, address in found)
