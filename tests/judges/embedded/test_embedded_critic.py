"""The embedded Critic agrees unless one moment of the transcript contradicts the score."""

from decimal import Decimal

import pytest

from adjudge.judges.embedded import EmbeddedJudge
from adjudge.protocols.dialogue.case import Dialogue, Turn
from adjudge.protocols.dialogue.questions import CriticizeQuestion
from adjudge.protocols.dialogue.verdict import Critique, Evaluation, Mark, Objection, Utterance
from adjudge.protocols.rubrics import parse, shipped
from adjudge.rubric import Rubric

PLAIN = "USER: Is there a bus to the airport?\nSYSTEM: Yes, the number 12 goes there.\nUSER: Fine."
REFUSED_LAST = (
    "USER: Is there a bus to the airport?\nSYSTEM: Yes, the number 12 goes there every hour.\n"
    "USER: Can you book a seat?\nSYSTEM: The booking was unsuccessful.\nUSER: Bye."
)
PRAISED = PLAIN.replace("Fine.", "Exactly what I needed!")
OPPOSITES = (
    "USER: Is it free?\nSYSTEM: The City Lodge has free parking for guests.\nUSER: Is it?\n"
    "SYSTEM: The City Lodge has not free parking for guests."
)
OWN_RUBRIC = """
name: own
version: "1"
protocol: dialogue
scale: {min: 1, max: 9}
criteria:
  - {key: service, weight: 0.5, guidance: Was the user served}
  - {key: TaskSuccess, weight: 0.5, guidance: Did the user get what they came for}
"""


def talk(text: str) -> Dialogue:
    lines = [line.partition(": ") for line in text.strip().splitlines()]
    return Dialogue(
        1, tuple(Turn("USER" if who == "USER" else "SYSTEM", said, at) for at, (who, _, said) in enumerate(lines, 1))
    )


async def critique_of(
    text: str, score: int, quotes: tuple[Utterance, ...] = (), rubric: Rubric | None = None, assessed: bool = True
) -> dict[str, Objection]:
    """What the Critic says when an Evaluator gave the same score and reason everywhere."""
    rubric = rubric or shipped("dialogue")
    marks = {
        key: Mark(value=Decimal(score), reason="It went this way.", quotes=quotes, assessed=assessed)
        for key in rubric.weights
    }
    case = talk(text)
    critique = await EmbeddedJudge().opine(CriticizeQuestion(case, rubric, Evaluation(judge="x", marks=marks)))
    assert isinstance(critique, Critique)
    assert list(critique.entries) == list(rubric.weights)
    for entry in critique.entries.values():
        assert entry.agree == (entry.suggested is None) == (not entry.quotes) == (not entry.contradicts)
        for quote in entry.quotes:
            turn = case.turns[quote.turn]
            assert turn.text[quote.start : quote.end] == quote.quote
            assert (turn.speaker, turn.line) == (quote.speaker, quote.line)
    return critique.entries


@pytest.mark.parametrize(
    ("text", "criterion", "score", "suggested", "quoted"),
    [
        (REFUSED_LAST, "TaskSuccess", 100, 80, ["The booking was unsuccessful."]),
        (REFUSED_LAST, "Helpfulness", 80, 60, ["The booking was unsuccessful."]),
        (PLAIN + "\nUSER: Where does it leave?", "TaskSuccess", 100, 80, ["Where does it leave?"]),
        (
            "USER: A train to Ely.\nSYSTEM: To York?\nUSER: No, I meant Ely.\nSYSTEM: It costs 9 pounds.",
            "Understanding", 100, 80, ["No, I meant Ely."],
        ),
        (
            OPPOSITES, "Accuracy", 80, 60,
            ["The City Lodge has free parking for guests.", "The City Lodge has not free parking for guests."],
        ),
        (
            "USER: Any room?\nSYSTEM: There is a room in the the old mill.",
            "Fluency", 100, 80, ["There is a room in the the old mill."],
        ),
        (PRAISED, "TaskSuccess", 40, 60, ["Exactly what I needed!"]),
        (PRAISED, "Helpfulness", 20, 40, ["Exactly what I needed!"]),
    ],
)  # fmt: skip
async def test_one_moment_is_enough_to_object_with_its_quote_and_another_score(
    text: str, criterion: str, score: int, suggested: int, quoted: list[str]
) -> None:
    entry = (await critique_of(text, score))[criterion]
    assert not entry.agree and entry.contradicts
    assert entry.suggested == suggested
    assert [quote.quote for quote in entry.quotes] == quoted


