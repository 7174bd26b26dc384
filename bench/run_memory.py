"""Checks whether a run's memory grows with its cases: peak of all its processes at 10,000 and 1,000,000 cases.

Cases and replies are short and the server answers at once, so that the large run ends within the hour. The files of
each run are deleted after it. Fails if the large run needs more than --at-most times the memory of the small one, or if
a case has no verdict.

    python bench/run_memory.py [--small 10000] [--large 1000000] [--judge scripted|embedded] [--folder FOLDER]
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import orjson
from commands import adjudge, environment, serving, short_cases, short_reply, write_cases
from process_tree import measured

_BYTES_A_CASE = 30_000  # input, its copy, journal and verdicts; a generous estimate until the small run is measured
_MARGIN = 1.2


@dataclass(frozen=True)
class Figures:
    """One run: peak MB of all its processes, seconds, and bytes on disk."""

    cases: int
    peak: float
    wall: float
    disk: int


def say_need(folder: Path, cases: int, each: float) -> None:
    """Print how much disk space a run will need, and exit if there is not enough."""
    needed, free = cases * each / 2**30, shutil.disk_usage(folder).free / 2**30
    print(f"{cases:,} cases need about {needed:.1f} GB under {folder}; {free:.1f} GB are free", flush=True)
    if needed > free:
        sys.exit("not enough disk: give a folder with more room (--folder), or fewer cases (--large)")


def one_run(count: int, judge: str, above: Path, concurrency: int) -> Figures:
    """Measure a whole run over this number of cases."""
    with tempfile.TemporaryDirectory(dir=above, prefix="run-memory-") as made:
        folder = Path(made)
        write_cases(folder / "cases.jsonl", short_cases(count))
        done = measured(
            adjudge(
                "run", "compare", folder / "cases.jsonl", "--run", folder / "run", "--one-order",
                "--judge", judge, "--concurrency", concurrency,
            ),
            env=environment(), cwd=folder,
        )  # fmt: skip
        if done.status != 0:
            sys.exit(f"the run over {count:,} cases ended with status {done.status}\n{done.said[-2000:]}")
        summary = orjson.loads((folder / "run" / "summary.json").read_bytes())
        if summary["verdicts"] != count:
            sys.exit(f"{summary['verdicts']:,} verdicts for {count:,} cases: {summary}")
        disk = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    return Figures(count, done.peak, done.wall, disk)


def both(args: argparse.Namespace, judge: str, folder: Path) -> tuple[Figures, Figures]:
    """Measure the small run, which shows how much disk the large one will need, and then the large one."""
    small = one_run(args.small, judge, folder, args.concurrency)
    say_need(folder, args.large, small.disk / args.small * _MARGIN)
    return small, one_run(args.large, judge, folder, args.concurrency)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", type=int, default=10_000)
    parser.add_argument("--large", type=int, default=1_000_000)
    parser.add_argument("--judge", choices=("scripted", "embedded"), default="scripted")
    parser.add_argument("--concurrency", type=int, default=100)
    parser.add_argument("--at-most", type=float, default=1.3, help="times the small run's memory (default: 1.3)")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()), help="where the runs are written")
    args = parser.parse_args()
    say_need(args.folder, args.large, _BYTES_A_CASE)
    if args.judge == "embedded":
        small, large = both(args, "embedded", args.folder)
    else:
        with tempfile.TemporaryDirectory() as made:
            reply = Path(made) / "reply.json"
            reply.write_bytes(short_reply())
            with serving("instant_server.py", reply, 0) as port:
                small, large = both(args, f"http://127.0.0.1:{port}/v1#m", args.folder)
    print(f"{'cases':>12}{'peak MB':>10}{'cases/s':>10}{'disk, GB':>10}")
    for run in (small, large):
        print(f"{run.cases:12,}{run.peak:10.0f}{run.cases / run.wall:10.0f}{run.disk / 2**30:10.2f}")
    ratio = large.peak / small.peak
    print(f"the second needs {ratio:.2f} times the memory of the first")
    if ratio > args.at_most:
        sys.exit(f"more than {args.at_most:g} times")


if __name__ == "__main__":
    main()
