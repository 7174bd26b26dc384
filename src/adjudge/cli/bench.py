"""`adjudge bench`: judges on labelled sets, each beside what the longest answer, a constant and people reach."""

from __future__ import annotations

import argparse
import re
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..files import user_path
from .asking import check_folders
from .outputs import choose_format, write_document, write_out
from .several import JOURNAL, PlannedRun, add_several_arguments, judge_several

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..agreement.benchmark import LabelledSet
    from ..rubric import Rubric

_DESCRIPTION = """\
How far judges agree with people on labelled sets: every file in DIR whose comparisons or dialogues carry people's
labels, judged by every judge, with 95 % intervals, beside the longest answer, the first position, a constant and, where
several people labelled a case, one person against the others. Each judge and set is a run in the folder of --run; what
is judged stays judged, and the same command continues.
"""
_EPILOG = """\
examples:
  adjudge bench sets/
  adjudge bench sets/ --judge openai:gpt-5.1 --judge embedded --limit 100 --budget 5
  adjudge bench sets/ --format html -o bench.html
"""


def register(commands: Any) -> None:
    """Add the command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "bench",
        help="judges on labelled sets: how far each agrees with people",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("sets", metavar="DIR", help="a folder of JSONL, JSON, CSV, TSV, Parquet and transcript files")
    parser.add_argument(
        "--judge", action="append", metavar="JUDGE", help="one of the judges; give it several times (default: embedded)"
    )
    parser.add_argument(
        "--rubric", action="append", default=[], metavar="FILE",
        help="your own criteria (YAML) for the sets of its protocol; give one for each protocol",
    )  # fmt: skip
    parser.add_argument(
        "--limit", type=int, metavar="N", help="so many cases of each set, drawn at random; raise it later"
    )
    parser.add_argument("--one-order", action="store_true", help="comparisons once, not in both orders: half the cost")
    parser.add_argument(
        "--votes", default="votes", metavar="COLUMN",
        help="the column of comparisons with several people's labels (default: votes)",
    )  # fmt: skip
    add_several_arguments(parser, "adjudge-bench")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Judge what is open, and print the table; exit 1 if a case has no verdict."""
    from ..results import require_extra

    require_extra("adjudge bench")
    if args.limit is not None and args.limit < 1:
        raise InputError("--limit", str(args.limit), "1 or more is allowed")
    check_folders(args)
    chosen = choose_format(args.format, args.output, piped="text")  # refused before anything is paid
    judges = list(dict.fromkeys(args.judge or ["embedded"]))
    rubrics = _rubrics(args.rubric)
    given = user_path(args.sets)
    if not given.is_dir():
        raise InputError("DIR", f"{given}: folder not found", "a folder with files of labelled cases")
    # SciPy takes seconds to load: only when there is something to measure.
    from ..agreement.benchmark import Benchmark, find_sets, measure_set

    sets, left_out = find_sets(given)
    folder = user_path(args.directory).absolute()
    planned = [_planned(each, judge, folder, rubrics, args.one_order) for each in sets for judge in judges]
    code = judge_several(planned, args, str(folder / JOURNAL), args.limit)
    if args.dry_run:
        return code
    from ..models.base import to_json
    from ..reports.judges import benchmark_document
    from ..results.run import open_run

    results = [
        measure_set(each, {judge: open_run(_place(folder, each, judge)) for judge in judges}, args.votes)
        for each in sets
    ]
    benchmark = Benchmark(sets=tuple(results), left_out=left_out)
    if chosen == "json":
        write_out(to_json(benchmark, indent=True).decode(), args.output)
    else:
        write_document(benchmark_document(benchmark), chosen, args.output)
    return code


def _rubrics(paths: Sequence[str]) -> dict[str, Rubric]:
    """The rubric of each protocol: the one that was given, else the shipped one."""
    from ..rubric import load, shipped

    found: dict[str, Rubric] = {}
    for rubric in map(load, paths):
        if rubric.protocol == "review" or rubric.protocol in found:
            allowed = "one for compare and one for dialogue"
            raise InputError("--rubric", f"{rubric.name}: its protocol is {rubric.protocol}", allowed)
        found[rubric.protocol] = rubric
    return {protocol: found.get(protocol) or shipped(protocol) for protocol in ("compare", "dialogue")}


def _planned(
    labelled: LabelledSet, judge: str, folder: Path, rubrics: Mapping[str, Rubric], one_order: bool
) -> PlannedRun:
    from ..engine import CompareSettings, DialogueSettings
    from ..inputs.rows import open_rows

    try:
        settings = (
            CompareSettings(judge=judge, one_order=one_order, rubric=rubrics["compare"])
            if labelled.protocol == "compare"
            else DialogueSettings(evaluator=judge, critic=judge, rubric=rubrics["dialogue"])
        )
    except InputError as error:
        raise error.renamed(dict.fromkeys(("judge", "evaluator", "critic"), "--judge")) from None
    rows = open_rows(str(labelled.path), labelled.protocol, settings.rubric)
    return PlannedRun(f"{labelled.name}, {judge}", _place(folder, labelled, judge), settings, rows, str(labelled.path))


def _place(folder: Path, labelled: LabelledSet, judge: str) -> Path:
    """The folder of a judge's run over a set; a judge whose name cannot be a folder's gets a hash behind it."""
    plain = re.sub(r"[^\w.-]+", "-", judge).strip("-.")[:60]
    return folder / labelled.name / (plain if plain == judge else f"{plain}-{blake2b(judge.encode()).hexdigest()[:6]}")
