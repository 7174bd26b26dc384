"""What people do with a run: query it, export it, compare it with another, rank systems. Data only; reports show it.

It reads the files of a run directory and changes none of them; a run that is still going is read as far as it is.
"""

from __future__ import annotations

from importlib.util import find_spec

from ..errors import SetupError

_EXTRAS = {"duckdb": "runs", "scipy": "runs", "numpy": "runs", "krippendorff": "agreement"}


def require_extra(purpose: str, *extras: str) -> None:
    """Say how to install the extra `runs`, and others that are named, if a part of it is missing; the other modules of
    this package import it."""
    for module, extra in _EXTRAS.items():
        if extra in ("runs", *extras) and find_spec(module) is None:
            raise SetupError(f"{purpose} needs {module}; install it with: pip install 'adjudge[{extra}]'")
