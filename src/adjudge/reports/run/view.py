"""Builds the plain data that the page of a run shows: the finding, cautions, pictures, and the list of cases.

Both the report in a file and the service's page use it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import astuple, dataclass
from typing import Any

from ...errors import InputError
from ...models.figures import SIGNIFICANT, Figure
from ...protocols.table import Cells
from ...rendering.document import Picture, Section
from ...rendering.origin import EXPECTED, judge_note, not_applied
from ...rendering.wording import (
    headline,
    interval,
    listed,
    many,
    missing,
    p_is,
    percent_sure,
    rounded,
    rounded_percent,
    shown,
)
from ...results.columns import criteria
from ...results.columns import name as sql_name
from ...results.conduct import conduct_of
from ...results.database import Database
from ...results.leaderboard import Leaderboard, leaderboard_of
from ...results.run import Run
from ...results.summary import OUTCOME, Summary, grid_of, summary_of
from ...statistics.changes import same_chance
from .conduct import ConductView, view_conduct
from .leaderboard import leaderboard_sections, strength_cells
from .pictures import OUTCOMES, pictures

MOST_FAILURES = 50
_BATCH = 1_000
# The columns of the list and their headings. A column that is empty in the whole run is left out.
_COLUMNS: dict[str, dict[str, str]] = {
    "compare": {"difference": "A − B", "confidence": "Sure", "label": "Label", "system_a": "A by", "system_b": "B by"},
    "dialogue": {"average": "Average", "objections": "Objections", "changed": "Changed", "label": "Label"},
    "review": {"likert": "1 to 7", "kept": "Kept", "replaced": "Replaced", "filled": "Filled", "refused": "Refused"},
}
_HEADINGS = {"compare": "Winner", "dialogue": "Overall", "review": "Preferred"}
_SAID = {"failure": "failed", "invalid": "cannot be rated"}
_MOSTLY = 0.5
_NEVER = 2.0  # above any share, so that the caution is never heavy


@dataclass(frozen=True, slots=True)
class Headline:
    """The run's result in a title and a sentence or two. `tone` is the side that it favours, if any."""

    title: str
    sentence: str
    tone: str = ""


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
    said: str
    cases: int


@dataclass(frozen=True, slots=True)
class RunView:
    """A run without its cases. `outcomes` are those that occur; `columns` are the list's columns and headings."""

    protocol: str
    counted: str
    finding: Headline
    conduct: ConductView
    cautions: tuple[Caution, ...]
    notes: tuple[str, ...]
    facts: dict[str, str]
    pictures: tuple[Picture, ...]
    board: tuple[Section, ...]
    failures: tuple[tuple[int, str, str, str], ...]
    failed: int
    heading: str
    columns: dict[str, str]
    outcomes: tuple[OutcomeCount, ...]
    finished: int
    orders_disagree: int
    differing: int


@dataclass(frozen=True, slots=True)
class Line:
    """A case in the list: its outcome, its cells, and the page that shows it, if there is one."""

    position: int
    case: str
    opening: str
    page: str
    outcome: str
    said: str
    told: str
    cells: tuple[tuple[str, str, Any], ...]
    agrees: bool | None


