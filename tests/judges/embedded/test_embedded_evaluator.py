"""The embedded Evaluator: six marks on the scale for any transcript, each with a sentence that quotes it."""

import re
import subprocess
import sys
import time
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.judges.embedded import EmbeddedJudge
from adjudge.protocols.dialogue.case import Dialogue, Turn
from adjudge.protocols.dialogue.embedded import MIXES
from adjudge.protocols.dialogue.questions import CriticizeQuestion, EvaluateQuestion
from adjudge.protocols.dialogue.rules import dialogue
from adjudge.protocols.dialogue.verdict import Critique, DialogueVerdict, Evaluation, Utterance
from adjudge.protocols.rubrics import parse, shipped
from adjudge.rubric import Rubric
from adjudge.text.words import count_words

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
OWN_RUBRIC = """
name: own
version: "1"
protocol: dialogue
scale: {min: 0, max: 2, step: 0.5}
criteria:
  - {key: warmth, weight: 0.5, guidance: Friendly or not}
  - {key: Fluency, weight: 0.5, guidance: Clear or not}
"""


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
    assert turn.text[quote.start : quote.end] == quote.quote
    assert (quote.speaker, quote.line) == (turn.speaker, turn.line)
    assert quote.quote == turn.text.strip() or (count_words(quote.quote) >= 3 and len(quote.quote) <= 200)


def check_sentence(justification: str, quotes: tuple[Utterance, ...]) -> None:
    """One sentence in plain words, with every quote as `SPEAKER: "…"`."""
    for quote in quotes:
        assert f'{quote.speaker}: "{quote.quote}"' in justification
        justification = justification.replace(quote.shown, "", 1)
    assert re.fullmatch(r"[A-Z\d][^.!?\n]*\.", justification), justification


def check(case: Dialogue, evaluation: Evaluation, critique: Critique, rubric: Rubric) -> None:
    """All that holds for every opinion on every conversation."""
    keys = [criterion.key for criterion in rubric.criteria]
    assert list(evaluation.marks) == keys and list(critique.entries) == keys
    assert evaluation.calls == () and critique.calls == ()
    for key in keys:
        mark, entry = evaluation.marks[key], critique.entries[key]
        assert mark.value in rubric.scale.values
        assert mark.assessed == (key in MIXES)
        assert mark.quotes
        for said in (mark, entry):
            check_sentence(said.justification, said.quotes)
            for quote in said.quotes:
                check_quote(case, quote)
        assert entry.agree == (entry.suggested is None) == (not entry.contradicts) == (not entry.quotes)
        if entry.suggested is not None:
            steps = [rubric.scale.values.index(value) for value in (entry.suggested, mark.value)]
            assert abs(steps[0] - steps[1]) == 1


@pytest.mark.parametrize("text", [GOOD, POOR])
async def test_every_criterion_has_an_allowed_score_a_reason_and_quotes_that_stand_where_they_say(text: str) -> None:
    case = talk(text)
    check(case, *await opinions_on(case), shipped("dialogue"))


async def test_a_served_user_is_told_from_one_who_was_not() -> None:
    good, poor = await scores_of(GOOD), await scores_of(POOR)
    assert list(good.values()) == [100, 100, 60, 80, 60, 80]
    assert list(poor.values()) == [20, 20, 60, 40, 60, 80]


BASE = """
USER: I need a table for 4 at an Italian place on Friday at 19:00.
SYSTEM: There are 3 Italian places in the centre. Which price range would you like?
USER: A cheap one.
SYSTEM: Pizza Corner is a cheap Italian place in the centre.
USER: What is the address?
SYSTEM: {reply}
USER: {end}
SYSTEM: The post code is CB1 7AB.
"""


async def justified(criterion: str, reply: str = "The address is 12 High Street.", end: str = "Alright.") -> str:
    mark = (await opinions_on(talk(BASE.format(reply=reply, end=end))))[0].marks[criterion]
    return f"{mark.value} {mark.justification}"


