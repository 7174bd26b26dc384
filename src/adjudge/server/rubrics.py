"""`/api/rubrics`: lists built-in and custom rubrics, checks and stores versions, and shows the prompts they produce.

Each version of a custom rubric is a file that never changes: `rubrics/OWNER/NAME/0001.yaml`, … in the data folder.
"""

from __future__ import annotations

import asyncio
import os
import re
import tempfile
from contextlib import suppress
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from ..errors import ConflictError, InputError, NotFoundError, RubricError, TooLargeError
from ..files import TEMPORARY
from ..protocols.base import example_prompts, names
from ..protocols.rubrics import load, parse, shipped
from ..rubric import MAX_RUBRIC_BYTES, Rubric
from ..text.decoding import decode
from .bodies import read_body
from .callers import Caller, CallerOf, MayJudge
from .common import ERRORS, ProtocolName, State, StateOf
from .idempotency import Idempotent

router = APIRouter(tags=["rubrics"], responses=ERRORS, route_class=Idempotent)
MAX_RUBRICS = 1000  # maximum number of versions, over all rubrics of an owner
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}", re.ASCII)
_EVERYBODY = "_"  # cannot be the name of a token
_EXAMPLE = f"""\
name: our answers
version: "1"
protocol: {names()[0]}
scale: {{min: 1, max: 5}}
criteria:
  - key: correct
    weight: 2
    guidance: Is what it says true?
  - key: brief
    weight: 1
    guidance: Is there nothing to leave out?
"""
_TEXT = {"schema": {"type": "string"}}
_CONTENT = {"application/yaml": {**_TEXT, "example": _EXAMPLE}, "text/plain": _TEXT}
_BODY = {"requestBody": {"required": True, "content": _CONTENT}}


class _NamedRubric(BaseModel):
    name: str
    version: str
    protocol: ProtocolName
    built_in: bool


class ListedRubric(_NamedRubric):
    """A rubric without its text."""

    criteria: int = Field(description="The number of criteria.")


class ListedRubrics(BaseModel):
    """The latest version of every rubric."""

    rubrics: list[ListedRubric]


def _digits(number: Decimal) -> str:
    return format(number, "f")


class CriterionShown(BaseModel):
    """A criterion of a rubric."""

    model_config = ConfigDict(from_attributes=True)

    key: str
    name: str
    weight: Annotated[str, BeforeValidator(_digits)]
    guidance: str
    scale: Annotated[list[str], BeforeValidator(lambda scale: list(map(_digits, scale.values)))] = Field(
        description="The values a score may take."
    )


class RubricShown(_NamedRubric):
    """A rubric with its text and its parsed criteria."""

    versions: list[str] = Field(description="All stored versions, oldest first.")
    source: str = Field(description="The YAML.")
    criteria: list[CriterionShown]


class RubricPrompt(BaseModel):
    """The prompt that a judge gets with this rubric, with a made-up case."""

    role: str
    system: str
    user: str


class RubricPrompts(BaseModel):
    """One prompt for each role."""

    prompts: list[RubricPrompt]


R = TypeVar("R", ListedRubric, RubricShown)
Version = Annotated[str | None, Query(max_length=64, description="Default: the latest.")]


@router.get("/api/rubrics", summary="All rubrics")
def list_rubrics(state: StateOf, caller: CallerOf) -> ListedRubrics:
    """List the latest version of each built-in rubric and of each of your own."""
    found = rubrics_for(state, caller)
    return ListedRubrics(rubrics=[_shown(ListedRubric, each, criteria=len(each.criteria)) for each in found])


@router.get("/api/rubrics/{name}", summary="A rubric")
def get_rubric(name: str, state: StateOf, caller: CallerOf, version: Version = None) -> RubricShown:
    """Return its text, its criteria, and its versions."""
    rubric = find_rubric(state, caller, name, version)
    return _shown(RubricShown, rubric, versions=[each.version for each in versions_of(state, caller, name)])


@router.get("/api/rubrics/{name}/prompt", summary="The prompts a rubric renders to")
def get_prompts(name: str, state: StateOf, caller: CallerOf, version: Version = None) -> RubricPrompts:
    """Return the prompt of each role with a made-up case. The code of the fence is made up, too."""
    return RubricPrompts(prompts=prompts_of(find_rubric(state, caller, name, version)))


def prompts_of(rubric: Rubric) -> list[RubricPrompt]:
    """Return the prompt of each role, with a made-up case."""
    return [
        RubricPrompt(role=role, system=prompt.system, user=prompt.user)
        for role, prompt in example_prompts(rubric).items()
    ]


@router.post("/api/rubrics/validate", summary="Check a rubric", openapi_extra=_BODY)
async def validate_rubric(request: Request, caller: MayJudge) -> RubricShown:
    """Check the YAML in the body without storing it. Errors name the line."""
    return _shown(RubricShown, await _read(request), versions=[])


