"""Rubrics: view, edit, validate and version them, and the prompt each renders to.

What comes with adjudge is shown and can be copied. A text that cannot be kept comes back as it was, with its line.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from fractions import Fraction
from urllib.parse import quote

from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.responses import RedirectResponse

from ...errors import AdjudgeError, ConflictError, InputError, RubricError, TooLargeError
from ...reports.wording import number
from ...rubric import MAX_RUBRIC_BYTES, PROTOCOLS, Rubric, Scale, parse
from ..callers import CallerOf
from ..common import StateOf
from ..rubric_store import KeptRubric, RubricStore
from ..rubrics import keep_version, prompts_of
from .forms import read_form
from .judge import share
from .rendering import page

router = APIRouter(include_in_schema=False)

_MOST_LINES = 3_000  # of a text that is compared with another
_AROUND = 2  # lines shown before and after one that is wrong


@dataclass(frozen=True, slots=True)
class WeighedCriterion:
    """A criterion: its weight, the share of all weights, and the width of its bar."""

    key: str
    name: str
    weight: str
    share: str
    width: str
    guidance: str
    scale: str
    bands: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class RubricSummary:
    """A rubric as read from its text."""

    name: str
    version: str
    protocol: str
    reference: str
    built_in: bool
    versions: tuple[str, ...]
    scale: str
    tie_band: str
    bands: tuple[tuple[str, str], ...]
    criteria: tuple[WeighedCriterion, ...]


@dataclass(frozen=True, slots=True)
class RubricsPage:
    """All rubrics, the latest version of each."""

    may_edit: bool
    rubrics: tuple[RubricSummary, ...]


@dataclass(frozen=True, slots=True)
class DiffLine:
    """A line of two versions: `same`, `added`, `removed`, or a `gap` where equal lines were left out."""

    kind: str
    old: int | None
    new: int | None
    text: str


@dataclass(frozen=True, slots=True)
class RubricPage:
    """One version of a rubric, its prompts, and what is different from another version."""

    may_edit: bool
    rubric: RubricSummary
    source: str
    prompts: tuple[dict[str, str], ...]
    against: str | None
    diff: tuple[DiffLine, ...] | None


@dataclass(frozen=True, slots=True)
class EditorPage:
    """A text on its way to being a rubric: what is wrong with it and around which lines, or what it would be."""

    name: str
    copied: bool
    source: str
    error: str = ""
    line: int | None = None
    excerpt: tuple[tuple[int, str], ...] = ()
    rubric: RubricSummary | None = None
    prompts: tuple[dict[str, str], ...] = ()


@router.get("/rubrics")
@router.get("/rubrics.json")
async def listed(request: Request, state: StateOf, caller: CallerOf) -> Response:
    """The latest version of every rubric."""
    store = state.rubrics

    def find() -> tuple[RubricSummary, ...]:
        return tuple(_summary(kept, _versions(store, caller.shelf, kept)) for kept in store.listed(caller.shelf))

    return page(request, "rubrics", RubricsPage(caller.may("reviewer"), await asyncio.to_thread(find)))


@router.get("/rubrics/{name}")
async def show(name: str, request: Request, state: StateOf, caller: CallerOf) -> Response:
    """A rubric; `version` chooses another than the latest, `against` one to compare it with."""
    store, owner = state.rubrics, caller.shelf
    name, query = name.removesuffix(".json"), request.query_params

    def find() -> RubricPage:
        kept = store.find(owner, name, query.get("version") or None)
        against = query.get("against") or None
        other = store.find(owner, name, against).rubric if against else None
        return RubricPage(
            may_edit=caller.may("reviewer"),
            rubric=_summary(kept, _versions(store, owner, kept)),
            source=kept.rubric.source,
            prompts=_prompts(kept.rubric),
            against=against,
            diff=_diff(other.source, kept.rubric.source) if other else None,
        )

    return page(request, "rubric", await asyncio.to_thread(find))


@router.get("/rubrics/{name}/edit")
async def edit(name: str, request: Request, state: StateOf, caller: CallerOf) -> Response:
    """The text of a rubric as its next version, or as a copy of one that comes with adjudge."""
    caller.needs("reviewer")
    version = request.query_params.get("version") or None
    kept = await asyncio.to_thread(state.rubrics.find, caller.shelf, name, version)
    known = [each.rubric.name for each in await asyncio.to_thread(state.rubrics.listed, caller.shelf)]
    # A calibration was made for the version that has it.
    text = kept.rubric.uncalibrated or kept.rubric.source
    if kept.built_in:
        numbered = (f"my {name}{f' {at}' if at > 1 else ''}" for at in range(1, len(known) + 2))
        text = _with(_with(text, "name", next(new for new in numbered if new not in known)), "version", '"1"')
    else:
        versions = _versions(state.rubrics, caller.shelf, kept)
        if all(each.isdecimal() and len(each) < 10 for each in versions):
            text = _with(text, "version", f'"{max(map(int, versions)) + 1}"')
    return page(request, "rubric_edit", EditorPage(name, kept.built_in, text))


@router.post("/rubrics/{name}/edit")
async def submit(name: str, request: Request, state: StateOf, caller: CallerOf) -> Response:
    """Check the text, or keep it as a version; `action` says which."""
    caller.needs("reviewer")
    sent = await read_form(request)
    text, copied = sent.get("source", ""), name in PROTOCOLS
    try:
        if len(text.encode()) > MAX_RUBRIC_BYTES:
            raise TooLargeError("rubric", f"more than {MAX_RUBRIC_BYTES:,} bytes", "shorten it")
        rubric = await asyncio.to_thread(parse, text, "rubric")
        if sent.get("action") != "check":
            await keep_version(state, caller, rubric)
            return RedirectResponse(f"/rubrics/{quote(rubric.name)}", 303)
    except (InputError, ConflictError) as error:
        return page(request, "rubric_edit", _refused(name, copied, text, error), _status(error))
    summary = _summary(KeptRubric(rubric, False), ())
    return page(request, "rubric_edit", EditorPage(name, copied, text, rubric=summary, prompts=_prompts(rubric)))


def _status(error: AdjudgeError) -> int:
    return 413 if isinstance(error, TooLargeError) else 409 if isinstance(error, ConflictError) else 400


def _refused(name: str, copied: bool, text: str, error: AdjudgeError) -> EditorPage:
    """The text again, with what is wrong and the lines around it."""
    found = re.search(r":(\d+)$", error.place) if isinstance(error, RubricError) else None
    if found is None or not isinstance(error, InputError):
        return EditorPage(name, copied, text, str(error).removeprefix("rubric: "))
    line, lines = int(found[1]), text.split("\n")
    shown = range(max(1, line - _AROUND), min(len(lines), line + _AROUND) + 1)
    said = f"{error.found}; {error.allowed}" if error.allowed else error.found
    excerpt = tuple((at, lines[at - 1][:200]) for at in shown)
    return EditorPage(name, copied, text, said, line, excerpt)


def _with(text: str, field: str, value: str) -> str:
    """The text of a rubric with another value in a field of its first level."""
    return re.sub(rf"^{field}:.*$", lambda _: f"{field}: {value}", text, count=1, flags=re.MULTILINE)


def _versions(store: RubricStore, owner: str | None, kept: KeptRubric) -> tuple[str, ...]:
    return tuple(each.rubric.version for each in store.versions(owner, kept.rubric.name))


# -- what is shown ----------------------------------------------------------------------------------------------------


def _summary(kept: KeptRubric, versions: tuple[str, ...]) -> RubricSummary:
    rubric = kept.rubric
    whole = sum(map(Fraction, rubric.weights.values()), Fraction(0))
    most = max(rubric.weights.values())
    return RubricSummary(
        name=rubric.name,
        version=rubric.version,
        protocol=rubric.protocol,
        reference=rubric.reference,
        built_in=kept.built_in,
        versions=versions,
        scale="" if rubric.protocol == "review" else _scale(rubric.scale),
        tie_band=number(rubric.tie_band) if rubric.protocol == "compare" else "",
        bands=rubric.bands,
        criteria=tuple(
            WeighedCriterion(
                key=each.key,
                name=each.name,
                weight=number(each.weight),
                share=share(Fraction(each.weight), whole),
                width=f"{100 * float(each.weight / most):.1f}%",
                guidance=each.guidance,
                scale=_scale(each.scale),
                bands=each.bands,
            )
            for each in rubric.criteria
        ),
    )


def _scale(scale: Scale) -> str:
    told = f"{number(scale.low)} to {number(scale.high)}"
    return told if scale.step == 1 else f"{told} in steps of {number(scale.step)}"


def _prompts(rubric: Rubric) -> tuple[dict[str, str], ...]:
    return tuple(prompt.model_dump() for prompt in prompts_of(rubric))


def _diff(old: str, new: str) -> tuple[DiffLine, ...]:
    """Two texts line by line, three equal lines around each change."""
    before, after = old.splitlines(), new.splitlines()
    if max(len(before), len(after)) > _MOST_LINES:
        raise HTTPException(400, f"against: a version has more than {_MOST_LINES:,} lines; too many to compare")
    lines: list[DiffLine] = []
    for at, group in enumerate(SequenceMatcher(None, before, after).get_grouped_opcodes(3)):
        if at or group[0][1]:
            lines.append(DiffLine("gap", None, None, ""))
        for kind, start, end, first, last in group:
            if kind == "equal":
                lines += [DiffLine("same", start + i + 1, first + i + 1, before[start + i]) for i in range(end - start)]
            else:
                lines += [DiffLine("removed", i + 1, None, before[i]) for i in range(start, end)]
                lines += [DiffLine("added", None, i + 1, after[i]) for i in range(first, last)]
    return tuple(lines)
