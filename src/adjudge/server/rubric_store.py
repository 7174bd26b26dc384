"""Rubrics of the service's users: each version is a file in the data folder that is never changed.

`rubrics/OWNER/NAME/0001.yaml`, `0002.yaml`, …; beside them stand the rubrics that come with adjudge.
"""

from __future__ import annotations

import os
import re
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from ..errors import ConflictError, InputError, NotFoundError, TooLargeError
from ..files import TEMPORARY
from ..rubric import PROTOCOLS, Rubric, load, shipped

MAX_RUBRICS = 1000  # versions of all rubrics of an owner
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}", re.ASCII)
_EVERYBODY = "_"  # no token is called so


class KeptRubric(NamedTuple):
    """A rubric, and whether it came with adjudge."""

    rubric: Rubric
    built_in: bool


class RubricStore:
    """The rubrics in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def listed(self, owner: str | None) -> list[KeptRubric]:
        """The latest version of every rubric that the owner may use: built-in ones first, then by name."""
        own = (self._folder / (owner or _EVERYBODY)).glob("*/*.yaml")
        latest = {path.parent: path for path in sorted(own)}
        built_in = [KeptRubric(shipped(protocol), True) for protocol in PROTOCOLS]
        return built_in + [KeptRubric(_loaded(path), False) for path in latest.values()]

    def versions(self, owner: str | None, name: str) -> list[KeptRubric]:
        """All versions of a rubric, the oldest first."""
        found = [KeptRubric(shipped(name), True)] if name in PROTOCOLS else self._own(owner, name)
        if not found:
            raise NotFoundError(f"{name[:80]}: no such rubric")
        return found

    def find(self, owner: str | None, name: str, version: str | None = None) -> KeptRubric:
        """A version of a rubric; the latest if none is named."""
        fitting = [kept for kept in self.versions(owner, name) if version in (None, kept.rubric.version)]
        if not fitting:
            raise NotFoundError(f"{name}: no version {str(version)[:80]!r}")
        return fitting[-1]

    def keep(self, owner: str | None, rubric: Rubric) -> bool:
        """Store a version; False if it was there already."""
        if not _NAME.fullmatch(rubric.name):
            raise InputError(
                "name", repr(rubric.name[:80]), "1 to 64 letters, digits, blanks, dots, hyphens and underscores"
            )
        if rubric.name in PROTOCOLS:
            raise InputError("name", f"{rubric.name} is a rubric that comes with adjudge", "give yours another name")
        if rubric.name.endswith(".json"):
            raise InputError("name", repr(rubric.name), "it may not end with .json, which asks a page for its JSON")
        if len(rubric.version) > 64 or not rubric.version.isprintable():
            raise InputError("version", repr(rubric.version[:80]), "at most 64 characters that can be printed")
        known = self._own(owner, rubric.name)
        for kept in known:
            if kept.rubric.version == rubric.version:
                if kept.rubric.source == rubric.source:
                    return False
                raise ConflictError(
                    f"version: {rubric.name} has a version {rubric.version} with another text; give yours another one"
                )
        folder = self._folder / (owner or _EVERYBODY)
        if sum(1 for _ in folder.glob("*/*.yaml")) >= MAX_RUBRICS:
            raise TooLargeError("rubrics", f"{MAX_RUBRICS:,} versions are kept", "no more are allowed")
        folder = folder / rubric.name
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # It has its name only once it is whole, and takes no other's.
        with tempfile.NamedTemporaryFile(dir=folder, prefix=TEMPORARY) as file:
            file.write(rubric.source.encode())
            file.flush()
            os.fsync(file.fileno())
            try:
                os.link(file.name, folder / f"{len(known) + 1:04}.yaml")
            except FileExistsError:
                raise ConflictError(f"{rubric.name}: another version is being stored; try again") from None
        return True

    def _own(self, owner: str | None, name: str) -> list[KeptRubric]:
        paths = (self._folder / (owner or _EVERYBODY) / name).glob("*.yaml") if _NAME.fullmatch(name) else ()
        return [KeptRubric(_loaded(path), False) for path in sorted(paths)]


@lru_cache(maxsize=512)
def _loaded(path: Path) -> Rubric:
    """A version, whose file is never changed: reading its YAML takes longer than the page that shows it."""
    return load(path)
