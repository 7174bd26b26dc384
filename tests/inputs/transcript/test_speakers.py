"""Who speaks, as people write it in plain text."""

import logging
from unicodedata import normalize

import pytest

from adjudge.errors import InputError
from adjudge.protocols.dialogue.transcript import read_dialogues
from adjudge.protocols.dialogue.transcript.speakers import AGENTS, USERS


def turns(text):
    (dialogue,) = read_dialogues(text.encode(), "chat")
    return [(turn.speaker, turn.text) for turn in dialogue.turns]


@pytest.mark.parametrize(
    ("user", "agent"),
    [
        ("User: ", "Assistant: "),
        ("**User:** ", "**Assistant:** "),
        ("**User**: ", "**Assistant**: "),
        ("__User:__ ", "__Assistant:__ "),
        ("*User*: ", "*Assistant*: "),
        ("### User: ", "### Assistant: "),
        ("[USER] ", "[ASSISTANT] "),
        ("[USER]: ", "[ASSISTANT]: "),
        ("【用户】", "【客服】"),
        ("User：", "Assistant："),
        ("[10:01] User: ", "[10:02] Assistant: "),
        ("[2026-11-17 10:01:33] User: ", "[2026-11-17 10:02:05] Assistant: "),
        ("(10:01) **User:** ", "(10:02) **Assistant:** "),
        ("10:01 User: ", "10:02 Assistant: "),
        ("10:01 AM - User: ", "10:02 AM - Assistant: "),
        ("12/03/26, 10:01 - User: ", "12/03/26, 10:02 - Assistant: "),
        ("User (10:01): ", "Assistant (10:02): "),
        ("1. User: ", "2. Assistant: "),
        ("1) User: ", "2) Assistant: "),
        ("User: ", "Chatbot: "),
        ("Usuario: ", "Asistente: "),
        ("Cliente: ", "Agente: "),
        ("Client : ", "Conseiller : "),
        ("Kunde: ", "Berater: "),
        ("Utente: ", "Operatore: "),
        ("Usuário: ", "Assistente: "),
        ("用户：", "客服："),
        ("ユーザー：", "アシスタント："),
        ("고객: ", "상담원: "),
        ("Пользователь: ", "Ассистент: "),
        ("المستخدم: ", "المساعد: "),
        ("उपयोगकर्ता: ", "सहायक: "),
    ],
)
def test_speakers_as_people_write_them(user, agent):
    text = f"{user}Where is it?\nI lost it: my bag.\n{agent}**Here**, at 10:30.\n\nOnly today.\n{user}Thanks."
    assert turns(text) == [
        ("USER", "Where is it?\nI lost it: my bag."),
        ("SYSTEM", "**Here**, at 10:30.\n\nOnly today."),
        ("USER", "Thanks."),
    ]


@pytest.mark.parametrize("names", [("Usuario", "Asistente"), ("用户", "客服"), ("Клиент", "Бот")])
def test_the_same_names_in_columns_json_and_csv(names):
    user, agent = names
    said = [("USER", "Hi"), ("SYSTEM", "Hello")]
    assert turns(f"{user}\tHi\n{agent}\tHello") == said
    assert turns(f"{user}：\tHi\n{agent}：\tHello") == said
    assert turns(f'[{{"role": "{user}", "content": "Hi"}}, {{"role": "{agent}", "content": "Hello"}}]') == said
    assert turns(f"speaker,text\n{user},Hi\n{agent},Hello") == said


@pytest.mark.parametrize(("user", "agent"), [("Usuário", "Assistente"), ("ユーザー", "ボット"), ("Müşteri", "Asistan")])
@pytest.mark.parametrize("form", ["{user}: Olá!\n{agent}: Não é.\n{user}: Até já.",
                                  "{agent}: Olá!\n{user}: Não é.\n{agent}: Até já.",
                                  "{user}\tOlá!\n{agent}\tNão é.\n{user}\tAté já."])  # fmt: skip
def test_names_with_decomposed_accents_are_the_same_names_and_the_text_stays_as_it_is(user, agent, form):
    text = normalize("NFD", form.format(user=user, agent=agent))
    first, second = ("SYSTEM", "USER") if form.startswith("{agent}") else ("USER", "SYSTEM")
    assert turns(text) == [
        (first, normalize("NFD", "Olá!")),
        (second, normalize("NFD", "Não é.")),
        (first, normalize("NFD", "Até já.")),
    ]


def test_a_list_and_a_placeholder_inside_an_utterance_are_no_turns():
    text = "User: How do I log in?\nAssistant: Enter:\n1. User: root\n2. Agent: none\n[user] stays as it is.\nUser: OK."
    assert [said for _, said in turns(text)] == [
        "How do I log in?",
        "Enter:\n1. User: root\n2. Agent: none\n[user] stays as it is.",
        "OK.",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("User: Which parts?\nAssistant: Two:\nClient: a web browser\nServer: a program\nUser: OK.",
         ["Which parts?", "Two:\nClient: a web browser\nServer: a program", "OK."]),
        ("Customer: Hi\nBot: Hello\nUser: admin\nCustomer: Thanks", ["Hi", "Hello\nUser: admin", "Thanks"]),
        # A bot may hand over to an agent, and another dialogue may have other names.
        ("User: Hi\nBot: Hello\nUser: A human!\nAgent: Ann here", ["Hi", "Hello", "A human!", "Ann here"]),
        ("User: Hi\nBot: Hello\n\nCustomer: Hi\nAgent: Yes?", ["Hi", "Hello", "Hi", "Yes?"]),
    ],
)  # fmt: skip
def test_a_user_keeps_the_name_of_the_first_turn(text, said):
    assert [turn.text for dialogue in read_dialogues(text.encode(), "chat") for turn in dialogue.turns] == said


@pytest.mark.parametrize(
    "text",
    [
        "**User:** a\n**Banana:** b\n**User:** c\n**Bot:** d",
        "[10:01] User: a\n[10:02] Banana: b\n[10:03] User: c\n[10:04] Bot: d",
        "1. User: a\n2. Banana: b\n3. User: c\n4. Bot: d",
        "用户：a\nBanana：b\n用户：c\n客服：d",
    ],
)
def test_an_unknown_speaker_between_two_turns_of_one_side_is_refused_by_line(text):
    with pytest.raises(InputError, match=r"^chat:2: dialogue 1: unknown speaker 'Banana' between two turns of "):
        read_dialogues(text.encode(), "chat")


def test_a_speaker_written_in_another_way_is_refused_or_warned_of_and_never_lost(caplog):
    with pytest.raises(InputError, match=r"^chat:2: dialogue 1: unknown speaker 'Bot' between two turns of 'User'"):
        read_dialogues(b"User: a\n1. Bot: b\nUser: c\nBot: d", "chat")
    with caplog.at_level(logging.WARNING):
        assert turns("User: a\n1. Bot: b\nBot: d") == [("USER", "a\n1. Bot: b"), ("SYSTEM", "d")]
    assert "chat:2: 'Bot:' is read as part of the utterance before it" in caplog.text


def test_no_name_is_on_both_sides_and_all_are_in_lower_case():
    assert not USERS & AGENTS
    assert all(name == name.lower() for name in USERS | AGENTS)
