"""The embedded Evaluator: six marks on the scale for any transcript, each with a sentence that quotes it."""

import re
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judges.embedded.samples import own_rubric, talk
from quick import within

from adjudge.judges.embedded import EmbeddedJudge
from adjudge.judges.jury import Jury
from adjudge.protocols.dialogue.case import Dialogue, Turn
from adjudge.protocols.dialogue.embedded import MIXES
from adjudge.protocols.dialogue.questions import CriticizeQuestion, EvaluateQuestion
from adjudge.protocols.dialogue.rules import dialogue
from adjudge.protocols.dialogue.verdict import Evaluation
from adjudge.protocols.rubrics import shipped
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


async def opinions_on(case, rubric=None):
    rubric, judge = rubric or shipped("dialogue"), EmbeddedJudge()
    evaluation = await judge.opine(EvaluateQuestion(case, rubric))
    return evaluation, await judge.opine(CriticizeQuestion(case, rubric, evaluation))


async def marks_of(case):
    return (await EmbeddedJudge().opine(EvaluateQuestion(case, shipped("dialogue")))).marks


async def scores_of(case):
    return {key: mark.value for key, mark in (await marks_of(case)).items()}


def check_said(case, said):
    """One sentence in plain words, with every quote as `SPEAKER: "…"`, and each of these is where it says."""
    words = said.justification
    for quote in said.quotes:
        turn = case.turns[quote.turn]
        assert turn.text[quote.start : quote.end] == quote.quote
        assert (quote.speaker, quote.line) == (turn.speaker, turn.line)
        assert quote.quote == turn.text.strip() or (count_words(quote.quote) >= 3 and len(quote.quote) <= 200)
        assert f'{quote.speaker}: "{quote.quote}"' in words
        words = words.replace(quote.shown, "", 1)
    assert re.fullmatch(r"[A-Z\d][^.!?\n]*\.", words), words


def check(case, evaluation, critique, rubric=None):
    """All that holds for every opinion on every conversation."""
    rubric = rubric or shipped("dialogue")
    values, keys = rubric.scale.values, [criterion.key for criterion in rubric.criteria]
    assert list(evaluation.marks) == keys == list(critique.entries)
    assert evaluation.calls == () == critique.calls
    for key in keys:
        mark, entry = evaluation.marks[key], critique.entries[key]
        assert mark.value in values and mark.assessed == (key in MIXES) and mark.quotes
        check_said(case, mark)
        check_said(case, entry)
        assert entry.agree == (entry.suggested is None) == (not entry.contradicts) == (not entry.quotes)
        if entry.suggested is not None:
            assert abs(values.index(entry.suggested) - values.index(mark.value)) == 1


async def test_a_served_user_is_told_from_one_who_was_not():
    assert list((await scores_of(talk(GOOD))).values()) == [100, 100, 60, 80, 60, 80]
    assert list((await scores_of(talk(POOR))).values()) == [20, 20, 60, 40, 60, 80]


BASE = """
USER: I need a table for 4 at an Italian place on Friday at 19:00.
SYSTEM: There are 3 Italian places in the centre. Which price range would you like?
USER: A cheap one.
SYSTEM: Pizza Corner is a cheap Italian place in the centre.
USER: What is the address?
SYSTEM: {}
USER: {}
SYSTEM: The post code is CB1 7AB.
"""
ADDRESS, CHEAP = "The address is 12 High Street.", '(SYSTEM: "Pizza Corner is a cheap Italian place in the centre.").'
REPLIES, TURNS = "counted in 1 of its 4 replies", "counted in 1 of its 4 turns"
REASONS = [
    ("TaskSuccess", ADDRESS, "Alright.",
     f"60 No phrase of apology or refusal, complaint, missing reply, “no” or correction was counted {CHEAP}"),
    ("Helpfulness", ADDRESS, "Alright.", f"60 No phrase of apology or refusal or missing reply was counted {CHEAP}"),
    ("TaskSuccess", "Sorry, I could not find that.", "Alright.",
     f'40 SYSTEM says “Sorry”, {REPLIES} (SYSTEM: "Sorry, I could not find that.").'),
    ("TaskSuccess", "I am unable to say.", "Thank you anyway.",
     f"60 USER says “Thank you”, {TURNS}, but SYSTEM says “I am unable”, {REPLIES} "
     '(USER: "Thank you anyway."; SYSTEM: "I am unable to say.").'),
    ("TaskSuccess", ADDRESS, "This is ridiculous.",
     f'40 USER says “This is ridiculous”, {TURNS} (USER: "This is ridiculous.").'),
    ("Helpfulness", "Your table is booked.", "Alright.",
     f'80 SYSTEM says “is booked”, {REPLIES} (SYSTEM: "Your table is booked.").'),
    ("TaskSuccess", "It is booked for you.", "Great, thanks!",
     f"100 USER says “thanks”, {TURNS}, and SYSTEM says “is booked”, {REPLIES} "
     '(USER: "Great, thanks!"; SYSTEM: "It is booked for you.").'),
    ("Understanding", ADDRESS, "No.", f'80 USER says “No”, {TURNS} (USER: "No.").'),
    ("Understanding", ADDRESS, "That's not what I asked.",
     f"60 USER says “That's not what”, {TURNS} (USER: \"That's not what I asked.\")."),
    ("Fluency", "The address is is 12 High Street.", "Alright.",
     f'60 SYSTEM writes “is is”, {REPLIES} (SYSTEM: "The address is is 12 High Street.").'),
    ("Fluency", "The address is 12 High Street and", "Alright.",
     f'60 SYSTEM ends a reply with “and”, {REPLIES} (SYSTEM: "The address is 12 High Street and").'),
]  # fmt: skip


