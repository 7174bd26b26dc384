"""What the tests of the review share."""

import pytest
from protocols.review.rivers import CASE, RUBRIC
from scripted.judging import open_openai
from scripted.provider import fails, says
from scripted.ratings import explained

from adjudge.protocols.review.rules import ReviewOptions, review


@pytest.fixture
async def judged(provider, journal):
    """Judges a case with the replies given, and closes the judge. An explaining call that no reply is given for is
    answered as the final tables have it."""
    judge = open_openai(provider, journal)

    async def run(*replies, case=CASE, rubric=RUBRIC, options=ReviewOptions()):
        script = iter([reply if callable(reply) else says(reply) for reply in replies])

        def answer(request):
            asked = request.schema["properties"].keys()
            told = says(explained(request)) if asked <= {"candidates", "reasons"} else fails(418, "nothing to say")
            return next(script, told)

        provider.script = answer
        return await review(case, judge, rubric, options)

    yield run
    await judge.close()
