"""SPEC 3: no sentence that is shown contradicts its tables, whatever a judge says."""

import random

from protocols.review.rivers import CASE, RUBRIC, codes
from scripted.judging import open_openai
from scripted.provider import says
from scripted.ratings import KEYS, explanation, rating_reply

from adjudge.protocols.review.consistency import better
from adjudge.protocols.review.preference import VERDICTS
from adjudge.protocols.review.rules import review
from adjudge.text.sentences import sentences


async def test_whatever_a_judge_says_no_sentence_shown_favours_what_the_tables_do_not(provider, journal):
    for draw in range(24):
        await hear_a_careless_judge(provider, journal, draw)


async def hear_a_careless_judge(provider, journal, draw):
    """Every sentence is numbered, so that what is shown can be traced to what it was said to favour."""
    chance = random.Random(draw)
    said = {}

    def some():
        for _ in range(chance.randint(0, 3)):
            sentence = f"Reason {'abcdefghijklmnopqrstuvwxyz'[len(said)]} is this."
            about = chance.choice([key for key in KEYS if key != "overall_quality"] + ["overall"])
            said[sentence] = about, chance.choice(["1", "2", "neither"])
            yield sentence, *said[sentence]

    sides = [
        {"truthfulness": chance.choice((1, 2, 3)), "verbosity": chance.choice((-1, 0, 1)), "style_clarity": 2}
        for _ in range(2)
    ]
    rated = {"response_1": sides[0], "response_2": sides[1], "preference": chance.randint(1, 7)}

    def answer(request):
        if "preference" in request.schema["properties"]:
            return says(rating_reply({**rated, "reasons": [*some()]}))
        told = explanation([*some()])
        return says({"entries": [], **told} if "entries" in request.schema["properties"] else told)

    provider.script = answer
    judge = open_openai(provider, journal, sample=draw)
    verdict = await review(CASE.blind(), judge, RUBRIC)
    await judge.close()
    sides = {None: "neither", "A": "1", "B": "2"}
    final = verdict.likert.value
    right = {"overall": sides[None if final == 4 else "A" if final < 4 else "B"]}
    for criterion in RUBRIC.criteria:
        pair = [verdict.tables[number][criterion.key].value for number in (1, 2)]
        right.setdefault(criterion.key, sides[better(criterion, *pair)])
    shown = sentences(verdict.likert.justification)
    assert 3 <= len(shown) <= 4, draw
    assert shown[0] == VERDICTS[final]
    judges = [sentence for sentence in shown if sentence in said]
    assert all(right[said[sentence][0]] == said[sentence][1] for sentence in judges), draw
    assert ("composed_by_rule" in codes(verdict)) is (len(judges) < 2)