async def test_a_reason_quotes_the_words_that_moved_the_score() -> None:
    quoted = '(SYSTEM: "Pizza Corner is a cheap Italian place in the centre.")'
    assert await justified("TaskSuccess") == (
        f"60 No phrase of apology or refusal, complaint, missing reply, “no” or correction was counted {quoted}."
    )
    assert await justified("Helpfulness") == (
        f"60 No phrase of apology or refusal or missing reply was counted {quoted}."
    )
    assert await justified("TaskSuccess", reply="Sorry, I could not find that.") == (
        '40 SYSTEM says “Sorry”, counted in 1 of its 4 replies (SYSTEM: "Sorry, I could not find that.").'
    )
    assert await justified("TaskSuccess", reply="I am unable to say.", end="Thank you anyway.") == (
        "60 USER says “Thank you”, counted in 1 of its 4 turns, but SYSTEM says “I am unable”, counted in 1 of its 4 "
        'replies (USER: "Thank you anyway."; SYSTEM: "I am unable to say.").'
    )
    assert await justified("TaskSuccess", end="This is ridiculous.") == (
        '40 USER says “This is ridiculous”, counted in 1 of its 4 turns (USER: "This is ridiculous.").'
    )
    assert await justified("Helpfulness", reply="Your table is booked.") == (
        '80 SYSTEM says “is booked”, counted in 1 of its 4 replies (SYSTEM: "Your table is booked.").'
    )
    assert await justified("TaskSuccess", reply="It is booked for you.", end="Great, thanks!") == (
        "100 USER says “thanks”, counted in 1 of its 4 turns, and SYSTEM says “is booked”, counted in 1 of its 4 "
        'replies (USER: "Great, thanks!"; SYSTEM: "It is booked for you.").'
    )
    assert await justified("Understanding", end="No.") == (
        '80 USER says “No”, counted in 1 of its 4 turns (USER: "No.").'
    )
    assert await justified("Understanding", end="That's not what I asked.") == (
        "60 USER says “That's not what”, counted in 1 of its 4 turns (USER: \"That's not what I asked.\")."
    )
    assert await justified("Fluency", reply="The address is is 12 High Street.") == (
        '60 SYSTEM writes “is is”, counted in 1 of its 4 replies (SYSTEM: "The address is is 12 High Street.").'
    )
    assert await justified("Fluency", reply="The address is 12 High Street and") == (
        "60 SYSTEM ends a reply with “and”, counted in 1 of its 4 replies "
        '(SYSTEM: "The address is 12 High Street and").'
    )


async def test_how_often_is_said() -> None:
    only = talk("USER: Any hotel?\nSYSTEM: I am afraid I cannot say.")
    assert (await opinions_on(only))[0].marks["TaskSuccess"].reason == (
        "SYSTEM says “I am afraid”, counted in its only reply."
    )
    every = talk("USER: A hotel.\nSYSTEM: Sorry, no.\nUSER: A bus.\nSYSTEM: Sorry, no bus.\nUSER: A taxi.")
    reason = (await opinions_on(every))[0].marks["TaskSuccess"].reason
    assert reason == "SYSTEM says “Sorry” or the like, counted in all 2 of its replies."
    silent = talk("USER: A hotel.\nSYSTEM: \nUSER: A bus.\nSYSTEM: Number 4.")
    reason = (await opinions_on(silent))[0].marks["TaskSuccess"].reason
    assert reason == "USER gets no words in reply, counted in 1 of its 2 turns."


@pytest.mark.parametrize("reply", ["Sorry, no.", "I do apologise.", "Certainly, sir, my pleasure.", "Go away."])
async def test_neither_an_apology_nor_a_courteous_word_is_taken_for_empathy(reply: str) -> None:
    mark = (await opinions_on(talk(BASE.format(reply=reply, end="Wonderful!"))))[0].marks["Empathy"]
    assert mark.value == 60 and not mark.assessed and "cannot be measured" in mark.reason


async def claims_of(case: Dialogue) -> list[str]:
    """All sentences about a conversation that claim something."""
    evaluation, critique = await opinions_on(case)
    told = [mark.reason for mark in evaluation.marks.values() if mark.assessed]
    return told + [entry.comment for entry in critique.entries.values() if not entry.agree]


