"""`adjudge probe`: does padding, formatting or the order of answers move a judge's verdicts?"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..files import user_path
from .asking import check_folders
from .outputs import choose_format, write_document, write_out
from .several import JOURNAL, PlannedRun, add_several_arguments, judge_several

if TYPE_CHECKING:
    from ..engine import CompareSettings
    from ..inputs.rows import BadRow, Row, Rows

_PROBES = ("swap", "padding", "lists", "bold")
_DESCRIPTION = """\
Change comparisons in ways that add nothing, judge them again, and see whether the verdicts follow: neutral filler
behind one answer (padding), one answer as a list (lists) or with bold words (bold), and the order of the two (swap).
INPUT is what `adjudge run compare` reads, or the folder of a compare run, whose judge and stored replies are then used.
No labels are needed. The runs are kept in the folder of --run, and the same command continues them.
"""
_EPILOG = """\
examples:
  adjudge probe pairs.jsonl --judge openai:gpt-5.1 --n 50 --dry-run
  adjudge probe out --probes swap padding
"""


def register(commands: Any) -> None:
    """Add the command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "probe",
        help="does padding, format or order move a judge?",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("input", metavar="INPUT", help="a file of comparisons, or the folder of a compare run")
    parser.add_argument("--judge", metavar="JUDGE", help="who judges (default: the run's judge, else embedded)")
    parser.add_argument(
        "--rubric", metavar="FILE", help="your own criteria (YAML; default: the run's, else those of `adjudge rubric`)"
    )
    parser.add_argument("--n", type=int, default=100, metavar="N", help="so many cases, drawn at random (default: 100)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of what is drawn (default: 0)")
    parser.add_argument("--probes", nargs="+", choices=_PROBES, default=list(_PROBES), help="default: all")
    add_several_arguments(parser, "adjudge-probe")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Judge the cases and their changed copies, and say what moved; exit 1 if a case has no verdict."""
    from ..results import require_extra

    require_extra("adjudge probe")
    if args.n < 1:
        raise InputError("--n", str(args.n), "1 or more is allowed")
    check_folders(args)
    chosen = choose_format(args.format, args.output, piped="text")  # refused before anything is paid
    folder = user_path(args.directory).absolute()
    settings, rows, journal = _source(args, folder)
    # SciPy takes seconds to load: only when there is something to measure.
    from ..agreement.probes import ORIGINAL, PROBES, draw_rows, measure_probes, probe_rows

    drawn = draw_rows(rows, args.n, args.seed)
    if not drawn:
        raise InputError("INPUT", f"{args.input}: no comparison in it", "at least one is needed")
    wanted = [ORIGINAL, *(probe for probe in PROBES if probe in args.probes and probe != "swap")]
    planned = [
        PlannedRun(name, folder / name, settings, _rows(made), args.input)
        for name in wanted
        if (made := probe_rows(drawn, name, args.seed))  # type: ignore[arg-type]
    ]
    code = judge_several(planned, args, journal, None)
    if args.dry_run:
        return code
    from ..models.base import to_json
    from ..reports.judges import probes_document
    from ..results.run import open_run

    results = measure_probes({each.name: open_run(each.folder) for each in planned}, len(drawn))
    results = [each for each in results if each.probe in args.probes]
    if chosen == "json":
        told = {"judge": settings.judge, "cases": len(drawn), "probes": [each.model_dump() for each in results]}
        write_out(to_json(told, indent=True).decode(), args.output)
    else:
        write_document(probes_document(settings.judge, len(drawn), results), chosen, args.output)
    return code


def _source(args: argparse.Namespace, folder: Path) -> tuple[CompareSettings, Iterable[Row | BadRow], str]:
    """How to judge, what, and where replies are: a run brings all three along."""
    from ..engine import CompareSettings, rubric_for
    from ..inputs.rows import open_rows
    from ..results.run import open_run
    from ..runs.directory import RunDirectory
    from ..runs.trust import check_trust

    try:
        if not (user_path(args.input) / "run.json").is_file():
            settings = CompareSettings(judge=args.judge or "embedded", rubric=rubric_for("compare", args.rubric))
            return settings, open_rows(args.input, "compare", settings.rubric), str(folder / JOURNAL)
        run = open_run(args.input, "INPUT")
        directory = RunDirectory(args.input)
        check_trust(directory, args.trust)
        opened = directory.plan().opened()
        if not isinstance(opened, CompareSettings):
            raise InputError("INPUT", f"{args.input}: a {opened.protocol} run", "probes are for comparisons")
        rubric = rubric_for("compare", args.rubric or opened.rubric)
        settings = replace(opened, judge=args.judge or opened.judge, rubric=rubric)
        from ..agreement.probes import rows_of_run

        return settings, rows_of_run(run), directory.journal(directory.read())
    except InputError as error:
        raise error.renamed({"judge": "--judge"}) from None


def _rows(made: list[Row]) -> Rows:
    from ..inputs.rows import Rows

    return Rows(iter(made))
