"""Outcomes on their way into the run's files, and the sums over them.

The journal's database is the record; the files are its readable copy, and are made whole from it when a run goes on.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, BinaryIO

import orjson

from ..journal import Journal
from .directory import RunDirectory
from .judging import TRANSIENT, Outcome
from .lines import cut_unfinished, head_of, read_case, verdict_line, whole_lines


@dataclass(slots=True)
class Tally:
    """The sums: every case is in exactly one of verdicts and failures, or still open."""

    cases: int
    verdicts: int = 0
    failures: int = 0
    answers: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: Decimal = Decimal(0)
    unpriced: int = 0
    labelled: int = 0
    agreeing: int = 0

    @property
    def open(self) -> int:
        """Cases that have neither a verdict nor a failure yet."""
        return self.cases - self.verdicts - self.failures

    def add(self, outcome: Outcome, sign: int = 1) -> None:
        """Count an outcome in (or out again, when a failed case is to be tried once more)."""
        if outcome.status == "verdict":
            self.verdicts += sign
            self.answers[outcome.answer] += sign
            if outcome.label is not None:
                self.labelled += sign
                self.agreeing += sign * (outcome.answer == outcome.label)
        elif outcome.status == "failure":
            self.failures += sign
            self.reasons[outcome.answer] += sign
        else:
            return
        self.calls += sign * outcome.calls
        self.input_tokens += sign * outcome.input_tokens
        self.output_tokens += sign * outcome.output_tokens
        if outcome.cost is None:
            self.unpriced += sign * (outcome.calls > 0)
        else:
            self.cost += sign * Decimal(outcome.cost)

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
    for line in whole_lines(directory.verdicts):
        known = head_of(line)
        if known["position"] not in done:
            done.add(known["position"])
            tally.add(_verdict_of(known))
    for line in whole_lines(directory.failures):
        failed.add(orjson.loads(line)["position"])
    with directory.verdicts.open("ab") as verdicts, directory.failures.open("ab") as failures:
        lines = whole_lines(directory.cases)
        at, line = -1, b""
        for position, verdict_id, failure in journal.outcomes(run_id):
            while at < position:
                line, at = next(lines), at + 1
            if position in done:
                continue
            if verdict_id is None:
                known = orjson.loads(failure or b"{}")
                if position not in failed:
                    failures.write((failure or b"") + b"\n")
                if not retry and known["reason"] not in TRANSIENT:
                    done.add(position)
                    tally.add(_failure_of(known))
            elif (stored := journal.get_verdict(verdict_id)) is not None:
                made = orjson.loads(stored[1])
                again = verdict_line(read_case(line), verdict_id, answer_in(made), stored[1], _spent_in(made))
                verdicts.write(again + b"\n")
                done.add(position)
                tally.add(_verdict_of(head_of(again)))
    return tally, done


def _spent_in(verdict: dict[str, Any]) -> dict[str, Any]:
    cost = verdict["cost_usd"]
    return {
        "calls": len(verdict["calls"]),
        "input_tokens": verdict["usage"]["input_tokens"],
        "output_tokens": verdict["usage"]["output_tokens"],
        "cost": None if cost is None else format(Decimal(str(cost)), "f"),
    }


def _failure_of(known: dict[str, Any]) -> Outcome:
    return Outcome(
        known["position"], "failure", known["reason"], known["label"], known["calls"], known["input_tokens"],
        known["output_tokens"], known["cost"], b"",
    )  # fmt: skip


def _verdict_of(known: dict[str, Any]) -> Outcome:
    return Outcome(
        known["position"], "verdict", known["answer"], known["label"], known["calls"],
        known["input_tokens"], known["output_tokens"], known["cost"], b"",
    )  # fmt: skip


def answer_in(verdict: dict[str, Any]) -> str:
    """The one word of a stored verdict, as `judging.answer_of` says it of a new one."""
    if "evaluation" in verdict:
        return str(verdict["evaluation"]["winner"])
    if "output" in verdict:
        return str(verdict["output"]["referee_final"]["OverallExperience"])
    likert = verdict.get("final_likert_and_justification")
    return "invalid" if likert is None else str(likert["likert"])
