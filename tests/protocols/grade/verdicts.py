"""Makes verdicts of gradings for tests of what shows, stores and counts them, without judging anything."""

from fractions import Fraction

from adjudge.models.common import Provenance, Warning, spent
from adjudge.models.constraints import Constraint
from adjudge.protocols.grade.case import AnswerStep, ContextText, Grading, final_text
from adjudge.protocols.grade.verdict import (
    CheckResult,
    Claim,
    Extreme,
    GradeVerdict,
    ItemVerdict,
    MainPoint,
    MeasuredConstraint,
    Quote,
    shown_score,
)
from adjudge.protocols.rubrics import parse

ALL_KINDS = """\
name: all kinds
version: "1"
protocol: grade
pass_at: 0.7
items:
  - {key: names_the_city, points: 2, ask: "Does the answer name the city?"}
  - {key: rude, points: -3, ask: "Is the answer rude?"}
  - key: clear
    points: 1
    required: true
    at_least: 3
    ask: How clear is it?
    scale: {1: not at all, 3: partly, 5: fully}
  - {key: rests_on_sources, points: 3, claims: context}
  - {key: covers, points: 3, covers: reference}
  - {key: demands, points: 2, constraints: task}
  - {key: short, points: 1, check: {max_words: 40}}
"""
TASK = "What is the capital of Norway, and how many people live there? Answer in at most 2 sentences."
ANSWER = "The capital of Norway is Oslo. About 720,000 people live there, and it was founded in 1624."
REFERENCE = "Oslo is the capital. It has about 720,000 inhabitants."
SOURCE = "Oslo is the capital of Norway. In 2024 it had 717,710 inhabitants. It was founded around 1040."


def rubric():
    return parse(ALL_KINDS, "all_kinds.yaml")


def case(**fields):
    given = {
        "task": TASK,
        "answer": ANSWER,
        "reference": REFERENCE,
        "context": [ContextText(id="guide", text=SOURCE)],
        **fields,
    }
    return Grading(**given)


def stepped(*steps, **fields):
    """Make a case whose answer is steps: (kind, text) or (kind, text, tool's name)."""
    made = tuple(AnswerStep(kind=kind, text=text, name="".join(name)) for kind, text, *name in steps)
    return case(answer=final_text(made), steps=made, **fields)


def quote(given, words, text="answer", step=None, context=None):
    """Make the quote of some words of one of the case's texts."""
    whole = {
        "answer": given.answer,
        "reference": given.reference,
        "step": step and given.steps[step - 1].text,
        "context": context and next(one.text for one in given.context if one.id == context),
    }[text]
    start = whole.index(words)
    return Quote(text=text, step=step, context=context, quote=words, start=start, end=start + len(words))


def item(key, kind, points, result, share=None, **fields):
    """Make an item; its share of the points is a fraction such as "2/3", or None if it was not assessed."""
    if share is None:
        return ItemVerdict(
            key=key, kind=kind, points=points, result=result, assessed=False,
            applicable=result != "not_applicable", **fields,
        )  # fmt: skip
    earned = Fraction(points) * Fraction(share)
    return ItemVerdict(
        key=key, kind=kind, points=points, result=result, share=Fraction(share), earned=shown_score(earned),
        earned_exact=earned, **fields,
    )  # fmt: skip


def items(given):
    """Make an item of every kind for the case of this file, with claims of all three results."""
    city = quote(given, "The capital of Norway is Oslo.")
    people = quote(given, "About 720,000 people live there")
    founded = quote(given, "it was founded in 1624")
    constraint = Constraint(
        kind="sentences", source="prompt", quote="at most 2 sentences", start=TASK.index("at most"),
        end=TASK.index("at most") + len("at most 2 sentences"), bound="at_most", amount=2,
    )  # fmt: skip
    return (
        item("names_the_city", "ask", 2, "yes", 1, reason="It names Oslo.", evidence=(city,)),
        item("rude", "ask", -3, "no", 0, reason="It is matter-of-fact."),
        item("clear", "scale", 1, "5", 1, required=True, met=True, reason="Two plain sentences.", evidence=(people,)),
        item(
            "rests_on_sources", "claims", 3, "1/3", "1/3",
            reason="1 of 3 claims is supported, 1 is contradicted, 1 was not found.",
            claims=(
                Claim(
                    claim=city, result="supported",
                    source=quote(given, "Oslo is the capital of Norway.", "context", context="guide"),
                ),
                Claim(
                    claim=founded, result="contradicted",
                    source=quote(given, "It was founded around 1040.", "context", context="guide"),
                ),
                Claim(claim=people, result="not_found"),
            ),
        ),
        item(
            "covers", "covers", 3, "2/2", 1,
            reason="2 of 2 main points are covered.",
            main_points=(
                MainPoint(point=quote(given, "Oslo is the capital.", "reference"), result="covered", answer=city),
                MainPoint(
                    point=quote(given, "It has about 720,000 inhabitants.", "reference"), result="covered",
                    answer=people,
                ),
            ),
        ),
        item(
            "demands", "constraints", 2, "1/1", 1, reason="1 of 1 demand is met.",
            constraints=(
                MeasuredConstraint(constraint=constraint, met=True, found="2 sentences", asked="at most 2 sentences"),
            ),
        ),
        item(
            "short", "check", 1, "yes", 1, reason="All conditions are met.",
            checks=(CheckResult(name="max_words", asked="has at most 40 words", met=True, found="has 17 words"),),
        ),
    )  # fmt: skip


def extreme(score, passed=False):
    """Make the outcome with what nobody assessed at its worst or at its best."""
    exact = Fraction(score)
    return Extreme(score=shown_score(exact), score_exact=exact, passed=passed)


def verdict(given=None, score="10/12", passed=True, decided=True, **fields):
    """Make a verdict on a case; without one, on the case of this file with an item of every kind."""
    given = given or case()
    exact = Fraction(score)
    end = extreme(score, bool(passed))
    made = {
        "verdict_id": "g" + "0" * 20,
        "score": shown_score(exact),
        "score_exact": exact,
        "passed": passed,
        "sure": decided,
        "pass_at": "0.7",
        "worst": end,
        "best": end,
        "why": "Passed: the score is 83.3, 70 is needed, and every required item is met.",
        "items": items(given) if not fields.get("items") else (),
        "warnings": (Warning(code="dropped_quote", message="clear: a quote is not in the answer"),),
        "provenance": Provenance(
            software="adjudge 0", judge="scripted", rubric=rubric().reference, prompts={}, sample=0, seed=0,
            temperature=0,
        ),
        "case": given,
        "rubric": rubric(),
        **spent(()),
        **fields,
    }  # fmt: skip
    return GradeVerdict(**made)
