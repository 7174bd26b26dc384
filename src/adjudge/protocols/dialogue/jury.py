"""How a jury combines its members' opinions on a dialogue."""

from __future__ import annotations

from decimal import Decimal

from ...judges.jury import Jury, Vote, on_scale, values_of
from ...models.common import MemberScores
from ...text.reasons import rescored
from .questions import CriticizeQuestion, EvaluateQuestion
from .verdict import Critique, Evaluation, Objection

_NO_OTHER_SCORE = Objection(
    agree=True, comment="The members do not agree on another score.", suggested=None, contradicts=False, quotes=()
)


def combine_evaluations(jury: Jury, votes: list[Vote[Evaluation]], question: EvaluateQuestion) -> Evaluation:
    """Combine the marks of each criterion."""
    marks = {
        key: jury.combined([(one.marks[key], weight) for one, weight in votes], question.rubric.scale, "reason")
        for key in votes[0][0].marks
    }
    members = tuple(MemberScores(judge=one.judge, scores=values_of(one.marks)) for one, _ in votes)
    return Evaluation(judge=jury.name, marks=marks, members=members)


def combine_critiques(jury: Jury, votes: list[Vote[Critique]], question: CriticizeQuestion) -> Critique:
    """Keep an objection if members with more than half of the weight object. They alone decide its score."""
    entries: dict[str, Objection] = {}
    whole = sum(weight for _, weight in votes)
    for key in votes[0][0].entries:
        given = [(opinion.entries[key], weight) for opinion, weight in votes]
        against = [(entry, weight) for entry, weight in given if _suggested(entry) is not None]
        value = mark = question.evaluation.marks[key].value
        if against:
            value = on_scale(jury.vote([(one.suggested, weight) for one, weight in against]), question.rubric.scale)
        if 2 * sum(weight for _, weight in against) <= whole or value == mark:
            entries[key] = next((entry for entry, _ in given if entry.agree), _NO_OTHER_SCORE)
            continue
        # Words and quotes come from one member. "Contradicts" counts only from members with a verified quote.
        objecting = [entry for entry, _ in against]
        contradicting = sum(entry.contradicts and bool(entry.quotes) for entry in objecting)
        voices = [entry for entry in objecting if entry.quotes] or objecting
        speaker = min(voices, key=lambda entry: abs((entry.suggested or value) - value))
        comment, contradicts = rescored(speaker.comment, value), 2 * contradicting > len(objecting)
        entries[key] = speaker.updated(comment=comment, suggested=value, contradicts=contradicts)
    members = [(one.judge, {key: _suggested(entry) for key, entry in one.entries.items()}) for one, _ in votes]
    shown = tuple(MemberScores(judge=judge, scores=scores) for judge, scores in members)
    return Critique(judge=jury.name, entries=entries, members=shown)


def _suggested(entry: Objection) -> Decimal | None:
    return None if entry.agree else entry.suggested
