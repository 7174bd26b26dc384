"""Outcomes on their way into the run's files, and the sums over them.

The journal's database is the record; the files are its readable copy, and are made whole from it when a run goes on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from ..engine import verdict_of
from ..errors import InputError
from ..journal import Journal
from ..models.rows import row_of
from .directory import RunDirectory
from .judging import TRANSIENT, Outcome, answer_of
from .lines import cut_unfinished, head_of, read_case, spent_by, verdict_line, whole_lines


@dataclass(slots=True)
class Tally:
    """The sums: every case is in exactly one of verdicts and failures, or still open.

    `cost` is what the replies behind the outcomes cost, `paid` what was paid for this run: a reply that was already in
    the journal is in the first only, one behind a case that was tried again or left in the second only.
    """

    cases: int
    verdicts: int = 0
    failures: int = 0
    answers: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: Decimal = Decimal(0)
    paid: Decimal = Decimal(0)
    unpriced: int = 0
    labelled: int = 0
    agreeing: int = 0

    @property
    def open(self) -> int:
        """Cases that have neither a verdict nor a failure yet."""
        return self.cases - self.verdicts - self.failures

    def add(self, outcome: Outcome) -> None:
        """Count an outcome in."""
        self.paid += Decimal(outcome.paid or 0)
        if outcome.status == "verdict":
            self.verdicts += 1
            self.answers[outcome.answer] += 1
            if outcome.label is not None:
                self.labelled += 1
                self.agreeing += outcome.answer == outcome.label
        elif outcome.status == "failure":
            self.failures += 1
            self.reasons[outcome.answer] += 1
        else:
            return
        self.calls += outcome.calls
        self.input_tokens += outcome.input_tokens
        self.output_tokens += outcome.output_tokens
        if outcome.cost is None:
            self.unpriced += outcome.calls > 0
        else:
            self.cost += Decimal(outcome.cost)

    def as_json(self) -> dict[str, Any]:
        """For `summary.json`."""
        return {
            "cases": self.cases,
            "verdicts": self.verdicts,
            "failures": self.failures,
            "open": self.open,
            "answers": {answer: count for answer, count in sorted(self.answers.items()) if count},
            "reasons": {reason: count for reason, count in sorted(self.reasons.items()) if count},
            "calls": self.calls,
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "cost_usd": format(self.cost, "f"),
            "paid_usd": format(self.paid, "f"),
            "cases_without_a_price": self.unpriced,
            "agreement": {"labelled": self.labelled, "agreeing": self.agreeing} if self.labelled else None,
        }


class Done:
    """Which positions need no more work: one bit a case, so that a million of them fit anywhere."""

    def __init__(self, cases: int) -> None:
        self._bits = bytearray((cases + 7) // 8)

    def __contains__(self, position: int) -> bool:
        return bool(self._bits[position >> 3] & (1 << (position & 7)))

    def add(self, position: int) -> None:
        """This one is done."""
        self._bits[position >> 3] |= 1 << (position & 7)


class Ledger:
    """The open files of a run at work."""

    def __init__(self, directory: RunDirectory, tally: Tally) -> None:
        self._directory = directory
        self.tally = tally
        self._verdicts: BinaryIO = directory.verdicts.open("ab")
        self._failures: BinaryIO = directory.failures.open("ab")

    def write(self, outcome: Outcome) -> None:
        """One more outcome: its line, and its part in the sums."""
        self.tally.add(outcome)
        if outcome.status == "verdict":
            self._verdicts.write(outcome.line + b"\n")
        elif outcome.status == "failure":
            self._failures.write(outcome.line + b"\n")

    def flush(self) -> None:
        """Let readers see what was written."""
        self._verdicts.flush()
        self._failures.flush()

    def close(self) -> None:
        self._verdicts.close()
        self._failures.close()


def take_stock(
    directory: RunDirectory, journal: Journal, run_id: str, cases: int, *, retry: bool
) -> tuple[Tally, Done]:
    """Where a run stands: its files made whole from the database, its sums, and what need not be done again.

    A case that failed for a passing reason is to be tried again, with `retry` any failed case; it counts as open.
    """
    tally, done, failed = Tally(cases), Done(cases), Done(cases)
    cut_unfinished(directory.verdicts)
    cut_unfinished(directory.failures)
    for known in _mended(directory.verdicts, head_of):
        if known["position"] not in done:
            done.add(known["position"])
            tally.add(_verdict_of(known))
    for known in _mended(directory.failures, orjson.loads):
        failed.add(known["position"])
        tally.paid += Decimal(known["paid"] or 0)
    with directory.verdicts.open("ab") as verdicts, directory.failures.open("ab") as failures:
        lines = whole_lines(directory.cases)
        at, line = -1, b""
        for position, verdict_id, failure in journal.outcomes(run_id):
            while at < position:
                line, at = next(lines, b""), at + 1
            if not line:
                found = f"ends before case {position + 1:,}, which has an outcome"
                raise InputError(str(directory.cases), found, "the file as the run wrote it")
            if position in done:
                continue
            if verdict_id is None:
                known = orjson.loads(failure or b"{}")
                if position not in failed:
                    failures.write((failure or b"") + b"\n")
                if not retry and known["reason"] not in TRANSIENT:
                    done.add(position)
                    tally.add(_failure_of(known)._replace(paid=None if position in failed else known["paid"]))
            elif (stored := journal.get_verdict(verdict_id)) is not None:
                made, known_case = verdict_of(*stored), read_case(line)
                answer, row = answer_of(made), row_of(made, known_case.label)
                again = verdict_line(known_case, verdict_id, answer, stored[1], spent_by(made.calls), row)
                verdicts.write(again + b"\n")
                done.add(position)
                tally.add(_verdict_of(head_of(again)))
    tally.paid = max(tally.paid, _paid_before(directory))
    return tally, done


def _mended(path: Path, read: Callable[[bytes], dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """What the lines of a file say; lines that nobody can read (after a power cut, say) are taken out of it.

    They are made anew from the journal.
    """
    broken = 0
    for line in whole_lines(path):
        try:
            known = read(line)
            _ = known["position"], known["paid"]
        except (ValueError, KeyError, TypeError):
            broken += 1
            continue
        yield known
    if broken:
        aside = path.with_name(f".{path.name}.new")
        with aside.open("wb") as file:
            for line in whole_lines(path):
                with suppress(ValueError, KeyError, TypeError):
                    _ = read(line)["position"]
                    file.write(line)
        aside.replace(path)


def _paid_before(directory: RunDirectory) -> Decimal:
    """What the last session had paid when it ended: more than the files say if it left cases half judged."""
    try:
        return Decimal(orjson.loads(directory.summary.read_bytes())["paid_usd"])
    except (OSError, ValueError, KeyError, TypeError, ArithmeticError):
        return Decimal(0)


def _failure_of(known: dict[str, Any]) -> Outcome:
    return Outcome(
        known["position"], "failure", known["reason"], known["label"], known["calls"], known["input_tokens"],
        known["output_tokens"], known["cost"], known["paid"], b"",
    )  # fmt: skip


def _verdict_of(known: dict[str, Any]) -> Outcome:
    return Outcome(
        known["position"], "verdict", known["answer"], known["label"], known["calls"],
        known["input_tokens"], known["output_tokens"], known["cost"], known["paid"], b"",
    )  # fmt: skip
