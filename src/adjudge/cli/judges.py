"""`adjudge judges`: which judges there are, and which can be used right now."""

from __future__ import annotations

import argparse
from importlib.util import find_spec
from typing import Any


def register(commands: Any) -> None:
    """Add the command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "judges",
        help="list the judges and which are ready",
        description="List the judges that --judge takes, and which are ready to use.",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print a line a judge."""
    from ..llm.providers import PROVIDERS, URL_KEY

    rows = [
        ("embedded", True, "comes with adjudge; offline; text features only, checks no facts"),
        ("embedded:FILE", True, "the same, fitted to your own labels: adjudge embedded fit LABELS.jsonl"),
    ]
    for provider in PROVIDERS.values():
        missing = provider.missing
        state = f"{provider.title}, {provider.base_url}" if missing is None else str(missing).partition(": ")[2]
        rows.append((f"{provider.name}:{provider.example}", missing is None, state))
    rows.append(
        (
            "http://HOST:PORT/v1#MODEL",
            True,
            f"any OpenAI-compatible server; its key, if any, in {URL_KEY}_HOST or {URL_KEY}",
        )
    )
    local, more = find_spec("xllamacpp") is not None, find_spec("pydantic_ai") is not None
    rows.append(("gguf:PATH", local, "a model file, in this process" if local else "pip install 'adjudge[local]'"))
    hint = "through pydantic-ai: bedrock, cohere, xai, …" if more else "pip install 'adjudge[providers]'"
    rows.append(("OTHER:MODEL", more, hint))
    rows.append(("jury:A+B+C", True, "several of these; median of scores, or jury(mean):A+B+C"))
    width = max(len(name) for name, _, _ in rows)
    for name, ready, state in rows:
        print(f"{'ready  ' if ready else 'not yet'}  {name:<{width}}  {state}")
    return 0
