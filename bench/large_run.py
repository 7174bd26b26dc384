"""Measures the commands on the results of a real run: seconds of CPU and peak memory of each.

The run is judged by `adjudge run` with a scripted server, in one order, so that its journal, verdicts and quotes are
real. Cases have two systems, and one in ten has a label.

    python bench/large_run.py [--cases 100000] [--folder FOLDER]
"""

from __future__ import annotations

import argparse
import random
import tempfile
from pathlib import Path

import orjson
from commands import adjudge, environment, serving, short_cases, short_reply
from process_tree import measured

_SYSTEMS = ("wren", "crow", "rook", "finch")
_COMMANDS: dict[str, tuple[str, ...]] = {
    "show": ("show", "RUN"),
    "show --where": ("show", "RUN", "--where", "winner = 'tie'"),
    "leaderboard": ("leaderboard", "RUN"),
    "agree": ("agree", "RUN"),
    "export, HTML": ("export", "RUN", "--format", "html", "-o", "OUT/report.html"),
}


def write_labelled_cases(path: Path, count: int) -> None:
    """Write comparisons of two systems each; every tenth has a label."""
    chance = random.Random(0)
    with path.open("wb") as file:
        for number, case in enumerate(short_cases(count)):
            one, other = chance.sample(_SYSTEMS, 2)
            row = {"id": f"case-{number}", "task": case.task, "a": case.a, "b": case.b}
            row |= {"system_a": one, "system_b": other}
            if number % 10 == 0:
                row["label"] = chance.choice(("A", "B", "tie"))
            file.write(orjson.dumps(row) + b"\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()), help="where the run is written")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=args.folder) as made:
        folder = Path(made)
        write_labelled_cases(folder / "cases.jsonl", args.cases)
        (folder / "reply.json").write_bytes(short_reply())
        with serving("instant_server.py", folder / "reply.json", 0.0) as port:
            judge = f"http://127.0.0.1:{port}/v1#m"
            options = ("--one-order", "--concurrency", 100, "--judge", judge, "--quiet")
            command = adjudge("run", "compare", folder / "cases.jsonl", "--run", folder / "run", *options)
            run = measured(command, env=environment(), cwd=folder)
        size = sum(file.stat().st_size for file in (folder / "run").rglob("*") if file.is_file())
        print(f"{args.cases:,} cases judged, status {run.status}, {size / args.cases / 1000:.1f} kB a case on disk")
        print(f"{'':16}{'CPU s':>8}{'wall s':>8}{'peak MB':>9}")
        print(f"{'run':16}{run.cpu:8.1f}{run.wall:8.1f}{run.peak:9.0f}", flush=True)
        for name, written in _COMMANDS.items():
            parts = [part.replace("RUN", str(folder / "run")).replace("OUT", str(folder)) for part in written]
            done = measured(adjudge(*parts), env=environment(), cwd=folder)
            failed = "" if done.status == 0 else f"  status {done.status}: {done.said[-200:]}"
            print(f"{name:16}{done.cpu:8.1f}{done.wall:8.1f}{done.peak:9.0f}{failed}", flush=True)


if __name__ == "__main__":
    main()
