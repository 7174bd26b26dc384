from decimal import Decimal

import pytest

from adjudge.cases import Dialogue, Turn
from adjudge.judges.base import CriticizeQuestion
from adjudge.judges.embedded import EmbeddedJudge
from adjudge.judges.embedded.critic_checks import find_moments
from adjudge.judges.embedded.dialogue_features import measure_dialogue
from adjudge.judges.embedded.dialogue_reading import read_dialogue
from adjudge.rubric import Rubric, parse, shipped
from adjudge.verdicts import Critique, Evaluation, Mark, Objection, Utterance

PLAIN = "USER: Is there a bus to the airport?\nSYSTEM: Yes, the number 12 goes there.\nUSER: Fine."
REFUSED_LAST = (
    "USER: Is there a bus to the airport?\nSYSTEM: Yes, the number 12 goes there every hour.\n"
    "USER: Can you book a seat?\nSYSTEM: The booking was unsuccessful.\nUSER: Bye."
)
PRAISED = PLAIN.replace("Fine.", "Exactly what I needed, you answered all my questions!")
OWN_RUBRIC = """
name: own
version: "1"
protocol: dialogue
scale: {min: 1, max: 9}
criteria:
  - {key: service, weight: 1, guidance: Was the user served}
"""


def talk(text: str) -> Dialogue:
    lines = [line.partition(": ") for line in text.strip().splitlines()]
    return Dialogue(
        1, tuple(Turn("USER" if who == "USER" else "SYSTEM", said, at) for at, (who, _, said) in enumerate(lines, 1))
    )


async def critique_of(
    text: str,
    score: int,
    reason: str = "It went this way.",
    quotes: tuple[Utterance, ...] = (),
    rubric: Rubric | None = None,
) -> dict[str, Objection]:
    """What the Critic says when an Evaluator gave the same score and reason everywhere."""
    rubric = rubric or shipped("dialogue")
    marks = {key: Mark(Decimal(score), reason, quotes) for key in rubric.weights}
    case = talk(text)
    critique = await EmbeddedJudge().opine(CriticizeQuestion(case, rubric, Evaluation(judge="x", marks=marks)))
    assert isinstance(critique, Critique)
    assert list(critique.entries) == list(rubric.weights)
    for entry in critique.entries.values():
        assert entry.agree == (entry.suggested is None) == (not entry.quotes)
        for quote in entry.quotes:
            turn = case.turns[quote.turn]
            assert turn.text[quote.start : quote.end] == quote.quote
            assert (turn.speaker, turn.line) == (quote.speaker, quote.line)
    return critique.entries


@pytest.mark.parametrize(
    ("text", "criterion", "score", "suggested", "quoted"),
    [
        (REFUSED_LAST, "TaskSuccess", 100, 80, "The booking was unsuccessful."),
        (PLAIN + "\nUSER: Where does it leave?", "TaskSuccess", 100, 60, "Where does it leave?"),
        (
            "USER: Any hotel?\nSYSTEM: There are no hotels.\nUSER: Any guesthouse?\nSYSTEM: I am unable to find one.\n"
            "USER: Any taxi?\nSYSTEM: Yes, a black one.",
            "Helpfulness", 80, 60, "I am unable to find one.",
        ),
        (
            "USER: A train to Ely.\nSYSTEM: To York?\nUSER: No, I meant Ely on Monday.\nSYSTEM: It costs 9 pounds.",
            "Understanding", 100, 80, "No, I meant Ely on Monday.",
        ),
        (
            "SYSTEM: Which price range would you like?\nUSER: A cheap place in the north.\n"
            "SYSTEM: Which price range would you like?\nUSER: A cheap one.",
            "Understanding", 80, 60, "Which price range would you like?",
        ),
        (
            "USER: Is it free?\nSYSTEM: The City Lodge hotel has free parking for guests.\nUSER: Good.\n"
            "SYSTEM: The City Lodge hotel has not free parking for guests.",
            "Accuracy", 80, 60, "The City Lodge hotel has not free parking for guests.",
        ),
        (
            "USER: Which one?\nSYSTEM: Number 4.\nUSER: Number 4?\nSYSTEM: I made a mistake there, it is number 5.",
            "Accuracy", 80, 60, "I made a mistake there, it is number 5.",
        ),
        (
            "USER: Which day?\nSYSTEM: Monday.\nUSER: This is ridiculous.\nSYSTEM: It leaves Monday.",
            "Empathy", 60, 40, "This is ridiculous.",
        ),
        (PLAIN + "\nSYSTEM: I'm glad to hear that.", "Empathy", 40, 60, "I'm glad to hear that."),
        (
            "USER: Any room?\nSYSTEM: The weather is mostly fine here today.\nUSER: And tomorrow?\n"
            "SYSTEM: The weather is mostly fine here today.",
            "Fluency", 100, 80, "The weather is mostly fine here today.",
        ),
        (PRAISED, "TaskSuccess", 40, 60, "Exactly what I needed, you answered all my questions!"),
        (PRAISED, "Helpfulness", 20, 40, "Exactly what I needed, you answered all my questions!"),
    ],
)  # fmt: skip
async def test_one_moment_is_enough_to_object_with_its_quote_and_another_score(
    text: str, criterion: str, score: int, suggested: int, quoted: str
) -> None:
    entry = (await critique_of(text, score))[criterion]
    assert not entry.agree and entry.contradicts
    assert entry.suggested == suggested
    assert [quote.quote for quote in entry.quotes] == [quoted]