@pytest.mark.parametrize("replies", range(1, 8))
async def test_task_success_and_helpfulness_fall_with_the_share_of_refusals(replies: int) -> None:
    scores = []
    for declined in range(replies + 1):
        said = ["Unfortunately not."] * declined + ["Platform 4."] * (replies - declined)
        scores.append(await scores_of("".join(f"USER: And {at}.\nSYSTEM: {text}\n" for at, text in enumerate(said))))
    for key in ("TaskSuccess", "Helpfulness"):
        values = [score[key] for score in scores]
        assert values == sorted(values, reverse=True)
        assert (values[0], values[-1]) == (60, 20)


@pytest.mark.parametrize("key", ["TaskSuccess", "Helpfulness"])
async def test_nothing_moves_task_success_and_helpfulness_as_far_as_refusals(key: str) -> None:
    weights = {name: abs(weight) for name, weight in MIXES[key].weights.items()}
    declined = weights.pop("declined")
    assert all(declined >= 2 * weight for weight in weights.values())
    praised = "USER: Great, a bus.\nSYSTEM: I cannot book it.\nUSER: Perfect, thanks!\nSYSTEM: Sorry, no."
    denied = "USER: A bus.\nSYSTEM: Number 4?\nUSER: No.\nSYSTEM: Number 5?\nUSER: I don't know."
    assert (await scores_of(praised))[key] < (await scores_of(denied))[key]


async def test_turns_and_ratings_may_come_in_lists() -> None:
    turns = [Turn("USER", "Is it open?", 1, None, [3, 4]), Turn("SYSTEM", "Yes, it is open.", 2)]  # type: ignore[arg-type]
    assert (await opinions_on(Dialogue(1, turns)))[0].marks  # type: ignore[arg-type]


async def test_a_rubric_of_ones_own_is_scored_on_its_own_scale() -> None:
    rubric = parse(OWN_RUBRIC, "own.yaml")
    for text in (GOOD, POOR):
        case = talk(text)
        check(case, *await opinions_on(case, rubric), rubric)
    slip = (await opinions_on(talk("USER: Where?\nSYSTEM: In the the old mill."), rubric))[0].marks
    assert (slip["Fluency"].value, slip["warmth"].value, slip["warmth"].assessed) == (1, 1, False)


TEXTS = st.one_of(
    st.sampled_from([line.partition(": ")[2] for line in (GOOD + POOR).splitlines() if line]),
    st.sampled_from(
        [
            "Yes",
            "?!",
            "🎉",
            "...",
            "我们今天去公园散步。" * 30,
            "x" * 700,
            "| no | |",
            "I am sorry",
            "Thanks!",
            "the the",
            "My mistake.",
            "It is not at the depot now.",
            "It is at the depot now.",
        ]
    ),
    st.text(min_size=1, max_size=120).filter(str.strip),
)
LABELS = st.tuples(st.none() | st.text(max_size=12), st.lists(st.integers(1, 5), max_size=5).map(tuple))
SPEAKERS = st.sampled_from(["SYSTEM", "USER"])


@st.composite
def conversations(draw: st.DrawFn) -> Dialogue:
    turns = draw(st.lists(st.tuples(SPEAKERS, TEXTS | st.just("")), max_size=12))
    both = draw(st.permutations([*turns, ("SYSTEM", draw(TEXTS)), ("USER", draw(TEXTS))]))
    return Dialogue(1, tuple(Turn(speaker, text, line * 2) for line, (speaker, text) in enumerate(both, 3)))


@given(conversations(), st.data())
@settings(max_examples=60, deadline=None)
async def test_any_conversation_is_judged_the_same_again_whatever_annotators_wrote(
    case: Dialogue, data: st.DataObject
) -> None:
    opinions = await opinions_on(case)
    check(case, *opinions, shipped("dialogue"))
    labelled = []
    for turn in case.turns:
        act, ratings = data.draw(LABELS)
        labelled.append(turn.updated(act=act, ratings=ratings))
    overall = data.draw(LABELS)[1]
    assert await opinions_on(Dialogue(1, tuple(labelled), overall)) == opinions


