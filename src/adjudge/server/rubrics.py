"""`/api/rubrics`: the built-in rubrics and one's own, checked, kept by version, and shown as a judge reads them."""

from __future__ import annotations

import asyncio
from decimal import Decimal
from typing import Annotated, Any, Literal, TypeVar

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from ..inputs.text import decode
from ..judges.roles import example_prompts
from ..rubric import MAX_RUBRIC_BYTES, Rubric, parse
from .bodies import read_body
from .callers import Caller, CallerOf, ReviewerOf
from .common import ERRORS, State, StateOf
from .idempotency import Idempotent
from .rubric_store import KeptRubric

router = APIRouter(tags=["rubrics"], responses=ERRORS, route_class=Idempotent)
_EXAMPLE = """\
name: our answers
version: "1"
protocol: compare
scale: {min: 1, max: 5}
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
    protocol: Literal["compare", "dialogue", "review"]
    built_in: bool


class ListedRubric(_NamedRubric):
    """A rubric without its text."""

    criteria: int = Field(description="How many it has.")


class ListedRubrics(BaseModel):
    """The latest version of every rubric."""

    rubrics: list[ListedRubric]


def _digits(number: Decimal) -> str:
    return format(number, "f")


class CriterionShown(BaseModel):
    """One thing that is scored."""

    model_config = ConfigDict(from_attributes=True)

    key: str
    name: str
    weight: Annotated[str, BeforeValidator(_digits)]
    guidance: str
    scale: Annotated[list[str], BeforeValidator(lambda scale: list(map(_digits, scale.values)))] = Field(
        description="The values a score may take."
    )


class RubricShown(_NamedRubric):
    """A rubric with its text and what was read from it."""

    versions: list[str] = Field(description="All that are kept, the oldest first.")
    source: str = Field(description="The YAML.")
    criteria: list[CriterionShown]


class RubricPrompt(BaseModel):
    """What a judge reads with this rubric, around a made-up case."""

    role: str
    system: str
    user: str


class RubricPrompts(BaseModel):
    """One prompt a role."""

    prompts: list[RubricPrompt]


R = TypeVar("R", ListedRubric, RubricShown)
Version = Annotated[str | None, Query(max_length=64, description="Default: the latest.")]


@router.get("/api/rubrics", summary="All rubrics")
def list_rubrics(state: StateOf, caller: CallerOf) -> ListedRubrics:
    """Those that come with adjudge, and one's own; of each the latest version."""
    kept = state.rubrics.listed(caller.shelf)
    return ListedRubrics(rubrics=[_shown(ListedRubric, each, criteria=len(each.rubric.criteria)) for each in kept])


@router.get("/api/rubrics/{name}", summary="A rubric")
def get_rubric(name: str, state: StateOf, caller: CallerOf, version: Version = None) -> RubricShown:
    """Its text, its criteria, and which versions there are."""
    kept = state.rubrics.find(caller.shelf, name, version)
    return _shown(RubricShown, kept, versions=_versions(state, caller, name))


@router.get("/api/rubrics/{name}/prompt", summary="The prompts a rubric renders to")
def get_prompts(name: str, state: StateOf, caller: CallerOf, version: Version = None) -> RubricPrompts:
    """What a judge reads, role by role, around a made-up case; the fence has a made-up code."""
    kept = state.rubrics.find(caller.shelf, name, version)
    return RubricPrompts(prompts=prompts_of(kept.rubric))


def prompts_of(rubric: Rubric) -> list[RubricPrompt]:
    """What a judge reads, role by role."""
    return [
        RubricPrompt(role=role, system=prompt.system, user=prompt.user)
        for role, prompt in example_prompts(rubric).items()
    ]


@router.post("/api/rubrics/validate", summary="Check a rubric", openapi_extra=_BODY)
async def validate_rubric(request: Request, caller: ReviewerOf) -> RubricShown:
    """Nothing is kept. What is wrong is said with its line."""
    return _shown(RubricShown, KeptRubric(await _read(request), False), versions=[])


@router.post("/api/rubrics", summary="Keep a version of a rubric", status_code=201, openapi_extra=_BODY)
async def keep_rubric(request: Request, state: StateOf, caller: ReviewerOf) -> RubricShown:
    """The YAML in the body, under its own name and version. A version that is kept is never changed."""
    rubric = await _read(request)
    await keep_version(state, caller, rubric)
    return _shown(RubricShown, KeptRubric(rubric, False), versions=_versions(state, caller, rubric.name))


async def keep_version(state: State, caller: Caller, rubric: Rubric) -> None:
    """Keep a version of a rubric, and who did so; one that is there already is not kept again."""
    caller.needs("reviewer")
    if await asyncio.to_thread(state.rubrics.keep, caller.shelf, rubric):
        await asyncio.to_thread(state.audit.record, caller.person, "rubric.kept", rubric.reference)


async def _read(request: Request) -> Rubric:
    body = await read_body(request, MAX_RUBRIC_BYTES)
    return await asyncio.to_thread(parse, decode(body, "body"), "body")


def _versions(state: State, caller: Caller, name: str) -> list[str]:
    return [each.rubric.version for each in state.rubrics.versions(caller.shelf, name)]


def _shown(model: type[R], kept: KeptRubric, **more: Any) -> R:
    return model.model_validate({**vars(kept.rubric), "built_in": kept.built_in, **more})
