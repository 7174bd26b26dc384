"""What the reports of a dialogue show, as plain data: every sentence, number, row and marked utterance, built once.

It decides nothing, not even about looks. All text is still as others wrote it: templates make it safe.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from ...arithmetic import weighted_total
from ...models import CriticView, DialogueVerdict, Mark, RefereeRule, Speaker, Utterance
from ...protocols.referee import RULES, TAKEN, decisions, evidence_used
from ...rubric import Rubric
from .. import wording
from ..highlighting import Highlight, Piece, marked
from ..origin import Origin, judge_note, origin_of
from ..wording import hundredths, number

# Beyond this a transcript is taller than most windows, and gets one of its own.
_LONG_TURNS, _LONG_TEXT = 12, 1500

Role = Literal["evaluator", "critic"]
_ROLES: tuple[Role, Role] = ("evaluator", "critic")


@dataclass(frozen=True, slots=True)
class TurnView:
    """One utterance of the transcript, with its marks."""

    speaker: Speaker
    number: int
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class RoleOpinion:
    """What one role says of a criterion: a score or a word, the reason, the quotes."""

    role: Role
    name: str
    view: str
    reason: str
    quotes: tuple[Highlight, ...]


@dataclass(frozen=True, slots=True)
class RulingRow:
    """One criterion on its way from Evaluator to Referee; `taken` if the Critic's score stands."""

    key: str
    name: str
    guidance: str
    weight: str
    opinions: tuple[RoleOpinion, RoleOpinion]
    final: str
    rule: str
    taken: bool
    products: tuple[str, str]


@dataclass(frozen=True, slots=True)
class DialogueView:
    """All that any format shows of a dialogue."""

    headline: str
    overall: str
    best: str
    outcome: str
    objections: str
    averages: tuple[str, str]
    shares: tuple[str, str]
    dialogue: str
    utterances: str
    judges: tuple[str, str]
    judge_note: str
    turns: tuple[TurnView, ...]
    long: bool
    rows: tuple[RulingRow, ...]
    table: tuple[tuple[str, str, str, str, str, str], ...]
    decisions: tuple[str, ...]
    sum: str
    mapping: str
    evidence: tuple[Highlight, ...]
    refs: tuple[str, ...]
    origin: Origin

    @property
    def linked(self) -> list[tuple[tuple[str, ...], list[str]]]:
        """The place of each criterion on a page, and its quotes."""
        return [
            ((f"#criterion-{row.key}",), [quote.ref for said in row.opinions for quote in said.quotes])
            for row in self.rows
        ]


def build(verdict: DialogueVerdict, rubric: Rubric) -> DialogueView:
    """A verdict as its reports show it."""
    turns, scale = verdict.case.turns, rubric.scale
    best = number(scale.high)
    names = wording.criterion_names(verdict.rulings, rubric)
    found = [*_quotes(verdict, "evaluator", names), *_quotes(verdict, "critic", names)]
    rows = _rows(verdict, rubric, names, [highlight for _, highlight in found])
    by_place = dict(reversed(found))
    evaluator, final = hundredths(verdict.evaluator_average), hundredths(verdict.final_average)
    average = ("Weighted average", "", evaluator, "", final, "")
    return DialogueView(
        headline=f"Overall experience {number(verdict.overall_experience)} of {best}",
        overall=number(verdict.overall_experience),
        best=best,
        outcome=_outcome(verdict),
        objections=_objections(verdict),
        averages=(evaluator, final),
        shares=(wording.share(verdict.evaluator_average, scale), wording.share(verdict.final_average, scale)),
        dialogue=str(verdict.dialogue_id),
        utterances=wording.many(len(turns), "utterance"),
        judges=verdict.judges,
        judge_note=_judge_note(verdict.judges),
        turns=tuple(
            TurnView(turn.speaker, turn.line, marked(turn.text, [mark for place, mark in found if place.turn == at]))
            for at, turn in enumerate(turns)
        ),
        long=len(turns) > _LONG_TURNS or sum(len(turn.text) for turn in turns) > _LONG_TEXT,
        rows=rows,
        table=(
            *((row.name, row.weight, *(said.view for said in row.opinions), row.final, row.rule) for row in rows),  # type: ignore[arg-type]
            average,
        ),
        decisions=tuple(decisions(verdict.marks, verdict.objections, verdict.rulings)),
        sum=verdict.output.audit.weighted_calc,
        mapping=verdict.output.audit.mapping_rule,
        evidence=tuple(by_place[used] for used in evidence_used(verdict.rulings.values())),
        refs=tuple(highlight.ref for _, highlight in found),
        origin=origin_of(verdict),
    )


