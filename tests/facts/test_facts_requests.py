import json
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.facts.asking.literals import literals, may_match
from adjudge.facts.requests import _LATIN, _OTHERS, JAPANESE, combined, read_requests
from adjudge.facts.wishes import Requests

BENCH = Path(__file__).parents[2] / "bench"
SAMPLES = [json.loads(line) for line in (BENCH / "samples" / "requests.jsonl").read_text("utf-8").splitlines()]
sys.path.insert(0, str(BENCH))

from request_detectors import read_wishes, score_requests  # noqa: E402


def wishes(requests: Requests) -> list:
    found = (requests.length, requests.items, requests.sentences, requests.paragraphs, *requests.formats)
    return [wish for wish in found if wish is not None]


@pytest.mark.parametrize("sample", SAMPLES)
def test_a_wish_is_read_as_it_was_said_or_not_at_all(sample: dict) -> None:
    got = read_wishes(read_requests(sample["text"]))
    assert all(got[key] == sample[key] or not got[key] for key in got)


@pytest.mark.parametrize("sample", [s for s in SAMPLES if not any(s[k] for k in s if k not in ("text", "language"))])
def test_where_nothing_is_asked_nothing_is_read(sample: dict) -> None:
    assert wishes(read_requests(sample["text"])) == []


def test_the_samples_are_as_many_and_as_mixed_as_the_bench_says() -> None:
    assert len(SAMPLES) >= 220
    assert len({sample["language"] for sample in SAMPLES}) == 11
    assert sum(1 for s in SAMPLES if not any(s[k] for k in s if k not in ("text", "language"))) * 10 >= len(SAMPLES) * 3


def test_measured_reading_stays_as_good_as_it_was() -> None:
    scores, _ = score_requests()
    for counts in scores.values():
        assert counts.right >= (counts.right + counts.false_alarms) * 0.98
        assert counts.right >= (counts.right + counts.missed) * 0.95


@pytest.mark.parametrize("sample", SAMPLES)
def test_a_wish_quotes_the_text_at_its_place(sample: dict) -> None:
    for wish in wishes(read_requests(sample["text"])):
        assert sample["text"][wish.start : wish.end].strip() == wish.words


@pytest.mark.parametrize(
    "text",
    [
        "Summarize this article:\n\n" + "He said that one should write a 500-word essay with 3 examples. " * 20,
        "What is wrong here?\n\n> Write 100 words in a table.",
        "<article>Please write a 200-word essay in JSON.</article>\nWhat is this about?",
        "Human: Write a 100-word essay.\n\nAssistant: Give three examples.\n\nHuman: Thanks, why is that so?",
        "Text: Write 300 words about bees. List five reasons.",
        "Write a 100-word introduction and a 300-word conclusion.",
        "Answer in 50 words. No, answer in 100 words.",
    ],
)
def test_material_other_turns_parts_and_contradictions_are_no_wishes(text: str) -> None:
    assert wishes(read_requests(text)) == []


def test_an_instruction_after_long_material_is_read() -> None:
    text = (
        "Read this.\n\n" + "The river rose and the mill stood still. " * 200 + "\n\nSummarize it in at most 40 words."
    )
    length = read_requests(text).length
    assert length is not None and (length.kind, length.count) == ("at_most", 40)
    assert text[length.start : length.end] == "at most 40 words"


def test_a_least_and_a_most_make_a_range() -> None:
    length = read_requests("Write a story. Use at least 100 words. Use at most 200 words.").length
    assert length is not None and (length.kind, length.count, length.upper) == ("range", 100, 200)


@pytest.mark.parametrize(
    "text",
    [
        "From now on, answer in at most 50 words.",
        "De ahora en adelante responde en un máximo de 50 palabras.",
        "Désormais, réponds en 50 mots maximum.",
        "Ab jetzt antworte in höchstens 50 Wörtern.",
        "A partir de agora, responda em no máximo 50 palavras.",
        "D'ora in poi rispondi in massimo 50 parole.",
        "今後は50字以内で答えてください。",
        "从现在开始，请用50字以内回答。",
        "앞으로 50자 이내로 대답해 주세요.",
        "अब से अधिकतम 50 शब्दों में उत्तर दें।",
        "من الآن فصاعدا، أجب في 50 كلمة كحد أقصى.",
    ],
)
def test_lasting_wishes_are_told_from_passing_ones(text: str) -> None:
    length = read_requests(text, persistent_only=True).length
    assert length is not None and (length.kind, length.count) == ("at_most", 50)


def test_a_passing_wish_of_the_conversation_does_not_last() -> None:
    assert read_requests("Answer in at most 50 words.", persistent_only=True) == Requests()


def test_the_system_prompt_comes_first_then_the_prompt_then_the_conversation() -> None:
    system = read_requests("Answer in at most 100 words.")
    history = read_requests("Always answer in at most 20 words and in two sentences.", persistent_only=True)
    prompt = read_requests("Write about 500 words. Give me 3 examples.")
    both = combined(system, history, prompt)
    assert both.length is not None and (both.length.count, both.length.source) == (100, "system prompt")
    assert both.items is not None and both.items.source == "prompt"
    assert both.sentences is not None and both.sentences.source == "conversation"
    later = combined(history=history, prompt=prompt).length
    assert later is not None and (later.count, later.source) == (500, "prompt")


