"""Accuracy and Empathy, which the embedded judge cannot tell: the middle of the scale, and no vote in a jury."""

from decimal import Decimal

from adjudge.judges.embedded import EmbeddedJudge
from adjudge.judges.jury import Jury
from adjudge.protocols.dialogue.case import Dialogue, Turn
from adjudge.protocols.dialogue.questions import EvaluateQuestion
from adjudge.protocols.dialogue.rules import dialogue
from adjudge.protocols.dialogue.verdict import DialogueVerdict, Evaluation
from adjudge.protocols.rubrics import shipped

GOOD = """
USER: I'm looking for a cheap hotel in the north with free parking.
SYSTEM: There are 2 cheap hotels in the north with free parking: City Lodge and North House. Which do you prefer?
USER: Perfect! What is the phone number of City Lodge?
SYSTEM: The phone number of City Lodge is 01234 556677. Is there anything else I can help you with?
USER: No, that is all. Thank you so much, you were very helpful!
"""


def talk(text: str) -> Dialogue:
    lines = [line.partition(": ") for line in text.strip().splitlines()]
    return Dialogue(
        1, tuple(Turn("USER" if who == "USER" else "SYSTEM", said, at) for at, (who, _, said) in enumerate(lines, 1))
    )


async def evaluation_of(case: Dialogue) -> Evaluation:
    evaluation = await EmbeddedJudge().opine(EvaluateQuestion(case, shipped("dialogue")))
    assert isinstance(evaluation, Evaluation)
    return evaluation


async def test_accuracy_is_always_the_middle_and_said_to_be_not_assessed() -> None:
    disputed = GOOD.replace("Perfect!", "That's wrong. Are you sure?").replace("No, that is all.", "That is not true.")
    for text in (GOOD, disputed):
        mark = (await evaluation_of(talk(text))).marks["Accuracy"]
        assert mark.value == 60 and "cannot be measured" in mark.reason and not mark.assessed


async def test_a_score_that_the_critic_moved_is_no_longer_called_the_middle() -> None:
    judge = EmbeddedJudge()
    contradiction = (
        "USER: Where is my order 4471 now?\nSYSTEM: The order 4471 is at the depot in Leeds.\n"
        "USER: Are you sure of it?\nSYSTEM: The order 4471 is not at the depot in Leeds.\nUSER: Fine."
    )
    verdict = await dialogue(talk(contradiction), judge, judge, shipped("dialogue"))
    assert isinstance(verdict, DialogueVerdict)
    assert verdict.rulings["Accuracy"].value == 40
    (warning,) = verdict.warnings
    assert "cannot assess Empathy:" in warning.message


async def test_a_jury_leaves_out_who_could_not_assess() -> None:
    class Reader:
        name = "reader"

        async def opine(self, question: EvaluateQuestion) -> Evaluation:
            evaluation = await evaluation_of(question.case)
            full = {key: mark.updated(value=Decimal(100), assessed=True) for key, mark in evaluation.marks.items()}
            return Evaluation(judge=self.name, marks=full)

        async def close(self) -> None: ...

    jury = Jury("jury:embedded+reader", (EmbeddedJudge(), Reader()))  # type: ignore[arg-type]
    evaluation = await jury.opine(EvaluateQuestion(talk(GOOD), shipped("dialogue")))
    assert isinstance(evaluation, Evaluation)
    assert evaluation.marks["Accuracy"].value == 100
