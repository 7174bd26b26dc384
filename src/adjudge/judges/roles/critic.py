"""The Critic: for every score of an evaluation, whether it holds, and if not, the quote that shows it."""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache

from ... import prompts
from ...llm.base import Prompt
from ...models import Critique, Objection
from ...rubric import Rubric
from ..base import CriticizeQuestion
from .base import Reading, Shape, object_of, scores_of
from .transcripts import (
    BadQuote,
    Quote,
    Transcript,
    as_reply,
    ask_again,
    dropped,
    example,
    read_criteria,
    repaired,
    shown,
    system_prompt,
)


@lru_cache(maxsize=16)
def _shape(rubric: Rubric) -> Shape:
    fields = {"quotes": list[Quote], "comment": str, "agree": bool, "contradicts": bool, "score": scores_of(rubric)}
    entry = object_of("entry", fields)
    criteria = object_of("criteria", {item.key: entry for item in rubric.criteria})
    return Shape(object_of("critique", {"criteria": criteria}))


@lru_cache(maxsize=16)
def _system(rubric: Rubric) -> str:
    known = example()
    entries = {
        key: {
            "quotes": [{"speaker": entry["speaker"], "quote": entry["quote"]}] if "quote" in entry else [],
            "comment": entry["comment"],
            "agree": entry["agree"],
            "contradicts": entry.get("contradicts", False),
            "score": entry.get("score", known["evaluation"][key]["score"]),
        }
        for key, entry in known["critique"].items()
    }
    evaluation = "\n".join(f"{key}: {mark['score']}. {mark['reason']}" for key, mark in known["evaluation"].items())
    return system_prompt("critic", rubric, f"{evaluation}\n{as_reply(entries)}")


class Critic:
    """Asks for and reads critiques. It sees the Evaluator's scores and reasons."""

    def prompt(self, question: CriticizeQuestion) -> Prompt:
        transcript = shown(question.case)
        evaluation = "\n".join(
            f"{key}: {mark.value}. {mark.justification}" for key, mark in question.evaluation.marks.items()
        )
        fence = prompts.Fence.around(transcript, evaluation)
        user = prompts.load("critic").render(
            "user",
            code=fence.code,
            transcript=fence.wrap("TRANSCRIPT", transcript),
            evaluation=fence.wrap("EVALUATION", evaluation),
        )
        return Prompt(_system(question.rubric), (user,), _shape(question.rubric).schema, "critique")

    def read(self, question: CriticizeQuestion, text: str, judge: str) -> Reading[Critique]:
        reply = read_criteria(_shape(question.rubric), text, "comment")
        if isinstance(reply, tuple):
            return Reading(None, reply)
        transcript = Transcript(question.case)
        entries: dict[str, Objection] = {}
        bad: list[BadQuote] = []
        for item in question.rubric.criteria:
            given = reply[item.key]
            quotes, wrong = transcript.locate(item.key, given["quotes"])
            score = Decimal(str(given["score"]))
            agree = given["agree"] or score == question.evaluation.marks[item.key].value
            # An agreement's quote is worth having, but not worth another call.
            comment, invented = transcript.without_inventions(item.key, given["comment"])
            bad += invented if agree else [*wrong, *invented]
            entries[item.key] = Objection(
                agree=agree,
                comment=comment,
                suggested=None if agree else score,
                contradicts=given["contradicts"] and not agree,
                quotes=quotes,
                wanted_quote=bool(given["quotes"]),
            )
        missing = [
            f"{key}: a disagreement needs a quote from the transcript"
            for key, entry in entries.items()
            if not entry.agree and not entry.wanted_quote
        ]
        opinion = Critique(judge=judge, entries=entries, warnings=dropped(bad))
        return Reading(opinion, (*(quote.told for quote in bad), *missing), tuple(bad))

    def repair(self, question: CriticizeQuestion, prompt: Prompt, text: str, reading: Reading[Critique]) -> Prompt:
        return ask_again("critic", question.rubric, prompt, text, reading)

    def read_repair(
        self, question: CriticizeQuestion, first: Reading[Critique], text: str, judge: str
    ) -> Reading[Critique]:
        if first.opinion is None:
            return self.read(question, text, judge)
        entries = dict(first.opinion.entries)
        had = {key: entry.quotes for key, entry in entries.items()}
        together, warnings = repaired(question.case, question.rubric, text, first.unusable, had)
        for key, quotes in together.items():
            entries[key] = entries[key].updated(quotes=quotes, wanted_quote=True)
        return Reading(first.opinion.updated(entries=entries, warnings=warnings))


CRITIC = Critic()
