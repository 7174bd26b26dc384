"""What is measured in a conversation, on small transcripts, and the phrases it is measured by."""

import pytest

from adjudge.judges.embedded.phrases import declines
from adjudge.protocols.dialogue.case import Dialogue, Turn
from adjudge.protocols.dialogue.conversation import Place, find_contradiction, quote, read_conversation, replies_to

MEASURES = (
    "declined", "carried_out", "slips", "said_no", "corrected", "complained", "unanswered", "praised",
    "thanked",
)  # fmt: skip


def talk(text: str) -> Dialogue:
    """A conversation from `SPEAKER: text` lines; nothing behind the colon is a turn without words."""
    lines = [line.partition(":") for line in text.strip().splitlines()]
    turns = [
        Turn("USER" if who == "USER" else "SYSTEM", said.strip(), at) for at, (who, _, said) in enumerate(lines, 1)
    ]
    return Dialogue(1, tuple(turns))


def found(text: str) -> dict[str, list[int]]:
    """The turns in which something was measured, without what was nowhere."""
    read = read_conversation(talk(text))
    turns = {name: [place.turn for place in read.found[name]] for name in MEASURES}
    return {name: at for name, at in turns.items() if at}


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("Sorry, I could not find that.", "Sorry"),
        ("I do apologise for the wait.", "apologise"),
        ("Unfortunately it is closed.", "Unfortunately"),
        ("Well, I’m afraid not.", "I’m afraid"),
        ("As an AI language model I have no opinion.", "As an AI"),
        ("At this time we  CANNOT\nbook it.", "we  CANNOT"),
        ("I was unable to book it.", "I was unable"),
        ("I do not have access to your account.", "I do not have access"),
        ("I'm sorry to hear that, but I can't help.", "I can't"),
    ],
)
def test_an_apology_or_a_refusal_is_found_where_it_stands(text: str, phrase: str) -> None:
    place = declines(text)
    assert place is not None
    assert text[slice(*place)] == phrase


@pytest.mark.parametrize(
    "text",
    [
        "", "Your table is booked.", "I'm sorry to hear that.", "I can't wait to see it!",
        "I can't believe how helpful you are.", "You cannot park there.",
        "Lo siento, no hay.", "I will look into it.", "I am afraidless.",
    ],
)  # fmt: skip
def test_sympathy_rules_and_other_languages_decline_nothing(text: str) -> None:
    assert declines(text) is None


@pytest.mark.parametrize(
    ("text", "measured"),
    [
        (
            "USER: Any room?\nSYSTEM: Unfortunately not.\nUSER: Any taxi?\nSYSTEM: There are no taxis.",
            {"declined": [1, 3]},
        ),
        ("USER: Sorry, I cannot say.\nSYSTEM: It costs 9 pounds.", {}),
        (
            "USER: A room.\nSYSTEM: It is booked.\nUSER: A taxi.\nSYSTEM: I’ve also sent a taxi.",
            {"carried_out": [1, 3]},
        ),
        ("USER: A room.\nSYSTEM: Unfortunately the last one was booked just now.", {"declined": [1]}),
        ("USER: A room.\nSYSTEM: Shall it be booked?\nUSER: The inn.\nSYSTEM: It will be booked out soon.", {}),
        ("SYSTEM: Have you seen Thor?\nUSER: No.\nSYSTEM: And Heat?\nUSER: Well. I don’t know.", {"said_no": [1, 3]}),
        ("SYSTEM: Can I help with anything else?\nUSER: No.", {}),
        ("SYSTEM: Which one?\nUSER: No, thanks.\nSYSTEM: Well.", {"thanked": [1]}),
        ("SYSTEM: Which one?\nUSER: There is no hurry. Number 2.", {}),
        ("USER: Where?\nSYSTEM: In the the centre.\nUSER: When?\nSYSTEM: On Monday and", {"slips": [1, 3]}),
        ("USER: Where?\nSYSTEM: York.\nUSER: Sounds good.\nSYSTEM: Two?\nUSER: Perfect!", {"praised": [2, 4]}),
        ("USER: Where?\nSYSTEM: York.\nUSER: That is not great.", {}),
        ("USER: Where?\nSYSTEM: York.\nUSER: Great, that's not what I asked.", {"corrected": [2]}),
        ("USER: To Ely.\nSYSTEM: To York?\nUSER: No, I meant Ely.\nSYSTEM: Platform 4.", {"corrected": [2]}),
        ("USER: Why?\nSYSTEM: So it is.\nUSER: This is ridiculous.\nSYSTEM: Is it.", {"complained": [2]}),
        ("USER: I found that film annoying and a waste of time.\nSYSTEM: And this one?\nUSER: Better.", {}),
        ("USER: Where?\nSYSTEM: York.\nUSER: Thanks.\nSYSTEM: Bye.", {"thanked": [2]}),
        ("USER: Thanks for that.\nSYSTEM: Which day?\nUSER: Monday.\nSYSTEM: When?\nUSER: At two.", {}),
        ("USER: Where?\nSYSTEM: York.\nUSER: Thanks for nothing.", {"complained": [2]}),
        ("USER: Where is it?\nSYSTEM: In York.\nUSER: Which street?", {"unanswered": [2]}),
        ("USER: Where is it?\nSYSTEM:\nUSER: Hello\nSYSTEM: Hello.", {"unanswered": [0]}),
        ("USER: Where is it?\nSYSTEM:\nSYSTEM: In York.", {}),
        ("USER: Where is it?\nSYSTEM:\nSYSTEM:\nSYSTEM: In York.", {}),
        ("USER: Where is it?\nSYSTEM: In York.\nUSER: Good.", {}),
    ],
)
def test_each_measure_is_found_at_its_turns_and_nothing_else_is(text: str, measured: dict[str, list[int]]) -> None:
    assert found(text) == measured


