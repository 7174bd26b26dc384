"""A run of each protocol to read, and copies of them to label."""

import shutil

import pytest
from results.conftest import runs  # noqa: F401

from adjudge.results.run import open_run


@pytest.fixture
def copied(runs, tmp_path):  # noqa: F811
    """Opens a copy of a protocol's run, whose folder is called run."""
    return lambda protocol="compare": open_run(shutil.copytree(runs[protocol], tmp_path / "run"))


def said(labels):
    """All labels of whole cases as plain data: {case: {annotator: value}}."""
    return {
        next(iter(by.values())).case: {annotator: label.value for annotator, label in by.items()}
        for by in labels.by_case.values()
    }