@given(conversations())
@settings(max_examples=150, deadline=None)
async def test_every_phrase_in_a_reason_was_said_by_whom_it_names_as_often_as_it_says(case: Dialogue) -> None:
    texts = {who: [" ".join(t.text.split()) for t in case.turns if t.speaker == who] for who in ("SYSTEM", "USER")}
    every = {"SYSTEM": len(texts["SYSTEM"]), "USER": len([text for text in texts["USER"] if text])}
    for sentence in await claims_of(case):
        for who, how, phrase in re.findall(r"(SYSTEM|USER) (says|writes|ends a reply with) “(.*?)”", sentence):
            ending = how.startswith("ends")
            assert any(text.endswith(phrase) if ending else phrase in text for text in texts[who]), sentence
            counted = re.search(rf"“{re.escape(phrase)}”(?: or the like)?, counted in (\d+) of its (\d+)", sentence)
            if counted:
                assert int(counted[2]) == every[who], sentence
                assert 1 <= int(counted[1]) <= every[who] and ("or the like" in counted[0]) == (counted[1] != "1")
        plain = re.sub(r"“.*?”", "“”", sentence)
        assert re.fullmatch(
            r"(?:(?:, but |, and )?(?:SYSTEM (?:\w+|ends a reply with) “”|USER (?:says “”|gets no words in reply))"
            r"(?: or the like)?, counted in (?:\d+ of its \d+|all \d+ of its|its only) (?:turns?|repl(?:y|ies)))+\."
            r"|No [^.]* was counted\.|SYSTEM says the same words once with and once without “”\."
            r"|(?:In reply to USER's last question or request, |In its last turn, )?(?:SYSTEM|USER) [a-z ]+ “”\."
            r"|Here USER gets no words in reply\.",
            plain,
        ), sentence


@given(conversations())
@settings(max_examples=40, deadline=None)
async def test_case_and_typographic_apostrophes_change_no_score(case: Dialogue) -> None:
    plain = [turn.updated(text=turn.text if turn.text.isascii() else "Yes") for turn in case.turns]
    curly = [turn.updated(text=turn.text.replace("'", "’")) for turn in plain]
    loud = [turn.updated(text=turn.text.upper()) for turn in plain]
    scores = [
        {key: mark.value for key, mark in (await opinions_on(Dialogue(1, tuple(turns))))[0].marks.items()}
        for turns in (plain, curly, loud)
    ]
    assert scores[0] == scores[1] == scores[2]


@given(conversations(), st.sampled_from(["Unfortunately not.", "I cannot do that."]))
@settings(max_examples=40, deadline=None)
async def test_one_more_refusal_never_helps_and_thanks_at_the_end_never_hurt(case: Dialogue, refusal: str) -> None:
    before = (await opinions_on(case))[0].marks
    spoken = [*case.turns, Turn("USER", "And a taxi.", 99), Turn("SYSTEM", "Platform 4.", 100)]
    refused = [*spoken[:-1], Turn("SYSTEM", refusal, 100)]
    thanked = [*case.turns, Turn("USER", "Thanks.", 99)]
    served, declined, ended = [
        (await opinions_on(Dialogue(1, tuple(turns))))[0].marks for turns in (spoken, refused, thanked)
    ]
    for key in ("TaskSuccess", "Helpfulness"):
        assert declined[key].value <= served[key].value
        assert ended[key].value >= before[key].value


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
    assert time.process_time() - start < 3, "many times the usual, for slow machines"
    check(case, *opinions, shipped("dialogue"))


async def test_a_usual_conversation_takes_five_milliseconds() -> None:
    case = talk(GOOD + POOR.strip())
    await opinions_on(case)
    start = time.process_time()
    for _ in range(20):
        await opinions_on(case)
    assert (time.process_time() - start) / 20 < 0.05, "ten times the usual limit, for slow machines"


async def test_it_goes_through_the_protocol() -> None:
    judge = EmbeddedJudge()
    good, poor = [await dialogue(talk(text), judge, judge, shipped("dialogue")) for text in (GOOD, POOR)]
    assert isinstance(good, DialogueVerdict) and isinstance(poor, DialogueVerdict)
    assert good.overall_experience == 80 and poor.overall_experience == 20
    assert "cannot assess Accuracy, Empathy" in good.warnings[0].message
    assert not good.calls and [warning.code for warning in good.warnings] == ["not_assessed"]


def test_importing_it_loads_nothing_heavy() -> None:
    heavy = ("numpy", "scipy", "aiohttp", "icu4py")
    code = f"import sys, adjudge.judges.embedded; print(any(name in sys.modules for name in {heavy}))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