def view_run(database: Database) -> tuple[RunView, Summary, Leaderboard | None]:
    """Build the view of the chosen rows. Return it with the summary and the leaderboard it is built from."""
    run, summary = database.run, summary_of(database)
    board = None
    with suppress(InputError):  # no systems are named, or nothing was decided
        board = leaderboard_of(database)
    failed = summary.statuses["failure"] + summary.statuses["skipped"]
    outcomes = {**dict(sorted(summary.outcomes.items())), "failed": failed}
    without_verdict = database.query(
        f"""select position, "case", coalesce(reason, 'skipped'), coalesce(message, '') from {database.chosen}
        where status <> 'verdict' order by position limit {MOST_FAILURES}"""
    )
    given = run.config.get("input") or {}
    named = summary.named_systems
    says = {"label": summary.labels, "system_a": named, "system_b": named, "confidence": summary.confident}
    conduct = conduct_of(database)
    view = RunView(
        protocol=run.protocol.name,
        counted=headline(summary),
        finding=_finding(run, summary, board),
        conduct=view_conduct(conduct),
        cautions=tuple(
            _ordered_cautions(summary, database.where, [it.trait for it in conduct.of("look_at", "not_fit")])
        ),
        notes=tuple(filter(None, [_calibrated(run, summary)])),
        facts={
            "Judge": listed(summary.judges, 4) or "–",
            "Rubric": run.rubric.reference,
            "Input": str(given.get("source") or "–"),
            "Started": str(run.config.get("created") or "–")[:16].replace("T", " "),
        },
        pictures=tuple(pictures(run, summary, board, grid_of(database))),
        board=leaderboard_sections(board) if board is not None else (),
        failures=tuple(without_verdict),
        failed=failed,
        heading=_HEADINGS[run.protocol.name],
        columns={name: heading for name, heading in _COLUMNS[run.protocol.name].items() if says.get(name, True)},
        outcomes=tuple(OutcomeCount(key, _word(run, key), count) for key, count in outcomes.items() if count),
        finished=summary.finished,
        orders_disagree=summary.orders_disagree,
        differing=summary.labelled - summary.labelled_undecided - summary.agreeing,
    )
    return view, summary, board


# -- the finding ------------------------------------------------------------------------------------------------------


def _finding(run: Run, summary: Summary, board: Leaderboard | None) -> Headline:
    """Return the main result of the run."""
    if not summary.verdicts:
        if summary.finished:
            return Headline("No verdict", f"None of {many(summary.finished, 'case')} has one.")
        return Headline("No verdict yet", "No case has an outcome yet.")
    if run.protocol.name == "dialogue":
        return _dialogue_finding(run, summary)
    if run.protocol.name == "review":
        return _review_finding(run, summary)
    decided = summary.verdicts - summary.undecided
    if summary.undecided >= _MOSTLY * summary.verdicts:
        won = f"A won {summary.outcomes['A']:,}, B {summary.outcomes['B']:,}"
        counted = f" Of these {won}, and {_ties(summary.outcomes['tie'])}." if decided else ""
        said = f"The judge decided {decided:,} of {many(summary.verdicts, 'comparison')}.{counted}"
        return Headline("Mostly undecided" if decided else "Undecided", said)
    if board is None:
        return _pair_finding(summary, "A", "B", *(summary.outcomes[name] for name in ("A", "tie", "B")))
    if len(board.standings) == 2:
        return _pair_finding(summary, *astuple(board.meetings[0]))
    first, second, *_ = board.standings
    shown = ["{} {} ({})".format(each.system, *strength_cells(each.raw)) for each in (first, second)]
    if board.groups > 1:
        return Headline(f"{first.system} leads its group", f"{' and '.join(shown)}; not all systems met.")
    ends = first.raw.interval, second.raw.interval
    if ends[0] and ends[1] and ends[0][0] > ends[1][1]:
        return Headline(f"{first.system} leads", f"Its interval lies above all others: {', '.join(shown)}.", "A")
    return Headline("No clear leader", f"The intervals of the strongest two overlap: {' and '.join(shown)} points.")


def _ties(count: int) -> str:
    return many(count, "was a tie", "were ties")


def _pair_finding(summary: Summary, first: str, second: str, wins: int, ties: int, losses: int) -> Headline:
    """Say who beats whom, if the difference is significant. Copies of a case count as one."""
    distinct = summary.different / summary.verdicts
    p = same_chance(round(wins * distinct), round(losses * distinct))
    of = many(wins + ties + losses, "decided comparison")
    counted = f"{first} won {wins:,} of {of}, {second} {losses:,}; {_ties(ties)} (p {p_is(p)})."
    if p >= SIGNIFICANT:
        return Headline("Too close to call", counted)
    title = f"{first} beats {second}" if wins > losses else f"{second} beats {first}"
    return Headline(title, counted, "A" if wins > losses else "B")