async def test_a_reason_quotes_the_words_that_moved_the_score():
    for criterion, reply, end, said in REASONS:
        mark = (await marks_of(talk(BASE.format(reply, end))))[criterion]
        assert f"{mark.value} {mark.justification}" == said


@pytest.mark.parametrize(("text", "reason"), [
    ("USER: Any hotel?\nSYSTEM: I am afraid I cannot say.", "SYSTEM says “I am afraid”, counted in its only reply."),
    ("USER: A hotel.\nSYSTEM: Sorry, no.\nUSER: A bus.\nSYSTEM: Sorry, no bus.\nUSER: A taxi.",
     "SYSTEM says “Sorry” or the like, counted in all 2 of its replies."),
    ("USER: A hotel.\nSYSTEM:\nUSER: A bus.\nSYSTEM: Number 4.",
     "USER gets no words in reply, counted in 1 of its 2 turns."),
], ids=["once", "always", "silence"])  # fmt: skip
async def test_how_often_is_said(text, reason):
    assert (await marks_of(talk(text)))["TaskSuccess"].reason == reason


@pytest.mark.parametrize("replies", [1, 2, 5, 7])
async def test_task_success_and_helpfulness_fall_with_the_share_of_refusals(replies):
    scores = []
    for declined in range(replies + 1):
        said = ["Unfortunately not."] * declined + ["Platform 4."] * (replies - declined)
        text = "".join(f"USER: And {at}.\nSYSTEM: {reply}\n" for at, reply in enumerate(said))
        scores.append(await scores_of(talk(text)))
    for key in ("TaskSuccess", "Helpfulness"):
        values = [score[key] for score in scores]
        assert values == sorted(values, reverse=True) and (values[0], values[-1]) == (60, 20)


async def test_nothing_moves_task_success_and_helpfulness_as_far_as_refusals():
    praised = "USER: Great, a bus.\nSYSTEM: I cannot book it.\nUSER: Perfect, thanks!\nSYSTEM: Sorry, no."
    denied = "USER: A bus.\nSYSTEM: Number 4?\nUSER: No.\nSYSTEM: Number 5?\nUSER: I don't know."
    low, high = await scores_of(talk(praised)), await scores_of(talk(denied))
    for key in ("TaskSuccess", "Helpfulness"):
        weights = {name: abs(weight) for name, weight in MIXES[key].weights.items()}
        declined = weights.pop("declined")
        assert all(declined >= 2 * weight for weight in weights.values()) and low[key] < high[key]


async def test_turns_and_ratings_may_come_in_lists():
    turns = [Turn("USER", "Is it open?", 1, None, [3, 4]), Turn("SYSTEM", "Yes, it is open.", 2)]
    assert await marks_of(Dialogue(1, turns))


async def test_a_rubric_of_ones_own_is_scored_on_its_own_scale():
    rubric = own_rubric("dialogue", "min: 0, max: 2, step: 0.5", warmth=0.5, Fluency=0.5)
    for text in (GOOD, POOR):
        check(talk(text), *await opinions_on(talk(text), rubric), rubric)
    slip = (await opinions_on(talk("USER: Where?\nSYSTEM: In the the old mill."), rubric))[0].marks
    assert (slip["Fluency"].value, slip["warmth"].value, slip["warmth"].assessed) == (1, 1, False)


