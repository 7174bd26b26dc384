"""What the tests of the review share."""

import pytest
from protocols.review.rivers import CASE, RUBRIC
from scripted.judging import open_openai
from scripted.provider import says

from adjudge.protocols.common import Options
from adjudge.protocols.review import review


@pytest.fixture
async def judged(provider, journal):
    """Judges a case with the replies given, and closes the judge."""
    judge = open_openai(provider, journal)

    async def run(*replies, case=CASE, rubric=RUBRIC, options=Options()):
        provider.script = [reply if callable(reply) else says(reply) for reply in replies]
        return await review(case, judge, rubric, options)

    yield run
    await judge.close()