def _dialogue_finding(run: Run, summary: Summary) -> Headline:
    average = summary.means["average"]
    names = criteria(run)
    means = {names[name]: mean for name, mean in summary.means.items() if name in names}
    said = f"The mean over {many(average.cases, 'dialogue')}{_within(average)}."
    if len(means) > 1:
        best, worst = (pick(means, key=lambda name: means[name].value or 0.0) for pick in (max, min))
        high, low = (rounded(means[name].value, 0) for name in (best, worst))
        said += f" Strongest is {best} ({high}), weakest {worst} ({low})."
    before = summary.means.get("evaluator_average")
    if before is not None and abs((before.value or 0.0) - (average.value or 0.0)) >= 0.05:
        said += f" Before the Critic spoke it was {rounded(before.value, 1)}."
    return Headline(f"{rounded(average.value, 1)} of {rounded(float(run.rubric.scale.high), 0)}", said, "A")


def _review_finding(run: Run, summary: Summary) -> Headline:
    together: Counter[str] = sum(summary.corrections.values(), Counter())
    entered = together["kept"] + together["replaced"] + together["refused"]
    preferred = ", ".join(
        f"{name.lower() if key in ('tie', 'invalid') else name} in {summary.outcomes[key]:,}"
        for key, name in OUTCOMES["review"].items()
        if summary.outcomes[key]
    )
    reviews = f"Of {many(summary.verdicts, 'review')}: {preferred}."
    if summary.outcomes["invalid"] == summary.verdicts:
        return Headline("Nothing can be rated", f"None of {many(summary.verdicts, 'task')} can be rated.")
    if not entered:
        return Headline("Rated from scratch", f"No ratings had been entered. {reviews}")
    wrong = together["replaced"] + together["refused"]
    if not wrong:
        return Headline("All ratings kept", f"None of {many(entered, 'entered rating')} was replaced. {reviews}", "A")
    names = criteria(run) | {"likert": "the preference"}
    corrected = {name: counted["replaced"] + counted["refused"] for name, counted in summary.corrections.items()}
    most = max(corrected, key=lambda name: corrected[name])
    said = (
        f"{wrong:,} of {many(entered, 'entered rating')} were replaced or refused, most often {names.get(most, most)}."
    )
    return Headline(f"{rounded_percent(wrong / entered)} of ratings corrected", f"{said} {reviews}", "B")


# -- what to know before trusting it ----------------------------------------------------------------------------------


def _ordered_cautions(summary: Summary, where: str | None, said: Collection[str]) -> list[Caution]:
    """Return the cautions, heavy ones first, then notes on the judges and the filter, then the others. The sentence on
    the judge's conduct has `said` some of it."""
    found = sorted(_cautions(summary, where is not None, said), key=lambda each: (not each.heavy, -each.share))
    told = [*map(judge_note, summary.judges), "" if where is None else f"Only rows where {where}"]
    notes = [Caution(note, 0.0, True) for note in dict.fromkeys(filter(None, told))]
    return [*(each for each in found if each.heavy), *notes, *(each for each in found if not each.heavy)]


