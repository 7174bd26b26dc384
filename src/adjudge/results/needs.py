"""The parts of the extra `runs`, loaded when they are first needed; without them, the line that installs them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..errors import SetupError

_INSTALL = "pip install 'adjudge[runs]'"


def need(module: str, purpose: str) -> Any:
    """A module of the extra, or how to get it: `need("duckdb", "questions in SQL")`."""
    try:
        return import_module(module)
    except ImportError:
        raise SetupError(f"{purpose} needs {module.partition('.')[0]}; install it with: {_INSTALL}") from None


def has(module: str) -> bool:
    """Whether a module of the extra is there."""
    try:
        import_module(module)
    except ImportError:
        return False
    return True
