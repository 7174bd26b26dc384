"""The state of a run: which cases are done, which are open, and the totals.

The journal alone says what is done. `verdicts.jsonl` and `failures.jsonl` are its readable copy: loading the state
writes them anew, whatever was in them.
"""

from __future__ import annotations

import hashlib
from collections import Counter, deque
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any, BinaryIO

import orjson

from ..engine import verdict_of
from ..errors import AdjudgeError, InputError, JournalError, plain_reason
from ..files import open_private, replacing
from ..journal import Journal, RunCalls, masked, open_journal
from ..judges.budget import LargestReply, SeenReplies
from .create import in_order, journal_name
from .directory import RunDirectory, count_deaths, position_of, read_case, read_whole, with_verdict, write_whole
from .job import TRANSIENT, Outcome, Status, outcome_of
from .plan import Plan

_SUSPECT = 3  # deaths of the process in a row with the same case in flight
LATEST = 6  # outcomes that a display of the progress may show


@dataclass(slots=True)
class Tally:
    """The totals: every case is in exactly one of verdicts and failures, or still open.

    `answers` counts decided verdicts; for the `undecided` ones the judge was too unsure to decide. Calls, tokens and
    `cost` are of the replies that the run has used, each counted once, also those of failures that were retried. `sent`
    and `paid` are of those that the run itself asked for: the others were in the journal before it. While cases are
    judged, these are sums over the outcomes; `recount` corrects them from the journal.
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
    sent: int = 0
    unpriced: int = 0
    labelled: int = 0
    agreeing: int = 0
    undecided: int = 0
    undecided_labelled: int = 0
    retrying: int = 0  # failures that are to be tried again; until then they count as failures

    @property
    def done(self) -> int:
        """Cases that have a verdict, or a failure that is not tried again."""
        return self.verdicts + self.failures - self.retrying

    @property
    def open(self) -> int:
        """Cases that have neither a verdict nor a failure."""
        return self.cases - self.verdicts - self.failures

    def recount(self, used: RunCalls) -> None:
        """Take over what the journal says of the run's calls."""
        self.calls, self.input_tokens, self.output_tokens = used.calls, used.input_tokens, used.output_tokens
        self.cost, self.paid, self.sent = used.cost, used.paid, used.sent

    def add(self, outcome: Outcome, replaced: Outcome | None = None) -> None:
        """Add an outcome to the totals. `replaced` is the failure that it replaces, if it does."""
        self.paid += Decimal(outcome.paid or 0)
        if replaced is not None and outcome.status != "left":
            self.failures -= 1
            self.retrying -= 1
            self.reasons[replaced.answer] -= 1
            self.unpriced -= replaced.cost is None and replaced.calls > 0
        if outcome.status == "verdict":
            self.verdicts += 1
            if outcome.decided:
                self.answers[outcome.answer] += 1
            else:
                self.undecided += 1
            if outcome.agrees is not None:
                self.labelled += 1
                self.agreeing += outcome.agrees
                self.undecided_labelled += not outcome.decided
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
        """Return the totals for `summary.json`."""
        agreement = {"labelled": self.labelled, "agreeing": self.agreeing, "undecided": self.undecided_labelled}
        return {
            **{name: getattr(self, name) for name in ("cases", "verdicts", "failures", "open")},
            "answers": {answer: count for answer, count in sorted(self.answers.items()) if count},
            "undecided": self.undecided,
            "reasons": {reason: count for reason, count in sorted(self.reasons.items()) if count},
            **{name: getattr(self, name) for name in ("calls", "input_tokens", "output_tokens")},
            "cost_usd": format(self.cost, "f"),
            "paid_usd": format(self.paid, "f"),
            "cases_without_a_price": self.unpriced,
            "agreement": agreement if self.labelled else None,
        }


