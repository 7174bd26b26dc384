import dataclasses
import subprocess
import sys
import time
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.cases import Dialogue, Turn
from adjudge.judges.base import CriticizeQuestion, EvaluateQuestion
from adjudge.judges.embedded import EmbeddedJudge
from adjudge.protocols.dialogue import dialogue
from adjudge.rubric import Rubric, parse, shipped
from adjudge.verdicts import Critique, DialogueVerdict, Evaluation, Utterance

GOOD = """
USER: I'm looking for a cheap hotel in the north with free parking.
SYSTEM: Sure! There are 2 cheap hotels in the north with free parking: City Lodge and North House. Which do you prefer?
USER: City Lodge sounds great. Can you book it for 2 people and 3 nights from Tuesday?
SYSTEM: Of course. Your room at City Lodge is booked for 2 people and 3 nights. Your reference number is QX41B7TR.
USER: Perfect! What is the phone number?
SYSTEM: The phone number of City Lodge is 01234 556677. Is there anything else I can help you with?
USER: No, that is all. Thank you so much, you were very helpful!
SYSTEM: You're welcome. Enjoy your stay!
"""
POOR = """
USER: I'm looking for a cheap hotel in the north with free parking.
SYSTEM: there are no hotels
USER: No, I meant the north. Can you check again?
SYSTEM: I am unable to find any hotels
USER: That's not what I asked. I need a cheap hotel in the north with free parking.
SYSTEM: there are no hotels
USER: This is ridiculous. Can you find anything at all in the north?
"""
INTERVIEW = """
SYSTEM: What kind of films do you like?
USER: I love comedies because they make me laugh after a long day at work.
SYSTEM: Great, which comedy did you like most?
USER: Probably the one about the dog show, it was just so original and funny.
SYSTEM: I see. What was it about the actors that you liked?
USER: They made up half of the lines themselves, and you never know what comes next.
SYSTEM: Thank you for telling me, have a nice day!
"""
POOR_INTERVIEW = """
SYSTEM: What kind of films do you like?
USER: I don't know.
SYSTEM: Have you seen the one about the dog show?
USER: No.
SYSTEM: Have you seen the one about the whale?
USER: Nope, never heard of it.
SYSTEM: Have you seen the one about the ship?
USER: No, I haven't.
"""
OWN_RUBRIC = """
name: own
version: "1"
protocol: dialogue
scale: {min: 0, max: 2, step: 0.5}
criteria:
  - {key: warmth, weight: 0.5, guidance: Friendly or not}
  - {key: Fluency, weight: 0.5, guidance: Clear or not}
"""
KEYS = ("TaskSuccess", "Helpfulness", "Accuracy", "Understanding", "Empathy", "Fluency")


def talk(text: str) -> Dialogue:
    """A conversation from `SPEAKER: text` lines, numbered as a file would number them."""
    lines = [line.partition(": ") for line in text.strip().splitlines()]
    return Dialogue(
        1,
        tuple(
            Turn("USER" if speaker == "USER" else "SYSTEM", said, line)
            for line, (speaker, _, said) in enumerate(lines, 1)
        ),
    )


async def opinions_on(case: Dialogue, rubric: Rubric | None = None) -> tuple[Evaluation, Critique]:
    rubric = rubric or shipped("dialogue")
    evaluation = await EmbeddedJudge().opine(EvaluateQuestion(case, rubric))
    assert isinstance(evaluation, Evaluation)
    critique = await EmbeddedJudge().opine(CriticizeQuestion(case, rubric, evaluation))
    assert isinstance(critique, Critique)
    return evaluation, critique


async def scores_of(text: str) -> dict[str, Decimal]:
    return {key: mark.value for key, mark in (await opinions_on(talk(text)))[0].marks.items()}


def check_quote(case: Dialogue, quote: Utterance) -> None:
    turn = case.turns[quote.turn]
    assert quote.quote.strip() and len(quote.quote) <= 300
    assert turn.text[quote.start : quote.end] == quote.quote
    assert (quote.speaker, quote.line) == (turn.speaker, turn.line)


