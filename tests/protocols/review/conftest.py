"""What the tests of the review share."""

from itertools import count

import pytest
from protocols.review.rivers import CASE, RUBRIC
from scripted.judging import open_openai
from scripted.provider import fails, says
from scripted.ratings import explained

from adjudge.judges.jury import Jury
from adjudge.protocols.review.rules import ReviewOptions, review


@pytest.fixture
def judged(provider, journal):
    """Judges a case with the replies given; no stored reply answers, and only the requests of this time are kept. An
    explaining call that no reply is given for is answered as the final tables have it."""
    samples = count()

    async def run(*replies, case=CASE, rubric=RUBRIC, options=ReviewOptions()):
        script = iter([reply if callable(reply) else says(reply) for reply in replies])

        def answer(request):
            asked = request.schema["properties"].keys()
            told = says(explained(request)) if asked <= {"candidates", "reasons"} else fails(418, "nothing to say")
            return next(script, told)

        provider.script = answer
        provider.requests.clear()
        judge = open_openai(provider, journal, sample=next(samples))
        verdict = await review(case, judge, rubric, options)
        await judge.close()
        return verdict

    return run


@pytest.fixture
def jury_judged(provider, journal):
    """Judges a case with a jury of three, or as many as are named; `answer` takes a member's number and the request."""

    async def run(answer, case=CASE, members=3, rule="median"):
        provider.script = lambda request: answer(int(request.json["model"][-1]), request)
        jury = Jury("jury", tuple(open_openai(provider, journal, f"gpt-{number}") for number in range(members)), rule)
        verdict = await review(case, jury, RUBRIC)
        await jury.close()
        return verdict

    return run
