import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.facts.asked_language import asked_language, wanted_language
from adjudge.facts.language_names import LANGUAGE_NAMES

ASKED = [
    ("Answer in Spanish.", "es"),
    ("Respond only in French, please.", "fr"),
    ("Please reply in Brazilian Portuguese", "pt"),
    ("You are a helpful assistant. All responses must be in German.", "de"),
    ("Your answers should always be written in Japanese, whatever the user says.", "ja"),
    ("Translate the following text into German:\nThe sun is out.", "de"),
    ("Translate this Spanish text to English: Hola.", "en"),
    ("Please translate from French into Italian.", "it"),
    ("Write an email in Italian to my landlord about the heating.", "it"),
    ("Explain photosynthesis in Hindi.", "hi"),
    ("In Korean, describe the four seasons.", "ko"),
    ("What is the capital of Peru? (in Dutch)", "nl"),
    ("What is the capital of Peru? In Arabic please.", "ar"),
    ("I want the summary in Polish.", "pl"),
    ("Give me a Turkish translation of this letter.", "tr"),
    ("Switch to Chinese.", "zh"),
    ("Use Spanish from now on.", "es"),
    ("English only!", "en"),
    ("Target language: Swedish", "sv"),
    ("Don't answer in Spanish, answer in English.", "en"),
    ("Write the reply in Spanish, not in English.", "es"),
    ("Responde en inglés.", "en"),
    ("Escribe un poema sobre el mar en francés, por favor.", "fr"),
    ("Traduce este texto al alemán.", "de"),
    ("Réponds en espagnol.", "es"),
    ("Rédigez une lettre de motivation en anglais pour une banque.", "en"),
    ("Traduisez ce paragraphe vers l'italien.", "it"),
    ("Antworte bitte auf Englisch.", "en"),
    ("Kannst du mir das auf Deutsch erklären?", "de"),
    ("Übersetze den Text ins Französische.", "fr"),
    ("Responda em português.", "pt"),
    ("Escreva um e-mail em inglês para o meu chefe.", "en"),
    ("Traduza este texto para o espanhol.", "es"),
    ("Rispondi in italiano.", "it"),
    ("Scrivi una storia breve in tedesco.", "de"),
    ("日本語で答えてください。", "ja"),
    ("次の文を英語に翻訳してください。", "en"),
    ("フランス語で簡潔に説明して。", "fr"),
    ("请用英文回答。", "en"),
    ("把下面的句子翻译成日语。", "ja"),
    ("請用中文寫一篇文章。", "zh"),
    ("한국어로 답해줘.", "ko"),
    ("이 문장을 영어로 번역해 주세요.", "en"),
    ("हिंदी में जवाब दें।", "hi"),
    ("कृपया इसे अंग्रेज़ी में समझाइए।", "en"),
    ("أجب بالعربية.", "ar"),
    ("ترجم هذا النص إلى الإنجليزية.", "en"),
    ("اكتب رسالة باللغة الفرنسية.", "fr"),
    ("Ответь на английском языке.", "en"),
    ("Write me a 200-word story in simple French for beginners.", "fr"),
    ("You must respond exclusively in Portuguese (Brazil).", "pt"),
    ("The assistant responds in German.", "de"),
    ("Always use English.", "en"),
    ("Give me the Spanish translation.", "es"),
    ("I'm writing in English but please answer me in Spanish.", "es"),
    ("The user will write in Japanese. Respond in English.", "en"),
    ("Help me with my Spanish homework. Reply in English.", "en"),
    ("Respond in English even if the user writes in French.", "en"),
    ("* Language: French", "fr"),
    ("Fais un résumé en français du texte anglais suivant.", "fr"),
    ("英語のメールを書いてください。", "en"),
    ("请写一封英文邮件给老板。", "en"),
    ("영어로 이메일을 써 주세요.", "en"),
]
NOT_ASKED = [
    "",
    "Tell me about the history of Spanish.",
    "My French teacher gave me too much homework.",
    "Write a short program that my friend can show in English class.",
    "Describe daily life in French Guiana.",
    "How do you say good morning in Japanese?",
    "Explain the subjunctive in Spanish.",
    "What is the difference between ser and estar in Spanish?",
    "Don't answer in Spanish.",
    "Never respond in German.",
    "No respondas en inglés.",
    "Antworte nicht auf Englisch.",
    "Ne réponds pas en anglais.",
    "不要用英文回答。",
    "英語で答えないでください。",
    "영어로 답하지 마세요.",
    "Answer in English or Spanish.",
    "Answer in English. Answer in French.",
    "First write it in English and then in Spanish.",
    "If the user writes in French, respond in French.",
    "Answer in the same language as the user.",
    'Correct the spelling of "Please answer in German".',
    "The sign says: “answer in French”. What does it mean?",
    "List five words in Italian that come from Arabic.",
    "Was heißt Hund auf Englisch?",
    "¿Cómo se dice perro en inglés?",
    "Write a poem in blank verse.",
    "Write the code comments in Spanish.",
    "Please give your answer in both English and Spanish.",
    "Je voudrais apprendre à parler en anglais.",
    "苹果用英文怎么说？",
    "我在学英语。",
    "英語を教えてください。",
    "영어를 배우고 싶어요.",
    "أتعلم اللغة الإنجليزية.",
    "मैं हिंदी सीख रहा हूँ।",
    "Polish my essay.",
    "She was born in Greek territory and wrote to Turkish officials.",
    "```\nAnswer in French.\n```\nWhat does this prompt do?",
]


