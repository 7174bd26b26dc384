"""Builds the plain data that the reports of a dialogue show: every sentence, number, row and marked utterance.

It makes no decisions about the verdict or the layout. Text is not escaped here; templates escape it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...arithmetic import weighted_total
from ...rendering import wording
from ...rendering.highlighting import Highlight, Piece, marked
from ...rendering.wording import hundredths, number
from ...rubric import Rubric
from ..origin import VerdictView, judge_note, origin_of
from .case import Turn
from .referee import RULES, TAKEN, decisions, evidence_used
from .verdict import CriticView, DialogueVerdict, Mark, Utterance

# Beyond this a transcript is taller than most windows and scrolls in a box of its own.
_LONG_TURNS, _LONG_TEXT = 12, 1500


@dataclass(frozen=True, kw_only=True)
class TurnView:
    """An utterance with its marks, and where it is in what was given."""

    speaker: str
    place: str
    pieces: Sequence[Piece]


@dataclass(frozen=True, kw_only=True)
class OpinionView:
    """What the Evaluator or the Critic says on a criterion."""

    role: str
    name: str
    view: str
    reason: str
    quotes: Sequence[Highlight]


@dataclass(frozen=True, kw_only=True)
class RefereedRow:
    """A criterion, from Evaluator to Referee. `taken` means that the Critic's objection was taken."""

    key: str
    name: str
    guidance: str
    weight: str
    opinions: Sequence[OpinionView]
    final: str
    rule: str
    taken: bool
    products: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class DialogueView(VerdictView):
    """What the reports of a dialogue show: sentences, rows of criteria, turns with their marks."""

    best: str
    outcome: str
    objections: str
    averages: tuple[str, str]
    shares: Sequence[str]
    utterances: str
    turns: Sequence[TurnView]
    long: bool
    rows: Sequence[RefereedRow]
    table: Sequence[tuple[str, ...]]
    decisions: Sequence[str]
    evidence: Sequence[Highlight]


def build(verdict: DialogueVerdict, rubric: Rubric) -> DialogueView:
    """Return what the reports show of a verdict."""
    turns, averages = verdict.case.turns, (verdict.evaluator_average, verdict.final_average)
    names = wording.criterion_names(verdict.rulings, rubric)
    places = _places(turns)
    found = [
        *_quotes("evaluator", verdict.marks, names, places),
        *_quotes("critic", verdict.objections, names, places),
    ]
    quotes = [highlight for _, highlight in found]
    rows = _rows(verdict, rubric, names, quotes)
    by_place = dict(reversed(found))
    before, after = map(hundredths, averages)
    exact, overall = verdict.final_average == verdict.overall_experience, number(verdict.overall_experience)
    outcome = f"exactly {after}" if exact else f"{after}, rounded down to {overall}"
    table = [(row.name, row.weight, *(opinion.view for opinion in row.opinions), row.final, row.rule) for row in rows]
    return DialogueView(
        verdict=verdict,
        headline=f"Overall experience {overall} of {number(rubric.scale.high)}",
        best=number(rubric.scale.high),
        outcome=f"The weighted average is {outcome}.",
        objections=_objections(verdict),
        averages=(before, after),
        shares=[wording.share(average, rubric.scale) for average in averages],
        utterances=_utterances(verdict),
        judge_note=_judge_note(verdict.judges),
        turns=[
            TurnView(
                speaker=turn.speaker,
                place=places[at],
                pieces=marked(turn.text, [mark for place, mark in found if place.turn == at]),
            )
            for at, turn in enumerate(turns)
        ],
        long=len(turns) > _LONG_TURNS or sum(len(turn.text) for turn in turns) > _LONG_TEXT,
        rows=rows,
        table=[*table, ("Weighted average", "", before, "", after, "")],
        decisions=decisions(verdict.marks, verdict.objections, verdict.rulings),
        evidence=[by_place[used] for used in evidence_used(verdict.rulings.values())],
        refs=[quote.ref for quote in quotes],
        linked=[
            ((f"#criterion-{row.key}",), [quote.ref for opinion in row.opinions for quote in opinion.quotes])
            for row in rows
        ],
        origin=origin_of(verdict),
    )


