"""Cases for run directories: plain ones, hostile ones, several systems, labels and columns of somebody's own."""

from __future__ import annotations

from pathlib import Path

from results.building import Given

from adjudge.protocols.compare.case import Comparison
from adjudge.protocols.dialogue.transcript import read_dialogues
from adjudge.protocols.grade.case import Grading
from adjudge.protocols.review.case import Review
from adjudge.protocols.review.reading import read_reviews
from adjudge.protocols.rubrics import load, shipped
from adjudge.rubric import Rubric

EXAMPLES = Path(__file__).parents[2] / "examples"
GOOD = (
    "Put the egg in boiling water for eight minutes, then cool it under cold water so that it peels well. "
    "Use a timer. If the egg is very fresh, wait a day, because fresh eggs stick to their shells."
)
SHORT = "Boil it. Eggs are done when they are done, as everybody knows who has ever boiled one."
LONG = (
    "There are many ways to boil an egg, and it is an important topic that many people have thought about. "
    "First, you should consider water. Water is important. Then you should consider the pot, which holds the water. "
    "In general it is a good idea to be careful in a kitchen. I hope this helps! Let me know if you have questions."
)
HOSTILE = '<script>alert(1)</script> "><img src=x onerror=alert(2)> | **bold** [x](javascript:alert(3)) \u202e =1+1'
TASK = "How do I boil an egg{}?"


def comparisons() -> list[Given]:
    answers = {"wren": GOOD, "crow": SHORT, "rook": LONG}
    pairs = [("wren", "crow"), ("crow", "rook"), ("rook", "wren"), ("crow", "wren"), ("rook", "crow"), ("wren", "rook")]
    labels = ["A", "B", "B", "B", "tie", None]
    rows = [
        Given(
            f"egg-{number}",
            Comparison(TASK.format(f" for {number + 1} people"), answers[a], answers[b]),
            label,
            (a, b),
            {"topic": "eggs", "batch": number, "winner": "people's choice"},
        )
        for number, ((a, b), label) in enumerate(zip(pairs, labels, strict=True))
    ]
    hostile = Given(
        "=cmd|' /C calc'!A0",
        Comparison(HOSTILE, HOSTILE + GOOD, SHORT + HOSTILE),
        "A",
        (HOSTILE, "wren"),
        {"topic": "-2+3", "batch": 7, "winner": None, HOSTILE: "x"},
    )
    same = Given("twins", Comparison(TASK.format(""), SHORT, SHORT), "tie", ("crow", "rook"))
    failed = Given("lost", Comparison(TASK.format(" on a ship"), GOOD, LONG), "A", ("wren", "rook"), fate="failure")
    bad = Given("bad", Comparison(TASK.format(" on Mars"), GOOD, LONG), fate="bad")
    late = Given("late", Comparison(TASK.format(" later"), GOOD, LONG), "A", ("wren", "rook"), fate="unfinished")
    return [*rows, hostile, same, failed, bad, late]


def dialogues() -> list[Given]:
    text = (EXAMPLES / "dialogue.txt").read_bytes()
    one = read_dialogues(text, "dialogue.txt", first_id=1)[0]
    rude = text.replace(b"I'm sorry to hear that. May", b"So what. May").replace(b"Certainly. ", b"")
    two = read_dialogues(rude, "dialogue.txt", first_id=2)[0]
    odd = read_dialogues(f"USER: {HOSTILE}\nSYSTEM: I cannot help with that.\n".encode(), "odd.txt", first_id=3)[0]
    return [
        Given("1", one, "60", extra={"channel": "phone"}),
        Given("2", two, "40", extra={"channel": "chat"}),
        Given("3", odd),
        Given("4", one.updated(dialogue_id=4), fate="failure"),
    ]


def graded_by() -> Rubric:
    """The rubric of checks that the gradings are held against."""
    return load(EXAMPLES / "grade.yaml", "grade")


def gradings() -> list[Given]:
    """Answers of two systems: some pass, some fail, one is undecided (its question is not assessed), one is hostile."""
    good = '{"subject": "Order 48213", "body": "The refund for order 48213 takes up to 14 days."}'
    half = '{"subject": "Order 48213", "body": "We promise that the money comes."}'
    close = '{"subject": "Order 48213", "body": "%s The refund is on its way." }' % ("Dear customer. " * 40)
    task = "Answer the customer ({})."
    return [
        Given("both-0", Grading(task.format(0), good), "pass", extra={"system": "wren", "region": "north"}),
        Given("both-0 again", Grading(task.format(0), half), "fail", extra={"system": "rook"}),
        Given("both-1", Grading(task.format(1), f"{good} "), "fail", extra={"system": "wren"}),
        Given("both-1 again", Grading(task.format(1), "No."), "fail", extra={"system": "rook"}),
        Given("close", Grading(task.format(2), close), "pass", extra={"system": "rook"}),
        Given("odd", Grading(HOSTILE, HOSTILE), extra={"system": HOSTILE}),
        Given("lost", Grading("Something.", "x"), fate="failure", extra={"system": "wren"}),
    ]


def reviews() -> list[Given]:
    case = read_reviews((EXAMPLES / "review.txt").read_bytes(), "review.txt", shipped("review"))[0]
    return [
        Given("walk", case, "A", ("wren", "rook")),
        Given("swapped", case.updated(a=case.b, b=case.a), "B", ("rook", "wren")),
        Given("odd", Review(prompt=HOSTILE, a=GOOD, b=HOSTILE), "4"),
        Given("empty", Review(prompt="Say something.", a="", b="x")),
        Given("lost", case.updated(prompt="Name two reasons to walk."), fate="failure"),
    ]
