"""`adjudge doctor`: what is missing, and how to fix it. With a judge, one tiny real call to it."""

from __future__ import annotations

import argparse
import platform
import sys
import tempfile
from collections.abc import Callable
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from .inputs import add_journal_argument


def register(commands: Any) -> None:
    """Add the command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "doctor",
        help="say what is missing and how to fix it",
        description="Check this installation. With --judge, also put one small real question to that judge.",
    )
    parser.add_argument("--judge", metavar="JUDGE", help="a judge to try; costs one small call")
    add_journal_argument(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print a line a check; exit 1 if any needed one fails."""
    from ..errors import AdjudgeError

    failed = False
    checks: list[tuple[str, Callable[[], str]]] = [
        ("python", lambda: f"{platform.python_version()} on {platform.system()} {platform.machine()}"),
        ("adjudge", lambda: version("adjudge")),
        ("embedded", _check_embedded),
        ("journal", lambda: _check_journal(args.journal)),
        ("words", _check_words),
    ]
    if args.judge:
        checks.append((args.judge, lambda: _check_judge(args.judge)))
    for name, check in checks:
        try:
            print(f"ok       {name}: {check()}")
        except AdjudgeError as error:
            failed = True
            print(f"missing  {name}: {error}")
    for extra, module in (("local", "xllamacpp"), ("providers", "pydantic_ai"), ("postgres", "psycopg")):
        if find_spec(module) is None:
            print(f"optional {extra}: not installed; pip install 'adjudge[{extra}]'")
        else:
            print(f"ok       {extra}: {module} is installed")
    ready = _ready_providers()
    state, said = ("ok      ", ", ".join(ready)) if ready else ("optional", "none set; see `adjudge judges`")
    print(f"{state} keys: {said}")
    sys.stdout.flush()
    return 1 if failed else 0


_CASE = (
    "Name one prime number above ten.",
    "Eleven is a prime number above ten.",
    "Twelve is a prime number above ten.",
)


def _check_embedded() -> str:
    from ..engine import run_sync
    from ..judges.embedded.judge import EmbeddedJudge
    from ..models import Failure
    from ..models.cases import Comparison
    from ..protocols.compare import compare
    from ..rubric import shipped

    outcome = run_sync(lambda: compare(Comparison(*_CASE), EmbeddedJudge(), shipped("compare")))
    from ..errors import SetupError

    if isinstance(outcome, Failure):
        raise SetupError(outcome.message)
    return "judges offline"


def _check_journal(named: str | None) -> str:
    from ..journal import default_place, masked, open_journal

    open_journal(named).close()
    return masked(named or default_place())


def _check_words() -> str:
    from ..errors import SetupError
    from ..text.words import count_words

    if count_words("ภาษาไทยไม่มีช่องว่าง") < 2:
        raise SetupError("Unicode segmentation has no Thai dictionary; reinstall icu4py")
    return "Unicode segmentation works"


def _check_judge(spec: str) -> str:
    from ..engine import CompareSettings, open_engine, run_sync
    from ..errors import SetupError
    from ..models import Failure, total_cost
    from ..models.cases import Comparison

    async def work() -> Any:
        # A journal of its own: an answer from last week would not show that the judge answers now.
        with tempfile.TemporaryDirectory() as folder:
            async with open_engine(Path(folder) / "journal.db") as engine:
                return await engine.compare(Comparison(*_CASE), CompareSettings(judge=spec, one_order=True))

    outcome = run_sync(work)
    if isinstance(outcome, Failure):
        raise SetupError(f"{outcome.reason}: {outcome.message}")
    cost = total_cost(outcome.calls)
    return f"answered; winner {outcome.winner}" + (f", cost ${cost}" if cost is not None else ", price unknown")


def _ready_providers() -> list[str]:
    from ..llm.providers import PROVIDERS

    return [provider.name for provider in PROVIDERS.values() if provider.missing is None]
