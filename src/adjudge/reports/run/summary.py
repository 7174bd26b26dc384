"""What a run found, in sentences: the finding, what to know before trusting it, and what its numbers are called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import astuple, dataclass

from ...results.leaderboard import Leaderboard
from ...results.run import Run
from ...results.statistics import SIGNIFICANT, same_chance
from ...results.summary import Mean, Summary, criteria
from ..origin import EXPECTED, judge_note, not_applied
from ..wording import interval, many, missing, p_is, rounded, rounded_percent
from .leaderboard import strength_cells

OUTCOMES = {
    "compare": {"A": "A wins", "B": "B wins", "tie": "Tie", "undecided": "Undecided"},
    "review": {"A": "Response 1", "B": "Response 2", "tie": "Neither", "invalid": "Cannot be rated"},
}
_MOSTLY = 0.5
_NEVER = 2.0  # a share that no caution reaches


@dataclass(frozen=True, slots=True)
class Headline:
    """The run's result in a few words and a sentence or two; `tone` is the side it speaks for, if any."""

    title: str
    sentence: str
    tone: str = ""


@dataclass(frozen=True, slots=True)
class Caution:
    """What a reader should know, and which share of the cases it is a fault of; `heavy` ones come first."""

    text: str
    share: float
    heavy: bool


# -- the finding ------------------------------------------------------------------------------------------------------


def finding(run: Run, summary: Summary, board: Leaderboard | None) -> Headline:
    """What the run says, first of all."""
    if not summary.verdicts:
        if summary.finished:
            return Headline("No verdict", f"None of {many(summary.finished, 'case')} has one.")
        return Headline("No verdict yet", "No case has an outcome yet.")
    if run.protocol == "dialogue":
        return _dialogue_finding(run, summary)
    if run.protocol == "review":
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
    if first.raw.low > second.raw.high:
        return Headline(f"{first.system} leads", f"Its interval lies above all others: {', '.join(shown)}.", "A")
    return Headline("No clear leader", f"The intervals of the strongest two overlap: {' and '.join(shown)} points.")


def _ties(count: int) -> str:
    return many(count, "was a tie", "were ties")


def _pair_finding(summary: Summary, first: str, second: str, wins: int, ties: int, losses: int) -> Headline:
    """Who beats whom, if chance alone would rarely bring such a difference; copies of a case count as one."""
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
    said = f"The mean over {many(average.count, 'dialogue')}{_within(average)}."
    if len(means) > 1:
        best, worst = (pick(means, key=lambda name: means[name].mean) for pick in (max, min))
        said += (
            f" Strongest is {best} ({rounded(means[best].mean, 0)}), weakest {worst} ({rounded(means[worst].mean, 0)})."
        )
    before = summary.means.get("evaluator_average")
    if before is not None and abs(before.mean - average.mean) >= 0.05:
        said += f" Before the Critic spoke it was {rounded(before.mean, 1)}."
    return Headline(f"{rounded(average.mean, 1)} of {rounded(float(run.rubric.scale.high), 0)}", said, "A")


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
        return Headline("All ratings stand", f"None of {many(entered, 'entered rating')} was replaced. {reviews}", "A")
    names = criteria(run) | {"likert": "the preference"}
    corrected = {name: counted["replaced"] + counted["refused"] for name, counted in summary.corrections.items()}
    most = max(corrected, key=lambda name: corrected[name])
    said = (
        f"{wrong:,} of {many(entered, 'entered rating')} were replaced or refused, most often {names.get(most, most)}."
    )
    return Headline(f"{rounded_percent(wrong / entered)} of ratings corrected", f"{said} {reviews}", "B")


# -- what to know before trusting it ----------------------------------------------------------------------------------


def cautions(summary: Summary, *, chosen: bool, condition: str = "") -> list[Caution]:
    """The heaviest first."""
    found = sorted(_cautions(summary, chosen), key=lambda each: (not each.heavy, -each.share))
    told = [*dict.fromkeys(filter(None, map(judge_note, summary.judges))), *filter(None, [condition])]
    notes = [Caution(note, 0.0, True) for note in told]
    return [*(each for each in found if each.heavy), *notes, *(each for each in found if not each.heavy)]


def _cautions(summary: Summary, chosen: bool) -> Iterable[Caution]:
    cases, verdicts = max(summary.cases, 1), max(summary.verdicts, 1)

    def caution(text: str, count: int, of: int, heavy_from: float) -> Caution:
        # From this share of the cases on, it stands at the head of the report and not at its end.
        return Caution(text, count / of, count / of >= heavy_from)

    if count := summary.orders_disagree:
        share, of = rounded_percent(count / summary.both_orders), many(summary.both_orders, "case")
        text = f"{share} of orders disagree: in {count:,} of {of} the winner depends on which answer stands first."
        yield caution(text, count, summary.both_orders, 0.1)
    if count := summary.undecided:
        of = f"in {count:,} of {many(verdicts, 'case')} the judge was not sure enough"
        text = f"{rounded_percent(count / verdicts)} undecided: {of}. These count neither as wins nor as ties."
        yield caution(text, count, verdicts, 0.2)
    for status, said in (("failure", "failed"), ("skipped", "could not be judged")):
        if count := summary.statuses[status]:
            verb = "is" if count == 1 else "are"
            yield caution(f"{many(count, 'case')} {said} and {verb} in no figure.", count, cases, 0.05)
    if late := missing(summary, chosen):
        yield caution(late, summary.unfinished, cases, 0.0)
    for code, count in summary.warnings.items():
        text = f"Warning “{code.replace('_', ' ')}” in {count:,} of {many(summary.verdicts, 'verdict')}."
        yield caution(text, count, verdicts, 0.1 if code == "preference_follows_position" else _NEVER)
    if copies := summary.verdicts - summary.different:
        text = f"{many(copies, 'case is a copy', 'cases are copies')} of others; intervals count copies as one case."
        yield caution(text, copies, verdicts, _NEVER)


def calibrated_sentence(run: Run, summary: Summary) -> str:
    """The mean of the calibrated numbers, or that the rubric's calibration is another judge's; empty without one."""
    if (kept := run.rubric.calibration) is None:
        return ""
    if (mean := summary.means.get("calibrated")) is None:
        return not_applied(kept.judge)
    said = EXPECTED[kept.what].format(f"{rounded(mean.mean)}{_within(mean)} on average")
    return f"{said}, by the rubric’s calibration ({kept.map.kind}, {many(kept.cases, 'labelled case')}, {kept.date})."


def _within(mean: Mean) -> str:
    return f" (95 % interval {interval(mean.interval, lambda end: rounded(end, 1))})" if mean.interval else ""