@pytest.mark.parametrize("score", [20, 40, 60, 80, 100])
async def test_it_agrees_with_any_score_of_a_conversation_without_such_a_moment(score: int) -> None:
    assert all(entry.agree for entry in (await critique_of(PLAIN, score)).values())


async def test_a_failure_does_not_lower_a_low_score_nor_praise_raise_a_high_one() -> None:
    assert (await critique_of(REFUSED_LAST, 40))["TaskSuccess"].agree
    assert (await critique_of(PRAISED, 80))["TaskSuccess"].agree


async def test_a_reason_that_already_names_the_matter_is_left_alone() -> None:
    entry = (await critique_of(REFUSED_LAST, 80, "Most was answered, but the last request was refused."))["TaskSuccess"]
    assert entry.agree and "already part of its reason" in entry.comment


async def test_a_reason_that_denies_the_matter_is_contradicted() -> None:
    entry = (await critique_of(REFUSED_LAST, 80, "All was answered, and nothing was refused."))["TaskSuccess"]
    assert not entry.agree and entry.contradicts


async def test_a_moment_that_the_evaluator_quotes_itself_is_no_news() -> None:
    quote = Utterance("SYSTEM", "The booking was unsuccessful.", 3, 4, 0, 29)
    assert (await critique_of(REFUSED_LAST, 80, quotes=(quote,)))["TaskSuccess"].agree


async def test_a_doubt_objects_without_claiming_a_contradiction() -> None:
    text = "USER: Which day?\nSYSTEM: The train leaves on Monday.\nUSER: Are you sure?\nSYSTEM: It leaves on Monday."
    entry = (await critique_of(text, 80))["Accuracy"]
    assert not entry.agree and not entry.contradicts
    assert (await critique_of(text, 80, "Nothing was disputed."))["Accuracy"].contradicts


async def test_moments_of_equal_strength_on_both_sides_leave_the_score() -> None:
    text = REFUSED_LAST.replace("Bye.", "Great job all the same, bye.")
    entry = (await critique_of(text, 60))["TaskSuccess"]
    assert entry.agree and "neither outweighs" in entry.comment


async def test_a_criterion_of_ones_own_is_moved_by_a_quarter_of_its_scale() -> None:
    rubric = parse(OWN_RUBRIC, "own.yaml")
    entry = (await critique_of(REFUSED_LAST, 9, rubric=rubric))["service"]
    assert entry.suggested == 7 and entry.quotes


def test_the_critic_sees_what_the_averages_hide() -> None:
    """Thirty answered requests, one refusal in the last of them: the mean hardly moves, the moment is found."""
    asked = "USER: What is the number of platform {0}?\nSYSTEM: The number of platform {0} is 1{0}.\n"
    text = "".join(asked.format(at) for at in range(30))
    refused = text + "USER: Can you book a seat?\nSYSTEM: The booking was unsuccessful."
    smooth, rough = read_dialogue(talk(text)), read_dialogue(talk(refused))
    before, after = measure_dialogue(smooth), measure_dialogue(rough)
    assert abs(before["served"].value - after["served"].value) < 0.15
    assert not [found for found in find_moments(smooth) if found.points < 0]
    assert [found.sign.turn for found in find_moments(rough) if found.points < 0] == [61]
