"""`adjudge serve`: the HTTP API."""

from __future__ import annotations

import argparse
import socket
from typing import Any

from ..errors import InputError, plain_reason
from .asking import add_journal_argument, check_folders


def register(commands: Any) -> None:
    """Add the command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "serve",
        help="serve the HTTP API",
        description="Serve POST /api/evaluate, /api/dialogue and /api/review over HTTP; /docs describes them.",
    )
    parser.add_argument("--host", default="127.0.0.1", help="default: 127.0.0.1, this machine only")
    parser.add_argument("--port", type=int, default=8000, help="default: 8000; 0 takes any free port")
    parser.add_argument("--judge", default="embedded", metavar="JUDGE", help="judges every request (default: embedded)")
    parser.add_argument(
        "--allow-judge",
        action="append",
        default=[],
        metavar="JUDGE",
        help="another judge that a request may name; can be repeated",
    )
    parser.add_argument("--rubric", metavar="FILE", help="your own criteria for comparisons (YAML)")
    parser.add_argument("--search", metavar="SERVICE", help="look facts up: searxng:http://HOST:PORT or brave")
    parser.add_argument(
        "--one-order", action="store_true", help="compare once instead of in both orders: half the cost"
    )
    add_journal_argument(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Serve until interrupted."""
    import uvicorn

    from ..engine import CompareSettings, rubric_for
    from ..server.app import create_app

    if not 0 <= args.port <= 65535:
        raise InputError("--port", str(args.port), "0 to 65535 is allowed")
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
        app = create_app(settings, allowed_judges=tuple(args.allow_judge), journal=args.journal)
    except InputError as error:
        options = {"judge": "--judge", "allowed_judges": "--allow-judge", "search": "--search"}
        raise error.renamed(options) from None
    config = uvicorn.Config(app, host=args.host, port=args.port, log_level="info", server_header=False)
    server = uvicorn.Server(config)
    try:
        server.run()
    except SystemExit:  # the server has said why it could not start
        return 2
    return 0 if server.started else 2
