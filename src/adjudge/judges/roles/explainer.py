"""The Explainer: which of a person's justifications may stand beside final ratings, and what decides between the two.

It is asked once, after the ratings are fixed. It changes none of them.
"""

from __future__ import annotations

from ... import prompts
from ...llm.base import BlankPrompt
from ...models import LABELS, Explanation, JudgedWords, Warning
from ...prompts.fence import Message, all_fenced, fenced, in_one_line
from ...text.reasons import WordChecker, language_of_reply, misstated_rating, not_english
from ...text.sentences import sentences
from ..base import ExplainQuestion
from .base import Reading, Role, Shape, object_of
from .rater import REASONS, shown_texts

_WORDS = object_of("judged_words", {"reason": str, "specific": bool, "true": bool})


def _shape(question: ExplainQuestion) -> Shape:
    """An answer to every candidate is demanded, and stands before the sentences."""
    judged = {f"candidate_{number}": _WORDS for number, _ in enumerate(question.candidates, start=1)}
    fields = {"candidates": object_of("candidates", judged)} if judged else {}
    return Shape(object_of("explanation", {**fields, "reasons": str}))


class Explainer(Role[ExplainQuestion, Explanation]):
    """Asks for and reads explanations."""

    file = "explainer"

    def prompt(self, question: ExplainQuestion) -> BlankPrompt:
        texts = shown_texts(question.case)
        tables = "\n\n".join(
            f"Response {number}\n"
            + "\n".join(
                f"- {item.name}: {value}. {in_one_line(words)}"
                for item in question.rubric.criteria
                for value, words in (question.tables[label][item.key],)
            )
            for number, label in enumerate(LABELS, start=1)
        )
        candidates = "\n".join(
            f"candidate_{number} ({candidate.about}, rated {candidate.rating}): {in_one_line(candidate.words)}"
            for number, candidate in enumerate(question.candidates, start=1)
        )
        user = prompts.load("explainer").message(
            "user",
            texts=all_fenced(texts),
            tables=fenced("TABLES", tables),
            candidates=Message.of("\n", fenced("CANDIDATES", candidates), "\n") if candidates else "",
            verdict=question.verdict,
        )
        system = prompts.load("explainer").render("system")
        return BlankPrompt(system, user, _shape(question).schema, "explanation")

    def read(self, question: ExplainQuestion, text: str, judge: str) -> Reading[Explanation]:
        reply = _shape(question).parse(text)
        if isinstance(reply, tuple):
            return Reading(None, reply)
        check = WordChecker(
            (*shown_texts(question.case).values(), *(candidate.words for candidate in question.candidates))
        )
        said = [given["reason"] for given in reply.get("candidates", {}).values()]
        foreign = language_of_reply([*said, reply["reasons"]])
        words: dict[str, JudgedWords] = {}
        problems: list[str] = []
        for number, candidate in enumerate(question.candidates, start=1):
            given = reply["candidates"][f"candidate_{number}"]
            reason = " ".join(given["reason"].split()).rstrip(".")
            if why := ("" if reason else "empty") or check.invented_quote(reason) or not_english(reason, foreign):
                problems.append(f"candidate_{number}.reason: {why}")
                reason = ""
            words[candidate.key] = JudgedWords(specific=given["specific"], true=given["true"], reason=reason)
        reasons = " ".join(reply["reasons"].split())
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
        if first.opinion.reasons:
            return Reading(first.opinion.updated(words=words))
        return Reading(again.opinion.updated(words=words))


def _problems(question: ExplainQuestion, check: WordChecker, reasons: str, foreign: str) -> tuple[str, ...]:
    """What is wrong with the sentences that explain the preference."""
    if not reasons:
        return ("empty",)
    least, most = REASONS
    count = len(sentences(reasons))
    rated = [f"{value} {said}" for table in question.tables.values() for value, said in table.values()]
    a, b = (question.tables[label] for label in LABELS)
    ratings = {item.name: (a[item.key][0], b[item.key][0]) for item in question.rubric.criteria}
    found = (
        "" if least <= count <= most else f"{count} sentence{'' if count == 1 else 's'}; {least} or {most} are needed",
        not_english(reasons, foreign),
        check.invented_quote(reasons),
        check.unknown_number(reasons, rated),
        misstated_rating(reasons, ratings),
    )
    return tuple(why for why in found if why)


EXPLAINER = Explainer()
