import json
from pathlib import Path

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
        yield name
"""
SQL = "select distinct name, age from people inner join pets on people.id = pets.owner where pets.kind is not null\n"
YAML = "on:\n  push:\n    branches: main\njobs:\n  build:\n    steps:\n      - name: set up python\n        run: make\n"
NOTHING = {
    "empty": "", "blank": "   \n", "a number": "7.", "arithmetic": "3.14 × 2 = 6.28", "a city": "Paris",
    "an opus": "Op. 125", "a short sentence": "The old bridge was closed for repairs after the storm.",
    "chess": "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O 9. h3 Nb8 10. d4 Nbd7",
    "French cities": "\n".join(f"- {city}" for city in (
     "Paris", "Lyon", "Marseille", "Toulouse", "Nice", "Nantes", "Montpellier", "Strasbourg", "Bordeaux",
     "Lille", "Rennes", "Reims", "Toulon", "Saint-Étienne", "Le Havre", "Grenoble", "Dijon", "Angers",
     "Villeurbanne", "Clermont-Ferrand", "Aix-en-Provence", "Brest", "Tours", "Amiens", "Limoges")),
    "fenced code": f"```python\n# {ENGLISH}\n```", "an open fence": f"```\n{ENGLISH}", "Python": PYTHON, "SQL": SQL * 3,
    "YAML": YAML * 4,
    "an address": "https://example.org/the/history/of/the/world/and/all/that/came/after/it/in/the/end " * 5,
    "a quotation": f"“{' '.join(SAMPLES['en'][:8])}”", "markers": "<turn_end></s>", "signs": "🎉🎉🎉",
    "half characters": "\ud800\udfff" * 50,
    "a Latin transcription": "watashi wa kinou tomodachi to issho ni eiga wo mi ni ikimashita " * 3,
}  # fmt: skip


def test_an_ordinary_text_is_told_in_many_languages():
    assert [language_of(" ".join(SAMPLES[code])) for code in TOLD] == TOLD


def test_where_there_is_too_little_prose_nothing_is_said():
    assert {name: language_of(text) for name, text in NOTHING.items()} == dict.fromkeys(NOTHING)


TWENTY = "the old bridge over the river was closed for repairs after the storm and has not been opened again"
TOWNS = "Rio de Janeiro, São Paulo, Belo Horizonte, Porto Alegre, Salvador da Bahia, João Pessoa, Foz do Iguaçu, "
CAPITALS = "LA COMISIÓN PUBLICARÁ SU INFORME A FINALES DE MES, PERO NADIE LO VA A LEER "
BRIDGE = "古い橋は昨年の冬の嵐の後で修理のために閉鎖されましたが、春になってもまだ開通していません。"
CLOSED = "The old bridge was closed for repairs{}nobody knows when it will be opened again for the cars. "


TOLD_TEXTS = [
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
]  # fmt: skip


def test_the_language_is_that_of_twenty_words_of_prose_or_forty_characters():
    for text, code in TOLD_TEXTS:
        assert language_of(text) == code, text


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


MIXED = [
    (f"Translate this into English:\n\n{SPANISH}", {"en", "es"}),
    (f"{' '.join(SAMPLES['ja'])}\n\nWhat does the text above say about the weather?", {"en", "ja"}),
    (f"Was heißt das auf Deutsch, und wer hat es geschrieben?\n\n“{ENGLISH}”", {"de", "en"}),
    (f"Corrige las faltas de ortografía que encuentres en el texto siguiente:\n\n{' '.join(SAMPLES['fr'])}",
     {"es", "fr"}),
]  # fmt: skip


def test_every_language_of_a_mixed_prompt_is_told_and_none_that_it_has_not():
    for text, codes in MIXED:
        assert codes <= languages_in(text)
    assert languages_in(SPANISH) == {"es"}
    assert languages_in("") == languages_in("12 34") == frozenset()


FOREIGN = [
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
    ("ᚠᚢᚦᚨᚱᚲ ᚷᚹᚺᚾᛁᛃ", "another script"),  # CLD3 does not know it
]  # fmt: skip
PASSING = [
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
]  # fmt: skip


def test_a_field_in_another_script_or_surely_in_another_language_is_foreign():
    for text, language in FOREIGN:
        assert foreign_language(text) == language


def test_english_with_foreign_names_and_quotations_and_short_fields_pass():
    assert [text for text in PASSING if foreign_language(text)] == []


def test_a_code_has_no_region_and_its_present_form():
    plain = {"pt-BR": "pt", "zh_Hant": "zh", "EN": "en", "iw": "he", "nb": "no", " fil ": "tl"}
    assert {code: plain_code(code) for code in plain} == plain


SENTENCES = [sentence for group in SAMPLES.values() for sentence in group]


@given(st.one_of(st.text(), st.text(st.characters()), st.lists(st.sampled_from(SENTENCES)).map(" ".join)))
@settings(max_examples=60)
def test_any_text_is_read(text):
    assert language_of(text) in {None, *LANGUAGE_NAMES}
    assert foreign_language(text) in {None, "another script", *LANGUAGE_NAMES.values()}
    assert all(languages_in(text))
    assert len(prose_of(text)) <= len(text) * 3  # the normal form may be longer


PIECES = ["The old bridge was closed. ", "x", "`", '"', "'", "古い橋", "a@", "<a", "a_b.", "\\", "$x", "$$", "\n", ";"]


def test_a_megabyte_costs_no_more_than_its_beginning():
    language_of(ENGLISH)  # loads the network
    for piece in PIECES:
        text = piece * (1_000_000 // len(piece))
        with within(2):
            language_of(text)
            languages_in(text)
            foreign_language(text)
    for text in ("abcd_" * 4000 + "b" * 70, "_" * 20_000 + "b" * 100, "a/" * 10_000):  # names with many underscores
        with within(2):
            language_of(text)
