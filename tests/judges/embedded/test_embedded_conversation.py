"""What is measured in a conversation, on small transcripts, and the phrases it is measured by."""

import pytest
from judges.embedded.samples import talk

from adjudge.judges.embedded.phrases import declines
from adjudge.protocols.dialogue.case import Dialogue, Turn
from adjudge.protocols.dialogue.conversation import Place, find_contradiction, quote, read_conversation, replies_to

DECLINING = {
    "Sorry, I could not find that.": "Sorry", "I do apologise for the wait.": "apologise",
    "Unfortunately it is closed.": "Unfortunately", "Well, I’m afraid not.": "I’m afraid",
    "As an AI language model I have no opinion.": "As an AI", "At this time we  CANNOT\nbook it.": "we  CANNOT",
    "I was unable to book it.": "I was unable", "I do not have access to your account.": "I do not have access",
    "I'm sorry to hear that, but I can't help.": "I can't",
    # Sympathy, rules and other languages decline nothing.
    "": None, "Your table is booked.": None, "I'm sorry to hear that.": None, "I can't wait to see it!": None,
    "I can't believe how helpful you are.": None, "You cannot park there.": None, "Lo siento, no hay.": None,
    "I will look into it.": None, "I am afraidless.": None,
}  # fmt: skip


def test_an_apology_or_a_refusal_is_found_where_it_stands_and_nothing_else():
    for text, phrase in DECLINING.items():
        place = declines(text)
        assert (place and text[slice(*place)]) == phrase, text


MEASURES = (
    "declined", "carried_out", "slips", "said_no", "corrected", "complained", "unanswered", "praised", "thanked",
)  # fmt: skip
TALKS = [
    ("USER: Any room?\nSYSTEM: Unfortunately not.\nUSER: Any taxi?\nSYSTEM: There are no taxis.", {"declined": [1, 3]}),
    ("USER: Sorry, I cannot say.\nSYSTEM: It costs 9 pounds.", {}),
    ("USER: A room.\nSYSTEM: It is booked.\nUSER: A taxi.\nSYSTEM: I’ve also sent a taxi.", {"carried_out": [1, 3]}),
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
]  # fmt: skip


def test_each_measure_is_found_at_its_turns_and_nothing_else_is():
    for text, measured in TALKS:
        read = read_conversation(talk(text))
        turns = {name: [place.turn for place in read.found[name]] for name in MEASURES}
        assert {name: at for name, at in turns.items() if at} == measured, text


def test_what_user_says_at_once_shares_the_replies_that_follow():
    read = read_conversation(talk("SYSTEM: Hello.\nUSER: Hi.\nUSER: A train.\nSYSTEM: TR1.\nSYSTEM: At 9.\nUSER: Bye."))
    assert [replies_to(read, index) for index in read.user] == [[3, 4], [3, 4], []]


AT_THE_DEPOT, NOT_THERE = "Order 4471 is at the depot.", "Order 4471 is not at the depot."


@pytest.mark.parametrize(("first", "asked", "second", "turns"), [
    (AT_THE_DEPOT, "Is it?", NOT_THERE, [0, 2]),
    ("Order 4471 isn’t at the depot.", "Is it?", "Yes. order 4471 is at the depot!", [0, 2]),
    ("You can bring your own food.", "Is it?", "You cannot bring your own food.", [0, 2]),
    (AT_THE_DEPOT, "Is it?", AT_THE_DEPOT, []), (AT_THE_DEPOT, "Is it?", NOT_THERE.replace("1", "2"), []),
    (AT_THE_DEPOT, "Is it?", "Isn't order 4471 at the depot?", []), ("It is here.", "Is it?", "It is not here.", []),
    (AT_THE_DEPOT, NOT_THERE, "So?", []),  # only SYSTEM can contradict itself
])  # fmt: skip
def test_the_same_words_with_and_without_not_contradict_each_other(first, asked, second, turns):
    places = find_contradiction(read_conversation(talk(f"SYSTEM: {first}\nUSER: {asked}\nSYSTEM: {second}")))
    assert [place.turn for place in places or ()] == turns


@pytest.mark.parametrize(("said", "at", "shown"), [
    ("Hello. I could not find it. Bye now.", "could", "I could not find it."),
    ("Sorry. That one is gone.", "Sorry", "Sorry. That one is gone."),
    ("That one is gone. Sorry.", "Sorry", "That one is gone. Sorry."), ("No.", "No", "No."),
    ("x" * 700, "x", "x" * 700),
    ("word " * 100 + "sorry about it " * 3, "sorry", "sorry about it sorry about it sorry about it"),
    ("sorry " + "word " * 100, "sorry", "sorry " + "word " * 38 + "word"),
], ids=range(7))  # fmt: skip
def test_a_quote_is_the_sentence_at_a_readable_length(said, at, shown):
    case = Dialogue(1, (Turn("USER", "Well?", 1), Turn("SYSTEM", said, 2)))
    start = said.index(at)
    cut = quote(case, Place(1, start, start + len(at)))
    assert cut.quote == shown == said[cut.start : cut.end]
    assert (cut.speaker, cut.turn, cut.line) == ("SYSTEM", 1, 2)
