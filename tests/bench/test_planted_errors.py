"""The planted-error audit on few cases: what the truth corrects, and that facts alone spoil no correct rating."""

import importlib
import sys
from pathlib import Path

import pytest

from adjudge.protocols.rubrics import shipped
from adjudge.rubric import OVERALL

BENCH = Path(__file__).parent.parent.parent / "bench"
RUBRIC = shipped("review")


@pytest.fixture(scope="module")
def bench():
    before = list(sys.path)
    sys.path.insert(0, str(BENCH))
    try:
        yield importlib.import_module("planted_errors")
    finally:
        sys.path[:] = before


@pytest.fixture(scope="module")
def cases(bench):
    return bench.cases(RUBRIC, 60, seed=0)


def test_the_same_seed_gives_the_same_cases(bench, cases):
    assert bench.cases(RUBRIC, 60, seed=0) == cases
    assert bench.cases(RUBRIC, 60, seed=1) != cases


async def test_a_judge_that_answers_truly_corrects_every_planted_error_and_nothing_else(bench, cases):
    audit = await bench.with_the_truth(cases, RUBRIC)
    assert audit.wrong == []
    assert (audit.total.planted, audit.total.corrected, audit.total.changed) == (60, 60, 0)
    assert audit.justified == 60


async def test_facts_alone_change_no_correct_dimension(bench, cases):
    audit = await bench.with_facts_alone(cases, RUBRIC)
    dimensions = [key for key in audit.rows if key not in (OVERALL, bench.PREFERENCE)]
    changed = {key: audit.rows[key].changed for key in dimensions if audit.rows[key].changed}
    assert changed == {}, [line for line in audit.wrong if line.startswith("wrongly changed")]