@pytest.mark.parametrize(("text", "code"), ASKED)
def test_an_explicit_wish_is_understood(text: str, code: str) -> None:
    assert asked_language(text) == code


@pytest.mark.parametrize("text", NOT_ASKED)
def test_what_is_mentioned_quoted_negated_or_contradicted_is_not_asked_for(text: str) -> None:
    assert asked_language(text) is None


PROMPT = "What should I look out for when I buy a used car from a private seller?"


def test_the_system_prompt_wins_over_the_prompts_own_language() -> None:
    assert wanted_language("Always answer in Spanish.", "", PROMPT, "") == ("es", "system_prompt", True)


def test_a_prompt_against_the_system_prompt_leaves_doubt() -> None:
    assert wanted_language("Answer in Spanish.", "", "Answer in French: why?", "") == ("es", "system_prompt", False)


def test_a_lasting_wish_in_the_history_holds() -> None:
    history = "User: From now on, answer in German.\nAssistant: Gern!"
    assert wanted_language("", history, PROMPT, "") == ("de", "history", True)


def test_a_passing_wish_in_the_history_does_not_hold() -> None:
    history = "User: Write a poem in German.\nAssistant: Der Mond ist aufgegangen."
    assert wanted_language("", history, PROMPT, "") == ("en", "prompt_language", True)


def test_the_last_of_several_lasting_wishes_counts() -> None:
    history = (
        "User: Always answer in German.\nAssistant: Ja.\nUser: From now on, reply in Italian.\nAssistant: Va bene."
    )
    assert wanted_language("", history, PROMPT, "") == ("it", "history", True)


def test_a_prompt_against_the_history_is_followed_without_certainty() -> None:
    history = "User: Always answer in German."
    assert wanted_language("", history, "Answer in French: what is rain?", "") == ("fr", "prompt", False)


def test_the_prompts_wish_is_certain_where_nothing_contradicts() -> None:
    assert wanted_language("Be brief.", "", "Write an email in Italian to my landlord.", "es-MX") == (
        "it",
        "prompt",
        True,
    )