def test_what_user_says_at_once_shares_the_replies_that_follow() -> None:
    read = read_conversation(talk("SYSTEM: Hello.\nUSER: Hi.\nUSER: A train.\nSYSTEM: TR1.\nSYSTEM: At 9.\nUSER: Bye."))
    assert [replies_to(read, index) for index in read.user] == [[3, 4], [3, 4], []]


@pytest.mark.parametrize(
    ("first", "second", "opposite"),
    [
        ("Order 4471 is at the depot.", "Order 4471 is not at the depot.", True),
        ("Order 4471 isn’t at the depot.", "Yes. order 4471 is at the depot!", True),
        ("You can bring your own food.", "You cannot bring your own food.", True),
        ("Order 4471 is at the depot.", "Order 4471 is at the depot.", False),
        ("Order 4471 is at the depot.", "Order 4472 is not at the depot.", False),
        ("Order 4471 is at the depot.", "Isn't order 4471 at the depot?", False),
        ("It is here.", "It is not here.", False),
    ],
)
def test_the_same_words_with_and_without_not_contradict_each_other(first: str, second: str, opposite: bool) -> None:
    places = find_contradiction(read_conversation(talk(f"SYSTEM: {first}\nUSER: Is it?\nSYSTEM: {second}")))
    assert (places is not None) == opposite
    if places is not None:
        assert [place.turn for place in places] == [0, 2]


def test_only_system_can_contradict_itself() -> None:
    text = "SYSTEM: Order 4471 is at the depot.\nUSER: Order 4471 is not at the depot."
    assert find_contradiction(read_conversation(talk(text))) is None


@pytest.mark.parametrize(
    ("said", "at", "shown"),
    [
        ("Hello. I could not find it. Bye now.", "could", "I could not find it."),
        ("Sorry. That one is gone.", "Sorry", "Sorry. That one is gone."),
        ("That one is gone. Sorry.", "Sorry", "That one is gone. Sorry."),
        ("No.", "No", "No."),
        ("x" * 700, "x", "x" * 700),
        ("word " * 100 + "sorry about it " * 3, "sorry", "sorry about it sorry about it sorry about it"),
        ("sorry " + "word " * 100, "sorry", "sorry " + "word " * 38 + "word"),
    ],
)
def test_a_quote_is_the_sentence_at_a_readable_length(said: str, at: str, shown: str) -> None:
    case = Dialogue(1, (Turn("USER", "Well?", 1), Turn("SYSTEM", said, 2)))
    start = said.index(at)
    cut = quote(case, Place(1, start, start + len(at)))
    assert cut.quote == shown == said[cut.start : cut.end]
    assert (cut.speaker, cut.turn, cut.line) == ("SYSTEM", 1, 2)