class OutcomeFiles:
    """The open output files of a run in progress."""

    def __init__(self, state: RunState) -> None:
        self._state = state
        self._replaced = False  # whether a case has an outcome now whose old failure is still in the file
        self._verdicts: BinaryIO = open_private(state.directory.verdicts, "ab")
        self._failures: BinaryIO = open_private(state.directory.failures, "ab")

    def write(self, outcome: Outcome) -> None:
        """Write an outcome's line and add it to the totals."""
        failed = self._state.failed
        self._state.tally.add(outcome, failed.get(outcome.position))
        if outcome.status != "left":
            self._replaced |= failed.pop(outcome.position, None) is not None
            (self._verdicts if outcome.status == "verdict" else self._failures).write(outcome.line + b"\n")
            self._state.latest.append(outcome)

    def flush(self) -> None:
        """Make written lines visible to readers."""
        self._verdicts.flush()
        self._failures.flush()

    def close(self) -> None:
        """Close the files, and write the failures anew if some of them have been replaced."""
        self._verdicts.close()
        self._failures.close()
        if self._replaced:
            with self._state.opened_journal() as journal, replacing(self._state.directory.failures) as file:
                outcomes = journal.outcomes(self._state.plan.run_id)
                file.writelines(failure + b"\n" for _, _, failure in outcomes if failure is not None)


@dataclass(slots=True)
class RunState:
    """The state of a run: its plan, what is done (one byte per position), and how many of the wanted cases are open.

    `suspects` are the ids of cases that were in flight each of the last three times the process died. `attempts` says
    how often to ask again about cases whose stored replies are unusable. `seen` records how large the replies were.
    `failed` holds, by position, the failures that are to be tried again, `latest` the last outcomes of this session.
    """

    directory: RunDirectory
    config: Mapping[str, Any]
    plan: Plan
    journal: str
    tally: Tally
    done: bytearray
    limit: int | None
    seen: SeenReplies
    open: int = 0
    attempts: dict[int, int] = field(default_factory=dict)
    failed: dict[int, Outcome] = field(default_factory=dict)
    suspects: tuple[str, ...] = ()
    conduct: dict[str, Any] | None = None
    latest: deque[Outcome] = field(default_factory=lambda: deque(maxlen=LATEST))

    def lines(self) -> Iterator[bytes]:
        """Return the lines of the cases wanted in this session."""
        cases = self.config["input"]["cases"]
        return in_order(self.directory.cases, cases, shuffle=self.config["shuffle"], limit=self.limit)

    def opened_journal(self) -> closing[Journal]:
        """Open the run's journal, to be closed at the end of the block."""
        return closing(open_journal(self.journal))

    def recount(self) -> None:
        """Correct the totals of calls from the journal."""
        with self.opened_journal() as journal:
            self.tally.recount(journal.calls_of(self.plan.run_id))

    def measure_conduct(self) -> None:
        """Measure how the judge has behaved so far. A run whose table cannot be read has no figures of it."""
        from ..reports.run.conduct import conduct_sentence
        from ..results.conduct import conduct_of
        from ..results.database import opened
        from ..results.run import open_run

        self.conduct = None
        with suppress(AdjudgeError), opened(open_run(self.directory.path)) as database:
            found = conduct_of(database)
            self.conduct = {"sentence": conduct_sentence(found), **found.as_json()}

    def write_summary(self, stopped_by: str = "") -> None:
        """Write the totals to `summary.json`."""
        summary = {
            "run_id": self.plan.run_id,
            "protocol": self.plan.protocol,
            "judges": self.plan.judges,
            "ended": datetime.now(UTC).isoformat(timespec="seconds"),
            "stopped_by": stopped_by or None,
            "conduct": self.conduct,
            **self.tally.as_json(),
            "largest_replies": [
                {
                    "judge": judge,
                    "reply": reply,
                    "replies": largest.replies,
                    "output_tokens": largest.output,
                    "input_tokens_per_byte": str(largest.per_byte),
                }
                for (judge, reply), largest in sorted(self.seen.roles.items())
            ],
        }
        write_whole(self.directory.summary, orjson.dumps(summary, option=orjson.OPT_INDENT_2))


