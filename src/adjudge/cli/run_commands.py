"""The commands about runs that were judged: `show`, `export`, `label`, `agree`, `calibrate`, `annotators`, `diff`,
`gate` and `leaderboard`.

This file only has their options and help. The code that does the work is imported when a command is run.
"""

from __future__ import annotations

import argparse
from typing import Any

from .common import FORMATS, GROUP, add_command, add_gate_arguments, add_later, describe, option

_SHOW = """\
Look at the results of a run. Conditions and queries are DuckDB SQL over the table `results`: put texts in single
quotes; column names may be in double quotes ("case" must be). The table is a copy, and queries cannot reach files or
the network.
"""
_SHOW_EXAMPLES = """\
examples:
  adjudge show DIR --where "winner = 'tie'"
  adjudge show DIR --where 'not agrees' --columns case,label,winner,confidence
  adjudge show DIR --sql 'select system_a, avg(difference) from results group by system_a'
  adjudge show DIR --case egg-3
"""
_EXPORT = """\
Export the results of a run. An unfinished run is exported with the outcomes it has so far, and the number of
missing cases is printed.

  jsonl     one object per line: the columns, and under "verdict" the whole verdict
  csv       the columns; a text that a spreadsheet would take for a formula (= + - @ first) gets an apostrophe before it
  parquet   the columns with their types, for DuckDB, pandas, Polars, Spark
  html      a report: NAME.html with the finding and the first 1,000 cases, and beside it the folder NAME_files with
            further lists and a page for each of the first 5,000 cases
  markdown  the finding, the numbers and a table of the first 10,000 cases

`adjudge show DIR --list-columns` lists the columns.
"""
_EXPORT_EXAMPLES = """\
examples:
  adjudge export DIR --format csv > results.csv
  adjudge export DIR -o results.parquet
  adjudge export DIR -o ties.html --where "winner = 'tie'"
"""
_LABEL = """\
Label cases of a run, to see later how far its judge agrees with people. Some cases are drawn at random, for honest
figures; the others are those where the judge disagrees with itself or barely decides. Everybody gets the same cases.
You see neither verdict nor source, and the order of the two answers is random. Each label is saved at once in
DIR/labels/NAME.jsonl; the same command continues at the first open case. From a pipe, one answer per line is read.
"""
_LABEL_EXAMPLES = """\
examples:
  adjudge label DIR --n 60
  adjudge label DIR --annotator ann
  adjudge label DIR --list
  adjudge label DIR --change egg-3
  adjudge label DIR --export label-studio > labels.json
"""
_AGREE = """\
Measure how far the judge of a run agrees with people. The first line says whether it can stand in for a person (three
people with 30 cases each are needed), or how far it agrees with one; then why, beside other people and simple rules;
then slices in which it is worse, bias, where judge and people differ, and corrected figures. Every figure has a 95 %
interval. Labels come from `adjudge label`, else from the input's label column, or from --labels. Exit code 1: a figure
is below its --fail-under, or rests on fewer than 20 cases.
"""
_AGREE_EXAMPLES = """\
examples:
  adjudge agree DIR
  adjudge agree DIR --labels people.csv -o agreement.html
  adjudge agree DIR --against other-judge
  adjudge agree DIR --earlier last-week --earlier yesterday
  adjudge agree DIR --fail-under kappa=0.6
"""
_CALIBRATE = """\
Learn, from labelled cases of a run, a map from its judge's scores to people's scores (isotonic or ordinal, whichever
has the smaller error on held-out cases), and weights of criteria, shown beside the rubric's own. With -o the run's
rubric is saved with the map in it: the same judge's verdicts by that rubric then also have a calibrated number.
"""
_CALIBRATE_EXAMPLES = """\
examples:
  adjudge calibrate DIR
  adjudge calibrate DIR --labels people.csv -o calibrated.yaml
  adjudge run compare new.jsonl --run DIR2 --judge openai:gpt-5.1 --rubric calibrated.yaml
"""
_ANNOTATORS = """\
Show report cards of the people whose ratings were reviewed: how often each is corrected in which dimension (rates from
few ratings are drawn towards everybody's rate), whether they are too lenient or too harsh, which dimensions they
confuse, whether they change over time, how far they agree with others, and the two or three lessons that would save
most corrections. Columns of the run's input say who rated a case, and when. The judge makes the corrections; to measure
the judge itself, see `adjudge label`.
"""
_ANNOTATORS_EXAMPLES = """\
examples:
  adjudge annotators DIR
  adjudge annotators january february --annotator worker -o cards.html
"""
_DIFF = """\
Compare two runs over the same cases (the same id and the same texts): which verdicts changed and by how much, which
failures are new or fixed, and whether the difference is more than chance. Cases with the same texts under several ids
are copies: tests and intervals count them as one. Undecided is an outcome of its own, and agrees with no label.
"""
_DIFF_EXAMPLES = """\
examples:
  adjudge diff monday tuesday
  adjudge diff small-judge large-judge --format markdown > change.md
"""
_GATE = """\
Decide whether a run is good enough, for CI. Each condition is decided on the 95 % interval of its figure, not on the
bare number: it passes, fails, or is too close to call, and then the answer says how many more cases would settle it.
Undecided cases and failed judgments are counted at their worst and at their best; if that changes the answer, it is
too close to call.

A condition says when to fail: FIGURE < NUMBER, or with <=, > or >=. The figures of every run:
{common}
and of the runs of one protocol:
{figures}

With --against, NUMBER may be `baseline`, `baseline - 0.02` or `baseline + 0.02`: cases with the same id are compared
one by one. `pass_rate < baseline - 0.02` fails if the pass rate fell by more than 2 points. A share that is compared
with 0 or 1 is counted, without an interval: `share_failed > 0` fails if any judgment failed.

Exit codes: 0 passes; 1 fails; 2 bad input; 3 too close to call, with --unsure fail.
"""
_GATE_EXAMPLES = """\
examples:
  adjudge gate DIR --fail-if 'pass_rate < 0.9' --fail-if 'share_failed > 0.02'
  adjudge gate DIR --against last-release --fail-if 'pass_rate < baseline - 0.02' --unsure fail
  adjudge gate DIR --fail-if 'kappa < 0.6' --labels people.csv --junit gate.xml
"""
_LEADERBOARD = """\
Rank the systems of a run whose rows name who wrote the answers, with 95 % intervals. A compare run (system_a and
system_b): Bradley-Terry strengths with ties, wins, ties and losses; and beside them strengths with the length of
answers held constant. A grade run (system): pass rates. What the judge did not decide counts for no side.
"""