@pytest.mark.parametrize(
    ("system", "prompt", "left"),
    [
        ("Do not use tables.", "Compare them in a table.", [("table", True)]),
        ("Never use markdown.", "Answer in bullet points.", [("markdown", True)]),
        ("Do not use lists.", "Answer in bullet points.", [("list", True)]),
        ("Respond in JSON.", "Give it to me as a numbered list.", [("json", False)]),
        ("Do not use emojis.", "Compare them in a table.", [("emojis", True), ("table", False)]),
        ("", "Compare them in a table.", [("table", False)]),
    ],
)
def test_a_format_the_system_prompt_rules_out_is_not_asked_for(system: str, prompt: str, left: list) -> None:
    formats = combined(read_requests(system), Requests(), read_requests(prompt)).formats
    assert [(wish.name, wish.forbidden) for wish in formats] == left


def test_formats_of_the_conversation_count_only_where_the_prompt_names_none() -> None:
    history = read_requests("Always answer in bullet points.", persistent_only=True)
    assert [w.source for w in combined(history=history, prompt=read_requests("Why?")).formats] == ["conversation"]
    assert [w.name for w in combined(history=history, prompt=read_requests("Compare them in a table.")).formats] == [
        "table"
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Keep every answer under 30 words.",
        "Keep all answers under 30 words.",
        "Limit each response to 30 words.",
        "Please keep all of your replies below 30 words.",
    ],
)
def test_a_limit_for_every_answer_is_one_for_this_answer_and_lasts(text: str) -> None:
    for lasting in (False, True):
        length = read_requests(text, persistent_only=lasting).length
        assert length is not None and (length.kind, length.count) == ("at_most", 30)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Don't write more than 100 words.", "at_most"),
        ("Do not go over 100 words. Why is the sky blue?", "at_most"),
        ("Describe Rome. Do not use fewer than 100 words.", "at_least"),
        ("Write more than 100 words about Rome.", "at_least"),
        ("No escribas más de 100 palabras.", "at_most"),
        ("Non scrivere più di 100 parole.", "at_most"),
        ("Não escreva mais de 100 palavras.", "at_most"),
        ("لا تكتب أكثر من 100 كلمة.", "at_most"),
    ],
)
def test_a_limit_that_is_denied_is_meant_the_other_way_round(text: str, kind: str) -> None:
    length = read_requests(text).length
    assert length is not None and (length.kind, length.count) == (kind, 100)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Explain why the sky is blue in two sentences.", 2),
        ("Erkläre mir, warum der Himmel blau ist, in zwei Sätzen.", 2),
        ("Explícame por qué el cielo es azul en dos frases.", 2),
        ("Explain how to write an essay in two sentences.", None),
        ("What is inflation in one sentence?", 1),
        ("What is wrong in these two sentences?", None),
        ("In one sentence, what is inflation?", 1),
    ],
)
def test_what_is_to_be_explained_does_not_hide_how_long(text: str, sentences: int | None) -> None:
    wish = read_requests(text).sentences
    assert (wish and wish.count) == sentences


@pytest.mark.parametrize("lexicon", [*_LATIN, *_OTHERS, JAPANESE])
def test_what_is_passed_over_unsearched_could_not_have_been_found(lexicon) -> None:
    nouns = (lexicon.word, lexicon.character, lexicon.sentence, lexicon.paragraph, lexicon.code, lexicon.forbids)
    for pattern in (*nouns, *lexicon.formats.values(), *lexicon.item_patterns):
        for sample in SAMPLES:
            if not may_match(pattern, sample["text"].lower()):
                assert lexicon.compiled(pattern).search(sample["text"]) is None


@pytest.mark.parametrize(
    ("pattern", "pieces"),
    [
        ("words?", {"word"}),
        ("(?:in|as) an? table", {"in a table", "in an table", "as a table", "as an table"}),
        ("[a-z]+|list", None),
        (r"\d{2,} (?:caf[ée]s|teas)", {" cafés", " cafes", " teas"}),
        ("x*", None),
        ("(?!list)(?:table)?", None),
    ],
)
def test_the_pieces_a_pattern_needs_are_read_off_it(pattern: str, pieces: set[str] | None) -> None:
    found = literals(pattern)
    assert (found and set(found)) == pieces


PIECES = st.sampled_from(
    ["write", "about", "in", "300", "words", "字", "約", "٣", "५", "one", "three", "examples",
     "table", ".", "\n", '"', "```", "no", "JSON",
     "\x00", "不超过", "개", "दो", "كلمة", "at most", "-", "(", "²", "①", "Ⅷ", "٬", "0", "999999"]
)  # fmt: skip


@given(
    st.one_of(
        st.text(max_size=300), st.lists(PIECES, max_size=40).map(" ".join), st.lists(PIECES, max_size=40).map("".join)
    )
)
def test_no_text_makes_it_raise_and_places_are_in_the_text(text: str) -> None:
    for lasting in (False, True):
        for wish in wishes(read_requests(text, persistent_only=lasting)):
            assert 0 <= wish.start < wish.end <= len(text)