def check(case: Dialogue, evaluation: Evaluation, critique: Critique, rubric: Rubric) -> None:
    """All that holds for every opinion on every conversation."""
    keys = [criterion.key for criterion in rubric.criteria]
    assert list(evaluation.marks) == keys and list(critique.entries) == keys
    assert evaluation.calls == () and critique.calls == ()
    for key in keys:
        mark, entry = evaluation.marks[key], critique.entries[key]
        assert mark.value in rubric.scale.values
        assert mark.reason.endswith(".") and mark.reason[0] == mark.reason[0].upper()
        assert mark.quotes and entry.comment
        for quote in (*mark.quotes, *entry.quotes):
            check_quote(case, quote)
        if entry.agree:
            assert entry.suggested is None and not entry.contradicts and not entry.quotes
        else:
            assert entry.quotes and entry.suggested in rubric.scale.values
            assert entry.suggested is not None and entry.suggested != mark.value
            steps = [rubric.scale.values.index(value) for value in (entry.suggested, mark.value)]
            assert abs(steps[0] - steps[1]) <= 2


@pytest.mark.parametrize("text", [GOOD, POOR, INTERVIEW, POOR_INTERVIEW])
async def test_every_criterion_has_an_allowed_score_a_reason_and_quotes_that_stand_where_they_say(text: str) -> None:
    case = talk(text)
    check(case, *await opinions_on(case), shipped("dialogue"))


async def test_a_served_user_is_told_from_one_who_was_not_on_every_criterion() -> None:
    good, poor = await scores_of(GOOD), await scores_of(POOR)
    assert {key for key in KEYS if good[key] > poor[key]} >= set(KEYS) - {"Accuracy"}
    assert good["TaskSuccess"] == 100 and poor["TaskSuccess"] == 20


async def test_an_interview_succeeds_when_the_questions_get_real_answers() -> None:
    good, poor = await scores_of(INTERVIEW), await scores_of(POOR_INTERVIEW)
    assert good["TaskSuccess"] >= 80 and poor["TaskSuccess"] <= 40
    assert good["Empathy"] > poor["Empathy"]


BASE = """
USER: I need a table for 4 at an Italian place on Friday at 19:00.
SYSTEM: There are 3 Italian places in the centre. Which price range would you like?
USER: A cheap one, please.
SYSTEM: Pizza Corner is a cheap Italian place in the centre.
{more}
USER: What is the address?
SYSTEM: The address is 12 High Street.
USER: Alright.
"""


@pytest.mark.parametrize(
    ("criterion", "better", "worse", "named"),
    [
        ("TaskSuccess", "SYSTEM: Your table is booked.", "SYSTEM: The booking was unsuccessful.", "refusal"),
        ("TaskSuccess", "USER: That is great, thank you!", "USER: This is ridiculous.", "let down"),
        ("Understanding", "USER: Very well.", "USER: No, I meant the north, that's not what I asked.", "corrected"),
        ("Understanding", "USER: Very well.", "USER: What do you mean? I don't understand.", "did not understand"),
        ("Accuracy", "USER: Very well.", "USER: Are you sure? That is not right.", "disputed"),
        ("Empathy", "SYSTEM: Great choice, I'm happy to help!", "SYSTEM: Choose a time.", "courteous"),
        ("Fluency", "SYSTEM: I will look.", "SYSTEM: i will will look at the the and u can", "slips"),
    ],
)
async def test_what_is_counted_moves_its_criterion_and_is_named(
    criterion: str, better: str, worse: str, named: str
) -> None:
    first, _ = await opinions_on(talk(BASE.format(more="\n".join([better] * 3))))
    second, _ = await opinions_on(talk(BASE.format(more="\n".join([worse] * 3))))
    assert first.marks[criterion].value > second.marks[criterion].value
    assert named in first.marks[criterion].reason + second.marks[criterion].reason


async def test_a_request_left_open_at_the_end_costs_and_is_quoted() -> None:
    closed = "USER: Is there a bus to the airport?\nSYSTEM: Yes, the number 12 goes there every hour.\nUSER: Fine."
    left_open = closed + "\nUSER: Where does it leave?"
    (before, _), (after, _) = [await opinions_on(talk(text)) for text in (closed, left_open)]
    assert after.marks["TaskSuccess"].value < before.marks["TaskSuccess"].value
    assert "nobody answered" in after.marks["TaskSuccess"].reason
    assert "Where does it leave?" in [quote.quote for quote in after.marks["TaskSuccess"].quotes]


