"""A run directory of each protocol, made once: tests read them and write elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from results.building import write_run
from results.samples import comparisons, dialogues, graded_by, gradings, reviews


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("runs")
    return {
        "compare": write_run(folder / "compare", comparisons()),
        "dialogue": write_run(folder / "dialogue", dialogues()),
        "grade": write_run(folder / "grade", gradings(), rubric=graded_by()),
        "review": write_run(folder / "review", reviews()),
    }