@router.post("/api/rubrics", summary="Store a version of a rubric", status_code=201, openapi_extra=_BODY)
async def keep_rubric(request: Request, state: StateOf, caller: MayJudge) -> RubricShown:
    """Store the YAML in the body under the name and version it contains. A stored version never changes."""
    rubric = await _read(request)
    await keep_version(state, caller, rubric)
    return get_rubric(rubric.name, state, caller, rubric.version)


async def _read(request: Request) -> Rubric:
    body = await read_body(request, MAX_RUBRIC_BYTES)
    return await asyncio.to_thread(parse, decode(body, "body"), "body")


def _shown(model: type[R], rubric: Rubric, **more: Any) -> R:
    return model.model_validate({**vars(rubric), "built_in": rubric.name in names(), **more})


# -- files ------------------------------------------------------------------------------------------------------------


def rubrics_for(state: State, caller: Caller) -> list[Rubric]:
    """Return the latest version of every rubric that the caller may use: built-in ones first, then by name."""
    latest = {path.parent: path for path in sorted(_rubric_folder(state, caller).glob("*/*.yaml"))}
    found = [*map(shipped, names())]
    for path in latest.values():
        with suppress(RubricError):  # one that is no longer allowed must not hide the others
            found.append(_loaded(path))
    return found


def versions_of(state: State, caller: Caller, name: str) -> list[Rubric]:
    """Return all versions of a rubric, oldest first; raise NotFoundError if there are none."""
    found = [shipped(name)] if name in names() else _own(state, caller, name)
    if not found:
        raise NotFoundError(f"{name[:80]}: no such rubric")
    return found


def find_rubric(state: State, caller: Caller, name: str, version: str | None = None) -> Rubric:
    """Return a version of a rubric, by default the latest."""
    fitting = [rubric for rubric in versions_of(state, caller, name) if version in (None, rubric.version)]
    if not fitting:
        raise NotFoundError(f"{name}: no version {str(version)[:80]!r}")
    return fitting[-1]


def named_rubric(state: State, caller: Caller, reference: str, protocol: str) -> Rubric:
    """Return the rubric that a request names, as `name` or `name@version`. Raise InputError if it does not fit."""
    name, _, version = reference.partition("@")
    try:
        rubric = find_rubric(state, caller, name, version or None)
    except NotFoundError as error:
        raise InputError("rubric", str(error), "GET /api/rubrics lists all rubrics") from None
    if rubric.protocol != protocol:
        raise InputError("rubric", f"{reference} is for {rubric.protocol}", f"one for {protocol} is needed here")
    return rubric


async def keep_version(state: State, caller: Caller, rubric: Rubric) -> None:
    """Store a version of a rubric, and write who did so to the audit log. Do nothing if it is already stored."""
    if await asyncio.to_thread(_keep, state, caller, rubric):
        await asyncio.to_thread(state.audit.record, caller.person, "rubric.kept", rubric.reference)


def _keep(state: State, caller: Caller, rubric: Rubric) -> bool:
    """Store a version; return False if it was already stored."""
    if not _NAME.fullmatch(rubric.name):
        allowed = "1 to 64 letters, digits, spaces, dots, hyphens and underscores"
        raise InputError("name", repr(rubric.name[:80]), allowed)
    if rubric.name in names():
        raise InputError("name", f"{rubric.name} is a rubric that comes with adjudge", "give yours another name")
    if rubric.name.endswith(".json"):
        raise InputError("name", repr(rubric.name), "it may not end with .json, which requests the JSON of a page")
    if len(rubric.version) > 64 or not rubric.version.isprintable():
        raise InputError("version", repr(rubric.version[:80]), "at most 64 printable characters")
    own_rubrics, known = _rubric_folder(state, caller), _own(state, caller, rubric.name)
    for kept in known:
        if kept.version == rubric.version:
            if kept.source == rubric.source:
                return False
            raise ConflictError(
                f"version: {rubric.name} already has a version {rubric.version} with another text; use another version"
            )
    if sum(1 for _ in own_rubrics.glob("*/*.yaml")) >= MAX_RUBRICS:
        raise TooLargeError("rubrics", f"{MAX_RUBRICS:,} versions are kept", "no more are allowed")
    folder = own_rubrics / rubric.name
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    # Link the file to its name only when it is complete; linking never replaces an existing file.
    with tempfile.NamedTemporaryFile(dir=folder, prefix=TEMPORARY) as file:
        file.write(rubric.source.encode())
        file.flush()
        os.fsync(file.fileno())
        try:
            os.link(file.name, folder / f"{len(known) + 1:04}.yaml")
        except FileExistsError:
            raise ConflictError(f"{rubric.name}: another version is being stored; try again") from None
    return True


def _rubric_folder(state: State, caller: Caller) -> Path:
    return state.rubrics / (caller.rubric_owner or _EVERYBODY)


def _own(state: State, caller: Caller, name: str) -> list[Rubric]:
    paths = (_rubric_folder(state, caller) / name).glob("*.yaml") if _NAME.fullmatch(name) else ()
    return [_loaded(path) for path in sorted(paths)]


@lru_cache(maxsize=512)
def _loaded(path: Path) -> Rubric:
    """Load a version. It is cached, as its file never changes and parsing YAML takes longer than showing the page."""
    return load(path)
