"""The seed's special cases, each a folder: the slots as a person pasted them, what the judge replies, and the blocks.

`reply.yaml` names only what the judge finds; every other rating is the best one. `explanation.yaml` is there where the
person's words are up for keeping, and so a second call is made. `--write-golden` writes the blocks anew, to be read
before they are committed.
"""

from pathlib import Path

import pytest
import yaml
from review_blocks import read_blocks
from scripted.judging import open_openai
from scripted.provider import says
from scripted.ratings import explanation, rating_reply

from adjudge.protocols.review.reading import read_reviews
from adjudge.protocols.review.rules import review
from adjudge.protocols.review.tags import review_tags
from adjudge.protocols.review.verdict import ReviewVerdict
from adjudge.protocols.rubrics import shipped

RUBRIC = shipped("review")
FOLDER = Path(__file__).parent / "cases"
CASES = sorted(path.name for path in FOLDER.iterdir() if path.is_dir())


def test_each_special_case_of_the_seed_has_a_worked_case():
    assert CASES == [
        "code_that_does_not_run",
        "harmful_refused",
        "identical_responses",
        "length_limit_broken",
        "no_original_ratings",
        "pleasantries",
        "safe_refusal",
        "system_prompt_against_user",
        "truncated",
        "wrong_language",
    ]


@pytest.mark.parametrize("name", CASES)
async def test_the_blocks_come_out_as_expected(name, provider, journal, request):
    folder = FOLDER / name
    (case,) = read_reviews((folder / "slots.txt").read_bytes(), name, RUBRIC)
    reply = rating_reply(yaml.safe_load((folder / "reply.yaml").read_text("utf-8")))
    told = folder / "explanation.yaml"
    replies = [reply]
    if told.exists():
        given = yaml.safe_load(told.read_text("utf-8"))
        replies.append(explanation(given["reasons"], *given["candidates"]))
    provider.script = [says(one) for one in replies]
    judge = open_openai(provider, journal)
    verdict = await review(case, judge, RUBRIC)
    await judge.close()
    assert isinstance(verdict, ReviewVerdict), verdict
    assert provider.calls == len(replies)
    written = review_tags(verdict, RUBRIC)
    expected = folder / "expected.txt"
    if request.config.getoption("--write-golden"):
        expected.write_text(written, "utf-8")
    assert written == expected.read_text("utf-8")
    assert read_blocks(written).likert == verdict.likert.value
