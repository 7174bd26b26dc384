"""The commands that judge: `compare`, `dialogue` and `review`, and for many cases `run`, `bench` and `probe`.

This file only has their options and help. The code that does the work is imported when a command is run.
"""

from __future__ import annotations

import argparse
from typing import Any

from .asking import (
    FORMATS,
    GROUP,
    add_asking_arguments,
    add_command,
    add_judging_group,
    add_output_arguments,
    journal_place,
    option,
)

_COMPARE = """\
Compare two answers to one task: seven weighted criteria, quotes checked against the answers, a winner or a tie.
Give a case file (JSON with userTask, responseA, responseB, and optionally context and weights), or the texts
themselves. Give a text directly, from a file as @FILE, or from standard input as -.
"""
_DIALOGUE = """\
Judge conversations between SYSTEM (the assistant) and USER (the customer): an Evaluator scores six criteria, a Critic
challenges the scores with quotes, and a Referee, which is code, settles them and writes an audit.
FILE is a transcript (SPEAKER <tab> utterance, blank lines between dialogues), "User: …" text, JSON or JSONL with
role and content, or CSV; - is standard input. One dialogue gives one result; several give one line of JSON each.
"""
_REVIEW = """\
Audit a person's ratings of two responses. Both are first rated blind, within limits set by checked facts; only then
are the person's ratings read, and each is kept, replaced, filled in or refused, with a changelog and feedback.
FILE holds the nine tagged slots (<PROMPT>, <RESPONSE1>, …, <ORIGINAL_LIKERT_AND_JUSTIFICATION>), JSON or JSONL with
their names, or CSV; - is standard input. One review gives one result; several give one after the other, each under
its review_id, id or task_id, or else its position.
With --interactive you enter the pieces one at a time, in any order; they are saved between runs.
"""
_RUN = """\
Judge many cases. INPUT is a JSONL, CSV, TSV or Parquet file, a folder of transcripts or case files, or - for standard
input. DIR holds everything that the run writes: its cases, the journal, verdicts.jsonl and failures.jsonl as cases
finish, and a summary. A run that was stopped, by Ctrl-C or by a power cut, continues with --resume; stored replies
are not paid for again.
"""
_RUN_NOTES = """\
With --resume:
  replaced and saved    --budget --max-calls --rate --concurrency --batch --poll --engine --ray-address --workers
  for this call only    --limit --retry-failed --skip-case --dry-run --quiet --json-progress
  fixed                 all others; a different value is refused

examples:
  adjudge run compare pairs.jsonl --run out --judge openai:gpt-5.1 --budget 5
  adjudge run compare arena.csv --run out --map task=question a=output_1 b=output_2
  adjudge run dialogue transcripts/ --run talks
  adjudge run --resume out
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
_PROBES = ("swap", "padding", "lists", "bold")


def register(commands: Any) -> None:
    """Add the commands that judge."""
    _add_single_cases(commands)
    _add_run(commands)
    _add_several_runs(commands)


def _add_single_cases(commands: Any) -> None:
    parser = add_command(commands, "compare", "judging.run_compare", "compare two answers to one task", _COMPARE)
    option(parser, "case CASE.json", "a case file, or - for standard input", nargs="?")
    texts = parser.add_argument_group("the case in pieces; each overrides the case file's")
    option(texts, "--task TEXT", "what was asked")
    option(texts, "--a TEXT", "answer A")
    option(texts, "--b TEXT", "answer B")
    option(texts, "--context TEXT", "background the answers should be judged against")
    option(texts, "--weights W", 'JSON, @FILE, or "criterion=number,…"; criteria not named keep their default')
    judging = add_judging_group(parser)
    option(judging, "--one-order", "judge once instead of in both orders: half the cost")
    add_asking_arguments(judging, "compare")
    option(judging, "--search SERVICE", "look facts up: searxng:http://HOST:PORT or brave")
    add_output_arguments(parser)

    parser = add_command(
        commands, "dialogue", "judging.run_dialogue", "judge customer-service conversations", _DIALOGUE
    )
    option(parser, "file FILE", "a file with one or many dialogues, or - for standard input")
    option(parser, "--id ID", "the dialogue's id, if the file has only one and gives it no id")
    judging = add_judging_group(parser)
    option(judging, "--evaluator JUDGE", "who scores (default: --judge)")
    option(judging, "--critic JUDGE", "who challenges the scores (default: --judge)")
    add_asking_arguments(judging, "dialogue")
    add_output_arguments(parser)

    parser = add_command(commands, "review", "judging.run_review", "audit a person's side-by-side ratings", _REVIEW)
    option(parser, "file FILE", "a file with one or many reviews, or - for standard input", nargs="?")
    pieces = parser.add_argument_group("piece by piece")
    option(pieces, "--interactive", "ask for the pieces, then judge")
    option(pieces, "--draft ID", "with --interactive: continue a draft")
    judging = add_judging_group(parser)
    option(judging, "--languages CODES", "languages in scope, such as en,es; a task in another is invalid")
    add_asking_arguments(judging, "review")
    add_output_arguments(parser, ("tags", *FORMATS))


def _add_run(commands: Any) -> None:
    about = "judge many cases: resumable, within a budget, on this machine or a cluster"
    parser = add_command(commands, "run", "run.run", about, _RUN, _RUN_NOTES)
    parser.add_argument("protocol", nargs="?", choices=("compare", "dialogue", "review"), help="how to judge each case")
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
    option(group, "--judge JUDGE", "see `adjudge judges` (default: embedded)", default="embedded")
    option(group, "--one-order", "compare: judge once, not in both orders: half the cost")
    option(group, "--search SERVICE", "compare: look facts up")
    option(group, "--evaluator JUDGE", "dialogue: who scores (default: --judge)")
    option(group, "--critic JUDGE", "dialogue: who challenges the scores (default: --judge)")
    option(group, "--languages CODES", "review: the languages in scope, such as en,es")
    add_asking_arguments(group, "PROTOCOL")
    option(group, "--journal WHERE", "a file or postgresql://… (default: DIR/journal.db)", type=journal_place)
    group = parser.add_argument_group("limits and engine, saved with the run")
    _add_bounds(group)
    option(group, "--max-calls COUNT", "stop after this many calls, over all resumes; none removes the limit")
    about = "use the provider's batch API: half price, within a day"
    group.add_argument("--batch", action=argparse.BooleanOptionalAction, help=about)
    option(group, "--poll S", "seconds between polls (default: 20)", type=float, default=20.0)
    group.add_argument("--engine", choices=("local", "ray"), default="local", help="default: local")
    option(group, "--ray-address ADDRESS", "ray://HOST:PORT; default: a cluster on this machine")
    option(group, "--workers N", "processes of the embedded judge (default: one per core for many cases)")
    _add_progress(parser)
    # `run` must know which options are on the command line, whatever their value, so they get no default here.
    options = [action for action in parser._actions if action.option_strings and action.dest != "help"]
    defaults = {action.dest: action.default for action in options}
    for action in options:
        action.default = argparse.SUPPRESS
    parser.set_defaults(defaults=defaults)


def _add_several_runs(commands: Any) -> None:
    about = "measure how far judges agree with people on labelled sets"
    parser = add_command(commands, "bench", "several.run_bench", about, _BENCH, _BENCH_EXAMPLES)
    option(parser, "sets DIR", "a folder of JSONL, JSON, CSV, TSV, Parquet and transcript files")
    option(parser, "--judge JUDGE", "a judge to measure; can be repeated (default: embedded)", action="append")
    about = "your own criteria (YAML) for the sets of one protocol; can be given once per protocol"
    option(parser, "--rubric FILE", about, action="append", default=[])
    option(parser, "--limit N", "N cases of each set, drawn at random; can be raised later")
    option(parser, "--one-order", "judge comparisons once, not in both orders: half the cost")
    about = "for comparisons: the column with several people's labels (default: votes)"
    option(parser, "--votes COLUMN", about, default="votes")
    option(parser, "--group COLUMN", GROUP)
    _add_several_arguments(parser, "adjudge-bench")

    about = "test whether padding, format or order changes a judge's verdicts"
    parser = add_command(commands, "probe", "several.run_probe", about, _PROBE, _PROBE_EXAMPLES)
    option(parser, "input INPUT", "a file of comparisons, or the folder of a compare run")
    option(parser, "--judge JUDGE", "who judges (default: the run's judge, else embedded)")
    option(parser, "--rubric FILE", "your own criteria (YAML; default: the run's, else those of `adjudge rubric`)")
    option(parser, "--n N", "N cases, drawn at random (default: 100)", default=100)
    option(parser, "--seed N", "seed of the random draw (default: 0)", default=0)
    option(parser, "--group COLUMN", GROUP)
    parser.add_argument("--probes", nargs="+", choices=_PROBES, default=list(_PROBES), help="default: all")
    _add_several_arguments(parser, "adjudge-probe")


def _add_several_arguments(parser: argparse.ArgumentParser, folder: str) -> None:
    """Add the options for the runs' folder (with this default), their limits, their progress and the report."""
    option(parser, "--run DIR", f"where the runs are kept (default: {folder})", dest="directory", default=folder)
    _add_bounds(parser.add_argument_group("limits, over all runs together"))
    option(parser, "--trust", "let runs that others made send your keys to their judges")
    option(parser, "--dry-run", "only print how many cases, calls and dollars to expect")
    _add_progress(parser)
    output = parser.add_argument_group("output")
    output.add_argument("--format", choices=FORMATS, help="default: text, or by -o's suffix")
    option(output, "-o --output FILE", "write here instead of printing")
    parser.set_defaults(concurrency=None)


def _add_progress(parser: argparse.ArgumentParser) -> None:
    """Add the options for progress messages."""
    shown = parser.add_argument_group("progress").add_mutually_exclusive_group()
    option(shown, "--quiet", "print only warnings and errors")
    option(shown, "--json-progress", "JSON lines on standard error, one per second")


def _add_bounds(group: Any) -> None:
    """Add the options that limit calls and cost."""
    option(group, "--concurrency N", "calls in flight to each provider (default: 20)", default=20)
    option(group, "--rate R/min", "most calls per minute to each provider: 600 or 600/min; none removes the limit")
    about = "stop when this much is spent, over all resumes; calls in flight may exceed it; none removes the limit"
    option(group, "--budget USD", about)
