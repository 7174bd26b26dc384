"""Whether a text is in the language asked for: its script tells, or CLD3, and less text confirms than refutes."""

from adjudge.constraints.measuring import measure
from adjudge.models.constraints import Constraint
from adjudge.text.asked_language import language_for

ENGLISH = (
    "The old river slowly rises in the hills and runs through the valley until it reaches the sea after many days."
)
SPANISH = "El viejo río nace en las montañas y corre por el valle hasta que llega al mar después de muchos días fríos."
NAMES = "\n".join(f"{n}. {name}" for n, name in enumerate(("Abigail Smith", "Giovanni Rossi", "Benjamin Jones") * 20))
SAMPLES = {
    "hi": "नदी पहाड़ों से निकलती है और समुद्र तक जाती है।", "mr": "नदी डोंगरातून उगम पावते आणि समुद्राला मिळते.",
    "ne": "नदी पहाडबाट निस्कन्छ र समुद्रमा पुग्छ।", "bn": "নদী পাহাড় থেকে নেমে সমুদ্রে যায়।",
    "pa": "ਦਰਿਆ ਪਹਾੜਾਂ ਤੋਂ ਨਿਕਲਦਾ ਹੈ।", "gu": "નદી પર્વતોમાંથી નીકળે છે.", "te": "నది కొండల నుండి పుడుతుంది.",
    "kn": "ನದಿ ಬೆಟ್ಟಗಳಿಂದ ಹುಟ್ಟುತ್ತದೆ.", "ja": "川は山から流れて海へ行きます。", "ko": "강은 산에서 바다로 흐릅니다.",
    "el": "Το ποτάμι κυλάει προς τη θάλασσα.", "en": ENGLISH, "es": SPANISH,
}  # fmt: skip


def test_a_text_in_the_language_asked_for_is_measured_however_short_and_another_script_is_another_language():
    english = Constraint(kind="language", source="prompt", quote="q", start=0, end=1, text="en")
    for asked, text in SAMPLES.items():
        assert language_for(text, asked) == asked
        assert asked in ("en", "es") or measure(english, text).severity == "major", asked


def test_capitals_and_quotation_marks_around_it_make_no_difference():
    for text in (ENGLISH.upper(), f'"{ENGLISH}"', f"“{ENGLISH}”", f"**{ENGLISH.upper()}**"):
        assert language_for(text, "en") == language_for(text, "es") == "en", text


def test_a_few_words_confirm_a_language_but_refute_none():
    assert language_for("get your copy of the new issue out today", "en") == "en"
    assert language_for("get your copy of the new issue out today", "es") is None
    assert language_for("prints", "en") is None
    assert language_for("", "en") is None


def test_names_in_capitals_show_no_language():
    for asked in ("en", "it", "ru"):
        assert language_for(NAMES.upper(), asked) in (None, asked)
