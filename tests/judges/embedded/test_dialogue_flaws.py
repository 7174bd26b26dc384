"""What code finds wrong in SYSTEM's turns, and what the Evaluator and the Critic make of it."""

import pytest

from adjudge.cases import Dialogue, Turn
from adjudge.judges.base import CriticizeQuestion, EvaluateQuestion
from adjudge.judges.embedded import EmbeddedJudge
from adjudge.judges.embedded.dialogue_flaws import Flaws, find_flaws
from adjudge.judges.embedded.dialogue_reading import read_dialogue
from adjudge.rubric import shipped
from adjudge.verdicts import Critique, Evaluation

ASKED = "I would like to know what three tickets to the museum on Sunday would cost, please."
ANSWERED = "Three tickets to the museum on Sunday cost 45 pounds in all, and they can be paid at the door."
GERMAN = "Drei Karten für das Museum am Sonntag kosten zusammen 45 Pfund und können an der Kasse bezahlt werden."


def talk(*said: str) -> Dialogue:
    """USER and SYSTEM by turns."""
    return Dialogue(1, tuple(Turn("SYSTEM" if at % 2 else "USER", text, at + 1) for at, text in enumerate(said)))


def flaws_of(*said: str) -> Flaws:
    return find_flaws(read_dialogue(talk(*said)))


def test_an_ordinary_reply_has_none_of_them() -> None:
    assert flaws_of(ASKED, ANSWERED, "Great, thank you!", "You're welcome :)", "Bye", "...") == ((), (), (), ())


def test_a_reply_in_a_language_the_user_does_not_speak_is_seen() -> None:
    (flaw,) = flaws_of(ASKED, GERMAN, "I do not understand this, sorry.", ANSWERED).language
    assert flaw.heard.turn == 1
    assert flaw.says == "answered in German, while the user speaks English"


@pytest.mark.parametrize(
    "said",
    [
        (ASKED, ANSWERED, "Und was kosten drei Karten für das Museum am Samstag, wenn wir früh kommen?", GERMAN),
        (ASKED + " Please answer in German.", GERMAN),
        ("How do I say in German that three tickets for the museum on Sunday cost 45 pounds?", GERMAN),
        ("Hola", ANSWERED),  # too little to tell what the user speaks
        (ASKED, "Museum Ludwig, Köln"),
    ],
)
def test_a_language_that_the_user_speaks_or_asks_for_is_no_flaw(said: tuple[str, ...]) -> None:
    assert flaws_of(*said).language == ()


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        ("Dear {{customer_name}}, your order is on its way.", "left {{customer_name}} standing"),
        ("Hello [Your Name], how can I help you today?", "left [Your Name] standing"),
        ("Your parcel arrives on ${date}, so please be at home.", "left ${date} standing"),
    ],
)
def test_a_placeholder_nobody_filled_is_seen(reply: str, says: str) -> None:
    (flaw,) = flaws_of(ASKED, reply).blanks
    assert flaw.says == says


@pytest.mark.parametrize(
    ("asked", "reply"),
    [
        ("Please write me an email to my landlord.", "Dear [Your Name], the heating is broken."),
        ("What does {{ user.name }} do in Jinja?", "It prints it: {{ user.name }}."),
        ("How does it begin?", "Fill in [number] and send the form."),
    ],
)
def test_a_placeholder_that_was_asked_for_is_none_that_was_left(asked: str, reply: str) -> None:
    assert flaws_of(asked, reply).blanks == ()


@pytest.mark.parametrize(
    "reply", [":)", "None", "N/A", "?", "No.", "None of them is open.", "See [the map] for it.", "It is {open}."]
)
def test_a_smile_or_a_bracket_is_no_placeholder(reply: str) -> None:
    assert flaws_of(ASKED, reply).blanks == ()


def test_a_sum_that_does_not_come_out_and_a_broken_off_reply_are_seen() -> None:
    found = flaws_of(ASKED, "That is 3 x 15 = 48 pounds.", "And for four of us?", "```\nprice: 60")
    assert [flaw.says for flaw in found.sums] == ["says 3 x 15 = 48, which makes 45"]
    assert [flaw.heard.turn for flaw in found.cut_off] == [3]
    for right in ("That is 3 x 15 = 45 pounds.", "That is 5 / 2 = 2,5 each.", "No, 2 + 2 = 5 is wrong."):
        assert flaws_of(ASKED, right).sums == ()


async def opinions_on(case: Dialogue) -> tuple[Evaluation, Critique]:
    rubric = shipped("dialogue")
    evaluation = await EmbeddedJudge().opine(EvaluateQuestion(case, rubric))
    assert isinstance(evaluation, Evaluation)
    critique = await EmbeddedJudge().opine(CriticizeQuestion(case, rubric, evaluation))
    assert isinstance(critique, Critique)
    return evaluation, critique


@pytest.mark.parametrize(
    ("reply", "lower", "told"),
    [
        (GERMAN, ("Understanding", "Helpfulness"), "answered in German"),
        (f"{ANSWERED} That is 3 x 15 = 48.", ("Accuracy",), "which makes 45"),
        (f"Dear {{{{name}}}}, {ANSWERED}", ("Helpfulness", "Fluency"), "left {{name}} standing"),
    ],
)
async def test_each_costs_on_its_criteria_and_is_named_with_the_place(
    reply: str, lower: tuple[str, ...], told: str
) -> None:
    good, _ = await opinions_on(talk(ASKED, ANSWERED, "I see.", "Anything else?"))
    case = talk(ASKED, reply, "I see.", "Anything else?")
    poor, _ = await opinions_on(case)
    for key in lower:
        assert poor.marks[key].value < good.marks[key].value, key
    key = lower[0]
    assert told in poor.marks[key].reason
    assert any(quote.turn == 1 for quote in poor.marks[key].quotes)
    assert all(case.turns[quote.turn].text[quote.start : quote.end] == quote.quote for quote in poor.marks[key].quotes)


async def test_the_critic_objects_with_a_wrong_sum_that_the_evaluator_passed_over() -> None:
    rubric = shipped("dialogue")
    case = talk(ASKED, f"{ANSWERED} That is 3 x 15 = 48.", "I see.", "Anything else?")
    evaluation, _ = await opinions_on(case)
    kind = evaluation.marks["Accuracy"]._replace(value=rubric.scale.values[-1], reason="All of it is right.", quotes=())
    lenient = Evaluation(judge="lenient", marks={**evaluation.marks, "Accuracy": kind})
    critique = await EmbeddedJudge().opine(CriticizeQuestion(case, rubric, lenient))
    assert isinstance(critique, Critique)
    entry = critique.entries["Accuracy"]
    assert not entry.agree and entry.contradicts
    assert entry.suggested == 60 and entry.comment == "Here the system says 3 x 15 = 48, which makes 45."
    assert "3 x 15 = 48" in entry.quotes[0].quote
