import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from quick import within

from adjudge.text.language import (
    LANGUAGE_NAMES,
    foreign_language,
    language_of,
    languages_in,
    plain_code,
    prose_of,
    running_text,
)

SAMPLES: dict[str, list[str]] = {}  # ten sentences a language
for line in Path(__file__).with_name("sentences.jsonl").read_text("utf-8").splitlines():
    sample = json.loads(line)
    SAMPLES.setdefault(sample["lang"], []).append(sample["text"])
TOLD = sorted(SAMPLES.keys() - {"id"})  # Indonesian is too close to Malay
ENGLISH, SPANISH = " ".join(SAMPLES["en"]), " ".join(SAMPLES["es"])

PYTHON = """def total(items):
    result = 0
    for item in items:
        if item is None:
            continue
        elif item > 3:
            result += item
        else:
            raise ValueError
    return result

for name in names:
    while not done:
        try:
            yield name
        except KeyError:
            pass
"""
SQL = (
    "select distinct name, age from people inner join pets on people.id = pets.owner where pets.kind is not null\n" * 3
)
YAML = (
    "on:\n  push:\n    branches: main\njobs:\n  build:\n    steps:\n      - name: set up python\n        run: make\n"
    * 4
)
NOTHING = {
    "empty": "", "blank": "   \n", "a number": "7.", "arithmetic": "3.14 × 2 = 6.28", "a city": "Paris",
    "an opus": "Op. 125", "a short sentence": "The old bridge was closed for repairs after the storm.",
    "chess": "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O 9. h3 Nb8 10. d4 Nbd7",
    "French cities": "\n".join(f"- {city}" for city in (
     "Paris", "Lyon", "Marseille", "Toulouse", "Nice", "Nantes", "Montpellier", "Strasbourg", "Bordeaux",
     "Lille", "Rennes", "Reims", "Toulon", "Saint-Étienne", "Le Havre", "Grenoble", "Dijon", "Angers",
     "Villeurbanne", "Clermont-Ferrand", "Aix-en-Provence", "Brest", "Tours", "Amiens", "Limoges")),
    "fenced code": f"```python\n# {ENGLISH}\n```", "an open fence": f"```\n{ENGLISH}", "Python": PYTHON, "SQL": SQL,
    "YAML": YAML,
    "an address": "https://example.org/the/history/of/the/world/and/all/that/came/after/it/in/the/end " * 5,
    "a quotation": f"“{' '.join(SAMPLES['en'][:8])}”", "markers": "<turn_end></s>", "signs": "🎉🎉🎉",
    "half characters": "\ud800\udfff" * 50,
    "a Latin transcription": "watashi wa kinou tomodachi to issho ni eiga wo mi ni ikimashita " * 3,
}  # fmt: skip


@pytest.mark.parametrize("code", TOLD)
def test_an_ordinary_text_is_told_in_many_languages(code):
    assert language_of(" ".join(SAMPLES[code])) == code


@pytest.mark.parametrize("text", NOTHING.values(), ids=NOTHING)
def test_where_there_is_too_little_prose_nothing_is_said(text):
    assert language_of(text) is None


TWENTY = "the old bridge over the river was closed for repairs after the storm and has not been opened again"
TOWNS = "Rio de Janeiro, São Paulo, Belo Horizonte, Porto Alegre, Salvador da Bahia, João Pessoa, Foz do Iguaçu, "
CAPITALS = "LA COMISIÓN PUBLICARÁ SU INFORME A FINALES DE MES, PERO NADIE LO VA A LEER "
BRIDGE = "古い橋は昨年の冬の嵐の後で修理のために閉鎖されましたが、春になってもまだ開通していません。"
CLOSED = "The old bridge was closed for repairs{}nobody knows when it will be opened again for the cars. "


