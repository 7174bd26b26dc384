"""The small commands: `replay` a verdict, print or check a `rubric`, list the `judges`, check the installation
(`doctor`), and fit the `embedded` judge to your own labels or print a model's weights."""

from __future__ import annotations

import argparse
import platform
import sys
import tempfile
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ..api import replay
from ..engine import open_engine, run_sync
from ..errors import AdjudgeError, InputError, RubricError, SetupError, plain_reason
from ..extras import EXTRAS, install_command, is_installed
from ..files import user_path
from ..journal import default_place, masked, open_journal
from ..judges.embedded.measures import MEASURES
from ..judges.embedded.model import load_model, read_model, write_model
from ..llm.providers import PROVIDERS, URL_KEY
from ..models.common import Failure, total_cost
from ..protocols.base import names, protocol_of
from ..protocols.rubrics import load, shipped, starter
from ..redaction import redact
from ..rendering.escaping import one_line
from ..rubric import Rubric
from ..text.words import count_words
from .common import check_folders, note, remark, say
from .outputs import write_out


def run_replay(args: argparse.Namespace) -> int:
    """Replay a verdict; exit 1 if it differs from the stored one."""
    check_folders(args)
    kept, made, shown = run_sync(lambda: replay(args.verdict, journal=args.journal))
    write_out(shown.decode(), args.output)
    if kept != made:
        at = next((i for i, (x, y) in enumerate(zip(kept, made, strict=False)) if x != y), min(len(kept), len(made)))
        print(f"adjudge: the replay differs from the stored verdict from byte {at} on:", file=sys.stderr)
        for name, found in (("stored", kept), ("now   ", made)):
            print(f"  {name} {found[max(0, at - 30) : at + 40]!r}", file=sys.stderr)
        return 1
    note("the same, byte for byte")
    return 0


def run_rubric(args: argparse.Namespace) -> int:
    """Print a shipped rubric or one to start from, or check a file and print what was read."""
    if args.output and not args.new:
        raise InputError("--output", "given without --new", "`adjudge rubric --new PROTOCOL -o FILE` is allowed")
    if args.new:
        if args.name not in names():
            raise InputError("--new", f"{args.name!r} is no protocol", f"one of {', '.join(names())}")
        if args.output and user_path(args.output).exists():
            raise InputError(args.output, "this file exists", "the name of a new file is needed")
        write_out(starter(args.name), args.output)
        return 0
    if args.name in names():
        print(shipped(args.name).source, end="")
        return 0
    if not user_path(args.name).exists():
        raise RubricError(args.name, "file not found", f"{', '.join(names())} or a YAML file is allowed")
    rubric = load(args.name)
    rules = protocol_of(rubric.protocol).rubric
    print(f"{rubric.reference}: a rubric for {rubric.protocol} with {len(rubric.criteria)} {rules.listed}")
    for line in rules.summary(rubric) if rules.summary else _weights_and_scales(rubric):
        print(line)
    if (kept := rubric.calibration) is not None:
        learned = f"{kept.map.kind}, {kept.cases} labelled cases, {kept.date}"
        print(one_line(f"calibrated for the judge {kept.judge}: {learned}"))
    return 0


def _weights_and_scales(rubric: Rubric) -> Iterator[str]:
    yield "  weight  scale       criterion"
    for criterion in rubric.criteria:
        scale = f"{criterion.scale.low} to {criterion.scale.high}"
        step = f" by {criterion.scale.step}" if criterion.scale.step != 1 else ""
        yield f"  {criterion.weight!s:>6}  {scale + step:<10}  {criterion.key}"


def run_judges(args: argparse.Namespace) -> int:
    """Print one line per judge."""
    local, more = is_installed("local"), is_installed("providers")
    rows = [
        ("auto", True, "the best at hand: a provider whose key is set, a model server on this machine, else embedded"),
        ("embedded", True, "comes with adjudge; offline; measures texts, checks no facts"),
        ("embedded:FILE", True, "the same, fitted to your own labels: adjudge embedded fit LABELS.jsonl"),
    ]
    for provider in PROVIDERS.values():
        missing = provider.missing
        state = f"{provider.title}, {provider.base_url}" if missing is None else str(missing).partition(": ")[2]
        rows.append((f"{provider.name}:{provider.example}", missing is None, state))
    local_state = "a model file, in this process" if local else install_command("local")
    more_state = "through pydantic-ai: bedrock, cohere, xai, …" if more else install_command("providers")
    url_state = f"any OpenAI-compatible server; its key, if any, in {URL_KEY}_HOST or {URL_KEY}"
    rows += [
        ("http://HOST:PORT/v1#MODEL", True, url_state),
        ("gguf:PATH", local, local_state),
        ("OTHER:MODEL", more, more_state),
        ("jury:A+B+C", True, "several of these; the median of their scores, or jury(mean), jury(majority)"),
        ("jury(weighted):A*0.7+B*0.5", True, "the same; the mean of their scores, with these weights"),
        ("cascade:A>B", True, "A first, and B only where A is unsure; quote it in a shell"),
    ]
    width = max(len(name) for name, _, _ in rows)
    for name, ready, state in rows:
        print(f"{'ready  ' if ready else 'not yet'}  {name:<{width}}  {state}")
    return 0