def load_state(
    directory: RunDirectory, *, limit: int | None = None, retry: bool = False, journal_at: str | None = None
) -> RunState:
    """Write the run's files from the journal, and return what is done and what is open."""
    config = directory.read()
    if journal_at is not None and journal_name(journal_at) != config["journal"]:
        found = f"the run keeps its replies in {config['journal']}"
        raise InputError("--journal", found, "omit it, or begin a new run")
    if not directory.cases.exists():
        raise InputError(str(directory.cases), "is missing", "restore the file that the run wrote")
    with directory.cases.open("rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != config["digest"]:
            raise InputError(str(directory.cases), "has changed since the run began", "restore the file it wrote")
    where, cases, seen = journal_at or directory.journal(config), config["input"]["cases"], _seen_before(directory)
    state = RunState(directory, config, directory.plan(), where, Tally(cases), bytearray(cases), limit, seen)
    try:
        with state.opened_journal() as journal:
            if config.get("begun") and journal.get_run(state.plan.run_id) is None:
                found = f"knows nothing of the run in {directory.path}"
                allowed = "restore the journal; what the run's files hold can still be shown and exported"
                raise InputError(masked(where), found, allowed)
            write_files(state, journal, retry=retry)
        deaths = count_deaths(directory)
    except OSError as error:
        path = error.filename or directory.path
        raise JournalError(f"{path}: the run's files cannot be brought up to date: {plain_reason(error)}") from None
    suspected = {position for position, count in deaths.items() if count >= _SUSPECT and not state.done[position]}
    if suspected:
        with directory.cases.open("rb") as lines:
            state.suspects = tuple(read_case(line).case_id for line in lines if position_of(line) in suspected)
    state.open = sum(not state.done[position_of(line)] for line in state.lines()) if limit else state.done.count(0)
    return state


def write_files(state: RunState, journal: Journal, *, retry: bool) -> None:
    """Write `verdicts.jsonl` and `failures.jsonl` from the journal, and fill in the totals and what is done.

    A case that failed for a transient reason is to be tried again, and with `retry` any failed case.
    """
    tally = state.tally
    with (
        state.directory.cases.open("rb") as cases,
        replacing(state.directory.verdicts) as verdicts,
        replacing(state.directory.failures) as failures,
    ):
        for position, verdict_id, line, verdict in journal.run_lines(state.plan.run_id):
            if verdict_id is None:
                outcome = _outcome("failure", line or b"")
                failures.write(outcome.line + b"\n")
                lasting = outcome.answer not in TRANSIENT
                if retry or not lasting:
                    state.failed[position] = outcome._replace(line=b"")
                    tally.retrying += 1
                    if attempt := orjson.loads(outcome.line)["attempt"] + lasting:
                        state.attempts[position] = attempt
                state.done[position] = lasting and not retry
            elif verdict is None:
                continue  # deleted from the journal: judged again, from the stored replies
            elif line is None:  # stored by an earlier version; lines of cases are in the order of positions, too
                stored = journal.get_verdict(verdict_id)
                assert stored is not None
                case = next(given for given in cases if position_of(given) == position)
                outcome = outcome_of(read_case(case), verdict_of(*stored), stored[1])
                verdicts.write(outcome.line + b"\n")
                state.done[position] = True
            else:
                outcome = _outcome("verdict", line, with_verdict(line, verdict))
                verdicts.write(outcome.line + b"\n")
                state.done[position] = True
            tally.add(outcome)
    tally.recount(journal.calls_of(state.plan.run_id))


def _seen_before(directory: RunDirectory) -> SeenReplies:
    """Read the reply sizes that the last session recorded in its summary."""
    roles = {}
    with suppress(ValueError, KeyError, TypeError, ArithmeticError):
        for known in read_whole(directory.summary)["largest_replies"]:
            per_byte = Fraction(known["input_tokens_per_byte"])
            largest = LargestReply(int(known["replies"]), int(known["output_tokens"]), per_byte)
            roles[known["judge"], known["reply"]] = largest
    return SeenReplies(roles)


def _outcome(status: Status, stored: bytes, line: bytes | None = None) -> Outcome:
    """Build an outcome from what its line says beside the verdict."""
    known = orjson.loads(stored)
    row, answer = known.get("row", {}), known["answer" if status == "verdict" else "reason"]
    return Outcome(
        known["position"], status, answer, row.get("decided", True), row.get("agrees"), known["calls"],
        known["input_tokens"], known["output_tokens"], known["cost"], known["paid"], stored if line is None else line,
    )  # fmt: skip
