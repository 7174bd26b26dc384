"""The runs that the tests of results use, too."""

from results.conftest import runs

__all__ = ["runs"]
