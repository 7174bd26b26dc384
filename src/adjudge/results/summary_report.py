"""A run's summary as a report for people: what came of the cases, who won, what people say, what it cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from ..reports.wording import dollars
from .directory import Run
from .documents import Grid, Section
from .summary import Counts, Summary
from .wording import listed, many, number, percent

_WINNERS = {
    "compare": {"A": "A wins", "B": "B wins", "tie": "Tie"},
    "review": {"A": "Response 1", "B": "Response 2", "tie": "Neither"},
}


def headline(summary: Counts) -> str:
    """What came of the cases, in a line."""
    said = [many(summary.statuses["verdict"], "verdict")]
    if failed := summary.statuses["failure"]:
        said.append(many(failed, "failure"))
    if skipped := summary.statuses["skipped"]:
        said.append(f"{skipped:,} skipped")
    return f"{', '.join(said)} of {many(summary.cases, 'case')}"


def missing(summary: Counts, chosen: bool = False) -> str:
    """That a run is not finished, and by how much; nothing if it is. With a condition one cannot say."""
    if chosen or summary.unfinished <= 0:
        return ""
    verb = "has" if summary.unfinished == 1 else "have"
    return f"The run is not finished: {many(summary.unfinished, 'case')} {verb} no outcome yet."


def summary_sections(run: Run, summary: Summary) -> tuple[Section, ...]:
    """The sections that have something to say."""
    return tuple(_sections(run, summary))


def _sections(run: Run, summary: Summary) -> Iterable[Section]:
    verdicts = summary.statuses["verdict"]
    if summary.winners:
        names = _WINNERS[run.protocol]
        total = sum(summary.winners.values())
        rows = tuple(
            (name, f"{summary.winners[key]:,}", percent(summary.winners[key] / total)) for key, name in names.items()
        )
        title = "Who won" if run.protocol == "compare" else "Which response is preferred"
        yield Section(title, tuple(_remarks(run, summary, verdicts)), Grid(("Outcome", "Cases", "Share"), rows))
    if summary.steps:
        total = sum(summary.steps.values())
        rows = tuple(
            (f"{step:g}", f"{count:,}", percent(count / total)) for step, count in sorted(summary.steps.items())[::-1]
        )
        yield Section("Overall experience", (), Grid(("Step", "Cases", "Share"), rows))
    yield from _agreement(summary)
    if summary.means:
        yield Section("Mean scores", (), _means(run, summary.means))
    if summary.reasons:
        yield Section("Why cases failed", (), _counts(("Reason", "Cases"), summary.reasons))
    if summary.warnings:
        yield Section("Warnings", (), _counts(("Code", "Verdicts"), summary.warnings))
    yield Section("Cost", (cost_sentence(summary),))


def _counts(head: tuple[str, str], counted: Counter[str]) -> Grid:
    return Grid(head, tuple((name, f"{count:,}") for name, count in counted.most_common()))


def _means(run: Run, means: Mapping[str, float]) -> Grid:
    """The mean of every criterion: of both answers, or of both stages of a dialogue."""
    if run.protocol == "dialogue":
        names = {"average": "Weighted average", "overall_experience": "Overall experience"}
        names |= {name: _criterion(run, name) for name in means if name not in (*names, "evaluator_average")}
        return Grid(
            ("Criterion", "Mean"), tuple((said, number(means[name])) for name, said in names.items() if name in means)
        )
    names = {"total": "Weighted total", "normalized": "Normalised total"}
    names |= {
        stem: _criterion(run, stem)
        for stem in dict.fromkeys(name[:-2] for name in means if name.endswith(("_a", "_b")))
        if stem not in names
    }
    rows = tuple(
        (said, number(means.get(f"{stem}_a")), number(means.get(f"{stem}_b")))
        for stem, said in names.items()
        if f"{stem}_a" in means or f"{stem}_b" in means
    )
    sides = ("A", "B") if run.protocol == "compare" else ("Response 1", "Response 2")
    return Grid(("Criterion", *sides), rows)


def _criterion(run: Run, name: str) -> str:
    named = {criterion.key: criterion.name for criterion in run.rubric.criteria}
    return named.get(name) or named.get(name.removeprefix("criterion_")) or name


def _remarks(run: Run, summary: Summary, verdicts: int) -> Iterable[str]:
    if summary.undecided:
        yield (
            f"In {summary.undecided:,} of {many(verdicts, 'verdict')} the judge was not sure enough to decide; "
            "its best guess is counted."
        )
    if summary.inconsistent:
        yield f"In {summary.inconsistent:,} the two orders name different winners."
    if summary.invalid:
        yield f"{many(summary.invalid, 'task')} could not be rated."


def _agreement(summary: Summary) -> Iterable[Section]:
    found = summary.agreement
    if found is None:
        return
    interval = found["interval"]
    within = f" (95 % interval {percent(interval[0])} to {percent(interval[1])})" if interval else ""
    of = f"{found['agreeing']:,} of {many(found['labelled'], 'labelled case')}"
    sentence = f"The verdict says what the label says in {of}: {percent(found['share'])}{within}."
    grid = None
    if summary.confusion:
        outcomes = ("A", "B", "tie")
        rows = tuple((label, *(f"{summary.confusion[label, won]:,}" for won in outcomes)) for label in outcomes)
        grid = Grid(("Label", "Verdict A", "Verdict B", "Verdict tie"), rows)
    yield Section("Agreement with labels", (sentence,), grid)


def cost_sentence(summary: Summary) -> str:
    """Calls, tokens and dollars."""
    if not summary.calls:
        return f"No model was called; no cost. Judge: {listed(summary.judges) or 'none'}."
    unknown = f", not counting {many(summary.unknown_cost, 'case')} of unknown price" if summary.unknown_cost else ""
    spent = f"{many(summary.calls, 'call')}, {many(summary.tokens, 'token')}, {dollars(summary.cost)}{unknown}"
    return f"{spent}. Judge: {listed(summary.judges)}."
