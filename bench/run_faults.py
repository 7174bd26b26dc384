"""Checks `adjudge run` against a faulty server: the run ends, every case has an outcome, and the counts add up.

5 % of the replies break off in the middle of their JSON, 5 % are HTTP 500, 2 % of the connections are reset, and now
and then a burst of requests gets HTTP 429 with Retry-After. One case always gets HTTP 500, and another never gets a
whole reply. The fault of each request is drawn from a seed. The claims that are checked:

- the run ends by itself, with status 1 because of the cases that cannot be judged
- every case has exactly one verdict or failure; every failure has a reason and a message
- the two hopeless cases fail with the right reasons; no other case fails for a reason that a retry would solve
- replies in the journal = whole or broken-off replies of the server = calls counted in the run's summary

    python bench/run_faults.py [--cases 2000] [--concurrency 50] [--seed 0]
"""

from __future__ import annotations

import argparse
import sqlite3
import sys
import tempfile
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import orjson
from commands import adjudge, ask, environment, read_lines, serving, write_cases
from faulty_server import Faults, write_faults
from overhead import cases, reply_body
from process_tree import measured

from adjudge.protocols.compare.case import Comparison

_UNREADABLE, _UNANSWERED = "Mind the unreadable one.", "Mind the unanswered one."
_PASSING = frozenset({"rate_limited", "server_error", "timeout", "connection"})


def planted(count: int) -> list[Comparison]:
    """Return cases of which two can never be judged: one in the middle, and one near the end."""
    made = cases(count)
    for at, mark in ((count // 2, _UNREADABLE), (count - 2, _UNANSWERED)):
        made[at] = made[at].updated(task=f"{made[at].task} {mark}")
    return made


def check(directory: Path, count: int, status: int, served: dict[str, Any]) -> tuple[list[str], Counter[str]]:
    """Return the claims that do not hold, and the reasons why cases failed."""
    wrong: list[str] = []

    def claim(text: str, holds: bool) -> None:
        if not holds:
            wrong.append(text)

    verdicts = Counter(line["position"] for line in read_lines(directory / "verdicts.jsonl"))
    failures: dict[int, dict[str, Any]] = {}
    for line in read_lines(directory / "failures.jsonl"):
        claim(f"two failures for case {line['position']}", line["position"] not in failures)
        claim(f"a failure without words: {line}", bool(line["reason"] and line["message"] and line["judge"]))
        failures[line["position"]] = line
    both = verdicts.keys() & failures.keys()
    open_cases = set(range(count)) - verdicts.keys() - failures.keys()
    claim(f"ended with status {status}, not 1", status == 1)
    claim(f"{len(both)} cases have both a verdict and a failure", not both)
    claim(f"{len(open_cases)} cases have neither a verdict nor a failure", not open_cases)
    claim("verdicts are doubled", max(verdicts.values(), default=0) <= 1)
    claim("verdicts + failures ≠ cases", verdicts.total() + len(failures) == count)
    for at, reason in ((count // 2, "malformed"), (count - 2, "server_error")):
        found = failures.pop(at, {"reason": "none"})["reason"]
        claim(f"case {at} should have failed as {reason}, not {found}", found == reason)
    passing = [line for line in failures.values() if line["reason"] in _PASSING]
    claim(f"{len(passing)} cases failed that another try would have saved: {passing[:1]}", not passing)
    summary = orjson.loads((directory / "summary.json").read_bytes())
    told = summary["verdicts"], summary["failures"], summary["open"]
    claim(f"summary.json says {told}", told == (verdicts.total(), count - verdicts.total(), 0))
    with closing(sqlite3.connect(directory / "journal.db")) as journal:
        ((replies,),) = journal.execute("select count(*) from replies")
        ((outcomes,),) = journal.execute("select count(*) from outcomes")
    given = served["done"]["good"] + served["done"].get("malformed", 0)
    claim(f"{replies} replies in the journal, {given} given", replies == given)
    claim(f"{summary['calls']} calls in the summary, {given} replies given", summary["calls"] == given)
    claim(f"{outcomes} outcomes in the journal", outcomes == count)
    return wrong, Counter(summary["reasons"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--concurrency", type=int, default=50)
    parser.add_argument("--delay", type=float, default=0.05, help="seconds until the server answers (default: 0.05)")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    if args.cases < 10:
        parser.error("--cases: at least 10")
    faults = Faults(
        seed=args.seed,
        malformed=0.05,
        errors=0.05,
        resets=0.02,
        every=max(50, args.cases // 4),
        burst=args.concurrency,
        always_malformed=_UNREADABLE,
        always_error=_UNANSWERED,
    )
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        write_cases(folder / "cases.jsonl", planted(args.cases))
        (folder / "reply.json").write_bytes(reply_body())
        told = write_faults(folder / "faults.json", faults)
        with serving("faulty_server.py", folder / "reply.json", args.delay, told) as port:
            done = measured(
                adjudge(
                    "run", "compare", folder / "cases.jsonl", "--run", folder / "run", "--one-order",
                    "--concurrency", args.concurrency, "--judge", f"http://127.0.0.1:{port}/v1#m",
                ),
                env=environment(), cwd=folder,
            )  # fmt: skip
            served = ask(port, "/stats")
        if not (folder / "run" / "summary.json").exists():
            sys.exit(f"the run ended with status {done.status} and no summary\n{done.said[-2000:]}")
        wrong, reasons = check(folder / "run", args.cases, done.status, served)
    what = Counter(served["done"])
    print(f"{served['requests']} requests for {args.cases} cases, {args.concurrency} at a time, in {done.wall:.1f} s:")
    print(
        f"  {what['good']} good replies, {what['malformed']} broken off, {what['error']} × HTTP 500, "
        f"{what['reset']} resets, {what['busy']} × HTTP 429"
    )
    failed = ", ".join(f"{reason} {count}" for reason, count in sorted(reasons.items()))
    print(f"  {args.cases - reasons.total()} verdicts + {reasons.total()} failures ({failed}) = {args.cases} cases")
    print(f"  {what['good'] + what['malformed']} replies given = replies in the journal = calls in the summary")
    if wrong:
        sys.exit("what does not hold:\n" + "\n".join(wrong) + f"\n{done.said[-2000:]}")


if __name__ == "__main__":
    main()
