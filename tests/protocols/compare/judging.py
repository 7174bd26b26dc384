"""A judge of comparisons that says what a test tells it."""

from decimal import Decimal

from adjudge.protocols.compare.case import Comparison
from adjudge.protocols.compare.rules import CompareOptions, compare
from adjudge.protocols.compare.verdict import ComparisonOpinion, ComparisonVerdict, Evidence, Score
from adjudge.protocols.rubrics import shipped

RUBRIC = shipped("compare")
CASE = Comparison("Say hello to the world.", "Hello to you, whole wide world.", "Good day to all of you there.")


class Scripted:
    def __init__(self, opinions, name="scripted"):
        self.opinions, self.name, self.questions = opinions, name, []

    async def opine(self, question):
        self.questions.append(question)
        return self.opinions[question.order]

    async def close(self):
        pass


def opinion(order, scores, preference="tie", case=CASE, rubric=RUBRIC, **changes):
    """What a judge says of one order; `scores` is a pair for every criterion, or a pair by criterion."""
    pairs = scores if isinstance(scores, dict) else dict.fromkeys(rubric.weights, scores)
    evidence = tuple(
        Evidence(criterion=key, answer=label, impact="favorable", quote=text[:20], rationale="r", start=0, end=20)
        for key in pairs
        for label, text in (("A", case.a), ("B", case.b))
    )
    given = {
        key: {
            label: Score(value=Decimal(n), justification=f"{label} {order}")
            for label, n in zip("AB", pair, strict=True)
        }
        for key, pair in pairs.items()
    }
    rationale, summaries = f"because {order} {preference}", {"A": "sum A", "B": "sum B"}
    said = ComparisonOpinion(
        judge="scripted", order=order, scores=given, evidence=evidence, summaries=summaries, preference=preference,
        rationale=rationale,
    )  # fmt: skip
    return said.updated(**changes)


def saying(scores, preference="tie", name="scripted", **more):
    """A judge that says the same in both orders."""
    return Scripted({order: opinion(order, scores, preference, **more) for order in ("ab", "ba")}, name)


async def judged(judge, case=CASE, rubric=RUBRIC, options=CompareOptions(), **more):
    verdict = await compare(case, judge, rubric, options, **more)
    assert isinstance(verdict, ComparisonVerdict), verdict
    return verdict