@pytest.mark.parametrize(("text", "code"), [
    # Twenty words of prose are needed, capitalised or not.
    (f"{TWENTY} since then", "en"), (f"{TWENTY} Since Then", "en"), (TWENTY, None), (f"{TWENTY} 12 34 56", None),
    (TOWNS * 3, None), (CAPITALS * 2, "es"),  # a list of names is in no language
    (BRIDGE, "ja"), (BRIDGE[:30], None),  # forty characters in a script without spaces
    # Code in one language does not hide prose in another.
    (f"{PYTHON}\n{SPANISH}\n```\n{ENGLISH}\n```\nhttps://example.org/the/end <turn_end>", "es"),
    # A sign that is usual in code makes no code of a paragraph.
    *((CLOSED.format(mark) * 2, "en") for mark in ("; ", " (option(s)) ", " = ")),
    # A text in two languages is in neither.
    (f"{ENGLISH}\n\n{SPANISH}", None), (f"{CLOSED.format('; ') * 2}\n\n{' '.join(SAMPLES['es'][:2])}", None),
])  # fmt: skip
def test_the_language_is_that_of_twenty_words_of_prose_or_forty_characters(text, code):
    assert language_of(text) == code


def test_fewer_words_may_do_where_a_prompt_is_read():
    prompt = "¿Cuál es la capital de Francia y cuántos habitantes tiene?"
    assert (language_of(prompt), language_of(prompt, 4)) == (None, "es")


def test_running_text_has_no_short_lines_without_an_end_mark():
    text = "Primi piatti\n- Spaghetti alla Carbonara\nIt is good.\nOne two three four five six seven eight\nDolci:"
    assert running_text(text).split("\n") == ["It is good.", "One two three four five six seven eight"]


def test_code_quotations_addresses_digits_and_markers_are_no_prose():
    text = (
        "Das ist 1 Wort: `print`, “quoted”, „zitiert“, »auch«, 'dies' und 「これ」 "
        "https://example.org/x a@b.de <b>fett</b> </s>\n```\ncode\n```\nx = f(y);"
    )
    prose = prose_of(text)
    gone = ["1", "print", "quoted", "zitiert", "auch", "dies", "これ", "example", "@", "<b>", "</s>", "code", "f(y)"]
    assert [piece for piece in gone if piece in prose] == []
    assert "Das ist" in prose and "fett" in prose


def test_half_a_character_spoils_nothing():
    assert language_of(f"{SPANISH} \ud83d") == "es"
    assert foreign_language(f"{SPANISH} \ud83d") == "Spanish"
    assert "es" in languages_in(f"{SPANISH} \ud83d")


@pytest.mark.parametrize(("text", "codes"), [
    (f"Translate this into English:\n\n{SPANISH}", {"en", "es"}),
    (f"{' '.join(SAMPLES['ja'])}\n\nWhat does the text above say about the weather?", {"en", "ja"}),
    (f"Was heißt das auf Deutsch, und wer hat es geschrieben?\n\n“{ENGLISH}”", {"de", "en"}),
    (f"Corrige las faltas de ortografía que encuentres en el texto siguiente:\n\n{' '.join(SAMPLES['fr'])}",
     {"es", "fr"}),
], ids=["es in en", "ja in en", "en in de", "fr in es"])  # fmt: skip
def test_every_language_of_a_mixed_prompt_is_told(text, codes):
    assert codes <= languages_in(text)


def test_a_language_that_a_prompt_has_not_is_not_told():
    assert languages_in(SPANISH) == {"es"}
    assert languages_in("") == languages_in("12 34") == frozenset()


