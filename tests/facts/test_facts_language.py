import json
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.facts.language import LANGUAGE_NAMES, find_language, language_of

BENCH = Path(__file__).parents[2] / "bench"
SAMPLES: dict[str, list[str]] = {}
for line in (BENCH / "samples" / "language.jsonl").read_text("utf-8").splitlines():
    sample = json.loads(line)
    if sample["kind"] == "sentence":
        SAMPLES.setdefault(sample["lang"], []).append(sample["text"])
ELEVEN = ["en", "es", "fr", "de", "pt", "it", "ja", "zh", "ko", "hi", "ar"]
ENGLISH = " ".join(SAMPLES["en"])

CLOSE = [
    ("es", "pt"), ("da", "sv"), ("id", "ms"), ("ru", "uk"), ("uk", "ru"), ("cs", "sk"), ("hi", "mr"), ("pt", "gl"),
    ("da", "no"), ("ru", "bg"), ("pt", "es"), ("id", "jv"), ("hi", "ne"),
]  # fmt: skip

NOTHING = [
    "",
    "   \n",
    "42",
    "3.14 × 2 = 6.28",
    "Paris",
    "```python\nfor item in the_list:\n    print(item)\n```",
    "`const value = 3`",
    "https://example.org/the/history/of/the/world",
    "<turn_end>",
    "🎉🎉🎉",
    "\ud800\udfff",
]
FINE_ENGLISH = [
    "The French call it “la joie de vivre”, and there is no better word for it.",
    "My favourite novels are *Cien años de soledad* and *Der Zauberberg*, and both are long.",
    "She greeted us with a cheerful buongiorno a tutti and poured the coffee.",
    "- Crème brûlée\n- Coq au vin\n- Pot-au-feu\n\nThese three dishes are easy to make at home.",
    "The word 食べる means to eat, and 飲む means to drink.",
    "Thanks to Michał Szulczyński, Ondřej Kuzník and Björn Åkesson for their help with this chapter.",
    "Run it like this:\n```\necho 'el perro de la casa no está en el jardín con los niños'\n```\nThen read the output.",
    "The pangolin (Manis javanica) and the wolf (Canis lupus) are both mammals.",
    "## Lo que el viento se llevó\n\nThe film was shown in every cinema of the town that year.",
    "The answer is 42.<turn_end>",
    "Ok.",
]


@pytest.mark.parametrize("code", sorted(SAMPLES))
def test_a_paragraph_is_known_for_sure_in_every_language(code: str) -> None:
    language = language_of(" ".join(SAMPLES[code]))
    assert language is not None and (language.code, language.sure) == (code, True)


@pytest.mark.parametrize("text", NOTHING)
def test_where_there_is_too_little_to_tell_nothing_is_said(text: str) -> None:
    assert language_of(text) is None
    assert find_language(text, "en") == []


def test_traditional_and_simplified_are_both_chinese() -> None:
    for text in SAMPLES["zh"]:
        language = language_of(text)
        assert language is not None and language.code == "zh"


def test_a_title_of_chinese_signs_may_be_japanese() -> None:
    language = language_of("東京都知事選挙結果")
    assert language is not None and not language.sure


def test_code_addresses_and_markers_do_not_count() -> None:
    code = "```python\nfor the in of: print(and_the_old_bridge_was_closed)\n```" * 20
    text = f"{code}\nLa comisión publicará su informe, pero nadie lo cree. https://example.org/the/end <turn_end>"
    language = language_of(text)
    assert language is not None and language.code == "es"


@pytest.mark.parametrize("code", ELEVEN)
def test_a_text_in_the_wanted_language_has_no_spot(code: str) -> None:
    assert find_language("\n\n".join(SAMPLES[code]), code) == []


@pytest.mark.parametrize("code", ELEVEN[1:])
def test_a_whole_text_in_another_language_is_major_and_certain(code: str) -> None:
    text = " ".join(SAMPLES[code])
    (spot,) = find_language(text, "en")
    assert (spot.severity, spot.certain) == ("major", True)
    assert (spot.start, spot.end) == (0, len(text))
    assert spot.found == f"is in {LANGUAGE_NAMES[code]}, not in English"


@pytest.mark.parametrize("code", ELEVEN[1:])
def test_english_where_another_language_is_wanted_is_major_and_certain(code: str) -> None:
    (spot,) = find_language(ENGLISH, code)
    assert (spot.severity, spot.certain) == ("major", True)
    assert spot.found == f"is in English, not in {LANGUAGE_NAMES[code]}"


@pytest.mark.parametrize("code", ELEVEN[1:])
def test_a_stray_paragraph_is_minor_and_certain_at_its_place(code: str) -> None:
    stray = " ".join(SAMPLES[code][:3])
    text = f"{ENGLISH}\n\n{stray}\n\n{ENGLISH}"
    (spot,) = find_language(text, "en")
    assert (spot.severity, spot.certain) == ("minor", True)
    assert text[spot.start : spot.end] == stray
    assert LANGUAGE_NAMES[code] in spot.found


def test_a_stray_sentence_is_named_in_plain_words() -> None:
    stray = "Si el motor vuelve a hacer ese ruido, tienes que apagarlo y llamar a los vecinos."
    text = f"{ENGLISH} {stray} {ENGLISH}"
    (spot,) = find_language(text, "en")
    assert text[spot.start : spot.end] == stray
    assert (spot.found, spot.severity, spot.certain) == ("a sentence in Spanish, not in English", "minor", True)


