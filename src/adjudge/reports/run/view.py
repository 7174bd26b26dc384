"""Builds the plain data that the page of a run shows: the finding, cautions, pictures, and the list of cases.

Both the report in a file and the service's page use it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ...protocols.origin import expected, judge_note, not_applied
from ...protocols.table import Cells
from ...rendering.document import Picture
from ...rendering.wording import headline, listed, many, missing, percent_sure, rounded, rounded_percent, shown, signed
from ...results.columns import name as sql_name
from ...results.conduct import conduct_of
from ...results.database import Database
from ...results.run import Run
from ...results.summary import Summary, grid_of, summary_of
from ...results.traits import TRAITS
from .conduct import ConductView, view_conduct
from .pictures import RunFigures, arranged, grid, spent
from .report import FoundPart, Headline, ReportPart, RunReport, within

MOST_FAILURES = 50
_MOST_WHYS = 4
_NEVER = 2.0  # above any share, so that the caution is never heavy


@dataclass(frozen=True, slots=True)
class Caution:
    """What a reader should know, and the share of the cases that it affects. `heavy` ones come first."""

    text: str
    share: float
    heavy: bool


@dataclass(frozen=True, slots=True)
class OutcomeCount:
    """An outcome, its name for readers, and how many cases have it."""

    outcome: str
    word: str
    cases: int


@dataclass(frozen=True, slots=True)
class RunView:
    """A run without its cases. `outcomes` are those that occur; `columns` are the list's columns and headings.
    `blocked` counts what kept verdicts from being decided, the most frequent first."""

    protocol: str
    counted: str
    finding: Headline
    found: tuple[FoundPart, ...]
    conduct: ConductView
    cautions: tuple[Caution, ...]
    notes: tuple[str, ...]
    facts: dict[str, str]
    pictures: tuple[Picture, ...]
    parts: tuple[ReportPart, ...]
    failures: tuple[tuple[int, str, str, str], ...]
    failed: int
    heading: str
    columns: dict[str, str]
    outcomes: tuple[OutcomeCount, ...]
    blocked: tuple[tuple[str, int], ...]
    finished: int
    orders_disagree: int
    differing: int


@dataclass(frozen=True, slots=True)
class Line:
    """A case in the list: its outcome, which a `word` names, its cells, and the page that shows it, if there is one. If
    there is an `explanation`, it is shown instead of the cells."""

    position: int
    case: str
    opening: str
    page: str
    outcome: str
    tone: str
    word: str
    explanation: str
    cells: tuple[tuple[str, str, Any], ...]
    agrees: bool | None


def view_run(database: Database) -> tuple[RunView, Summary, Mapping[str, tuple[int, int, int]]]:
    """Build the view of the chosen rows. Return it with the summary that it is built from, and with how often each
    system won, tied and lost."""
    run, summary = database.run, summary_of(database)
    table, report = run.protocol.table, run.protocol.run_report() or RunReport()
    figures = RunFigures(run, summary, grid_of(database), report.own(database))
    failed = summary.statuses["failure"] + summary.statuses["skipped"]
    # As text, 100 would come before 20.
    order = sorted(summary.outcomes, key=None if table.outcome.classes else table.outcome.rank)
    outcomes = {**{key: summary.outcomes[key] for key in order}, "failed": failed}
    without_verdict = database.query(
        f"""select position, "case", coalesce(reason, 'skipped'), coalesce(message, '') from {database.chosen}
        where status <> 'verdict' order by position limit {MOST_FAILURES}"""
    )
    given = run.config.get("input") or {}
    conduct = conduct_of(database)
    if summary.verdicts:
        finding = report.finding(figures)
    elif summary.finished:
        finding = Headline("No verdict", f"None of {many(summary.finished, 'case')} has one.")
    else:
        finding = Headline("No verdict yet", "No case has an outcome yet.")
    drawn = (*report.pictures, grid, spent) if summary.verdicts else ()
    view = RunView(
        protocol=run.protocol.name,
        counted=headline(summary),
        finding=finding,
        conduct=view_conduct(conduct),
        cautions=tuple(
            _ordered_cautions(figures, database.where, [it.trait for it in conduct.of("look_at", "not_fit")])
        ),
        notes=tuple(filter(None, [_calibrated(run, summary)])),
        facts={
            "Judge": listed(summary.judges, 4) or "–",
            "Rubric": run.rubric.reference,
            "Input": str(given.get("source") or "–"),
            "Started": str(run.config.get("created") or "–")[:16].replace("T", " "),
        },
        pictures=arranged(draw(figures) for draw in drawn),
        parts=report.parts(figures),
        failures=tuple(without_verdict),
        failed=failed,
        heading=table.outcome.heading,
        columns={each.name: each.heading for each in table.listed if each.name not in summary.empty},
        found=(
            *(report.found(figures) if summary.verdicts else ()),
            *([FoundPart("failed", failed, "bad", {"outcome": "failed"})] if failed else []),
        ),
        outcomes=tuple(OutcomeCount(key, table.outcome.word(key), count) for key, count in outcomes.items() if count),
        blocked=tuple(summary.blocked.most_common()),
        finished=summary.finished,
        orders_disagree=summary.orders_disagree,
        differing=summary.labelled - summary.labelled_undecided - summary.agreeing,
    )
    return view, summary, report.systems(figures)


# -- what to know before trusting it ----------------------------------------------------------------------------------


def _ordered_cautions(figures: RunFigures, where: str | None, mentioned: Collection[str]) -> list[Caution]:
    """Return the cautions, heavy ones first, then notes on the judges and the filter, then the others. The sentence on
    the judge's conduct has `mentioned` some of it."""
    found = sorted(_cautions(figures, where is not None, mentioned), key=lambda each: (not each.heavy, -each.share))
    texts = [*map(judge_note, figures.summary.judges), "" if where is None else f"Only rows where {where}"]
    notes = [Caution(note, 0.0, True) for note in dict.fromkeys(filter(None, texts))]
    return [*(each for each in found if each.heavy), *notes, *(each for each in found if not each.heavy)]


