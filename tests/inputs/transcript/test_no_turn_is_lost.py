"""Whatever the form, each thing said becomes a turn, or the file is refused with a line."""

import csv
import io
import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.errors import InputError
from adjudge.protocols.dialogue.transcript import read_dialogues


def as_columns(said):
    return "\n".join(f"{role}\t{text}" for role, text in said)


def as_spaces(said):
    return "\n".join(f"{role}  {text}" for role, text in said)


def as_labels(said):
    return "\n".join(f"{role}: {text}" for role, text in said)


def as_json(said, role="role", text="content"):
    return json.dumps([{role: who, text: what} for who, what in said])


def as_json_lines(said):
    return "\n".join(json.dumps({"role": who, "content": what}) for who, what in said)


def as_speakers(said):
    return as_json(said, "speaker", "text")


def as_csv(said, header=("role", "content")):
    file = io.StringIO(newline="")
    csv.writer(file).writerows([header, *said])
    return file.getvalue()


def as_speaker_csv(said):
    return as_csv(said, ("speaker", "text"))


# In these a chat API names the roles, and begins with instructions that the user never saw.
OF_AN_API = (as_json, as_json_lines, as_csv)
FORMS = (*OF_AN_API, as_columns, as_spaces, as_labels, as_speakers, as_speaker_csv)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("roles", [("USER", "SYSTEM", "BOT"), ("user", "system", "bot"), ("User", "System", "Agent")])
def test_a_system_that_speaks_beside_a_bot_is_refused(form, roles):
    with pytest.raises(InputError, match=r"^chat:[123]"):
        read_dialogues(form(list(zip(roles, ("Hi", "Hello", "Yo"), strict=True))).encode(), "chat")


@pytest.mark.parametrize("form", OF_AN_API)
def test_instructions_in_the_middle_are_refused_and_not_passed_over(form):
    said = [("user", "Hi"), ("system", "Hello"), ("assistant", "Yo")]
    with pytest.raises(InputError, match="'system' is a second name for the assistant, besides 'assistant'"):
        read_dialogues(form(said).encode(), "chat")


@pytest.mark.parametrize("form", OF_AN_API)
def test_a_system_that_alone_answers_is_the_assistant(form):
    (dialogue,) = read_dialogues(form([("system", "Hello"), ("user", "Hi"), ("system", "Yo")]).encode(), "chat")
    assert [(turn.speaker, turn.text) for turn in dialogue.turns] == [
        ("SYSTEM", "Hello"),
        ("USER", "Hi"),
        ("SYSTEM", "Yo"),
    ]


@pytest.mark.parametrize(
    "message",
    [
        {"content": "", "text": "Hi"},
        {"content": None, "utterance": "Hi"},
        {"content": "Hi", "text": "Hi"},
        {"content": "Hi", "refusal": False},
        {"content": [{"type": "refusal", "refusal": "Hi"}]},
    ],
)
def test_a_text_is_found_under_each_of_its_names(message):
    (dialogue,) = read_dialogues(
        json.dumps([{"role": "user"} | message, {"role": "bot", "content": "c"}]).encode(), "c"
    )
    assert dialogue.turns[0].text == "Hi"


ROLES = st.sampled_from(
    ["USER", "SYSTEM", "user", "system", "assistant", "User", "Bot", "BOT", "tool", "developer", "Alice"]
)
SAID = st.sampled_from(["", "said", "OTHER", "3,3", "said:", "said: it", "User said", "   INFORM", "  3,3,4"])


@settings(max_examples=150)
@given(
    st.lists(st.tuples(ROLES, SAID), min_size=1, max_size=6),
    st.sampled_from(FORMS),
    st.lists(st.booleans(), min_size=6, max_size=6),
)
def test_every_line_is_in_a_turn_or_the_file_is_refused_by_line(parts, form, blank):
    """Beside it may be an ACT and ratings, which no judge sees."""
    said = [(role, f"word{number} {more}".strip(" ")) for number, (role, more) in enumerate(parts)]
    text = form(said)
    if form in (as_columns, as_spaces, as_labels):
        text = "\n".join(line + "\n" * gap for line, gap in zip(text.split("\n"), blank, strict=False))
    try:
        dialogues = read_dialogues(text.encode(), "chat")
    except InputError as error:
        assert re.match(r"chat:[1-9]", str(error))
        return
    read = " ".join(turn.text for dialogue in dialogues for turn in dialogue.turns).split()
    opening = True
    for role, utterance in said:
        unsaid = form in OF_AN_API and opening and role in ("system", "developer")
        opening = opening and unsaid
        assert utterance.split()[0] in read or unsaid
