"""The small commands: `replay` a verdict, print or check a `rubric`, list the `judges`, and `doctor`."""

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

from ..errors import AdjudgeError, RubricError, SetupError
from ..files import user_path
from ..redaction import redact
from .asking import add_command, add_journal_argument, check_folders, option
from .outputs import write_out

_EXTRAS = {
    "local": "xllamacpp",
    "providers": "pydantic_ai",
    "postgres": "psycopg",
    "runs": "duckdb",
    "fit": "scipy",
    "ray": "ray",
}


def register(commands: Any) -> None:
    """Add the commands."""
    about = "Make a verdict again from its stored replies, free and offline, and check that it is the same."
    parser = add_command(commands, "replay", "tools.run_replay", "make a verdict again from stored replies", about)
    option(parser, "verdict VERDICT", "a verdict's id (a unique beginning is enough)")
    option(parser, "-o --output FILE", "write the JSON here instead of printing it")
    add_journal_argument(parser)
    about = (
        "Print the rubric of a protocol (compare, dialogue or review), or check a file of yours and show what was read."
    )
    parser = add_command(
        commands, "rubric", "tools.run_rubric", "print a rubric to start from, or check your own", about
    )
    option(parser, "name compare|dialogue|review|FILE", "a protocol's name, or a YAML file")
    about = "List the judges that --judge takes, and which are ready to use."
    add_command(commands, "judges", "tools.run_judges", "list the judges and which are ready", about)
    about = "Check this installation. With --judge, also put one small real question to that judge."
    parser = add_command(commands, "doctor", "tools.run_doctor", "say what is missing and how to fix it", about)
    option(parser, "--judge JUDGE", "a judge to try; costs one small call")
    add_journal_argument(parser)


def run_replay(args: argparse.Namespace) -> int:
    """Replay and compare."""
    from ..api import replay
    from ..engine import run_sync

    check_folders(args)
    kept, made, shown = run_sync(lambda: replay(args.verdict, journal=args.journal))
    write_out(shown.decode(), args.output)
    if kept != made:
        at = next((i for i, (x, y) in enumerate(zip(kept, made, strict=False)) if x != y), min(len(kept), len(made)))
        print(f"adjudge: the replay differs from the stored verdict from byte {at} on:", file=sys.stderr)
        for name, found in (("stored", kept), ("now   ", made)):
            print(f"  {name} {found[max(0, at - 30) : at + 40]!r}", file=sys.stderr)
        return 1
    print("adjudge: the same, byte for byte", file=sys.stderr)
    return 0


def run_rubric(args: argparse.Namespace) -> int:
    """Print or check."""
    from ..reports.escaping import one_line
    from ..rubric import PROTOCOLS, load, shipped

    if args.name in PROTOCOLS:
        print(shipped(args.name).source, end="")
        return 0
    if not user_path(args.name).exists():
        raise RubricError(args.name, "file not found", f"{', '.join(PROTOCOLS)} or a YAML file is allowed")
    rubric = load(args.name)
    print(f"{rubric.reference}: a rubric for {rubric.protocol} with {len(rubric.criteria)} criteria")
    print("  weight  scale       criterion")
    for criterion in rubric.criteria:
        scale = f"{criterion.scale.low} to {criterion.scale.high}"
        step = f" by {criterion.scale.step}" if criterion.scale.step != 1 else ""
        print(f"  {criterion.weight!s:>6}  {scale + step:<10}  {criterion.key}")
    if (kept := rubric.calibration) is not None:
        learned = f"{kept.map.kind}, {kept.cases} labelled cases, {kept.date}"
        print(one_line(f"calibrated for the judge {kept.judge}: {learned}"))
    return 0