@pytest.mark.parametrize("score", [20, 40, 60, 80, 100])
async def test_it_agrees_with_any_score_of_a_conversation_without_such_a_moment(score: int) -> None:
    assert all(entry.agree for entry in (await critique_of(PLAIN, score)).values())


async def test_a_failure_does_not_lower_a_low_score_nor_praise_raise_a_high_one() -> None:
    assert (await critique_of(REFUSED_LAST, 40))["TaskSuccess"].agree
    assert (await critique_of(PRAISED, 80))["TaskSuccess"].agree


async def test_a_score_in_the_middle_claims_too_little_to_be_contradicted() -> None:
    for text in (REFUSED_LAST, PRAISED):
        assert all(entry.agree for entry in (await critique_of(text, 60)).values())


async def test_a_mark_that_was_not_assessed_gives_way_to_anything_measured() -> None:
    assert (await critique_of(OPPOSITES, 60))["Accuracy"].agree
    filler = Utterance(
        speaker="SYSTEM", quote="The City Lodge has free parking for guests.", turn=1, line=2, start=0, end=43
    )
    assert (await critique_of(OPPOSITES, 60, (filler,), assessed=False))["Accuracy"].suggested == 40


async def test_a_moment_that_the_evaluator_quotes_itself_is_no_news() -> None:
    quote = Utterance(speaker="SYSTEM", quote="The booking was unsuccessful.", turn=3, line=4, start=0, end=29)
    entry = (await critique_of(REFUSED_LAST, 80, (quote,)))["TaskSuccess"]
    assert entry.agree and entry.comment.endswith("is in a turn that the Evaluator already quotes.")


async def test_a_refusal_before_the_last_request_is_for_the_average() -> None:
    text = "USER: Can you book a seat?\nSYSTEM: I am sorry, no.\nUSER: Is there a bus?\nSYSTEM: Yes, number 12."
    assert all(entry.agree for entry in (await critique_of(text, 80)).values())


async def test_thanks_and_farewells_are_no_last_request() -> None:
    text = REFUSED_LAST.replace("Bye.", "Thanks, that is all I need.\nSYSTEM: Goodbye.")
    assert (await critique_of(text, 80))["TaskSuccess"].comment == (
        "In reply to USER's last question or request, SYSTEM says “unsuccessful”."
    )


async def test_a_score_is_moved_by_a_quarter_of_the_scale_and_an_unknown_criterion_is_not() -> None:
    rubric = parse(OWN_RUBRIC, "own.yaml")
    entries = await critique_of(REFUSED_LAST, 9, rubric=rubric)
    assert entries["TaskSuccess"].suggested == 7 and entries["TaskSuccess"].quotes
    assert entries["service"].agree


async def test_the_critic_sees_what_the_average_hides() -> None:
    """Thirty answered requests, one refusal in the last of them: the share hardly moves, the moment is found."""
    asked = "USER: What is the number of platform {0}?\nSYSTEM: The number of platform {0} is 1{0}.\n"
    text = "".join(asked.format(at) for at in range(30))
    assert (await critique_of(text, 80))["TaskSuccess"].agree
    entry = (await critique_of(text + "USER: Can you book a seat?\nSYSTEM: That was unsuccessful.", 80))["TaskSuccess"]
    assert [quote.turn for quote in entry.quotes] == [61]
