"""The embedded Critic agrees unless one moment of the transcript contradicts the score."""

from decimal import Decimal

import pytest
from judges.embedded.samples import own_rubric, talk

from adjudge.judges.embedded import EmbeddedJudge
from adjudge.protocols.dialogue.questions import CriticizeQuestion
from adjudge.protocols.dialogue.verdict import Evaluation, Mark, Utterance
from adjudge.protocols.rubrics import shipped

PLAIN = "USER: Is there a bus to the airport?\nSYSTEM: Yes, the number 12 goes there.\nUSER: Fine."
NO_SEAT = "The booking was unsuccessful."
REFUSED_LAST = (
    "USER: Is there a bus to the airport?\nSYSTEM: Yes, the number 12 goes there every hour.\n"
    f"USER: Can you book a seat?\nSYSTEM: {NO_SEAT}\nUSER: Bye."
)
PRAISED = PLAIN.replace("Fine.", "Exactly what I needed!")
FREE, NOT_FREE = (f"The City Lodge has {no}free parking for guests." for no in ("", "not "))
OPPOSITES = f"USER: Is it free?\nSYSTEM: {FREE}\nUSER: Is it?\nSYSTEM: {NOT_FREE}"


async def critique_of(text, score, quotes=(), rubric=None, assessed=True):
    """What the Critic says when an Evaluator gave the same score and reason everywhere."""
    rubric = rubric or shipped("dialogue")
    mark = Mark(value=Decimal(score), reason="It went this way.", quotes=quotes, assessed=assessed)
    case, evaluation = talk(text), Evaluation(judge="x", marks=dict.fromkeys(rubric.weights, mark))
    critique = await EmbeddedJudge().opine(CriticizeQuestion(case, rubric, evaluation))
    assert list(critique.entries) == list(rubric.weights)
    for entry in critique.entries.values():
        assert entry.agree == (entry.suggested is None) == (not entry.quotes) == (not entry.contradicts)
        for quote in entry.quotes:
            turn = case.turns[quote.turn]
            assert turn.text[quote.start : quote.end] == quote.quote
            assert (turn.speaker, turn.line) == (quote.speaker, quote.line)
    return critique.entries


@pytest.mark.parametrize(("text", "criterion", "score", "suggested", "quoted"), [
    (REFUSED_LAST, "TaskSuccess", 100, 80, [NO_SEAT]), (REFUSED_LAST, "Helpfulness", 80, 60, [NO_SEAT]),
    (PLAIN + "\nUSER: Where does it leave?", "TaskSuccess", 100, 80, ["Where does it leave?"]),
    ("USER: A train to Ely.\nSYSTEM: To York?\nUSER: No, I meant Ely.\nSYSTEM: It costs 9 pounds.",
     "Understanding", 100, 80, ["No, I meant Ely."]),
    (OPPOSITES, "Accuracy", 80, 60, [FREE, NOT_FREE]),
    ("USER: Any room?\nSYSTEM: There is a room in the the old mill.",
     "Fluency", 100, 80, ["There is a room in the the old mill."]),
    (PRAISED, "TaskSuccess", 40, 60, ["Exactly what I needed!"]),
    (PRAISED, "Helpfulness", 20, 40, ["Exactly what I needed!"]),
])  # fmt: skip
async def test_one_moment_is_enough_to_object_with_its_quote_and_another_score(
    text, criterion, score, suggested, quoted
):
    entry = (await critique_of(text, score))[criterion]
    assert not entry.agree and entry.contradicts
    assert (entry.suggested, [quote.quote for quote in entry.quotes]) == (suggested, quoted)


async def test_it_agrees_where_there_is_no_such_moment_or_the_score_claims_too_little_to_be_contradicted():
    refused_before = "USER: A seat?\nSYSTEM: I am sorry, no.\nUSER: Is there a bus?\nSYSTEM: Yes, number 12."
    everywhere = [*((PLAIN, score) for score in (20, 40, 60, 80, 100)), (refused_before, 80)]
    for text, score in (*everywhere, (REFUSED_LAST, 60), (PRAISED, 60)):  # 60 is the middle
        assert all(entry.agree for entry in (await critique_of(text, score)).values()), (text, score)
    for text, score in ((REFUSED_LAST, 40), (PRAISED, 80)):  # no low score is lowered and no high one raised
        assert (await critique_of(text, score))["TaskSuccess"].agree


async def test_a_mark_that_was_not_assessed_gives_way_to_anything_measured():
    assert (await critique_of(OPPOSITES, 60))["Accuracy"].agree
    filler = Utterance(speaker="SYSTEM", quote=FREE, turn=1, line=2, start=0, end=43)
    assert (await critique_of(OPPOSITES, 60, (filler,), assessed=False))["Accuracy"].suggested == 40


async def test_a_moment_that_the_evaluator_quotes_itself_is_no_news():
    quote = Utterance(speaker="SYSTEM", quote=NO_SEAT, turn=3, line=4, start=0, end=29)
    entry = (await critique_of(REFUSED_LAST, 80, (quote,)))["TaskSuccess"]
    assert entry.agree and entry.comment.endswith("is in a turn that the Evaluator already quotes.")


async def test_thanks_and_farewells_are_no_last_request():
    text = REFUSED_LAST.replace("Bye.", "Thanks, that is all I need.\nSYSTEM: Goodbye.")
    said = "In reply to USER's last question or request, SYSTEM says “unsuccessful”."
    assert (await critique_of(text, 80))["TaskSuccess"].comment == said


async def test_a_score_is_moved_by_a_quarter_of_the_scale_and_an_unknown_criterion_is_not():
    rubric = own_rubric("dialogue", "min: 1, max: 9", service=0.5, TaskSuccess=0.5)
    entries = await critique_of(REFUSED_LAST, 9, rubric=rubric)
    assert entries["TaskSuccess"].suggested == 7 and entries["TaskSuccess"].quotes
    assert entries["service"].agree


async def test_the_critic_sees_what_the_average_hides():
    """Thirty answered requests, one refusal in the last of them: the share hardly moves, the moment is found."""
    asked = "USER: What is the number of platform {0}?\nSYSTEM: The number of platform {0} is 1{0}.\n"
    text = "".join(asked.format(at) for at in range(30))
    assert (await critique_of(text, 80))["TaskSuccess"].agree
    entry = (await critique_of(text + "USER: Can you book a seat?\nSYSTEM: That was unsuccessful.", 80))["TaskSuccess"]
    assert [quote.turn for quote in entry.quotes] == [61]
