"""What is judged, what is asked, and the verdict."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field

from adjudge.judges.base import Judge, Question
from adjudge.judges.role import Reading, Role, Shape, object_of
from adjudge.models.base import Exact
from adjudge.models.calibration import Calibrated
from adjudge.models.cases import Case, Text
from adjudge.models.common import (
    Call,
    Failure,
    Opinion,
    Provenance,
    QuoteCount,
    Quoted,
    Rechecked,
    Stages,
    Tokens,
    Warning,
    spent,
)
from adjudge.models.verdict import Verdict
from adjudge.prompts.fence import fenced
from adjudge.protocols.options import FormField, setting
from adjudge.protocols.procedure import provenance_of, verdict_id
from adjudge.protocols.settings import Settings, judge_setting
from adjudge.rubric import Rubric
from adjudge.text.evidence import Haystack
from adjudge.text.injection import without_attempts


class Line(Case, kw_only=False):
    protocol: ClassVar[str] = "toy"

    text: Text

    @property
    def size(self) -> int:
        return len(self.text)

    def without_attempts(self) -> Line:
        return self.updated(text=without_attempts(self.text))


class Decision(Opinion):
    polite: Literal["yes", "no"]
    quote: str = ""


class LineVerdict(Verdict):
    protocol: ClassVar[str] = "toy"

    verdict_id: str
    polite: Literal["yes", "no"]
    quote: str
    warnings: tuple[Warning, ...] = ()
    usage: Tokens
    cost_usd: Exact | None
    calls: tuple[Call, ...]
    provenance: Provenance
    recheck: Rechecked = None
    stages: Stages = ()
    quoted: Quoted = None
    calibrated: Calibrated = None
    failures: tuple[tuple[str, Failure], ...] = Field(default=(), exclude=True)
    case: Line = Field(exclude=True, repr=False)
    rubric: Any = Field(default=None, exclude=True, repr=False)

    @property
    def answer(self) -> str:
        return self.polite

    @property
    def number(self) -> Decimal:
        return Decimal(self.polite == "yes")


@dataclass(frozen=True, slots=True)
class PoliteQuestion(Question[Decision]):
    case: Line


class Decider(Role[PoliteQuestion, Decision]):
    folder, file, schema_name = Path(__file__).parent / "prompts", "decider", "decision"

    def shape(self, question):
        return Shape(object_of("decision", {"quote": str, "polite": Literal["yes", "no"]}))

    def messages(self, question):
        return self.prompts.render("system"), self.prompts.message("user", text=fenced("TEXT", question.case.text))

    def build(self, question, reply, again, judge):
        there = Haystack(question.case.text).find(reply["quote"]) is not None
        quote = reply["quote"] if there else ""
        return Reading(Decision(judge=judge, polite=reply["polite"], quote=quote, quoted=QuoteCount.of([there])))


DECIDER = Decider()


def combine(jury, votes, question):
    (side, _), *_ = Counter(opinion.polite for opinion, _ in votes).most_common()
    return next(opinion for opinion, _ in votes if opinion.polite == side).updated(judge=jury.name)


def measure(question, judge, model):
    polite = "please" in question.case.text.lower()
    return Decision(judge=judge, polite="yes" if polite else "no", quote=question.case.text)


@dataclass(frozen=True, kw_only=True)
class LineSettings(Settings[LineVerdict]):
    protocol = "toy"
    judge: str = judge_setting()
    gruff: bool = setting(False, "no text is polite", form=FormField("Be gruff", "no text is polite then"))
    shortest: int = setting(
        1, "fewest words of a polite text", metavar="N", between=(1, 9), form=FormField("Fewest words")
    )


async def decide(case: Line, judge: Judge, rubric: Rubric, options: LineSettings) -> LineVerdict | Failure:
    opinion = await judge.opine(PoliteQuestion(case))
    if isinstance(opinion, Failure):
        return opinion
    provenance = provenance_of(judge.name, rubric.reference, options, DECIDER)
    asked = ["toy", case.text, provenance.model_dump(), [call.key for call in opinion.calls]]
    asked += [options.gruff, options.shortest]
    refused = options.gruff or len(case.text.split()) < options.shortest
    return LineVerdict(
        verdict_id=verdict_id("t", asked),
        polite="no" if refused else opinion.polite,
        quote=opinion.quote,
        provenance=provenance,
        quoted=opinion.quoted,
        case=case,
        rubric=rubric,
        **spent(opinion.calls),
    )
