"""A jury: several judges asked the same question, settled score by score with a named vote rule.

`median` (the default) and `mean` settle scores; preferences are settled by majority, and without one it is a tie.
A jury needs more than half of its members: fewer opinions are a failure, not a smaller jury.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal, cast

from ..arithmetic import mean, median, rounded
from ..errors import NotJournalledError
from ..models import (
    LABELS,
    Call,
    ComparisonOpinion,
    Critique,
    Evaluation,
    Explanation,
    Failure,
    JudgedWords,
    Label,
    Mark,
    Objection,
    RatedResponse,
    Rating,
    Research,
    ReviewOpinion,
    Score,
    Warning,
    Winner,
)
from ..models.constraints import Constraint, Observation
from ..rubric import LIKERT, Scale
from ..text.reasons import rescored
from .base import MAX_QUERIES, Judge, O, Question

VoteRule = Literal["median", "mean"]
VOTE_RULES: dict[VoteRule, Callable[[Iterable[Decimal]], Fraction]] = {"median": median, "mean": mean}


@dataclass(frozen=True, slots=True)
class Jury:
    """Several judges that speak as one; `recorded` are the failures of members that a replay finds no reply of."""

    name: str
    members: tuple[Judge, ...]
    rule: VoteRule = "median"
    recorded: tuple[tuple[str, Failure], ...] = ()

    async def opine(self, question: Question[O]) -> O | Failure:
        answers: list[Any] = list(await asyncio.gather(*(self._ask(member, question) for member in self.members)))
        opinions = [answer for answer in answers if not isinstance(answer, Failure)]
        failures = [answer for answer in answers if isinstance(answer, Failure)]
        calls = tuple(call for answer in answers for call in answer.calls)
        if unsent := next((failure for failure in failures if failure.reason in ("over_budget", "stopped")), None):
            # The budget or the run ended in the middle of a case: what the jury says must not depend on where.
            return unsent.updated(calls=calls)
        if 2 * len(opinions) <= len(self.members):
            said = "; ".join(f"{failure.judge}: {failure.reason}: {failure.message}" for failure in failures)
            message = f"only {len(opinions)} of {len(self.members)} members gave an opinion: {said}"
            return Failure(reason="no_quorum", message=message, judge=self.name, calls=calls)
        warnings = tuple(warning for opinion in opinions for warning in getattr(opinion, "warnings", ()))
        warnings += tuple(
            Warning(code="jury_member_failed", message=f"{failure.judge}: {failure.reason}: {failure.message}")
            for failure in failures
        )
        settled: Any
        if isinstance(opinions[0], Research):
            settled = self._research(opinions, calls)
        elif isinstance(opinions[0], Evaluation):
            settled = self._evaluation(opinions, calls, warnings, question)
        elif isinstance(opinions[0], ReviewOpinion):
            settled = self._review(opinions, calls, warnings, question)
        elif isinstance(opinions[0], Explanation):
            settled = self._explanation(opinions, calls, warnings)
        elif isinstance(opinions[0], Critique):
            settled = self._critique(opinions, calls, warnings, question)
        else:
            settled = self._comparison(opinions, calls, warnings)
        return cast(O, settled.updated(failures=tuple(failures)))

    async def _ask(self, member: Judge, question: Question[O]) -> O | Failure:
        try:
            return await member.opine(question)
        except NotJournalledError:
            # A replay: a member that failed then left no reply, and fails now as it did.
            for asked, failure in self.recorded:
                if asked == asked_of(question) and failure.judge == member.name:
                    return failure
            raise

    def _research(self, opinions: list[Research], calls: tuple[Call, ...]) -> Research:
        # Every member's first wish before anybody's second.
        longest = max(len(opinion.queries) for opinion in opinions)
        turns = [q for at in range(longest) for opinion in opinions for q in opinion.queries[at : at + 1]]
        return Research(judge=self.name, queries=tuple(dict.fromkeys(turns))[:MAX_QUERIES], calls=calls)

    def _evaluation(
        self, opinions: list[Evaluation], calls: tuple[Call, ...], warnings: tuple[Warning, ...], question: Any
    ) -> Evaluation:
        """Every mark settled, on the scale, with the reason and the quotes of the member who came nearest."""
        marks: dict[str, Mark] = {}
        for key in opinions[0].marks:
            given = [opinion.marks[key] for opinion in opinions]
            given = [mark for mark in given if mark.assessed] or given
            value = on_scale(VOTE_RULES[self.rule](mark.value for mark in given), question.rubric.scale)
            nearest = min(given, key=lambda mark: abs(mark.value - value))
            marks[key] = nearest.updated(value=value, reason=rescored(nearest.reason, value))
        return Evaluation(judge=self.name, marks=marks, calls=calls, warnings=warnings)

    def _critique(
        self, opinions: list[Critique], calls: tuple[Call, ...], warnings: tuple[Warning, ...], question: Any
    ) -> Critique:
        """An objection stands if more than half object; its score is settled among those who do."""
        entries: dict[str, Objection] = {}
        for key in opinions[0].entries:
            given = [opinion.entries[key] for opinion in opinions]
            objecting = [entry for entry in given if not entry.agree and entry.suggested is not None]
            scores = [entry.suggested for entry in objecting if entry.suggested is not None]
            mark = question.evaluation.marks[key].value
            value = on_scale(VOTE_RULES[self.rule](scores), question.rubric.scale) if scores else mark
            if 2 * len(objecting) <= len(given) or value == mark:
                agreeing = next((entry for entry in given if entry.agree), None)
                entries[key] = agreeing or Objection(
                    agree=True,
                    comment="The members do not agree on another score.",
                    suggested=None,
                    contradicts=False,
                    quotes=(),
                )
                continue
            # Words and quotes are one member's, and contradiction counts only where that member's own quote is real.
            contradicting = sum(entry.contradicts and bool(entry.quotes) for entry in objecting)
            voices = [entry for entry in objecting if entry.quotes] or objecting
            speaker = min(voices, key=lambda entry: abs((entry.suggested or value) - value))
            entries[key] = speaker.updated(
                comment=rescored(speaker.comment, value),
                suggested=value,
                contradicts=2 * contradicting > len(objecting),
            )
        return Critique(judge=self.name, entries=entries, calls=calls, warnings=warnings)

    def _review(
        self, opinions: list[ReviewOpinion], calls: tuple[Call, ...], warnings: tuple[Warning, ...], question: Any
    ) -> ReviewOpinion:
        """Every rating settled among those who assess it, on its scale; yes and no by majority."""
        scales = {criterion.key: criterion.scale for criterion in question.rubric.criteria}
        half = len(opinions) / 2
        responses: dict[Label, RatedResponse] = {}
        for label in LABELS:
            given = [opinion.responses[label] for opinion in opinions]
            responses[label] = RatedResponse(
                ratings={key: self._rating([rated.ratings[key] for rated in given], scales[key]) for key in scales},
                unusable=sum(rated.unusable for rated in given) > half,
                still_good=next((rated.still_good for rated in given if rated.still_good), "")
                if sum(bool(rated.still_good) for rated in given) > half
                else "",
            )
        invalid = [opinion.invalid for opinion in opinions if opinion.invalid]
        preference = int(on_scale(VOTE_RULES[self.rule](Decimal(o.preference) for o in opinions), LIKERT))
        speaker = min(opinions, key=lambda opinion: (not opinion.reasons, abs(opinion.preference - preference)))
        return ReviewOpinion(
            judge=self.name,
            task_type=Counter(opinion.task_type for opinion in opinions).most_common(1)[0][0],
            invalid=invalid[0] if len(invalid) > half else "",
            response1=responses["A"],
            response2=responses["B"],
            preference=preference,
            reasons=speaker.reasons,
            constraints=_demanded(opinions),
            observations=_seen(opinions),
            calls=calls,
            warnings=warnings,
        )

    def _explanation(
        self, opinions: list[Explanation], calls: tuple[Call, ...], warnings: tuple[Warning, ...]
    ) -> Explanation:
        """A person's words stand or not by the majority of those who judged them, and a draw keeps them."""
        words: dict[str, JudgedWords] = {}
        for key in dict.fromkeys(key for opinion in opinions for key in opinion.words):
            given = [opinion.words[key] for opinion in opinions if key in opinion.words]
            against = [one for one in given if not one.stand]
            standing = [one for one in given if one.stand]
            words[key] = against[0] if len(against) > len(standing) else standing[0]
        reasons = next((opinion.reasons for opinion in opinions if opinion.reasons), "")
        return Explanation(judge=self.name, reasons=reasons, words=words, calls=calls, warnings=warnings)

    def _rating(self, given: list[Rating], scale: Scale) -> Rating:
        voices = [rating for rating in given if rating.assessed] or given
        value = int(on_scale(VOTE_RULES[self.rule](Decimal(rating.value) for rating in voices), scale))
        nearest = min(voices, key=lambda rating: abs(rating.value - value))
        return nearest.updated(value=value, justification=rescored(nearest.justification, value))

    def _comparison(
        self, opinions: list[ComparisonOpinion], calls: tuple[Call, ...], warnings: tuple[Warning, ...]
    ) -> ComparisonOpinion:
        preference = majority([opinion.preference for opinion in opinions])
        speaker = next((opinion for opinion in opinions if opinion.preference == preference), None)
        return ComparisonOpinion(
            judge=self.name,
            order=opinions[0].order,
            scores={key: {label: self._score(key, label, opinions) for label in LABELS} for key in opinions[0].scores},
            evidence=tuple(item for opinion in opinions for item in opinion.evidence),
            unquoted=tuple(dict.fromkeys(place for opinion in opinions for place in opinion.unquoted)),
            summaries=(speaker or opinions[0]).summaries,
            preference=preference,
            # No member's reason for one side stands for a preference that no member has.
            rationale=speaker.rationale if speaker else "The members of the jury do not prefer the same response.",
            calls=calls,
            warnings=warnings,
            members=tuple(opinions),
            decided=2 * sum(opinion.decided for opinion in opinions) > len(opinions),
        )

    def _score(self, criterion: str, label: Label, opinions: list[ComparisonOpinion]) -> Score:
        """The settled score, with the words of the member who came nearest to it."""
        given = [opinion.scores[criterion][label] for opinion in opinions]
        given = [score for score in given if score.assessed] or given
        exact = VOTE_RULES[self.rule](score.value for score in given)
        nearest = min(given, key=lambda score: abs(Fraction(score.value) - exact))
        return Score(value=rounded(exact), justification=nearest.justification, assessed=nearest.assessed, exact=exact)

    async def close(self) -> None:
        await asyncio.gather(*(member.close() for member in self.members))


