"""review: a person's ratings of a hundred ordinary responses, written after reading, stay as they are offline.

The embedded judge cannot read: what a pattern believes to have found must not overrule who has read the response.
"""

import json
from pathlib import Path

import pytest

from adjudge.judges.embedded import EmbeddedJudge
from adjudge.protocols.review.case import Original, Review
from adjudge.protocols.review.rules import review
from adjudge.protocols.rubrics import shipped

RUBRIC = shipped("review")
LINES = Path(__file__).with_name("hundred").joinpath("tables.jsonl").read_text("utf-8").splitlines()
ROWS = [json.loads(line) for line in LINES]
SCALES = {
    "localization": range(1, 4),
    "instruction_following": range(1, 4),
    "truthfulness": range(1, 4),
    "verbosity": range(-2, 3),
    "style_clarity": range(1, 4),
    "harmlessness": range(1, 4),
    "overall_quality": range(1, 6),
}
each_row = pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])


def values(row):
    return {key: entered["rating"] for key, entered in row["ratings"].items()}


def overalls_allowed(table):
    """By the number of major and minor issues, written out once more: this checks the data, not the code."""
    severities = [
        abs(value) if key == "verbosity" else 3 - value for key, value in table.items() if key != "overall_quality"
    ]
    if 2 in severities:
        return {1, 2}
    return [{4, 5}, {4}, {3}][min(severities.count(1), 2)]


def test_there_are_a_hundred_different_responses():
    assert len(ROWS) == 100
    assert len({row["id"] for row in ROWS}) == 100
    assert len({row["response"] for row in ROWS}) == 100


@each_row
def test_every_table_is_complete_and_on_its_scales(row):
    assert {key: value in SCALES[key] for key, value in values(row).items()} == dict.fromkeys(SCALES, True)
    assert all(entered["justification"].strip() for entered in row["ratings"].values())


@each_row
def test_every_overall_follows_from_its_dimensions(row):
    table = values(row)
    assert table["overall_quality"] in overalls_allowed(table)


@each_row
async def test_no_value_changes_with_the_embedded_judge(row):
    prompt = "\n\n".join(filter(None, (row["task"], row.get("context"))))
    entered = {key: Original(str(given["rating"]), given["justification"]) for key, given in row["ratings"].items()}
    case = Review(prompt, row["response"], row["other_response"], ratings_a=entered)
    verdict = await review(case, EmbeddedJudge(), RUBRIC)
    assert verdict.invalid is None
    finals = verdict.tables[1]
    changed = {key: (final.rule, final.reason) for key, final in finals.items() if final.action != "kept"}
    assert changed == {}
    assert {key: final.value for key, final in finals.items()} == values(row)