@pytest.mark.parametrize(("text", "language"), [
    ("Ответ правильный, но в нём не хватает примера.", "Russian"), ("Ответ: хороший.", "Russian"),
    ("Хороший ответ", "Russian"),
    ("La respuesta es correcta, clara y completa, pero falta un ejemplo concreto.", "Spanish"),  # 12 words
    ("Die Antwort nennt alle Schritte, aber die Erklärung der Ergebnisse fehlt und der Ton ist falsch.", "German"),
    ("LA RESPUESTA ES CORRECTA, CLARA Y COMPLETA, PERO FALTA UN EJEMPLO CONCRETO.", "Spanish"),
    ("良い回答です。", "Japanese"), ("답변이 짧습니다.", "Korean"), ("الإجابة جيدة وكاملة.", "Arabic"),
    ("La respuesta es correcta y completa, pero le falta un ejemplo que muestre cómo se aplica la regla.", "Spanish"),
    ("La réponse est juste et complète, mais il y manque un exemple qui montre comment la règle est appliquée.",
     "French"),
    ("Die Antwort ist gut und vollständig, aber es fehlt ein Beispiel, das zeigt, wie man die Regel anwendet.",
     "German"),
])  # fmt: skip
def test_a_field_in_another_script_or_surely_in_another_language_is_foreign(text, language):
    assert foreign_language(text) == language


@pytest.mark.parametrize("text", [
    "", "Good.", "5 > 3", "La respuesta es correcta.", "Muy bien, pero falta un ejemplo.",
    "La respuesta es correcta, clara y completa, pero falta un ejemplo.",  # 11 words
    "Names Rio de Janeiro, São Paulo, Belo Horizonte, Porto Alegre and Salvador da Bahia correctly.",
    "Response 2 lists Spaghetti alla Carbonara, Risotto alla Milanese, Ossobuco and Saltimbocca as classic dishes.",
    "The response lists Crème Brûlée, Coq au Vin and Bœuf Bourguignon, but it does not say how to make them.",
    "It thanks Michał Szulczyński, Ondřej Kuzník and Björn Åkesson, Gabriel García Márquez and Jürgen Müller.",
    "The response says “la comisión publicará su informe, pero nadie lo cree en la ciudad de los ríos” twice.",
    "It quotes «la commission publiera son rapport, mais personne dans la ville ne le croit» and stops there.",
    "The word 「食べる」 is explained, and so is “飲む”.",
    "Response 1 uses α and β as the exponents; Response 2 does not.", ENGLISH,
])  # fmt: skip
def test_english_with_foreign_names_and_quotations_and_short_fields_pass(text):
    assert foreign_language(text) is None


def test_a_script_that_cld3_does_not_know_is_another_script():
    assert foreign_language("ᚠᚢᚦᚨᚱᚲ ᚷᚹᚺᚾᛁᛃ") == "another script"


@pytest.mark.parametrize(
    ("code", "plain"), [("pt-BR", "pt"), ("zh_Hant", "zh"), ("EN", "en"), ("iw", "he"), ("nb", "no"), (" fil ", "tl")]
)
def test_a_code_has_no_region_and_its_present_form(code, plain):
    assert plain_code(code) == plain


SENTENCES = [sentence for group in SAMPLES.values() for sentence in group]


@given(st.one_of(st.text(), st.text(st.characters()), st.lists(st.sampled_from(SENTENCES)).map(" ".join)))
@settings(deadline=None)
def test_any_text_is_read(text):
    assert language_of(text) in {None, *LANGUAGE_NAMES}
    assert foreign_language(text) in {None, "another script", *LANGUAGE_NAMES.values()}
    assert all(languages_in(text))
    assert len(prose_of(text)) <= len(text) * 3  # the normal form may be longer


@pytest.mark.parametrize(
    "piece",
    ["The old bridge was closed. ", "x", "`", '"', "'", "古い橋", "a@", "<a", "a_b.", "\\", "$x", "$$", "\n", ";"],
)
def test_a_megabyte_costs_no_more_than_its_beginning(piece):
    text = piece * (1_000_000 // len(piece))
    language_of(ENGLISH)  # loads the network
    with within(2):
        language_of(text)
        languages_in(text)
        foreign_language(text)


def test_importing_it_does_not_load_the_network():
    code = "import sys, adjudge.text.language, adjudge.text.reasons; print('gcld3' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize("text", ["abcd_" * 4000 + "b" * 70, "_" * 20_000 + "b" * 100, "a/" * 10_000])
def test_names_with_many_underscores_take_no_longer_than_others(text):
    with within(2):
        language_of(text)
