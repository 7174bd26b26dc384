"""The runs that the tests of results use, too."""

from results.conftest import fewer_draws, runs

__all__ = ["fewer_draws", "runs"]
