"""The planted-error audit: counts the planted errors that are corrected, and the correct ratings that are changed.

    python bench/planted_errors.py [--cases 1000] [--seed 0] [--show 10]

Reviews are built by code from samples/reviews.yaml (planted_reviews.py); in each, one cell of the two tables or the
Likert is set to a wrong value. They are audited twice: by a judge that answers truthfully (a scripted server on this
machine, called in OpenAI's format over a real connection; its reply lists the demands and observations), and by facts
alone, with the embedded judge. A Likert is right if the true tables allow it. `measurable`: a certain fact excludes the
planted value, or it is an Overall or a Likert that contradicts the other ratings. `consequences`: ratings that are
wrong only because they follow, by the rules, from a planted error that could not be corrected. --show lists the first
wrong outcomes of each audit.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from planted_reviews import PREFERENCE, Case, cases, said

from adjudge.journal import open_journal
from adjudge.judges.base import Judge
from adjudge.judges.embedded import EmbeddedJudge
from adjudge.models.common import LABELS, Label
from adjudge.protocols.review.consistency import allowed_by, allowed_likerts, allowed_overalls, bounds_of
from adjudge.protocols.review.preference import VERDICTS
from adjudge.protocols.review.rules import review
from adjudge.protocols.review.verdict import ReviewVerdict
from adjudge.protocols.rubrics import shipped
from adjudge.rubric import OVERALL, Rubric
from adjudge.text.sentences import sentences

sys.path.append(str(Path(__file__).parent.parent / "tests"))
from scripted.judging import open_openai  # type: ignore[import-not-found]
from scripted.provider import ScriptedProvider, says  # type: ignore[import-not-found]

AT_A_TIME = 16
_CASE = re.compile(r"^Case (\d{5})\.$", re.MULTILINE)


@dataclass
class Row:
    """Counts for one dimension: what became of the planted errors and of the correct ratings."""

    planted: int = 0
    corrected: int = 0
    measurable: int = 0
    measured: int = 0
    correct: int = 0
    changed: int = 0
    consequences: int = 0

    def __add__(self, other: Row) -> Row:
        return Row(*(a + b for a, b in zip(self.__dict__.values(), other.__dict__.values(), strict=True)))


@dataclass
class Audit:
    """One audit of all cases: a row for each dimension, and the wrong outcomes."""

    rows: dict[str, Row]
    cases: int = 0
    justified: int = 0
    moved: int = 0
    wrong: list[str] = field(default_factory=list)

    @property
    def total(self) -> Row:
        return sum(self.rows.values(), Row())


def true_reply(case: Case) -> dict[str, Any]:
    """Build the reply of a judge that knows the truth."""
    reply: dict[str, Any] = {
        "constraints": list(case.constraints),
        "task_type": "other",
        "invalid_because": "",
        "observations": [
            {"response": number, "quote": quote, "kind": kind}
            for number, label in enumerate(LABELS, start=1)
            for kind, quote in case.seen[label]
        ],
        "reasons": _said(case),
        "preference": case.likert,
    }
    for number, label in enumerate(LABELS, start=1):
        truth = case.truths[label]
        reply[f"response_{number}"] = {
            **{
                key: {"quote": "", "justification": said(truth, key), "rating": value}
                for key, value in truth.values.items()
            },
            "largely_unusable": truth.unusable,
            "still_good": truth.still_good,
        }
    return reply


def _said(case: Case) -> list[dict[str, str]]:
    return [one.model_dump() for one in case.reasons]


async def with_the_truth(made: Sequence[Case], rubric: Rubric) -> Audit:
    """Audit with a judge that answers truthfully, over a real connection."""
    by_number = {case.number: case for case in made}

    def script(request: Any) -> Any:
        match = _CASE.search(request.turns[0])
        assert match is not None
        case, asked = by_number[int(match[1])], request.schema["properties"]
        if "preference" in asked:
            return says(true_reply(case))
        # The justification that the person wrote for a right rating is true.
        kept = {"reason": "It is so.", "specific": True, "true": True}
        sides = [one.model_dump(include={"dimension", "favours"}) for one in case.reasons]
        judged = {
            name: {**kept, "sentences": {f"sentence_{at}": side for at, side in enumerate(sides, start=1)}}
            if "sentences" in candidate["properties"]
            else kept
            for name, candidate in asked.get("candidates", {"properties": {}})["properties"].items()
        }
        return says({**({"candidates": judged} if judged else {}), "reasons": _said(case)})

    with tempfile.TemporaryDirectory() as folder:
        journal = open_journal(Path(folder) / "journal.db")
        async with ScriptedProvider(script) as provider:
            judge = open_openai(provider, journal)
            audit = await _audited(made, rubric, judge)
            await judge.close()
        journal.close()
    return audit


async def with_facts_alone(made: Sequence[Case], rubric: Rubric) -> Audit:
    """Audit with the embedded judge, which assesses nothing itself."""
    return await _audited(made, rubric, EmbeddedJudge())


async def _audited(made: Sequence[Case], rubric: Rubric, judge: Judge) -> Audit:
    limit = asyncio.Semaphore(AT_A_TIME)

    async def one(case: Case) -> ReviewVerdict:
        async with limit:
            verdict = await review(case.review, judge, rubric)
        assert isinstance(verdict, ReviewVerdict) and verdict.invalid is None, (case.told, verdict)
        return verdict

    verdicts = await asyncio.gather(*map(one, made))
    audit = Audit({key: Row() for key in (*(criterion.key for criterion in rubric.criteria), PREFERENCE)})
    for case, verdict in zip(made, verdicts, strict=True):
        _count(audit, case, verdict, rubric)
    return audit


def _count(audit: Audit, case: Case, verdict: ReviewVerdict, rubric: Rubric) -> None:
    assert verdict.likert is not None
    audit.cases += 1
    told = sentences(verdict.likert.justification)
    # If the person's justification was kept, its first sentence need not be ours.
    audit.justified += len(told) in (3, 4) and (
        told[0] == VERDICTS[verdict.likert.value] or verdict.likert.justification_action == "kept"
    )
    right = allowed_likerts(rubric, case.truths["A"].values, case.truths["B"].values)
    cells: list[tuple[Label | None, str, int, tuple[int, ...]]] = [
        (label, key, verdict.table(label)[key].value, (true,))
        for label in LABELS
        for key, true in case.truths[label].values.items()
    ]
    cells.append((None, PREFERENCE, verdict.likert.value, right))
    left = any((label, key) == (case.label, case.key) and final not in true for label, key, final, true in cells)
    for label, key, final, true in cells:
        row = audit.rows[key]
        if (label, key) == (case.label, case.key):
            measurable = is_measurable(case, verdict, rubric)
            row.planted += 1
            row.corrected += final in true
            row.measurable += measurable
            row.measured += measurable and final in true
            audit.moved += (
                label is not None and key == OVERALL and final not in true and final in possible(case, rubric)
            )
            if final not in true:
                kind = "measurable, " if measurable else ""
                audit.wrong.append(f"not corrected: {case.told}, {kind}final {final}{_because(verdict, label, key)}")
            continue
        row.correct += 1
        if final in true:
            continue
        follows = left and _follows(case, label, key)
        row.consequences += follows
        row.changed += not follows
        what = "follows from an error left standing" if follows else "wrongly changed"
        where = "Likert" if label is None else f"Response {LABELS.index(label) + 1} {key}"
        audit.wrong.append(
            f"{what}: {case.told}; {where} is truly {true[0]}, final {final}{_because(verdict, label, key)}"
        )


def _follows(case: Case, label: Label | None, key: str) -> bool:
    """Check whether this rating may be wrong only because the planted error was not corrected."""
    if label is None or (key == OVERALL and label == case.label):
        return True
    # Identical responses share the more severe of their ratings.
    return case.identical and case.label is not None and label != case.label and key in (case.key, OVERALL)


def possible(case: Case, rubric: Rubric) -> set[int]:
    """Return all Overalls that the true dimensions allow, whatever else the judge says of the response."""
    assert case.label is not None
    values = case.truths[case.label].values
    return {
        value
        for unusable in (False, True)
        for good in (False, True)
        for value in allowed_overalls(rubric, values, unusable=unusable, still_good=good)
    }


def is_measurable(case: Case, verdict: ReviewVerdict, rubric: Rubric) -> bool:
    """Check whether certain facts or the other ratings show that the planted value is wrong."""
    if case.label is None:
        return True  # only Likerts that the tables rule out are planted
    if case.key == OVERALL:
        return case.planted not in possible(case, rubric)
    facts = [fact for fact in verdict.facts if fact.where == case.label]
    bounds = [bound for bound in bounds_of(facts, case.review.answer(case.label)) if bound.key == case.key]
    criterion = next(criterion for criterion in rubric.criteria if criterion.key == case.key)
    return bool(bounds) and case.planted not in allowed_by(criterion, bounds)


def _because(verdict: ReviewVerdict, label: Label | None, key: str) -> str:
    final = verdict.likert if label is None else verdict.table(label)[key]
    assert final is not None
    return f" ({final.action}{f', {final.rule}' if final.rule else ''}: {final.justification[:160]})"


def table(title: str, audit: Audit, names: Mapping[str, str], *, split: bool) -> str:
    """Format one audit as a table."""
    head = f"{'':<22} {'planted':>7} {'corrected':>9} {'not':>5}"
    if split:
        head += f"   {'measurable':>10} {'corrected':>9}"
    head += f"   {'correct':>7} {'wrongly changed':>15}"
    if split:
        head += f" {'consequences':>12}"
    lines = [title, head]
    for name, row in [*((names[key], row) for key, row in audit.rows.items()), ("total", audit.total)]:
        line = f"{name:<22} {row.planted:>7,} {row.corrected:>9,} {row.planted - row.corrected:>5,}"
        if split:
            line += f"   {row.measurable:>10,} {row.measured:>9,}"
        line += f"   {row.correct:>7,} {row.changed:>15,}"
        if split:
            line += f" {row.consequences:>12,}"
        lines.append(line)
    lines.append(f"Likert justification within the rules: {audit.justified:,} of {audit.cases:,}")
    if audit.moved:
        lines.append(f"Overalls not corrected, but at a value that the true dimensions allow: {audit.moved:,}")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", type=int, default=0, metavar="N", help="the first N wrong outcomes of each audit")
    options = parser.parse_args(arguments)
    rubric = shipped("review")
    names = {criterion.key: criterion.name for criterion in rubric.criteria} | {PREFERENCE: "Likert"}
    made = cases(rubric, options.cases, options.seed)
    tasks = len({case.task for case in made})
    print(f"{len(made):,} reviews of {tasks} tasks, seed {options.seed}, one planted error each\n")
    audits = (("a judge that answers truly", with_the_truth, False), ("facts alone", with_facts_alone, True))
    for title, run, split in audits:
        start = time.perf_counter()
        audit = asyncio.run(run(made, rubric))
        print(table(title, audit, names, split=split))
        for line in audit.wrong[: options.show]:
            print(f"- {line}")
        print()
        print(f"{title}: {time.perf_counter() - start:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
