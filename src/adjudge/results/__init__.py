"""Reads a run directory: queries, exports, comparisons of two runs, leaderboards. It returns data; `reports` shows it.

It never changes the run's files. A run in progress is read as far as it has come.
"""

from __future__ import annotations

from importlib.util import find_spec

from ..errors import SetupError

_EXTRAS = {"duckdb": "runs", "scipy": "runs", "numpy": "runs", "krippendorff": "agreement"}


def require_extra(purpose: str, *extras: str) -> None:
    """Raise SetupError with the install command if a package of the extra `runs`, which the other modules here import,
    or of `extras` is missing."""
    for module, extra in _EXTRAS.items():
        if extra in ("runs", *extras) and find_spec(module) is None:
            raise SetupError(f"{purpose} needs {module}; install it with: pip install 'adjudge[{extra}]'")
