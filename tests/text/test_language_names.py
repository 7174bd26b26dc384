from hypothesis import given
from hypothesis import strategies as st

from adjudge.text.language import LANGUAGE_NAMES, code_named, language_name, named_languages

NAMED = [
    ("Answer in Spanish.", {"es"}), ("Please reply in Brazilian PORTUGUESE", {"pt"}),
    ("Translate this Spanish text to English: Hola.", {"es", "en"}), ("Responde en inglés.", {"en"}),
    ("Réponds en espagnol, pas en français.", {"es", "fr"}), ("Antworte bitte auf Englisch.", {"en"}),
    ("Übersetze den Text ins Französische.", {"fr"}), ("Was bedeutet das im Deutschen?", {"de"}),
    ("Traduza este texto para o espanhol.", {"es"}), ("Rispondi in italiano.", {"it"}),
    ("次の文を英語に翻訳してください。", {"en"}), ("请用英文回答。", {"en"}),
    ("이 문장을 영어로 번역해 주세요.", {"en"}), ("कृपया इसे अंग्रेज़ी में समझाइए।", {"en"}),
    ("ترجم هذا النص إلى الإنجليزية.", {"en"}), ("Ответь на английском языке.", {"en"}),
    ("Английский или русский?", {"en", "ru"}), ("Trả lời bằng tiếng Việt.", {"vi"}), ("Write it in Polish.", {"pl"}),
    ("Réponds en Télougou.", {"te"}), ("Responde en HUNGARO o en amarico.", {"hu", "am"}),
    ("En zoulou, en pachto ou en cebuano ?", {"zu", "ps", "ceb"}), ("Write it in Tatar or Quechua.", {"tt", "qu"}),
    ("En panyabí, en jemer o en corso.", {"pa", "km", "co"}),
]  # fmt: skip


OWN_NAMES = [
    ("w języku polskim", "pl"), ("v češtině", "cs"), ("suomeksi", "fi"), ("magyarul", "hu"), ("தமிழில்", "ta"),
    ("ภาษาไทย", "th"), ("en gallego", "gl"), ("en galego", "gl"), ("ગુજરાતીમાં", "gu"), ("ਪੰਜਾਬੀ ਵਿੱਚ", "pa"),
    ("ಕನ್ನಡದಲ್ಲಿ", "kn"), ("മലയാളത്തിൽ", "ml"), ("नेपाली", "ne"), ("на български", "bg"), ("na hrvatskom", "hr"),
    ("на српском", "sr"), ("eesti keeles", "et"), ("lietuvių kalba", "lt"),
]  # fmt: skip
OTHER_WORDS = [
    "",
    "What is the capital of Peru?",
    "Please polish my essay.",
    "It is so, no?",
    "Describe life in Spain.",
]


def test_languages_are_known_by_their_names_in_many_languages_and_by_their_own():
    for text, codes in [
        *NAMED,
        *((text, {code}) for text, code in OWN_NAMES),
        *((text, set()) for text in OTHER_WORDS),
    ]:
        assert named_languages(text) == codes, text


def test_a_language_is_found_by_its_code_or_one_of_its_names():
    names = {"es": "es ES Spanish español 西班牙语", "vi": "vi Vietnamese"}
    for code, known in names.items():
        assert {code_named(name) for name in known.split()} == {code}
    assert code_named("tiếng việt") == "vi"
    assert [name for name in ("", "xx", "Klingon", "Spain") if code_named(name)] == []
    assert language_name("xx") == "xx", "without a name it is called by its code"


def test_every_language_is_found_by_its_english_name():
    for code, name in LANGUAGE_NAMES.items():
        assert (code_named(name), language_name(code)) == (code, name)
        assert code in named_languages(f"Write the letter in {name}, please.")


@given(st.text())
def test_any_text_is_read(text):
    assert all(language_name(code) != code for code in named_languages(text))
    assert code_named(text) is None or language_name(code_named(text)) != code_named(text)