def register(commands: Any) -> None:
    """Add the commands about runs."""
    _add_results(commands)
    _add_measures(commands)


def _add_results(commands: Any) -> None:
    about = "look at the results of a run: rows, SQL, one case"
    parser = add_command(commands, "show", "show.run_show", about, _SHOW, _SHOW_EXAMPLES)
    option(parser, "run_directory DIR", "a run directory; the run may still be going")
    what = parser.add_mutually_exclusive_group()
    option(what, "--where SQL", "only rows for which this is true")
    option(what, "--sql SQL", "any single SELECT over the table `results`")
    option(what, "--case ID", "the full report of one case")
    option(what, "--list-columns", "list the columns and what they mean")
    option(parser, "--columns A,B,…", "columns to show (default: the most useful; * for all)")
    option(parser, "--limit N", "at most N rows (default: 20; 0 for all; all with --sql)")
    parser.add_argument("--format", choices=("table", "json"), default="table", help="how to print it (default: table)")

    about = "the results of a run as JSONL, CSV, Parquet, HTML or Markdown"
    parser = add_command(commands, "export", "show.run_export", about, _EXPORT, _EXPORT_EXAMPLES)
    option(parser, "run_directory DIR", "a run directory; the run may still be going")
    parser.add_argument(
        "--format",
        choices=("jsonl", "csv", "parquet", "html", "markdown"),
        help="how to write it (default: what -o's suffix says)",
    )
    about = "where to write (default: printed; parquet to DIR/results.parquet, html to DIR/report.html)"
    option(parser, "-o --output PATH", about)
    option(parser, "--where SQL", "only rows for which this is true, such as 'cost > 0.01'")

    about = "label cases of a run, to see how far its judge agrees with people"
    parser = add_command(commands, "label", "label.run", about, _LABEL, _LABEL_EXAMPLES)
    option(parser, "run_directory DIR", "a run directory")
    option(parser, "--annotator NAME", "who labels (default: your user name)")
    option(parser, "--n N", "how many cases (default: 60, or as many as were picked); more can be added")
    option(parser, "--seed N", "seed of the random draw (default: 0); saved with the run")
    option(parser, "--random-share S", "the share drawn at random, 0 to 1 (default: 0.5); saved with the run")
    option(parser, "--separate", "pick cases that only this annotator gets")
    option(parser, "--criteria", "rate each criterion too, not only the whole, if the protocol has them rated")
    what = parser.add_mutually_exclusive_group()
    option(what, "--list", "show this annotator's labels")
    option(what, "--change ID", "label these cases again; the new label counts", nargs="+")
    about = "print everybody's labels for another tool: label-studio, label-studio-min, argilla"
    option(what, "--export FORMAT", about, choices=("label-studio", "label-studio-min", "argilla"))


