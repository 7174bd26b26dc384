"""The Explainer: which of a person's justifications may stand beside final ratings, and what decides between the two.

It is asked once, after the ratings are fixed. It changes none of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ... import prompts
from ...models import LABELS, Explanation, JudgedWords, Warning
from ...prompts.fence import Message, all_fenced, fenced, in_one_line
from ...text.reasons import WordChecker, language_of_reply, misstated_rating, not_english
from ..base import ExplainQuestion
from .base import Reading, Role, Shape, object_of
from .rater import sentences_needed, shown_texts

_WORDS = object_of("judged_words", {"reason": str, "specific": bool, "true": bool})


class Explainer(Role[ExplainQuestion, Explanation]):
    """Asks for and reads explanations."""

    file, schema_name = "explainer", "explanation"

    def shape(self, question: ExplainQuestion) -> Shape:
        """An answer to every candidate is demanded, and stands before the sentences."""
        judged = {f"candidate_{number}": _WORDS for number, _ in enumerate(question.candidates, start=1)}
        fields = {"candidates": object_of("candidates", judged)} if judged else {}
        return Shape(object_of("explanation", {**fields, "reasons": str}))

    def messages(self, question: ExplainQuestion) -> tuple[str, Message]:
        tables = []
        for number, label in enumerate(LABELS, start=1):
            rated = [(item.name, *question.tables[label][item.key]) for item in question.rubric.criteria]
            lines = [f"- {name}: {value}. {in_one_line(words)}" for name, value, words in rated]
            tables.append("\n".join((f"Response {number}", *lines)))
        candidates = "\n".join(
            f"candidate_{number} ({candidate.about}, rated {candidate.rating}): {in_one_line(candidate.words)}"
            for number, candidate in enumerate(question.candidates, start=1)
        )
        file = prompts.load("explainer")
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
        foreign = language_of_reply([*(given["reason"] for given in judged), reply["reasons"]])
        words: dict[str, JudgedWords] = {}
        problems: list[str] = []
        for number, (candidate, given) in enumerate(zip(question.candidates, judged, strict=True), start=1):
            reason = in_one_line(given["reason"]).rstrip(".")
            if why := ("" if reason else "empty") or check.invented_quote(reason) or not_english(reason, foreign):
                problems.append(f"candidate_{number}.reason: {why}")
                reason = ""
            words[candidate.key] = JudgedWords(specific=given["specific"], true=given["true"], reason=reason)
        reasons = in_one_line(reply["reasons"])
        wrong = _problems(question, check, reasons, foreign)
        warnings = tuple(Warning(code="composed_by_rule", message=f"reasons: {why}; written by rule") for why in wrong)
        opinion = Explanation(judge=judge, reasons="" if wrong else reasons, words=words, warnings=warnings)
        return Reading(opinion, (*problems, *(f"reasons: {why}" for why in wrong)))

    def read_repair(
        self, question: ExplainQuestion, first: Reading[Explanation], text: str, judge: str
    ) -> Reading[Explanation]:
        again = self.read(question, text, judge)
        if first.opinion is None or again.opinion is None:
            return again if first.opinion is None else first
        # Only words were asked for again: what was said of the candidates stands.
        words = {
            key: said if said.reason else said.updated(reason=again.opinion.words[key].reason)
            for key, said in first.opinion.words.items()
        }
        return Reading((first.opinion if first.opinion.reasons else again.opinion).updated(words=words))


def _problems(question: ExplainQuestion, check: WordChecker, reasons: str, foreign: str) -> list[str]:
    """What is wrong with the sentences that explain the preference."""
    if not reasons:
        return ["empty"]
    rated = [f"{value} {said}" for table in question.tables.values() for value, said in table.values()]
    a, b = (question.tables[label] for label in LABELS)
    ratings = {item.name: (a[item.key][0], b[item.key][0]) for item in question.rubric.criteria}
    found = (
        sentences_needed(reasons),
        not_english(reasons, foreign),
        check.invented_quote(reasons),
        check.unknown_number(reasons, rated),
        misstated_rating(reasons, ratings),
    )
    return [why for why in found if why]


EXPLAINER = Explainer()