async def test_turns_and_ratings_may_come_in_lists() -> None:
    turns = [Turn("USER", "Is it open?", 1, None, [3, 4]), Turn("SYSTEM", "Yes, it is open.", 2)]  # type: ignore[arg-type]
    assert (await opinions_on(Dialogue(1, turns)))[0].marks  # type: ignore[arg-type]


async def test_not_great_is_no_praise_and_no_thanks_is_thanks() -> None:
    def reason(said: str) -> str:
        return f"USER: Where is it?\nSYSTEM: In the centre of town.\nUSER: {said}"

    assert "approved" not in (await opinions_on(talk(reason("That is not great."))))[0].marks["TaskSuccess"].reason
    assert "thanks" in (await opinions_on(talk(reason("No thanks."))))[0].marks["TaskSuccess"].reason


async def test_a_question_of_the_system_refuses_nothing() -> None:
    text = "SYSTEM: Is there a film you don't like?\nUSER: I never liked the long one about the ship and the ice."
    reason = (await opinions_on(talk(text)))[0].marks["Helpfulness"].reason
    assert "no system turn brought a refusal" in reason.lower()


@pytest.mark.parametrize(
    ("question", "thanks", "refusal", "complaint"),
    [
        ("¿Hay un hotel barato?", "¡Perfecto, muchas gracias!", "Lo siento, no hay hoteles.", "Eso no es lo que pedí."),
        ("Gibt es ein Hotel?", "Perfekt, vielen Dank!", "Leider nicht verfügbar.", "Nein, ich meinte den Norden."),
        ("Y a-t-il un hôtel ?", "Parfait, merci !", "Désolé, il n'y a pas d'hôtel.", "Ce n'est pas ça."),
        ("有便宜的酒店吗？", "太好了，谢谢！", "抱歉，无法预订。", "不是这个，我的意思是北边。"),
        (
            "ホテルはありますか？",
            "完璧です。ありがとうございました。",
            "申し訳ございません。できません。",
            "違います。",
        ),
    ],
)
async def test_thanks_and_refusals_are_understood_in_other_languages(
    question: str, thanks: str, refusal: str, complaint: str
) -> None:
    served = talk(f"USER: {question}\nSYSTEM: Hotel Mira, 40 €.\nUSER: {thanks}")
    refused = talk(f"USER: {question}\nSYSTEM: {refusal}\nUSER: {complaint}\nSYSTEM: {refusal}")
    good, poor = [await opinions_on(case) for case in (served, refused)]
    for case, opinions in ((served, good), (refused, poor)):
        check(case, *opinions, shipped("dialogue"))
    assert good[0].marks["TaskSuccess"].value >= poor[0].marks["TaskSuccess"].value + 40


async def test_a_rubric_of_ones_own_is_scored_on_its_own_scale() -> None:
    rubric = parse(OWN_RUBRIC, "own.yaml")
    for text in (GOOD, POOR):
        case = talk(text)
        check(case, *await opinions_on(case, rubric), rubric)
    good, poor = [(await opinions_on(talk(text), rubric))[0].marks["warmth"].value for text in (GOOD, POOR)]
    assert good > poor


async def test_a_quote_of_a_short_word_takes_the_whole_neighbouring_sentence() -> None:
    text = "SYSTEM: Ok. What is it about this kind of film that you like?\nUSER: The story.\nSYSTEM: Ok. And who plays?"
    quotes = (await opinions_on(talk(text)))[0].marks["Empathy"].quotes
    assert quotes[0].quote == "Ok. What is it about this kind of film that you like?"


TEXTS = st.one_of(
    st.sampled_from([line.partition(": ")[2] for line in (GOOD + POOR + INTERVIEW).splitlines() if line]),
    st.sampled_from(
        ["Yes", "?!", "🎉", "...", "我们今天去公园散步。" * 30, "x" * 700, "| no | |", "İstanbul'da oda var mı?"]
    ),
    st.text(min_size=1, max_size=120).filter(str.strip),
)
LABELS = st.tuples(st.none() | st.text(max_size=12), st.lists(st.integers(1, 5), max_size=5).map(tuple))
SPEAKERS = st.sampled_from(["SYSTEM", "USER"])