def _demanded(opinions: list[ReviewOpinion]) -> tuple[Constraint, ...]:
    """Every constraint that a member lists; certain if more than half of the members do, else a hint."""
    listed: dict[tuple[object, ...], list[Constraint]] = {}
    for opinion in opinions:
        for constraint in opinion.constraints:
            listed.setdefault(constraint.demand, []).append(constraint)
    return tuple(
        _by_majority(same, len(opinions), strict=2 * sum(one.strict for one in same) > len(same))
        for same in listed.values()
    )


def _seen(opinions: list[ReviewOpinion]) -> tuple[Observation, ...]:
    """What members saw, by response and kind: certain if more than half of them saw it, else a hint.

    The quotes are those of the member with the median number of them; what they carry is settled by majority.
    """
    reports: dict[tuple[str, str], list[tuple[Observation, ...]]] = {}
    for opinion in opinions:
        for place in dict.fromkeys((seen.response, seen.kind) for seen in opinion.observations):
            own = tuple(seen for seen in opinion.observations if (seen.response, seen.kind) == place)
            reports.setdefault(place, []).append(own)
    settled: list[Observation] = []
    for given in reports.values():
        certain = 2 * sum(own[0].certain for own in given) > len(opinions)
        told = [own[0].harmful for own in given]
        carries = {
            "certain": certain,
            # Which it is binds, so one voice beside others that do not say is not enough.
            "harmful": next((value for value in (True, False) if 2 * told.count(value) > len(told)), None),
            "part_missing": 2 * sum(own[0].part_missing for own in given) > len(given),
            "mild": 2 * sum(own[0].mild for own in given) > len(given),
        }
        middle = sorted(given, key=len)[(len(given) - 1) // 2]
        settled += [one.model_copy(update=carries) for one in middle]
    return tuple(settled)


def _by_majority(same: list[Constraint], members: int, *, strict: bool) -> Constraint:
    certain = 2 * sum(one.certain for one in same) > members
    return same[0].model_copy(update={"certain": certain, "strict": strict})


def asked_of(question: Question[Any]) -> str:
    """Which question it was: a member may fail at one and answer the other."""
    return f"{type(question).__name__} {getattr(question, 'order', '')}".strip()


def on_scale(value: Fraction, scale: Scale) -> Decimal:
    """The step of the scale nearest to a settled value; between two, the lower."""
    return min(scale.values, key=lambda step: (abs(Fraction(step) - value), step))


def majority(preferences: list[Winner]) -> Winner:
    """What more than half prefer; otherwise a tie."""
    preference, votes = Counter(preferences).most_common(1)[0]
    return preference if 2 * votes > len(preferences) else "tie"
