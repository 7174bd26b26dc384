"""Dialogue verdicts to render: made by the real protocol from opinions prepared by hand, kind and hostile ones."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Any

from reports.dialogue_texts import ACTION, ARABIC, BREAKOUT, CHINESE, COMEDIES, HOSTILE, LONG_WORD, TRUE_STORIES, Said
from reports.verdict_samples import ANSI, BIDI, HOSTILE_MARKDOWN, SCRIPT, call

from adjudge.models.common import Warning
from adjudge.protocols.dialogue.case import Dialogue, Turn
from adjudge.protocols.dialogue.questions import CriticizeQuestion
from adjudge.protocols.dialogue.rules import dialogue
from adjudge.protocols.dialogue.verdict import Critique, DialogueVerdict, Evaluation, Mark, Objection, Utterance
from adjudge.protocols.rubrics import shipped
from adjudge.rubric import Rubric

RUBRIC = shipped("dialogue")
KEYS = tuple(RUBRIC.weights)
JUDGE = "openai:gpt-5.1"


@dataclass(frozen=True)
class Sample:
    case: Dialogue
    verdict: DialogueVerdict
    rubric: Rubric = RUBRIC


class PreparedJudge:
    """Evaluates and criticises as it was told to."""

    def __init__(self, evaluation: Evaluation, critique: Critique) -> None:
        self.name = evaluation.judge
        self.evaluation, self.critique = evaluation, critique

    async def opine(self, question: Any) -> Any:
        return self.critique if isinstance(question, CriticizeQuestion) else self.evaluation

    async def close(self) -> None:
        pass


def conversation(said: Sequence[Said], dialogue_id: int | str = 1, first_line: int = 1) -> Dialogue:
    """Annotated as the real files are: none of it may be shown."""
    turns = (Turn(who, words, first_line + at, act="SECRET_ACT", ratings=(1,)) for at, (who, words) in enumerate(said))
    return Dialogue(dialogue_id, tuple(turns), overall_ratings=(1, 1))


def quoted(case: Dialogue, *quotes: str) -> tuple[Utterance, ...]:
    """Each quote where it first stands."""
    found = []
    for quote in quotes:
        at, turn = next((at, turn) for at, turn in enumerate(case.turns) if quote in turn.text)
        start = turn.text.index(quote)
        found.append(
            Utterance(speaker=turn.speaker, quote=quote, turn=at, line=turn.line, start=start, end=start + len(quote))
        )
    return tuple(found)


def judged(
    case: Dialogue,
    marks: Mapping[str, Mark],
    objections: Mapping[str, Objection],
    *,
    rubric: Rubric = RUBRIC,
    judge: str = JUDGE,
    warnings: tuple[Warning, ...] = (),
    paid: bool = True,
) -> Sample:
    """The protocol's verdict; a criterion without an objection is agreed with."""
    agreed = Objection(
        agree=True, comment="The reason fits what was said.", suggested=None, contradicts=False, quotes=()
    )
    entries = {key: objections.get(key, agreed) for key in marks}
    calls = (call("evaluator-key"),) if paid else ()
    answers = PreparedJudge(
        Evaluation(judge=judge, marks=dict(marks), calls=calls, warnings=warnings),
        Critique(judge=judge, entries=entries, calls=(call("critic-key", "0.0017"),) if paid else ()),
    )
    verdict = asyncio.run(dialogue(case, answers, answers, rubric))
    assert isinstance(verdict, DialogueVerdict)
    return Sample(case, verdict, rubric)


def marks_of(case: Dialogue, scores: Sequence[int], said: Sequence[tuple[str, str]]) -> dict[str, Mark]:
    return {
        key: Mark(value=Decimal(score), reason=reason, quotes=quoted(case, quote))
        for key, score, (reason, quote) in zip(KEYS, scores, said, strict=True)
    }


def against(suggested: int | None, comment: str, *quotes: Utterance, contradicts: bool = True) -> Objection:
    score = None if suggested is None else Decimal(suggested)
    return Objection(
        agree=False, comment=comment, suggested=score, contradicts=contradicts, quotes=quotes, wanted_quote=bool(quotes)
    )


@lru_cache
def example_a() -> Sample:
    """98.00, and a Critic who "disagrees" with the very score it suggests."""
    case = conversation(COMEDIES, 335)
    said = [
        ("The user named a favourite and said why.", "Sure, Best in Show is one of my absolute favorites."),
        ("Each question led to more detail.", "ok, why do you like that movie?"),
        ("Nothing false was stated.", "got it, can you name a specific movie you really liked?"),
        ("Every question follows from the answer before.", "ok, why do you like comedies?"),
        ("Polite, but no word on how the user feels.", "got it, can you name a specific movie you really liked?"),
        ("Short and natural sentences.", "Can you tell me what types of movies you like?"),
    ]
    same_score = against(80, "Nothing like “that sounds fun”.", *quoted(case, "ok, why do you like that movie?"))
    return judged(case, marks_of(case, (100, 100, 100, 100, 80, 100), said), {"Empathy": same_score})