@st.composite
def conversations(draw: st.DrawFn) -> Dialogue:
    turns = draw(st.lists(st.tuples(SPEAKERS, TEXTS), max_size=12))
    both = draw(st.permutations([*turns, ("SYSTEM", draw(TEXTS)), ("USER", draw(TEXTS))]))
    return Dialogue(1, tuple(Turn(speaker, text, line * 2) for line, (speaker, text) in enumerate(both, 3)))


@given(conversations(), st.data())
@settings(max_examples=200, deadline=None)
async def test_any_conversation_is_judged_the_same_again_whatever_annotators_wrote(
    case: Dialogue, data: st.DataObject
) -> None:
    opinions = await opinions_on(case)
    check(case, *opinions, shipped("dialogue"))
    labelled = []
    for turn in case.turns:
        act, ratings = data.draw(LABELS)
        labelled.append(dataclasses.replace(turn, act=act, ratings=ratings))
    overall = data.draw(LABELS)[1]
    assert await opinions_on(Dialogue(1, tuple(labelled), overall)) == opinions


STRANGE = [
    "\u2060", "\u2060" * 50, "a\u200bb", "e\u0301" * 300, "\t x \n\n y", " " * 5000 + "late", "?" * 3000,
    "." * 5000 + "x", "no " * 2000,
    "مرحبا، هل يوجد فندق؟", "วันนี้อากาศดีมากเราไปเดินเล่นที่สวนสาธารณะกับเพื่อนหลายคน" * 10, "नमस्ते। धन्यवाद।",
    "👩‍👩‍👧‍👦" * 200, "- \n- \n- ", "<|im_end|>", "İ" * 300, "ß" * 300, "1.\n2.\n3.", "word " + "🎉" * 800,
]  # fmt: skip


@pytest.mark.parametrize("strange", STRANGE)
async def test_any_text_is_judged_and_quoted(strange: str) -> None:
    for first, second in (("USER", "SYSTEM"), ("SYSTEM", "USER")):
        for others in ("Hello there.", strange):
            turns = (Turn(first, strange, 1), Turn(second, others, 2), Turn(first, strange, 3))  # type: ignore[arg-type]
            case = Dialogue("x", turns)
            check(case, *await opinions_on(case), shipped("dialogue"))


@pytest.mark.parametrize(
    "pieces",
    [
        [line.partition(": ") for line in (GOOD + POOR).strip().splitlines() if line],
        [("USER", "", "Can you help me? " * 12), ("SYSTEM", "", "There is no hotel in the north of town. " * 6)],
        [("USER", "", "我们今天去公园散步，好吗？" * 12), ("SYSTEM", "", "." * 400)],
    ],
)
async def test_five_hundred_turns_are_judged_in_a_fifth_of_a_second(pieces: list[tuple[str, str, str]]) -> None:
    many = (pieces * 500)[:500]
    turns = tuple(
        Turn("USER" if who == "USER" else "SYSTEM", f"{said} {line}", line) for line, (who, _, said) in enumerate(many)
    )
    case = Dialogue(1, turns)
    await opinions_on(case)
    start = time.process_time()
    opinions = await opinions_on(case)
    assert time.process_time() - start < 0.6, "three times the usual limit, for slow machines"
    check(case, *opinions, shipped("dialogue"))


async def test_a_usual_conversation_takes_five_milliseconds() -> None:
    case = talk(GOOD + POOR.strip())
    await opinions_on(case)
    start = time.process_time()
    for _ in range(20):
        await opinions_on(case)
    assert (time.process_time() - start) / 20 < 0.015, "three times the usual limit, for slow machines"


async def test_it_goes_through_the_protocol() -> None:
    judge = EmbeddedJudge()
    good, poor = [await dialogue(talk(text), judge, judge, shipped("dialogue")) for text in (GOOD, POOR)]
    assert isinstance(good, DialogueVerdict) and isinstance(poor, DialogueVerdict)
    assert good.overall_experience >= 80 and poor.overall_experience <= 40
    assert not good.calls and [warning.code for warning in good.warnings] == ["not_assessed"]


def test_importing_it_loads_nothing_heavy() -> None:
    heavy = ("numpy", "scipy", "aiohttp", "icu4py")
    code = f"import sys, adjudge.judges.embedded; print(any(name in sys.modules for name in {heavy}))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
