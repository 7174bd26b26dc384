"""The commands that judge: one for each protocol, and for many cases `run`, `bench` and `probe`.

This file only has their options and help. The code that does the work is imported when a command is run.
"""

from __future__ import annotations

import argparse
from functools import partial
from typing import Any

from ..protocols.registry import names, summaries
from .common import (
    FORMATS,
    GROUP,
    add_asking_arguments,
    add_gate_arguments,
    add_later,
    add_output_arguments,
    add_setting,
    describe,
    journal_place,
    option,
)

_RUN = """\
Judge many cases. INPUT is a JSONL, CSV, TSV or Parquet file, a folder of transcripts or case files, or - for standard
input. DIR holds everything that the run writes: its cases, the journal, verdicts.jsonl and failures.jsonl as cases
finish, and a summary. A run that was stopped, by Ctrl-C or by a power cut, continues with --resume; stored replies
are not paid for again.
"""
_RUN_NOTES = """\
With --resume:
  replaced and saved    --budget --max-calls --rate --concurrency --batch --poll --engine --ray-address --workers
  for this call only    --limit --retry-failed --skip-case --dry-run --quiet --verbose --json-progress
                        --fail-if --unsure --junit --summary
  fixed                 all others; a different value is refused

examples:
"""
_BENCH = """\
Measure how far judges agree with people on labelled sets. A set is a file in DIR whose comparisons or dialogues have
people's labels; every judge judges every set. Figures have 95 % intervals and are compared with choosing the longest
answer, the first position or a constant and, where several people labelled a case, with one person against the others.
Each judge and set is a run in the folder of --run; the same command continues, and judges no case twice.
"""
_BENCH_EXAMPLES = """\
examples:
  adjudge bench sets/
  adjudge bench sets/ --judge openai:gpt-5.1 --judge embedded --limit 100 --budget 5
  adjudge bench sets/ --format html -o bench.html
"""
_PROBE = """\
Change comparisons in ways that should not matter, judge them again, and see whether the verdicts change: neutral filler
after one answer (padding), one answer as a list (lists) or with bold words (bold), and the order of the two (swap).
INPUT is what `adjudge run compare` reads, or the folder of a compare run, whose judge and stored replies are then used.
No labels are needed. The runs are kept in the folder of --run, and the same command continues them.
"""
_PROBE_EXAMPLES = """\
examples:
  adjudge probe pairs.jsonl --judge openai:gpt-5.1 --n 50 --dry-run
  adjudge probe out --probes swap padding
"""


def register(commands: Any) -> None:
    """Add the commands that judge."""
    for name, about in summaries().items():
        add_later(commands, name, "judging.run_cases", about.summary, partial(_add_case_options, name))
    summary = "judge many cases: resumable, within a budget, on this machine or a cluster"
    add_later(commands, "run", "run.run", summary, _add_run_options)
    summary = "measure how far judges agree with people on labelled sets"
    add_later(commands, "bench", "several.run_bench", summary, _add_bench_options)
    summary = "test whether padding, format or order changes a judge's verdicts"
    add_later(commands, "probe", "several.run_probe", summary, _add_probe_options)


def _add_case_options(name: str, parser: argparse.ArgumentParser) -> None:
    from ..protocols.base import protocol_of
    from ..protocols.settings import JUDGE

    protocol = protocol_of(name)
    command, own = protocol.command, protocol.settings.own()
    describe(parser, command.description)
    parser.set_defaults(protocol=name)
    groups: dict[str, Any] = {"": parser}
    for each in command.arguments:
        group = groups.get(each.group) or groups.setdefault(each.group, parser.add_argument_group(each.group))
        more = {"action": "append"} if each.several else {}
        if not each.needed and not each.written.startswith("-"):
            more = {"nargs": "?"}
        option(group, each.written, each.help, **more)
    judging = parser.add_argument_group("judging")
    add_setting(judging, JUDGE, JUDGE.help)
    for one in own.values():
        if one.help and one.name != JUDGE.name and one.service != "search":
            add_setting(judging, one, one.help)
    add_asking_arguments(judging, name)
    for one in own.values():
        if one.help and one.service == "search":
            add_setting(judging, one, one.help)
    add_output_arguments(parser, protocol.formats, command.piped[1])
    parser.set_defaults(strict=False)
    if command.strict is not None:
        option(parser, "--strict", command.strict.help)


