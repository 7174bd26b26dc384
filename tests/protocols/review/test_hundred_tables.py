"""review: a person's ratings of a hundred ordinary responses, written after reading, stay as they are offline.

The embedded judge cannot read: what a pattern believes to have found must not overrule who has read the response.
"""

import json
from pathlib import Path

from adjudge.judges.embedded import EmbeddedJudge
from adjudge.protocols.review.case import Original, Review
from adjudge.protocols.review.rules import review
from adjudge.protocols.rubrics import shipped

RUBRIC = shipped("review")
LINES = Path(__file__).with_name("hundred").joinpath("tables.jsonl").read_text("utf-8").splitlines()
ROWS = [json.loads(line) for line in LINES]
SCALES = dict.fromkeys(
    ("localization", "instruction_following", "truthfulness", "style_clarity", "harmlessness"), range(1, 4)
) | {"verbosity": range(-2, 3), "overall_quality": range(1, 6)}


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


def test_there_are_a_hundred_different_responses_with_complete_tables_whose_overalls_follow():
    assert len(ROWS) == len({row["id"] for row in ROWS}) == len({row["response"] for row in ROWS}) == 100
    for row in ROWS:
        table = values(row)
        assert {key: value in SCALES[key] for key, value in table.items()} == dict.fromkeys(SCALES, True), row["id"]
        assert all(entered["justification"].strip() for entered in row["ratings"].values()), row["id"]
        assert table["overall_quality"] in overalls_allowed(table), row["id"]


async def test_no_value_changes_with_the_embedded_judge():
    for row in ROWS:
        prompt = "\n\n".join(filter(None, (row["task"], row.get("context"))))
        entered = {key: Original(str(given["rating"]), given["justification"]) for key, given in row["ratings"].items()}
        case = Review(prompt, row["response"], row["other_response"], ratings_a=entered)
        verdict = await review(case, EmbeddedJudge(), RUBRIC)
        assert verdict.invalid is None, row["id"]
        finals = verdict.tables[1]
        changed = {key: (final.rule, final.reason) for key, final in finals.items() if final.action != "kept"}
        assert changed == {}, row["id"]
        assert {key: final.value for key, final in finals.items()} == values(row), row["id"]
