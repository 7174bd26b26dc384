"""The Explainer of a review, asked once after the ratings are fixed. It changes none of them.

It says which of a person's justifications can be kept, and what decides between the two responses. Its words are
checked in the same way as the Rater's, and against the final tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from ...judges.role import Reading, Role, Shape, object_of
from ...models.common import LABELS, Warning
from ...prompts.fence import Message, all_fenced, fenced, in_one_line
from ...rubric import Rubric
from ...text.reasons import WordChecker, language_of_reply, misstated_rating, not_english
from .arguments import BECAUSE, FEWEST_REASONS, read_reasons, reasons_of, sentences_of, stance_of
from .questions import Candidate, ExplainQuestion
from .rater import shown_texts
from .verdict import Argument, Explanation, Favours, JudgedWords, Stance


@lru_cache(maxsize=64)
def _explaining_shape(rubric: Rubric, candidates: tuple[int, ...]) -> Shape:
    """Return the form of a reply: an answer to every candidate is required and comes before the reasons.

    `candidates` are the numbers of their sentences of which the judge says what they are about.
    """
    stance = object_of("stance", stance_of(rubric))
    judged: dict[str, Any] = {}
    for number, count in enumerate(candidates, start=1):
        about = object_of(f"sentences_{number}", {f"sentence_{at}": stance for at in range(1, count + 1)})
        sides = {"sentences": about} if count else {}
        judged[f"candidate_{number}"] = object_of(
            f"judged_{number}", {"reason": str, **sides, "specific": bool, "true": bool}
        )
    fields = {"candidates": object_of("candidates", judged)} if judged else {}
    return Shape(object_of("explanation", {**fields, BECAUSE: reasons_of(rubric)}))


class Explainer(Role[ExplainQuestion, Explanation]):
    """Asks for and reads explanations."""

    folder, file, schema_name = Path(__file__).parent / "prompts", "explainer", "explanation"

    def shape(self, question: ExplainQuestion) -> Shape:
        return _explaining_shape(question.rubric, tuple(len(one.sentences) for one in question.candidates))

    def messages(self, question: ExplainQuestion) -> tuple[str, Message]:
        tables = []
        for number, label in enumerate(LABELS, start=1):
            rated = [(item.name, *question.tables[label][item.key]) for item in question.rubric.criteria]
            lines = [f"- {name}: {value}. {in_one_line(words)}" for name, value, words in rated]
            tables.append("\n".join((f"Response {number}", *lines)))
        candidates = "\n".join(
            f"candidate_{number} ({candidate.about}, rated {candidate.rating}):{_in_sentences(candidate)}"
            for number, candidate in enumerate(question.candidates, start=1)
        )
        file = self.prompts
        user = file.message(
            "user",
            texts=all_fenced(shown_texts(question.case)),
            tables=fenced("TABLES", "\n\n".join(tables)),
            candidates=Message.of("\n", fenced("CANDIDATES", candidates), "\n") if candidates else "",
            verdict=question.verdict,
        )
        return file.render("system"), user

    def build(
        self, question: ExplainQuestion, reply: Mapping[str, Any], again: Mapping[str, Any], judge: str
    ) -> Reading[Explanation]:
        check = WordChecker((*shown_texts(question.case).values(), *(one.words for one in question.candidates)))
        judged = list(reply.get("candidates", {}).values())
        foreign = language_of_reply([*(given["reason"] for given in judged), *sentences_of(reply)])
        words: dict[str, JudgedWords] = {}
        problems: list[str] = []
        for number, (candidate, given) in enumerate(zip(question.candidates, judged, strict=True), start=1):
            reason = in_one_line(given["reason"]).rstrip(".")
            if why := ("" if reason else "empty") or check.invented_quote(reason) or not_english(reason, foreign):
                problems.append(f"candidate_{number}.reason: {why}")
                reason = ""
            words[candidate.key] = JudgedWords(
                specific=given["specific"],
                true=given["true"],
                reason=reason,
                contradiction=_contradiction(given.get("sentences", {}), question.favoured),
            )
        reasons = read_reasons(reply[BECAUSE], partial(_misfit, question, check, foreign))
        missing = () if reply[BECAUSE] else (f"{BECAUSE}: empty; at least {FEWEST_REASONS} sentences are needed",)
        opinion = Explanation(judge=judge, reasons=reasons.good, words=words, warnings=reasons.dropped)
        return Reading(opinion, (*problems, *reasons.problems, *missing))

    def read_repair(
        self, question: ExplainQuestion, first: Reading[Explanation], text: str, judge: str
    ) -> Reading[Explanation]:
        again = self.read(question, text, judge)
        if first.opinion is None or again.opinion is None:
            return again if first.opinion is None else first
        # The repair asked only for words, so keep the first reply's decisions about the candidates.
        words = {
            key: given if given.reason else given.updated(reason=again.opinion.words[key].reason)
            for key, given in first.opinion.words.items()
        }
        both = first.opinion, again.opinion
        return Reading(max(both, key=lambda one: min(len(one.reasons), FEWEST_REASONS)).updated(words=words))


def _in_sentences(candidate: Candidate) -> str:
    """Return a candidate's words, as numbered sentences if the judge is to say what each is about."""
    numbered = [f"\n  sentence_{at}: {in_one_line(one)}" for at, one in enumerate(candidate.sentences, start=1)]
    return "".join(numbered) or f" {in_one_line(candidate.words)}"


def _contradiction(given: Mapping[str, Any], favoured: Mapping[str, Favours]) -> str:
    """Return which sentence of a person's the final tables contradict, and how, or an empty string."""
    found = ((number, Stance(**stance).contradiction(favoured)) for number, stance in enumerate(given.values(), 1))
    return next((f"sentence {number}: {why}" for number, why in found if why), "")


def _misfit(question: ExplainQuestion, check: WordChecker, foreign: str, argument: Argument) -> Warning | None:
    """Return what is wrong with a sentence that explains the preference, or None."""
    rated = [f"{value} {words}" for table in question.tables.values() for value, words in table.values()]
    a, b = (question.tables[label] for label in LABELS)
    ratings = {item.name: (a[item.key][0], b[item.key][0]) for item in question.rubric.criteria}
    why = (
        argument.contradiction(question.favoured)
        or not_english(argument.sentence, foreign)
        or check.invented_quote(argument.sentence)
        or check.unknown_number(argument.sentence, rated)
        or misstated_rating(argument.sentence, ratings)
    )
    return Warning(code="dropped_sentence", message=why) if why else None


EXPLAINER = Explainer()
