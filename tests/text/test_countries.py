from hypothesis import given
from hypothesis import strategies as st
from quick import within

from adjudge.text.countries import languages_covered, names_a_country

NAMED = [
    "List twelve classic dishes from Italy.", "LIST DISHES FROM ITALY", "Sri Lankan food", "I met two Frenchmen.",
    "Turkey", "A trip to New Zealand", "comida mexicana", "una receta de Perú", "la cuisine thaïlandaise",
    "un voyage aux Pays-Bas", "un plat de Côte d'Ivoire", "Gerichte aus der Schweiz", "die italienische Küche",
    "Was essen die Deutschen?", "uma receita de Portugal", "comida brasileira", "la cucina giapponese", "in Grecia",
    "итальянская кухня", "блюда из Индии", "المطبخ الإيطالي", "أكلات من مصر", "رحلة للصين", "بالولايات المتحدة",
    "भारतीय खाना", "जापान के बारे में", "法国菜", "意大利有什么好吃的?", "日本の料理", "イタリアの名物", "이탈리아의 음식",
    "한국에서",
]  # fmt: skip
NOT_NAMED = [
    "", "Is Bob Marley an atheist?", "a roast turkey on fine china", "Please polish my essay.", "new zealand",
    "indicate individual vascular malaise", "slovenly, with a corset and much libido", "Bertrand Russell",
    "Tell us about it.", "Which US president?", "индивидуальный корень", "ركز على التركيز", "यह प्राचीन है",
    "タイトルをつけてください", "사랑이란 무엇인가", "Was macht man im Winter?", "¿Qué hago para salvarlo?",
]  # fmt: skip


def test_a_country_or_what_comes_from_it_is_named_and_other_words_and_abbreviations_name_none():
    assert [text for text in NAMED if not names_a_country(text)] == []
    assert [text for text in NOT_NAMED if names_a_country(text)] == []
    assert languages_covered() == {"en", "es", "fr", "de", "pt", "it", "ja", "zh", "ko", "hi", "ar", "ru"}


@given(st.text())
def test_any_text_is_read(text):
    assert names_a_country(text) in (True, False)


def test_a_long_text_takes_no_longer_than_its_words():
    names_a_country("")
    for piece in ("the quick fox ", "x", "快速的狐狸", "والسريع ", "Aa", "'"):
        with within(3):
            names_a_country(piece * (200_000 // len(piece)))
