"""A run directory of each protocol, made once: tests read them and write elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from results.building import write_run
from results.samples import comparisons, dialogues, graded_by, gradings, reviews

from adjudge.protocols.compare import leaderboard


@pytest.fixture(scope="session", autouse=True)
def fewer_draws() -> Iterator[None]:
    """Intervals from fewer draws: what is tested here does not depend on their last digit."""
    usual, leaderboard.DRAWS = leaderboard.DRAWS, 30
    yield
    leaderboard.DRAWS = usual


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("runs")
    return {
        "compare": write_run(folder / "compare", comparisons()),
        "dialogue": write_run(folder / "dialogue", dialogues()),
        "grade": write_run(folder / "grade", gradings(), rubric=graded_by()),
        "review": write_run(folder / "review", reviews()),
    }