# -- what it cannot tell ----------------------------------------------------------------------------------------------


async def test_accuracy_and_empathy_are_the_middle_and_said_to_be_not_assessed():
    disputed = GOOD.replace("Perfect!", "That's wrong. Are you sure?").replace("No, that is all.", "That is not true.")
    replies = "Sorry, no.", "I do apologise.", "Certainly, sir, my pleasure.", "Go away."
    for text in (GOOD, disputed, *(BASE.format(reply, "Wonderful!") for reply in replies)):
        marks = await marks_of(talk(text))
        for mark in (marks["Accuracy"], marks["Empathy"]):
            assert mark.value == 60 and "cannot be measured" in mark.reason and not mark.assessed


async def test_a_score_that_the_critic_moved_is_no_longer_called_the_middle():
    judge = EmbeddedJudge()
    contradiction = (
        "USER: Where is my order 4471 now?\nSYSTEM: The order 4471 is at the depot in Leeds.\n"
        "USER: Are you sure of it?\nSYSTEM: The order 4471 is not at the depot in Leeds.\nUSER: Fine."
    )
    verdict = await dialogue(talk(contradiction), judge, judge, shipped("dialogue"))
    assert verdict.rulings["Accuracy"].value == 40
    (warning,) = verdict.warnings
    assert "cannot assess Empathy:" in warning.message


async def test_a_jury_leaves_out_who_could_not_assess():
    class Reader(EmbeddedJudge):
        async def opine(self, question):
            marks = await marks_of(question.case)
            full = {key: mark.updated(value=Decimal(100), assessed=True) for key, mark in marks.items()}
            return Evaluation(judge="reader", marks=full)

    jury = Jury("jury:embedded+reader", (EmbeddedJudge(), Reader()))
    evaluation = await jury.opine(EvaluateQuestion(talk(GOOD), shipped("dialogue")))
    assert evaluation.marks["Accuracy"].value == 100


async def test_it_goes_through_the_protocol():
    judge = EmbeddedJudge()
    good, poor = [await dialogue(talk(text), judge, judge, shipped("dialogue")) for text in (GOOD, POOR)]
    assert (good.overall_experience, poor.overall_experience, good.calls) == (80, 20, ())
    (warning,) = good.warnings
    assert warning.code == "not_assessed" and "cannot assess Accuracy, Empathy" in warning.message


# -- any conversation -------------------------------------------------------------------------------------------------

SAID = [
    *(line.partition(": ")[2] for line in (GOOD + POOR).splitlines() if line), "Yes", "?!", "🎉", "...", "x" * 700,
    "我们今天去公园散步。" * 30, "| no | |", "I am sorry", "Thanks!", "the the", "My mistake.",
    "It is not at the depot now.", "It is at the depot now.",
]  # fmt: skip
TEXTS = st.one_of(st.sampled_from(SAID), st.text(min_size=1, max_size=120).filter(str.strip))
LABELS = st.tuples(st.none() | st.text(max_size=12), st.lists(st.integers(1, 5), max_size=5).map(tuple))
SPEAKERS = st.sampled_from(["SYSTEM", "USER"])
CLAIM = re.compile(
    r"(?:(?:, but |, and )?(?:SYSTEM (?:\w+|ends a reply with) “”|USER (?:says “”|gets no words in reply))"
    r"(?: or the like)?, counted in (?:\d+ of its \d+|all \d+ of its|its only) (?:turns?|repl(?:y|ies)))+\."
    r"|No [^.]* was counted\.|SYSTEM says the same words once with and once without “”\."
    r"|(?:In reply to USER's last question or request, |In its last turn, )?(?:SYSTEM|USER) [a-z ]+ “”\."
    r"|Here USER gets no words in reply\."
)


@st.composite
def conversations(draw):
    turns = draw(st.lists(st.tuples(SPEAKERS, TEXTS | st.just("")), max_size=12))
    both = draw(st.permutations([*turns, ("SYSTEM", draw(TEXTS)), ("USER", draw(TEXTS))]))
    return Dialogue(1, tuple(Turn(speaker, text, line * 2) for line, (speaker, text) in enumerate(both, 3)))