def _cautions(figures: RunFigures, chosen: bool, mentioned: Collection[str]) -> Iterable[Caution]:
    summary, outcome = figures.summary, figures.table.outcome
    cases, verdicts = max(summary.cases, 1), max(summary.verdicts, 1)

    def caution(text: str, count: int, of: int, heavy_from: float) -> Caution:
        # From the share `heavy_from` on, the caution is at the top of the report instead of the end.
        return Caution(text, count / of, count / of >= heavy_from)

    if (count := summary.orders_disagree) and "orders" not in mentioned:
        share, of = rounded_percent(count / summary.both_orders), many(summary.both_orders, "case")
        text = f"{share} of orders disagree: in {count:,} of {of} the winner depends on which answer is shown first."
        yield caution(text, count, summary.both_orders, 0.1)
    if count := summary.undecided:
        why = outcome.why_undecided
        if len(summary.blocked) > 1:
            why = ", ".join(f"{words} ({cases:,})" for words, cases in summary.blocked.most_common(_MOST_WHYS))
        of = f"in {count:,} of {many(verdicts, 'case')} {why}"
        text = f"{rounded_percent(count / verdicts)} undecided: {of}. These count {outcome.undecided_count}."
        yield caution(text, count, verdicts, 0.2)
    for status, became in (("failure", "failed"), ("skipped", "could not be judged")):
        if count := summary.statuses[status]:
            verb = "is" if count == 1 else "are"
            yield caution(f"{many(count, 'case')} {became} and {verb} in no figure.", count, cases, 0.05)
    if late := missing(summary, chosen):
        yield caution(late, summary.unfinished, cases, 0.0)
    for code, count in summary.warnings.items():
        trait = next((trait.key for trait in TRAITS.values() if trait.warning == code), None)
        if trait in mentioned:
            continue
        text = f"Warning “{code.replace('_', ' ')}” in {count:,} of {many(summary.verdicts, 'verdict')}."
        yield caution(text, count, verdicts, 0.1 if trait else _NEVER)
    if copies := summary.verdicts - summary.different:
        text = f"{many(copies, 'case is a copy', 'cases are copies')} of others; intervals count copies as one case."
        yield caution(text, copies, verdicts, _NEVER)
    if (alike := summary.different - summary.tasks) > 0:
        text = f"The cases are of {many(summary.tasks, 'task')}; intervals allow for cases of one task being alike."
        yield caution(text, alike, verdicts, _NEVER)


