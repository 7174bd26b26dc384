"""The planted-error audit on few cases: what the truth corrects, and that facts alone spoil no correct rating."""

import pytest

from adjudge.protocols.rubrics import shipped
from adjudge.rubric import OVERALL

RUBRIC = shipped("review")


@pytest.fixture(scope="module")
def planted_errors(bench):
    return bench("planted_errors")


@pytest.fixture(scope="module")
def cases(planted_errors):
    return planted_errors.cases(RUBRIC, 30, seed=0)


def test_the_same_seed_gives_the_same_cases(planted_errors, cases):
    assert planted_errors.cases(RUBRIC, 30, seed=0) == cases
    assert planted_errors.cases(RUBRIC, 30, seed=1) != cases


async def test_a_judge_that_answers_truly_corrects_every_planted_error_and_nothing_else(planted_errors, cases):
    audit = await planted_errors.with_the_truth(cases, RUBRIC)
    assert audit.wrong == []
    assert (audit.total.planted, audit.total.corrected, audit.total.changed) == (30, 30, 0)
    assert audit.justified == 30


async def test_facts_alone_change_no_correct_dimension(planted_errors, cases):
    audit = await planted_errors.with_facts_alone(cases, RUBRIC)
    dimensions = [key for key in audit.rows if key not in (OVERALL, planted_errors.PREFERENCE)]
    changed = {key: audit.rows[key].changed for key in dimensions if audit.rows[key].changed}
    assert changed == {}, [line for line in audit.wrong if line.startswith("wrongly changed")]