def _cautions(summary: Summary, chosen: bool, said: Collection[str]) -> Iterable[Caution]:
    cases, verdicts = max(summary.cases, 1), max(summary.verdicts, 1)

    def caution(text: str, count: int, of: int, heavy_from: float) -> Caution:
        # From the share `heavy_from` on, the caution is at the top of the report instead of the end.
        return Caution(text, count / of, count / of >= heavy_from)

    if (count := summary.orders_disagree) and "orders" not in said:
        share, of = rounded_percent(count / summary.both_orders), many(summary.both_orders, "case")
        text = f"{share} of orders disagree: in {count:,} of {of} the winner depends on which answer is shown first."
        yield caution(text, count, summary.both_orders, 0.1)
    if count := summary.undecided:
        of = f"in {count:,} of {many(verdicts, 'case')} the judge was not sure enough"
        text = f"{rounded_percent(count / verdicts)} undecided: {of}. These count neither as wins nor as ties."
        yield caution(text, count, verdicts, 0.2)
    for status, became in (("failure", "failed"), ("skipped", "could not be judged")):
        if count := summary.statuses[status]:
            verb = "is" if count == 1 else "are"
            yield caution(f"{many(count, 'case')} {became} and {verb} in no figure.", count, cases, 0.05)
    if late := missing(summary, chosen):
        yield caution(late, summary.unfinished, cases, 0.0)
    for code, count in summary.warnings.items():
        if code == "preference_follows_position" and "position" in said:
            continue
        text = f"Warning “{code.replace('_', ' ')}” in {count:,} of {many(summary.verdicts, 'verdict')}."
        yield caution(text, count, verdicts, 0.1 if code == "preference_follows_position" else _NEVER)
    if copies := summary.verdicts - summary.different:
        text = f"{many(copies, 'case is a copy', 'cases are copies')} of others; intervals count copies as one case."
        yield caution(text, copies, verdicts, _NEVER)


def _calibrated(run: Run, summary: Summary) -> str:
    """Say the mean of the calibrated numbers, or that the calibration is for another judge. "" without one."""
    if (kept := run.rubric.calibration) is None:
        return ""
    if (mean := summary.means.get("calibrated")) is None:
        return not_applied(kept.judge)
    said = EXPECTED[kept.what].format(f"{rounded(mean.value)}{_within(mean)} on average")
    return f"{said}, by the rubric’s calibration ({kept.map.kind}, {many(kept.cases, 'labelled case')}, {kept.date})."


def _within(mean: Figure) -> str:
    return f" (95 % interval {interval(mean.interval, lambda end: rounded(end, 1))})" if mean.interval else ""


# -- the list of cases -------------------------------------------------------------------------------------------------


def line_sql(database: Database, columns: Mapping[str, str]) -> tuple[tuple[str, ...], str]:
    """Return the column names for a line of the list, and a SQL query for them. The caller may append conditions and an
    order, in which `r` is the row and `c` the case."""
    own = ["position", "case", "status", "agrees", "reason", "message", *columns]
    own += ["invalid"] if database.run.protocol.name == "review" else []
    asked = ", ".join(f"r.{sql_name(each)}" for each in own)
    question = f"""select {asked}, {OUTCOME[database.run.protocol.name]} as outcome, c.opening
        from {database.chosen} as r join {database.schema}.cases as c on r.position = c.position"""
    return (*own, "outcome", "opening"), question


def lines_of(database: Database, columns: Mapping[str, str], page: Callable[[int], str]) -> Iterator[Line]:
    """Yield the whole list in the order of the input. `page` is called for the page of each case with a verdict."""
    names, question = line_sql(database, columns)
    found = database.cursor().execute(f"{question} order by r.position")
    while rows := found.fetchmany(_BATCH):
        for row in (dict(zip(names, cells, strict=True)) for cells in rows):
            own = page(row["position"]) if row["status"] == "verdict" else ""
            yield line_of(database.run, row, columns, own)


def line_of(run: Run, row: Cells, columns: Mapping[str, str], page: str) -> Line:
    """Build a line of the list from a row."""
    cells = []
    for name, heading in columns.items():
        value = row[name]
        text = f"{percent_sure(value)} %" if name == "confidence" and value is not None else shown(value)
        cells.append((heading, text, value))
    outcome, told, opening = row["outcome"] or "", "", row["opening"] or ""
    if row["status"] != "verdict":
        outcome, told = row["status"], row["message"] or "the row could not be judged"
        told = f"{row['reason']}: {told}" if row["reason"] else told
    elif row.get("invalid"):
        outcome, told = "invalid", row["invalid"]
    said = _word(run, outcome)
    return Line(row["position"], row["case"], opening, page, outcome, said, told, tuple(cells), row["agrees"])


def _word(run: Run, outcome: str) -> str:
    return (OUTCOMES["review"] | _SAID if run.protocol.name == "review" else _SAID).get(outcome, outcome)