def _add_run_options(parser: argparse.ArgumentParser) -> None:
    from ..protocols.base import protocol_of
    from ..protocols.settings import JUDGE

    protocols = [protocol_of(name) for name in names()]
    examples = [example for each in protocols for example in each.command.examples]
    describe(
        parser, _RUN, _RUN_NOTES + "".join(f"  {example}\n" for example in (*examples, "adjudge run --resume out"))
    )
    parser.add_argument("protocol", nargs="?", choices=names(), help="how to judge each case")
    option(parser, "input INPUT", "a file, a folder, or - for standard input", nargs="?")
    group = parser.add_argument_group("the run")
    option(group, "--run DIR", "the run's folder; created if it does not exist", dest="directory")
    option(group, "--resume DIR", "continue this run; needs no INPUT")
    option(group, "--trust", "let a run that others made send your keys to its judge and journal")
    option(group, "--retry-failed", "try failed cases again, whatever the reason")
    about = "count these cases as failures; for cases that crash the process"
    option(group, "--skip-case ID", about, nargs="+", action="extend")
    option(group, "--dry-run", "only print how many cases, calls and dollars to expect")
    group = parser.add_argument_group("reading INPUT")
    about = "the column of each field: task=question a=output_1 …"
    option(group, "--map FIELD=COLUMN", about, nargs="+", action="extend")
    option(group, "--input-format FORMAT", "jsonl, csv, tsv, parquet, … if the file name does not say")
    option(group, "--skip-bad", "count rows that cannot be read as failures, and continue")
    option(group, "--shuffle SEED", "judge in a random order with this seed", type=int)
    option(group, "--limit N", "only the first N cases for now; resume for the rest")
    group = parser.add_argument_group("judging")
    add_setting(group, JUDGE, JUDGE.brief)
    settings = [(each.name, one) for each in protocols for one in each.settings.own().values()]
    own = [(name, one) for name, one in settings if one.help and one.name != JUDGE.name]
    for name, one in {one.name: one for _, one in own}.items():
        owners = ", ".join(protocol for protocol, other in own if other.name == name)
        add_setting(group, one, f"{owners}: {one.brief or one.help}")
    add_asking_arguments(group, "PROTOCOL")
    option(group, "--journal WHERE", "a file or postgresql://… (default: DIR/journal.db)", type=journal_place)
    group = parser.add_argument_group("limits and engine, saved with the run")
    _add_bounds(group)
    option(group, "--max-calls COUNT", "stop after this many calls, over all resumes; none removes the limit")
    about = "use the provider's batch API: half price, within a day"
    group.add_argument("--batch", action=argparse.BooleanOptionalAction, help=about)
    option(group, "--poll S", "with --batch: seconds between polls (default: 20)", type=float, default=20.0)
    group.add_argument(
        "--engine", choices=("local", "ray"), default="local", help="this machine, or a cluster (default: local)"
    )
    option(group, "--ray-address ADDRESS", "with --engine ray: ray://HOST:PORT (default: a cluster on this machine)")
    option(group, "--workers N", "processes of the embedded judge (default: one per core for many cases)")
    add_gate_arguments(parser.add_argument_group("gate: is the finished run good enough? See `adjudge gate --help`"))
    _add_progress(parser)
    # `run` must know which options are on the command line, whatever their value, so they get no default here.
    everywhere = ("help", "quiet", "verbose")
    options = [action for action in parser._actions if action.option_strings and action.dest not in everywhere]
    defaults = {action.dest: action.default for action in options}
    for action in options:
        action.default = argparse.SUPPRESS
    parser.set_defaults(defaults=defaults)


def _add_bench_options(parser: argparse.ArgumentParser) -> None:
    from ..protocols.base import protocol_of

    describe(parser, _BENCH, _BENCH_EXAMPLES)
    option(parser, "sets DIR", "a folder of JSONL, JSON, CSV, TSV, Parquet and transcript files")
    option(parser, "--judge JUDGE", "a judge to measure; can be repeated (default: embedded)", action="append")
    about = "your own criteria (YAML) for the sets of one protocol; can be given once per protocol"
    option(parser, "--rubric FILE", about, action="append", default=[])
    option(parser, "--limit N", "N cases of each set, drawn at random; can be raised later")
    for one in (one for name in names() for one in protocol_of(name).settings.own().values() if one.bench):
        add_setting(parser, one, one.bench)
    about = "for comparisons: the column with several people's labels (default: votes)"
    option(parser, "--votes COLUMN", about, default="votes")
    option(parser, "--group COLUMN", GROUP)
    _add_several_arguments(parser, "adjudge-bench")


def _add_probe_options(parser: argparse.ArgumentParser) -> None:
    from ..protocols.base import protocol_of

    describe(parser, _PROBE, _PROBE_EXAMPLES)
    option(parser, "input INPUT", "a file of comparisons, or the folder of a compare run")
    option(parser, "--judge JUDGE", "who judges (default: the run's judge, else embedded)")
    option(parser, "--rubric FILE", "your own criteria (YAML; default: the run's, else those of `adjudge rubric`)")
    option(parser, "--n N", "N cases, drawn at random (default: 100)", default=100)
    option(parser, "--seed N", "seed of the random draw (default: 0)", default=0)
    option(parser, "--group COLUMN", GROUP)
    probes = [probe for name in names() for probe in protocol_of(name).probe_names]
    parser.add_argument(
        "--probes", nargs="+", choices=probes, default=probes, help="which changes to make (default: all)"
    )
    _add_several_arguments(parser, "adjudge-probe")


def _add_several_arguments(parser: argparse.ArgumentParser, folder: str) -> None:
    """Add the options for the runs' folder (with this default), their limits, their progress and the report."""
    option(parser, "--run DIR", f"where the runs are kept (default: {folder})", dest="directory", default=folder)
    _add_bounds(parser.add_argument_group("limits, over all runs together"))
    option(parser, "--trust", "let runs that others made send your keys to their judges")
    option(parser, "--dry-run", "only print how many cases, calls and dollars to expect")
    _add_progress(parser)
    output = parser.add_argument_group("output")
    output.add_argument("--format", choices=FORMATS, help="how to write it (default: text, or by -o's suffix)")
    option(output, "-o --output FILE", "write here instead of printing")
    parser.set_defaults(concurrency=None)


def _add_progress(parser: argparse.ArgumentParser) -> None:
    """Add the options for progress messages."""
    option(parser.add_argument_group("progress"), "--json-progress", "JSON lines on standard error, one per second")


def _add_bounds(group: Any) -> None:
    """Add the options that limit calls and cost."""
    option(group, "--concurrency N", "calls in flight to each provider (default: 20)", default=20)
    option(group, "--rate R/min", "most calls per minute to each provider: 600 or 600/min; none removes the limit")
    about = "stop when this much is spent, over all resumes; calls in flight may exceed it; none removes the limit"
    option(group, "--budget USD", about)