# -- sentences --------------------------------------------------------------------------------------------------------


def _outcome(verdict: DialogueVerdict) -> str:
    """How the overall experience follows from the average."""
    average, overall = verdict.final_average, verdict.overall_experience
    if average == overall:
        return f"The weighted average is exactly {hundredths(average)}."
    return f"The weighted average is {hundredths(average)}, rounded down to {number(overall)}."


def _objections(verdict: DialogueVerdict) -> str:
    """What became of the Critic's objections."""
    made = sum(not entry.agree for entry in verdict.objections.values())
    if not made:
        return "The Critic agrees with every score."
    taken = sum(ruling.rule in TAKEN for ruling in verdict.rulings.values())
    if made == 1:
        became = "it was taken" if taken else "it was not taken"
    else:
        became = {0: "none was taken", 1: "one was taken", made: "all were taken"}.get(taken, f"{taken} were taken")
    return f"The Critic objects to {made} of {len(verdict.rulings)} scores; {became}."


def _judge_note(judges: tuple[str, str]) -> str:
    """What a reader must know about the judges before trusting them; empty for most."""
    evaluator, critic = map(judge_note, judges)
    if evaluator == critic:
        return evaluator
    return " ".join(f"{role}: {note}" for role, note in (("Evaluator", evaluator), ("Critic", critic)) if note)


def _rule(name: RefereeRule) -> str:
    did, why = RULES[name]
    return f"{did}: {why}"


# -- rows and quotes --------------------------------------------------------------------------------------------------


def _quotes(verdict: DialogueVerdict, role: Role, names: Mapping[str, str]) -> list[tuple[Utterance, Highlight]]:
    """A role's quotes, numbered as a reader meets them in the transcript."""
    opinions: Mapping[str, Mark | CriticView] = verdict.marks if role == "evaluator" else verdict.objections
    found = [(key, quote) for key in verdict.rulings for quote in opinions[key].quotes]
    found.sort(key=lambda pair: (pair[1].turn, pair[1].start, pair[1].end))
    marks = []
    for at, (key, it) in enumerate(found, 1):
        ref, name = f"{role[0].upper()}{at}", names[key]
        shown, title, place = f"{ref} {name}", f"{role.capitalize()} on {name}", f"{it.speaker}, line {it.line}"
        marks.append((it, Highlight(ref, role, key, it.quote, it.start, it.end, shown, title, place=place)))
    return marks


def _rows(
    verdict: DialogueVerdict, rubric: Rubric, names: Mapping[str, str], quotes: list[Highlight]
) -> tuple[RulingRow, ...]:
    guidance, marks, objections = wording.guidance_of(rubric), verdict.marks, verdict.objections
    rows = []
    for key, ruling in verdict.rulings.items():
        mark, entry, weight = marks[key], objections[key], rubric.weights[key]
        disagrees = "objects" if entry.suggested is None else number(entry.suggested)
        said = ((number(mark.value), mark.reason), ("agrees" if entry.agree else disagrees, entry.comment))
        evaluator, critic = (
            RoleOpinion(
                role=role,
                name=role.capitalize(),
                view=view,
                reason=reason,
                quotes=tuple(quote for quote in quotes if (quote.tone, quote.criterion) == (role, key)),
            )
            for role, (view, reason) in zip(_ROLES, said, strict=True)
        )
        rows.append(
            RulingRow(
                key=key,
                name=names[key],
                guidance=guidance.get(key, ""),
                weight=hundredths(weight),
                opinions=(evaluator, critic),
                final=number(ruling.value),
                rule=_rule(ruling.rule),
                taken=ruling.rule in TAKEN,
                products=(_product(mark.value, weight), _product(ruling.value, weight)),
            )
        )
    return tuple(rows)


def _product(score: Decimal, weight: Decimal) -> str:
    return f"{number(score)} × {hundredths(weight)} = {hundredths(weighted_total({'': score}, {'': weight}))}"
