"""Measures how the commands on results scale with a run: rows per second, CPU time and peak memory at two sizes.

A small run is judged by the embedded judge; its lines are copied with new positions and ids, out of order, into runs of
any size, with labels, systems, an extra input column and some failures. Fails if a command needs more than --at-most
times as much memory for the large run as for the small one.

    python bench/results_scale.py [--small 20000] [--large 200000] [--only export-csv,…] [--folder FOLDER]
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import orjson
from commands import adjudge, environment
from overhead import SENTENCES
from process_tree import Measured, measured

_SEEDS = 60
_SYSTEMS = ("wren", "crow", "rook", "finch")
_LABELS = ("A", "B", "tie", None)
_BLOCK = 64  # lines come in the order in which workers finish, not in input order
_FAILED = 50  # one case in this many has no verdict
_QUESTIONS: dict[str, tuple[str, ...]] = {
    "show-where": ("show", "RUN", "--where", "winner = 'tie'"),
    "show-sql": ("show", "RUN", "--sql", "select system_a, avg(difference) from results group by system_a"),
    "export-csv": ("export", "RUN", "-o", "OUT/rows.csv"),
    "export-parquet": ("export", "RUN", "-o", "OUT/rows.parquet"),
    "export-jsonl": ("export", "RUN", "-o", "OUT/rows.jsonl"),
    "export-where": ("export", "RUN", "-o", "OUT/ties.csv", "--where", "winner = 'tie'"),
    "export-markdown": ("export", "RUN", "-o", "OUT/rows.md"),
    "export-html": ("export", "RUN", "-o", "OUT/report.html"),
    "diff": ("diff", "RUN", "RUN"),
    "diff-json": ("diff", "RUN", "OTHER", "--format", "json", "-o", "OUT/diff.json"),
    "leaderboard": ("leaderboard", "RUN"),
}
# Writing a page for each of thousands of cases takes long, so these are measured only if they are named.
_USUAL = tuple(name for name in _QUESTIONS if name not in ("export-html", "export-markdown"))


def judged(folder: Path) -> Path:
    """Judge a small real run, whose lines are then copied."""
    with (folder / "seeds.jsonl").open("wb") as file:
        for at in range(_SEEDS):
            a, b = (" ".join(SENTENCES[(at * step + of) % len(SENTENCES)] for of in range(3)) for step in (1, 3))
            case = {"id": f"seed-{at}", "task": f"Plan launch {at}.", "a": f"Plan {at}. {a}", "b": f"Draft. {b}"}
            file.write(orjson.dumps(case) + b"\n")
    run = folder / "seed"
    command = adjudge("run", "compare", folder / "seeds.jsonl", "--run", run, "--judge", "embedded")
    subprocess.run(command, env=environment(), cwd=folder, check=True, capture_output=True)
    return run


def multiplied(seed: Path, run: Path, count: int, shift: int = 0) -> None:
    """Make a run of `count` cases from the lines of a small one; with `shift`, cases get each other's verdicts."""
    run.mkdir()
    cases = [orjson.loads(line) for line in (seed / "cases.jsonl").read_bytes().splitlines()]
    verdicts = [line.partition(b',"verdict":') for line in (seed / "verdicts.jsonl").read_bytes().splitlines()]
    told = {orjson.loads(head + b"}")["position"]: (orjson.loads(head + b"}"), rest) for head, _, rest in verdicts}
    with (run / "cases.jsonl").open("wb") as file:
        for at in range(count):
            case = cases[at % len(cases)]
            task = {**case["input"], "task": f"{case['input']['task']} {at}"}
            file.write(orjson.dumps({**case, **_beside(at), "input": task}) + b"\n")
    with (run / "verdicts.jsonl").open("wb") as file, (run / "failures.jsonl").open("wb") as failed:
        for at in _as_they_came(count):
            head, rest = told[(at + shift) % len(cases)]
            if at % _FAILED == 1:
                failed.write(orjson.dumps(_failure(at)) + b"\n")
            else:
                # Two of three are decided, as with a judge that is mostly sure.
                own = {"row": {**head["row"], "decided": at % 3 > 0}, "cost": f"0.00{at % 89 + 10}"}
                known = {**head, **_beside(at), "verdict_id": f"v{at:012x}", **own}
                file.write(orjson.dumps(known)[:-1] + b',"verdict":' + rest + b"\n")
    config = orjson.loads((seed / "run.json").read_bytes())
    (run / "run.json").write_bytes(orjson.dumps({**config, "input": {**config["input"], "cases": count}}))


def _beside(at: int) -> dict[str, object]:
    pair = _SYSTEMS[at % 4], _SYSTEMS[(at // 4 + at + 1) % 4]
    extra = {"topic": f"topic {at % 17}", "batch": at // 1000}
    return {"position": at, "case": f"case-{at}", "label": _LABELS[at % 4], "systems": pair, "extra": extra}


def _failure(at: int) -> dict[str, object]:
    spent = {"calls": 1, "input_tokens": 900, "output_tokens": 12, "cost": "0.0012", "paid": "0.0012"}
    return {**_beside(at), **spent, "reason": "malformed", "message": "no JSON", "judge": "embedded"}


def _as_they_came(count: int) -> Iterator[int]:
    for begin in range(0, count, _BLOCK):
        yield from reversed(range(begin, min(begin + _BLOCK, count)))


def asked(question: tuple[str, ...], run: Path, out: Path) -> Measured:
    """Measure one command on one run."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    runs = {"RUN": str(run), "OTHER": f"{run}-other"}
    words = [runs.get(word) or word.replace("OUT/", f"{out}/") for word in question]
    done = measured(adjudge(*words), every=0.02, env=environment(), cwd=out)
    if done.status != 0:
        sys.exit(f"{' '.join(words)} ended with status {done.status}\n{done.said[-2000:]}")
    return done


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", type=int, default=20_000)
    parser.add_argument("--large", type=int, default=200_000)
    parser.add_argument("--only", default=",".join(_USUAL), help=f"some of {', '.join(_QUESTIONS)}")
    parser.add_argument("--at-most", type=float, default=1.3, help="times the small run's memory (default: 1.3)")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()), help="where the runs are written")
    args = parser.parse_args()
    sizes = (args.small, args.large)
    grown = []
    with tempfile.TemporaryDirectory(dir=args.folder, prefix="results-scale-") as made:
        folder = Path(made)
        seed = judged(folder)
        for count in sizes:
            multiplied(seed, folder / f"run-{count}", count)
            multiplied(seed, folder / f"run-{count}-other", count, shift=7)
        print(f"{'command':<16}{'cases':>10}{'cases/s':>10}{'CPU s':>8}{'peak MB':>9}", flush=True)
        for name in args.only.split(","):
            peaks = []
            for count in sizes:
                done = asked(_QUESTIONS[name], folder / f"run-{count}", folder / "out")
                peaks.append(done.peak)
                print(f"{name:<16}{count:10,}{count / done.cpu:10,.0f}{done.cpu:8.1f}{done.peak:9.0f}", flush=True)
            ratio = peaks[1] / peaks[0]
            print(f"{name:<16}memory: {ratio:.2f} times", flush=True)
            if ratio > args.at_most:
                grown.append(name)
    if grown:
        sys.exit(f"more than {args.at_most:g} times the memory: {', '.join(grown)}")


if __name__ == "__main__":
    main()