# -- sentences --------------------------------------------------------------------------------------------------------


def _objections(verdict: DialogueVerdict) -> str:
    """Say how many objections the Critic made and how many were taken."""
    made = sum(not entry.agree for entry in verdict.objections.values())
    if not made:
        return "The Critic agrees with every score."
    taken = sum(ruling.rule in TAKEN for ruling in verdict.rulings.values())
    became = wording.many(taken, "was accepted", "were accepted") if taken else "none was accepted"
    return f"The Critic objects to {made} of {len(verdict.rulings)} scores; {became}."


def _utterances(verdict: DialogueVerdict) -> str:
    tools = sum(turn.speaker == "TOOL" for turn in verdict.case.turns)
    spoken = wording.many(len(verdict.case.turns) - tools, "utterance")
    return f"{spoken}, {wording.many(tools, 'tool step')}" if tools else spoken


def _judge_note(judges: tuple[str, str]) -> str:
    """Return what a reader must know about the judges before trusting them, or "" for most judges."""
    evaluator, critic = map(judge_note, judges)
    if evaluator == critic:
        return evaluator
    return " ".join(f"{role}: {note}" for role, note in (("Evaluator", evaluator), ("Critic", critic)) if note)


# -- rows and quotes --------------------------------------------------------------------------------------------------


def _places(turns: Sequence[Turn]) -> list[str]:
    """Return where each utterance is: the line of a transcript, or the turn if they were given as messages."""
    if len({turn.line for turn in turns}) == len(turns):
        return [f"line {turn.line}" for turn in turns]
    return [f"turn {number}" for number, _ in enumerate(turns, 1)]


def _quotes(
    role: str, opinions: Mapping[str, Mark | CriticView], names: Mapping[str, str], places: Sequence[str]
) -> list[tuple[Utterance, Highlight]]:
    """Return a role's quotes, numbered in the order of the transcript."""
    found = [(key, quote) for key in names for quote in opinions[key].quotes]
    found.sort(key=lambda pair: (pair[1].turn, pair[1].start, pair[1].end))
    marks = []
    for at, (key, it) in enumerate(found, 1):
        ref, name = f"{role[0].upper()}{at}", names[key]
        shown, title, place = f"{ref} {name}", f"{role.capitalize()} on {name}", f"{it.speaker}, {places[it.turn]}"
        marks.append((it, Highlight(ref, role, key, it.quote, it.start, it.end, shown, title, place=place)))
    return marks


def _rows(
    verdict: DialogueVerdict, rubric: Rubric, names: Mapping[str, str], quotes: list[Highlight]
) -> list[RefereedRow]:
    guidance, rows = wording.guidance_of(rubric), []
    for key, ruling in verdict.rulings.items():
        mark, entry, weight = verdict.marks[key], verdict.objections[key], rubric.weights[key]
        disagrees = "objects" if entry.suggested is None else number(entry.suggested)
        opinions = {
            "evaluator": (number(mark.value), mark.reason),
            "critic": ("agrees" if entry.agree else disagrees, entry.comment),
        }
        products = ((score, weighted_total({key: score}, {key: weight})) for score in (mark.value, ruling.value))
        rows.append(
            RefereedRow(
                key=key,
                name=names[key],
                guidance=guidance.get(key, ""),
                weight=hundredths(weight),
                opinions=[
                    OpinionView(
                        role=role,
                        name=role.capitalize(),
                        view=view,
                        reason=reason,
                        quotes=[quote for quote in quotes if (quote.tone, quote.criterion) == (role, key)],
                    )
                    for role, (view, reason) in opinions.items()
                ],
                final=number(ruling.value),
                rule=": ".join(RULES[ruling.rule]),
                taken=ruling.rule in TAKEN,
                products=[f"{number(score)} × {hundredths(weight)} = {hundredths(whole)}" for score, whole in products],
            )
        )
    return rows
