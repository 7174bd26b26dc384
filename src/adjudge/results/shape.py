"""What is read of a line of JSON: the values that were asked for, each with its type. All else is passed over."""

from __future__ import annotations

from typing import Any

from . import sql

TEXTS = "VARCHAR[]"
NUMBERS = "BIGINT[]"


class Shape:
    """Asked for a value by its path, it gives the SQL that names it, and remembers to have it read."""

    def __init__(self) -> None:
        self._tree: dict[str, Any] = {}

    def at(self, *path: str, kind: str = "VARCHAR") -> str:
        """A value by the keys that lead to it. A number read as VARCHAR keeps the form it has as JSON: 3, 3.0, 3.5."""
        branch = self._tree
        for key in path[:-1]:
            branch = branch.setdefault(key, {})
        branch[path[-1]] = kind
        return ".".join(map(sql.name, path))

    def columns(self) -> str:
        """All that is read, as `read_json` wants it."""
        return "{" + ", ".join(f"{sql.name(key)}: {sql.text(_kind(kind))}" for key, kind in self._tree.items()) + "}"


def _kind(branch: Any) -> str:
    if isinstance(branch, str):
        return branch
    return f"STRUCT({', '.join(f'{sql.name(key)} {_kind(inner)}' for key, inner in branch.items())})"