ABOUT_ACTION = [
    ("The user answered every question with examples.", "I really liked Transporter."),
    ("Questions only, nothing that adds to the answers!", "Why did you like that movie?"),
    ("No false statement.", "Ok, then have you seen the movie John Wick ?"),
    ("The next question takes up the film just named.", "Why did you like John Wick?"),
    ("Thanks the user, and that is all.", "Ok, thank you for sharing. Good bye."),
    ("Clear, grammatical sentences.", "Alright, how about a movie you liked?"),
]


@lru_cache
def example_b() -> Sample:
    """88.00, and again objections that suggest the very scores they object to."""
    case = conversation(ACTION, 25, first_line=40)
    objections = {
        "Helpfulness": against(60, "Could have taken up an answer.", *quoted(case, "Why did you like that movie?")),
        "Empathy": against(40, "No softening word."),
    }
    return judged(case, marks_of(case, (100, 60, 100, 100, 40, 100), ABOUT_ACTION), objections)


@lru_cache
def debated_sample() -> Sample:
    """The Critic objects to two scores of 92.00, of which one is taken: 88.00."""
    case = conversation(ACTION, 25, first_line=40)
    objections = {
        "Helpfulness": against(
            40,
            "Not one answer is taken further.",
            *quoted(case, "Well, is there a movie you did not like?"),
            contradicts=False,
        ),
        "Empathy": against(
            40,
            "The excitement is passed over without a word, and the thanks are a formula.",
            *quoted(case, "Well, is there a movie you did not like?", "thank you for sharing"),
        ),
    }
    return judged(case, marks_of(case, (100, 60, 100, 100, 80, 100), ABOUT_ACTION), objections)


@lru_cache
def example_c() -> Sample:
    """78.00: objections without a quote, and with a quote nobody said, change nothing."""
    case = conversation(TRUE_STORIES, 26)
    said = [
        ("Preferences were found, in little depth.", "I watched Apollo 13 recently, and that's a really good movie."),
        ("Asks, but connects nothing.", "What did you like about this movie?"),
        ("All statements hold.", "Have you seen Armageddon"),
        ("Follows the topic until the last two films.", "How about the Incredibles 2"),
        ("Polite and flat.", "What type of movies do you enjoy?"),
        ("Repeats itself.", "What do you dislike about this movie?"),
    ]
    objections = {
        "Helpfulness": against(40, "Could be lower."),
        "Empathy": against(40, "No warmth at all.").updated(wanted_quote=True),
    }
    return judged(case, marks_of(case, (80, 60, 100, 80, 60, 80), said), objections)


@lru_cache
def adopted_sample() -> Sample:
    """Three objections with evidence: all are adopted, also the one that contradicts nothing."""
    case = conversation(ACTION, "chat-7")
    said = [("All is well.", "I really like action movies.")] * len(KEYS)
    proof = quoted(case, "Why did you like John Wick?")
    objections = {
        "TaskSuccess": against(60, "Not settled.", *proof),
        "Accuracy": against(80, "Not checked.", *proof, contradicts=False),
        "Fluency": against(20, "Not fluent.", *quoted(case, "Ok, then have you seen the movie John Wick ?")),
    }
    return judged(case, marks_of(case, (100,) * 6, said), objections)


@lru_cache
def hostile_sample() -> Sample:
    """Everything a conversation and a judge may say to break a report."""
    case = conversation(HOSTILE, f"{SCRIPT} {BIDI}")
    hostile = f"{SCRIPT} {ANSI} {BIDI} {HOSTILE_MARKDOWN} {BREAKOUT} {'z' * 200}"
    said = [
        (hostile, f"{SCRIPT} how may I help?"),
        (hostile, HOSTILE_MARKDOWN),
        (hostile, BREAKOUT),
        ("RTL", ARABIC),
        (hostile, LONG_WORD),
        ("中文", CHINESE[:20]),
    ]
    objections = {
        "TaskSuccess": against(20, hostile, *quoted(case, "how may I help?\n\x1b[31mred\x1b[0m", CHINESE)),
        "Fluency": against(None, hostile, *quoted(case, CHINESE[5:30])),
    }
    return judged(
        case,
        marks_of(case, (100, 20, 40, 60, 80, 100), said),
        objections,
        judge="http://localhost:1/v1#<b>model</b>",
        warnings=(Warning(code="dropped_quote", message=hostile),),
    )


@lru_cache
def long_sample() -> Sample:
    """500 turns, with a quote at the very end; judged without a model."""
    case = conversation(
        [
            (("SYSTEM", "USER")[at % 2], f"Utterance {at} of a long talk. " + "It goes on. " * (at % 9))  # type: ignore[misc]
            for at in range(500)
        ]
    )
    said = [("As it stands there.", f"Utterance {at} of") for at in (0, 90, 180, 270, 360, 499)]
    objections = {"Fluency": against(20, "Ends without a word of goodbye.", *quoted(case, "Utterance 498 of"))}
    return judged(case, marks_of(case, (60,) * 6, said), objections, judge="embedded", paid=False)