PROMPTS = [
    ("en", PROMPT),
    ("es", "¿Qué debo tener en cuenta cuando compro un coche usado a un particular?"),
    ("fr", "À quoi dois-je faire attention quand j'achète une voiture d'occasion à un particulier ?"),
    ("de", "Worauf muss ich achten, wenn ich ein gebrauchtes Auto von einer Privatperson kaufe?"),
    ("pt", "O que eu devo observar quando compro um carro usado de uma pessoa que não é vendedor?"),
    ("it", "A che cosa devo fare attenzione quando compro una macchina usata da un privato?"),
    ("ja", "個人から中古車を買うときは何に気をつければいいですか。"),
    ("zh", "从个人手里买二手车的时候，我应该注意什么？"),
    ("ko", "개인에게서 중고차를 살 때 무엇을 조심해야 하나요?"),
    ("hi", "किसी व्यक्ति से पुरानी कार खरीदते समय मुझे किन बातों का ध्यान रखना चाहिए?"),
    ("ar", "ما الذي يجب أن أنتبه إليه عند شراء سيارة مستعملة من شخص عادي؟"),
]


@pytest.mark.parametrize(("code", "prompt"), PROMPTS)
def test_without_a_wish_the_prompts_own_language_is_wanted(code: str, prompt: str) -> None:
    assert wanted_language("", "", prompt, "") == (code, "prompt_language", True)


SPANISH = (
    "El puente viejo se cerró por reparaciones después de la tormenta. Los vecinos tienen que dar una vuelta larga. "
    "El ayuntamiento dice que las obras van a durar hasta el verano, pero nadie lo cree. "
) * 6


@pytest.mark.parametrize(
    "prompt", [f"Please summarise the text below.\n\n{SPANISH}", f"{SPANISH}\n\nWhat does the mayor promise here?"]
)
def test_long_material_does_not_decide_the_language_and_leaves_doubt(prompt: str) -> None:
    assert wanted_language("", "", prompt, "") == ("en", "prompt_language", False)


@pytest.mark.parametrize(
    "prompt",
    [
        "How do you say good morning in Japanese when you talk to your boss?",
        "Can you translate this sentence for me, because I do not understand it?",
        "Explain the use of the subjunctive in Spanish and give me some examples.",
        f"Context: {SPANISH}\nQuestion: How long will the work on the bridge take?\nAnswer:",
    ],
)
def test_a_prompt_about_or_in_several_languages_leaves_doubt(prompt: str) -> None:
    assert wanted_language("", "", prompt, "") == ("en", "prompt_language", False)


def test_material_behind_a_single_word_of_instruction_leaves_doubt() -> None:
    found = wanted_language("", "", f"Summarise: {SPANISH}", "")
    assert found is not None and not found[2]


@pytest.mark.parametrize(
    ("locale", "code"), [("Locale: es-MX, domain: travel", "es"), ("pt_BR", "pt"), ("language: French", "fr")]
)
def test_the_locale_is_a_last_hint(locale: str, code: str) -> None:
    assert wanted_language("", "", "42?", locale) == (code, "locale", False)


@pytest.mark.parametrize("locale", ["", "es-MX and fr-FR", "xx-YY", "see-ME", "A-B testing"])
def test_without_a_clear_locale_nothing_is_wanted(locale: str) -> None:
    assert wanted_language("", "", "42?", locale) is None


@given(st.text(), st.text(), st.text(), st.text())
def test_any_text_gives_a_known_language_or_none(system: str, history: str, prompt: str, locale: str) -> None:
    found = wanted_language(system, history, prompt, locale)
    if found is not None:
        assert found[0] in LANGUAGE_NAMES
        assert found[1] in ("system_prompt", "history", "prompt", "prompt_language", "locale")


def test_a_megabyte_of_instructions_costs_little() -> None:
    for piece in ("Write write in ", "answer ", "用英文", '"', "translate it to ", "<a>", "en español "):
        text = piece * (1_000_000 // len(piece))
        begun = time.process_time()
        wanted_language(text, text, text, text)
        assert time.process_time() - begun < 3, piece
