"""SPEC 3: a person's justification is kept only with its rating, in English, with real quotations and facts named."""

from adjudge.models.common import Fact
from adjudge.protocols.review.case import Original, Review
from adjudge.protocols.review.correcting import NOT_SPECIFIC, NOT_TRUE, candidates, judged, settled
from adjudge.protocols.review.verdict import FinalRating, JudgedWords
from adjudge.text.reasons import WordChecker

CASE = Review(
    prompt="Where does the Danube flow?",
    a="The Danube flows through Vienna and Budapest. It reaches the Black Sea after 2,850 kilometres.",
    b="Elsewhere.",
)
CHECK = WordChecker(CASE.texts)
GOOD = "It names Vienna and Budapest, which the Danube does flow through."
SPANISH = "La respuesta nombra Viena y Budapest, dos ciudades por las que pasa el Danubio, y eso es correcto."
ELEVEN = "La respuesta es correcta, clara y completa, pero falta un ejemplo."
LONG = Fact(name="too_long", where="A", start=0, end=9, found="has 15 words; at most 10 were asked for", certain=True)


def line(words="", action="kept", assessed=True):
    return FinalRating(
        value=3, justification="Ours.", action=action, reason="", justification_action="filled",
        justification_reason="no justification was given", original=Original("3", words), assessed=assessed,
    )  # fmt: skip


def test_words_that_nothing_speaks_against_stand_for_now():
    kept = settled(line(GOOD), (), CHECK)
    assert (kept.justification, kept.justification_action) == (GOOD, "kept")


def test_no_words_are_filled_in():
    assert settled(line(), (), CHECK) == line()


def test_the_words_of_a_rating_that_was_not_kept_go_with_it():
    for action in ["replaced", "refused", "filled"]:
        final = settled(line(GOOD, action), (), CHECK)
        assert (final.justification, final.justification_action) == ("Ours.", "rewritten"), action


UNFIT = [
    (SPANISH, "it is in Spanish, not in English"),
    ("La respuesta es correcta, clara y completa, pero falta un ejemplo concreto.", "it is in Spanish, not in"),
    (
        "Die Antwort nennt alle Schritte, aber die Erklärung der Ergebnisse fehlt und der Ton ist falsch.",
        "it is in G",
    ),
    ("Хороший ответ", "it is in Russian, not in English"),
    ("It says “flows through the town of Prague”, which is right.", NOT_TRUE),
]  # fmt: skip


def test_words_that_are_not_english_or_quote_what_is_not_there_are_rewritten():
    for words, why in UNFIT:
        final = settled(line(words), (), CHECK)
        assert (final.justification, final.justification_action) == ("Ours.", "rewritten")
        assert final.justification_reason.startswith(why), words


NO_DOUBT = ["Good.", "It is fine.", "“Vienna and Budapest” is right.", "Ja, sehr gut.", ELEVEN]


def test_nothing_else_is_for_code_to_doubt():
    for words in NO_DOUBT:
        assert settled(line(words), (), CHECK).justification_action == "kept", words


NAMING = [
    ("With 15 words it breaks the limit of 10.", True),
    ("It is too long.", False),
    ("Over the limit of 10.", False),
]


def test_what_binds_must_be_named():
    for words, kept in NAMING:
        final = settled(line(words), (LONG,), CHECK)
        assert final.justification_action == ("kept" if kept else "rewritten")
        if not kept:
            assert final.justification_reason == "ours names what was measured"


def test_a_likert_justification_has_three_or_four_sentences():
    for count, kept in [(1, False), (2, False), (3, True), (4, True), (5, False)]:
        words = " ".join(["Response 1 is better."] * count)
        assert (settled(line(words), (), CHECK, likert=True).justification_action == "kept") is kept, count


def test_the_judge_is_asked_only_about_words_that_stand_beside_a_rating_it_assessed():
    kept = settled(line(GOOD), (), CHECK)
    asked = candidates({"B.truthfulness": kept.updated(dimension="Truthfulness"), "likert": kept})
    assert [(one.about, one.words) for one in asked] == [("Response 2, Truthfulness", GOOD), ("the preference", GOOD)]
    assert candidates({"A.truthfulness": settled(line(GOOD, assessed=False), (), CHECK)}) == ()
    assert candidates({"A.truthfulness": settled(line(SPANISH), (), CHECK)}) == ()
    assert candidates({"A.truthfulness": line()}) == ()


def test_words_stand_if_the_judge_finds_them_specific_and_true():
    for true in [True, False]:
        for specific in [True, False]:
            final = judged(
                settled(line(GOOD), (), CHECK), line(GOOD), JudgedWords(specific=specific, true=true, reason="why")
            )
            assert final.justification == (GOOD if specific and true else "Ours.")
            if not (specific and true):
                assert final.justification_reason == f"{NOT_SPECIFIC if true else NOT_TRUE} (why)"


def test_and_where_it_says_nothing():
    assert judged(settled(line(GOOD), (), CHECK), line(GOOD), None).justification == GOOD