@pytest.mark.parametrize("text", FINE_ENGLISH)
def test_words_names_titles_and_code_are_no_issue(text: str) -> None:
    assert find_language(text, "en") == []


def test_a_quote_of_the_prompts_own_material_is_no_issue() -> None:
    material = SAMPLES["fr"][0]
    text = f"{ENGLISH} {material} {ENGLISH}"
    assert find_language(text, "en") != []
    assert find_language(text, "en", beside=f"What does this mean? {material}") == []


def test_a_language_the_prompt_speaks_of_is_only_a_hint() -> None:
    text = f"{ENGLISH}\n\n{' '.join(SAMPLES['fr'][:2])}\n\n{ENGLISH}"
    (spot,) = find_language(text, "en", beside="Give me examples of French prose.")
    assert not spot.certain


def test_a_note_in_the_prompts_own_language_beside_a_translation_is_only_a_hint() -> None:
    text = f"{' '.join(SAMPLES['de'])}\n\nI kept the tone of the letter and changed the order of two words."
    (spot,) = find_language(text, "de", beside="Translate the letter that I have pasted below into German, please.")
    assert not spot.certain


def test_slipping_into_the_prompts_own_language_is_certain() -> None:
    text = f"{ENGLISH}\n\n{' '.join(SAMPLES['fr'][:2])}\n\n{ENGLISH}"
    (spot,) = find_language(text, "en", beside="Que faut-il faire quand le moteur fait du bruit, et où est la gare ?")
    assert spot.certain


@pytest.mark.parametrize(("wanted", "code"), [("pt-BR", "pt"), ("zh_Hant", "zh"), ("EN", "en")])
def test_a_region_of_the_wanted_language_does_not_matter(wanted: str, code: str) -> None:
    assert find_language(" ".join(SAMPLES[code]), wanted) == []


def test_a_list_of_short_lines_in_another_language_is_found_as_a_whole() -> None:
    lines = [
        "la leche para el niño",
        "el pan de la tienda",
        "los huevos y el queso",
        "una botella de vino",
        "y las uvas",
    ]
    text = "\n".join(f"- {line}" for line in lines)
    (spot,) = find_language(text, "en")
    assert spot.severity == "major" and "Spanish" in spot.found


@pytest.mark.parametrize(("written", "wanted"), CLOSE)
def test_close_languages_are_never_certain_on_one_sentence(written: str, wanted: str) -> None:
    for sentence in SAMPLES[written]:
        assert not any(spot.certain for spot in find_language(sentence, wanted)), sentence


def test_spanish_for_portuguese_is_certain_where_the_evidence_is_overwhelming() -> None:
    (spot,) = find_language(" ".join(SAMPLES["es"]), "pt")
    assert (spot.severity, spot.certain) == ("major", True)


def test_no_more_than_five_stray_stretches_are_shown() -> None:
    text = " ".join(f"{SAMPLES['en'][i]} {SAMPLES['en'][i + 1]} {SAMPLES['ja'][i]}" for i in range(8))
    assert len(find_language(text, "en")) == 5


@given(st.text(), st.text(), st.sampled_from(sorted(LANGUAGE_NAMES)))
def test_any_text_is_read_and_every_place_is_in_it(text: str, beside: str, wanted: str) -> None:
    language = language_of(text)
    assert language is None or language.code in LANGUAGE_NAMES
    for spot in find_language(text, wanted, beside):
        assert 0 <= spot.start < spot.end <= len(text)
        assert spot.severity in ("minor", "major")


@given(
    st.lists(st.sampled_from([s for group in SAMPLES.values() for s in group]), max_size=12), st.sampled_from(ELEVEN)
)
def test_places_never_overlap(sentences: list[str], wanted: str) -> None:
    text = " ".join(sentences)
    spots = find_language(text, wanted)
    assert len(spots) <= 5
    assert all(first.end <= second.start for first, second in pairwise(spots))


@pytest.mark.parametrize(
    "piece", ["The old bridge was closed. ", "x", "`", "古い橋", "a@", "<a", "a_b.", "\\", "$x", "\n"]
)
def test_a_megabyte_costs_no_more_than_its_sample(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    language_of("Load the detector first, please.")
    quickest = 1.0
    for _ in range(5):
        begun = time.process_time()
        language_of(text)
        quickest = min(quickest, time.process_time() - begun)
    assert quickest < 0.02
    begun = time.process_time()
    find_language(text, "fr")
    assert time.process_time() - begun < 1


def test_importing_the_facts_does_not_load_the_detector() -> None:
    code = (
        "import sys, adjudge.facts, adjudge.facts.language, adjudge.facts.asked_language; print('gcld3' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_measured_on_the_bench_samples_certain_facts_are_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCH))
    import language_detection as bench

    certain = bench.total(bench.judge_documents(certain_only=True))
    assert certain.samples >= 600
    assert certain.right / (certain.right + certain.false_alarms) >= 0.98
    assert certain.right / (certain.right + certain.missed) >= 0.93
    hints = bench.total(bench.judge_documents(certain_only=False))
    assert hints.right / (hints.right + hints.false_alarms) >= 0.98
    assert hints.right / (hints.right + hints.missed) >= 0.96


def test_measured_on_the_bench_samples_sentences_are_told_apart() -> None:
    answers = [(code, language_of(text)) for code, texts in SAMPLES.items() for text in texts]
    assert len(answers) >= 200
    right = [language for code, language in answers if language is not None and language.code == code]
    assert len(right) / len(answers) >= 0.98
    assert not [code for code, language in answers if language is not None and language.sure and language.code != code]
    assert sum(language.sure for language in right) / len(answers) >= 0.85