def run_judges(args: argparse.Namespace) -> int:
    """Print a line a judge."""
    from ..llm.providers import PROVIDERS, URL_KEY

    local, more = find_spec("xllamacpp") is not None, find_spec("pydantic_ai") is not None
    rows = [
        ("embedded", True, "comes with adjudge; offline; measures texts, checks no facts"),
        ("embedded:FILE", True, "the same, fitted to your own labels: adjudge embedded fit LABELS.jsonl"),
    ]
    for provider in PROVIDERS.values():
        missing = provider.missing
        state = f"{provider.title}, {provider.base_url}" if missing is None else str(missing).partition(": ")[2]
        rows.append((f"{provider.name}:{provider.example}", missing is None, state))
    local_state = "a model file, in this process" if local else "pip install 'adjudge[local]'"
    more_state = "through pydantic-ai: bedrock, cohere, xai, …" if more else "pip install 'adjudge[providers]'"
    url_state = f"any OpenAI-compatible server; its key, if any, in {URL_KEY}_HOST or {URL_KEY}"
    rows += [
        ("http://HOST:PORT/v1#MODEL", True, url_state),
        ("gguf:PATH", local, local_state),
        ("OTHER:MODEL", more, more_state),
        ("jury:A+B+C", True, "several of these; the median of their scores, or jury(mean), jury(majority)"),
        ("jury(weighted):A*0.7+B*0.5", True, "the same; the mean of their scores by these weights"),
        ("cascade:A>B", True, "A first, and B only where A is unsure; in a shell between quotes"),
    ]
    width = max(len(name) for name, _, _ in rows)
    for name, ready, state in rows:
        print(f"{'ready  ' if ready else 'not yet'}  {name:<{width}}  {state}")
    return 0


def run_doctor(args: argparse.Namespace) -> int:
    """Print a line a check; exit 1 if any needed one fails."""
    from ..llm.providers import PROVIDERS
    from ..reports.escaping import one_line

    check_folders(args)
    failed = False
    checks: list[tuple[str, Callable[[], str]]] = [
        ("python", lambda: f"{platform.python_version()} on {platform.system()} {platform.machine()}"),
        ("adjudge", lambda: version("adjudge")),
        ("embedded", lambda: _check_judge("embedded").partition(",")[0]),
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
            print("failed  ", one_line(f"{redact(name)}: {error}"))  # a provider's words may hold commands
    for extra, module in _EXTRAS.items():
        if find_spec(module) is None:
            print(f"optional {extra}: not installed; pip install 'adjudge[{extra}]'")
        else:
            print(f"ok       {extra}: {module} is installed")
    ready = [provider.name for provider in PROVIDERS.values() if provider.missing is None]
    state, said = ("ok      ", ", ".join(ready)) if ready else ("optional", "none set; see `adjudge judges`")
    print(f"{state} keys: {said}")
    return 1 if failed else 0


def _check_journal(named: str | None) -> str:
    from ..journal import default_place, masked, open_journal

    open_journal(named).close()
    return masked(named or default_place())


def _check_words() -> str:
    from ..text.words import count_words

    if count_words("ภาษาไทยไม่มีช่องว่าง") < 2:
        raise SetupError("Unicode segmentation has no Thai dictionary; reinstall icu4py")
    return "Unicode segmentation works"


def _check_judge(spec: str) -> str:
    from ..engine import CompareSettings, open_engine, run_sync
    from ..models import Failure, total_cost
    from ..models.cases import Comparison

    prime = "is a prime number above ten."
    case = Comparison("Name one prime number above ten.", f"Eleven {prime}", f"Twelve {prime}")

    async def work() -> Any:
        # A journal of its own: an answer from last week would not show that the judge answers now.
        with tempfile.TemporaryDirectory() as folder:
            async with open_engine(Path(folder) / "journal.db") as engine:
                return await engine.compare(case, CompareSettings(judge=spec, one_order=True))

    outcome = run_sync(work)
    if isinstance(outcome, Failure):
        raise SetupError(f"{outcome.reason}: {outcome.message}")
    cost = total_cost(outcome.calls)
    return f"answers, with winner {outcome.winner}" + (f", cost ${cost}" if cost is not None else ", price unknown")
