"""SPEC 3: the Likert justification has 3–4 sentences, the first is the verdict, and it tells the tables' story."""

from itertools import product

import pytest
from protocols.review.tables import BEST, table

from adjudge.protocols.review.consistency import allowed_likerts, allowed_overalls
from adjudge.protocols.review.preference import VERDICTS, composed, identical, problems_of, sentences, with_verdict
from adjudge.rubric import shipped

RUBRIC = shipped("review")


BETTER_1 = {"A": table(), "B": table(truthfulness=1, overall_quality=2)}
EVEN = {"A": table(), "B": table()}


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("One. Two! Three?", 3),
        ("It cites e.g. the preface. It ends there.", 2),
        ("Dr. Smith wrote 3.5 pages. He stopped.", 2),
        ("No full stop at the end", 1),
        ("", 0),
        ("It says “Yes. Quite.” and stops there. Then on.", 2),
    ],
)
def test_sentences_are_counted(text, count):
    assert len(sentences(text)) == count


@pytest.mark.parametrize("likert", VERDICTS)
def test_every_verdict_sentence_is_one_and_only_for_its_own_side_and_strength(likert):
    tables = {"A": table(), "B": table()}
    for written in VERDICTS:
        text = f"{VERDICTS[written]} The rest is this. And that."
        wrong = [problem for problem in problems_of(text, likert, tables, RUBRIC) if "first sentence" in problem]
        same_side = (written < 4) == (likert < 4) and (written == 4) == (likert == 4)
        if written == likert:
            assert not wrong
        if not same_side:
            assert wrong


@pytest.mark.parametrize(
    "text",
    [
        "Response 1 is better overall. On Truthfulness, Response 2 gets the date wrong. Response 1 has it right.",
        "Response 1 is much better overall. Response 2 is factually wrong. Response 1 is not. That decides.",
        "Response 1 is better overall. Both are fine on Verbosity. On Truthfulness, Response 2 has the wrong date.",
        "Response 1 is clearly better. Response 2 makes an error of fact in its first line. Response 1 makes none.",
    ],
)
def test_a_justification_that_tells_the_tables_story_can_stand(text):
    assert problems_of(text, 2 if "much" not in text else 1, BETTER_1, RUBRIC) == ()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("Response 1 is better overall. On Truthfulness it wins.", "2 sentences"),
        ("Response 1 is better overall. Truthfulness. It is. So. There.", "5 sentences"),
        ("Response 2 is better overall. Truthfulness decides. It is so.", "the first sentence is not the verdict"),
        ("Truthfulness decides. Response 1 is better overall. It is so.", "the first sentence is not the verdict"),
        ("Neither response is better overall. Truthfulness decides. So.", "the first sentence is not the verdict"),
        ("Response 1 is slightly better overall. Truthfulness decides. So.", "the first sentence is not the verdict"),
        ("Response 1 is better overall. It reads well. It has charm.", "names none of the criteria"),
        (
            "Response 1 is better overall. Response 2 is better on Truthfulness. It has the right date.",
            "says that Response 2 is better on Truthfulness",
        ),
        (
            "Response 1 is better overall. The truth matters in Truthfulness. Still, Response 2 is much better.",
            "says that Response 2 is better, against the preference",
        ),
        (
            "Response 1 is better overall. Truthfulness decides here. Response 1 is better on Verbosity.",
            "says that Response 1 is better on Verbosity",
        ),
        (
            "Response 1 is better overall. On Instruction Following, Response 2 makes an error. Response 1 does not.",
            "gives Instruction Following as a reason, where both responses are rated 3",
        ),
        (
            "La respuesta 1 es mejor en general. La segunda respuesta contiene un error grave sobre la fecha del "
            "descubrimiento. La primera respuesta da la fecha correcta y la explica bien.",
            "written in Spanish",
        ),
    ],
)
def test_one_that_does_not_is_told_why(text, says):
    assert any(says in problem for problem in problems_of(text, 2, BETTER_1, RUBRIC))


def test_reasons_get_the_verdict_in_front_and_a_second_verdict_is_dropped():
    reasons = "Truthfulness decides. Response 2 has the wrong date."
    assert with_verdict(2, reasons) == f"Response 1 is better overall. {reasons}"
    assert with_verdict(2, f"Response 1 is better overall. {reasons}") == f"Response 1 is better overall. {reasons}"


def test_what_is_composed_from_the_tables_always_passes_its_own_check():
    graded = [key for key in BEST if key not in ("verbosity", "overall_quality")]
    samples = [
        {**dict(zip(graded, row, strict=True)), "verbosity": verbosity}
        for row in product((1, 2, 3), repeat=5)
        for verbosity in (-2, 0, 1)
    ][::19]
    for a, b in product(samples, samples[::3]):
        first = {**a, "overall_quality": allowed_overalls(RUBRIC, a, unusable=False, still_good=False)[0]}
        second = {**b, "overall_quality": allowed_overalls(RUBRIC, b, unusable=False, still_good=False)[0]}
        tables = {"A": table(**first), "B": table(**second)}
        for likert in allowed_likerts(RUBRIC, first, second):
            text = composed(likert, tables, RUBRIC)
            assert problems_of(text, likert, tables, RUBRIC) == (), (text, first, second)


@pytest.mark.parametrize("overall", range(1, 6))
@pytest.mark.parametrize("rating", [1, 2, 3])
def test_identical_responses_have_a_justification_of_their_own(overall, rating):
    one = table(truthfulness=rating, style_clarity=rating, overall_quality=overall)
    assert problems_of(identical({"A": one, "B": one}), 4, {"A": one, "B": one}, RUBRIC) == ()
    assert "identical" in identical(EVEN)