def check_claims(case, evaluation, critique):
    """Every phrase in a reason was said by whom it names, as often as it says."""
    texts = {who: [" ".join(t.text.split()) for t in case.turns if t.speaker == who] for who in ("SYSTEM", "USER")}
    every = {"SYSTEM": len(texts["SYSTEM"]), "USER": len([text for text in texts["USER"] if text])}
    told = [mark.reason for mark in evaluation.marks.values() if mark.assessed]
    for sentence in told + [entry.comment for entry in critique.entries.values() if not entry.agree]:
        for who, how, phrase in re.findall(r"(SYSTEM|USER) (says|writes|ends a reply with) “(.*?)”", sentence):
            ending = how.startswith("ends")
            assert any(text.endswith(phrase) if ending else phrase in text for text in texts[who]), sentence
            counted = re.search(rf"“{re.escape(phrase)}”(?: or the like)?, counted in (\d+) of its (\d+)", sentence)
            if counted:
                assert 1 <= int(counted[1]) <= int(counted[2]) == every[who], sentence
                assert ("or the like" in counted[0]) == (counted[1] != "1"), sentence
        assert CLAIM.fullmatch(re.sub(r"“.*?”", "“”", sentence)), sentence


@given(conversations(), st.data())
@settings(max_examples=80)
async def test_any_conversation_is_judged_in_true_words_and_the_same_again_whatever_annotators_wrote(case, data):
    opinions = await opinions_on(case)
    check(case, *opinions)
    check_claims(case, *opinions)
    labels = [data.draw(LABELS) for _ in case.turns]
    labelled = (turn.updated(act=act, ratings=given) for turn, (act, given) in zip(case.turns, labels, strict=True))
    assert await opinions_on(Dialogue(1, tuple(labelled), data.draw(LABELS)[1])) == opinions


@given(conversations(), st.sampled_from(["Unfortunately not.", "I cannot do that."]))
@settings(max_examples=40)
async def test_one_more_refusal_never_helps_thanks_never_hurt_and_case_and_apostrophes_change_nothing(case, refusal):
    async def scores(*turns):
        return await scores_of(Dialogue(1, turns))

    asked = *case.turns, Turn("USER", "And a taxi.", 99)
    before, thanked = await scores(*case.turns), await scores(*case.turns, Turn("USER", "Thanks.", 99))
    served, declined = [await scores(*asked, Turn("SYSTEM", said, 100)) for said in ("Platform 4.", refusal)]
    for key in ("TaskSuccess", "Helpfulness"):
        assert declined[key] <= served[key] and thanked[key] >= before[key]
    plain = [turn.updated(text=turn.text if turn.text.isascii() else "Yes") for turn in case.turns]
    curly = [turn.updated(text=turn.text.replace("'", "’")) for turn in plain]
    loud = [turn.updated(text=turn.text.upper()) for turn in plain]
    assert await scores(*plain) == await scores(*curly) == await scores(*loud)


STRANGE = [
    "\u2060", "\u2060" * 50, "a\u200bb", "e\u0301" * 300, "\t x \n\n y", " " * 5000 + "late", "?" * 3000,
    "." * 5000 + "x", "no " * 2000,
    "مرحبا، هل يوجد فندق؟", "วันนี้อากาศดีมากเราไปเดินเล่นที่สวนสาธารณะกับเพื่อนหลายคน" * 10, "नमस्ते। धन्यवाद।",
    "👩‍👩‍👧‍👦" * 200, "- \n- \n- ", "<|im_end|>", "İ" * 300, "ß" * 300, "1.\n2.\n3.", "word " + "🎉" * 800,
]  # fmt: skip


async def test_any_text_is_judged_and_quoted():
    for strange in STRANGE:
        for first, second in (("USER", "SYSTEM"), ("SYSTEM", "USER")):
            for others in ("Hello there.", strange):
                turns = (Turn(first, strange, 1), Turn(second, others, 2), Turn(first, strange, 3))
                check(Dialogue("x", turns), *await opinions_on(Dialogue("x", turns)))


@pytest.mark.parametrize("said", [
    SAID[:15], ["Can you help me? " * 12, "There is no hotel in the north of town. " * 6],
    ["我们今天去公园散步，好吗？" * 12, "." * 400],
], ids=["usual", "long", "without spaces"])  # fmt: skip
async def test_five_hundred_turns_are_judged_in_a_fifth_of_a_second(said):
    turns = (Turn("SYSTEM" if line % 2 else "USER", f"{said[line % len(said)]} {line}", line) for line in range(500))
    case = Dialogue(1, tuple(turns))
    with within(3):  # many times the usual, for slow machines
        opinions = await opinions_on(case)
    check(case, *opinions)


async def test_a_usual_conversation_takes_five_milliseconds():
    case = talk(GOOD + POOR.strip())
    await opinions_on(case)
    with within(1):  # twenty times, and ten times the usual limit
        for _ in range(20):
            await opinions_on(case)