def _calibrated(run: Run, summary: Summary) -> str:
    """Say the mean of the calibrated numbers, or that the calibration is for another judge. "" without one."""
    if (saved := run.rubric.calibration) is None:
        return ""
    if (mean := summary.means.get("calibrated")) is None:
        return not_applied(saved.judge)
    sentence = expected(run.protocol, f"{rounded(mean.value)}{within(mean)} on average")
    learned = f"{saved.map.kind}, {many(saved.cases, 'labelled case')}, {saved.date}"
    return f"{sentence}, by the rubric’s calibration ({learned})."


# -- the list of cases -------------------------------------------------------------------------------------------------


def line_sql(database: Database, columns: Mapping[str, str]) -> tuple[tuple[str, ...], str]:
    """Return the column names for a line of the list, and a SQL query for them. The caller may append conditions and an
    order, in which `r` is the row and `c` the case."""
    outcome = database.run.protocol.table.outcome
    own = ["position", "case", "status", "agrees", "reason", "message", *columns]
    asked = ", ".join(f"r.{sql_name(each)}" for each in own)
    why = f"r.{sql_name(outcome.reason)}" if outcome.reason else "null"
    question = f"""select {asked}, {outcome.sql} as outcome, {why} as why, c.opening
        from {database.chosen} as r join {database.schema}.cases as c on r.position = c.position"""
    return (*own, "outcome", "why", "opening"), question


def lines_of(database: Database, columns: Mapping[str, str], page: Callable[[int], str]) -> Iterator[Line]:
    """Yield the whole list in the order of the input. `page` is called for the page of each case with a verdict."""
    names, question = line_sql(database, columns)
    for cells in database.stream(f"{question} order by r.position"):
        row = dict(zip(names, cells, strict=True))
        yield line_of(database.run, row, columns, page(row["position"]) if row["status"] == "verdict" else "")


def line_of(run: Run, row: Cells, columns: Mapping[str, str], page: str) -> Line:
    """Build a line of the list from a row."""
    known, cells = run.protocol.table, []
    shares = {each.name for each in known.listed if each.probability}
    with_sign = {each.name for each in known.listed if each.signed}
    for name, heading in columns.items():
        value = row[name]
        # Two decimals are enough in a list; the page of a case has the exact number.
        text = shown(round(value, 2) if isinstance(value, float) else value)
        text = f"{percent_sure(value)} %" if name in shares and value is not None else text
        text = signed(value, 1) if name in with_sign and value is not None else text
        cells.append((heading, text, value))
    outcome, explanation = row["outcome"] or "", row["why"] or ""
    if row["status"] != "verdict":
        message = row["message"] or "the row could not be judged"
        outcome, explanation = row["status"], f"{row['reason']}: {message}" if row["reason"] else message
    return Line(
        position=row["position"],
        case=row["case"],
        opening=row["opening"] or "",
        page=page,
        outcome=outcome,
        tone=known.outcome.tone(outcome) if row["status"] == "verdict" and outcome else "",
        word="failed" if outcome == "failure" else known.outcome.word(outcome),
        explanation=explanation,
        cells=tuple(cells),
        agrees=row["agrees"],
    )