def _add_measures(commands: Any) -> None:
    about = "how far the judge of a run agrees with people"
    parser = add_command(commands, "agree", "measures.run_agree", about, _AGREE, _AGREE_EXAMPLES)
    option(parser, "run_directory DIR", "a run directory")
    _add_labels(parser)
    option(parser, "--against RUN", "also score another run of the same cases by the same labels")
    _add_repeatable(parser, "--earlier RUN", "an earlier run, to show the change since then; repeatable")
    about = "the judge's own system, to measure self-preference (default: one named like its model); repeatable"
    _add_repeatable(parser, "--own SYSTEM", about)
    option(parser, "--group COLUMN", GROUP)
    about = (
        "a column of the input, to show agreement by its cells (default: all with a few different words); repeatable"
    )
    _add_repeatable(parser, "--by COLUMN", about)
    about = (
        "exit with 1 if this figure is below the value, or missing, or of fewer than 20 cases: kappa=0.6; repeatable"
    )
    _add_repeatable(parser, "--fail-under NAME=VALUE", about)
    option(parser, "--limit N", "list N disagreements (default: 10), in all formats", default=10)
    about = "how much less near to people than a person the judge may be and still stand in (default: 0.15)"
    option(parser, "--margin SHARE", about, type=float, default=0.15)
    _add_draws(parser)
    parser.add_argument("--format", choices=FORMATS, help="how to write it (default: text, or by -o's suffix)")
    option(parser, "-o --output FILE", "write here instead of printing")

    about = "map a judge's scores to people's scores, and save the map in the rubric"
    parser = add_command(commands, "calibrate", "measures.run_calibrate", about, _CALIBRATE, _CALIBRATE_EXAMPLES)
    option(parser, "run_directory DIR", "the directory of a run whose cases people labelled")
    _add_labels(parser)
    option(parser, "--group COLUMN", GROUP)
    _add_text_format(parser)
    option(parser, "-o --output RUBRIC.yaml", "save the run's rubric with the map in it")

    about = "report cards of the people whose ratings were reviewed"
    parser = add_command(commands, "annotators", "measures.run_annotators", about, _ANNOTATORS, _ANNOTATORS_EXAMPLES)
    option(parser, "run_directories DIR", "directories of review runs", nargs="+")
    option(parser, "--annotator COLUMN", "the input's column that says who rated (default: annotator, rater, …)")
    option(parser, "--time COLUMN", "the input's column that says when (default: time, timestamp, …)")
    _add_draws(parser)
    about = "how to write it (default: text on a terminal, json when piped, or by -o's suffix)"
    parser.add_argument("--format", choices=FORMATS, help=about)
    option(parser, "-o --output FILE", "write here instead of printing")

    about = "what changed between two runs, and whether it is more than chance"
    parser = add_command(commands, "diff", "measures.run_diff", about, _DIFF, _DIFF_EXAMPLES)
    option(parser, "run1 RUN1", "a run directory: before")
    option(parser, "run2 RUN2", "a run directory: after")
    _add_text_format(parser)
    option(parser, "--limit N", "list N changed cases (default: 20; json lists all)", default=20)
    option(parser, "-o --output FILE", "write here instead of printing")

    about = "decide whether a run is good enough, for CI"
    add_later(commands, "gate", "gate.run_gate", about, _add_gate_options)

    about = "rank the systems of a run"
    parser = add_command(commands, "leaderboard", "measures.run_leaderboard", about, _LEADERBOARD)
    option(parser, "run_directory DIR", "the directory of a run")
    _add_text_format(parser)
    option(parser, "-o --output FILE", "write here instead of printing")


def _add_gate_options(parser: argparse.ArgumentParser) -> None:
    from ..agreement.gates import COMMON_FIGURES
    from ..protocols.registry import about as about_protocol
    from ..protocols.registry import names

    labelled = ("kappa, …", "agreement with people's labels: the measures of `adjudge agree` that the protocol has")
    common = "\n".join(f"  {name:<16} {about}" for name, about in [*COMMON_FIGURES.items(), labelled])
    own = [(name, *each) for name in names() for each in about_protocol(name).gates.items()]
    figures = "\n".join(f"  {name:<16} {figure}: {about}" for name, figure, about in own)
    describe(parser, _GATE.format(common=common, figures=figures), _GATE_EXAMPLES)
    option(parser, "run_directory DIR", "a run directory")
    option(parser, "--against RUN", "the run of the baseline, for conditions such as 'pass_rate < baseline - 0.02'")
    add_gate_arguments(parser, needed=True)
    option(parser, "--group COLUMN", GROUP)
    _add_labels(parser)
    _add_text_format(parser)
    option(parser, "-o --output FILE", "write here instead of printing")


def _add_repeatable(parser: argparse.ArgumentParser, written: str, about: str) -> None:
    option(parser, written, about, action="append", default=[])


def _add_labels(parser: argparse.ArgumentParser) -> None:
    about = (
        "a file of labels, a folder of them, or columns of the run's input "
        "(default: those of `adjudge label`, else the input's label column)"
    )
    option(parser, "--labels FILE|COLUMN", about)
    _add_repeatable(parser, "--annotator NAME", "use only this person's labels; repeatable")


def _add_draws(parser: argparse.ArgumentParser) -> None:
    about = "draws of every bootstrap (default: 999); fewer are faster but give rougher intervals"
    option(parser, "--draws N", about, default=999)


def _add_text_format(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--format", choices=("text", "json", "markdown"), default="text", help="how to write it (default: text)"
    )
