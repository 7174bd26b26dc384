"""The sentences every report says about a dialogue's verdict.

Plain text, not escaped for any format: whoever shows a sentence escapes it.
"""

from __future__ import annotations

from ..models import CriticView, DialogueVerdict, RefereeRule, Utterance
from ..protocols import audit
from ..protocols.audit import RULES, TAKEN
from ..rubric import Rubric
from . import wording
from .wording import hundredths, number


def headline(verdict: DialogueVerdict, rubric: Rubric) -> str:
    """The verdict in one line."""
    return f"Overall experience {number(verdict.overall_experience)} of {number(rubric.scale.high)}"


def outcome(verdict: DialogueVerdict) -> str:
    """How the overall experience follows from the average, as a sentence."""
    average, overall = verdict.final_average, verdict.overall_experience
    if average == overall:
        return f"The weighted average is exactly {hundredths(average)}."
    return f"The weighted average is {hundredths(average)}, rounded down to {number(overall)}."


def objections(verdict: DialogueVerdict) -> str:
    """What became of the Critic's objections, as a sentence."""
    made = sum(not entry.agree for entry in verdict.objections.values())
    if not made:
        return "The Critic agrees with every score."
    taken = sum(ruling.rule in TAKEN for ruling in verdict.rulings.values())
    if made == 1:
        became = "it was taken" if taken else "it was not taken"
    else:
        became = {0: "none was taken", 1: "one was taken", made: "all were taken"}.get(taken, f"{taken} were taken")
    return f"The Critic objects to {made} of {len(verdict.rulings)} scores; {became}."


def decisions(verdict: DialogueVerdict) -> list[str]:
    """A sentence for each rule that fired."""
    return audit.decisions(verdict.marks, verdict.objections, verdict.rulings)


def rule(name: RefereeRule) -> str:
    """The rule that decided, in plain words."""
    did, why = RULES[name]
    return f"{did}: {why}"


def view(objection: CriticView) -> str:
    """The Critic's view of a score in a word: the score it suggests, if it suggests one."""
    if objection.agree:
        return "agrees"
    return "objects" if objection.suggested is None else number(objection.suggested)


def place(quote: Utterance) -> str:
    """Who said a quote, and on which line."""
    return f"{quote.speaker}, line {quote.line}"


def judge_note(verdict: DialogueVerdict) -> str:
    """What a reader must know about the judges before trusting them; empty for most."""
    notes = {
        role: wording.judge_note(judge) for role, judge in zip(("Evaluator", "Critic"), verdict.judges, strict=True)
    }
    if len(set(notes.values())) == 1:
        return notes["Evaluator"]
    return " ".join(f"{role}: {note}" for role, note in notes.items() if note)
