"""`/api/rubrics`: the built-in rubrics and one's own, checked, kept by version, and shown as a judge reads them."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field

from ..errors import TooLargeError
from ..inputs.text import decode
from ..judges.roles import example_prompts
from ..rubric import MAX_RUBRIC_BYTES, Rubric, parse
from .bodies import read_body
from .callers import Caller, CallerOf, ReviewerOf
from .common import State, StateOf
from .idempotency import Idempotent
from .rubric_store import KeptRubric

router = APIRouter(tags=["rubrics"], route_class=Idempotent)
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
_BODY = {
    "requestBody": {
        "required": True,
        "content": {
            "application/yaml": {"schema": {"type": "string"}, "example": _EXAMPLE},
            "text/plain": {"schema": {"type": "string"}},
        },
    }
}


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


class CriterionShown(BaseModel):
    """One thing that is scored."""

    key: str
    name: str
    weight: str
    guidance: str
    scale: list[str] = Field(description="The values a score may take.")


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


Version = Annotated[str | None, Query(max_length=64, description="Default: the latest.")]


@router.get("/api/rubrics", summary="All rubrics")
async def list_rubrics(state: StateOf, caller: CallerOf) -> ListedRubrics:
    """Those that come with adjudge, and one's own; of each the latest version."""
    kept = await asyncio.to_thread(state.rubrics.listed, caller.shelf)
    return ListedRubrics(rubrics=[ListedRubric(**_named(each), criteria=len(each.rubric.criteria)) for each in kept])


@router.get("/api/rubrics/{name}", summary="A rubric")
async def get_rubric(name: str, state: StateOf, caller: CallerOf, version: Version = None) -> RubricShown:
    """Its text, its criteria, and which versions there are."""
    kept = await asyncio.to_thread(state.rubrics.find, caller.shelf, name, version)
    return _shown(kept, [each.rubric.version for each in state.rubrics.versions(caller.shelf, name)])


@router.get("/api/rubrics/{name}/prompt", summary="The prompts a rubric renders to")
async def get_prompts(name: str, state: StateOf, caller: CallerOf, version: Version = None) -> RubricPrompts:
    """What a judge reads, role by role, around a made-up case; the fence has a made-up code."""
    kept = await asyncio.to_thread(state.rubrics.find, caller.shelf, name, version)
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
    rubric = await _read(request)
    return _shown(KeptRubric(rubric, False), [])


@router.post(
    "/api/rubrics",
    summary="Keep a version of a rubric",
    status_code=201,
    response_model=RubricShown,
    openapi_extra=_BODY,
)
async def keep_rubric(request: Request, state: StateOf, caller: ReviewerOf) -> JSONResponse:
    """The YAML in the body, under its own name and version. A version that is kept is never changed."""
    rubric = await _read(request)
    await keep_version(state, caller, rubric)
    versions = [each.rubric.version for each in state.rubrics.versions(caller.shelf, rubric.name)]
    return JSONResponse(_shown(KeptRubric(rubric, False), versions).model_dump(), 201)


async def keep_version(state: State, caller: Caller, rubric: Rubric) -> None:
    """Keep a version of a rubric, and who did so; one that is there already is not kept again."""
    caller.needs("reviewer")
    if await asyncio.to_thread(state.rubrics.keep, caller.shelf, rubric):
        await asyncio.to_thread(state.audit.record, caller.person, "rubric.kept", rubric.reference)


async def _read(request: Request) -> Rubric:
    body = await read_body(request)
    if len(body) > MAX_RUBRIC_BYTES:
        raise TooLargeError(
            "body", f"more than {MAX_RUBRIC_BYTES:,} bytes", f"at most {MAX_RUBRIC_BYTES:,} are allowed"
        )
    return await asyncio.to_thread(parse, decode(body, "body"), "body")


def _named(kept: KeptRubric) -> dict[str, Any]:
    rubric = kept.rubric
    return {
        "name": rubric.name,
        "version": rubric.version,
        "protocol": rubric.protocol,
        "built_in": kept.built_in,
    }


def _shown(kept: KeptRubric, versions: list[str]) -> RubricShown:
    return RubricShown(
        **_named(kept),
        versions=versions,
        source=kept.rubric.source,
        criteria=[
            CriterionShown(
                key=each.key,
                name=each.name,
                weight=format(each.weight, "f"),
                guidance=each.guidance,
                scale=[format(value, "f") for value in each.scale.values],
            )
            for each in kept.rubric.criteria
        ],
    )
