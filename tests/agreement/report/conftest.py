"""A run of 60 labelled comparisons and 30 without a label, and the report on it."""

import pytest
from agreement.report.judged import PAIRS, build_report, compared, sides
from results.building import write_run

from adjudge.results.run import open_run


@pytest.fixture(scope="package")
def folder(tmp_path_factory):
    rows = [compared(number, *pair) for number, pair in enumerate(PAIRS)]
    unlabelled = [compared(100 + n, judge, None) for n, (judge, _) in enumerate(sides(30, seed=8))]
    return write_run(tmp_path_factory.mktemp("agree") / "run", [*rows, *unlabelled])


@pytest.fixture(scope="package")
def report(folder):
    return build_report(open_run(folder))
