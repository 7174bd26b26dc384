"""Transcript lines: tabs decide where there are any, and where there are none no word said is taken for an ACT."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.errors import InputError
from adjudge.protocols.dialogue.transcript import read_dialogues

SAMPLES = Path(__file__).parent / "dialogue_samples"
ACT = "ENTITY_NAME+MOVIE_OR_SERIES"


def read_turn(line):
    (dialogue,) = read_dialogues(f"{line}\nSYSTEM\tb\nUSER\tc\n".encode(), "chat")
    turn = dialogue.turns[0]
    return turn.text, turn.act, turn.ratings


@pytest.mark.parametrize(("name", "turns"), [("example_a", 28), ("example_b", 16), ("example_c", 19)])
def test_the_seeds_examples_are_read_as_they_stand(name, turns):
    expected = json.loads((SAMPLES / f"{name}.json").read_text("utf-8"))
    (dialogue,) = read_dialogues((SAMPLES / f"{name}.txt").read_bytes(), name, first_id=335)
    assert dialogue.dialogue_id == 335
    assert [[t.speaker, t.text, t.act, list(t.ratings)] for t in dialogue.turns] == expected["turns"]
    assert [t.line for t in dialogue.turns] == list(range(1, turns + 1))
    assert list(dialogue.overall_ratings) == expected["overall"]


@pytest.mark.parametrize(
    ("line", "turn"),
    [
        ("USER\tYes.\tOTHER\t3,3,4", ("Yes.", "OTHER", (3, 3, 4))),
        ("USER\tYes.\tOTHER 3,3,4", ("Yes.", "OTHER", (3, 3, 4))),
        ("USER\tYes.\tOTHER 3, 3, 4\t", ("Yes.", "OTHER", (3, 3, 4))),
        ("USER\tYes.\tOTHER\t\t3", ("Yes.", "OTHER", (3,))),
        ("USER\tYes.\t\t3,3,4", ("Yes.", None, (3, 3, 4))),
        ("USER\tYes.\t3,3,4", ("Yes.", None, (3, 3, 4))),
        ("USER\tYes.\tgeneral-bye\t", ("Yes.", "general-bye", ())),
        ("USER\tYes.\tRestaurant-Inform,general-reqmore\t3", ("Yes.", "Restaurant-Inform,general-reqmore", (3,))),
        ("USER\tYes.\tRestaurant-Inform, general-reqmore", ("Yes.", "Restaurant-Inform, general-reqmore", ())),
        ("  USER :\tYes.\tinform", ("Yes.", "inform", ())),
        ("customer\tYes.\tinform", ("Yes.", "inform", ())),
    ],
)
def test_tabs_decide(line, turn):
    assert read_turn(line) == turn


@pytest.mark.parametrize(
    ("line", "turn"),
    [
        (f"USER\tYes.   {ACT}   \t3,3,4", ("Yes.", ACT, (3, 3, 4))),
        (f"USER\tYes. {ACT} \t3,3,4", ("Yes.", ACT, (3, 3, 4))),
        (f"USER\tYes. {ACT} 3", ("Yes.", ACT, (3,))),
        (f"USER Yes. {ACT}", ("Yes.", ACT, ())),
        ("USER\tYes. OTHER", ("Yes.", "OTHER", ())),
        ("USER\tYes. OTHER\t", ("Yes.", "OTHER", ())),
        ("USER\tYes.  INFORM", ("Yes.", "INFORM", ())),
        ("USER\tYes.  Restaurant-Inform,general-reqmore", ("Yes.", "Restaurant-Inform,general-reqmore", ())),
        ("USER\tYes. INFORM 3,3,4", ("Yes.", "INFORM", (3, 3, 4))),
        ("USER   Yes.      INFORM      3", ("Yes.", "INFORM", (3,))),
        ("USER   Yes.      3,3,10", ("Yes.", None, (3, 3, 10))),
        ("USER\tYes.    OTHER   3, 3, 4", ("Yes.", "OTHER", (3, 3, 4))),
    ],
)
def test_an_act_that_lost_its_tab_is_found(line, turn):
    assert read_turn(line) == turn


SAID = [
    "Count with me: 1,2,3",
    "Count with me.  1,2,3",
    "It costs USD 1,200",
    "It is by  Jane  Doe,  not me",
    "It was in THE MISSING SOCK",
    "Is it in IMAX 3",
    "I like the OTHER 3",
    "Ok.  Thanks",
    "Ok.  Bye-bye",
    "Ok.  OK",
    "OTHER",
    "INFORM 3,3,4",
    "my e-mail is a_b@C_D.org",
    "C++",
    "1,2,3",
]


@pytest.mark.parametrize("rated", ["", "\t", "\t\t", "\t\t3,3"])
def test_no_word_that_was_said_is_lost(rated):
    for text in SAID:
        assert read_turn(f"USER\t{text}{rated}")[0] == text


def test_capitals_before_a_rating_column_were_said():
    assert read_turn("USER\tThere is none at THE MISSING SOCK\t3,3,4") == (
        "There is none at THE MISSING SOCK",
        None,
        (3, 3, 4),
    )


# Without NUL: enough of them, and the whole is taken for UTF-16.
UTTERANCE = st.text(st.characters(exclude_characters="\t\n\0", codec="utf-8"), min_size=1).filter(
    lambda text: text.strip() and text == text.strip(" ") and text != "OVERALL"
)


@given(UTTERANCE, st.sampled_from(["", "OTHER", "INFORM", ACT]), st.lists(st.integers(1, 10), max_size=5))
def test_between_tabs_every_utterance_comes_back_whole(text, act, ratings):
    line = f"USER\t{text}\t{act}\t{','.join(map(str, ratings))}"
    assert read_turn(line) == (text, act or None, tuple(ratings))


def test_the_humans_overall_rating_is_never_an_utterance_however_it_is_spelled():
    for rated in (
        *("\tOVERALL\tOTHER\t4,4,5", "\tOVERALL        \tOTHER 4,4,5", "\tOVERALL\t\t4,4,5", " OVERALL OTHER 4,4,5"),
        *(" OVERALL 4,4,5", "   OVERALL    4,4,5", " OVERALL 4, 4, 5", " OVERALL OTHER 4, 4, 5", "\tOVERALL: 4,4,5"),
        *("\tOVERALL 4;4;5", "\tOVERALL \t\t4,4,5"),
    ):
        (dialogue,) = read_dialogues(f"USER\ta\nSYSTEM\tb\nUSER{rated}\n".encode(), "chat")
        assert dialogue.overall_ratings == (4, 4, 5), rated
        assert [turn.text for turn in dialogue.turns] == ["a", "b"]


def test_a_line_without_a_label_goes_on_with_the_one_before():
    raw = b"User: Hello.\n  I have\n\n\ntwo questions: why, and how?\nAssistant:\nBecause.\nuser: root\nNote: done\n"
    (dialogue,) = read_dialogues(raw, "chat")
    assert [(turn.text, turn.line) for turn in dialogue.turns] == [
        ("Hello.\n  I have\n\n\ntwo questions: why, and how?", 1),
        ("Because.\nuser: root\nNote: done", 6),
    ]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("User: Hi\nBanana: Hello\nUser: Bye\nAssistant: Bye", 2),
        ("User: Hi\n\nAssistant: Yes?\n\nBanana: Hello\n\nAssistant: Bye", 5),
        ("user: hi\nassistant: yes\nbanana: hello\nassistant: bye", 3),
        ("User: Hi\nand more\nBanana: Hello\nCustomer: Bye\nBot: Bye", 3),
    ],
)
def test_an_unknown_speaker_in_the_place_of_the_other_side_is_refused_by_line(text, line):
    with pytest.raises(InputError, match=f"chat:{line}: dialogue 1: unknown speaker '[Bb]anana' between two turns of"):
        read_dialogues(text.encode(), "chat")
    (dialogue,) = read_dialogues(re.sub("(?=[Bb]anana)", "  ", text).encode(), "chat")
    assert any("anana: " in turn.text for turn in dialogue.turns), "an indented line belongs to the utterance"


def test_what_looks_like_a_speaker_elsewhere_belongs_to_the_utterance_and_is_said_by_line(caplog):
    raw = (
        b"User: Hi\nAssistant: Come at six.\nNote: bring your passport\nOptions:\nat 5: tea\nUser: Fine\nBanana: Hello"
    )
    (dialogue,) = read_dialogues(raw, "chat")
    assert [turn.text for turn in dialogue.turns] == [
        "Hi",
        "Come at six.\nNote: bring your passport\nOptions:\nat 5: tea",
        "Fine\nBanana: Hello",
    ]
    said = [record.getMessage() for record in caplog.records]
    assert [one.partition(" is read")[0] for one in said] == ["chat:3: 'Note:'", "chat:7: 'Banana:'"]
    assert "if it names a speaker, rename it: SYSTEM (or assistant" in said[1]


@pytest.mark.parametrize(
    ("text", "lengths"),
    [
        ("User: a\nBot: b\n\nUser: c\nBot: d", [2, 2]),
        ("User: a\n\nBot: b\n\nUser: c\n\nBot: d", [4]),
        ("User: a\n\nBot: b\n\n\nUser: c\n\nBot: d", [2, 2]),
        ("User: a\n\n\nBot: b\n\n\nUser: c", [3]),
    ],
)
def test_the_narrowest_gap_that_leaves_both_speakers_together_separates_dialogues(text, lengths):
    assert [len(dialogue.turns) for dialogue in read_dialogues(text.encode(), "chat")] == lengths
