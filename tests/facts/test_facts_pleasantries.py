import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.facts.pleasantries import _CUES, _cues_of, find_pleasantries

BODY = "The city has three bridges. Two of them are old. The newest one opened last year and carries trams."


def test_the_place_is_the_phrase_and_the_end_of_its_sentence() -> None:
    text = f"{BODY}\n\nI hope this helps! Let me know if you need more."
    first, second = find_pleasantries(text)
    assert text[first.start : first.end] == "I hope this helps!"
    assert text[second.start : second.end] == "Let me know if you need more."
    assert {first.severity, second.severity} == {"minor"} and first.certain and second.certain


def test_three_are_heavy_and_all_carry_it() -> None:
    spots = find_pleasantries(f"Great question! {BODY} I hope this helps! Have a great day!")
    assert [spot.severity for spot in spots] == ["major"] * 3


def test_two_are_occasional_however_short_the_text() -> None:
    spots = find_pleasantries("Great question! It is Paris, on the Seine. Have a great day!")
    assert [spot.severity for spot in spots] == ["minor"] * 2


def test_the_words_are_shown() -> None:
    spots = find_pleasantries(f"Great question! {BODY} I hope this helps! Have a great day!")
    assert [spot.found for spot in spots] == [
        "“Great question!”, one of 3 pleasantries",
        "“I hope this helps!”, one of 3 pleasantries",
        "“Have a great day!”, one of 3 pleasantries",
    ]
    (one,) = find_pleasantries(f"{BODY} I hope this helps!")
    assert one.found == "“I hope this helps!”, a pleasantry that carries nothing"


@pytest.mark.parametrize(
    "asked",
    [
        "Write a customer support reply to an angry customer.", "Draft a LinkedIn post about it.",
        "How should I respond to her?", "Write a closing for a webinar", "Escribe un mensaje de agradecimiento",
        "Écris une réponse à ce client", "Schreibe eine Antwort auf eine Kundenbeschwerde",
        "Escreva uma mensagem de boas-vindas",
        "Scrivi un messaggio di ringraziamento", "お客様への返信を書いてください",
        "写一封感谢信", "고객에게 보낼 메시지를 써 주세요", "ग्राहक के लिए एक संदेश लिखो", "اكتب رسالة شكر للعملاء",
        "Translate to Spanish: I hope this helps! Have a great day!",
    ],
)  # fmt: skip
def test_what_was_asked_for_is_a_hint(asked: str) -> None:
    spots = find_pleasantries(f"{BODY} I hope this helps! Have a great day!", asked)
    assert spots and not any(spot.certain for spot in spots)


@pytest.mark.parametrize(
    "asked", ["How many bridges has the city?", "Explain bridges.", "Translate: La ciudad tiene tres puentes.", ""]
)
def test_other_tasks_leave_it_certain(asked: str) -> None:
    assert all(spot.certain for spot in find_pleasantries(f"{BODY} I hope this helps!", asked))


def test_below_a_rule_the_answer_speaks_for_itself() -> None:
    text = f"Hello all, {BODY} Have a great day!\n\n---\n\nI hope this helps!"
    assert [spot.certain for spot in find_pleasantries(text, "Write a message to the team.")] == [False, True]


@pytest.mark.parametrize(
    "text",
    [
        f"Sure, here is the list:\n- {BODY}",
        f"Of course! {BODY}",
        f"Here's a summary:\n{BODY}",
        f"Claro, aquí tienes: {BODY}",
        f"Subject: Bridges\n\nDear Ms Lane,\n\nI hope this email finds you well. {BODY}\n\n"
        "Let me know if you agree.\n\nBest regards,\nTom",
        f"{BODY} She wrote: “I hope this helps!”",
        f"{BODY}\n```python\n# I hope this helps!\n```",
        f"{BODY}\n> I hope this helps!",
        "Anna: How can I help you?\nBo: One ticket.\nAnna: Have a great day!\nBo: Bye.",
        "The question is good. " + BODY,
    ],
)
def test_lead_ins_letters_quotations_and_dialogue_are_none(text: str) -> None:
    assert find_pleasantries(text) == []


def test_what_follows_a_letter_is_the_answer_again() -> None:
    text = (
        f"Dear Ms Lane,\n\n{BODY}\n\nBest regards,\nTom\n\n---\n\nI hope this helps! Let me know if you want changes."
    )
    assert len(find_pleasantries(text)) == 2


def test_a_text_that_is_only_the_phrase_is_a_hint() -> None:
    (spot,) = find_pleasantries("If you have any questions, please let me know.")
    assert not spot.certain


@given(st.text(max_size=300))
@settings(max_examples=200, deadline=None)
def test_any_text_gives_places_inside_it(text: str) -> None:
    for spot in find_pleasantries(text + " I hope this helps!"):
        assert 0 <= spot.start < spot.end <= len(text) + 19


@pytest.mark.parametrize(
    "piece", ["I hope this ", "Hi a,\n", "A: b\n", '"a', "let me know ", "「", "if you ", "hope. "]
)
def test_a_hostile_text_takes_linear_time(piece: str) -> None:
    start = time.process_time()
    find_pleasantries((piece * 200_000)[:200_000])
    assert time.process_time() - start < 1.5


@pytest.mark.parametrize("before", ["", "so, ", "_", "“", "é "])
def test_every_cue_is_seen_where_a_word_begins(before: str) -> None:
    assert [cue for cue in _CUES if cue not in _cues_of(f"{before}{cue}")] == []