def run_doctor(args: argparse.Namespace) -> int:
    """Print one line per check; exit 1 if a required one fails."""
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
            print("failed  ", one_line(f"{redact(name)}: {error}"))  # a provider's message may hold terminal commands
    for extra in EXTRAS:
        if is_installed(extra):
            print(f"ok       {extra}: installed")
        else:
            print(f"optional {extra}: not installed; {install_command(extra)}")
    ready = [provider.name for provider in PROVIDERS.values() if provider.missing is None]
    state, found = ("ok      ", ", ".join(ready)) if ready else ("optional", "none set; see `adjudge judges`")
    print(f"{state} keys: {found}")
    return 1 if failed else 0


def _check_journal(named: str | None) -> str:
    open_journal(named).close()
    return masked(named or default_place())


def _check_words() -> str:
    if count_words("ภาษาไทยไม่มีช่องว่าง") < 2:
        raise SetupError("Unicode segmentation has no Thai dictionary; reinstall icu4py")
    return "Unicode segmentation works"


def _check_judge(spec: str) -> str:
    protocol, trial = next((each, each.trial) for each in map(protocol_of, names()) if each.trial is not None)
    judges: dict[str, Any] = dict.fromkeys(protocol.settings.named("judge"), spec)
    settings = protocol.settings(**judges, **trial.settings)

    async def work() -> Any:
        # Use a temporary journal: a stored answer would not show that the judge answers now.
        with tempfile.TemporaryDirectory() as folder:
            async with open_engine(Path(folder) / "journal.db") as engine:
                return await engine.judge(trial.case, settings)

    outcome = run_sync(work)
    if isinstance(outcome, Failure):
        raise SetupError(f"{outcome.reason}: {outcome.message}")
    cost = total_cost(outcome.calls)
    return f"answers, with {trial.result(outcome)}" + (f", cost ${cost}" if cost is not None else ", price unknown")


def run_fit(args: argparse.Namespace) -> int:
    """Cross-validate a model, print the results, and save it unless choosing the longer answer does as well."""
    from ..judges.embedded.fitting import cross_validate_samples, fit_samples, measure_rows, read_rows

    check_folders(args)
    path = user_path(args.labels)
    try:
        rows = read_rows(path)
    except OSError as error:
        raise InputError(args.labels, plain_reason(error)) from None
    samples = measure_rows(rows)
    tasks = len({sample.row.group for sample in samples})
    model = fit_samples(samples, args.seed, about={"labels": path.name, "pairs": len(samples), "seed": args.seed})
    held = cross_validate_samples(samples, args.seed)
    remark(f"{held.pairs} pairs of {tasks} tasks; on tasks the model has not seen:")
    for name, value in (
        ("right, ties included", held.three_classes),
        ("right where people named a winner", held.without_ties),
        ("right there if the longer one is chosen", held.longest),
        ("calibration error", held.calibration_error),
        ("decided", held.decided),
        ("right where it decides", held.right_when_decided),
    ):
        remark(f"  {name:<40} {100 * value:5.1f} %")
    if held.without_ties <= held.longest and not args.even_if_worse:
        say("not saved: choosing the longer answer does as well; --even-if-worse saves it anyway")
        return 1
    write_out(write_model(model), args.output)
    remark(f"{args.output}: use it with --judge embedded:{args.output}")
    return 0


def run_show(args: argparse.Namespace) -> int:
    """Print the weights of a model, heaviest first."""
    model = load_model() if args.model is None else read_model(user_path(args.model))
    print(f"decides from a confidence of {model.decide:.2f} on")
    for measure, weight in sorted(model.weights.items(), key=lambda item: (-abs(item[1]), item[0])):
        print(f"  {weight:+.4f}  {MEASURES[measure].title} ({MEASURES[measure].criterion})")
    return 0
