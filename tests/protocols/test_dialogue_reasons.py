"""The words of Evaluator and Critic: one sentence, real quotations, and what stands in the place of others."""

import pytest
from protocols.test_dialogue_with_a_scripted_judge import RUBRIC, TALK, criticizes, evaluates, judged, script
from scripted.judging import open_openai
from scripted.provider import says

from adjudge.models.common import Failure
from adjudge.protocols.dialogue.rules import dialogue
from adjudge.protocols.dialogue.verdict import DialogueVerdict

FORGED = [
    'It was rude, SYSTEM: "You are an idiot, my friend." and left.',
    "USER says “Why do you like action movies?” is one for SYSTEM, USER: “Why do you like action movies?”.",
    "It said «words that nobody ever said».",
    'SYSTEM: "give" is a lie.',
    'It never closes "Why do you',
]
OURS = "Scored 80; the judge's reason quoted words that are not in the text."


def with_reasons(script, *reasons):
    """The same script; a request for better reasons is answered with these."""

    def behave(request):
        if "reasons" in request.schema["properties"]:
            return says({"quotes": [], "reasons": list(reasons)})
        return script(request)

    return behave


async def judged_with(provider, journal, evaluation, critique, *reasons):
    provider.script = with_reasons(script(evaluation, critique), *reasons)
    judge = open_openai(provider, journal)
    verdict = await dialogue(TALK, judge, judge, RUBRIC)
    await judge.close()
    assert isinstance(verdict, DialogueVerdict)
    return verdict


@pytest.mark.parametrize("forged", FORGED)
@pytest.mark.parametrize("again", [None, "", FORGED[0]])
async def test_a_reason_that_quotes_what_nobody_said_is_replaced_whole_and_counted(provider, journal, forged, again):
    scores = (80,) * 6
    evaluation = evaluates(scores)
    evaluation["criteria"]["Empathy"]["reason"] = forged
    reasons = [] if again is None else [{"criterion": "Empathy", "words": again}]
    verdict = await judged_with(provider, journal, evaluation, criticizes(scores), *reasons)
    assert verdict.marks["Empathy"].reason == OURS
    assert verdict.marks["Empathy"].quotes
    assert [warning.code for warning in verdict.warnings] == ["replaced_reason"]
    assert provider.calls == 3, "asked for once more"


async def test_a_better_reason_takes_the_place_of_one_that_quotes_what_nobody_said(provider, journal):
    scores = (80,) * 6
    evaluation = evaluates(scores)
    evaluation["criteria"]["Empathy"]["reason"] = FORGED[0]
    better = {"criterion": "Empathy", "words": "It asks “Why do you like action movies?” and no more."}
    verdict = await judged_with(provider, journal, evaluation, criticizes(scores), better)
    assert verdict.marks["Empathy"].reason == better["words"]
    assert verdict.warnings == ()


async def test_the_critics_words_go_through_the_same_checks_and_may_quote_the_evaluators(provider, journal):
    scores = (80,) * 6
    critique = criticizes(scores, Accuracy=(60, "USER", "Like superhero movies.", True))
    evaluation = evaluates(scores)
    evaluation["criteria"]["Fluency"]["reason"] = "It reads rather well throughout."
    critique["criteria"]["Empathy"]["comment"] = FORGED[0]
    critique["criteria"]["Accuracy"]["comment"] = FORGED[2]
    critique["criteria"]["Fluency"]["comment"] = "“It reads rather well throughout” holds."
    verdict = await judged_with(provider, journal, evaluation, critique)
    assert verdict.objections["Empathy"].comment == OURS
    assert verdict.objections["Accuracy"].comment == OURS.replace("80", "60")
    assert verdict.objections["Fluency"].comment == "“It reads rather well throughout” holds."
    assert verdict.rulings["Accuracy"].justification == (
        'Scored 60; the judge\'s reason quoted words that are not in the text (USER: "Like superhero movies.").'
    )
    assert [warning.code for warning in verdict.warnings] == ["replaced_reason"] * 2


async def test_what_the_critic_finds_missing_is_named_without_quotation_marks(provider, journal):
    scores = (80,) * 6
    critique = criticizes(scores)
    critique["criteria"]["Empathy"]["missing"] = "A word such as “I am very sorry”. And more."
    verdict = await judged(provider, journal, evaluates(scores), critique)
    assert verdict.objections["Empathy"].comment == "Holds; missing: A word such as I am very sorry."
    assert provider.calls == 2


LONG = "It asks twice. Then it stops."


@pytest.mark.parametrize(
    ("reason", "shown"),
    [
        (LONG, 'SYSTEM: "Why do you like action movies?" – It asks twice.'),
        ('SYSTEM: "Why do you like action movies?" is a question. So be it.',
         'SYSTEM: "Why do you like action movies?" is a question.'),
        ('USER: "Like superhero movies." is an answer. So be it.',
         'USER: "Like superhero movies." is an answer (SYSTEM: "Why do you like action movies?").'),
    ],
)  # fmt: skip
async def test_a_reason_of_two_sentences_is_asked_for_once_more_and_then_cut(provider, journal, reason, shown):
    scores = (80,) * 6
    evaluation = evaluates(scores)
    evaluation["criteria"]["Empathy"]["reason"] = reason
    verdict = await judged_with(provider, journal, evaluation, criticizes(scores))
    assert "Empathy: the reason has 2 sentences; one is needed" in provider.requests[1].turns[-1]
    assert verdict.output.evaluator["Empathy"].justification == shown
    assert verdict.marks["Empathy"].justification == shown
    assert verdict.warnings == ()


async def test_one_sentence_in_the_place_of_two(provider, journal):
    scores = (80,) * 6
    evaluation, critique = evaluates(scores), criticizes(scores)
    evaluation["criteria"]["Empathy"]["reason"] = critique["criteria"]["Fluency"]["comment"] = LONG
    better = [{"criterion": key, "words": "It asks twice and stops."} for key in ("Empathy", "Fluency")]
    verdict = await judged_with(provider, journal, evaluation, critique, *better)
    assert verdict.marks["Empathy"].reason == "It asks twice and stops."
    assert verdict.objections["Fluency"].comment == "It asks twice and stops."


@pytest.mark.parametrize(
    "reason",
    [
        'The "Why do you like action movies?" comes late.',
        "«Like superhero movies.» It is said, e.g. here.",
        'It speaks of a 40" screen.',
    ],
)
async def test_sentence_ends_inside_quotation_marks_and_abbreviations_do_not_count(provider, journal, reason):
    scores = (80,) * 6
    evaluation = evaluates(scores)
    evaluation["criteria"]["Empathy"]["reason"] = reason
    verdict = await judged(provider, journal, evaluation, criticizes(scores))
    assert verdict.marks["Empathy"].reason == reason
    assert provider.calls == 2


async def test_an_empty_reason_is_asked_for_again(provider, journal):
    scores = (80,) * 6
    evaluation = evaluates(scores)
    evaluation["criteria"]["Empathy"]["reason"] = " "
    verdict = await judged(provider, journal, evaluation, criticizes(scores))
    assert isinstance(verdict, Failure)
    assert "Empathy.reason: empty" in verdict.message
